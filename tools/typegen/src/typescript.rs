//! The TypeScript declarations: what tsify says of every public type, in one file.

use tsify::Tsify;

const HEADER: &str = "\
// Generated from the Rust types by `cargo run -p interlinear-typegen`. Do not edit: a test compares the two.

/**
 * One event of a session: the envelope, and what happened. Narrowing on `type` narrows `data`:
 *
 * ```ts
 * if (event.type === \"item.delta\") process.stdout.write(event.data.delta);
 * ```
 */
export type UniversalEvent = EventEnvelope & EventData;

/** The `type` of an event. */
export type EventType = EventData[\"type\"];

/** The event of one `type`: `EventOf<\"item.delta\">`. */
export type EventOf<Type extends EventType> = EventEnvelope & Extract<EventData, { type: Type }>;
";

/// Lines longer than this are unions that read better with one member a line.
const WIDTH: usize = 120;

macro_rules! declarations_of {
    ($from:ident: $($name:ident),* $(,)?) => {
        [$( <$from::$name as Tsify>::DECL ),*]
    };
}

/// The whole file.
pub(crate) fn declarations() -> String {
    use {interlinear_core as core, interlinear_schema as schema};
    let events = declarations_of![schema:
        UniversalEvent, EventSource, EventData, SessionStartedData, SessionMetadata, SessionEndedData, EndReason,
        TerminatedBy, StderrOutput, TurnData, TurnPhase, TurnMetadata, TurnStatus, Usage, ItemData, ItemDeltaData,
        DeltaPart, UniversalItem, ItemKind, ItemRole, ItemStatus, ContentPart, TextPart, JsonPart, ToolCallPart,
        ToolKind, McpTool, Subagent, ToolResultPart, Todo, TodoStatus, FileRefPart, FileAction, ImagePart,
        ReasoningPart, Visibility, StatusPart, StatusLabel, PermissionData, PermissionStatus, QuestionData,
        QuestionStatus, QuestionKind, Question, QuestionOption, ErrorData, UnparsedData,
    ];
    let api = declarations_of![core:
        Agent, Form, OpenOptions, ConvertOptions, Command, StartCommand, McpServer, ResumeCommand, PromptCommand, PromptMode,
        PromptPart, ReplyPermissionCommand, PermissionReply, ReplyQuestionCommand, RejectQuestionCommand, Outgoing,
        HttpRequest, Exit, Stats, KindStats, Drift, DriftKind, Detection, Break, Stretch, Failure,
    ];
    let mut file = HEADER.to_owned();
    for declaration in events.iter().chain(&api) {
        file.push('\n');
        for line in envelope(declaration).lines() {
            file.push_str(&one_member_a_line(line));
            file.push('\n');
        }
    }
    file
}

/// In Rust the event holds its data; in TypeScript the two are joined, so that the envelope has a name of its own.
/// Links of Rust's documentation lose their brackets.
fn envelope(declaration: &str) -> String {
    let named = declaration.replace("export interface UniversalEvent {", "export interface EventEnvelope {");
    named.replace("[`", "`").replace("`]", "`")
}

fn one_member_a_line(line: &str) -> String {
    if line.len() <= WIDTH || !line.starts_with("export type ") {
        return line.to_owned();
    }
    let mut depth = 0_i32;
    let mut broken = String::with_capacity(line.len() * 2);
    for character in line.chars() {
        match character {
            '(' | '{' => depth += 1,
            ')' | '}' => depth -= 1,
            '|' if depth == 0 => broken.push_str("\n    "),
            _ => {}
        }
        broken.push(character);
    }
    // The first member gets a bar too; spaces that stood before the breaks go.
    broken.replacen(" = ", " =\n    | ", 1).replace(" \n", "\n")
}

#[cfg(test)]
mod tests {
    use super::one_member_a_line;

    #[test]
    fn long_unions_stand_one_member_a_line() {
        let member = format!("{{ type: \"a\" | \"b\"; {} }}", "x: string; ".repeat(10));
        let broken = one_member_a_line(&format!("export type T = {member} | {member};"));
        assert_eq!(broken, format!("export type T =\n    | {member}\n    | {member};"));
    }

    #[test]
    fn short_unions_stay_on_their_line() {
        assert_eq!(one_member_a_line("export type T = \"a\" | \"b\";"), "export type T = \"a\" | \"b\";");
    }
}

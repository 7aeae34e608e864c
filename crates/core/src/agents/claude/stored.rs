//! Session files: what only they have.

use std::borrow::Cow;

use interlinear_schema::{
    ContentPart, ErrorData, FileAction, FileRefPart, ItemKind, ItemRole, ItemStatus, StatusLabel, Text, TextPart,
    TurnMetadata, TurnStatus, Usage,
};

use super::blocks;
use super::messages::in_turn;
use super::results::{SUMMARY, local_output};
use super::state::{CallInfo, State, sum};
use super::wire::{Stored, System, User};
use crate::agents::Recognised;
use crate::api::{Agent, Form};
use crate::emit::{Emit, Spec};
use crate::json::{Tape, Value};
use crate::map::{Map, Set};

/// Types of entries that only session files have.
const STORED: [&str; 10] = [
    "queue-operation",
    "last-prompt",
    "file-history-snapshot",
    "ai-title",
    "custom-title",
    "agent-name",
    "permission-mode",
    "worktree-state",
    "attachment",
    "mode",
];

/// How text begins that the agent put into the user's mouth without a mark.
const PUT_IN: [&str; 2] = [SUMMARY, "Unknown slash command: "];

/// How text begins by which the agent is woken: what ran in the background is over, or another agent has something to
/// say.
const WAKES: [&str; 6] = [
    "<task-notification>",
    "<agent-notification>",
    "<bash-notification>",
    "<teammate-message",
    "<cross-session-message",
    "<agent-message",
];

/// What may stand before such text.
const INTRODUCED: [&str; 2] = ["A background agent completed a task:", "Another Claude session sent a message:"];

/// Who else than a person may write to the agent.
const OTHERS: [&str; 8] = [
    "task-notification",
    "peer",
    "peer-send-message",
    "coordinator",
    "observer",
    "observer-activity",
    "auto-continuation",
    "scheduled-trigger",
];

/// Whether a line is one of Claude Code's, live or stored.
pub(crate) fn recognise(line: Value<'_>) -> Option<Recognised> {
    let text = |key: &str| line.get(key).and_then(Value::str);
    let kind = text("type")?;
    let found = |form, version: Option<&str>| {
        Some(Recognised { agent: Agent::Claude, form, version: version.map(str::to_owned) })
    };
    let stored = line.get("sessionId").is_some() || line.get("parentUuid").is_some() || line.get("leafUuid").is_some();
    match kind {
        "user" | "assistant" | "system" if stored => found(Form::Stored, text("version")),
        "summary" if stored => found(Form::Stored, None),
        kind if STORED.contains(&kind) && (stored || line.get("snapshot").is_some()) => {
            found(Form::Stored, text("version"))
        }
        "control_request" | "control_response" | "stream_event" => found(Form::Live, None),
        "system" | "user" | "assistant" | "result" => {
            // Amp writes lines of the same names; its sessions are threads.
            let session = text("session_id")?;
            let telling = line.get("parent_tool_use_id").is_some() || kind == "system" || kind == "result";
            if session.starts_with("T-") || !telling { None } else { found(Form::Live, text("claude_code_version")) }
        }
        "rate_limit_event" | "tool_progress" | "command_lifecycle" => {
            text("session_id")?;
            found(Form::Live, None)
        }
        _ => None,
    }
}

impl State {
    /// From here on entries of a session file come, in the order of the conversation. `agents` links the subagents'
    /// files to the calls that started them.
    pub(crate) fn read_stored(&mut self, agents: Map<String, String>) {
        self.stored = true;
        self.agents = agents;
    }

    /// The subagent that a stored entry belongs to.
    pub(super) fn stored_agent(&mut self, head: &Stored<'_>, line: Value<'_>, emit: &Emit<'_>) -> Option<String> {
        if head.sidechain != Some(true) {
            return None;
        }
        let agent = match (head.agent_id, head.parent_uuid) {
            (Some(agent), _) => {
                let call = self.agents.get(agent).map(|native| self.call_ids.of_agent(native).into_owned());
                call.or_else(|| Some(agent.to_owned()))
            }
            (None, Some(parent)) => self.sidechains.get(parent).cloned(),
            (None, None) => self.call_that_told(line, emit),
        };
        if let (Some(agent), Some(uuid), None) = (&agent, head.uuid, head.agent_id) {
            self.sidechains.insert(uuid.to_owned(), agent.clone());
        }
        agent
    }

    /// A subagent begins, with its prompt: of the calls that have no subagent yet the one with this prompt, else the
    /// first.
    fn call_that_told(&self, line: Value<'_>, emit: &Emit<'_>) -> Option<String> {
        let taken: Set<_> = self.sidechains.values().cloned().collect();
        let starts = |name: &str| matches!(name, "Agent" | "Task");
        let mut free = self.calls_of(starts, emit).filter(|(id, _)| !taken.contains(*id)).peekable();
        let first = free.peek().map(|(id, _)| *id);
        let content = line.get("message").and_then(|message| message.get("content"));
        let prompt = content.map(blocks::plain_text).unwrap_or_default();
        let tells = |call: &CallInfo| {
            let mut tape = Tape::default();
            let told = tape.read(&call.input).ok().and_then(|input| input.get("prompt")?.text());
            told.is_some_and(|told| *told.as_wtf8() == *prompt)
        };
        let told = free.find(|(_, call)| tells(call)).map(|(id, _)| id);
        told.or(first).map(str::to_owned)
    }

    /// An entry of the user in the main conversation that is no tool result.
    pub(super) fn stored_prompt(&mut self, user: &User<'_>, content: Value<'_>, text: &str, emit: &mut Emit<'_>) {
        let uuid = user.uuid;
        // What the agent tells itself begins a turn, as what wakes it does: what it has scheduled, for one.
        let by_itself = user.source == Some("system");
        let put_in = [user.meta.filter(|_| !by_itself), user.summary, user.transcript_only].contains(&Some(true))
            || PUT_IN.iter().any(|beginning| text.starts_with(beginning));
        if put_in {
            return self.system_text(content, uuid, None, emit);
        }
        self.end_stored_turn(emit);
        emit.begin_turn(None, true);
        if by_itself || is_of_another(user.origin) || wakes(text) {
            self.task_told_over(text, emit);
            self.system_text(content, uuid, None, emit);
        } else if let Some(typed) = typed_command(text) {
            self.said(&typed, ItemRole::User, uuid, emit);
        } else {
            self.turn.prompted = true;
            self.user_message(content, uuid, None, false, emit);
        }
    }

    /// The agent is told that what ran in the background is over.
    pub(super) fn task_told_over(&mut self, text: &str, emit: &mut Emit<'_>) {
        let call = between(text, "<tool-use-id>", "</tool-use-id>").map(|native| self.call_ids.of_agent(native));
        // Older versions name the subagent only.
        let agent = || self.tasks.get(between(text, "<agent-id>", "</agent-id>")?).cloned();
        if let Some(call) = call.map(Cow::into_owned).or_else(agent) {
            self.complete_messages(|_, of| of == Some(&call), emit);
            emit.end_background(&call);
        }
    }

    /// A command that the agent answered by itself: what was typed, or what it printed. Live, the latter is a message
    /// of the assistant.
    pub(super) fn local_command(&mut self, line: &System<'_>, emit: &mut Emit<'_>) {
        let text = line.content.as_ref().map(Text::to_string).unwrap_or_default();
        let uuid = line.uuid;
        match local_output(&text) {
            Some(output) if output.is_empty() => emit.ignore("empty output"),
            Some(output) => self.said(&output, ItemRole::Assistant, uuid, emit),
            None => {
                self.end_stored_turn(emit);
                emit.begin_turn(None, true);
                self.said(&typed_command(&text).unwrap_or(text), ItemRole::User, uuid, emit);
            }
        }
    }

    /// A message of plain text.
    pub(super) fn said(&mut self, text: &str, role: ItemRole<'static>, uuid: Option<&str>, emit: &mut Emit<'_>) {
        let id = uuid.unwrap_or_default();
        let spec = Spec { id, kind: ItemKind::Message, role: Some(role), native: uuid, ..Spec::default() };
        let part = TextPart { text: Text::from(text), ..TextPart::default() };
        emit.item(&spec, ItemStatus::Completed, vec![ContentPart::Text(part)], false);
    }

    /// The turn is over when the next one begins, or the file ends.
    pub(super) fn end_stored_turn(&mut self, emit: &mut Emit<'_>) {
        self.complete_messages(in_turn, emit);
        if emit.session().turn_id().is_none() {
            return;
        }
        let cut = self.calls_of(|_| true, emit).any(|(_, call)| call.agent.is_none());
        let turn = std::mem::take(&mut self.turn);
        let sum = |index: usize| Some(sum(turn.usage.values().map(|counts| counts[index])));
        let usage = (!turn.usage.is_empty()).then(|| Usage {
            input_tokens: sum(0),
            output_tokens: sum(1),
            cache_read_tokens: sum(2),
            cache_write_tokens: sum(3),
            ..Usage::default()
        });
        let unanswered = turn.prompted && !turn.answered;
        let status = match (turn.interrupted, turn.failed) {
            (true, _) => TurnStatus::Interrupted,
            (_, true) => TurnStatus::Failed,
            _ if cut || unanswered => TurnStatus::Interrupted,
            _ => TurnStatus::Completed,
        };
        let metadata = TurnMetadata {
            status: Some(status),
            usage,
            context_used: turn.context_used(),
            model: turn.model.map(Cow::Owned),
            stop_reason: turn.stop_reason.map(Cow::Owned),
            duration_ms: turn.duration_ms,
            ..TurnMetadata::default()
        };
        // It was over with the entry before.
        let now = emit.at(i64::MIN);
        emit.end_turn(&metadata, true);
        emit.at(now);
        self.forget_turn(emit);
    }

    /// Context that was given to the model. Most of it is the agent's own; prompts and files are the user's.
    pub(super) fn attachment(
        &mut self,
        attachment: Value<'_>,
        uuid: Option<&str>,
        agent: Option<String>,
        emit: &mut Emit<'_>,
    ) {
        let text = |key: &str| attachment.get(key).and_then(Value::str);
        let kind = text("type").unwrap_or_default();
        match kind {
            "queued_command" => {
                let Some(prompt) = attachment.get("prompt") else { return emit.ignore("context for the model") };
                let said = Text::from_wtf8(blocks::plain_text(prompt));
                let said = said.to_str_lossy();
                let another = is_of_another(attachment.get("origin")) || wakes(&said);
                if text("commandMode").is_none_or(|mode| mode == "prompt") && !another {
                    self.user_message(prompt, uuid, agent.as_deref(), false, emit);
                } else {
                    self.task_told_over(&said, emit);
                    self.system_text(prompt, uuid, agent.as_deref(), emit);
                }
            }
            "file" | "directory" | "pdf_reference" | "already_read_file" | "compact_file_reference" => {
                let path = text("filename").or_else(|| text("path")).filter(|path| !path.is_empty());
                let part = match path {
                    Some(path) => ContentPart::FileRef(FileRefPart {
                        path: Cow::Borrowed(path),
                        action: FileAction::Read,
                        ..FileRefPart::default()
                    }),
                    None => ContentPart::json(attachment.json()),
                };
                self.system_item(vec![part], uuid, agent.as_deref(), emit);
            }
            "max_turns_reached" => {
                self.turn.failed = true;
                let most = attachment.get("maxTurns").and_then(Value::u64).unwrap_or(0);
                emit.error(ErrorData {
                    message: Text::from(format!("Reached maximum number of turns ({most})")),
                    code: Some(Cow::Borrowed("error_max_turns")),
                    ..ErrorData::default()
                });
            }
            kind if kind.starts_with("hook_") => {
                let name = text("hookName").unwrap_or_default();
                let mut detail = format!("{name}: {}", kind.trim_start_matches("hook_"));
                let error = attachment.get("blockingError").and_then(|error| error.get("blockingError"));
                let said = ["content", "message", "stderr"].iter().filter_map(|key| attachment.get(key));
                for said in error.into_iter().chain(said).map(blocks::plain_text) {
                    let said = String::from_utf8_lossy(&said);
                    if !said.trim().is_empty() {
                        detail.push('\n');
                        detail.push_str(said.trim_end());
                    }
                }
                emit.status(StatusLabel::Hook, Some(Text::from(detail)), agent.as_deref());
            }
            _ => emit.ignore("context for the model"),
        }
    }
}

/// Whether it was not a person who wrote to the agent, where it says who it was.
pub(super) fn is_of_another(origin: Option<Value<'_>>) -> bool {
    let kind = origin.and_then(|origin| origin.get("kind")).and_then(Value::str);
    kind.is_some_and(|kind| OTHERS.contains(&kind))
}

pub(super) fn wakes(text: &str) -> bool {
    let rest = INTRODUCED.iter().find_map(|words| text.strip_prefix(words));
    let text = rest.map_or(text, str::trim_start);
    WAKES.iter().any(|beginning| text.starts_with(beginning))
}

/// What stands between two marks, or after the first.
fn between<'t>(text: &'t str, open: &str, close: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(open)?;
    Some(rest.split_once(close).map_or(rest, |(inside, _)| inside).trim())
}

/// `<command-name>/x</command-name>…<command-args>y</command-args>`, `<bash-input>x</bash-input>` and
/// `<user-memory-input>x</user-memory-input>` as they were typed.
pub(super) fn typed_command(text: &str) -> Option<String> {
    let marks = [("!", "<bash-input>", "</bash-input>"), ("#", "<user-memory-input>", "</user-memory-input>")];
    for (sign, open, close) in marks {
        if let Some(typed) = text.strip_prefix(open) {
            return Some(format!("{sign}{}", typed.trim_end_matches(close)));
        }
    }
    if !text.trim_start().starts_with("<command-") {
        return None;
    }
    let name = between(text, "<command-name>", "</command-name>")?;
    let arguments = between(text, "<command-args>", "</command-args>").unwrap_or_default();
    Some(format!("{name} {arguments}").trim_end().to_owned())
}

/// Whether a result only says that a subagent has begun: it goes on in the background.
pub(super) fn is_launch(result: Option<Value<'_>>) -> bool {
    let field = |key: &str| result.and_then(|result| result.get(key));
    field("isAsync").and_then(Value::bool) == Some(true)
        || field("status").and_then(Value::str).is_some_and(|status| status == "async_launched")
}

/// Whether content is plain text, without the marks of what the agent put in.
pub(super) fn is_plain(content: Value<'_>) -> bool {
    let text = blocks::plain_text(content);
    !text.starts_with(b"<")
        && !text.starts_with(b"[")
        && !PUT_IN.iter().any(|put_in| text.starts_with(put_in.as_bytes()))
}

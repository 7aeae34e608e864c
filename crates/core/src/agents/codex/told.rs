//! What the model was told of its calls, taken apart: the words of one version and the next.

use std::borrow::Cow;

use interlinear_schema::{Text, ToolCallPart, ToolKind};

use super::items::Kind;
use super::messages::joined_text;
use super::patch;
use super::state::SeenCall;
use super::tools;
use super::wire::Item;
use crate::json::{Tape, Value};

/// What came of a call, as the model was told.
#[derive(Debug, Default)]
pub(super) struct Told {
    pub(super) output: String,
    pub(super) exit_code: Option<i64>,
    /// The number of the terminal in which it goes on.
    pub(super) terminal: Option<String>,
    pub(super) failed: bool,
}

/// A call as the items of other forms show it.
pub(super) fn model_call<'a>(call: &'a SeenCall, arguments: Option<Value<'a>>, cwd: &str) -> ToolCallPart<'a> {
    let field = |key: &str| arguments.and_then(|arguments| arguments.get(key));
    let id = call.call_id.as_str();
    match call.name.as_str() {
        "apply_patch" => patch::call_part(id, &patch::parse(&patch_text(call, arguments), cwd)),
        "exec_command" | "shell" | "shell_command" | "local_shell" | "container.exec" => {
            let command = field("cmd").or_else(|| field("command"));
            let place = field("workdir").and_then(Value::str).map_or_else(|| cwd.to_owned(), str::to_owned);
            let command = command.map(tools::bare_command).unwrap_or_default();
            tools::command_part(id, Text::from(command), Some(place).filter(|place| !place.is_empty()))
        }
        "view_image" => {
            let item = Item { path: field("path").and_then(Value::str), ..Item::default() };
            tools::call_part(Kind::ImageView, &item, id)
        }
        "spawn_agent" | "wait" | "wait_agent" | "send_input" | "close_agent" | "resume_agent" => {
            let receivers = field("id")
                .or_else(|| field("agent_id"))
                .into_iter()
                .chain(field("ids").or_else(|| field("targets")).into_iter().flat_map(Value::elements));
            let item = Item {
                tool: Some(if call.name == "wait_agent" { "wait" } else { &call.name }),
                prompt: field("message").or_else(|| field("prompt")).and_then(Value::text),
                receivers: Some(receivers.filter_map(Value::str).collect()),
                ..Item::default()
            };
            tools::call_part(Kind::Collab, &item, id)
        }
        name => match name.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")) {
            Some((server, tool)) => tools::mcp_part(id, server, tool, call.arguments.as_str().into()),
            None => ToolCallPart {
                name: Cow::Borrowed(name),
                arguments: call.arguments.as_str().into(),
                call_id: Cow::Borrowed(id),
                tool_kind: Some(ToolKind::Other_),
                ..ToolCallPart::default()
            },
        },
    }
}

/// The patch stands in the input itself, or in a field of it.
pub(super) fn patch_text<'a>(call: &'a SeenCall, arguments: Option<Value<'a>>) -> Cow<'a, str> {
    let field = arguments.and_then(|arguments| arguments.get("input").or_else(|| arguments.get("patch")));
    Cow::Borrowed(field.and_then(Value::str).unwrap_or(&call.arguments))
}

/// The thread of an agent that was started.
pub(super) fn agent_of(output: &str) -> Option<String> {
    let mut tape = Tape::default();
    let told = tape.read(output).ok()?;
    let id = told.get("agent_id").or_else(|| told.get("thread_id"))?.str()?;
    Some(id.to_owned())
}

/// The text that the model was told.
pub(super) fn output_text(output: Value<'_>) -> String {
    match output.get("content").filter(|_| output.is_object()) {
        Some(content) => joined_text(content, "\n").to_str_lossy().into_owned(),
        None => joined_text(output, "\n").to_str_lossy().into_owned(),
    }
}

/// Takes apart what the model was told: a head of lines, then `Output:` and the output itself; or an object; or a
/// list of what an MCP tool gave back.
pub(super) fn told(text: &str, output: Option<Value<'_>>, name: &str) -> Told {
    if let Some(told) = told_object(text) {
        return told;
    }
    let mut tape = Tape::default();
    if let Some(value) = tape.read(text).ok().filter(|value| is_content(*value)) {
        return Told { output: joined_text(value, "\n").to_str_lossy().into_owned(), ..Told::default() };
    }
    let failed = output.and_then(|output| output.get("success")).and_then(Value::bool) == Some(false);
    let Some((head, body)) = text.split_once("Output:\n").filter(|(head, _)| head.contains("Wall time")) else {
        let failed = failed || is_refusal(text, name);
        return Told { output: text.to_owned(), failed, ..Told::default() };
    };
    // A patch that is written as a command is answered by the agent itself.
    if let Some(told) = told_object(body).filter(|_| name == "apply_patch") {
        return told;
    }
    let after = |mark: &str| head.lines().find_map(|line| line.strip_prefix(mark)).map(str::trim);
    let code = after("Process exited with code ").or_else(|| after("Exit code: "));
    let exit_code = code.and_then(|code| code.parse::<i64>().ok());
    Told {
        output: body.to_owned(),
        exit_code,
        terminal: after("Process running with session ID ").map(str::to_owned),
        failed: failed || exit_code.is_some_and(|code| code != 0),
    }
}

/// Whether a list is one of parts of a message: `[{"type":"text","text":"…"}]`.
fn is_content(list: Value<'_>) -> bool {
    list.elements().next().is_some() && list.elements().all(|part| part.get("type").and_then(Value::str).is_some())
}

/// Whether the agent says that a tool could not be called: `exec_command failed: …`,
/// `apply_patch verification failed: …`, `unsupported call: …`.
fn is_refusal(text: &str, name: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    let begins = |word: &str| first.strip_prefix(word).is_some_and(|rest| rest.starts_with(' '));
    let by_name = [name, "apply_patch", "exec_command"].into_iter().any(begins) && first.contains(" failed: ");
    by_name || ["err: ", "unsupported call: "].iter().any(|words| first.starts_with(words))
}

/// Whether a call was stopped: `Wall time: 1.1 seconds` may stand above the words.
pub(super) fn is_abort(text: &str) -> bool {
    let said = text.lines().find(|line| !line.starts_with("Wall time"));
    said.is_some_and(|line| line.starts_with("aborted by user"))
}

/// `{"output":"…","metadata":{"exit_code":0}}`
fn told_object(text: &str) -> Option<Told> {
    let mut tape = Tape::default();
    let value = tape.read(text).ok().filter(|value| value.is_object())?;
    let exit_code = value.get("metadata")?.get("exit_code")?.i64()?;
    let output = value.get("output")?.str()?.to_owned();
    Some(Told { output, exit_code: Some(exit_code), failed: exit_code != 0, terminal: None })
}

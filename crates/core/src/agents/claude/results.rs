//! Lines of type `user`: results of tools, prompts, and text that the agent put in.

use std::borrow::Cow;

use interlinear_schema::{
    ContentPart, FileAction, FileRefPart, ItemKind, ItemRole, ItemStatus, StatusLabel, Text, Todo, TodoStatus,
    ToolKind, ToolResultPart,
};

use super::blocks;
use super::messages::content_blocks;
use super::state::{CallInfo, Prompt, State, TodoEntry};
use super::stored::{is_launch, is_of_another, typed_command, wakes};
use super::tools;
use super::wire::{Block, User};
use crate::agents::read;
use crate::emit::{Emit, Spec};
use crate::json::{Tape, Value};
use crate::{diff, hash};

/// How the note begins that the user has interrupted the agent.
pub(super) const INTERRUPTED: &str = "[Request interrupted by user";

/// What a local command printed, in the agent's marks.
const LOCAL_OUTPUT: [(&str, &str); 4] = [
    ("<local-command-stdout>", "</local-command-stdout>"),
    ("<local-command-stderr>", "</local-command-stderr>"),
    ("<bash-stdout>", "</bash-stdout>"),
    ("<local-command-caveat>", "</local-command-caveat>"),
];

impl State {
    /// A prompt that the host wrote.
    pub(super) fn prompt_sent(&mut self, user: &User<'_>, emit: &mut Emit<'_>) {
        let Some(content) = user.message.as_ref().and_then(|message| message.content) else {
            emit.ignore("no message");
            return;
        };
        emit.begin_turn(None, true);
        let uuid = user.uuid;
        self.user_message(content, uuid, None, true, emit);
        let item_id = emit.last_item().to_owned();
        let prompt = Prompt { uuid: uuid.map(str::to_owned), hash: content_hash(content), item_id };
        self.prompts.push(prompt);
    }

    /// A `user` line of the agent, or a stored entry.
    pub(super) fn user(&mut self, user: &User<'_>, stored_agent: Option<String>, emit: &mut Emit<'_>) {
        let Some(content) = user.message.as_ref().and_then(|message| message.content) else {
            emit.ignore("no message");
            return;
        };
        let agent = stored_agent.or_else(|| self.agent_named(user.parent_tool_use_id).map(Cow::into_owned));
        let blocks = || content.elements().filter(|block| block.get("tool_use_id").and_then(Value::str).is_some());
        let results = blocks().count();
        // Of several results it would not be known whose it is.
        let structured = user.tool_use_result.filter(|_| results == 1);
        for value in blocks() {
            let Some(block) = &read::<Block<'_>>(value, emit) else { continue };
            let allowed = block.tool_use_id.and_then(|id| user.allowed(id));
            self.tool_result(block, structured, allowed, agent.as_deref(), emit);
        }
        if results == 0 {
            self.user_text(user, content, agent.as_deref(), emit);
        } else if content.elements().count() > results {
            // What stands beside results is the agent's.
            self.turn.interrupted |= agent.is_none() && blocks::plain_text(content).starts_with(INTERRUPTED.as_bytes());
            self.system_text(content, user.uuid, agent.as_deref(), emit);
        }
    }

    /// A `user` line that is no tool result.
    fn user_text(&mut self, user: &User<'_>, content: Value<'_>, agent: Option<&str>, emit: &mut Emit<'_>) {
        let text = Text::from_wtf8(blocks::plain_text(content));
        let text = text.to_str_lossy();
        let uuid = user.uuid;
        if text.starts_with(INTERRUPTED) {
            self.turn.interrupted |= agent.is_none();
            self.system_text(content, uuid, agent, emit);
        } else if let Some(output) = local_output(&text) {
            if output.is_empty() {
                emit.ignore("empty output");
            } else {
                self.system_item(vec![ContentPart::text(Text::from(output))], uuid, agent, emit);
            }
        } else if let Some(agent) = agent {
            // What the main agent told the subagent to do.
            emit.first_time(told(agent));
            let agent = Some(agent);
            let put_in = user.meta == Some(true) || user.synthetic == Some(true);
            if put_in {
                self.system_text(content, uuid, agent, emit);
            } else {
                self.user_message(content, uuid, agent, false, emit);
            }
        } else if self.stored {
            self.stored_prompt(user, content, &text, emit);
        } else {
            let woken = wakes(&text);
            if woken {
                // While a tool runs, no other line may say that a task is over.
                self.task_told_over(&text, emit);
            }
            if user.replay != Some(true) {
                // The prompts of the user are never printed without a mark: the agent put this in.
                return self.system_text(content, uuid, None, emit);
            }
            let put_in = woken || user.synthetic == Some(true) || text.starts_with(SUMMARY);
            self.replayed(content, &text, uuid, put_in || is_of_another(user.origin), emit);
        }
    }

    /// The echo of a prompt; without knowledge of what was sent, the prompt itself. Commands are echoed in marks.
    fn replayed(&mut self, content: Value<'_>, text: &str, uuid: Option<&str>, put_in: bool, emit: &mut Emit<'_>) {
        let command = typed_command(text);
        let hash = command.as_ref().map_or_else(|| content_hash(content), |typed| hash::of(typed.as_bytes()));
        let sent = self.prompts.iter().position(|prompt| match (&prompt.uuid, uuid) {
            (Some(known), Some(uuid)) => known == uuid,
            _ => prompt.hash == hash,
        });
        let sent = sent.or_else(|| self.prompts.iter().position(|prompt| prompt.hash == hash));
        if let Some(index) = sent {
            self.prompts.remove(index);
            emit.ignore("echo");
        } else if self.told && command.is_some() && !put_in {
            // It may go by another name than was typed.
            emit.ignore("echo");
        } else if self.told || put_in {
            self.system_text(content, uuid, None, emit);
        } else {
            emit.begin_turn(None, true);
            match command {
                Some(typed) => self.said(&typed, ItemRole::User, uuid, emit),
                None => self.user_message(content, uuid, None, false, emit),
            }
        }
    }

    /// What the user wrote.
    pub(super) fn user_message(
        &mut self,
        content: Value<'_>,
        uuid: Option<&str>,
        agent: Option<&str>,
        synthetic: bool,
        emit: &mut Emit<'_>,
    ) {
        let parts = blocks::parts(content, emit);
        let spec = Spec {
            id: uuid.unwrap_or_default(),
            kind: ItemKind::Message,
            role: Some(ItemRole::User),
            native: uuid,
            parent: None,
            agent,
        };
        emit.item(&spec, ItemStatus::Completed, parts, synthetic);
    }

    /// Text that the agent put into the user's mouth.
    pub(super) fn system_text(
        &mut self,
        content: Value<'_>,
        uuid: Option<&str>,
        agent: Option<&str>,
        emit: &mut Emit<'_>,
    ) {
        let parts = blocks::parts(content, emit);
        self.system_item(parts, uuid, agent, emit);
    }

    pub(super) fn system_item(
        &mut self,
        parts: Vec<ContentPart<'_>>,
        uuid: Option<&str>,
        agent: Option<&str>,
        emit: &mut Emit<'_>,
    ) {
        let spec = Spec {
            id: uuid.unwrap_or_default(),
            kind: ItemKind::System,
            role: Some(ItemRole::System),
            native: uuid,
            parent: None,
            agent,
        };
        emit.item(&spec, ItemStatus::Completed, parts, false);
    }

    /// The result of a tool. `structured` is the same in the agent's own form; `allowed`: whether it was, where that is
    /// said.
    pub(super) fn tool_result(
        &mut self,
        block: &Block<'_>,
        structured: Option<Value<'_>>,
        allowed: Option<bool>,
        agent: Option<&str>,
        emit: &mut Emit<'_>,
    ) {
        let Some(native) = block.tool_use_id else { return };
        let id = &*self.call_ids.of_result(native, agent, emit);
        let call = self.calls.remove(id).unwrap_or_default();
        let interrupted = structured.and_then(|result| result.get("interrupted")).and_then(Value::bool) == Some(true);
        let failed = block.is_error == Some(true) || interrupted || block.content.is_some_and(is_error_object);
        let (output, listed) = block.content.map(output_text).unwrap_or_default();
        let shown = output.beginning();
        let launched = self.background_of_result(id, &call, structured, &shown, emit);
        self.complete_messages(|_, of| of == Some(id), emit);
        let ran = allowed.or_else(|| ran(failed, &shown));
        self.settle(id, &call, structured, ran, &shown, emit);
        let mut extra = Vec::new();
        for value in result_blocks(block.content).filter(|block| !is_shown(*block, listed)) {
            let Some(block) = read::<Block<'_>>(value, emit) else { continue };
            extra.push(blocks::media(block, value));
        }
        if !failed {
            extra.extend(file_ref(&call, structured, &output));
        }
        let code = block.content.and_then(return_code);
        let exit_code = code.or_else(|| exit_code(&call.name, structured, &shown, failed));
        drop(shown);
        let part = ToolResultPart {
            call_id: Cow::Borrowed(id),
            output,
            exit_code,
            duration_ms: structured.and_then(|result| duration(result)),
            todos: self.todos_of_result(&call, structured, failed),
            ..ToolResultPart::default()
        };
        emit.result(part, extra, failed, agent, false);
        // A subagent in the background does not repeat what it was told; stored, it does.
        if launched && !self.stored && emit.first_time(told(id)) {
            let mut tape = Tape::default();
            if let Some(prompt) = tape.read(&call.input).ok().and_then(|input| input.get("prompt")) {
                self.user_message(prompt, None, Some(id), false, emit);
            }
        }
    }

    /// Whether the call goes on in the background although its result is there.
    fn background_of_result(
        &mut self,
        id: &str,
        call: &CallInfo,
        structured: Option<Value<'_>>,
        output: &str,
        emit: &mut Emit<'_>,
    ) -> bool {
        let field = |key: &str| structured.and_then(|result| result.get(key));
        // Who watches something is told how long. Things to do have the same key.
        let watched = || field("taskId").filter(|_| field("timeoutMs").or_else(|| field("persistent")).is_some());
        if let Some(task) = field("backgroundTaskId").or_else(watched).and_then(Value::str) {
            self.background_tasks.insert(task.to_owned());
        }
        let launched = (is_launch(structured) || output.starts_with("Async agent launched"))
            && tools::kind(&call.name) == ToolKind::Task;
        if launched {
            if let Some(task) = field("agentId").and_then(Value::str) {
                self.background_tasks.insert(task.to_owned());
                self.tasks.insert(task.to_owned(), id.to_owned());
            }
            emit.in_background(id);
        }
        launched
    }

    /// The list of things to do after this result.
    fn todos_of_result<'a>(
        &mut self,
        call: &CallInfo,
        structured: Option<Value<'a>>,
        failed: bool,
    ) -> Option<Vec<Todo<'a>>> {
        if failed {
            return None;
        }
        let field = |key: &str| structured.and_then(|result| result.get(key));
        match call.name.as_str() {
            "TodoWrite" => {
                if let Some(todos) = field("newTodos") {
                    return Some(todos.elements().map(todo).collect());
                }
                let mut tape = Tape::default();
                let input = tape.read(&call.input).ok()?;
                let todos: Vec<_> = input.get("todos")?.elements().map(todo).collect();
                return Some(interlinear_schema::IntoOwned::into_owned(todos));
            }
            "TaskCreate" => {
                let task = field("task")?;
                let (id, text) = (task.get("id")?.str()?, task.get("subject")?.str()?);
                let (id, text) = (id.to_owned(), text.to_owned());
                self.todos.retain(|todo| todo.id != id);
                self.todos.push(TodoEntry { id, text, status: "pending".to_owned() });
            }
            "TaskUpdate" => {
                let id = field("taskId")?.str()?;
                let status = field("statusChange").and_then(|change| change.get("to")).and_then(Value::str);
                // Of a list that another process began, nothing is known.
                let todo = self.todos.iter_mut().find(|todo| todo.id == id)?;
                if let Some(status) = status {
                    todo.status = status.to_owned();
                }
                let mut tape = Tape::default();
                if let Some(text) = tape.read(&call.input).ok().and_then(|input| input.get("subject")?.str()) {
                    todo.text = text.to_owned();
                }
                self.todos.retain(|todo| todo.status != "deleted");
            }
            "TaskList" => {
                let tasks = field("tasks")?;
                let text =
                    |task: Value<'_>, key: &str| task.get(key).and_then(Value::str).unwrap_or_default().to_owned();
                let entry = |task: Value<'_>| TodoEntry {
                    id: text(task, "id"),
                    text: text(task, "subject"),
                    status: text(task, "status"),
                };
                self.todos = tasks.elements().map(entry).collect();
            }
            _ => return None,
        }
        let shown = self.todos.iter().map(|entry| Todo {
            text: Text::from(entry.text.clone()),
            status: interlinear_schema::IntoOwned::into_owned(TodoStatus::from(entry.status.as_str())),
            ..Todo::default()
        });
        Some(shown.collect())
    }

    /// Items that the agent takes back.
    pub(super) fn retract(&self, uuids: &[&str], emit: &mut Emit<'_>) {
        let items = self.items_of(uuids);
        for item in &items {
            emit.first_time(taken_back(item));
        }
        retracted(items, emit);
    }

    /// A message takes the place of others. The agent may have said before that it takes them back.
    #[cold]
    pub(super) fn supersede(&self, uuids: &[&str], agent: Option<&str>, emit: &mut Emit<'_>) {
        let mut items = self.items_of(uuids);
        items.retain(|item| self.message(agent).is_none_or(|message| message.item_id != *item));
        items.retain(|item| emit.first_time(taken_back(item)));
        if !items.is_empty() {
            retracted(items, emit);
        }
    }

    /// The items that lines are in.
    fn items_of(&self, uuids: &[&str]) -> Vec<String> {
        let mut items: Vec<_> = uuids.iter().filter_map(|uuid| self.lines.get(*uuid).cloned()).collect();
        items.dedup();
        items
    }
}

fn retracted(items: Vec<String>, emit: &mut Emit<'_>) {
    let part = interlinear_schema::StatusPart {
        label: StatusLabel::Retracted,
        retracts: Some(items.into_iter().map(Cow::Owned).collect()),
        ..interlinear_schema::StatusPart::default()
    };
    emit.status_with(part, None, None, false);
}

/// By what is remembered that an item was taken back.
fn taken_back(item: &str) -> u64 {
    hash::of_all(&["retracted", item])
}

/// By what is remembered that a subagent was told what to do.
fn told(call: &str) -> u64 {
    hash::of_all(&["told", call])
}

/// How the summary of a compacted conversation begins.
pub(super) const SUMMARY: &str = "This session is being continued from a previous conversation";

/// The same prompt gives the same number, whether its content is a string or blocks.
pub(super) fn content_hash(content: Value<'_>) -> u64 {
    let mut hash = hash::of(&blocks::plain_text(content));
    for block in content.elements().filter(|block| block.get("text").is_none()) {
        // The same JSON may be written with other blanks.
        let source = |key: &str| block.get("source")?.get(key)?.text();
        match ["data", "url", "file_id"].iter().find_map(|key| source(key)) {
            Some(source) => hash = hash::more(hash, &source.as_wtf8()),
            None => hash = hash::more(hash, block.raw().as_bytes()),
        }
    }
    hash
}

/// What a local command printed; empty if it printed nothing.
pub(super) fn local_output(text: &str) -> Option<String> {
    let text = text.trim();
    LOCAL_OUTPUT.iter().find_map(|(open, close)| {
        let rest = text.strip_prefix(open)?;
        Some(rest.replace(close, "").replace("<bash-stderr>", "").replace("</bash-stderr>", "").trim().to_owned())
    })
}

/// The output as a person would read it. Search results of the service have titles and addresses: whether these are
/// listed in it.
fn output_text(content: Value<'_>) -> (Text<'_>, bool) {
    if let Some(text) = content.text() {
        return (text, false);
    }
    let plain = blocks::plain_text(content);
    if !plain.is_empty() {
        return (Text::from_wtf8(plain), false);
    }
    let mut out = Vec::new();
    for block in result_blocks(Some(content)) {
        let shown = SHOWN.iter().filter_map(|key| Some((*key, block.get(key)?.text()?)));
        for (index, (key, text)) in shown.filter(|(_, text)| !text.is_empty()).enumerate() {
            if !out.is_empty() {
                out.push(if key == "url" && index > 0 { b' ' } else { b'\n' });
            }
            text.append_to(&mut out);
        }
    }
    (Text::from_wtf8(out), true)
}

/// The texts that a person would read of a block that is none itself.
const SHOWN: [&str; 6] = ["title", "url", "tool_name", "stdout", "stderr", "error_code"];

/// Whether the output has all that a person would read of a block.
fn is_shown(block: Value<'_>, listed: bool) -> bool {
    let [text, content, source] = block.pick(["text", "content", "source"]);
    let nested = |value: Value<'_>| value.is_object() || value.elements().next().is_some();
    let all = listed && ![content, source].into_iter().flatten().any(nested);
    text.is_some() || block.text().is_some() || (all && block.pick(SHOWN).iter().any(Option::is_some))
}

/// The blocks of a result; a tool of the service may give one alone.
fn result_blocks(content: Option<Value<'_>>) -> impl Iterator<Item = Value<'_>> {
    content.filter(|content| content.is_object()).into_iter().chain(content_blocks(content))
}

/// The exit code of a command that the service ran.
fn return_code(content: Value<'_>) -> Option<i64> {
    content.get("return_code").and_then(Value::i64)
}

/// Tools of the service report their failures as an object.
fn is_error_object(content: Value<'_>) -> bool {
    content.get("error_code").is_some() || return_code(content).is_some_and(|code| code != 0)
}

/// Whether a call was allowed to run, where its result tells: what has no result of its own may have been refused.
fn ran(failed: bool, output: &str) -> Option<bool> {
    let refused = ["The user doesn't want to proceed", "Tool permission request failed", INTERRUPTED];
    if !failed || output.starts_with("Exit code") {
        return Some(true);
    }
    refused.iter().any(|beginning| output.starts_with(beginning)).then_some(false)
}

fn todo(value: Value<'_>) -> Todo<'_> {
    let status = value.get("status").and_then(Value::str).unwrap_or_default();
    Todo {
        text: value.get("content").and_then(Value::text).unwrap_or_default(),
        status: interlinear_schema::IntoOwned::into_owned(TodoStatus::from(status)),
        ..Todo::default()
    }
}

fn duration(result: Value<'_>) -> Option<u64> {
    let [duration, total, seconds] = result.pick(["durationMs", "totalDurationMs", "durationSeconds"]);
    let seconds = || Some((seconds?.f64()? * 1000.0).round() as u64);
    [duration, total].into_iter().find_map(|duration| duration?.u64()).or_else(seconds)
}

/// The exit code of a command: a failure names it, a success has none but 0.
fn exit_code(name: &str, structured: Option<Value<'_>>, output: &str, failed: bool) -> Option<i64> {
    if name != "Bash" && name != "PowerShell" {
        return None;
    }
    if let Some(rest) = output.strip_prefix("Exit code ").filter(|_| failed) {
        let digits = rest.split(|c: char| c != '-' && !c.is_ascii_digit()).next().unwrap_or_default();
        return digits.parse().ok();
    }
    let field = |key: &str| structured.and_then(|result| result.get(key));
    let goes_on = field("backgroundTaskId").is_some_and(|task| task.str().is_some())
        || output.starts_with("Command running in background");
    let interrupted = field("interrupted").and_then(Value::bool) == Some(true);
    // What is said of a code instead of calling it a failure: `grep` has found nothing. It was another than 0.
    let meant = field("returnCodeInterpretation").is_some_and(|words| words.str().is_some());
    (!failed && !goes_on && !interrupted && !meant).then_some(0)
}

/// The file that a tool has read, written or changed, with the change.
fn file_ref<'a>(call: &CallInfo, structured: Option<Value<'a>>, output: &Text<'_>) -> Option<ContentPart<'a>> {
    let kind = tools::kind(&call.name);
    if !matches!(kind, ToolKind::FileRead | ToolKind::FileWrite | ToolKind::FileEdit) {
        return None;
    }
    let mut tape = Tape::default();
    let input = tape.read(&call.input).ok();
    let input_text = |key: &str| input.and_then(|input| input.get(key)).and_then(Value::str);
    let field = |key: &str| structured.and_then(|result| result.get(key));
    let path = field("filePath").and_then(Value::str).map(str::to_owned);
    let path = path.or_else(|| input_text("file_path").or_else(|| input_text("notebook_path")).map(str::to_owned));
    let path = path.filter(|path| !path.is_empty())?;
    let (action, diff) = match kind {
        ToolKind::FileRead => (FileAction::Read, None),
        ToolKind::FileWrite => (FileAction::Write, written(&path, structured, input_text("content"), output)),
        _ => {
            let patch = field("structuredPatch").and_then(|hunks| diff::from_hunks(&path, hunks));
            (FileAction::Patch, patch.or_else(|| edited(&path, input?, output)))
        }
    };
    let diff = diff.map(Text::from);
    Some(ContentPart::FileRef(FileRefPart { path: Cow::Owned(path), action, diff, ..FileRefPart::default() }))
}

/// The change by one edit, or by several.
fn edited(path: &str, input: Value<'_>, output: &Text<'_>) -> Option<String> {
    let output = output.to_str_lossy();
    let edits = input.get("edits").into_iter().flat_map(Value::elements);
    let diffs = std::iter::once(input).chain(edits).filter_map(|edit| {
        let text = |key: &str| edit.get(key).and_then(Value::str);
        Some(diff::of_edit(path, text("old_string")?, text("new_string")?, &output))
    });
    let header = diff::header(path, path).len();
    diffs.reduce(|all, next| all + &next[header..])
}

/// The change by which a file was written.
fn written(path: &str, structured: Option<Value<'_>>, content: Option<&str>, output: &Text<'_>) -> Option<String> {
    let hunks = structured.and_then(|result| result.get("structuredPatch"));
    let patch = hunks.and_then(|hunks| diff::from_hunks(path, hunks));
    let created = structured.map_or_else(
        || output.beginning().starts_with("File created"),
        |result| result.get("type").and_then(Value::str).is_some_and(|kind| kind == "create"),
    );
    patch.or_else(|| if created { content.map(|content| diff::of_new_file(path, content)) } else { None })
}

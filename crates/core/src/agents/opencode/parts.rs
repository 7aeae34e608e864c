//! Parts of messages: text, reasoning, files, patches, steps; tool calls through all their states.

use std::borrow::Cow;

use interlinear_schema::{
    ContentPart, FileAction, FileRefPart, ImagePart, PermissionStatus, Text, ToolCallPart, ToolResultPart,
};

use super::state::{Message, Role, State, Tool};
use super::tools;
use super::wire::{Part, ToolState};
use crate::agents::read;
use crate::api::DriftKind;
use crate::emit::{CallSpec, Emit};
use crate::hash;
use crate::json::{Kind, Value};

impl State {
    /// A part was begun, changed or completed. `delta` is what older versions say was added.
    pub(super) fn part_updated(
        &mut self,
        session: &str,
        value: Value<'_>,
        delta: Option<&Text<'_>>,
        emit: &mut Emit<'_>,
    ) {
        let Some(part) = &read::<Part<'_>>(value, emit) else { return };
        let id = part.message.unwrap_or_default();
        let session = &self.home(session, id, emit);
        if self.native(session).settling.as_deref().is_some_and(|settling| settling != id) && !self.is_done(id) {
            self.settle(session, emit);
        }
        if part.r#type == Some("tool") {
            // A tool may go on when its message is over.
            self.adopt(session, id, emit);
            return self.tool_part(session, id, part, emit);
        }
        if self.is_done(id) {
            return self.late_part(session, part, value, emit);
        }
        let role = self.messages.get(id).map_or(Role::Unknown, |message| message.role);
        let assistants = delta.is_some() || is_assistants(part);
        match role {
            Role::Assistant => self.assistant_part(id, part, value, delta, emit),
            Role::Unknown if assistants => {
                self.adopt(session, id, emit);
                self.hear_held(id, emit);
                self.assistant_part(id, part, value, delta, emit);
            }
            Role::User | Role::Unknown => self.hold_part(session, id, part, value, emit),
        }
    }

    /// A message of which nothing was heard but its parts is an assistant's.
    pub(super) fn adopt(&mut self, session: &str, id: &str, emit: &mut Emit<'_>) {
        if self.is_done(id) {
            return;
        }
        let message = self.messages.or_default(id);
        if message.role == Role::Assistant {
            return;
        }
        let held = std::mem::take(&mut message.held);
        *message =
            Message { session: session.to_owned(), role: Role::Assistant, stub: true, held, ..Message::default() };
        if self.agent_of(session).is_none() {
            self.begin_turn(session, None, true, emit);
        }
        self.message_item(id, true, emit);
    }

    /// The user's parts wait until the message is whole.
    fn hold_part(&mut self, session: &str, id: &str, part: &Part<'_>, value: Value<'_>, emit: &mut Emit<'_>) {
        let message = self.messages.or_default(id);
        message.session = session.to_owned();
        let part_id = part.id.map(|id| ["\"id\":\"", id, "\""].concat());
        let known = message.held.iter().position(|held| part_id.as_ref().is_some_and(|id| held.contains(id.as_str())));
        match known {
            Some(at) => value.raw().clone_into(&mut message.held[at]),
            None => message.held.push(value.raw().to_owned()),
        }
        if message.role == Role::User {
            self.native(session).settling = Some(id.to_owned());
        }
        emit.ignore("waits for its message");
    }

    /// A part of a message that is over: the agent may still put something into the user's mouth.
    fn late_part(&mut self, session: &str, part: &Part<'_>, value: Value<'_>, emit: &mut Emit<'_>) {
        let id = part.id.unwrap_or_default();
        let puts_in = part.synthetic == Some(true) && part.r#type == Some("text");
        if puts_in && !emit.has_begun(id) {
            self.put_in(session, part, value, emit);
        } else if !self.late_prompt(session, part, value, emit) {
            emit.ignore("late");
        }
    }

    fn assistant_part(
        &mut self,
        message: &str,
        part: &Part<'_>,
        value: Value<'_>,
        delta: Option<&Text<'_>>,
        emit: &mut Emit<'_>,
    ) {
        let id = part.id.unwrap_or_default();
        match part.r#type.unwrap_or_default() {
            kind @ ("text" | "reasoning") => {
                let reasoning = kind == "reasoning";
                let text = part.text.as_ref().map_or_else(Text::default, Text::borrow);
                let last = part.time.as_ref().is_some_and(|time| time.end.is_some()) && delta.is_none();
                match delta.filter(|delta| text.is_empty() || text == **delta) {
                    // The text beside a delta holds all of it, or nothing but it: which, every line tells anew.
                    Some(delta) => {
                        self.text_delta(message, id, reasoning, delta, emit);
                        if !text.is_empty() {
                            emit.does_not_repeat();
                        }
                    }
                    None => self.text_so_far(message, id, last, text_part(reasoning, text), emit),
                }
            }
            "file" => {
                let file =
                    part.url.clone().map(|url| file(part.mime, part.filename.map(Cow::Borrowed), url, part.source));
                self.add_once(message, id, file, emit);
            }
            "patch" => self.patch(message, part, emit),
            "retry" => {
                let failure = part.error.as_ref();
                let words = failure.and_then(|error| error.data).and_then(|data| data.get("message"));
                let words = words.and_then(Value::text);
                let session = self.messages.get(message).map(|message| message.session.as_str());
                let agent = session.and_then(|session| self.agent_of(session));
                self.retry(part.attempt, words.as_ref(), value, agent.as_deref(), emit);
            }
            "step-start" | "snapshot" => emit.ignore("start of a step"),
            "step-finish" => emit.ignore("end of a step"),
            kind => {
                emit.book.drift.note(DriftKind::Value, "part.type", kind);
                let part = ContentPart::json(value.json());
                self.add_once(message, id, Some(part), emit);
            }
        }
    }

    /// A part that is known whole.
    fn add_once(&mut self, message: &str, id: &str, part: Option<ContentPart<'_>>, emit: &mut Emit<'_>) {
        if !self.done.insert(hash::id(id.as_bytes())) {
            emit.ignore("nothing new");
            return;
        }
        if let (Some(part), Some(item)) = (part, self.message_item(message, true, emit)) {
            emit.add_part(item, part);
        }
        emit.ignore("in its message");
    }

    /// The files that a step has changed: those that no tool has shown.
    fn patch(&mut self, message: &str, part: &Part<'_>, emit: &mut Emit<'_>) {
        let shown = self.messages.get(message).map(|message| message.files.clone()).unwrap_or_default();
        let files = part.files.iter().flatten().filter(|file| !file.is_empty());
        let new: Vec<_> = files.filter(|file| !shown.iter().any(|known| known == *file)).collect();
        if let Some(item) = self.message_item(message, true, emit) {
            for file in new {
                let part =
                    FileRefPart { path: Cow::Borrowed(file), action: FileAction::Patch, ..FileRefPart::default() };
                emit.add_part(item, ContentPart::FileRef(part));
            }
        }
        emit.ignore("in its message");
    }

    fn tool_part(&mut self, session: &str, message: &str, part: &Part<'_>, emit: &mut Emit<'_>) {
        let (Some(id), Some(state)) = (part.id, &part.state) else {
            emit.ignore("no state");
            return;
        };
        if self.is_done(id) {
            emit.ignore("nothing new");
            return;
        }
        let session = &self.tools.get(id).map_or_else(|| session.to_owned(), |tool| tool.session.clone());
        self.enter(session, emit);
        let name = &part.tool_name();
        let status = state.status.unwrap_or_default();
        self.call_begins(id, session, message, part.call_id(), name, emit);
        if status == "pending" {
            emit.ignore("its arguments follow");
            return;
        }
        self.call_known(id, name, state.input, emit);
        if let Some(child) = child_session(state.metadata) {
            let call_id = self.tools.get(id).map(|tool| tool.call_id.clone()).unwrap_or_default();
            self.link(&child, session, &call_id, emit);
        }
        match status {
            "completed" => {
                let output = state.output.as_ref().map_or_else(Text::default, Text::borrow);
                self.tool_result(id, output, part.is_refused(), state, emit);
            }
            "error" => {
                let output = state.error.as_ref().map_or_else(Text::default, Text::borrow);
                self.tool_result(id, output, true, state, emit);
            }
            "running" => {
                let output = state.metadata.and_then(|metadata| metadata.get("output")).and_then(Value::text);
                if let (Some(output), Some(tool)) = (output.filter(|output| !output.is_empty()), self.tools.get(id)) {
                    emit.output_so_far(&tool.call_id, output);
                }
                emit.ignore("nothing new");
            }
            word => {
                emit.book.drift.note(DriftKind::Value, "part.state.status", word);
                emit.ignore("nothing new");
            }
        }
    }

    /// A call is announced; its arguments may not be known yet.
    pub(super) fn call_begins(
        &mut self,
        id: &str,
        session: &str,
        message: &str,
        call: &str,
        name: &str,
        emit: &mut Emit<'_>,
    ) {
        if self.tools.contains_key(id) {
            return;
        }
        self.message_item(message, true, emit);
        // Identifiers that the model has given out before are told apart by their part.
        let call_id = if emit.has_begun(call) { format!("{call}_{id}") } else { call.to_owned() };
        let parent = self.messages.get(message).map(|message| message.item_id.clone()).filter(|id| !id.is_empty());
        let parent = parent.or_else(|| emit.has_begun(message).then(|| ["itm_", message].concat()));
        self.note_below(message, &call_id);
        let agent = self.agent_of(session);
        let part = ToolCallPart { arguments: Text::default(), ..tools::call_part(&call_id, name, None) };
        let spec = CallSpec { call_id: &call_id, parent: parent.as_deref(), agent: agent.as_deref() };
        let item = emit.open_call(spec, part);
        let tool = Tool {
            session: session.to_owned(),
            message: message.to_owned(),
            native_id: call.to_owned(),
            name: name.to_owned(),
            item,
            call_id,
            ..Tool::default()
        };
        self.tools.insert(id.to_owned(), tool);
    }

    /// The arguments of a call are known.
    pub(super) fn call_known(&mut self, id: &str, name: &str, input: Option<Value<'_>>, emit: &mut Emit<'_>) {
        let Some(tool) = self.tools.get_mut(id) else { return };
        let Some(item) = tool.item.take() else { return };
        name.clone_into(&mut tool.name);
        input.map(Value::raw).unwrap_or_default().clone_into(&mut tool.input);
        emit.finish_call(item, tools::call_part(&tool.call_id, name, input));
    }

    /// The result of a call.
    pub(super) fn tool_result(
        &mut self,
        id: &str,
        output: Text<'_>,
        failed: bool,
        state: &ToolState<'_>,
        emit: &mut Emit<'_>,
    ) {
        let Some(tool) = self.tools.remove(id) else { return };
        self.done.insert(hash::id(id.as_bytes()));
        let metadata = state.metadata;
        let exit = metadata.and_then(|metadata| metadata.get("exit"));
        let exit_code = exit.and_then(Value::i64);
        // A command that was killed has no code, and a note behind its output.
        let killed =
            exit.is_some_and(|exit| exit.kind() == Kind::Null) && output.to_str_lossy().ends_with("_metadata>");
        let time = state.time.as_ref();
        let duration = time.and_then(|time| u64::try_from(time.end?.checked_sub(time.start?)?).ok());
        let failed = failed || killed || exit_code.is_some_and(|code| code != 0);
        let mut extra: Vec<_> = state
            .attachments
            .iter()
            .flatten()
            .filter_map(|file_of| {
                let url = file_of.url.clone()?;
                Some(file(file_of.mime, file_of.filename.map(Cow::Borrowed), url, file_of.source))
            })
            .collect();
        let files = if failed { Vec::new() } else { tools::files(&tool.name, state.input, metadata) };
        if let Some(message) = self.messages.get_mut(&tool.message) {
            message.files.extend(files.iter().map(|file| file.path.to_string()));
        }
        extra.extend(files.into_iter().map(ContentPart::FileRef));
        let agent = self.agent_of(&tool.session);
        self.close_requests(&tool.call_id, emit);
        if tools::goes_on(&tool.name, metadata, &output) {
            emit.in_background(&tool.call_id);
        }
        let part = ToolResultPart {
            call_id: Cow::Borrowed(&tool.call_id),
            output,
            exit_code,
            duration_ms: duration,
            todos: tools::todos(&tool.name, state.input, metadata),
            ..ToolResultPart::default()
        };
        emit.result(part, extra, failed, agent.as_deref(), false);
        self.close_child(&tool.call_id);
    }

    /// What was asked for a call that is over will not be answered any more.
    pub(super) fn close_requests(&mut self, call_id: &str, emit: &mut Emit<'_>) {
        while let Some(id) = emit.find_request(|_, about| about == Some(call_id)) {
            self.requests.remove(&id);
            emit.resolve(&id, PermissionStatus::Reject, None, true);
        }
    }

    /// What a subagent has left open is closed with its call.
    fn close_child(&mut self, call_id: &str) {
        let of: Vec<_> = self
            .sessions
            .iter()
            .filter(|(_, native)| native.agent.as_deref() == Some(call_id))
            .map(|(id, _)| id.clone())
            .collect();
        for session in of {
            self.requests.retain(|_, pending| pending.session != session);
            self.native(&session).settling = None;
        }
    }
}

/// Whether a part can only be an assistant's.
fn is_assistants(part: &Part<'_>) -> bool {
    match part.r#type.unwrap_or_default() {
        "reasoning" | "step-start" | "step-finish" | "patch" | "retry" | "snapshot" => true,
        "text" => part.time.is_some() && part.synthetic != Some(true),
        _ => false,
    }
}

/// The session of the subagent that a call has started.
fn child_session(metadata: Option<Value<'_>>) -> Option<String> {
    let metadata = metadata?;
    ["sessionId", "sessionID"].iter().find_map(|key| metadata.get(key)?.str()).map(str::to_owned)
}

pub(super) fn text_part(reasoning: bool, text: Text<'_>) -> ContentPart<'_> {
    if reasoning { ContentPart::reasoning(text) } else { ContentPart::text(text) }
}

/// A file or an image.
pub(super) fn file<'a>(
    mime: Option<&str>,
    name: Option<Cow<'a, str>>,
    url: Text<'a>,
    source: Option<Value<'a>>,
) -> ContentPart<'a> {
    if mime.is_some_and(|mime| mime.starts_with("image/")) && !url.is_empty() {
        let mime = mime.map(|mime| Cow::Owned(mime.to_owned()));
        return ContentPart::Image(ImagePart { path: url, mime, ..ImagePart::default() });
    }
    let address = url.to_str_lossy().into_owned();
    let local = address.strip_prefix("file://").map(|path| path.split(['?', '#']).next().unwrap_or(path).to_owned());
    let source = source.and_then(|source| source.get("path")).and_then(Value::str);
    let path = local.map(Cow::Owned).or(source.map(Cow::Borrowed)).or(name).filter(|path| !path.is_empty());
    let path = path.unwrap_or_else(|| Cow::Owned(if address.is_empty() { "file".to_owned() } else { address }));
    ContentPart::FileRef(FileRefPart { path, action: FileAction::Read, ..FileRefPart::default() })
}

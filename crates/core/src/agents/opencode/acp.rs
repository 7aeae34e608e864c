//! `opencode acp`: the Agent Client Protocol, JSON-RPC on standard input and output.

use std::borrow::Cow;

use interlinear_schema::{
    ContentPart, ErrorData, FileAction, FileRefPart, ImagePart, ItemKind, ItemRole, ItemStatus, Json, PermissionData,
    PermissionStatus, StatusLabel, StatusPart, Text, ToolKind, ToolResultPart,
};

use super::state::{AcpRequest, Message, Pending, Role, Route, State};
use super::wire::{Cache, Tokens};
use super::{parts, tools};
use crate::diff;
use crate::emit::{Emit, Spec};
use crate::hash;
use crate::json::{Tape, Value};

fn text<'a>(value: Value<'a>, key: &str) -> Option<&'a str> {
    value.get(key).and_then(Value::str)
}

impl State {
    /// What the host sends: requests, and answers to the agent's.
    pub(super) fn acp_sent(&mut self, line: Value<'_>, emit: &mut Emit<'_>) {
        let id = line.get("id").map(|id| id.raw().to_owned()).unwrap_or_default();
        let Some(method) = text(line, "method") else {
            return self.acp_reply(&id, line, emit);
        };
        emit.kind(method);
        let params = line.get("params").unwrap_or(line);
        let session = text(params, "sessionId").filter(|id| !id.is_empty());
        let request = AcpRequest {
            method: method.to_owned(),
            session: session.map(str::to_owned),
            cwd: text(params, "cwd").map(str::to_owned),
        };
        self.acp.insert(id, request);
        match (method, session) {
            ("session/prompt", Some(session)) => {
                self.enter(session, emit);
                self.begin_turn(session, None, true, emit);
                let native = self.native(session);
                native.turn.model = native.chosen.model.clone().or(native.turn.model.take());
                let content = params.get("prompt").into_iter().flat_map(Value::elements).map(block).collect();
                let spec = Spec { kind: ItemKind::Message, role: Some(ItemRole::User), ..Spec::default() };
                emit.item(&spec, ItemStatus::Completed, content, true);
            }
            ("session/cancel", Some(session)) => {
                self.enter(session, emit);
                self.native(session).turn.interrupted = true;
                emit.ignore("its answer follows");
            }
            _ => emit.ignore("its answer follows"),
        }
    }

    /// The host's answer to a request for permission.
    fn acp_reply(&mut self, id: &str, line: Value<'_>, emit: &mut Emit<'_>) {
        emit.kind("response");
        let asked = self.requests.iter().find(|(_, pending)| pending.number.as_deref() == Some(id));
        let Some((request, session)) = asked.map(|(request, pending)| (request.clone(), pending.session.clone()))
        else {
            emit.ignore("between programs");
            return;
        };
        self.enter(&session, emit);
        let outcome = line.get("result").and_then(|result| result.get("outcome"));
        let option = outcome.and_then(|outcome| text(outcome, "optionId")).unwrap_or_default();
        let status = match option {
            "once" | "allow" => PermissionStatus::Accept,
            "always" => PermissionStatus::AcceptForSession,
            _ => PermissionStatus::Reject,
        };
        self.resolve(&request, status, None, emit);
    }

    /// What the agent sends: notifications, answers, and requests of its own.
    pub(super) fn acp_received(&mut self, line: Value<'_>, emit: &mut Emit<'_>) {
        let id = line.get("id").map(|id| id.raw().to_owned()).unwrap_or_default();
        let params = line.get("params").unwrap_or(line);
        let session = text(params, "sessionId").filter(|id| !id.is_empty());
        match (text(line, "method"), session) {
            (None, _) => self.acp_answer(&id, line, emit),
            (Some("session/update"), Some(session)) => {
                self.enter(session, emit);
                let update = params.get("update").unwrap_or(params);
                self.acp_update(session, update, emit);
            }
            (Some("session/request_permission"), Some(session)) => {
                emit.kind("session/request_permission");
                self.enter(session, emit);
                self.acp_permission(&id, session, params, emit);
            }
            (Some(method), _) => {
                emit.kind(method);
                emit.unknown(line.json(), None);
            }
        }
    }

    fn acp_answer(&mut self, id: &str, line: Value<'_>, emit: &mut Emit<'_>) {
        let request = self.acp.remove(id).unwrap_or_default();
        emit.kind(format!("answer to {}", request.method));
        let result = line.get("result");
        // A session that is new is named by the answer, any other by the request.
        let session = result.and_then(|result| text(result, "sessionId")).map(str::to_owned).or(request.session);
        if let Some(session) = &session {
            self.enter(session, emit);
        }
        if let Some(error) = line.get("error") {
            let message = error.get("message").and_then(Value::text).unwrap_or_default();
            self.last_error = Some(message.to_string());
            let code = error.get("code").map(|code| Cow::Owned(code.raw().to_owned()));
            emit.error(ErrorData { message, code, details: Some(error.json()), ..ErrorData::default() });
        }
        match (request.method.as_str(), &session, result) {
            ("initialize", _, Some(result)) => {
                self.acp_version = result.get("agentInfo").and_then(|info| text(info, "version")).map(str::to_owned);
                emit.ignore("between programs");
            }
            ("session/prompt", Some(session), _) => self.acp_turn_over(session, result, emit),
            (
                method @ ("session/new" | "session/load" | "session/resume" | "session/fork"),
                Some(session),
                Some(result),
            ) => {
                emit.begin_session();
                if method == "session/new" {
                    self.native(session).acp.cost = Some(0.0);
                }
                // What was loaded has been shown.
                self.acp_complete(session, emit);
                if emit.session().turn_id().is_some() {
                    self.close_turn(session, true, emit);
                }
                let version = self.acp_version.clone();
                emit.learn(&[
                    ("agent_version", version.as_deref().map(Json::of)),
                    ("cwd", request.cwd.as_deref().map(Json::of)),
                ]);
                self.acp_options(session, result, emit);
            }
            ("session/set_config_option", Some(session), Some(result)) => self.acp_options(session, result, emit),
            _ => emit.ignore("between programs"),
        }
    }

    /// What is chosen for the session. Older versions say it without a list.
    fn acp_options(&mut self, session: &str, said: Value<'_>, emit: &mut Emit<'_>) {
        let options = || said.get("configOptions").into_iter().flat_map(Value::elements);
        let chosen = |id: &str| options().find(|option| text(*option, "id") == Some(id))?.get("currentValue");
        let older = |list: &str, id: &str| said.get(list).and_then(|list| list.get(id));
        let model = chosen("model").or_else(|| older("models", "currentModelId"));
        let variant = chosen("effort").filter(|variant| variant.str() != Some("default"));
        if let Some(model) = model.and_then(Value::str) {
            self.native(session).chosen.model = Some(model.to_owned());
        }
        emit.facts(&[
            ("model", model.map(Value::json)),
            ("variant", variant.map(Value::json)),
            ("mode", chosen("mode").or_else(|| older("modes", "currentModeId")).map(Value::json)),
        ]);
    }

    /// A prompt is answered: its turn is over.
    fn acp_turn_over(&mut self, session: &str, result: Option<Value<'_>>, emit: &mut Emit<'_>) {
        self.acp_complete(session, emit);
        let stop = result.and_then(|result| text(result, "stopReason"));
        if let Some(usage) = result.and_then(|result| result.get("usage")) {
            let count = |key: &str| usage.get(key).and_then(Value::u64);
            let cache =
                Cache { read: count("cachedReadTokens"), write: count("cachedWriteTokens"), ..Cache::default() };
            let tokens = Tokens {
                input: count("inputTokens"),
                output: count("outputTokens"),
                total: count("totalTokens"),
                reasoning: count("thoughtTokens"),
                cache: Some(cache),
                ..Tokens::default()
            };
            self.add_usage(session, Some(&tokens), None);
        }
        let turn = &mut self.native(session).turn;
        turn.failed |= result.is_none();
        turn.interrupted |= stop == Some("cancelled");
        turn.stop_reason = stop.map(str::to_owned);
        self.end_turn(session, emit);
    }

    fn acp_update(&mut self, session: &str, update: Value<'_>, emit: &mut Emit<'_>) {
        let kind = text(update, "sessionUpdate").unwrap_or_default();
        emit.kind(format!("session/update {kind}"));
        if kind != "user_message_chunk" {
            self.acp_complete_role(session, Role::User, emit);
        }
        match kind {
            "agent_message_chunk" | "agent_thought_chunk" => self.acp_chunk(session, kind, update, emit),
            "tool_call" | "tool_call_update" => self.acp_tool(session, update, emit),
            "plan" => {
                let entries = update.get("entries").filter(|entries| entries.is_array());
                let todos = entries.map(tools::todo_list);
                let part = StatusPart { label: StatusLabel::Notice, todos, ..StatusPart::default() };
                emit.status_with(part, None, None, false);
            }
            "usage_update" => {
                self.acp_usage(session, update);
                emit.ignore("told at the end of the turn");
            }
            "current_mode_update" => emit.facts(&[("mode", update.get("currentModeId").map(Value::json))]),
            "session_info_update" => {
                let title = update.get("title").and_then(Value::text);
                emit.status(StatusLabel::Title, title, None);
            }
            "config_option_update" => self.acp_options(session, update, emit),
            "available_commands_update" => emit.ignore("of the server"),
            "user_message_chunk" => self.acp_user_chunk(session, update, emit),
            _ => emit.unknown(update.json(), None),
        }
    }

    /// What is used of the window, and what the session has cost.
    fn acp_usage(&mut self, session: &str, update: Value<'_>) {
        let native = self.native(session);
        native.turn.context_used = update.get("used").and_then(Value::u64);
        native.acp.window = update.get("size").and_then(Value::u64).or(native.acp.window);
        let cost = update.get("cost").filter(|cost| text(*cost, "currency").is_none_or(|currency| currency == "USD"));
        let Some(cost) = cost.and_then(|cost| cost.get("amount")).and_then(Value::f64) else { return };
        if let Some(before) = native.acp.cost.replace(cost) {
            native.turn.cost = Some(native.turn.cost.unwrap_or(0.0) + (cost - before).max(0.0));
        }
    }

    /// What the user wrote before the session was loaded. A prompt that is being answered was shown when it was sent.
    fn acp_user_chunk(&mut self, session: &str, update: Value<'_>, emit: &mut Emit<'_>) {
        let prompted =
            |request: &AcpRequest| request.method == "session/prompt" && request.session.as_deref() == Some(session);
        let open = self.acp_open(session, Role::User);
        let named = text(update, "messageId").map(str::to_owned);
        let id = named.or_else(|| open.clone()).unwrap_or_else(|| self.acp_unnamed());
        if self.acp.values().any(prompted) || self.is_done(&id) {
            emit.ignore("echo");
            return;
        }
        let content = update.get("content").unwrap_or(update);
        let audience = content.get("annotations").and_then(|notes| notes.get("audience"));
        let audience: Vec<_> = audience.into_iter().flat_map(Value::elements).filter_map(Value::str).collect();
        if audience == ["assistant"] {
            let spec = Spec { kind: ItemKind::System, role: Some(ItemRole::System), ..Spec::default() };
            emit.item(&spec, ItemStatus::Completed, vec![block(content)], false);
            return;
        }
        if open.as_deref() != Some(&id) {
            self.acp_complete(session, emit);
            if emit.session().turn_id().is_some() {
                self.close_turn(session, true, emit);
            }
            self.begin_turn(session, None, true, emit);
            let (kind, role, native) = (ItemKind::Message, Some(ItemRole::User), Some(id.as_str()));
            let item = Some(emit.open(&Spec { id: &id, kind, role, native, ..Spec::default() }, Vec::new(), true));
            let message = Message { session: session.to_owned(), role: Role::User, item, ..Message::default() };
            self.messages.insert(id.clone(), message);
        }
        if let Some(item) = self.messages.get(&id).and_then(|message| message.item) {
            let part = block(content);
            let index = emit.add_part(item, part.clone());
            emit.finish_part(item, index, part);
        }
        emit.ignore("in its message");
    }

    fn acp_chunk(&mut self, session: &str, kind: &str, update: Value<'_>, emit: &mut Emit<'_>) {
        let reasoning = kind == "agent_thought_chunk";
        let named = text(update, "messageId").map(str::to_owned);
        let content = update.get("content").unwrap_or(update);
        // A thought may bear the identifier of its part: it belongs to the message that follows, and to no step before.
        let native = self.native(session);
        let known = native.acp.message.as_ref();
        let same = named.is_none() || known.is_none_or(|known| Some(known) == named.as_ref());
        let goes_on = same || reasoning && !native.acp.step_over;
        native.acp.step_over = false;
        let message = if let Some(open) = self.acp_open(session, Role::Assistant).filter(|_| goes_on) {
            open
        } else {
            self.acp_complete(session, emit);
            named.clone().unwrap_or_else(|| self.acp_unnamed())
        };
        if !reasoning {
            self.native(session).acp.message.clone_from(&named);
        }
        self.adopt(session, &message, emit);
        if let Some(said) = content.get("text").and_then(Value::text) {
            let part = format!("{}/{kind}", named.as_ref().unwrap_or(&message));
            self.text_delta(&message, &part, reasoning, &said, emit);
        } else if let Some(item) = self.message_item(&message, true, emit) {
            emit.add_part(item, block(content));
            emit.ignore("in its message");
        }
    }

    /// A name for a message that has none.
    fn acp_unnamed(&mut self) -> String {
        self.acp_messages += 1;
        format!("message_{}", self.acp_messages)
    }

    /// The message that is being written.
    fn acp_open(&self, session: &str, role: Role) -> Option<String> {
        let mut messages = self.messages.iter();
        messages.find(|(_, message)| message.session == session && message.role == role).map(|(id, _)| id.clone())
    }

    /// The message that was being written is whole.
    fn acp_complete(&mut self, session: &str, emit: &mut Emit<'_>) {
        self.native(session).acp.message = None;
        self.acp_complete_role(session, Role::User, emit);
        self.acp_complete_role(session, Role::Assistant, emit);
    }

    fn acp_complete_role(&mut self, session: &str, role: Role, emit: &mut Emit<'_>) {
        while let Some(message) = self.acp_open(session, role) {
            self.complete_message(&message, false, emit);
        }
    }

    fn acp_tool(&mut self, session: &str, update: Value<'_>, emit: &mut Emit<'_>) {
        let Some(call) = text(update, "toolCallId") else {
            emit.ignore("no call");
            return;
        };
        let id = format!("{session}/{call}");
        if self.is_done(&id) {
            emit.ignore("nothing new");
            return;
        }
        let name = self.tools.get(&id).map_or_else(|| tool_name(update), |tool| tool.name.clone());
        let message = self.acp_open(session, Role::Assistant);
        self.call_begins(&id, session, message.as_deref().unwrap_or_default(), call, &name, emit);
        let Some(tool) = self.tools.get_mut(&id) else { return };
        if let Some(input) = update.get("rawInput").filter(|input| input.members().next().is_some()) {
            input.raw().clone_into(&mut tool.input);
        }
        let (call_id, input) = (tool.call_id.clone(), tool.input.clone());
        let mut tape = Tape::default();
        let input = tape.read(&input).ok();
        let status = text(update, "status").unwrap_or_default();
        if status != "pending" {
            self.call_known(&id, &name, input, emit);
        }
        if !matches!(status, "completed" | "failed") {
            let output = shown(update);
            if !output.is_empty() {
                emit.output_so_far(&call_id, output);
            }
            emit.ignore("nothing new");
            return;
        }
        self.tools.remove(&id);
        self.done.insert(hash::id(id.as_bytes()));
        self.native(session).acp.step_over = true;
        let raw = update.get("rawOutput");
        let of = |key: &str| raw.and_then(|raw| raw.get(key)).and_then(Value::text);
        let output = of("output").or_else(|| of("error")).unwrap_or_else(|| shown(update));
        let metadata = raw.and_then(|raw| raw.get("metadata"));
        let exit_code = metadata.and_then(|metadata| metadata.get("exit")).and_then(Value::i64);
        let failed = status == "failed" || exit_code.is_some_and(|code| code != 0);
        let mut extra = Vec::new();
        let contents = || update.get("content").into_iter().flat_map(Value::elements);
        if !failed {
            let mut files = tools::files(&name, input, metadata);
            for change in contents().filter_map(change) {
                match files.iter_mut().find(|file| file.path == change.path) {
                    Some(file) => file.diff = file.diff.take().or(change.diff),
                    None => files.push(change),
                }
            }
            extra.extend(files.into_iter().map(ContentPart::FileRef));
        }
        let inner = contents().filter_map(|content| content.get("content"));
        extra.extend(inner.filter(|inner| inner.get("text").is_none()).map(block));
        let part = ToolResultPart {
            call_id: Cow::Borrowed(&call_id),
            output,
            exit_code,
            todos: tools::todos(&name, input, metadata),
            ..ToolResultPart::default()
        };
        emit.result(part, extra, failed, None, false);
    }

    fn acp_permission(&mut self, id: &str, session: &str, params: Value<'_>, emit: &mut Emit<'_>) {
        if self.requests.values().any(|pending| pending.number.as_deref() == Some(id)) {
            emit.ignore("repeated");
            return;
        }
        let request = emit.free_id(&format!("perm_acp_{id}"));
        let call = params.get("toolCall").unwrap_or(params);
        let (route, number) = (Route::Request, Some(id.to_owned()));
        let pending = Pending { session: session.to_owned(), route, number, ..Pending::default() };
        self.requests.insert(request.clone(), pending);
        emit.ask_permission(PermissionData {
            permission_id: Cow::Owned(request),
            action: Cow::Borrowed(text(call, "kind").unwrap_or("tool")),
            tool_call_id: text(call, "toolCallId").map(|call| Cow::Owned(self.call_of(session, call))),
            title: call.get("title").and_then(Value::text),
            options: Some(vec![PermissionStatus::Accept, PermissionStatus::AcceptForSession, PermissionStatus::Reject]),
            metadata: call.get("rawInput").map(|input| Json::from_text(format!("{{\"input\":{}}}", input.raw()))),
            ..PermissionData::default()
        });
    }
}

/// The text of a tool's content.
fn shown(update: Value<'_>) -> Text<'static> {
    let mut out = Vec::new();
    for content in update.get("content").into_iter().flat_map(Value::elements) {
        let inner = content.get("content").and_then(|inner| inner.get("text")).and_then(Value::text);
        inner.unwrap_or_default().append_to(&mut out);
    }
    Text::from_wtf8(out)
}

/// A block of content: a text, an image, a file.
fn block(content: Value<'_>) -> ContentPart<'_> {
    let kind = text(content, "type");
    let of = content.get("resource").unwrap_or(content);
    let mime = text(of, "mimeType");
    let data = text(of, "data").or_else(|| text(of, "blob")).filter(|data| !data.is_empty());
    let url = of.get("uri").and_then(Value::text);
    match (kind, data, url) {
        (Some("text"), ..) => ContentPart::text(content.get("text").and_then(Value::text).unwrap_or_default()),
        (_, Some(data), _) if mime.is_some_and(|mime| mime.starts_with("image/")) => {
            let path = Text::from(format!("data:{};base64,{data}", mime.unwrap_or_default()));
            ContentPart::Image(ImagePart { path, mime: mime.map(Cow::Borrowed), ..ImagePart::default() })
        }
        (_, _, Some(url)) => parts::file(mime, text(of, "name").map(Cow::Borrowed), url, None),
        _ => ContentPart::json(content.json()),
    }
}

/// A change of a file, as the content of a tool shows it.
fn change(content: Value<'_>) -> Option<FileRefPart<'static>> {
    let path = text(content, "path").filter(|_| text(content, "type") == Some("diff"))?;
    let new = text(content, "newText")?;
    let diff = match text(content, "oldText") {
        Some(old) => diff::of_edit(path, old, new, ""),
        None => diff::of_new_file(path, new),
    };
    let (diff, action) = (Some(Text::from(diff)), FileAction::Patch);
    Some(FileRefPart { path: path.to_owned().into(), action, diff, ..FileRefPart::default() })
}

/// The tool of a call. Its title is the tool's name, until there is something better to tell a person.
fn tool_name(update: Value<'_>) -> String {
    let title = text(update, "title").filter(|title| !title.is_empty()).unwrap_or("unknown");
    let usual = match text(update, "kind") {
        Some("execute") => return "bash".to_owned(),
        Some("read") => "read",
        Some("edit") => "edit",
        Some("search") => "grep",
        Some("fetch") => "webfetch",
        Some("think") => "task",
        _ => return title.to_owned(),
    };
    let is_name = !title.contains([' ', '.', '/']) && tools::kind(title) != ToolKind::Other_;
    if is_name { title.to_owned() } else { usual.to_owned() }
}

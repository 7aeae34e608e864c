//! The newer dialect: `session.next.*`, where every step of the model says what it does.

use std::borrow::Cow;

use interlinear_schema::{
    ContentPart, FileRefPart, ItemKind, ItemRole, ItemStatus, StatusLabel, StatusPart, Text, ToolResultPart,
};

use super::parts::{file, text_part};
use super::state::{Dialect, Role, State};
use super::tools;
use super::wire::{Attachment, Content, Model, Next, StoredNext};
use crate::agents::read;
use crate::emit::{Emit, Spec};
use crate::hash;
use crate::json::Value;

impl State {
    pub(super) fn next_event(&mut self, kind: &str, session: &str, body: Value<'_>, emit: &mut Emit<'_>) {
        self.enter(session, emit);
        let Some(event) = read::<Next<'_>>(body, emit) else { return };
        let message = event.message.unwrap_or_default();
        let session = &self.home(session, message, emit);
        let kind = kind.strip_prefix("session.next.").unwrap_or_default();
        if is_of_settings(kind) {
            return self.next_notice(kind, session, message, &event, body, emit);
        }
        if *self.native(session).dialect.get_or_insert(Dialect::Next) != Dialect::Next {
            emit.ignore("told in the older dialect");
            return;
        }
        match kind {
            "prompt.admitted" => emit.ignore("not heard yet"),
            "prompted" => self.prompted(session, message, &event, emit),
            "step.started" => self.step_started(session, message, &event, emit),
            "step.ended" => self.step_ended(session, message, &event, emit),
            "step.failed" => self.step_failed(session, message, &event, body, emit),
            "text.started" | "text.delta" | "text.ended" | "reasoning.started" | "reasoning.delta"
            | "reasoning.ended" => self.next_text(kind, session, message, &event, emit),
            "tool.input.started" | "tool.input.delta" | "tool.input.ended" | "tool.called" | "tool.progress"
            | "tool.success" | "tool.failed" | "shell.started" | "shell.ended" => {
                self.next_tool(kind, session, message, &event, emit);
            }
            _ => self.next_notice(kind, session, message, &event, body, emit),
        }
    }

    fn prompted(&mut self, session: &str, id: &str, event: &Next<'_>, emit: &mut Emit<'_>) {
        if self.is_done(id) {
            emit.ignore("nothing new");
            return;
        }
        let agent = self.agent_of(session);
        if agent.is_none() {
            self.begin_turn(session, event.at(), true, emit);
        }
        self.done.insert(hash::id(id.as_bytes()));
        let prompt = event.prompt.as_ref();
        let files = prompt.and_then(|prompt| prompt.files.as_deref()).unwrap_or_default();
        let content = prompt_content(prompt.and_then(|prompt| prompt.text.as_ref()), files);
        self.next_item(ItemKind::Message, ItemRole::User, id, content, agent.as_deref(), emit);
    }

    fn next_item(
        &mut self,
        kind: ItemKind<'static>,
        role: ItemRole<'static>,
        id: &str,
        content: Vec<ContentPart<'_>>,
        agent: Option<&str>,
        emit: &mut Emit<'_>,
    ) {
        let native = Some(id).filter(|id| !id.is_empty());
        let spec = Spec { id, kind, role: Some(role), native, parent: None, agent };
        emit.item(&spec, ItemStatus::Completed, content, false);
    }

    fn step_started(&mut self, session: &str, id: &str, event: &Next<'_>, emit: &mut Emit<'_>) {
        if self.is_done(id) || self.messages.get(id).is_some_and(|message| !message.stub) {
            emit.ignore("nothing new");
            return;
        }
        if self.agent_of(session).is_none() {
            self.begin_turn(session, event.at(), true, emit);
            let native = self.native(session);
            (native.turn.failed, native.told) = (false, None);
        }
        if let Some(model) = &event.model {
            self.learn_model(session, model, event.agent, None, emit);
        }
        let message = self.messages.or_default(id);
        session.clone_into(&mut message.session);
        (message.role, message.stub) = (Role::Assistant, false);
        self.message_item(id, false, emit);
    }

    fn step_ended(&mut self, session: &str, id: &str, event: &Next<'_>, emit: &mut Emit<'_>) {
        if self.is_done(id) {
            emit.ignore("nothing new");
            return;
        }
        self.complete_message(id, false, emit);
        let finish = event.finish.unwrap_or_default();
        if self.agent_of(session).is_some() {
            emit.ignore("nothing new");
            return;
        }
        self.add_usage(session, event.tokens.as_ref(), event.cost);
        let turn = &mut self.native(session).turn;
        turn.last = event.at();
        turn.stop_reason = Some(finish.to_owned()).filter(|finish| !finish.is_empty());
        if finish == "tool-calls" {
            emit.ignore("end of a step");
        } else {
            self.end_turn(session, emit);
        }
    }

    fn step_failed(&mut self, session: &str, id: &str, event: &Next<'_>, body: Value<'_>, emit: &mut Emit<'_>) {
        if let Some(failure) = &event.error {
            let words = failure.message.as_ref().map(Text::to_string).unwrap_or_default();
            let asked = self.native(session).turn.interrupted || words.contains("interrupted");
            self.failure(session, failure, body, emit);
            self.native(session).turn.interrupted |= asked;
        }
        self.complete_message(id, true, emit);
        if self.agent_of(session).is_none() {
            self.native(session).turn.last = event.at();
            self.end_turn(session, emit);
        }
    }

    fn next_text(&mut self, kind: &str, session: &str, message: &str, event: &Next<'_>, emit: &mut Emit<'_>) {
        if self.is_done(message) {
            emit.ignore("late");
            return;
        }
        self.adopt(session, message, emit);
        let reasoning = kind.starts_with("reasoning");
        let part = event.part.unwrap_or_default();
        let text = event.text.as_ref().map_or_else(Text::default, Text::borrow);
        match &event.delta {
            Some(delta) => self.text_delta(message, part, reasoning, delta, emit),
            None => self.text_so_far(message, part, kind.ends_with("ended"), text_part(reasoning, text), emit),
        }
    }

    fn next_tool(&mut self, kind: &str, session: &str, message: &str, event: &Next<'_>, emit: &mut Emit<'_>) {
        let Some(call) = event.call else {
            emit.ignore("no call");
            return;
        };
        // Identifiers of calls are unique only within a session.
        let id = self.tools.iter().find(|(_, tool)| tool.session == session && tool.native_id == call);
        let id = id.map_or_else(|| format!("{session}/{message}/{call}"), |(id, _)| id.clone());
        if self.is_done(&id) {
            emit.ignore("nothing new");
            return;
        }
        if !message.is_empty() {
            self.adopt(session, message, emit);
        }
        let known = self.tools.get(&id).map(|tool| tool.name.clone());
        let shell = if kind.starts_with("shell") { Some("bash") } else { None };
        let name = event.name.or(known.as_deref()).or(shell).unwrap_or("unknown").to_owned();
        self.call_begins(&id, session, message, call, &name, emit);
        match kind {
            "tool.input.delta" => {
                let item = self.tools.get(&id).and_then(|tool| tool.item);
                if let (Some(item), Some(delta)) = (item, &event.delta) {
                    emit.delta(item, 0, delta, false);
                }
                emit.ignore("nothing new");
            }
            "tool.input.started" | "tool.input.ended" => emit.ignore("its arguments follow"),
            "tool.called" => self.call_known(&id, &name, event.input, emit),
            "shell.started" => self.shell_known(&id, event, emit),
            "tool.progress" => {
                let output = printed(&name, event);
                if let Some(tool) = self.tools.get(&id).filter(|tool| tool.item.is_none() && !output.is_empty()) {
                    emit.output_so_far(&tool.call_id, Text::from_wtf8(output));
                }
                emit.ignore("nothing new");
            }
            _ => self.next_result(kind, &id, session, &name, event, emit),
        }
    }

    /// A command that the user ran.
    fn shell_known(&mut self, id: &str, event: &Next<'_>, emit: &mut Emit<'_>) {
        let command = event.command.as_ref().map_or_else(Text::default, Text::borrow);
        let json = interlinear_schema::Json::of(&command);
        let input = format!("{{\"command\":{}}}", json.as_str());
        let mut tape = crate::json::Tape::default();
        let value = tape.read(&input).ok();
        self.call_known(id, "bash", value, emit);
    }

    fn next_result(&mut self, kind: &str, id: &str, session: &str, name: &str, event: &Next<'_>, emit: &mut Emit<'_>) {
        // A call whose arguments never came is known by its result.
        self.call_known(id, name, event.input, emit);
        let Some(tool) = self.tools.remove(id) else { return };
        self.done.insert(hash::id(id.as_bytes()));
        let failure = event.error.as_ref().and_then(|error| error.message.as_ref());
        let exit_code = event.structured.and_then(|structured| structured.get("exit")).and_then(Value::i64);
        let failed = kind == "tool.failed" || exit_code.is_some_and(|code| code != 0);
        let output = match (failure, &event.output) {
            (Some(failure), _) => failure.borrow(),
            (None, Some(output)) => output.borrow(),
            (None, None) => Text::from_wtf8(printed(name, event)),
        };
        let mut extra: Vec<_> = event.content.iter().flatten().filter_map(attached).collect();
        let mut tape = crate::json::Tape::default();
        let input = tape.read(&tool.input).ok();
        if !failed {
            let files = tools::files(name, input, event.structured);
            let owned = files.into_iter().map(interlinear_schema::IntoOwned::into_owned);
            extra.extend(owned.map(|file: FileRefPart<'static>| ContentPart::FileRef(file)));
        }
        let agent = self.agent_of(session);
        self.close_requests(&tool.call_id, emit);
        let part = ToolResultPart {
            call_id: Cow::Borrowed(&tool.call_id),
            output,
            exit_code,
            todos: tools::todos(name, input, event.structured),
            ..ToolResultPart::default()
        };
        emit.result(part, extra, failed, agent.as_deref(), false);
        if tool.ends_turn {
            self.complete_message(&tool.message, false, emit);
            self.native(session).turn.interrupted = true;
            self.end_turn(session, emit);
        }
    }

    /// A stored message of this dialect.
    pub(super) fn stored_next(&mut self, session: &str, value: Value<'_>, emit: &mut Emit<'_>) {
        let Some(message) = read::<StoredNext<'_>>(value, emit) else { return };
        let id = message.id.unwrap_or_default();
        let time = message.time.as_ref();
        let created = time.and_then(|time| time.created);
        if let Some(created) = created {
            emit.at(created);
        }
        let agent = self.agent_of(session);
        match message.r#type.unwrap_or_default() {
            "user" => {
                if agent.is_none() {
                    self.close_stored_turn(session, emit);
                    self.begin_turn(session, created, true, emit);
                }
                let content = prompt_content(message.text.as_ref(), message.files.as_deref().unwrap_or_default());
                self.next_item(ItemKind::Message, ItemRole::User, id, content, agent.as_deref(), emit);
            }
            "assistant" => {
                self.stored_step(session, id, &message, emit);
                let completed = time.and_then(|time| time.completed);
                if let Some(completed) = completed {
                    emit.at(completed);
                    self.native(session).turn.last = Some(completed);
                }
                if let Some(failure) = &message.error {
                    self.failure(session, failure, value, emit);
                }
                if completed.is_some() {
                    self.complete_message(id, message.error.is_some(), emit);
                }
            }
            "synthetic" | "system" => {
                let content = prompt_content(message.text.as_ref(), &[]);
                self.next_item(ItemKind::System, ItemRole::System, id, content, agent.as_deref(), emit);
            }
            "compaction" => {
                emit.status(StatusLabel::Compaction, message.reason.clone(), agent.as_deref());
                let content = prompt_content(message.text.as_ref().or(message.summary.as_ref()), &[]);
                self.next_item(ItemKind::System, ItemRole::System, id, content, agent.as_deref(), emit);
            }
            "agent-switched" | "model-switched" => {
                let none = Model::default();
                let model = message.model.as_ref().unwrap_or(&none);
                self.learn_model(session, model, message.agent, None, emit);
            }
            "shell" => self.stored_shell(session, id, &message, emit),
            kind => {
                emit.kind(kind);
                emit.unknown(value.json(), agent.as_deref());
            }
        }
    }

    /// A command that the user ran.
    fn stored_shell(&mut self, session: &str, id: &str, message: &StoredNext<'_>, emit: &mut Emit<'_>) {
        let (key, call) = (format!("{session}/{id}"), message.call.unwrap_or(id));
        let run = Next { command: message.command.clone(), output: message.output.clone(), ..Next::default() };
        self.call_begins(&key, session, id, call, "bash", emit);
        self.shell_known(&key, &run, emit);
        if let Some(completed) = message.time.as_ref().and_then(|time| time.completed) {
            emit.at(completed);
            self.next_result("shell.ended", &key, session, "bash", &run, emit);
        }
    }

    /// What a step of the model has said and called.
    fn stored_step(&mut self, session: &str, id: &str, message: &StoredNext<'_>, emit: &mut Emit<'_>) {
        self.adopt(session, id, emit);
        if let Some(model) = &message.model {
            self.learn_model(session, model, message.agent, None, emit);
        }
        for content in message.content.iter().flatten() {
            let part = content.id.unwrap_or_default();
            let text = content.text.as_ref().map_or_else(Text::default, Text::borrow);
            match (content.r#type.unwrap_or_default(), content.state) {
                (kind @ ("text" | "reasoning"), _) => {
                    self.text_so_far(id, part, true, text_part(kind == "reasoning", text), emit);
                }
                ("tool", Some(state)) => {
                    let name = content.name.unwrap_or("unknown");
                    let key = format!("{session}/{id}/{part}");
                    self.call_begins(&key, session, id, part, name, emit);
                    self.call_known(&key, name, state.get("input"), emit);
                    self.stored_question(&key, state.get("input"), emit);
                    let Some(result) = read::<Next<'_>>(state, emit) else { continue };
                    let end = match state.get("status").and_then(Value::str) {
                        Some("completed") => "tool.success",
                        Some("error") => "tool.failed",
                        _ => continue,
                    };
                    self.stored_answer(&key, result.structured.and_then(|given| given.get("answers")), emit);
                    self.next_result(end, &key, session, name, &result, emit);
                }
                _ => {}
            }
        }
        if self.agent_of(session).is_none() {
            self.add_usage(session, message.tokens.as_ref(), message.cost);
            self.native(session).turn.stop_reason = message.finish.map(str::to_owned);
        }
    }

    /// What a person would want to know.
    fn next_notice(
        &mut self,
        kind: &str,
        session: &str,
        id: &str,
        event: &Next<'_>,
        body: Value<'_>,
        emit: &mut Emit<'_>,
    ) {
        let agent = self.agent_of(session);
        let agent = agent.as_deref();
        let none = Model::default();
        let place = event.location.and_then(|place| place.get("directory")).and_then(Value::str);
        match kind {
            "agent.switched" | "model.switched" | "moved" => {
                let model = event.model.as_ref().unwrap_or(&none);
                self.learn_model(session, model, event.agent, place, emit);
                emit.ignore("nothing new");
            }
            "synthetic" => {
                let content = event.text.clone().map(ContentPart::text).into_iter().collect();
                self.next_item(ItemKind::System, ItemRole::System, id, content, agent, emit);
            }
            "context.updated" | "compaction.delta" => emit.ignore("context for the model"),
            "retried" => {
                self.cut_attempt(session, emit);
                let words = event.error.as_ref().and_then(|error| error.message.as_ref());
                self.retry(event.attempt, words, body, agent, emit);
            }
            "compaction.started" => emit.status(StatusLabel::Compaction, event.reason.clone(), agent),
            "compaction.ended" => {
                emit.status(StatusLabel::Compaction, Some(Text::from("compacted")), agent);
                let content: Vec<_> = event.text.clone().map(ContentPart::text).into_iter().collect();
                self.next_item(ItemKind::System, ItemRole::System, id, content, agent, emit);
            }
            "revert.staged" | "revert.cleared" | "revert.committed" => {
                let detail = Some(Text::from(kind.replace('.', " ")));
                let part = StatusPart { label: StatusLabel::Notice, detail, ..StatusPart::default() };
                emit.status_with(part, Some(body.json()), agent, false);
            }
            _ => emit.unknown(body.json(), agent),
        }
    }
}

/// A prompt: its text, and the files beside it.
fn prompt_content<'p>(text: Option<&'p Text<'_>>, files: &'p [Attachment<'_>]) -> Vec<ContentPart<'p>> {
    let text = text.map(|text| ContentPart::text(text.borrow()));
    let files = files.iter().filter_map(|attached| {
        let name = attached.filename.map(Cow::Borrowed);
        Some(file(attached.mime, name, attached.url.as_ref()?.borrow(), None))
    });
    text.into_iter().chain(files).collect()
}

/// What a tool has printed, as a person would read it.
fn printed(name: &str, event: &Next<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    for text in event.content.iter().flatten().filter_map(|content| content.text.as_ref()) {
        if !out.is_empty() && !out.ends_with(b"\n") {
            out.push(b'\n');
        }
        text.append_to(&mut out);
    }
    if out.is_empty() && name == "read" {
        let content = event.structured.and_then(|structured| structured.get("content")).and_then(Value::text);
        content.unwrap_or_default().append_to(&mut out);
    }
    out
}

/// A file or image that a tool has given.
fn attached<'c>(content: &'c Content<'_>) -> Option<ContentPart<'c>> {
    let url = content.url.as_ref().filter(|_| content.r#type != Some("text"))?;
    Some(file(content.mime, content.name.map(Cow::Borrowed), url.borrow(), None))
}

/// What versions say that tell of their messages in the older dialect.
fn is_of_settings(kind: &str) -> bool {
    matches!(kind, "agent.switched" | "model.switched" | "moved" | "context.updated")
}

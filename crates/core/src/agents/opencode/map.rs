//! Lines → events: which code reads which kind of line.

use std::borrow::Cow;

use interlinear_schema::{EndReason, ErrorData, Json, SessionEndedData, StatusLabel, StatusPart, TerminatedBy, Text};

use super::state::{Dialect, State};
use super::wire::{Asked, Frame, MessageEvent, Permission, SessionEvent};
use super::{streams, tools};
use crate::agents::{Adapter, read};
use crate::api::{Channel, Command, Outgoing};
use crate::emit::Emit;
use crate::hash;
use crate::json::Value;
use crate::repeat::Growth;

impl Adapter for State {
    fn receive(&mut self, line: Value<'_>, channel: &Channel, emit: &mut Emit<'_>) {
        match channel {
            Channel::Http { request, status } => self.answered(request, *status, line, emit),
            Channel::Sse(stream) => {
                self.streaming = true;
                self.frame(line, Some(stream), emit);
            }
            _ if line.get("jsonrpc").is_some() => self.acp_received(line, emit),
            _ if line.get("timestamp").is_some() && (self.run.is_some() || line.get("sessionID").is_some()) => {
                self.printed(line, emit);
            }
            // A stream of events without its frames.
            _ => {
                self.streaming = true;
                self.frame(line, None, emit);
            }
        }
    }

    fn sent(&mut self, line: Value<'_>, channel: &Channel, emit: &mut Emit<'_>) {
        match channel {
            Channel::Http { request, .. } => self.asked(request, line, emit),
            Channel::Argv => self.command_line(line, emit),
            _ if line.get("jsonrpc").is_some() => self.acp_sent(line, emit),
            _ => {
                emit.kind("input");
                emit.unknown(line.json(), None);
            }
        }
    }

    fn text_sent(&mut self, text: &str, emit: &mut Emit<'_>) -> bool {
        let json = text.trim_start().starts_with('{');
        !json && !text.trim().is_empty() && self.standard_input(text, emit)
    }

    fn text_received(&mut self, emit: &mut Emit<'_>) {
        self.finish_input(emit);
    }

    fn grow(&mut self, growth: &Growth<'_>, emit: &mut Emit<'_>) {
        if let Channel::Sse(stream) = growth.channel
            && self.streams.repeats(stream, hash::id(growth.mark))
        {
            emit.ignore("told on another stream");
            return;
        }
        // Items are told apart within their session only.
        let alone = emit.book.sessions.len() == 1;
        let index = |session: &str| self.sessions.get(session).map(|native| native.index);
        let here = |session: &str| alone || index(session) == Some(emit.selected());
        let mut messages = self.messages.values_mut();
        let message = messages.rfind(|message| message.item == Some(growth.item) && here(&message.session));
        let parts = message.map(|message| &mut message.parts);
        match parts.and_then(|parts| parts.iter_mut().find(|known| known.index == Some(growth.part))) {
            Some(known) => known.grow(growth.item, growth.part, &growth.text, emit),
            None => emit.ignore("late"),
        }
    }

    fn differ<'v>(&self, line: Value<'v>) -> Option<Vec<Value<'v>>> {
        let event = line.get("payload").filter(|payload| payload.is_object());
        let id = event.unwrap_or(line).get("id").filter(|id| id.text().is_some());
        // An event is known by its identifier, or else by all that it says: what stands around it is not part of that.
        (id.is_some() || event.is_none()).then(|| id.into_iter().collect())
    }

    fn command(&mut self, command: &Command, emit: &mut Emit<'_>, outgoing: &mut Vec<Outgoing>) {
        self.encode(command, emit, outgoing);
    }

    fn document(&mut self, document: Value<'_>, emit: &mut Emit<'_>) {
        self.stored = true;
        emit.kind("session");
        self.stored_document(document, emit);
    }

    fn finish(&mut self, emit: &mut Emit<'_>) {
        let index = emit.selected();
        self.finish_input(emit);
        self.hear_all_unlinked(emit);
        let ids: Vec<_> =
            self.sessions.iter().filter(|(_, native)| native.index == index).map(|(id, _)| id.clone()).collect();
        for id in &ids {
            emit.select(index);
            self.settle(id, emit);
            self.show_all_waiting(id, emit);
            self.tell_failed(id, emit);
            if self.agent_of(id).is_none() && self.is_over(id) {
                self.close_turn(id, true, emit);
            }
        }
        for id in &ids {
            self.forget_session(id);
        }
        emit.select(index);
    }

    fn last_error(&self) -> Option<&str> {
        self.last_error.as_deref()
    }

    fn deadline(&self) -> Option<i64> {
        let failed = self.sessions.values().filter_map(|native| Some(native.failed.as_ref()?.due));
        failed.chain(self.sessions.values().filter_map(|native| native.turn.idle)).min()
    }

    fn tick(&mut self, emit: &mut Emit<'_>) {
        let now = emit.book.now;
        let due =
            self.sessions.iter().filter(|(_, native)| native.failed.as_ref().is_some_and(|failed| failed.due <= now));
        let due: Vec<_> = due.map(|(id, _)| id.clone()).collect();
        for id in due {
            self.enter(&id, emit);
            self.tell_failed(&id, emit);
        }
        let over = self.sessions.iter().filter(|(_, native)| native.turn.idle.is_some_and(|due| due <= now));
        let over: Vec<_> = over.map(|(id, _)| id.clone()).collect();
        for id in over {
            self.enter(&id, emit);
            self.close_turn(&id, true, emit);
        }
    }
}

/// The session that an event names: beside its content or in it.
fn session_of<'a>(kind: &str, body: Value<'a>) -> Option<&'a str> {
    let direct = body.get("sessionID").and_then(Value::str);
    let within = |key: &str, name: &str| body.get(key).and_then(|inner| inner.get(name)).and_then(Value::str);
    let inner = || within("info", "sessionID").or_else(|| within("part", "sessionID"));
    let own = || within("info", "id").filter(|_| kind.starts_with("session."));
    direct.or_else(inner).or_else(own).filter(|id| !id.is_empty())
}

impl State {
    /// An event of a server's stream, or one that has waited.
    pub(super) fn frame(&mut self, line: Value<'_>, stream: Option<&str>, emit: &mut Emit<'_>) {
        let Some(mut frame) = read::<Frame<'_>>(line, emit) else { return };
        let mut event = line;
        if let Some(payload) = frame.payload.filter(|payload| payload.is_object()) {
            // Around it stands only which project it is of.
            event = payload;
            frame = read::<Frame<'_>>(payload, emit).unwrap_or_default();
        }
        let kind = frame.r#type.unwrap_or_default();
        emit.kind(kind);
        if kind == "server.connected" && stream.is_some_and(|stream| self.streams.knows(stream)) {
            self.miss_words();
        }
        if stream.is_some_and(|stream| self.streams.repeats(stream, streams::key(frame.id, event))) {
            emit.ignore("told on another stream");
            return;
        }
        if kind == "sync" || frame.copy.is_some() {
            emit.ignore("copy");
            return;
        }
        let body = frame.body.unwrap_or(event);
        let session = session_of(kind, body);
        let about_session = matches!(kind, "session.created" | "session.updated" | "session.deleted");
        if let Some(session) = session {
            if self.deleted.contains(session) {
                emit.ignore("late");
                return;
            }
            if self.unlinked.contains_key(session) && !about_session {
                return self.wait(session, kind, event, emit);
            }
        }
        match session {
            Some(session) => {
                self.of_session(kind, session, event, body, emit);
                self.end_if_idle(session, emit);
                if !self.unlinked.is_empty() {
                    self.hear_children(session, emit);
                }
            }
            None => self.of_nobody(kind, event, body, emit),
        }
    }

    fn of_session(&mut self, kind: &str, session: &str, event: Value<'_>, body: Value<'_>, emit: &mut Emit<'_>) {
        match kind {
            "session.created" | "session.updated" | "session.deleted" | "session.status" | "session.idle"
            | "session.error" | "session.diff" | "session.compacted" => self.session_event(kind, session, body, emit),
            "message.updated"
            | "message.removed"
            | "message.part.updated"
            | "message.part.delta"
            | "message.part.removed" => {
                let native = self.enter(session, emit);
                if *native.dialect.get_or_insert(Dialect::Messages) == Dialect::Messages {
                    self.message_event(kind, session, body, emit);
                } else {
                    emit.ignore("told in the newer dialect");
                }
            }
            "permission.asked"
            | "permission.updated"
            | "permission.v2.asked"
            | "permission.replied"
            | "permission.v2.replied" => {
                self.enter(session, emit);
                self.settle_prompt(session, emit);
                if let Some(permission) = read::<Permission<'_>>(body, emit) {
                    self.permission(kind, session, &permission, emit);
                }
            }
            "question.asked"
            | "question.v2.asked"
            | "question.replied"
            | "question.v2.replied"
            | "question.rejected"
            | "question.v2.rejected" => {
                self.enter(session, emit);
                self.settle_prompt(session, emit);
                if let Some(asked) = read::<Asked<'_>>(body, emit) {
                    self.question(kind, session, &asked, emit);
                }
            }
            "todo.updated" => self.todos(session, body, emit),
            "command.executed" => emit.ignore("shown by its message"),
            _ if kind.starts_with("session.next.") => self.next_event(kind, session, body, emit),
            _ if is_of_the_server(kind) => emit.ignore("of the server"),
            _ => {
                self.enter(session, emit);
                let agent = self.agent_of(session);
                emit.unknown(event.json(), agent.as_deref());
            }
        }
    }

    /// What names no session.
    fn of_nobody(&mut self, kind: &str, event: Value<'_>, body: Value<'_>, emit: &mut Emit<'_>) {
        match kind {
            "server.heartbeat" => emit.ignore("heartbeat"),
            "session.error" => {
                // A failure that names no session is everyone's.
                let open = self.sessions.iter().filter(|(_, native)| native.agent.is_none());
                let ids: Vec<_> = open.map(|(id, _)| id.clone()).collect();
                for id in &ids {
                    self.session_event(kind, id, body, emit);
                }
                if ids.is_empty() {
                    self.unplaced_failure(body, emit);
                }
                emit.ignore("nothing new");
            }
            "server.instance.disposed" | "global.disposed" => self.disposed(emit),
            _ if is_of_the_server(kind) => emit.ignore("of the server"),
            _ => emit.unknown(event.json(), None),
        }
    }

    /// A failure before there is any session.
    fn unplaced_failure(&mut self, body: Value<'_>, emit: &mut Emit<'_>) {
        let error = body.get("error");
        let name = error.and_then(|error| error.get("name")).and_then(Value::str);
        let message = error.and_then(|error| error.get("data")?.get("message")?.text());
        let message = message.or_else(|| name.map(Text::from)).unwrap_or_else(|| Text::from("unknown"));
        self.last_error = Some(message.to_string());
        let details = error.map(Value::json);
        emit.error(ErrorData { message, code: name.map(Cow::Borrowed), details, ..ErrorData::default() });
    }

    fn session_event(&mut self, kind: &str, session: &str, body: Value<'_>, emit: &mut Emit<'_>) {
        let Some(event) = &read::<SessionEvent<'_>>(body, emit) else { return };
        match kind {
            "session.created" | "session.updated" => match &event.info {
                Some(info) => self.session_info(info, emit),
                None => emit.ignore("nothing new"),
            },
            "session.deleted" => self.session_deleted(session, emit),
            _ => {
                self.enter(session, emit);
                self.of_known_session(kind, session, event, body, emit);
            }
        }
    }

    fn of_known_session(
        &mut self,
        kind: &str,
        session: &str,
        event: &SessionEvent<'_>,
        body: Value<'_>,
        emit: &mut Emit<'_>,
    ) {
        match (kind, &event.status, &event.error) {
            ("session.status", Some(status), _) => {
                let value = body.get("status").unwrap_or(body);
                self.status(session, status, value, emit);
            }
            ("session.idle", ..) => self.idle(session, emit),
            ("session.error", _, Some(failure)) => {
                self.settle_prompt(session, emit);
                self.failure(session, failure, body, emit);
            }
            ("session.diff", ..) => self.changes(session, event.diff.as_deref().unwrap_or_default(), emit),
            ("session.compacted", ..) => {
                self.settle_prompt(session, emit);
                let agent = self.agent_of(session);
                emit.status(StatusLabel::Compaction, Some(Text::from("compacted")), agent.as_deref());
            }
            _ => emit.ignore("nothing new"),
        }
    }

    fn message_event(&mut self, kind: &str, session: &str, body: Value<'_>, emit: &mut Emit<'_>) {
        let Some(event) = &read::<MessageEvent<'_>>(body, emit) else { return };
        let message = event.message.unwrap_or_default();
        match (kind, &event.info, event.part) {
            ("message.updated", Some(info), _) => self.message_updated(session, info, emit),
            ("message.removed", ..) => self.message_removed(session, message, emit),
            ("message.part.updated", _, Some(part)) => {
                self.part_updated(session, part, event.delta.as_ref(), emit);
            }
            ("message.part.delta", ..) => {
                let part = event.part_id.unwrap_or_default();
                if message.is_empty() || event.field.is_some_and(|field| field != "text") {
                    emit.ignore("of a field that is not shown");
                    return;
                }
                let session = &self.home(session, message, emit);
                self.adopt(session, message, emit);
                match &event.delta {
                    Some(delta) => {
                        self.expect_part(message, part);
                        self.text_delta(message, part, false, delta, emit);
                    }
                    None => emit.ignore("empty delta"),
                }
            }
            ("message.part.removed", ..) => {
                self.part_removed(message, event.part_id.unwrap_or_default(), emit);
            }
            _ => emit.ignore("nothing new"),
        }
    }

    /// The list of things to do. Where a call has made it, its result shows it.
    fn todos(&mut self, session: &str, body: Value<'_>, emit: &mut Emit<'_>) {
        self.enter(session, emit);
        let open = self.tools.values().any(|tool| tool.session == session && tool.name.starts_with("todo"));
        let list = body.get("todos").filter(|list| list.is_array());
        let Some(list) = list.filter(|_| !open) else {
            emit.ignore("shown by its call");
            return;
        };
        let todos = Some(tools::todo_list(list));
        let part = StatusPart { label: StatusLabel::Notice, todos, ..StatusPart::default() };
        emit.status_with(part, None, self.agent_of(session).as_deref(), false);
    }

    /// The host has deleted a session.
    fn session_deleted(&mut self, session: &str, emit: &mut Emit<'_>) {
        self.deleted.insert(session.to_owned());
        self.unlinked.remove(session);
        let Some(native) = self.sessions.get(session) else {
            emit.ignore("nothing of it was shown");
            return;
        };
        emit.select(native.index);
        if native.agent.is_some() {
            emit.ignore("of a subagent");
            return;
        }
        self.settle(session, emit);
        let (reason, terminated_by) = (EndReason::Terminated, TerminatedBy::Daemon);
        emit.end_session(SessionEndedData { reason, terminated_by, ..SessionEndedData::default() });
        self.forget_session(session);
    }

    /// The server lets go of its project: what was running is over.
    fn disposed(&mut self, emit: &mut Emit<'_>) {
        let roots = self.sessions.iter().filter(|(_, native)| native.agent.is_none());
        let roots: Vec<_> = roots.map(|(id, native)| (id.clone(), native.index)).collect();
        for (id, index) in roots {
            emit.select(index);
            self.settle(&id, emit);
            if emit.session().turn_id().is_some() {
                self.native(&id).turn.interrupted = true;
                self.end_turn(&id, emit);
            }
        }
        emit.ignore("of the server");
    }

    /// Whether the session has nothing more to say in its turn, as far as can be told from what there is.
    fn is_over(&self, session: &str) -> bool {
        let idle = self.sessions.get(session).is_some_and(|native| native.turn.idle.is_some());
        idle || (!self.has_open(session) && (self.stored || self.run.is_some()))
    }

    /// A request failed, and no event has explained it.
    pub(super) fn tell_failed(&mut self, session: &str, emit: &mut Emit<'_>) {
        let Some(failed) = self.native(session).failed.take() else { return };
        self.last_error = Some(failed.message.clone());
        let error = ErrorData {
            message: Text::from(failed.message),
            code: Some(Cow::Owned(failed.code)),
            details: Some(Json::from_text(failed.body)),
            ..ErrorData::default()
        };
        emit.caused_by(failed.cause, |emit| emit.error(error));
    }
}

/// Events of the server, of its projects and of its user interface: nothing that a session's reader would look for.
fn is_of_the_server(kind: &str) -> bool {
    let groups = [
        "server.",
        "plugin.",
        "catalog.",
        "integration.",
        "reference.",
        "project.",
        "vcs.",
        "pty.",
        "tui.",
        "lsp.",
        "mcp.",
        "installation.",
        "models-dev.",
        "workspace.",
        "worktree.",
        "file.",
        "ide.",
        "global.",
        "storage.",
        "command.",
    ];
    groups.iter().any(|group| kind.starts_with(group))
}

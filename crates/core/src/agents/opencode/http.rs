//! The bodies of requests and of their responses: what the host asked for, and what came of it.

use std::borrow::Cow;

use interlinear_schema::{ErrorData, Text};

use super::messages::prompt_message;
use super::state::{Dialect, FailedRequest, State};
use super::wire::{Failure, Info, SessionInfo};
use crate::agents::read;
use crate::emit::Emit;
use crate::hash;
use crate::json::Value;

/// So long an event may take to explain why a request failed.
const EXPLAINED_WITHIN: i64 = 1000;

/// A request, taken apart.
struct Request<'r> {
    method: &'r str,
    /// The newer API.
    api: bool,
    /// The path without its query.
    steps: Vec<&'r str>,
}

impl<'r> Request<'r> {
    fn new(request: &'r str) -> Self {
        let (method, path) = request.split_once(' ').unwrap_or(("GET", request));
        let path = path.split(['?', '#']).next().unwrap_or_default();
        let mut steps: Vec<_> = path.split('/').filter(|step| !step.is_empty()).collect();
        let api = steps.first() == Some(&"api");
        if api {
            steps.remove(0);
        }
        Self { method, api, steps }
    }

    /// Its kind, without identifiers.
    fn kind(&self) -> String {
        let is_id = |step: &str| {
            step.len() > 8 && step.contains('_') && step.split('_').next().is_some_and(|head| head.len() == 3)
        };
        let steps = self.steps.iter().map(|step| if is_id(step) { "{id}" } else { step });
        let steps: Vec<_> = steps.collect();
        format!("{} {}/{}", self.method, if self.api { "/api" } else { "" }, steps.join("/"))
    }

    /// The session that it is about.
    fn session(&self) -> Option<&'r str> {
        match self.steps[..] {
            ["session", id, ..] if id.starts_with("ses_") => Some(id),
            _ => None,
        }
    }

    /// What is asked of the session.
    fn verb(&self) -> &'r str {
        match self.steps[..] {
            ["session", _, verb, ..] => verb,
            _ => "",
        }
    }

    /// The request of the agent that it answers.
    fn answers(&self) -> Option<(&'r str, &'r str)> {
        match self.steps[..] {
            ["permission", id, "reply"]
            | ["session", _, "permission", id, "reply"]
            | ["session", _, "permissions", id] => Some((id, "permission")),
            ["question", id, "reply"] | ["session", _, "question", id, "reply"] => Some((id, "question")),
            ["question", id, "reject"] | ["session", _, "question", id, "reject"] => Some((id, "reject")),
            _ => None,
        }
        .filter(|_| self.method == "POST")
    }
}

impl State {
    /// What the host asks the server for.
    pub(super) fn asked(&mut self, request: &str, body: Value<'_>, emit: &mut Emit<'_>) {
        let request = Request::new(request);
        emit.kind(request.kind());
        if request.method == "GET" {
            emit.ignore("a query of the host");
            return;
        }
        if let Some((id, what)) = request.answers() {
            self.note_reply(id, what, body);
            emit.ignore("its answer follows");
            return;
        }
        let Some(session) = request.session().filter(|session| self.sessions.contains_key(*session)) else {
            emit.ignore("its answer follows");
            return;
        };
        match request.verb() {
            "message" | "prompt_async" | "prompt" if request.method == "POST" => {
                self.prompt_asked(session, body, emit);
            }
            "abort" | "interrupt" => {
                self.native(session).turn.interrupted = true;
                emit.ignore("told by the stream");
            }
            _ => emit.ignore("its answer follows"),
        }
    }

    /// Of several answers the agent takes the first.
    fn note_reply(&mut self, id: &str, what: &str, body: Value<'_>) {
        let Some(pending) = self.requests.get_mut(id).filter(|pending| pending.reply.is_none()) else { return };
        pending.reply = match what {
            "question" => body.get("answers").map(|answers| answers.raw().to_owned()),
            "reject" => Some("reject question".to_owned()),
            _ => body.get("reply").or_else(|| body.get("response")).and_then(Value::str).map(str::to_owned),
        };
    }

    /// A prompt. The stream shows it, if there is one.
    fn prompt_asked(&mut self, session: &str, body: Value<'_>, emit: &mut Emit<'_>) {
        let no_reply = body.get("noReply").and_then(Value::bool) == Some(true);
        if self.streaming {
            self.native(session).no_reply = no_reply;
            emit.ignore("told by the stream");
            return;
        }
        self.enter(session, emit);
        if !no_reply {
            self.begin_turn(session, None, true, emit);
        }
        let native = body.get("messageID").and_then(Value::str).unwrap_or_default();
        let parts: Vec<_> = body.get("parts").into_iter().flat_map(Value::elements).collect();
        prompt_message(native, &parts, emit);
        let texts = parts.iter().filter_map(|part| part.get("text")).filter_map(Value::text);
        let sent = texts.fold(hash::of(b""), |sum, text| hash::more(sum, &text.as_wtf8()));
        self.native(session).sent.push(sent);
    }

    /// What the server answers.
    pub(super) fn answered(&mut self, request: &str, status: Option<u16>, body: Value<'_>, emit: &mut Emit<'_>) {
        let request = Request::new(request);
        emit.kind(request.kind());
        let status = status.unwrap_or(200);
        if status >= 400 {
            return self.refused(&request, status, body, emit);
        }
        if let Some((id, _)) = request.answers() {
            return self.reply_accepted(id, emit);
        }
        let opened = matches!(request.steps[..], ["session"] | ["session", _, "fork"]) && request.method == "POST";
        if opened {
            let info = if request.api { body.get("data").unwrap_or(body) } else { body };
            return self.session_opened(info, request.api, emit);
        }
        if let (Some(id), "GET", "") = (request.session(), request.method, request.verb())
            && self.sessions.contains_key(id)
            && let Some(info) = read::<SessionInfo<'_>>(body, emit)
        {
            self.native(id).resumes = false;
            return self.session_info(&info, emit);
        }
        let answers = matches!(request.verb(), "message" | "command" | "shell") && request.method == "POST";
        if answers && !self.streaming {
            return self.answer(&request, body, emit);
        }
        if request.method == "DELETE" && matches!(request.steps[..], ["session", _]) && !self.streaming {
            emit.ignore("of the server");
            return;
        }
        emit.ignore(if request.method == "GET" { "a query of the host" } else { "told by the stream" });
    }

    /// The host has opened a session, or a copy of one: it is one of its own, whatever it hangs below.
    fn session_opened(&mut self, body: Value<'_>, api: bool, emit: &mut Emit<'_>) {
        let Some(info) = read::<SessionInfo<'_>>(body, emit) else {
            emit.ignore("no session");
            return;
        };
        let Some(id) = info.id.filter(|id| !id.is_empty()) else {
            emit.ignore("no session");
            return;
        };
        self.enter(id, emit);
        if let Some(chosen) = self.chosen_ahead.remove(&emit.selected()) {
            self.native(id).chosen = chosen;
        }
        if api {
            self.native(id).dialect = Some(Dialect::Next);
        }
        self.hear(id, emit);
        self.session_info(&info, emit);
    }

    /// Without a stream, the response is all there is of the answer.
    fn answer(&mut self, request: &Request<'_>, body: Value<'_>, emit: &mut Emit<'_>) {
        let (Some(session), Some(value)) = (request.session(), body.get("info")) else {
            emit.ignore("no message");
            return;
        };
        self.enter(session, emit);
        let Some(info) = read::<Info<'_>>(value, emit) else { return };
        self.message_updated(session, &info, emit);
        for part in body.get("parts").into_iter().flat_map(Value::elements) {
            self.part_updated(session, part, None, emit);
        }
        self.idle(session, emit);
    }

    /// A request was refused. A failure within the server is explained by an event, which may come later.
    fn refused(&mut self, request: &Request<'_>, status: u16, body: Value<'_>, emit: &mut Emit<'_>) {
        if request.method == "GET" {
            let session = request.session().filter(|_| request.verb().is_empty());
            let resumed =
                session.and_then(|id| Some((id, self.sessions.get(id).filter(|native| native.resumes)?.index)));
            let Some((id, index)) = resumed else {
                emit.ignore("a query of the host");
                return;
            };
            // The session that was to go on is not there.
            emit.select(index);
            emit.forget_native_session();
            emit.keep_session();
            self.forget_session(id);
        }
        if !matches!(request.steps.first(), Some(&("session" | "permission" | "question"))) {
            emit.ignore("of the server");
            return;
        }
        // An answer that was not taken may be given again.
        if let Some(pending) = request.answers().and_then(|(id, _)| self.requests.get_mut(id)) {
            pending.reply = None;
        }
        if request.session().is_none() || request.verb() == "fork" {
            emit.keep_session();
        }
        let failure = read_failure(body);
        let code = failure.name.map_or_else(|| format!("http_{status}"), str::to_owned);
        let inner = failure.data.and_then(|data| data.get("message")).and_then(Value::text);
        let message = inner.or_else(|| failure.message.clone());
        let message =
            message.unwrap_or_else(|| Text::from(format!("the server answered {status} to {}", request.kind())));
        let session = request.session().filter(|session| self.sessions.contains_key(*session));
        let Some(session) = session else {
            self.last_error = Some(message.to_string());
            let details = body.is_object().then(|| body.json());
            emit.error(ErrorData { message, code: Some(Cow::Owned(code)), details, ..ErrorData::default() });
            return;
        };
        self.enter(session, emit);
        let explained = self.native(session).told.is_some() && status >= 500;
        if explained {
            emit.ignore("told by the stream");
            return;
        }
        let due = if status >= 500 { emit.book.now + EXPLAINED_WITHIN } else { emit.book.now };
        let (message, body) = (message.to_str_lossy().into_owned(), body.raw().to_owned());
        self.native(session).failed = Some(FailedRequest { code, message, body, due, cause: emit.kept_cause() });
        if status >= 500 && self.streaming {
            emit.ignore("an event may explain it");
        } else {
            self.tell_failed(session, emit);
        }
    }
}

/// What a response says of its failure; what else stands in it is nobody's drift.
fn read_failure(body: Value<'_>) -> Failure<'_> {
    let text = |key: &str| body.get(key).and_then(Value::str);
    Failure {
        name: text("name").or_else(|| text("_tag")),
        message: body.get("message").and_then(Value::text),
        data: body.get("data"),
        ..Failure::default()
    }
}

//! The only place where events are made: identifiers, sequence, time, and the lifecycle rules of the contract.
//!
//! An agent's code says what it read ([`Emit::open`], [`Emit::delta`], [`Emit::result`] …); whatever it says, in
//! whatever order, the stream that comes out keeps the contract.

mod calls;
mod items;
mod outputs;
mod requests;
mod session;
mod waiting;

use std::borrow::Cow;

use interlinear_schema::{
    ContentPart, ErrorData, EventData, EventSource, ItemKind, ItemStatus, Json, JsonPart, StatusLabel, StatusPart,
    Text, UniversalEvent, UnparsedData,
};

pub(crate) use calls::CallSpec;
pub(crate) use items::{Ref, Spec};
pub(crate) use session::Session;

use crate::api::DriftKind;
use crate::book::Book;
use crate::sink::Sink;

/// Makes the events of one line, command or signal.
pub(crate) struct Emit<'e> {
    pub(crate) book: &'e mut Book,
    sink: &'e mut dyn Sink,
    /// The JSON text of what caused the events.
    cause: Option<Cow<'e, str>>,
    /// The session that events go to.
    current: usize,
    /// How many events this line caused so far.
    events: u64,
    /// Why this line is ignored, if it is.
    ignored: Option<&'static str>,
    /// What kind of line it is.
    kind: Cow<'static, str>,
}

impl<'e> Emit<'e> {
    pub(crate) fn new(book: &'e mut Book, sink: &'e mut dyn Sink, cause: Option<Cow<'e, str>>) -> Self {
        // What names no session goes to the first that is not over.
        let current = book.sessions.iter().position(|session| !session.has_ended()).unwrap_or(0);
        Self { book, sink, cause, current, events: 0, ignored: None, kind: Cow::Borrowed("") }
    }

    /// Names the kind of the line, for the report.
    pub(crate) fn kind(&mut self, kind: impl Into<Cow<'static, str>>) {
        self.kind = kind.into();
    }

    /// The line is ignored on purpose.
    pub(crate) fn ignore(&mut self, reason: &'static str) {
        self.ignored.get_or_insert(reason);
    }

    /// The kind of the line, how many events it caused, and why it caused none.
    pub(crate) fn outcome(self) -> (Cow<'static, str>, u64, Option<&'static str>) {
        let ignored = if self.session().refused { Some("second session") } else { self.ignored };
        (self.kind, self.events, ignored)
    }

    /// Something smaller than the line, or a line that had to wait, causes the events from here on. Returns what did
    /// before.
    pub(crate) fn set_cause(&mut self, cause: Option<Cow<'e, str>>) -> Option<Cow<'e, str>> {
        std::mem::replace(&mut self.cause, cause)
    }

    /// The session that the events go to from here on.
    pub(crate) fn select(&mut self, session: usize) {
        self.current = session;
    }

    /// Which session that is.
    pub(crate) fn selected(&self) -> usize {
        self.current
    }

    pub(crate) fn session(&self) -> &Session {
        &self.book.sessions[self.current]
    }

    fn session_mut(&mut self) -> &mut Session {
        &mut self.book.sessions[self.current]
    }

    /// Time stands in the transcript: the events that follow carry it, unless it is earlier than what was.
    pub(crate) fn at(&mut self, ms: i64) {
        self.book.now = ms;
    }

    /// Numbers, stamps and hands over one event.
    fn send(&mut self, synthetic: bool, data: EventData<'_>) {
        self.begin_session();
        self.send_now(synthetic, data);
    }

    fn send_now(&mut self, synthetic: bool, data: EventData<'_>) {
        let now = self.book.now;
        let session = &mut self.book.sessions[self.current];
        if session.ended {
            self.ignore("late");
            return;
        }
        session.next(now);
        let event = UniversalEvent {
            event_id: Cow::Borrowed(&session.event_id),
            sequence: session.sequence,
            time: Cow::Borrowed(&session.time_text),
            session_id: Cow::Borrowed(&session.id),
            native_session_id: session.native_id.as_deref().map(Cow::Borrowed),
            source: if synthetic { EventSource::Daemon } else { EventSource::Agent },
            synthetic,
            data,
            raw: match &self.cause {
                Some(cause) if self.book.include_raw => Json::from_text(cause.as_ref()),
                _ => Json::null(),
            },
            extra: interlinear_schema::Extra::default(),
        };
        self.sink.event(&event);
        self.book.stats.count_event(&event.data);
        self.events += 1;
    }

    /// Says something that another object than the line itself caused: an earlier line, or a part of a document.
    pub(crate) fn caused_by(&mut self, cause: Option<String>, say: impl FnOnce(&mut Self)) {
        let before = cause.map(|cause| self.cause.replace(Cow::Owned(cause)));
        say(self);
        if let Some(before) = before {
            self.cause = before;
        }
    }

    /// Something a person would want to know.
    pub(crate) fn status(&mut self, label: StatusLabel<'_>, detail: Option<Text<'_>>, agent: Option<&str>) {
        self.status_with(StatusPart { label, detail, ..StatusPart::default() }, None, agent, false);
    }

    /// The same, with more to it.
    pub(crate) fn status_with(
        &mut self,
        part: StatusPart<'_>,
        json: Option<Json<'_>>,
        agent: Option<&str>,
        synthetic: bool,
    ) {
        let mut content = vec![ContentPart::Status(part)];
        content.extend(json.map(|json| ContentPart::Json(JsonPart { json, ..JsonPart::default() })));
        let spec = Spec { kind: ItemKind::Status, agent, ..Spec::default() };
        self.item(&spec, ItemStatus::Completed, content, synthetic);
    }

    /// Facts about the session: those that are new or changed become a status.
    pub(crate) fn facts(&mut self, facts: &[(&'static str, Option<Json<'_>>)]) {
        let session = self.session_mut();
        let mut changed = String::new();
        for (name, value) in facts {
            let Some(value) = value else { continue };
            if session.facts.get(*name).is_some_and(|known| known == value.as_str()) {
                continue;
            }
            session.facts.insert((*name).to_owned(), value.as_str().to_owned());
            changed.push(if changed.is_empty() { '{' } else { ',' });
            changed.push('"');
            changed.push_str(name);
            changed.push_str("\":");
            changed.push_str(value.as_str());
        }
        if changed.is_empty() {
            self.ignore("nothing new");
            return;
        }
        changed.push('}');
        let part = StatusPart { label: StatusLabel::Session, ..StatusPart::default() };
        self.status_with(part, Some(Json::from_text(changed)), None, false);
    }

    /// A fact that needs no status of its own: it is known from here on.
    pub(crate) fn know(&mut self, name: &str, value: &Json<'_>) {
        self.session_mut().facts.insert(name.to_owned(), value.as_str().to_owned());
    }

    pub(crate) fn knows(&self, name: &str, value: &Json<'_>) -> bool {
        self.session().facts.get(name).is_some_and(|known| known == value.as_str())
    }

    /// Facts, where saying nothing new is no reason to ignore the line.
    pub(crate) fn learn(&mut self, facts: &[(&'static str, Option<Json<'_>>)]) {
        let new = facts.iter().any(|(name, value)| value.as_ref().is_some_and(|value| !self.knows(name, value)));
        if new {
            self.facts(facts);
        }
    }

    /// Something failed.
    pub(crate) fn error(&mut self, mut error: ErrorData<'_>) {
        self.begin_session();
        let turn = self.session().turn_id().map(str::to_owned);
        error.turn_id = turn.map(Cow::Owned);
        self.send(false, EventData::Error(error));
    }

    /// A command that the agent cannot do.
    pub(crate) fn unsupported(&mut self, what: &str) {
        let message = format!("{} cannot do this: {what}", self.book.agent_name());
        let error = ErrorData { message: message.into(), code: Some("unsupported".into()), ..ErrorData::default() };
        self.send(true, EventData::Error(error));
    }

    /// Text that is not JSON.
    pub(crate) fn output(&mut self, text: &str, synthetic: bool) {
        let part = StatusPart { label: StatusLabel::Output, detail: Some(text.into()), ..StatusPart::default() };
        self.status_with(part, None, None, synthetic);
    }

    /// A line of a kind that is not known yet: it is kept whole.
    pub(crate) fn unknown(&mut self, json: Json<'_>, agent: Option<&str>) {
        let kind = self.kind.clone();
        self.book.drift.note(DriftKind::Kind, "", &kind);
        let spec = Spec { kind: ItemKind::Unknown, agent, ..Spec::default() };
        let content = vec![ContentPart::Json(JsonPart { json, ..JsonPart::default() })];
        self.item(&spec, ItemStatus::Completed, content, false);
    }

    /// A line that cannot be read.
    pub(crate) fn unparsed(&mut self, error: &str, location: &str, hash: u64) {
        self.book.stats.unparsed += 1;
        let data = UnparsedData {
            error: Cow::Borrowed(error),
            location: Cow::Borrowed(location),
            raw_hash: Some(Cow::Owned(crate::hash::hex(hash))),
            ..UnparsedData::default()
        };
        self.send(true, EventData::Unparsed(data));
    }
}

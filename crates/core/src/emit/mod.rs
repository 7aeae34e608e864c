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
    Again, ContentPart, ErrorData, EventData, ItemKind, ItemStatus, Json, StatusLabel, StatusPart, Text, UnparsedData,
};

pub(crate) use calls::CallSpec;
pub(crate) use items::{Ref, Spec};
pub(crate) use session::Session;

use crate::api::DriftKind;
use crate::book::{Book, Counts};
use crate::json::Tape;
use crate::map::{Hashes, Key as _};
use crate::repeat::Repeatable;
use crate::sink::{Outcome, Sink};

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
    /// What the line did, if the next one may do the same.
    repeatable: Option<Repeatable>,
    /// The line repeats an earlier one.
    repeated: bool,
}

/// Appends `_` and a number. Much cheaper than formatting it.
fn push_number(text: &mut String, number: u64) {
    text.push('_');
    push_digits(text, number);
}

fn push_digits(text: &mut String, number: u64) {
    if number > 9 {
        push_digits(text, number / 10);
    }
    text.push(char::from(b'0' + (number % 10) as u8));
}

/// Makes an identifier one that was not given yet, and notes it.
pub(crate) fn make_unique(id: &mut String, given: &mut Hashes, hash: impl Fn(&str) -> u64) {
    let bare = hash(id);
    if !given.insert(bare) {
        let number = add_number(id, given, &hash);
        given.insert(hash(id));
        given.note_number(bare, number);
    }
}

/// Adds a number to an identifier that was given before: the first with which it was not, which it returns.
fn add_number(id: &mut String, given: &Hashes, hash: impl Fn(&str) -> u64) -> u64 {
    let length = id.len();
    let last = given.last_number(hash(id));
    let mut is_taken = |count| {
        id.truncate(length);
        push_number(id, count);
        given.contains(hash(id))
    };
    // Numbers are given in their order, so that the first free one is found by halves: an identifier may come often.
    let (mut taken, mut free) = (last, last + 1);
    while is_taken(free) {
        (taken, free) = (free, free + 2 * (free - last));
    }
    while free - taken > 1 {
        let middle = taken.midpoint(free);
        if is_taken(middle) {
            taken = middle;
        } else {
            free = middle;
        }
    }
    is_taken(free);
    free
}

/// An event that is about to be handed over: its data may borrow from its session.
struct Next<'n> {
    session: &'n Session,
    stats: &'n mut Counts,
    sink: &'n mut dyn Sink,
    raw: Json<'n>,
}

impl<'n> Next<'n> {
    fn send(self, synthetic: bool, data: EventData<'n>) {
        self.stats.count_event(&data);
        self.sink.event(&self.session.event(synthetic, data, self.raw));
    }

    /// The same, if only the text differs from that of the event before.
    fn send_again(&mut self, text: &Text<'_>) -> bool {
        let Session { id, sequence, .. } = self.session;
        let sent = self.sink.again(&Again { session_id: id, sequence: *sequence, text, raw: &self.raw });
        if sent {
            self.stats.count_delta();
        }
        sent
    }
}

impl<'e> Emit<'e> {
    pub(crate) fn new(book: &'e mut Book, sink: &'e mut dyn Sink, cause: Option<Cow<'e, str>>) -> Self {
        // What names no session goes to the first that is not over.
        let current = book.first_open().unwrap_or(0);
        book.kind.clear();
        Self { book, sink, cause, current, events: 0, ignored: None, repeatable: None, repeated: false }
    }

    /// For a line that repeats an earlier one of this session.
    pub(crate) fn repeated(
        book: &'e mut Book,
        sink: &'e mut dyn Sink,
        cause: Option<Cow<'e, str>>,
        session: usize,
    ) -> Self {
        Self { book, sink, cause, current: session, events: 0, ignored: None, repeatable: None, repeated: true }
    }

    /// Names the kind of the line, for the report.
    pub(crate) fn kind(&mut self, kind: impl AsRef<str>) {
        self.book.kind.clear();
        self.book.kind.push_str(kind.as_ref());
    }

    /// The same, for a kind of several: `system/init`.
    pub(crate) fn kind_of(&mut self, kind: &str, subtype: &str) {
        self.kind(kind);
        self.book.kind.push('/');
        self.book.kind.push_str(subtype);
    }

    /// The line is ignored on purpose.
    pub(crate) fn ignore(&mut self, reason: &'static str) {
        self.ignored.get_or_insert(reason);
    }

    /// What became of the line.
    pub(crate) fn outcome(&self) -> Outcome<'static> {
        let ignored = if self.session().refused { Some("second session") } else { self.ignored };
        if self.events > 0 { Outcome::Mapped } else { Outcome::Ignored(ignored.unwrap_or("nothing new")) }
    }

    /// What the line did, if it did nothing else and the next one may do the same.
    pub(crate) fn repeatable(&self) -> Option<Repeatable> {
        self.repeatable.filter(|_| self.events <= 1)
    }

    /// Text was added to a part, and that is all there is to the line: one that differs in nothing but `text`, right
    /// after it, would only add its own, by [`crate::agents::Adapter::grow`].
    pub(crate) fn repeats(&mut self, item: Ref, part: usize, text: &Text<'_>) {
        let session = self.current;
        self.repeatable = text.source().map(|source| Repeatable {
            session,
            item,
            part,
            address: source.as_ptr().addr(),
            length: source.len(),
        });
    }

    /// There is more to the line than the text that was added.
    pub(crate) fn does_not_repeat(&mut self) {
        self.repeatable = None;
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
    pub(crate) fn at(&mut self, ms: i64) -> i64 {
        std::mem::replace(&mut self.book.now, ms)
    }

    /// Numbers, stamps and hands over one event.
    fn send(&mut self, synthetic: bool, data: EventData<'_>) {
        self.begin_session();
        self.send_now(synthetic, data);
    }

    fn send_now(&mut self, synthetic: bool, data: EventData<'_>) {
        if let Some(next) = self.next() {
            next.send(synthetic, data);
        }
    }

    /// The next event, numbered and stamped. Nothing if the session is over.
    fn next(&mut self) -> Option<Next<'_>> {
        let Book { sessions, stats, include_raw, now, .. } = &mut *self.book;
        let session = &mut sessions[self.current];
        if session.ended {
            self.ignored.get_or_insert("late");
            return None;
        }
        session.next(*now);
        self.events += 1;
        let raw = self.cause.as_deref().filter(|_| *include_raw).map_or(Json::null(), Json::from_text);
        Some(Next { session, stats, sink: self.sink, raw })
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

    /// The session's title; said once.
    pub(crate) fn title(&mut self, title: Option<Text<'_>>) {
        let Some(title) = title.filter(|title| !title.is_empty()) else { return };
        let json = Json::of(&title);
        if !self.knows("title", &json) {
            self.know("title", &json);
            self.status(StatusLabel::Title, Some(title), None);
        }
    }

    /// Something a person would want to know, with more to it.
    pub(crate) fn status_with(
        &mut self,
        part: StatusPart<'_>,
        json: Option<Json<'_>>,
        agent: Option<&str>,
        synthetic: bool,
    ) {
        let mut content = Vec::with_capacity(2);
        content.push(ContentPart::Status(part));
        content.extend(json.map(ContentPart::json));
        let spec = Spec { kind: ItemKind::Status, agent, ..Spec::default() };
        self.item(&spec, ItemStatus::Completed, content, synthetic);
    }

    /// Facts about the session: those that are new or changed become a status.
    pub(crate) fn facts(&mut self, facts: &[(&'static str, Option<Json<'_>>)]) {
        let session = self.session_mut();
        let mut changed = String::new();
        for (name, value) in facts {
            let Some(value) = value else { continue };
            let known = session.facts.or_default(*name);
            if known.as_str().is(value.as_str()) {
                continue;
            }
            value.as_str().clone_into(known);
            if changed.is_empty() {
                // Mostly all have changed, or none.
                let length = |value: &Option<Json<'_>>| value.as_ref().map_or(0, |value| value.as_str().len());
                changed.reserve(facts.iter().map(|(name, value)| name.len() + 4 + length(value)).sum::<usize>() + 1);
            }
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
        value.as_str().clone_into(self.session_mut().facts.or_default(name));
    }

    pub(crate) fn knows(&self, name: &str, value: &Json<'_>) -> bool {
        self.session().facts.get(name).is_some_and(|known| known.as_str().is(value.as_str()))
    }

    /// What is known of the session under this name, if that is a text.
    pub(crate) fn fact(&self, name: &str) -> Option<String> {
        let mut tape = Tape::default();
        let known = self.session().facts.get(name)?;
        tape.read(known).ok()?.str().map(str::to_owned)
    }

    /// A text as a fact; nothing if it is known already.
    pub(crate) fn new_text<'t>(&self, name: &str, text: Option<&str>) -> Option<Json<'t>> {
        let is_known = |text: &&str| {
            // JSON that has no escapes is the text itself.
            let known = self.session().facts.get(name).and_then(|known| known.strip_prefix('"')?.strip_suffix('"'));
            known.is_some_and(|known| known.is(text)) && !text.contains('\\')
        };
        text.filter(|text| !is_known(text)).map(Json::of)
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
        self.book.drift.note(DriftKind::Kind, "", &self.book.kind);
        let spec = Spec { kind: ItemKind::Unknown, agent, ..Spec::default() };
        let content = vec![ContentPart::json(json)];
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

#[cfg(test)]
mod tests {
    use super::*;

    /// More names than numbers are remembered of: what was forgotten is found again.
    #[test]
    fn what_comes_again_gets_the_next_number() {
        let mut given = Hashes::default();
        for round in 1..=5 {
            for name in 0..6000 {
                let mut id = format!("name{name}");
                make_unique(&mut id, &mut given, |id| crate::hash::of(id.as_bytes()));
                let expected = if round == 1 { format!("name{name}") } else { format!("name{name}_{round}") };
                assert_eq!(id, expected);
            }
        }
    }
}

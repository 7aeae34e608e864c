//! The contract, as a function: what every stream of universal events keeps, whatever the agent does.
//!
//! Everything that can be seen from the events alone is checked, event by event. What is remembered of an item,
//! a call or a request that is finished is a hash of its identifier; texts are kept only while their item is open.

mod items;
mod requests;
mod session;
mod text;
mod time;

use interlinear_schema::tape::{Tape, Value};
use interlinear_schema::{FromJson as _, UniversalEvent};

use crate::api::Break;
use crate::map::{Hashes, Map};
use session::Session;

/// Checks a stream of events, event by event, of one or several sessions.
#[derive(Debug, Default)]
pub struct Checker {
    raw: RawExpected,
    sessions: Map<String, Session>,
    event_ids: Hashes,
    breaks: Vec<Break>,
    tape: Tape<'static>,
}

/// Whether the native objects were asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum RawExpected {
    #[default]
    Either,
    Asked,
    NotAsked,
}

impl Checker {
    /// A checker that has seen nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether the stream was made with `includeRaw`: then every event of the agent's own must carry its native
    /// object, otherwise none may.
    #[must_use]
    pub fn expect_raw(mut self, asked: bool) -> Self {
        self.raw = if asked { RawExpected::Asked } else { RawExpected::NotAsked };
        self
    }

    /// The next event.
    pub fn event(&mut self, event: &UniversalEvent<'_>) {
        let mut report = Report { session_id: &event.session_id, sequence: event.sequence, breaks: &mut self.breaks };
        if event.event_id.is_empty() {
            report.broken(1, "event_id is empty");
        } else if !self.event_ids.insert(hash(&event.event_id)) {
            report.broken(1, format!("event_id {} is not unique", event.event_id));
        }
        match (self.raw, event.raw.is_null()) {
            (RawExpected::Asked, true) if !event.synthetic => {
                report.broken(4, format!("{} carries no raw, though it was asked for", event.data.type_name()));
            }
            (RawExpected::NotAsked, false) => report.broken(4, "raw is there, though nobody asked for it"),
            _ => {}
        }
        if !self.sessions.contains_key(event.session_id.as_ref()) {
            self.sessions.insert(event.session_id.to_string(), Session::default());
        }
        if let Some(session) = self.sessions.get_mut(event.session_id.as_ref()) {
            session.event(event, &mut report);
        }
    }

    /// The next event as JSON; what is no event at all is a break too.
    pub fn json(&mut self, event: &str) {
        let mut tape = std::mem::take(&mut self.tape);
        match tape.read(event) {
            Ok(value) => self.value(value),
            Err(error) => self.no_event("", 0, &format!("{} at byte {}", error.what, error.at)),
        }
        self.tape = tape.emptied();
    }

    fn value(&mut self, value: Value<'_>) {
        match UniversalEvent::from_json(value) {
            Ok(read) => {
                if value.get("raw").is_none() {
                    let (session_id, sequence) = (&read.session_id, read.sequence);
                    Report { session_id, sequence, breaks: &mut self.breaks }.broken(4, "raw is missing");
                }
                self.event(&read);
            }
            Err(error) => {
                let session_id = value.get("session_id").and_then(Value::str).unwrap_or_default();
                let sequence = value.get("sequence").and_then(Value::u64).unwrap_or_default();
                self.no_event(session_id, sequence, &error.to_string());
            }
        }
    }

    fn no_event(&mut self, session_id: &str, sequence: u64, why: &str) {
        Report { session_id, sequence, breaks: &mut self.breaks }.broken(1, format!("not an event: {why}"));
    }

    /// The breaks found since the last call. A session that has not ended may go on elsewhere; what it left open is no break.
    pub fn breaks(&mut self) -> Vec<Break> {
        std::mem::take(&mut self.breaks)
    }
}

/// Where a break is reported: the event that is being looked at.
struct Report<'a> {
    session_id: &'a str,
    sequence: u64,
    breaks: &'a mut Vec<Break>,
}

impl Report<'_> {
    fn broken(&mut self, rule: u32, message: impl Into<String>) {
        let session_id = self.session_id.to_owned();
        self.breaks.push(Break { rule, session_id, sequence: self.sequence, message: message.into() });
    }
}

/// What is remembered of an identifier that is needed only to see it again.
fn hash(id: &str) -> u64 {
    crate::hash::id(id.as_bytes())
}

#[cfg(test)]
mod tests;

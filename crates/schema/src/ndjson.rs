//! Events as lines of JSON.
//!
//! Neighbours have most of their envelope in common, and deltas of one text all of it but a number: what an event shares with
//! the one before is not put together again but copied.

use crate::event::{EventData, ItemDeltaData, UniversalEvent};
use crate::json::{IntoOwned as _, Json, ToJson as _, decimal, plain_length};
use crate::table::{same, same_option, same_text};
use crate::text::Text;

/// A delta that differs from the event before it in its session by no more than this.
#[derive(Debug, Clone, Copy)]
pub struct Again<'a> {
    /// The session.
    pub session_id: &'a str,
    /// The number of the event, which is also how its identifier ends.
    pub sequence: u64,
    /// What is added to the text.
    pub text: &'a Text<'a>,
    /// The native object.
    pub raw: &'a Json<'a>,
}

/// Writes events, one a line. Whatever came before, the bytes are those of [`crate::ToJson`].
#[derive(Debug, Default)]
pub struct Ndjson {
    /// How the identifier and the number of the event before are written.
    number: Number,
    /// The session and the time of the event before, and how they are written.
    origin: Origin,
    /// The item of the delta before, and how many of its deltas came one after the other.
    item: String,
    deltas: usize,
    /// The delta that others may repeat, without its number, its text and its native object.
    shared: Option<Shared>,
    /// Whether the event before was one of these.
    goes_on: bool,
}

/// So many deltas make it likely that more follow than it costs to prepare for them.
const MANY: usize = 4;

#[derive(Debug, Default)]
struct Origin {
    time: String,
    session: String,
    native: Option<String>,
    written: Vec<u8>,
}

impl Origin {
    /// How the session and the time of an event are written.
    fn of(&mut self, event: &UniversalEvent<'_>) -> &[u8] {
        let native = event.native_session_id.as_deref();
        let known = same_text(&self.time, &event.time)
            && same_text(&self.session, &event.session_id)
            && same_option(self.native.as_deref(), native);
        if !known || self.written.is_empty() {
            event.time.as_ref().clone_into(&mut self.time);
            event.session_id.as_ref().clone_into(&mut self.session);
            self.native = native.map(str::to_owned);
            self.written.clear();
            event.write_origin(&mut self.written);
        }
        &self.written
    }
}

/// The start of an event: its identifier, which mostly ends with its number, and the number.
#[derive(Debug, Default)]
struct Number {
    /// The number; none if the identifier does not end so, or is written with escapes.
    last: Option<u64>,
    written: Vec<u8>,
    /// Where in it the identifier's number begins.
    start: usize,
    /// Where the number ends: in the identifier, and by itself.
    ends: [usize; 2],
}

impl Number {
    /// How the identifier and the number of an event are written.
    fn of(&mut self, event: &UniversalEvent<'_>) -> &[u8] {
        let UniversalEvent { event_id, sequence, .. } = event;
        if !self.count_to(*sequence) || !same(&self.written[BEFORE.len()..self.ends[0]], event_id.as_bytes()) {
            let digits = &mut [0; 20];
            let digits = decimal(*sequence, digits);
            let name = event_id.as_bytes().strip_suffix(digits).filter(|name| plain_length(name) == name.len());
            self.last = name.map(|_| *sequence);
            self.written.clear();
            if let Some(name) = name {
                self.written.extend_from_slice(BEFORE);
                self.written.extend_from_slice(name);
                self.start = self.written.len();
                self.write(digits);
            } else {
                event.write_number(&mut self.written);
            }
        }
        &self.written
    }

    /// Goes on to the next event if this is its number.
    fn count_to(&mut self, number: u64) -> bool {
        if self.last.is_none_or(|last| last + 1 != number) {
            return false;
        }
        self.last = Some(number);
        let digits = self.ends[0] - self.start;
        if !self.ends.iter().all(|end| count_up(&mut self.written[end - digits..*end])) {
            self.write(decimal(number, &mut [0; 20]));
        }
        true
    }

    /// Writes the number and what comes after it.
    fn write(&mut self, digits: &[u8]) {
        self.written.truncate(self.start);
        self.written.extend_from_slice(digits);
        self.ends[0] = self.written.len();
        self.written.extend_from_slice(AFTER);
        self.written.extend_from_slice(digits);
        self.ends[1] = self.written.len();
    }
}

/// What stands before the identifier, and between it and the number.
const BEFORE: &[u8] = b"{\"event_id\":\"";
const AFTER: &[u8] = b"\",\"sequence\":";

#[derive(Debug)]
struct Shared {
    event: UniversalEvent<'static>,
    /// What is written between the sequence and the text, and from there to the native object, which is the last.
    between: Vec<u8>,
    after: Vec<u8>,
    /// All that is written after the text where there is no native object.
    end: Vec<u8>,
}

impl Ndjson {
    /// Appends an event and the end of the line.
    #[inline(never)]
    pub fn write(&mut self, event: &UniversalEvent<'_>, out: &mut Vec<u8>) {
        out.extend_from_slice(self.number.of(event));
        if let EventData::ItemDelta(delta) = &event.data
            && let Some(Shared { between, after, .. }) = self.shared(event, delta)
        {
            out.extend_from_slice(between);
            delta.delta.write_json(out);
            out.extend_from_slice(after);
            event.raw.write_json(out);
            out.push(b'}');
            self.goes_on = true;
        } else {
            self.goes_on = false;
            out.extend_from_slice(self.origin.of(event));
            event.write_rest(out);
        }
        out.push(b'\n');
    }

    /// Appends an event that repeats the one before, and the end of the line. False if it cannot be written so.
    pub fn again(&mut self, again: &Again<'_>, out: &mut Vec<u8>) -> bool {
        let Some(shared) = &self.shared else { return false };
        let goes_on = self.goes_on && same_text(&shared.event.session_id, again.session_id);
        if !goes_on || !self.number.count_to(again.sequence) {
            return false;
        }
        out.extend_from_slice(&self.number.written);
        out.extend_from_slice(&shared.between);
        match again.text.plain() {
            Some(text) if again.raw.is_null() => {
                out.reserve(text.len() + shared.end.len() + 1);
                out.push(b'"');
                out.extend_from_slice(text.as_bytes());
                out.extend_from_slice(&shared.end);
            }
            _ => {
                again.text.write_json(out);
                out.extend_from_slice(&shared.after);
                again.raw.write_json(out);
                out.extend_from_slice(b"}\n");
            }
        }
        true
    }

    /// What this delta shares with those before it.
    fn shared(&mut self, event: &UniversalEvent<'_>, delta: &ItemDeltaData<'_>) -> Option<&Shared> {
        let repeats = |shared: &Shared| shared.is_of(event, delta);
        if self.shared.as_ref().is_some_and(repeats) {
            return self.shared.as_ref();
        }
        if !same_text(&self.item, &delta.item_id) {
            self.item.clear();
            self.item.push_str(&delta.item_id);
            self.deltas = 0;
        }
        self.deltas += 1;
        if self.deltas < MANY {
            return None;
        }
        self.shared = Shared::new(event);
        self.shared.as_ref()
    }
}

impl Shared {
    fn new(event: &UniversalEvent<'_>) -> Option<Self> {
        let mut event = event.clone();
        (event.event_id, event.sequence, event.raw) = ("".into(), 0, Json::null());
        let EventData::ItemDelta(delta) = &mut event.data else { return None };
        delta.delta = Text::default();
        let (mut number, mut whole) = (Vec::new(), Vec::new());
        event.write_number(&mut number);
        event.write_json(&mut whole);
        let rest = whole.strip_prefix(number.as_slice())?.strip_suffix(b"null}")?;
        // Within a string the quotes would be escaped: this can only be the text itself.
        let text = b",\"delta\":\"\"";
        let end = rest.windows(text.len()).position(|window| window == text)? + text.len();
        let (between, after) = (rest[..end - 2].to_vec(), rest[end..].to_vec());
        let end = [b"\"", after.as_slice(), b"null}\n"].concat();
        let event = event.into_owned();
        Some(Self { event, between, after, end })
    }

    /// Whether an event differs from this one in nothing but its number, its text and its native object.
    fn is_of(&self, event: &UniversalEvent<'_>, delta: &ItemDeltaData<'_>) -> bool {
        // All of them: one that is forgotten does not compile.
        let UniversalEvent {
            event_id: _,
            sequence: _,
            time,
            session_id,
            native_session_id,
            source,
            synthetic,
            data: EventData::ItemDelta(known),
            raw: _,
            extra,
        } = &self.event
        else {
            return false;
        };
        let ItemDeltaData { item_id, delta: _, native_item_id, part_type, part_index, replace, extra: more } = known;
        *item_id == delta.item_id
            && *time == event.time
            && *session_id == event.session_id
            && *native_session_id == event.native_session_id
            && (source, synthetic) == (&event.source, &event.synthetic)
            && *native_item_id == delta.native_item_id
            && (part_type, part_index, replace) == (&delta.part_type, &delta.part_index, &delta.replace)
            && (extra, more) == (&event.extra, &delta.extra)
    }
}

/// The number, one more; false if that has more digits.
fn count_up(digits: &mut [u8]) -> bool {
    for digit in digits.iter_mut().rev() {
        if *digit < b'9' {
            *digit += 1;
            return true;
        }
        *digit = b'0';
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event<'a>(sequence: u64, time: &'a str, item: &'a str, text: &'a str) -> UniversalEvent<'a> {
        let delta = ItemDeltaData {
            item_id: item.into(),
            delta: text.into(),
            native_item_id: Some(item.into()),
            part_index: Some(0),
            ..ItemDeltaData::default()
        };
        UniversalEvent {
            sequence,
            time: time.into(),
            session_id: ",\"delta\":\"\"".into(),
            data: EventData::ItemDelta(delta),
            ..UniversalEvent::default()
        }
    }

    #[test]
    fn what_came_before_does_not_show() {
        let mut events = Vec::new();
        for (count, text) in ["one", "", "\"two\"", "\u{ED00}", "three\n"].iter().cycle().take(150).enumerate() {
            let sequence = if count < 40 { count as u64 } else { count as u64 + 950 };
            let time = if count < 50 { "2026-11-16T00:00:00.000Z" } else { "2026-11-16T00:00:01.000Z" };
            let mut event = event(sequence, time, ["a", "b\\", "b\\"][count / 7 % 3], text);
            event.synthetic = count % 13 == 0;
            event.event_id =
                format!("{}{}", ["evt_", "evt_\"", "evt1", "other_"][count / 23 % 4], sequence % 1020).into();
            if count % 11 == 0 {
                event.data = EventData::default();
            }
            if count % 17 == 0 {
                event.raw = crate::Json::from_text("{\"delta\":\"\"}");
            }
            events.push(event);
        }
        let (mut writer, mut written, mut expected) = (Ndjson::default(), Vec::new(), Vec::new());
        for event in &events {
            writer.write(event, &mut written);
            event.write_json(&mut expected);
            expected.push(b'\n');
        }
        assert_eq!(String::from_utf8_lossy(&written), String::from_utf8_lossy(&expected));
    }
}

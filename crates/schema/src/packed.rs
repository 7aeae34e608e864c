//! The packed form of events, for JavaScript: a flat JSON array of what varies, and numbers that say what it is.
//!
//! What costs most on the way into JavaScript is `JSON.parse` of what every event repeats. So an event is written as
//! an operation (its type, and which of its fields are there) and the values that vary; a function generated from
//! `layout::Described` makes the objects again, equal to those of the full JSON down to the order of their keys.
//!
//! The numbers (operations, masks, lengths, places of what was said before) are not in the array but stand after it,
//! one character each, or a few: six bits a character, the lowest first; all but the last of a number have the seventh
//! bit. How many characters that is stands at the end, in [`COUNT`] characters.
//!
//! All of it is ASCII, so that the engine keeps one byte a character. What is written after [`Packer::clear`] can be
//! read by itself.

mod ascii;
mod ring;

use std::borrow::Cow;

use self::ascii::escape;
use self::ring::Ring;
use crate::json::{IntoOwned as _, Json, ToJson as _, decimal};
use crate::table::{same, same_option, same_text};
use crate::text::Text;
use crate::{Again, EventData, EventSource, ItemDeltaData, UniversalEvent};

/// What an operation says beside the type of its event. The masks of optional fields stand above these bits.
pub mod op {
    /// How many bits the type has.
    pub const TYPE_BITS: u32 = 4;
    /// In place of a type: another delta to the part of the last one; its text follows.
    pub const AGAIN: u32 = 13;
    /// In place of a type: the event follows as plain JSON.
    pub const PLAIN: u32 = 14;
    /// In place of a type: not an event but what became of the line that caused the events before it.
    pub const LINE: u32 = 15;
    /// `synthetic` and of source `daemon`; otherwise neither.
    pub const SYNTHETIC: u32 = 1 << 4;
    /// The time follows: it is not that of the event before.
    pub const TIME: u32 = 1 << 5;
    /// The session follows: identifier, native identifier (`NO_ID`: none), prefix of event identifiers, last sequence.
    pub const SESSION: u32 = 1 << 6;
    /// `raw` is what it was for the event before.
    pub const SAME_RAW: u32 = 1 << 7;
    /// `raw` follows: a span of the input.
    pub const SPAN_RAW: u32 = 2 << 7;
    /// `raw` follows: the text of its JSON.
    pub const TEXT_RAW: u32 = 3 << 7;
    /// Where the mask of the data's optional fields begins.
    pub const MASK_SHIFT: u32 = 9;
}

/// How many characters say how many characters the numbers have.
pub const COUNT: usize = 5;

/// How many bits of a number a character has.
pub const CODE_BITS: u32 = 6;

/// How many identifiers are remembered. The number of one is 0 where it follows as a value, or its place and 1.
pub const IDS: usize = 16;

/// The number of an identifier that is not there.
pub const NO_ID: usize = IDS + 1;

/// How many texts are remembered, and numbered as identifiers are: what streamed is said again when its item is
/// completed.
pub const TEXTS: usize = 8;

/// The bits of a number that a character has, and the bit that says that more follow.
const CODE: u8 = (1 << CODE_BITS) - 1;
const MORE: u8 = 1 << CODE_BITS;

/// How many bits the type of a part has; the mask of its optional fields stands above them.
pub const PART_BITS: u32 = 4;

/// Writes itself in the packed form.
pub trait Pack {
    /// Appends the value.
    fn pack(&self, packer: &mut Packer);
}

/// Writes events in the packed form.
#[derive(Debug)]
pub struct Packer {
    out: Vec<u8>,
    codes: Vec<u8>,
    ids: Ring<IDS>,
    texts: Ring<TEXTS>,
    session_id: String,
    native_session_id: Option<String>,
    event_prefix: String,
    sequence: u64,
    time: String,
    /// The last delta, without its text.
    delta: Option<ItemDeltaData<'static>>,
    /// Where the bytes lie that are being read, so that a native object can be named by its place.
    input: (usize, usize),
    raw: Vec<u8>,
    span: (usize, usize),
    /// Whether the event that is being written has nothing that only plain JSON can carry.
    packable: bool,
}

impl Default for Packer {
    fn default() -> Self {
        Self {
            out: Vec::new(),
            codes: Vec::new(),
            ids: Ring::default(),
            texts: Ring::default(),
            session_id: String::new(),
            native_session_id: None,
            event_prefix: String::new(),
            sequence: u64::MAX,
            time: String::new(),
            delta: None,
            input: (0, 0),
            raw: Vec::new(),
            span: (0, 0),
            packable: true,
        }
    }
}

impl Packer {
    /// The bytes that the next events are read from.
    pub fn reads(&mut self, input: &[u8]) {
        let start = input.as_ptr() as usize;
        self.input = (start, start + input.len());
    }

    /// What was written, array and numbers; empty if nothing was.
    pub fn close(&mut self) -> &mut Vec<u8> {
        if self.codes.is_empty() {
            return &mut self.out;
        }
        match self.out.first_mut() {
            Some(first) => *first = b'[',
            None => self.out.push(b'['),
        }
        self.out.push(b']');
        let count = self.codes.len();
        self.out.append(&mut self.codes);
        self.out.extend((0..COUNT as u32).map(|digit| (count >> (digit * CODE_BITS)) as u8 & CODE));
        &mut self.out
    }

    /// Begins anew, with a buffer of at most `kept` bytes. What is written next can be read by itself.
    pub fn clear(&mut self, kept: usize) {
        self.out.clear();
        self.out.shrink_to(kept);
        self.codes.clear();
        self.codes.shrink_to(kept);
        self.raw.shrink_to(kept);
        self.forget();
    }

    /// The next event.
    #[inline(never)]
    pub fn event(&mut self, event: &UniversalEvent<'_>) {
        let (start, codes) = (self.out.len(), self.codes.len());
        if !self.compact(event) {
            self.out.truncate(start);
            self.codes.truncate(codes);
            self.forget();
            self.number(u64::from(op::PLAIN));
            self.verbatim(Json::of(event).as_str());
        }
    }

    /// The next event, if it repeats the one before. False if it cannot be written so.
    pub fn again(&mut self, again: &Again<'_>) -> bool {
        let goes_on = self.sequence.checked_add(1) == Some(again.sequence) && self.delta.is_some();
        if !goes_on || !same_text(&self.session_id, again.session_id) {
            return false;
        }
        self.sequence = again.sequence;
        let raw = self.raw_kind(again.raw);
        self.number(u64::from(op::AGAIN | raw));
        self.native(raw, again.raw);
        self.once(again.text);
        true
    }

    /// Nothing of what was written before is referred to from here on.
    fn forget(&mut self) {
        self.ids = Ring::default();
        self.texts = Ring::default();
        self.sequence = u64::MAX;
        self.time.clear();
        self.delta = None;
        self.raw.clear();
        self.span = (0, 0);
    }

    /// Writes the event as an operation, if it is as the core makes them.
    fn compact(&mut self, event: &UniversalEvent<'_>) -> bool {
        let Some(place) = event.data.place() else { return false };
        let Some(before) = event.sequence.checked_sub(1) else { return false };
        let synthetic = match (&event.source, event.synthetic) {
            (EventSource::Agent, false) => 0,
            (EventSource::Daemon, true) => op::SYNTHETIC,
            _ => return false,
        };
        let mut digits = [0; 20];
        let digits = decimal(event.sequence, &mut digits);
        let Some(prefix) = event.event_id.as_bytes().strip_suffix(digits) else { return false };
        let same_session = self.sequence == before
            && same(self.event_prefix.as_bytes(), prefix)
            && same_text(&self.session_id, &event.session_id)
            && same_option(self.native_session_id.as_deref(), event.native_session_id.as_deref());
        let same_time = same_text(&self.time, &event.time);
        let raw = self.raw_kind(&event.raw);
        let session = if same_session { 0 } else { op::SESSION };
        let time = if same_time { 0 } else { op::TIME };
        self.packable = event.extra.is_empty();
        let again = self.repeated(&event.data);
        let what = if again.is_some() { op::AGAIN } else { place as u32 | event.data.mask() << op::MASK_SHIFT };
        self.number(u64::from(what | synthetic | time | session | raw));
        if !same_session {
            self.session(event, prefix.len());
        }
        self.sequence = event.sequence;
        if !same_time {
            self.time.clear();
            self.time.push_str(&event.time);
            self.string(event.time.as_bytes());
        }
        self.native(raw, &event.raw);
        match again {
            Some(text) => self.once(text),
            None => event.data.pack_members(self),
        }
        self.packable
    }

    /// The text of a delta that differs from the last one in nothing else.
    fn repeated<'e>(&mut self, data: &'e EventData<'_>) -> Option<&'e Text<'e>> {
        let EventData::ItemDelta(delta) = data else { return None };
        let is_it = |last: &ItemDeltaData<'_>| {
            same_text(&last.item_id, &delta.item_id)
                && same_option(last.native_item_id.as_deref(), delta.native_item_id.as_deref())
                && last.part_type == delta.part_type
                && last.part_index == delta.part_index
                && last.replace == delta.replace
                && last.extra == delta.extra
        };
        if self.delta.as_ref().is_some_and(is_it) {
            return Some(&delta.delta);
        }
        // All of them: one that is forgotten does not compile. They go where others were, for mostly each item has but
        // one delta.
        let ItemDeltaData { item_id, delta: _, native_item_id, part_type, part_index, replace, extra } = delta;
        let last = self.delta.get_or_insert_default();
        item_id.as_ref().clone_into(last.item_id.to_mut());
        match (&mut last.native_item_id, native_item_id) {
            (Some(known), Some(native)) => native.as_ref().clone_into(known.to_mut()),
            (known, native) => *known = native.clone().into_owned(),
        }
        last.part_type = part_type.clone().into_owned();
        (last.part_index, last.replace) = (*part_index, *replace);
        last.extra = extra.clone().into_owned();
        None
    }

    fn session(&mut self, event: &UniversalEvent<'_>, prefix: usize) {
        self.id(&event.session_id);
        match &event.native_session_id {
            Some(native) => self.id(native),
            None => self.number(NO_ID as u64),
        }
        let prefix = &event.event_id[..prefix];
        self.id(prefix);
        self.number(event.sequence.wrapping_sub(1));
        self.event_prefix.clear();
        self.event_prefix.push_str(prefix);
        event.session_id.as_ref().clone_into(&mut self.session_id);
        self.native_session_id = event.native_session_id.as_deref().map(str::to_owned);
    }

    /// How the native object is written, and remembers it.
    fn raw_kind(&mut self, raw: &Json<'_>) -> u32 {
        if raw.is_null() {
            return 0;
        }
        let text = raw.as_str();
        let start = text.as_ptr() as usize;
        let span = (start, start + text.len());
        if self.input.0 <= span.0 && span.1 <= self.input.1 {
            self.raw.clear();
            let same = self.span == span;
            self.span = span;
            return if same { op::SAME_RAW } else { op::SPAN_RAW };
        }
        self.span = (0, 0);
        if self.raw == text.as_bytes() {
            return op::SAME_RAW;
        }
        self.raw.clear();
        self.raw.extend_from_slice(text.as_bytes());
        op::TEXT_RAW
    }

    /// Writes the native object.
    fn native(&mut self, kind: u32, raw: &Json<'_>) {
        match kind {
            op::SPAN_RAW => {
                self.number((self.span.0 - self.input.0) as u64);
                self.number((self.span.1 - self.input.0) as u64);
            }
            op::TEXT_RAW => self.string(raw.as_str().as_bytes()),
            _ => {}
        }
    }

    /// An object has fields that are not of the schema: plain JSON carries them.
    pub(crate) fn refuse(&mut self) {
        self.packable = false;
    }

    /// A value of the array, as it is.
    fn value(&mut self, json: &[u8]) {
        self.out.push(b',');
        self.out.extend_from_slice(json);
    }

    /// A number.
    #[inline]
    pub fn number(&mut self, number: u64) {
        if number <= u64::from(CODE) { self.codes.push(number as u8) } else { self.large_number(number) }
    }

    #[inline(never)]
    fn large_number(&mut self, mut number: u64) {
        while number > u64::from(CODE) {
            self.codes.push(number as u8 & CODE | MORE);
            number >>= CODE_BITS;
        }
        self.codes.push(number as u8);
    }

    /// Text that comes once.
    pub fn string(&mut self, text: &[u8]) {
        self.out.reserve(text.len() + 3);
        self.out.extend_from_slice(b",\"");
        escape::<true>(text, &mut self.out);
        self.out.push(b'"');
    }

    /// An identifier, or its place among the last ones.
    pub fn id(&mut self, id: &str) {
        if let Some(place) = self.ids.find(id.as_bytes(), &self.out) {
            return self.number(place as u64 + 1);
        }
        self.number(0);
        let start = self.out.len() + 2;
        self.string(id.as_bytes());
        let end = self.out.len() - 1;
        // One with escapes would be found as it is written only.
        if end - start == id.len() { self.ids.add(start..end, &self.out) } else { self.ids.skip() }
    }

    /// Text of an agent that does not come again.
    fn once(&mut self, text: &Text<'_>) {
        match text.json_body() {
            Some(body) => {
                self.out.extend_from_slice(b",\"");
                escape::<false>(body.as_bytes(), &mut self.out);
                self.out.push(b'"');
            }
            None => self.string(&text.as_wtf8()),
        }
    }

    /// Text of an agent, or its place among the last ones.
    fn text(&mut self, text: &Text<'_>) {
        let start = self.out.len() + 2;
        self.once(text);
        let end = self.out.len() - 1;
        if let Some(place) = self.texts.find(&self.out[start..end], &self.out) {
            self.out.truncate(start - 2);
            self.number(place as u64 + 1);
        } else {
            self.number(0);
            self.texts.add(start..end, &self.out);
        }
    }

    /// A word: its place in its set and 1, or 0 and itself if it is not in it.
    pub(crate) fn word(&mut self, word: Result<u8, &str>) {
        match word {
            Ok(place) => self.number(u64::from(place) + 1),
            Err(word) => {
                self.number(0);
                self.string(word.as_bytes());
            }
        }
    }

    /// JSON, as it is.
    pub(crate) fn verbatim(&mut self, json: &str) {
        self.out.push(b',');
        escape::<false>(json.as_bytes(), &mut self.out);
    }
}

/// Which of the optional fields are there, one bit each.
pub(crate) fn mask(present: &[bool]) -> u32 {
    present.iter().rev().fold(0, |mask, present| mask << 1 | u32::from(*present))
}

impl Pack for Cow<'_, str> {
    fn pack(&self, packer: &mut Packer) {
        packer.id(self);
    }
}

impl Pack for Text<'_> {
    fn pack(&self, packer: &mut Packer) {
        packer.text(self);
    }
}

impl Pack for Json<'_> {
    fn pack(&self, packer: &mut Packer) {
        packer.verbatim(self.as_str());
    }
}

impl Pack for bool {
    fn pack(&self, packer: &mut Packer) {
        packer.value(if *self { b"true" } else { b"false" });
    }
}

impl Pack for u64 {
    fn pack(&self, packer: &mut Packer) {
        packer.number(*self);
    }
}

impl Pack for i64 {
    fn pack(&self, packer: &mut Packer) {
        packer.out.push(b',');
        self.write_json(&mut packer.out);
    }
}

impl Pack for f64 {
    fn pack(&self, packer: &mut Packer) {
        packer.out.push(b',');
        self.write_json(&mut packer.out);
    }
}

impl<T: Pack> Pack for Vec<T> {
    fn pack(&self, packer: &mut Packer) {
        packer.number(self.len() as u64);
        for value in self {
            value.pack(packer);
        }
    }
}

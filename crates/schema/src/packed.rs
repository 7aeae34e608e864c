//! The packed form of events, for JavaScript: one flat JSON array of numbers and strings.
//!
//! What costs most on the way into JavaScript is `JSON.parse` of what every event repeats. So an event is written as
//! an operation (its type, and which of its fields are there) and the values that vary; a function generated from
//! [`Described`] makes the objects again, equal to those of the full JSON down to the order of their keys.
//!
//! All of it is ASCII, so that the engine keeps one byte a character. What is written after [`Packer::clear`] can be
//! read by itself.

use std::borrow::Cow;

use wide::u8x16;

use crate::json::{self, IntoOwned as _, Json, ToJson as _, decimal};
use crate::table::same;
use crate::text::Text;
use crate::{Again, EventData, EventSource, ItemDeltaData, UniversalEvent};

/// What an operation says beside the type of its event. The masks of optional fields stand above these bits.
pub mod op {
    /// How many bits the type has.
    pub const TYPE_BITS: u32 = 4;
    /// In place of a type: another delta to the part of the last one; its text follows. Where there is nothing else to
    /// say, the text alone stands in place of the operation.
    pub const AGAIN: u32 = 13;
    /// In place of a type: the event follows as plain JSON.
    pub const PLAIN: u32 = 14;
    /// In place of a type: not an event but what became of the line that caused the events before it.
    pub const LINE: u32 = 15;
    /// `synthetic` and of source `daemon`; otherwise neither.
    pub const SYNTHETIC: u32 = 1 << 4;
    /// The time follows: it is not that of the event before.
    pub const TIME: u32 = 1 << 5;
    /// The session follows: identifier, native identifier or `null`, prefix of event identifiers, last sequence.
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

/// How many identifiers are remembered. A number instead of an identifier is a place among them.
pub const IDS: usize = 16;

/// How many texts are remembered: what streamed is said again when its item is completed.
pub const TEXTS: usize = 8;

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
    plain: bool,
}

impl Default for Packer {
    fn default() -> Self {
        Self {
            out: Vec::new(),
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
            plain: true,
        }
    }
}

impl Packer {
    /// The bytes that the next events are read from.
    pub fn reads(&mut self, input: &[u8]) {
        let start = input.as_ptr() as usize;
        self.input = (start, start + input.len());
    }

    /// What was written, as one JSON array; empty if nothing was.
    pub fn close(&mut self) -> &mut Vec<u8> {
        if let Some(first @ b',') = self.out.first_mut() {
            *first = b'[';
            self.out.push(b']');
        }
        &mut self.out
    }

    /// Begins anew, with a buffer of at most `kept` bytes. What is written next can be read by itself.
    pub fn clear(&mut self, kept: usize) {
        self.out.clear();
        self.out.shrink_to(kept);
        self.raw.shrink_to(kept);
        self.forget();
    }

    /// The next event.
    pub fn event(&mut self, event: &UniversalEvent<'_>) {
        let start = self.out.len();
        if !self.compact(event) {
            self.out.truncate(start);
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
        self.operation(op::AGAIN | raw);
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
        self.plain = event.extra.0.is_empty();
        let again = self.repeated(&event.data);
        let what = if again.is_some() { op::AGAIN } else { place as u32 | event.data.mask() << op::MASK_SHIFT };
        self.operation(what | synthetic | time | session | raw);
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
        self.plain
    }

    /// Begins an event.
    #[inline]
    fn operation(&mut self, operation: u32) {
        if operation != op::AGAIN {
            self.number(u64::from(operation));
        }
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
        let last = ItemDeltaData { delta: Text::default(), ..delta.clone() };
        self.delta = Some(last.into_owned());
        None
    }

    fn session(&mut self, event: &UniversalEvent<'_>, prefix: usize) {
        self.id(&event.session_id);
        match &event.native_session_id {
            Some(native) => self.id(native),
            None => self.element(b"null"),
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
        self.plain = false;
    }

    /// An element of the array, as it is.
    pub fn element(&mut self, json: &[u8]) {
        self.out.push(b',');
        self.out.extend_from_slice(json);
    }

    /// A number.
    pub fn number(&mut self, number: u64) {
        self.element(decimal(number, &mut [0; 20]));
    }

    /// Text that comes once.
    pub fn string(&mut self, text: &[u8]) {
        self.out.reserve(text.len() + 3);
        self.out.extend_from_slice(b",\"");
        escape::<true>(text, &mut self.out);
        self.out.push(b'"');
    }

    /// An identifier: its place among the last ones, if it is there.
    pub fn id(&mut self, id: &str) {
        // An escaped identifier is found as it is written only, and that has a backslash in it.
        if let Some(place) = self.ids.find(id.as_bytes(), &self.out)
            && !id.contains('\\')
        {
            return self.number(place as u64);
        }
        let start = self.out.len() + 2;
        self.string(id.as_bytes());
        self.ids.add(start..self.out.len() - 1);
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

    /// Text of an agent: its place among the last ones, if it is there.
    fn text(&mut self, text: &Text<'_>) {
        let start = self.out.len() + 2;
        self.once(text);
        let (before, written) = self.out.split_at(start);
        match self.texts.find(&written[..written.len() - 1], before) {
            Some(place) => {
                self.out.truncate(start - 2);
                self.number(place as u64);
            }
            None => self.texts.add(start..self.out.len() - 1),
        }
    }

    /// A word: its place in its set, or itself if it is not in it.
    pub(crate) fn word(&mut self, word: Result<u8, &str>) {
        match word {
            Ok(place) => self.number(u64::from(place)),
            Err(word) => self.string(word.as_bytes()),
        }
    }

    /// JSON, as it is.
    pub(crate) fn verbatim(&mut self, json: &str) {
        self.out.push(b',');
        escape::<false>(json.as_bytes(), &mut self.out);
    }
}

fn same_text(one: &str, other: &str) -> bool {
    same(one.as_bytes(), other.as_bytes())
}

fn same_option(one: Option<&str>, other: Option<&str>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => same_text(one, other),
        (one, other) => one.is_none() && other.is_none(),
    }
}

/// Where the last strings stand in the output, between their quotes.
#[derive(Debug)]
struct Ring<const SIZE: usize> {
    places: [(u32, u32); SIZE],
    next: usize,
}

impl<const SIZE: usize> Default for Ring<SIZE> {
    fn default() -> Self {
        // No string ends before it begins.
        Self { places: [(1, 0); SIZE], next: 0 }
    }
}

impl<const SIZE: usize> Ring<SIZE> {
    /// The place of a string, as it is written.
    fn find(&self, written: &[u8], out: &[u8]) -> Option<usize> {
        let is_it = |(start, end): &(u32, u32)| {
            // Most differ in length.
            (*end as usize).checked_sub(*start as usize) == Some(written.len())
                && out.get(*start as usize..*end as usize).is_some_and(|known| same(known, written))
        };
        self.places.iter().position(is_it)
    }

    fn add(&mut self, place: std::ops::Range<usize>) {
        self.places[self.next] = (place.start as u32, place.end as u32);
        self.next = (self.next + 1) % SIZE;
    }
}

/// Which of the optional fields are there, one bit each.
pub(crate) fn mask(present: &[bool]) -> u32 {
    present.iter().rev().fold(0, |mask, present| mask << 1 | u32::from(*present))
}

/// Appends WTF-8 in ASCII, as the body of a JSON string (`STRING`) or as JSON text that has such strings within.
fn escape<const STRING: bool>(mut bytes: &[u8], out: &mut Vec<u8>) {
    loop {
        let clean = clean_length::<STRING>(bytes);
        out.extend_from_slice(&bytes[..clean]);
        bytes = &bytes[clean..];
        let Some(&first) = bytes.first() else { return };
        let length = match first {
            0x00..0x80 => {
                escape_ascii(first, out);
                1
            }
            _ => escape_other(bytes, out),
        };
        bytes = &bytes[length..];
    }
}

fn escape_ascii(byte: u8, out: &mut Vec<u8>) {
    let short = match byte {
        b'"' | b'\\' => byte,
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        _ => return escape_unit(u32::from(byte), out),
    };
    out.extend_from_slice(&[b'\\', short]);
}

/// Appends the first character that is not ASCII as its UTF-16 units; gives its length.
fn escape_other(bytes: &[u8], out: &mut Vec<u8>) -> usize {
    let low = |at: usize| u32::from(bytes.get(at).map_or(0, |byte| byte & 0x3F));
    let first = u32::from(bytes[0]);
    let (code, length) = match first {
        0x00..0xE0 => ((first & 0x1F) << 6 | low(1), 2),
        0xE0..0xF0 => ((first & 0x0F) << 12 | low(1) << 6 | low(2), 3),
        _ => ((first & 0x07) << 18 | low(1) << 12 | low(2) << 6 | low(3), 4),
    };
    if let Some(above) = code.checked_sub(0x1_0000) {
        escape_unit(0xD800 | above >> 10, out);
        escape_unit(0xDC00 | above & 0x3FF, out);
    } else {
        escape_unit(code, out);
    }
    length.min(bytes.len())
}

fn escape_unit(unit: u32, out: &mut Vec<u8>) {
    let digit = |shift: u32| b"0123456789abcdef"[(unit >> shift & 0xF) as usize];
    out.extend_from_slice(&[b'\\', b'u', digit(12), digit(8), digit(4), digit(0)]);
}

/// How many bytes at the beginning need no escape.
fn clean_length<const STRING: bool>(bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some(block) = bytes[at..].first_chunk::<16>() {
        let mut special = u8x16::new(*block).to_bitmask();
        if STRING {
            special |= json::special(*block);
        }
        if special != 0 {
            return at + special.trailing_zeros() as usize;
        }
        at += block.len();
    }
    if !STRING && bytes[at..].is_ascii() {
        return bytes.len();
    }
    let special = |byte: &u8| *byte >= 0x80 || STRING && json::is_special(*byte);
    bytes[at..].iter().position(special).map_or(bytes.len(), |clean| at + clean)
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
        packer.element(if *self { b"true" } else { b"false" });
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

//! One JSON line, read once into a reused list of nodes that point into it.
//!
//! No value is copied or decoded until it is asked for, keys may stand in any order, of doubled keys the last one
//! counts, and text keeps its escapes, lone surrogates included.

mod value;

pub use value::{Elements, Members, Value};

use std::cell::OnceCell;

use crate::json::{digits, plain_length, special};
use crate::text::Text;

/// The nodes of one line. What they take is kept between lines so that reading allocates nothing.
#[derive(Debug, Default)]
pub struct Tape<'t> {
    text: &'t str,
    nodes: Vec<Node>,
    /// The names that had to be decoded, by their nodes. Hardly a line has one.
    decoded: OnceCell<Box<[OnceCell<String>]>>,
    /// A bit for each byte of the line that is a quote, a backslash or a control character.
    marks: Vec<u64>,
}

/// So many nodes are kept for the next line; what one outlier made larger is given back.
const KEPT: usize = 1 << 16;

#[derive(Debug, Clone, Copy)]
struct Node {
    kind: Kind,
    /// Where the value's text begins; for strings, after the quote.
    start: u32,
    /// Where it ends; for strings, before the quote.
    end: u32,
    /// The first node after this value; while a container is open, the container that it stands in.
    next: u32,
}

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `null`.
    Null,
    /// `false`.
    False,
    /// `true`.
    True,
    /// A number.
    Number,
    /// A string without escapes.
    Plain,
    /// A string with escapes.
    Escaped,
    /// A list.
    Array,
    /// An object.
    Object,
}

/// Why a line is not JSON, and at which byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Malformed {
    /// What is wrong.
    pub what: &'static str,
    /// The byte at which it shows.
    pub at: usize,
}

impl<'t> Tape<'t> {
    /// Reads one JSON value. Blanks around it are allowed, nothing else is.
    pub fn read(&mut self, text: &'t str) -> Result<Value<'_>, Malformed> {
        if text.len() >= u32::MAX as usize {
            return Err(Malformed { what: "too long", at: 0 });
        }
        self.decoded = OnceCell::new();
        self.nodes.clear();
        self.nodes.shrink_to(KEPT);
        self.nodes.reserve((text.len() / 16).min(64));
        self.marks.clear();
        self.marks.shrink_to(KEPT);
        mark(text.as_bytes(), &mut self.marks);
        let mut reader = Reader { bytes: text.as_bytes(), marks: &self.marks, nodes: &mut self.nodes, malformed: None };
        match (reader.value(), reader.malformed) {
            (Some(()), None) => {
                self.text = text;
                Ok(Value { tape: self, at: 0 })
            }
            (_, malformed) => Err(malformed.unwrap_or(Malformed { what: "unexpected end", at: text.len() })),
        }
    }

    /// The same memory, for another line.
    #[must_use]
    pub fn emptied<'l>(self) -> Tape<'l> {
        Tape { text: "", ..self }
    }

    /// The string of a node that has escapes.
    #[cold]
    #[inline(never)]
    fn decode(&self, at: usize) -> &str {
        let Node { start, end, .. } = self.nodes[at];
        let names = self.decoded.get_or_init(|| self.nodes.iter().map(|_| OnceCell::new()).collect());
        names[at].get_or_init(|| {
            Text::from_escaped_body(&self.text[start as usize..end as usize]).to_str_lossy().into_owned()
        })
    }
}

/// Marks the bytes at which a string may end or is not plain.
fn mark(bytes: &[u8], marks: &mut Vec<u64>) {
    let (blocks, rest) = bytes.as_chunks::<64>();
    marks.reserve(blocks.len() + 1);
    marks.extend(blocks.iter().map(specials));
    if !rest.is_empty() {
        let mut block = [b' '; 64];
        block[..rest.len()].copy_from_slice(rest);
        marks.push(specials(&block));
    }
}

#[inline]
fn specials(block: &[u8; 64]) -> u64 {
    let (quarters, _) = block.as_chunks::<16>();
    quarters.iter().rev().fold(0, |bits, quarter| bits << 16 | u64::from(special(*quarter)))
}

struct Reader<'t, 'a> {
    bytes: &'a [u8],
    marks: &'t [u64],
    nodes: &'t mut Vec<Node>,
    /// What is wrong: what finds it gives nothing.
    malformed: Option<Malformed>,
}

/// Where the outermost container stands.
const NOWHERE: u32 = u32::MAX;

/// Every step takes the place of its first byte and gives the place after its last one.
impl Reader<'_, '_> {
    /// This is not what must stand here; if the line is over, that is what is wrong.
    #[cold]
    #[inline(never)]
    fn fail<T>(&mut self, what: &'static str, at: usize) -> Option<T> {
        self.wrong(if at >= self.bytes.len() { "unexpected end" } else { what }, at)
    }

    #[cold]
    #[inline(never)]
    fn wrong<T>(&mut self, what: &'static str, at: usize) -> Option<T> {
        self.malformed = Some(Malformed { what, at });
        None
    }

    /// The byte that stands there; 0 at the end.
    #[inline]
    fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    /// The next byte that is no blank, and where it is.
    #[inline]
    fn token(&self, at: usize) -> (u8, usize) {
        let byte = self.byte(at);
        if byte <= b' ' { self.after_blanks(at) } else { (byte, at) }
    }

    /// Agents hardly ever write a blank.
    #[cold]
    #[inline(never)]
    fn after_blanks(&self, mut at: usize) -> (u8, usize) {
        while let b' ' | b'\n' | b'\t' | b'\r' = self.byte(at) {
            at += 1;
        }
        (self.byte(at), at)
    }

    #[inline]
    fn push(&mut self, kind: Kind, start: usize, end: usize) {
        let next = self.nodes.len() as u32 + 1;
        self.nodes.push(Node { kind, start: start as u32, end: end as u32, next });
    }

    /// Reads a value with all that it holds; what is nested is kept in the nodes, not on the stack.
    fn value(&mut self) -> Option<()> {
        // The container that is being read, and whether it is an object.
        let (mut inside, mut object) = (NOWHERE, false);
        let mut at = 0;
        loop {
            let (token, start) = self.token(at);
            at = match token {
                b'"' => self.string(start)?,
                b'{' => {
                    inside = self.enter(Kind::Object, start, inside);
                    let (token, next) = self.token(start + 1);
                    if token != b'}' {
                        object = true;
                        at = self.key(token, next)?;
                        continue;
                    }
                    (inside, object) = self.leave(inside, next + 1);
                    next + 1
                }
                b'[' => {
                    inside = self.enter(Kind::Array, start, inside);
                    let (token, next) = self.token(start + 1);
                    if token != b']' {
                        object = false;
                        at = next;
                        continue;
                    }
                    (inside, object) = self.leave(inside, next + 1);
                    next + 1
                }
                b'-' | b'0'..=b'9' => self.number(start)?,
                b't' => self.literal(b"true", Kind::True, start)?,
                b'f' => self.literal(b"false", Kind::False, start)?,
                b'n' => self.literal(b"null", Kind::Null, start)?,
                _ => return self.fail("unexpected character", start),
            };
            // What ends with the value, and what comes after it.
            loop {
                let (token, next) = self.token(at);
                if inside == NOWHERE {
                    return if next == self.bytes.len() { Some(()) } else { self.fail("text after the value", next) };
                }
                at = next + 1;
                match token {
                    b',' => {
                        if object {
                            let (token, next) = self.token(at);
                            at = self.key(token, next)?;
                        }
                        break;
                    }
                    b'}' if object => (inside, object) = self.leave(inside, at),
                    b']' if !object => (inside, object) = self.leave(inside, at),
                    _ => return self.fail("expected a comma or the end of the container", next),
                }
            }
        }
    }

    /// A container begins inside another one.
    #[inline]
    fn enter(&mut self, kind: Kind, at: usize, outer: u32) -> u32 {
        let container = self.nodes.len() as u32;
        self.nodes.push(Node { kind, start: at as u32, end: at as u32, next: outer });
        container
    }

    /// A container ends: the one that it stands in goes on, which may be an object.
    #[inline]
    fn leave(&mut self, container: u32, end: usize) -> (u32, bool) {
        let next = self.nodes.len() as u32;
        let Some(node) = self.nodes.get_mut(container as usize) else { return (NOWHERE, false) };
        node.end = end as u32;
        let outer = std::mem::replace(&mut node.next, next);
        (outer, self.nodes.get(outer as usize).is_some_and(|node| node.kind == Kind::Object))
    }

    /// A key with its colon.
    #[expect(clippy::inline_always, reason = "the place stays in a register: a quarter less to do")]
    #[inline(always)]
    fn key(&mut self, token: u8, at: usize) -> Option<usize> {
        if token != b'"' {
            return self.fail("expected a key", at);
        }
        let end = self.string(at)?;
        let (token, at) = self.token(end);
        if token == b':' { Some(at + 1) } else { self.fail("expected a colon", at) }
    }

    #[expect(clippy::inline_always, reason = "the place stays in a register: a quarter less to do")]
    #[inline(always)]
    fn string(&mut self, at: usize) -> Option<usize> {
        let start = at + 1;
        let end = self.marked(start);
        if self.byte(end) != b'"' {
            return self.long_string(start, end);
        }
        self.push(Kind::Plain, start, end);
        Some(end + 1)
    }

    /// A string that is not over at the first special character.
    #[inline(never)]
    fn long_string(&mut self, start: usize, mut at: usize) -> Option<usize> {
        let mut kind = Kind::Plain;
        // The marks of 64 bytes are gone through without looking where they lead to.
        while let Some(marks) = self.marks.get(at / 64) {
            let first = at - at % 64;
            let mut marks = marks & (u64::MAX << (at % 64));
            at = first + 64;
            while marks != 0 {
                let mark = first + marks.trailing_zeros() as usize;
                match self.byte(mark) {
                    b'"' => {
                        self.push(kind, start, mark);
                        return Some(mark + 1);
                    }
                    b'\\' => kind = Kind::Escaped,
                    _ => return self.fail("control character in a string", mark),
                }
                let next = if is_letter(self.byte(mark + 1)) { mark + 2 } else { self.escape(mark)? };
                marks = if next < first + 64 { marks & (u64::MAX << (next - first)) } else { 0 };
                at = at.max(next);
            }
        }
        self.fail("control character in a string", self.bytes.len())
    }

    fn escape(&mut self, at: usize) -> Option<usize> {
        match escape_length(&self.bytes[at..]) {
            Some(length) => Some(at + length),
            None if at + 1 == self.bytes.len() => self.wrong("unexpected end", at),
            None => self.fail("bad escape", at),
        }
    }

    /// Where the next byte is that is marked; the end of the line, if there is none.
    #[inline]
    fn marked(&self, at: usize) -> usize {
        let bits = self.marks.get(at / 64).map_or(0, |bits| bits >> (at % 64));
        if bits == 0 { self.marked_later(at / 64) } else { at + bits.trailing_zeros() as usize }
    }

    fn marked_later(&self, word: usize) -> usize {
        let later = self.marks.get(word + 1..).unwrap_or_default();
        match later.iter().position(|bits| *bits != 0) {
            Some(more) => (word + 1 + more) * 64 + later[more].trailing_zeros() as usize,
            None => self.bytes.len(),
        }
    }

    fn digits(&mut self, at: usize) -> Option<usize> {
        let mut end = at;
        while self.byte(end).is_ascii_digit() {
            end += 1;
        }
        if end > at { Some(end) } else { self.wrong("bad number", end) }
    }

    fn number(&mut self, start: usize) -> Option<usize> {
        let mut at = start + usize::from(self.byte(start) == b'-');
        at = if self.byte(at) == b'0' { at + 1 } else { self.digits(at)? };
        if self.byte(at) == b'.' {
            at = self.digits(at + 1)?;
        }
        if let b'e' | b'E' = self.byte(at) {
            at += 1;
            if let b'+' | b'-' = self.byte(at) {
                at += 1;
            }
            at = self.digits(at)?;
        }
        self.push(Kind::Number, start, at);
        Some(at)
    }

    fn literal<const N: usize>(&mut self, word: &[u8; N], kind: Kind, at: usize) -> Option<usize> {
        if self.bytes[at..].first_chunk() != Some(word) {
            return self.wrong("unexpected character", at);
        }
        self.push(kind, at, at + N);
        Some(at + N)
    }
}

/// Whether an escape is this letter after its backslash.
#[inline]
fn is_letter(byte: u8) -> bool {
    matches!(byte, b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't')
}

/// The length of the escape that begins with this backslash.
#[inline]
fn escape_length(bytes: &[u8]) -> Option<usize> {
    match bytes {
        [_, letter, ..] if is_letter(*letter) => Some(2),
        [_, b'u', digits @ ..] => digits.get(..4)?.iter().all(u8::is_ascii_hexdigit).then_some(6),
        _ => None,
    }
}

/// The body of a JSON string, as it was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Body {
    /// How long it is.
    pub length: usize,
    /// Whether it has escapes.
    pub escaped: bool,
}

/// The body of a string, up to its quote; nothing if it is not valid.
pub fn string_body(bytes: &[u8]) -> Option<Body> {
    let mut body = Body { length: 0, escaped: false };
    loop {
        body.length += plain_length(&bytes[body.length..]);
        match bytes.get(body.length)? {
            b'"' => return Some(body),
            b'\\' => body.length += escape_length(&bytes[body.length..])?,
            _ => return None,
        }
        body.escaped = true;
    }
}

/// The length of the whole number without a sign that stands there; nothing if there is none.
pub fn integer_length(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = &bytes[at..];
    // Fewer than sixteen bytes are looked at with some of those before them.
    let found = match (rest.first_chunk(), bytes.last_chunk()) {
        (Some(block), _) => digits(*block).trailing_ones() as usize,
        (None, Some(block)) => (digits(*block) >> (16 - rest.len())).trailing_ones() as usize,
        (None, None) => 16,
    };
    let longer = || rest.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(rest.len());
    let length = if found < 16 { found } else { longer() };
    (length > 0 && (length == 1 || rest[0] != b'0')).then_some(length)
}

//! One JSON line, read once into a reused list of nodes that point into it.
//!
//! No value is copied or decoded until it is asked for, keys may stand in any order, of doubled keys the last one
//! counts, and text keeps its escapes, lone surrogates included.

mod reader;
mod value;

pub use value::{Elements, Members, Value};

use std::cell::OnceCell;

use crate::json::{digits, plain_length};
use crate::text::Text;
use reader::Stop;

/// The nodes of one line. What they take is kept between lines so that reading allocates nothing.
#[derive(Debug, Default)]
pub struct Tape<'t> {
    text: &'t str,
    nodes: Vec<Node>,
    /// So many of them are of this line.
    count: usize,
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

impl Node {
    const NONE: Self = Self { kind: Kind::Null, start: 0, end: 0, next: 0 };
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
        self.marks.clear();
        self.marks.shrink_to(KEPT);
        reader::mark(text.as_bytes(), &mut self.marks);
        self.nodes.truncate(KEPT);
        self.nodes.shrink_to(KEPT);
        if self.nodes.is_empty() {
            self.nodes.resize(8 + text.len() / 16, Node::NONE);
        }
        loop {
            match reader::read(text.as_bytes(), &self.marks, &mut self.nodes) {
                Ok(count) => {
                    self.text = text;
                    self.count = count;
                    return Ok(Value { tape: self, at: 0 });
                }
                Err(Stop::Malformed(malformed)) => return Err(malformed),
                // Read once more, with room for twice as many: together that is less than another time.
                Err(Stop::Full) => self.nodes.resize(2 * self.nodes.len(), Node::NONE),
            }
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
        let names = self.decoded.get_or_init(|| (0..self.count).map(|_| OnceCell::new()).collect());
        names[at].get_or_init(|| {
            Text::from_escaped_body(&self.text[start as usize..end as usize]).to_str_lossy().into_owned()
        })
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

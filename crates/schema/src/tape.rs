//! One JSON line, read once into a reused list of nodes that point into it.
//!
//! No value is copied or decoded until it is asked for, keys may stand in any order, of doubled keys the last one
//! counts, and text keeps its escapes, lone surrogates included.

use std::borrow::Cow;

use crate::json::{Json, plain_length};
use crate::number;
use crate::table::{Table, same};
use crate::text::Text;

/// The nodes of one line. Kept between lines so that reading allocates nothing.
#[derive(Debug, Default)]
pub struct Tape {
    nodes: Vec<Node>,
    /// The containers that are open while a line is read.
    open: Vec<u32>,
}

#[derive(Debug, Clone, Copy)]
struct Node {
    kind: Kind,
    /// Where the value's text begins; for strings, after the quote.
    start: u32,
    /// Where it ends; for strings, before the quote.
    end: u32,
    /// The first node after this value.
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

impl Tape {
    /// Reads one JSON value. Blanks around it are allowed, nothing else is.
    pub fn read<'a>(&'a mut self, text: &'a str) -> Result<Value<'a>, Malformed> {
        self.nodes.clear();
        self.open.clear();
        if text.len() >= u32::MAX as usize {
            return Err(Malformed { what: "too long", at: 0 });
        }
        let mut reader = Reader { bytes: text.as_bytes(), at: 0, nodes: &mut self.nodes, open: &mut self.open };
        reader.value()?;
        Ok(Value { text, nodes: &self.nodes, at: 0 })
    }
}

struct Reader<'t, 'a> {
    bytes: &'a [u8],
    at: usize,
    nodes: &'t mut Vec<Node>,
    open: &'t mut Vec<u32>,
}

impl Reader<'_, '_> {
    #[cold]
    fn fail<T>(&self, what: &'static str) -> Result<T, Malformed> {
        let what = if self.at >= self.bytes.len() { "unexpected end" } else { what };
        Err(Malformed { what, at: self.at })
    }

    /// The next byte; 0 at the end.
    #[inline]
    fn peek(&self) -> u8 {
        self.bytes.get(self.at).copied().unwrap_or(0)
    }

    /// The next byte that is no blank.
    #[inline]
    fn token(&mut self) -> u8 {
        // Agents hardly ever write a blank.
        loop {
            match self.peek() {
                b' ' | b'\n' | b'\t' | b'\r' => self.at += 1,
                byte => return byte,
            }
        }
    }

    #[inline]
    fn push(&mut self, kind: Kind, start: usize, end: usize) {
        let next = self.nodes.len() as u32 + 1;
        self.nodes.push(Node { kind, start: start as u32, end: end as u32, next });
    }

    /// Reads a value with all that it holds; what is nested is kept on a list, not on the stack.
    fn value(&mut self) -> Result<(), Malformed> {
        // Whether what is being read stands in an object.
        let mut object = false;
        loop {
            match self.token() {
                b'"' => self.string()?,
                b'{' => {
                    self.enter(Kind::Object);
                    if self.token() != b'}' {
                        object = true;
                        self.key()?;
                        continue;
                    }
                    object = self.leave();
                }
                b'[' => {
                    self.enter(Kind::Array);
                    if self.token() != b']' {
                        object = false;
                        continue;
                    }
                    object = self.leave();
                }
                b'-' | b'0'..=b'9' => self.number()?,
                b't' => self.literal(b"true", Kind::True)?,
                b'f' => self.literal(b"false", Kind::False)?,
                b'n' => self.literal(b"null", Kind::Null)?,
                _ => return self.fail("unexpected character"),
            }
            // What ends with the value, and what comes after it.
            loop {
                let token = self.token();
                if self.open.is_empty() {
                    return if self.at == self.bytes.len() { Ok(()) } else { self.fail("text after the value") };
                }
                match (token, object) {
                    (b',', _) => {
                        self.at += 1;
                        if object {
                            self.token();
                            self.key()?;
                        }
                        break;
                    }
                    (b'}', true) | (b']', false) => object = self.leave(),
                    _ => return self.fail("expected a comma or the end of the container"),
                }
            }
        }
    }

    fn enter(&mut self, kind: Kind) {
        self.open.push(self.nodes.len() as u32);
        self.push(kind, self.at, self.at);
        self.at += 1;
    }

    /// A container ends. Whether it stood in an object.
    fn leave(&mut self) -> bool {
        self.at += 1;
        let next = self.nodes.len() as u32;
        if let Some(node) = self.open.pop().and_then(|container| self.nodes.get_mut(container as usize)) {
            node.end = self.at as u32;
            node.next = next;
        }
        self.open.last().is_some_and(|container| self.nodes[*container as usize].kind == Kind::Object)
    }

    #[inline]
    fn key(&mut self) -> Result<(), Malformed> {
        if self.peek() != b'"' {
            return self.fail("expected a key");
        }
        self.string()?;
        if self.token() != b':' {
            return self.fail("expected a colon");
        }
        self.at += 1;
        Ok(())
    }

    #[inline(never)]
    fn string(&mut self) -> Result<(), Malformed> {
        let start = self.at + 1;
        let end = start + plain_length(self.bytes.get(start..).unwrap_or_default());
        if self.bytes.get(end) != Some(&b'"') {
            return self.long_string(start, end);
        }
        self.at = end + 1;
        self.push(Kind::Plain, start, end);
        Ok(())
    }

    /// A string that is not over at the first special character.
    fn long_string(&mut self, start: usize, at: usize) -> Result<(), Malformed> {
        self.at = at;
        let mut kind = Kind::Plain;
        loop {
            match self.bytes.get(self.at) {
                Some(b'"') => break,
                Some(b'\\') => {
                    kind = Kind::Escaped;
                    self.escape()?;
                }
                _ => return self.fail("control character in a string"),
            }
            self.at += plain_length(&self.bytes[self.at..]);
        }
        self.push(kind, start, self.at);
        self.at += 1;
        Ok(())
    }

    fn escape(&mut self) -> Result<(), Malformed> {
        match escape_length(&self.bytes[self.at..]) {
            Some(length) => self.at += length,
            None if self.at + 1 == self.bytes.len() => {
                return Err(Malformed { what: "unexpected end", at: self.at });
            }
            None => return self.fail("bad escape"),
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<(), Malformed> {
        let start = self.at;
        while self.peek().is_ascii_digit() {
            self.at += 1;
        }
        if self.at > start { Ok(()) } else { Err(Malformed { what: "bad number", at: self.at }) }
    }

    fn number(&mut self) -> Result<(), Malformed> {
        let start = self.at;
        if self.peek() == b'-' {
            self.at += 1;
        }
        if self.peek() == b'0' {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.peek() == b'.' {
            self.at += 1;
            self.digits()?;
        }
        if let b'e' | b'E' = self.peek() {
            self.at += 1;
            if let b'+' | b'-' = self.peek() {
                self.at += 1;
            }
            self.digits()?;
        }
        self.push(Kind::Number, start, self.at);
        Ok(())
    }

    fn literal(&mut self, word: &[u8], kind: Kind) -> Result<(), Malformed> {
        if !self.bytes[self.at..].starts_with(word) {
            return Err(Malformed { what: "unexpected character", at: self.at });
        }
        self.push(kind, self.at, self.at + word.len());
        self.at += word.len();
        Ok(())
    }
}

/// The length of the escape that begins with this backslash.
fn escape_length(bytes: &[u8]) -> Option<usize> {
    match bytes {
        [_, b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't', ..] => Some(2),
        [_, b'u', digits @ ..] => digits.get(..4)?.iter().all(u8::is_ascii_hexdigit).then_some(6),
        _ => None,
    }
}

/// The length of the body of a string, up to its quote; nothing if it is not valid.
pub fn string_length(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += plain_length(&bytes[at..]);
        match bytes.get(at)? {
            b'"' => return Some(at),
            b'\\' => at += escape_length(&bytes[at..])?,
            _ => return None,
        }
    }
}

/// The length of a whole number without a sign; nothing if there is none.
pub fn integer_length(bytes: &[u8]) -> Option<usize> {
    let length = bytes.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(bytes.len());
    (length > 0 && (length == 1 || bytes[0] != b'0')).then_some(length)
}

/// A value of the line that is being read.
#[derive(Debug, Clone, Copy)]
pub struct Value<'a> {
    text: &'a str,
    nodes: &'a [Node],
    at: u32,
}

impl<'a> Value<'a> {
    fn node(self) -> Node {
        self.nodes[self.at as usize]
    }

    /// Where the value stands among those of its text.
    pub fn place(self) -> u32 {
        self.at
    }

    /// The value that stands there.
    #[must_use]
    pub fn at(self, place: u32) -> Self {
        Self { at: place, ..self }
    }

    /// What it is.
    pub fn kind(self) -> Kind {
        self.node().kind
    }

    /// Whether it is an object.
    pub fn is_object(self) -> bool {
        self.kind() == Kind::Object
    }

    /// Whether it is a list.
    pub fn is_array(self) -> bool {
        self.kind() == Kind::Array
    }

    /// Where the value stands in the line; a string without its quotes.
    pub fn span(self) -> (usize, usize) {
        let node = self.node();
        (node.start as usize, node.end as usize)
    }

    /// The value's text as it stands in the line, quotes included.
    pub fn raw(self) -> &'a str {
        let node = self.node();
        let quote = u32::from(matches!(node.kind, Kind::Plain | Kind::Escaped));
        &self.text[(node.start - quote) as usize..(node.end + quote) as usize]
    }

    /// The value's text without blanks, on one line: documents may be indented.
    pub fn compact(self) -> String {
        let mut rest = self.raw();
        let mut out = String::with_capacity(rest.len());
        while let Some(at) = rest.find([' ', '\n', '\t', '\r', '"']) {
            let (before, from) = rest.split_at(at);
            out.push_str(before);
            // A string is kept as it is, with both its quotes; a blank is left out.
            let string = if from.starts_with('"') { string_length(&from.as_bytes()[1..]) } else { None };
            let (string, more) = from.split_at(string.map_or(0, |length| length + 2));
            out.push_str(string);
            rest = if string.is_empty() { &more[1..] } else { more };
        }
        out.push_str(rest);
        out
    }

    /// The value as JSON that is passed on as it stands.
    pub fn json(self) -> Json<'a> {
        Json::from_text(self.raw())
    }

    /// A string, as text.
    pub fn text(self) -> Option<Text<'a>> {
        let node = self.node();
        let body = &self.text[node.start as usize..node.end as usize];
        match node.kind {
            Kind::Plain => Some(Text::from(body)),
            Kind::Escaped => Some(Text::from_json_body(body)),
            _ => None,
        }
    }

    /// A string, as an identifier or name: a lone surrogate becomes U+FFFD.
    pub fn str(self) -> Option<Cow<'a, str>> {
        let node = self.node();
        let body = &self.text[node.start as usize..node.end as usize];
        match node.kind {
            Kind::Plain => Some(Cow::Borrowed(body)),
            Kind::Escaped => Some(Cow::Owned(Text::from_json_body(body).to_str_lossy().into_owned())),
            _ => None,
        }
    }

    /// `true` or `false`.
    pub fn bool(self) -> Option<bool> {
        match self.kind() {
            Kind::True => Some(true),
            Kind::False => Some(false),
            _ => None,
        }
    }

    /// A number.
    pub fn f64(self) -> Option<f64> {
        (self.kind() == Kind::Number).then(|| number::parse(self.raw()))
    }

    /// A whole number.
    pub fn i64(self) -> Option<i64> {
        let integer = if self.kind() == Kind::Number { self.raw().parse().ok() } else { None };
        integer.or_else(|| self.f64().filter(|number| number.fract() == 0.0).map(|number| number as i64))
    }

    /// A whole number that is not negative.
    pub fn u64(self) -> Option<u64> {
        let whole = if self.kind() == Kind::Number { self.raw().parse().ok() } else { None };
        whole.or_else(|| self.i64().and_then(|number| number.try_into().ok()))
    }

    /// The value of a key of an object; of doubled keys, the last one.
    pub fn get(self, key: &str) -> Option<Value<'a>> {
        let node = self.node();
        let end = if node.kind == Kind::Object { node.next } else { 0 };
        let (mut at, mut found) = (self.at + 1, None);
        while at < end {
            let is_it = match self.at(at).plain() {
                Some(name) => same(name, key.as_bytes()),
                None => self.at(at).str().is_some_and(|name| name == key),
            };
            let value = self.at(at + 1);
            if is_it {
                found = Some(value);
            }
            at = value.node().next;
        }
        found
    }

    /// The values of some keys of an object, each as [`Value::get`] finds it: for few of them, this is quicker.
    pub fn pick<const N: usize>(self, keys: [&str; N]) -> [Option<Value<'a>>; N] {
        let node = self.node();
        let end = if node.kind == Kind::Object { node.next } else { 0 };
        let (mut at, mut found) = (self.at + 1, [None; N]);
        while at < end {
            let value = self.at(at + 1);
            let is_it = |key: &str| match self.at(at).plain() {
                Some(name) => same(name, key.as_bytes()),
                None => self.at(at).str().is_some_and(|name| name == key),
            };
            if let Some(slot) = keys.iter().position(|key| is_it(key)) {
                found[slot] = Some(value);
            }
            at = value.node().next;
        }
        found
    }

    /// The place of the value of each field of an object, 0 where it is not there; of doubled keys, that of the last
    /// one. Keys that the table does not know are handed over.
    #[inline]
    pub fn find(self, table: &Table, found: &mut [u32], mut unknown: impl FnMut(Cow<'a, str>, Value<'a>)) {
        let node = self.node();
        let end = if node.kind == Kind::Object { node.next } else { 0 };
        let mut at = self.at + 1;
        while at < end {
            let (key, value) = (self.at(at), self.at(at + 1));
            let field = match key.plain() {
                Some(name) => table.field(name),
                None => table.field(key.str().unwrap_or_default().as_bytes()),
            };
            match field.and_then(|field| found.get_mut(field)) {
                Some(place) => *place = value.at,
                None => unknown(key.str().unwrap_or_default(), value),
            }
            at = value.node().next;
        }
    }

    /// The bytes of a string that has no escapes.
    #[inline]
    fn plain(self) -> Option<&'a [u8]> {
        let Node { kind, start, end, .. } = self.node();
        if kind == Kind::Plain { self.text.as_bytes().get(start as usize..end as usize) } else { None }
    }

    /// The keys and values of an object; nothing for any other value.
    pub fn members(self) -> Members<'a> {
        let node = self.node();
        let at = self.at + 1;
        Members { value: self, at, end: if node.kind == Kind::Object { node.next } else { at } }
    }

    /// The elements of an array; nothing for any other value.
    pub fn elements(self) -> Elements<'a> {
        let node = self.node();
        let at = self.at + 1;
        Elements { value: self, at, end: if node.kind == Kind::Array { node.next } else { at } }
    }
}

/// The keys and values of an object.
#[derive(Debug)]
pub struct Members<'a> {
    value: Value<'a>,
    at: u32,
    end: u32,
}

impl<'a> Iterator for Members<'a> {
    type Item = (Cow<'a, str>, Value<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        if self.at >= self.end {
            return None;
        }
        let key = Value { at: self.at, ..self.value };
        let value = Value { at: self.at + 1, ..self.value };
        self.at = value.node().next;
        Some((key.str().unwrap_or_default(), value))
    }
}

/// The elements of an array.
#[derive(Debug)]
pub struct Elements<'a> {
    value: Value<'a>,
    at: u32,
    end: u32,
}

impl<'a> Iterator for Elements<'a> {
    type Item = Value<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.at >= self.end {
            return None;
        }
        let value = Value { at: self.at, ..self.value };
        self.at = value.node().next;
        Some(value)
    }
}

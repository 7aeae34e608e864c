//! One JSON line, read once into a reused list of nodes that point into it.
//!
//! No value is copied or decoded until it is asked for, keys may stand in any order, of doubled keys the last one
//! counts, and text keeps its escapes, lone surrogates included.

use std::borrow::Cow;

use crate::json::{Json, plain_length};
use crate::number;
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
        let mut reader = Reader { bytes: text.as_bytes(), at: 0, tape: self };
        reader.value()?;
        Ok(Value { text, nodes: &self.nodes, at: 0 })
    }
}

struct Reader<'t, 'a> {
    bytes: &'a [u8],
    at: usize,
    tape: &'t mut Tape,
}

impl Reader<'_, '_> {
    fn fail<T>(&self, what: &'static str) -> Result<T, Malformed> {
        Err(Malformed { what, at: self.at })
    }

    fn peek(&self) -> u8 {
        self.bytes.get(self.at).copied().unwrap_or(0)
    }

    fn blanks(&mut self) {
        // Agents hardly ever write one.
        while self.peek() <= b' ' && matches!(self.peek(), b' ' | b'\n' | b'\t' | b'\r') {
            self.at += 1;
        }
    }

    fn push(&mut self, kind: Kind, start: usize, end: usize) {
        let next = self.tape.nodes.len() as u32 + 1;
        self.tape.nodes.push(Node { kind, start: start as u32, end: end as u32, next });
    }

    /// Reads a value with all that it holds; what is nested is kept on a list, not on the stack.
    fn value(&mut self) -> Result<(), Malformed> {
        loop {
            self.blanks();
            match self.peek() {
                b'{' => {
                    self.enter(Kind::Object);
                    self.blanks();
                    if self.peek() == b'}' {
                        self.at += 1;
                        self.leave();
                    } else {
                        self.key()?;
                        continue;
                    }
                }
                b'[' => {
                    self.enter(Kind::Array);
                    self.blanks();
                    if self.peek() == b']' {
                        self.at += 1;
                        self.leave();
                    } else {
                        continue;
                    }
                }
                b'"' => self.string()?,
                b'-' | b'0'..=b'9' => self.number()?,
                b't' => self.literal(b"true", Kind::True)?,
                b'f' => self.literal(b"false", Kind::False)?,
                b'n' => self.literal(b"null", Kind::Null)?,
                _ if self.at >= self.bytes.len() => return self.fail("unexpected end"),
                _ => return self.fail("unexpected character"),
            }
            if self.after_value()? {
                return Ok(());
            }
        }
    }

    /// Closes containers and goes to the next value. True when the line is over.
    fn after_value(&mut self) -> Result<bool, Malformed> {
        loop {
            self.blanks();
            let Some(&container) = self.tape.open.last() else {
                return if self.at == self.bytes.len() { Ok(true) } else { self.fail("text after the value") };
            };
            let object = self.tape.nodes[container as usize].kind == Kind::Object;
            match (self.peek(), object) {
                (b',', true) => {
                    self.at += 1;
                    self.blanks();
                    self.key()?;
                    return Ok(false);
                }
                (b',', false) => {
                    self.at += 1;
                    return Ok(false);
                }
                (b'}', true) | (b']', false) => {
                    self.at += 1;
                    self.leave();
                }
                _ if self.at >= self.bytes.len() => return self.fail("unexpected end"),
                _ => return self.fail("expected a comma or the end of the container"),
            }
        }
    }

    fn enter(&mut self, kind: Kind) {
        self.tape.open.push(self.tape.nodes.len() as u32);
        self.push(kind, self.at, self.at);
        self.at += 1;
    }

    fn leave(&mut self) {
        if let Some(container) = self.tape.open.pop() {
            let next = self.tape.nodes.len() as u32;
            let node = &mut self.tape.nodes[container as usize];
            node.end = self.at as u32;
            node.next = next;
        }
    }

    fn key(&mut self) -> Result<(), Malformed> {
        if self.peek() != b'"' {
            return self.fail(if self.at >= self.bytes.len() { "unexpected end" } else { "expected a key" });
        }
        self.string()?;
        self.blanks();
        if self.peek() != b':' {
            return self.fail(if self.at >= self.bytes.len() { "unexpected end" } else { "expected a colon" });
        }
        self.at += 1;
        Ok(())
    }

    fn string(&mut self) -> Result<(), Malformed> {
        self.at += 1;
        let start = self.at;
        let mut kind = Kind::Plain;
        loop {
            self.at += plain_length(&self.bytes[self.at..]);
            match self.bytes.get(self.at) {
                Some(b'"') => break,
                Some(b'\\') => {
                    kind = Kind::Escaped;
                    self.escape()?;
                }
                Some(_) => return self.fail("control character in a string"),
                None => return self.fail("unexpected end"),
            }
        }
        let end = self.at;
        self.at += 1;
        self.push(kind, start, end);
        Ok(())
    }

    fn escape(&mut self) -> Result<(), Malformed> {
        match escape_length(&self.bytes[self.at..]) {
            Some(length) => self.at += length,
            None if self.at + 1 == self.bytes.len() => return self.fail("unexpected end"),
            None => return self.fail("bad escape"),
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<(), Malformed> {
        if !self.peek().is_ascii_digit() {
            return self.fail("bad number");
        }
        while self.peek().is_ascii_digit() {
            self.at += 1;
        }
        Ok(())
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
            return self.fail("unexpected character");
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
    let length = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
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
            let name = self.nodes[at as usize];
            let is_it = match name.kind {
                Kind::Plain => &self.text.as_bytes()[name.start as usize..name.end as usize] == key.as_bytes(),
                _ => self.at(at).str().is_some_and(|name| name == key),
            };
            let value = self.at(at + 1);
            if is_it {
                found = Some(value);
            }
            at = value.node().next;
        }
        found
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

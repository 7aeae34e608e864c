//! The values of a line: what is asked for is looked up among its nodes, and decoded then.

use super::{Kind, Node, Tape, string_body};
use crate::json::Json;
use crate::number;
use crate::table::{Table, same};
use crate::text::Text;

/// A value of the line that is being read.
#[derive(Debug, Clone, Copy)]
pub struct Value<'a> {
    pub(super) tape: &'a Tape<'a>,
    pub(super) at: u32,
}

impl<'a> Value<'a> {
    fn node(self) -> Node {
        self.tape.nodes[self.at as usize]
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
        &self.tape.text[(node.start - quote) as usize..(node.end + quote) as usize]
    }

    /// The value's text without blanks, on one line: documents may be indented.
    pub fn compact(self) -> String {
        let mut rest = self.raw();
        let mut out = String::with_capacity(rest.len());
        while let Some(at) = rest.find([' ', '\n', '\t', '\r', '"']) {
            let (before, from) = rest.split_at(at);
            out.push_str(before);
            // A string is kept as it is, with both its quotes; a blank is left out.
            let string = if from.starts_with('"') { string_body(&from.as_bytes()[1..]) } else { None };
            let (string, more) = from.split_at(string.map_or(0, |body| body.length + 2));
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
        let body = &self.tape.text[node.start as usize..node.end as usize];
        match node.kind {
            Kind::Plain => Some(Text::from_plain_body(body)),
            Kind::Escaped => Some(Text::from_escaped_body(body)),
            _ => None,
        }
    }

    /// A string, as an identifier or name: a lone surrogate becomes U+FFFD.
    pub fn str(self) -> Option<&'a str> {
        let node = self.node();
        match node.kind {
            Kind::Plain => Some(&self.tape.text[node.start as usize..node.end as usize]),
            Kind::Escaped => Some(self.tape.decode(self.at as usize)),
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
    #[inline(never)]
    pub fn get(self, key: &str) -> Option<Value<'a>> {
        let [value] = self.pick([key]);
        value
    }

    /// The values of some keys of an object, each as [`Value::get`] finds it: for few of them, this is quicker.
    #[expect(clippy::inline_always, reason = "known keys are compared as the few words that they are")]
    #[inline(always)]
    pub fn pick<const N: usize>(self, keys: [&str; N]) -> [Option<Value<'a>>; N] {
        let mut places = [0; N];
        let node = self.node();
        let end = if node.kind == Kind::Object { node.next } else { 0 };
        let mut at = self.at + 1;
        while at < end
            && let Some([name, value]) = self.tape.nodes.get(at as usize..).and_then(<[Node]>::first_chunk)
        {
            let name = self.name(at, *name);
            for (key, place) in keys.iter().zip(&mut places) {
                if same(name, key.as_bytes()) {
                    *place = at + 1;
                }
            }
            at = value.next;
        }
        places.map(|place| (place != 0).then(|| self.at(place)))
    }

    /// A key, without its escapes.
    #[inline]
    fn name(self, at: u32, node: Node) -> &'a [u8] {
        match node.kind {
            Kind::Plain => self.tape.text.as_bytes().get(node.start as usize..node.end as usize).unwrap_or_default(),
            _ => self.tape.decode(at as usize).as_bytes(),
        }
    }

    /// The place of the value of each field of an object, 0 where it is not there; of doubled keys, that of the last
    /// one. Keys that the table does not know are handed over.
    #[inline]
    pub fn find(self, table: &Table, found: &mut [u32], mut unknown: impl FnMut(Value<'a>, Value<'a>)) {
        let node = self.node();
        let end = if node.kind == Kind::Object { node.next } else { 0 };
        let mut at = self.at + 1;
        while at < end {
            let Some([key, value]) = self.tape.nodes.get(at as usize..).and_then(<[Node]>::first_chunk) else { return };
            match table.field(self.name(at, *key)).and_then(|field| found.get_mut(field)) {
                Some(place) => *place = at + 1,
                None => unknown(self.at(at), self.at(at + 1)),
            }
            at = value.next;
        }
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
    type Item = (&'a str, Value<'a>);

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

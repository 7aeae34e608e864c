//! Reads a line into nodes. What it needs all the time is in local variables, so that it stays in registers; whatever is
//! rare is a function that takes what it needs and changes nothing: blanks, escapes, strings that go on for long, mistakes.

use super::{Kind, Malformed, Node, escape_length, is_letter};
use crate::json::special;

/// Why reading came to no end.
pub(super) enum Stop {
    /// The line is not JSON.
    Malformed(Malformed),
    /// The line has more nodes than there is room for.
    Full,
}

/// The container that is being read: that of the outermost value is none.
#[derive(Clone, Copy)]
struct Inside {
    /// Its node.
    at: u32,
    is_object: bool,
}

const NOWHERE: Inside = Inside { at: u32::MAX >> 1, is_object: false };

impl Inside {
    /// As it is kept in the node of a container that stands in it, for as long as that one is open. A line of less than
    /// 4 GiB has nodes for half of its bytes at most.
    fn kept(self) -> u32 {
        self.at << 1 | u32::from(self.is_object)
    }

    fn of(kept: u32) -> Self {
        Self { at: kept >> 1, is_object: kept & 1 == 1 }
    }

    fn ends_with(self, token: u8) -> bool {
        if self.is_object { token == b'}' } else { token == b']' && !self.is_nowhere() }
    }

    fn is_nowhere(self) -> bool {
        self.at == NOWHERE.at
    }
}

/// Reads one value with all that it holds; what is nested is kept in the nodes, not on the stack. `marks` has a bit for
/// each byte that is special. Gives the number of nodes.
pub(super) fn read(bytes: &[u8], marks: &[u64], nodes: &mut [Node]) -> Result<usize, Stop> {
    let mut count = 0;
    let mut inside = NOWHERE;
    // The place of the next byte.
    let mut at = 0;

    macro_rules! push {
        ($kind:expr, $start:expr, $end:expr, $next:expr) => {{
            let Some(slot) = nodes.get_mut(count) else { return Err(Stop::Full) };
            count += 1;
            *slot = Node { kind: $kind, start: $start as u32, end: $end as u32, next: $next };
        }};
    }

    // The string whose first quote stands here.
    macro_rules! string {
        () => {{
            let start = at + 1;
            let end = marked(bytes, marks, start);
            if byte(bytes, end) == b'"' {
                push!(Kind::Plain, start, end, count as u32);
                at = end + 1;
            } else {
                let (kind, end) = long(bytes, marks, end)?;
                push!(kind, start, end, count as u32);
                at = end + 1;
            }
        }};
    }

    // A key with its colon.
    macro_rules! key {
        () => {{
            if byte(bytes, at) != b'"' {
                at = after_blanks(bytes, at, b'"', "expected a key")?;
            }
            string!();
            if byte(bytes, at) != b':' {
                at = after_blanks(bytes, at, b':', "expected a colon")?;
            }
            at += 1;
        }};
    }

    // A container begins. If it is empty, it is over at once.
    macro_rules! enter {
        ($kind:expr, $end:expr) => {{
            let container = Inside { at: count as u32, is_object: matches!($kind, Kind::Object) };
            push!($kind, at, at, inside.kept());
            inside = container;
            at += 1;
            if byte(bytes, at) <= b' ' {
                at = skip_blanks(bytes, at);
            }
            byte(bytes, at) != $end
        }};
    }

    loop {
        // What begins with this byte.
        match byte(bytes, at) {
            b'"' => string!(),
            b'{' => {
                if enter!(Kind::Object, b'}') {
                    key!();
                    continue;
                }
            }
            b'[' => {
                if enter!(Kind::Array, b']') {
                    continue;
                }
            }
            b'-' | b'0'..=b'9' => {
                let end = number(bytes, at)?;
                push!(Kind::Number, at, end, count as u32);
                at = end;
            }
            token => {
                let Some((kind, end)) = literal(bytes, at, token) else {
                    at = value_after_blanks(bytes, at)?;
                    continue;
                };
                push!(kind, at, end, count as u32);
                at = end;
            }
        }
        // What ends with it, and whether another one comes after it.
        loop {
            match byte(bytes, at) {
                b',' if inside.is_object => {
                    at += 1;
                    key!();
                    break;
                }
                b',' if !inside.is_nowhere() => {
                    at += 1;
                    break;
                }
                b'}' | b']' if inside.ends_with(byte(bytes, at)) => {
                    at += 1;
                    inside = leave(nodes, inside, at, count);
                    continue;
                }
                _ => {}
            }
            let next = skip_blanks(bytes, at);
            match inside.is_nowhere() {
                _ if next > at => at = next,
                true if at == bytes.len() => return Ok(count),
                true => return Err(wrong(bytes, at, "text after the value")),
                false => return Err(wrong(bytes, at, "expected a comma or the end of the container")),
            }
        }
    }
}

/// The container is over: the one that it stands in goes on.
#[inline]
fn leave(nodes: &mut [Node], inside: Inside, end: usize, count: usize) -> Inside {
    let Some(node) = nodes.get_mut(inside.at as usize) else { return NOWHERE };
    node.end = end as u32;
    Inside::of(std::mem::replace(&mut node.next, count as u32))
}

/// This is not what must stand here; if the line is over, that is what is wrong.
#[cold]
#[inline(never)]
fn wrong(bytes: &[u8], at: usize, what: &'static str) -> Stop {
    malformed(at, if at >= bytes.len() { "unexpected end" } else { what })
}

#[cold]
fn malformed(at: usize, what: &'static str) -> Stop {
    Stop::Malformed(Malformed { what, at })
}

/// The byte that stands there; 0 at the end.
#[inline]
fn byte(bytes: &[u8], at: usize) -> u8 {
    bytes.get(at).copied().unwrap_or(0)
}

/// Agents hardly ever write a blank.
#[cold]
#[inline(never)]
fn skip_blanks(bytes: &[u8], mut at: usize) -> usize {
    while let b' ' | b'\n' | b'\t' | b'\r' = byte(bytes, at) {
        at += 1;
    }
    at
}

/// The place of this token, which must come next.
#[cold]
#[inline(never)]
fn after_blanks(bytes: &[u8], at: usize, token: u8, what: &'static str) -> Result<usize, Stop> {
    let at = skip_blanks(bytes, at);
    if byte(bytes, at) == token { Ok(at) } else { Err(wrong(bytes, at, what)) }
}

/// The place of a value that does not stand here, but after blanks.
#[cold]
#[inline(never)]
fn value_after_blanks(bytes: &[u8], at: usize) -> Result<usize, Stop> {
    let next = skip_blanks(bytes, at);
    // The letters that words begin with: this is none of the words.
    match byte(bytes, next) {
        b't' | b'f' | b'n' if next == at => Err(malformed(at, "unexpected character")),
        _ if next == at => Err(wrong(bytes, at, "unexpected character")),
        _ => Ok(next),
    }
}

/// Where the next byte is that is marked; the end of the line, if there is none.
#[inline]
fn marked(bytes: &[u8], marks: &[u64], at: usize) -> usize {
    let bits = marks.get(at / 64).map_or(0, |bits| bits >> (at % 64));
    if bits == 0 { marked_later(bytes, marks, at / 64) } else { at + bits.trailing_zeros() as usize }
}

#[inline(never)]
fn marked_later(bytes: &[u8], marks: &[u64], word: usize) -> usize {
    let later = marks.get(word + 1..).unwrap_or_default();
    match later.iter().position(|bits| *bits != 0) {
        Some(more) => (word + 1 + more) * 64 + later[more].trailing_zeros() as usize,
        None => bytes.len(),
    }
}

/// A string that is not over at its first special character: what it is, and where it ends.
#[inline(never)]
fn long(bytes: &[u8], marks: &[u64], mut at: usize) -> Result<(Kind, usize), Stop> {
    let mut kind = Kind::Plain;
    // The marks of 64 bytes are gone through without looking where they lead to.
    while let Some(marks) = marks.get(at / 64) {
        let first = at - at % 64;
        let mut marks = marks & (u64::MAX << (at % 64));
        at = first + 64;
        while marks != 0 {
            let mark = first + marks.trailing_zeros() as usize;
            match byte(bytes, mark) {
                b'"' => return Ok((kind, mark)),
                b'\\' => kind = Kind::Escaped,
                _ => return Err(wrong(bytes, mark, "control character in a string")),
            }
            let next = if is_letter(byte(bytes, mark + 1)) { mark + 2 } else { escape(bytes, mark)? };
            marks = if next < first + 64 { marks & (u64::MAX << (next - first)) } else { 0 };
            at = at.max(next);
        }
    }
    Err(malformed(bytes.len(), "unexpected end"))
}

fn escape(bytes: &[u8], at: usize) -> Result<usize, Stop> {
    match escape_length(&bytes[at..]) {
        Some(length) => Ok(at + length),
        None if at + 1 == bytes.len() => Err(malformed(at, "unexpected end")),
        None => Err(wrong(bytes, at, "bad escape")),
    }
}

/// Where the number ends that begins here.
#[inline]
fn number(bytes: &[u8], start: usize) -> Result<usize, Stop> {
    let mut at = start + usize::from(byte(bytes, start) == b'-');
    at = if byte(bytes, at) == b'0' { at + 1 } else { digits(bytes, at)? };
    if let b'.' | b'e' | b'E' = byte(bytes, at) { fraction(bytes, at) } else { Ok(at) }
}

#[inline(never)]
fn fraction(bytes: &[u8], mut at: usize) -> Result<usize, Stop> {
    if byte(bytes, at) == b'.' {
        at = digits(bytes, at + 1)?;
    }
    if let b'e' | b'E' = byte(bytes, at) {
        at += 1;
        if let b'+' | b'-' = byte(bytes, at) {
            at += 1;
        }
        at = digits(bytes, at)?;
    }
    Ok(at)
}

#[inline]
fn digits(bytes: &[u8], at: usize) -> Result<usize, Stop> {
    let mut end = at;
    while byte(bytes, end).is_ascii_digit() {
        end += 1;
    }
    if end > at { Ok(end) } else { Err(malformed(end, "bad number")) }
}

/// The word that begins here, and where it ends.
#[inline]
fn literal(bytes: &[u8], at: usize, token: u8) -> Option<(Kind, usize)> {
    let (word, kind): (&[u8], _) = match token {
        b't' => (b"true", Kind::True),
        b'f' => (b"false", Kind::False),
        b'n' => (b"null", Kind::Null),
        _ => return None,
    };
    bytes[at..].starts_with(word).then_some((kind, at + word.len()))
}

/// Marks the bytes at which a string may end or is not plain.
pub(super) fn mark(bytes: &[u8], marks: &mut Vec<u64>) {
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

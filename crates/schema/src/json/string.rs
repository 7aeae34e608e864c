//! The bodies of JSON strings: what must be escaped, and how they are written and read.
//!
//! Sixteen bytes are looked at at once, and in long texts 64. Inside they are UTF-8 or WTF-8: that is UTF-8 that may hold
//! lone surrogates, as the strings of JavaScript and JSON do.

use std::borrow::Cow;
use std::io::Write as _;

use wide::u8x16;

/// How many bytes there are before the next quote, backslash or control character.
#[inline]
pub(crate) fn plain_length(bytes: &[u8]) -> usize {
    length_before(bytes, special)
}

/// How many bytes there are before the first one that is marked, if sixteen of them are looked at at once.
#[inline]
pub(crate) fn length_before(bytes: &[u8], marks: impl Fn([u8; 16]) -> u32) -> usize {
    let (blocks, rest) = bytes.as_chunks::<16>();
    for (index, block) in blocks.iter().enumerate() {
        let marked = marks(*block);
        if marked != 0 {
            return index * 16 + marked.trailing_zeros() as usize;
        }
    }
    match bytes.last_chunk() {
        // The last ones once more, with some of those before them, which are not marked.
        Some(last) if !rest.is_empty() => {
            let marked = marks(*last);
            if marked == 0 { bytes.len() } else { bytes.len() - 16 + marked.trailing_zeros() as usize }
        }
        Some(_) => bytes.len(),
        None => short_length_before(bytes, marks),
    }
}

/// The same for less than sixteen bytes: the first and the last ones beside each other, which may overlap.
#[inline]
fn short_length_before(bytes: &[u8], marks: impl Fn([u8; 16]) -> u32) -> usize {
    let mut block = [b' '; 16];
    let ends = (bytes.first_chunk::<8>(), bytes.last_chunk::<8>(), bytes.first_chunk::<4>(), bytes.last_chunk::<4>());
    let half = match ends {
        (Some(first), Some(last), ..) => {
            block[..8].copy_from_slice(first);
            block[8..].copy_from_slice(last);
            8
        }
        (_, _, Some(first), Some(last)) => {
            block[..4].copy_from_slice(first);
            block[4..8].copy_from_slice(last);
            4
        }
        _ => {
            block.iter_mut().zip(bytes).for_each(|(to, byte)| *to = *byte);
            16
        }
    };
    let marked = marks(block);
    let at = marked.trailing_zeros() as usize;
    match () {
        () if marked == 0 => bytes.len(),
        () if at < half => at,
        () => at + bytes.len() - 2 * half,
    }
}

/// A bit for each byte that is a quote, a backslash or a control character.
#[inline]
pub(crate) fn special(block: [u8; 16]) -> u32 {
    let block = u8x16::new(block);
    let control = block.min(u8x16::splat(0x1F)).simd_eq(block);
    let quote = block.simd_eq(u8x16::splat(b'"'));
    let backslash = block.simd_eq(u8x16::splat(b'\\'));
    (control | quote | backslash).to_bitmask()
}

/// A bit for each byte that is a digit.
#[inline]
pub(crate) fn digits(block: [u8; 16]) -> u32 {
    let value = u8x16::new(block) - u8x16::splat(b'0');
    value.min(u8x16::splat(9)).simd_eq(value).to_bitmask()
}

/// Appends bytes that are mostly few.
#[inline]
fn put(bytes: &[u8], out: &mut Vec<u8>) {
    if cfg!(target_family = "wasm") { put_few(bytes, out) } else { out.extend_from_slice(bytes) }
}

/// The same where copying costs more than the first and the last bytes, which may overlap.
fn put_few(bytes: &[u8], out: &mut Vec<u8>) {
    match bytes.len() {
        16..=32 => put_ends::<16>(bytes, out),
        8..16 => put_ends::<8>(bytes, out),
        4..8 => put_ends::<4>(bytes, out),
        _ => out.extend_from_slice(bytes),
    }
}

#[expect(clippy::inline_always, reason = "it is two loads and two stores")]
#[inline(always)]
fn put_ends<const N: usize>(bytes: &[u8], out: &mut Vec<u8>) {
    if let (Some(first), Some(last)) = (bytes.first_chunk::<N>(), bytes.last_chunk::<N>()) {
        let end = out.len() + bytes.len();
        out.extend_from_slice(first);
        out.truncate(end - N);
        out.extend_from_slice(last);
    }
}

/// Writes a word that has nothing to escape as a JSON string.
pub(crate) fn write_word(word: &str, out: &mut Vec<u8>) {
    out.reserve(word.len() + 2);
    out.push(b'"');
    put(word.as_bytes(), out);
    out.push(b'"');
}

/// Writes UTF-8 as a JSON string.
pub(crate) fn write_string(bytes: &[u8], out: &mut Vec<u8>) {
    out.reserve(bytes.len() + 2);
    out.push(b'"');
    write_body(bytes, out);
    out.push(b'"');
}

/// Appends UTF-8 as the body of a JSON string.
fn write_body(bytes: &[u8], out: &mut Vec<u8>) {
    let mut rest = bytes;
    while let Some(block) = rest.first_chunk() {
        write_block(block, out);
        rest = &rest[LONG..];
    }
    loop {
        let (plain, more) = rest.split_at(plain_length(rest));
        put(plain, out);
        let Some((byte, more)) = more.split_first() else { return };
        write_escape(*byte, out);
        rest = more;
    }
}

/// So many bytes are looked at at once in long texts, and so many may be copied at once.
const LONG: usize = 64;
const SOME: usize = 16;

/// The bytes that are looked at, and those after them that may be copied, too.
type Block = [u8; LONG + SOME];

/// A bit for each byte that is marked.
#[inline]
fn marks(block: &Block, marks: impl Fn([u8; 16]) -> u32) -> u64 {
    let (quarters, _) = block[..LONG].as_chunks();
    quarters.iter().rev().fold(0, |bits, quarter| bits << 16 | u64::from(marks(*quarter)))
}

/// Appends bytes of the body of a JSON string. What is between those that are escaped is copied with some of what follows,
/// over which they are written: how long it is cannot be guessed, in code for instance.
fn write_block(block: &Block, out: &mut Vec<u8>) {
    let mut special = marks(block, special);
    if special == 0 {
        out.extend_from_slice(&block[..LONG]);
        return;
    }
    let begin = out.len();
    out.extend_from_slice(&[0; 2 * LONG + SOME]);
    let written = &mut out[begin..];
    let (mut from, mut to, mut by_code) = (0, 0, false);
    loop {
        let mark = special.trailing_zeros() as usize;
        copy_some(block, &mut from, mark, written, &mut to);
        if mark == LONG {
            break;
        }
        let letter = letter(block[mark]);
        by_code |= letter == b'u';
        if let Some(escape) = written.get_mut(to..to + 2) {
            escape.copy_from_slice(&[b'\\', letter]);
        }
        (from, to) = (mark + 1, to + 2);
        special &= special - 1;
    }
    out.truncate(begin + to);
    if by_code {
        out.truncate(begin);
        block[..LONG].iter().for_each(|byte| write_byte(*byte, out));
    }
}

/// Copies what stands there up to a place, with some of what follows.
#[inline]
fn copy_some(block: &Block, from: &mut usize, end: usize, written: &mut [u8], to: &mut usize) {
    loop {
        if let (Some(some), Some(slot)) = (block.get(*from..*from + SOME), written.get_mut(*to..*to + SOME)) {
            slot.copy_from_slice(some);
        }
        let length = (end - *from).min(SOME);
        (*from, *to) = (*from + length, *to + length);
        if *from == end {
            return;
        }
    }
}

/// What a byte is written as after a backslash; `u` if its code follows.
#[inline]
fn letter(byte: u8) -> u8 {
    match byte {
        b'"' | b'\\' => byte,
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        0x08 => b'b',
        0x0C => b'f',
        _ => b'u',
    }
}

fn write_escape(byte: u8, out: &mut Vec<u8>) {
    match letter(byte) {
        b'u' => {
            let _ = write!(out, "\\u{byte:04x}");
        }
        letter => out.extend_from_slice(&[b'\\', letter]),
    }
}

fn write_byte(byte: u8, out: &mut Vec<u8>) {
    if byte < b' ' || byte == b'"' || byte == b'\\' { write_escape(byte, out) } else { out.push(byte) }
}

/// Writes WTF-8 as a JSON string; lone surrogates become `\ud83d`.
pub(crate) fn write_wtf8(bytes: &[u8], out: &mut Vec<u8>) {
    out.reserve(bytes.len() + 2);
    out.push(b'"');
    write_wtf8_body(bytes, out);
    out.push(b'"');
}

/// The same without quotes.
pub(crate) fn write_wtf8_body(bytes: &[u8], out: &mut Vec<u8>) {
    let mut clean = 0;
    // Every surrogate begins with this byte, and hardly any text has it.
    if length_before(bytes, |block| u8x16::new(block).simd_eq(u8x16::splat(0xED)).to_bitmask()) < bytes.len() {
        for at in 0..bytes.len() {
            if surrogate_at(bytes, at) {
                write_body(&bytes[clean..at], out);
                let unit = 0xD000 | (u16::from(bytes[at + 1] & 0x3F) << 6) | u16::from(bytes[at + 2] & 0x3F);
                let _ = write!(out, "\\u{unit:04x}");
                clean = at + 3;
            }
        }
    }
    write_body(&bytes[clean..], out);
}

/// Whether a surrogate in its three-byte form stands there.
fn surrogate_at(bytes: &[u8], at: usize) -> bool {
    matches!(bytes.get(at..at + 3), Some([0xED, 0xA0..=0xBF, 0x80..=0xBF]))
}

/// The text of WTF-8 with U+FFFD for lone surrogates.
pub(crate) fn lossy(bytes: Cow<'_, [u8]>) -> Cow<'_, str> {
    match bytes {
        Cow::Borrowed(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => Cow::Owned(replace_surrogates(bytes.to_vec())),
        },
        Cow::Owned(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Cow::Owned(text),
            Err(error) => Cow::Owned(replace_surrogates(error.into_bytes())),
        },
    }
}

fn replace_surrogates(mut bytes: Vec<u8>) -> String {
    let mut at = 0;
    while at < bytes.len() {
        if surrogate_at(&bytes, at) {
            bytes[at..at + 3].copy_from_slice("\u{FFFD}".as_bytes());
        }
        at += 1;
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Decodes the body of a valid JSON string into WTF-8. What is not valid stays as it is.
pub(crate) fn decode(body: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(body.len());
    decode_into(body, &mut out);
    out
}

/// The same, at the end of WTF-8; halves of a surrogate pair that meet become one character.
pub(crate) fn decode_into(body: &str, out: &mut Vec<u8>) {
    out.reserve(body.len());
    let mut rest = body.as_bytes();
    while let Some(block) = rest.first_chunk() {
        let read = decode_block(block, out);
        rest = &rest[read..];
        if read < LONG {
            rest = &rest[decode_escape(rest, out)..];
        }
    }
    loop {
        let (plain, more) = rest.split_at(plain_length(rest));
        put(plain, out);
        if more.is_empty() {
            return;
        }
        rest = &more[decode_escape(more, out)..];
    }
}

/// Decodes what stands in a block of the body of a JSON string, up to an escape by code; gives how much that is.
fn decode_block(block: &Block, out: &mut Vec<u8>) -> usize {
    let mut escapes = marks(block, |block| u8x16::new(block).simd_eq(u8x16::splat(b'\\')).to_bitmask());
    if escapes == 0 {
        out.extend_from_slice(&block[..LONG]);
        return LONG;
    }
    let begin = out.len();
    out.extend_from_slice(&[0; LONG + SOME]);
    let written = &mut out[begin..];
    let (mut from, mut to) = (0, 0);
    while from < LONG {
        let mark = escapes.trailing_zeros() as usize;
        copy_some(block, &mut from, mark, written, &mut to);
        if mark == LONG || block[mark + 1] == b'u' {
            break;
        }
        if let Some(slot) = written.get_mut(to) {
            *slot = unescaped(block[mark + 1]);
        }
        (from, to) = (mark + 2, to + 1);
        // The letter may be a backslash.
        escapes = if from < LONG { escapes & (u64::MAX << from) } else { 0 };
    }
    out.truncate(begin + to);
    from
}

/// Decodes the escape that stands there, and gives its length. What is none stays as it is.
fn decode_escape(bytes: &[u8], out: &mut Vec<u8>) -> usize {
    match bytes {
        [b'\\', b'u', ..] => {
            push_unit(hex4(bytes, 2), out);
            bytes.len().min(6)
        }
        [b'\\', letter, ..] => {
            out.push(unescaped(*letter));
            2
        }
        [other, ..] => {
            out.push(*other);
            1
        }
        [] => 0,
    }
}

/// What a letter after a backslash means.
#[inline]
fn unescaped(letter: u8) -> u8 {
    match letter {
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'b' => 0x08,
        b'f' => 0x0C,
        other => other,
    }
}

fn hex4(bytes: &[u8], at: usize) -> u16 {
    bytes
        .get(at..at + 4)
        .and_then(|digits| std::str::from_utf8(digits).ok())
        .and_then(|digits| u16::from_str_radix(digits, 16).ok())
        .unwrap_or(0xFFFD)
}

/// Appends a UTF-16 unit; a low surrogate joins a high one that stands right before it.
fn push_unit(unit: u16, out: &mut Vec<u8>) {
    if let 0xDC00..=0xDFFF = unit
        && out.len() >= 3
        && let [0xED, second @ 0xA0..=0xAF, third] = out[out.len() - 3..]
    {
        let high = 0xD000 | (u32::from(second & 0x3F) << 6) | u32::from(third & 0x3F);
        let joined = 0x10000 + ((high - 0xD800) << 10) + (u32::from(unit) - 0xDC00);
        out.truncate(out.len() - 3);
        let mut buffer = [0; 4];
        let joined = char::from_u32(joined).unwrap_or('\u{FFFD}');
        out.extend_from_slice(joined.encode_utf8(&mut buffer).as_bytes());
        return;
    }
    match char::from_u32(u32::from(unit)) {
        Some(character) => out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
        None => out.extend_from_slice(&[0xED, (0x80 | ((unit >> 6) & 0x3F)) as u8, (0x80 | (unit & 0x3F)) as u8]),
    }
}

/// Appends WTF-8 to WTF-8; halves of a surrogate pair that meet become one character.
pub(crate) fn append(out: &mut Vec<u8>, bytes: &[u8]) {
    if let [0xED, second @ 0xB0..=0xBF, third, rest @ ..] = bytes
        && out.len() >= 3
        && matches!(out[out.len() - 3..], [0xED, 0xA0..=0xAF, _])
    {
        push_unit(0xD000 | (u16::from(second & 0x3F) << 6) | u16::from(third & 0x3F), out);
        out.extend_from_slice(rest);
    } else {
        out.extend_from_slice(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_bytes_and_many_are_put_alike() {
        let bytes: Vec<u8> = (0..40).collect();
        for length in 0..=bytes.len() {
            let mut out = b"before".to_vec();
            put_few(&bytes[..length], &mut out);
            assert_eq!(out, [b"before", &bytes[..length]].concat());
        }
    }
}

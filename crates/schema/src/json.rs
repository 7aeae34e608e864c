//! JSON text: values kept as they were written, and the writer of everything else.

use std::borrow::Cow;
use std::io::Write as _;

use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};
use serde_json::value::RawValue;
use wide::u8x16;

use crate::number;

/// Writes itself as JSON at the end of a buffer.
pub trait ToJson {
    /// Appends the value.
    fn write_json(&self, out: &mut Vec<u8>);
}

/// Turns borrowed content into owned content.
pub trait IntoOwned {
    /// The owned form.
    type Owned;
    /// Copies what is still borrowed.
    fn into_owned(self) -> Self::Owned;
}

/// Any JSON value, kept as the text it was written in: key order, number text and lone surrogates survive.
#[derive(Debug, Clone, PartialEq)]
pub struct Json<'a>(Cow<'a, str>);

impl<'a> Json<'a> {
    /// Takes text that is known to be one JSON value.
    pub fn from_text(text: impl Into<Cow<'a, str>>) -> Self {
        Self(text.into())
    }

    /// `null`.
    pub const fn null() -> Self {
        Self(Cow::Borrowed("null"))
    }

    /// Whether it is `null`.
    pub fn is_null(&self) -> bool {
        self.0 == "null"
    }

    /// The JSON of something that writes itself.
    pub fn of(value: &(impl ToJson + ?Sized)) -> Json<'static> {
        let mut out = Vec::with_capacity(256);
        value.write_json(&mut out);
        Json(Cow::Owned(String::from_utf8(out).unwrap_or_default()))
    }

    /// The text of the value.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text of the value, owned.
    pub fn into_text(self) -> String {
        self.0.into_owned()
    }

    /// Reads the value as a type.
    pub fn parse<'j, T: Deserialize<'j>>(&'j self) -> Result<T, serde_json::Error> {
        serde_json::from_str(&self.0)
    }

    /// The same value, borrowed.
    pub fn borrow(&self) -> Json<'_> {
        Json(Cow::Borrowed(&self.0))
    }
}

impl Default for Json<'_> {
    fn default() -> Self {
        Self::null()
    }
}

impl Serialize for Json<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw: Result<&RawValue, _> = serde_json::from_str(&self.0);
        raw.map_err(serde::ser::Error::custom)?.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Json<'static> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        Ok(Json(Cow::Owned(Box::<str>::from(raw).into_string())))
    }
}

#[cfg(feature = "schemars")]
impl schemars::JsonSchema for Json<'_> {
    fn schema_name() -> Cow<'static, str> {
        "Json".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!(true)
    }
}

impl ToJson for Json<'_> {
    fn write_json(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.0.as_bytes());
    }
}

impl ToJson for str {
    fn write_json(&self, out: &mut Vec<u8>) {
        write_string(self.as_bytes(), out);
    }
}

impl ToJson for &str {
    fn write_json(&self, out: &mut Vec<u8>) {
        (**self).write_json(out);
    }
}

impl ToJson for String {
    fn write_json(&self, out: &mut Vec<u8>) {
        write_string(self.as_bytes(), out);
    }
}

impl ToJson for Cow<'_, str> {
    fn write_json(&self, out: &mut Vec<u8>) {
        write_string(self.as_bytes(), out);
    }
}

impl ToJson for bool {
    fn write_json(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(if *self { b"true" } else { b"false" });
    }
}

impl ToJson for u64 {
    fn write_json(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(decimal(*self, &mut [0; 20]));
    }
}

/// The digits of a number. Most are small, which are divided more quickly in WebAssembly.
pub(crate) fn decimal(number: u64, digits: &mut [u8; 20]) -> &[u8] {
    let (mut at, mut large) = (digits.len(), number);
    let mut small = loop {
        if let Ok(small) = u32::try_from(large) {
            break small;
        }
        at -= 1;
        digits[at] = b'0' + (large % 10) as u8;
        large /= 10;
    };
    loop {
        at -= 1;
        digits[at] = b'0' + (small % 10) as u8;
        small /= 10;
        if small == 0 {
            return &digits[at..];
        }
    }
}

impl ToJson for u32 {
    fn write_json(&self, out: &mut Vec<u8>) {
        u64::from(*self).write_json(out);
    }
}

impl ToJson for i64 {
    fn write_json(&self, out: &mut Vec<u8>) {
        if *self < 0 {
            out.push(b'-');
        }
        self.unsigned_abs().write_json(out);
    }
}

impl ToJson for f64 {
    fn write_json(&self, out: &mut Vec<u8>) {
        number::write(*self, out);
    }
}

macro_rules! number {
    ($($type:ty),*) => { $(
        impl IntoOwned for $type {
            type Owned = $type;
            fn into_owned(self) -> $type { self }
        }
    )* };
}
number!(u64, u32, i64, f64);

impl<T: ToJson> ToJson for Vec<T> {
    fn write_json(&self, out: &mut Vec<u8>) {
        self.as_slice().write_json(out);
    }
}

impl<T: ToJson> ToJson for [T] {
    fn write_json(&self, out: &mut Vec<u8>) {
        out.push(b'[');
        for (index, value) in self.iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            value.write_json(out);
        }
        out.push(b']');
    }
}

impl IntoOwned for Json<'_> {
    type Owned = Json<'static>;
    fn into_owned(self) -> Json<'static> {
        Json(Cow::Owned(self.0.into_owned()))
    }
}

impl IntoOwned for Cow<'_, str> {
    type Owned = Cow<'static, str>;
    fn into_owned(self) -> Cow<'static, str> {
        Cow::Owned(Cow::into_owned(self))
    }
}

impl IntoOwned for bool {
    type Owned = bool;
    fn into_owned(self) -> bool {
        self
    }
}

impl<T: IntoOwned> IntoOwned for Vec<T> {
    type Owned = Vec<T::Owned>;
    fn into_owned(self) -> Self::Owned {
        self.into_iter().map(T::into_owned).collect()
    }
}

impl<T: IntoOwned> IntoOwned for Option<T> {
    type Owned = Option<T::Owned>;
    fn into_owned(self) -> Self::Owned {
        self.map(T::into_owned)
    }
}

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
pub(crate) fn write_body(bytes: &[u8], out: &mut Vec<u8>) {
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
pub(crate) fn marks(block: &Block, marks: impl Fn([u8; 16]) -> u32) -> u64 {
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
    fn digits_are_those_of_the_number() {
        let small = u64::from(u32::MAX);
        for number in [0, 9, 10, 4_096, small, small + 1, 42_949_672_960, u64::MAX] {
            assert_eq!(decimal(number, &mut [0; 20]), number.to_string().as_bytes());
        }
    }

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

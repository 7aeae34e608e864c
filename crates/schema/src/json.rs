//! JSON text: values kept as they were written, and the writer of everything else.

mod string;

use std::borrow::Cow;

use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::number;
pub(crate) use string::{
    append, decode, decode_into, digits, length_before, lossy, plain_length, special, write_string, write_word,
    write_wtf8, write_wtf8_body,
};

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
}

//! Reading values of the schema out of JSON that was read into nodes.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize as _, Deserializer, Error as _};

use crate::json::Json;
use crate::macros::Extra;
use crate::table::{MOST_FIELDS, Table};
use crate::tape::{Kind, Tape, Value};
use crate::text::Text;

/// A value that can be read out of JSON.
pub trait FromJson<'a>: Sized {
    /// Reads the value.
    fn from_json(value: Value<'a>) -> Result<Self, Mismatch>;
}

/// Why JSON is not what it should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mismatch {
    /// The type of the event; empty: it is not known.
    place: &'static str,
    /// The field; empty: it is the value itself.
    field: &'static str,
    /// What was expected; empty: something.
    expected: &'static str,
}

impl Mismatch {
    /// A value is of another type than the expected one.
    pub const fn expected(expected: &'static str) -> Self {
        Self { place: "", field: "", expected }
    }

    /// A field is not there.
    pub const fn missing(field: &'static str) -> Self {
        Self { place: "", field, expected: "" }
    }

    /// The same, of this field.
    #[must_use]
    pub fn of(self, field: &'static str) -> Self {
        if self.field.is_empty() { Self { field, ..self } } else { self }
    }

    /// The same, of an event of this type.
    pub(crate) fn within(self, place: &'static str) -> Self {
        Self { place, ..self }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { place, field, expected } = self;
        if !place.is_empty() {
            write!(f, "{place}: ")?;
        }
        match (*field, *expected) {
            ("", expected) => write!(f, "expected {expected}"),
            (field, "") => write!(f, "missing field `{field}`"),
            (field, expected) => write!(f, "field `{field}`: expected {expected}"),
        }
    }
}

impl std::error::Error for Mismatch {}

/// Reads a value with serde: only `serde_json` has the text of it.
pub(crate) fn deserialize<'de, T, D: Deserializer<'de>>(
    deserializer: D,
    read: impl FnOnce(Value<'_>) -> Result<T, Mismatch>,
) -> Result<T, D::Error> {
    let json = Json::deserialize(deserializer)?;
    let mut tape = Tape::default();
    let value = tape.read(json.as_str()).map_err(|error| D::Error::custom(error.what))?;
    read(value).map_err(D::Error::custom)
}

/// The fields of an object; they are taken in their order, those that must be there first.
#[derive(Debug)]
pub(crate) struct Fields<'a> {
    table: &'static Table,
    value: Value<'a>,
    /// The place of each field's value; 0: it is not there.
    found: [u32; MOST_FIELDS],
    next: usize,
    /// What is not known, and what is known and stood there as `null`.
    pub(crate) extra: Extra<'a>,
}

impl<'a> Fields<'a> {
    /// Finds the fields; of doubled keys the last one counts.
    pub(crate) fn find(table: &'static Table, required: usize, value: Value<'a>) -> Result<Self, Mismatch> {
        if !value.is_object() {
            return Err(Mismatch::expected("an object"));
        }
        let mut fields = Self { table, value, found: [0; MOST_FIELDS], next: 0, extra: Extra::default() };
        for (key, value) in value.members() {
            match table.field(key.as_bytes()) {
                None => fields.extra.insert(key, value.json()),
                Some(field) if field >= required && value.kind() == Kind::Null => {
                    fields.found[field] = 0;
                    fields.extra.insert(key, Json::null());
                }
                Some(field) => {
                    fields.extra.remove(key);
                    fields.found[field] = value.place();
                }
            }
        }
        Ok(fields)
    }

    /// The next field, if it is there.
    #[inline(never)]
    pub(crate) fn optional<T: FromJson<'a>>(&mut self) -> Result<Option<T>, Mismatch> {
        let (place, field) = (self.found[self.next], self.next);
        self.next += 1;
        if place == 0 {
            return Ok(None);
        }
        let read = T::from_json(self.value.at(place)).map(Some);
        read.map_err(|mismatch| mismatch.of(self.table.name(field)))
    }

    /// The next field, which must be there.
    #[inline(never)]
    pub(crate) fn required<T: FromJson<'a>>(&mut self) -> Result<T, Mismatch> {
        let field = self.next;
        self.optional()?.ok_or_else(|| Mismatch::missing(self.table.name(field)))
    }
}

macro_rules! scalar {
    ($($type:ty, $method:ident, $expected:literal;)*) => { $(
        impl<'a> FromJson<'a> for $type {
            fn from_json(value: Value<'a>) -> Result<Self, Mismatch> {
                value.$method().ok_or(Mismatch::expected($expected))
            }
        }
    )* };
}

scalar! {
    bool, bool, "true or false";
    u64, u64, "a whole number";
    i64, i64, "a whole number";
    f64, f64, "a number";
    &'a str, str, "a string";
    Text<'a>, text, "a string";
}

impl<'a> FromJson<'a> for Cow<'a, str> {
    fn from_json(value: Value<'a>) -> Result<Self, Mismatch> {
        <&str>::from_json(value).map(Cow::Borrowed)
    }
}

impl<'a> FromJson<'a> for String {
    fn from_json(value: Value<'a>) -> Result<Self, Mismatch> {
        <&str>::from_json(value).map(str::to_owned)
    }
}

impl<'a> FromJson<'a> for u32 {
    fn from_json(value: Value<'a>) -> Result<Self, Mismatch> {
        value.u64().and_then(|number| number.try_into().ok()).ok_or(Mismatch::expected("a whole number"))
    }
}

impl<'a> FromJson<'a> for Value<'a> {
    fn from_json(value: Value<'a>) -> Result<Self, Mismatch> {
        Ok(value)
    }
}

impl<'a> FromJson<'a> for Json<'a> {
    fn from_json(value: Value<'a>) -> Result<Self, Mismatch> {
        Ok(value.json())
    }
}

impl<'a, T: FromJson<'a>> FromJson<'a> for Vec<T> {
    fn from_json(value: Value<'a>) -> Result<Self, Mismatch> {
        if !value.is_array() {
            return Err(Mismatch::expected("a list"));
        }
        value.elements().map(T::from_json).collect()
    }
}

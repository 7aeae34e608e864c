//! Text as the agent wrote it.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Visitor};
use serde::ser::{Serialize, Serializer};

use crate::json::{self, IntoOwned, Json, ToJson};
use crate::table::same;

/// Text that carries whatever a JSON string can, a lone surrogate escape included (which `str` cannot hold).
///
/// It is either still the body of a JSON string, as it stood in the agent's line, or decoded: UTF-8 in which a lone
/// surrogate has its three-byte form (WTF-8). Two texts are equal when they decode to the same.
#[derive(Clone)]
pub struct Text<'a>(Repr<'a>);

#[derive(Clone)]
enum Repr<'a> {
    /// What stands between the quotes of a valid JSON string, escapes included.
    Escaped(&'a str),
    /// The same, and it has no escapes.
    Plain(&'a str),
    /// WTF-8.
    Decoded(Cow<'a, [u8]>),
}

/// For shorter texts it is not worth it to have them in another form, or only a part of them.
const LONG: usize = 256;

impl<'a> Text<'a> {
    /// The body of a JSON string: what stands between its quotes. The caller has checked that it is one.
    pub fn from_json_body(body: &'a str) -> Self {
        if body.as_bytes().contains(&b'\\') { Self(Repr::Escaped(body)) } else { Self::from_plain_body(body) }
    }

    /// The body of a JSON string that has escapes. The caller has checked that it is one.
    pub(crate) fn from_escaped_body(body: &'a str) -> Self {
        Self(Repr::Escaped(body))
    }

    /// The body of a JSON string that has no escapes. The caller has checked that it is one.
    pub fn from_plain_body(body: &'a str) -> Self {
        Self(Repr::Plain(body))
    }

    /// Decoded text: UTF-8, or WTF-8 where a lone surrogate must be kept.
    pub fn from_wtf8(bytes: impl Into<Cow<'a, [u8]>>) -> Self {
        Self(Repr::Decoded(bytes.into()))
    }

    /// The bytes that it borrows, as they stand there; nothing if it has its own.
    pub fn source(&self) -> Option<&[u8]> {
        match &self.0 {
            Repr::Escaped(body) | Repr::Plain(body) => Some(body.as_bytes()),
            Repr::Decoded(Cow::Borrowed(bytes)) => Some(bytes),
            Repr::Decoded(Cow::Owned(_)) => None,
        }
    }

    /// The body of a JSON string that has no escapes, if it is still that.
    pub(crate) fn plain(&self) -> Option<&str> {
        match &self.0 {
            Repr::Plain(body) => Some(body),
            Repr::Escaped(_) | Repr::Decoded(_) => None,
        }
    }

    /// What stands between the quotes of a JSON string, if it is still that.
    pub(crate) fn json_body(&self) -> Option<&str> {
        match &self.0 {
            Repr::Escaped(body) | Repr::Plain(body) => Some(body),
            Repr::Decoded(_) => None,
        }
    }

    /// The decoded bytes: UTF-8, but for lone surrogates in their three-byte form.
    pub fn as_wtf8(&self) -> Cow<'_, [u8]> {
        match &self.0 {
            Repr::Escaped(body) => Cow::Owned(json::decode(body)),
            Repr::Plain(body) => Cow::Borrowed(body.as_bytes()),
            Repr::Decoded(bytes) => Cow::Borrowed(bytes),
        }
    }

    /// The text; a lone surrogate becomes U+FFFD.
    pub fn to_str_lossy(&self) -> Cow<'_, str> {
        match &self.0 {
            Repr::Escaped(body) => Cow::Owned(json::lossy(Cow::Owned(json::decode(body))).into_owned()),
            Repr::Plain(body) => Cow::Borrowed(body),
            Repr::Decoded(bytes) => json::lossy(Cow::Borrowed(bytes)),
        }
    }

    /// The text, or its beginning if it is long: what only tells by how it begins need not be decoded to its end. The last
    /// character may be broken.
    pub fn beginning(&self) -> Cow<'_, str> {
        match &self.0 {
            Repr::Escaped(body) => {
                Cow::Owned(Text::from_escaped_body(&body[..body.floor_char_boundary(LONG)]).to_str_lossy().into_owned())
            }
            Repr::Plain(_) | Repr::Decoded(_) => self.to_str_lossy(),
        }
    }

    /// The body of the JSON string that it is written as, if it is not that yet and long: what is written several times is
    /// escaped once.
    pub fn to_json_body(&self) -> Option<String> {
        let Repr::Decoded(bytes) = &self.0 else { return None };
        let mut body = Vec::with_capacity(bytes.len() + bytes.len() / 8);
        if bytes.len() >= LONG {
            json::write_wtf8_body(bytes, &mut body);
        }
        String::from_utf8(body).ok().filter(|body| !body.is_empty())
    }

    /// Whether there is no text.
    pub fn is_empty(&self) -> bool {
        match &self.0 {
            Repr::Escaped(body) | Repr::Plain(body) => body.is_empty(),
            Repr::Decoded(bytes) => bytes.is_empty(),
        }
    }

    /// Appends the decoded text to decoded text; halves of a surrogate pair that meet become one character.
    pub fn append_to(&self, out: &mut Vec<u8>) {
        match &self.0 {
            Repr::Escaped(body) => json::decode_into(body, out),
            Repr::Plain(body) => out.extend_from_slice(body.as_bytes()),
            Repr::Decoded(bytes) => json::append(out, bytes),
        }
    }

    /// The same text, borrowed.
    pub fn borrow(&self) -> Text<'_> {
        match &self.0 {
            Repr::Escaped(body) => Text(Repr::Escaped(body)),
            Repr::Plain(body) => Text(Repr::Plain(body)),
            Repr::Decoded(bytes) => Text(Repr::Decoded(Cow::Borrowed(bytes))),
        }
    }
}

impl Default for Text<'_> {
    fn default() -> Self {
        Self(Repr::Decoded(Cow::Borrowed(b"")))
    }
}

impl PartialEq for Text<'_> {
    fn eq(&self, other: &Self) -> bool {
        same(&self.as_wtf8(), &other.as_wtf8())
    }
}

impl fmt::Debug for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.to_str_lossy(), f)
    }
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_str_lossy())
    }
}

impl<'a> From<&'a str> for Text<'a> {
    fn from(text: &'a str) -> Self {
        Self(Repr::Decoded(Cow::Borrowed(text.as_bytes())))
    }
}

impl From<String> for Text<'_> {
    fn from(text: String) -> Self {
        Self(Repr::Decoded(Cow::Owned(text.into_bytes())))
    }
}

impl<'a> From<Cow<'a, str>> for Text<'a> {
    fn from(text: Cow<'a, str>) -> Self {
        match text {
            Cow::Borrowed(text) => text.into(),
            Cow::Owned(text) => text.into(),
        }
    }
}

impl IntoOwned for Text<'_> {
    type Owned = Text<'static>;
    fn into_owned(self) -> Text<'static> {
        Text(Repr::Decoded(Cow::Owned(match self.0 {
            Repr::Escaped(body) => json::decode(body),
            Repr::Plain(body) => body.as_bytes().to_vec(),
            Repr::Decoded(bytes) => bytes.into_owned(),
        })))
    }
}

impl ToJson for Text<'_> {
    fn write_json(&self, out: &mut Vec<u8>) {
        match &self.0 {
            Repr::Escaped(body) | Repr::Plain(body) => json::write_word(body, out),
            Repr::Decoded(bytes) => json::write_wtf8(bytes, out),
        }
    }
}

impl Serialize for Text<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match std::str::from_utf8(&self.as_wtf8()) {
            Ok(text) => serializer.serialize_str(text),
            // Only raw JSON can carry a lone surrogate.
            Err(_) => Json::of(self).serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Text<'static> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Wtf8;
        impl Visitor<'_> for Wtf8 {
            type Value = Text<'static>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }
            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Self::Value, E> {
                Ok(Text::from_wtf8(bytes.to_vec()))
            }
            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Text::from(text.to_owned()))
            }
        }
        // As bytes, serde_json hands over lone surrogates instead of refusing them.
        deserializer.deserialize_bytes(Wtf8)
    }
}

#[cfg(feature = "schemars")]
impl schemars::JsonSchema for Text<'_> {
    fn schema_name() -> Cow<'static, str> {
        "Text".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string" })
    }
}

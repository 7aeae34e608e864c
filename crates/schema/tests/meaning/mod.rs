//! What JSON text means: equal for two texts that differ in the order of keys, in escapes and in blanks only.
//! Number text and lone surrogates count, so `serde_json::Value` would not do.

use std::collections::BTreeMap;

use interlinear_schema::Text;
use serde_json::value::RawValue;

/// The meaning of a JSON value.
#[derive(Debug, PartialEq)]
pub(crate) enum Meaning {
    /// Of doubled keys the last one counts.
    Object(BTreeMap<String, Meaning>),
    Array(Vec<Meaning>),
    /// Decoded, lone surrogates in their three-byte form.
    String(Vec<u8>),
    /// A number, `true`, `false` or `null`, as it is written.
    Word(String),
}

/// Reads a JSON value.
pub(crate) fn meaning(json: &str) -> Meaning {
    let read = |member: &RawValue| meaning(member.get());
    match json.trim_start().as_bytes().first() {
        Some(b'{') => {
            let members: BTreeMap<String, &RawValue> = serde_json::from_str(json).expect("an object");
            Meaning::Object(members.into_iter().map(|(key, member)| (key, read(member))).collect())
        }
        Some(b'[') => {
            let members: Vec<&RawValue> = serde_json::from_str(json).expect("an array");
            Meaning::Array(members.into_iter().map(read).collect())
        }
        Some(b'"') => {
            let text: Text<'static> = serde_json::from_str(json).expect("a string");
            Meaning::String(text.as_wtf8().into_owned())
        }
        _ => Meaning::Word(json.trim().to_owned()),
    }
}

//! JSON as it is read: see [`interlinear_schema::tape`].

pub(crate) use interlinear_schema::tape::{Kind, Malformed, Tape, Value, integer_length, string_body};

use interlinear_schema::Json;

/// Text as a JSON string.
pub(crate) fn quoted(text: &str) -> String {
    Json::of(text).into_text()
}

//! JSON as it is read: see [`interlinear_schema::tape`].

pub(crate) use interlinear_schema::tape::{Kind, Malformed, Tape, Value, integer_length, string_body};

//! What became of what was read.

use serde::{Deserialize, Serialize};

use super::options::{Agent, Form};
use crate::map::Map;

/// What was read so far, and what became of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
pub struct Stats {
    /// Lines read, in both directions.
    pub lines: u64,
    /// Bytes read, in both directions.
    pub bytes: u64,
    /// Events by type.
    #[cfg_attr(feature = "tsify", tsify(type = "Record<string, number>"))]
    pub events: Map<String, u64>,
    /// Lines by kind.
    pub kinds: Vec<KindStats>,
    /// Lines that were cut off by the end of the process.
    pub cut: u64,
    /// Lines that could not be read.
    pub unparsed: u64,
    /// What this version does not know: kinds of lines, fields, values, and values of a wrong type.
    pub drift: Vec<Drift>,
}

/// What became of the lines of one kind.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
pub struct KindStats {
    /// The kind, with the direction: `out system/init`, `in user`.
    pub kind: String,
    /// How many lines.
    pub lines: u64,
    /// How many of them became events.
    pub mapped: u64,
    /// Why the others were ignored, and how many.
    #[cfg_attr(feature = "tsify", tsify(type = "Record<string, number>"))]
    pub ignored: Map<String, u64>,
    /// The number of the first such line.
    pub first_line: u64,
}

/// Something that this version does not know.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
pub struct Drift {
    /// What it is.
    pub what: DriftKind,
    /// Where: the kind of the line and the path in it.
    pub name: String,
    /// How often.
    pub count: u64,
    /// The number of the first such line.
    pub first_line: u64,
}

/// What is not known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum DriftKind {
    /// A kind of line.
    #[default]
    Kind,
    /// A field.
    Field,
    /// A value of a field that takes one of a set.
    Value,
    /// A field with a value of another type than it had.
    Type,
}

/// What a transcript is, from its first lines.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
pub struct Detection {
    /// The agent.
    pub agent: Agent,
    /// Live, exec or stored.
    pub form: Form,
    /// Whether it is a recording of both directions.
    pub recording: bool,
    /// The agent's version, where it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "tsify", tsify(optional))]
    pub version: Option<String>,
}

/// A place where a stream of events breaks the contract.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
pub struct Break {
    /// The rule of the contract.
    pub rule: u32,
    /// The session.
    pub session_id: String,
    /// The event's number in its session.
    pub sequence: u64,
    /// What is wrong.
    pub message: String,
}

/// A stretch of a file that is to be read again, in this order, because the file is not in the order of the
/// conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
pub struct Stretch {
    /// Which file, in the order in which they were pushed.
    pub file: u32,
    /// Where it begins, in bytes.
    pub start: u64,
    /// Where it ends, in bytes.
    pub end: u64,
}

/// Why something could not be opened, read back or found out. It has a code and says how to mend it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
pub struct Failure {
    /// `unknown_format`, `bad_options`, `bad_command`, `bad_snapshot`, `snapshot_version` …
    pub code: String,
    /// What is wrong and how to mend it.
    pub message: String,
}

impl Failure {
    pub(crate) fn new(code: &str, message: impl Into<String>) -> Self {
        Self { code: code.to_owned(), message: message.into() }
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

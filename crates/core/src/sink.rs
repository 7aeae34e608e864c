//! Where events go: owned values, NDJSON text, a JSON array, or an array that shows every line with its events.

use interlinear_schema::{IntoOwned as _, ToJson as _, UniversalEvent};

/// Takes the events, in order, while they are still borrowed from the line that caused them.
pub trait Sink {
    /// The next event.
    fn event(&mut self, event: &UniversalEvent<'_>);

    /// What became of a line; called after its events.
    fn line(&mut self, _line: &LineReport<'_>) {}
}

/// What became of a native line.
#[derive(Debug, Clone, PartialEq)]
pub struct LineReport<'a> {
    /// The line's number, over both directions, from 1.
    pub number: u64,
    /// `out` for what the agent wrote, `in` for what the host wrote, `err` for standard error.
    pub direction: &'static str,
    /// The line, without its end.
    pub text: &'a [u8],
    /// What kind of line it is.
    pub kind: &'a str,
    /// What became of it.
    pub outcome: Outcome<'a>,
}

/// What became of a native line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome<'a> {
    /// It is in the events before this report.
    Mapped,
    /// It is ignored on purpose.
    Ignored(&'a str),
    /// It could not be read.
    Unparsed,
    /// The end of the process cut it off.
    Cut,
}

/// Collects owned events.
impl Sink for Vec<UniversalEvent<'static>> {
    fn event(&mut self, event: &UniversalEvent<'_>) {
        self.push(event.clone().into_owned());
    }
}

/// How [`Output`] writes events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// One JSON array of events.
    Array,
    /// One event a line.
    Ndjson,
    /// One JSON array of lines, each `{line, dir, kind, text, outcome, reason?, events}`.
    Trace,
}

/// Writes events as JSON text into one buffer.
#[derive(Debug)]
pub struct Output {
    encoding: Encoding,
    buffer: Vec<u8>,
    /// For the trace: the events of the line that is being read.
    events: Vec<u8>,
}

impl Output {
    /// An empty buffer.
    pub fn new(encoding: Encoding) -> Self {
        Self { encoding, buffer: Vec::new(), events: Vec::new() }
    }

    /// What was written since the last call; empty if there were no events.
    pub fn take(&mut self) -> Vec<u8> {
        if self.encoding == Encoding::Trace && !self.events.is_empty() {
            // Events that no line caused: the start of the session, the end of the process.
            let events = std::mem::take(&mut self.events);
            self.separate();
            self.buffer.extend_from_slice(b"{\"events\":[");
            self.buffer.extend_from_slice(&events);
            self.buffer.extend_from_slice(b"]}");
        }
        let mut taken = std::mem::take(&mut self.buffer);
        if self.encoding != Encoding::Ndjson && !taken.is_empty() {
            taken.push(b']');
        }
        taken
    }

    /// Opens the array, or puts a comma between its elements.
    fn separate(&mut self) {
        self.buffer.push(if self.buffer.is_empty() { b'[' } else { b',' });
    }
}

impl Sink for Output {
    fn event(&mut self, event: &UniversalEvent<'_>) {
        match self.encoding {
            Encoding::Array => {
                self.separate();
                event.write_json(&mut self.buffer);
            }
            Encoding::Ndjson => {
                event.write_json(&mut self.buffer);
                self.buffer.push(b'\n');
            }
            Encoding::Trace => {
                if !self.events.is_empty() {
                    self.events.push(b',');
                }
                event.write_json(&mut self.events);
            }
        }
    }

    fn line(&mut self, line: &LineReport<'_>) {
        if self.encoding != Encoding::Trace {
            return;
        }
        self.separate();
        let out = &mut self.buffer;
        out.extend_from_slice(b"{\"line\":");
        line.number.write_json(out);
        out.extend_from_slice(b",\"dir\":");
        line.direction.write_json(out);
        out.extend_from_slice(b",\"kind\":");
        line.kind.write_json(out);
        out.extend_from_slice(b",\"text\":");
        String::from_utf8_lossy(line.text).write_json(out);
        out.extend_from_slice(b",\"outcome\":");
        let (outcome, reason) = match line.outcome {
            Outcome::Mapped => ("mapped", None),
            Outcome::Ignored(reason) => ("ignored", Some(reason)),
            Outcome::Unparsed => ("unparsed", None),
            Outcome::Cut => ("cut", None),
        };
        outcome.write_json(out);
        if let Some(reason) = reason {
            out.extend_from_slice(b",\"reason\":");
            reason.write_json(out);
        }
        out.extend_from_slice(b",\"events\":[");
        out.append(&mut self.events);
        out.extend_from_slice(b"]}");
    }
}

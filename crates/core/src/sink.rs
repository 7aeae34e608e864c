//! Where events go: owned values, NDJSON text, or the packed form, with or without the lines that caused them.

use crate::api::Failure;
use interlinear_schema::packed::{Packer, op};
use interlinear_schema::{Again, IntoOwned as _, Ndjson, UniversalEvent};

/// Takes the events, in order, while they are still borrowed from the line that caused them.
pub trait Sink {
    /// The next event.
    fn event(&mut self, event: &UniversalEvent<'_>);

    /// The next event, if it differs from the one before in its session by its number, its text and its native object
    /// only. False if that is not enough to go by: then it is handed over whole.
    fn again(&mut self, _again: &Again<'_>) -> bool {
        false
    }

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
    /// Packed, for JavaScript; see [`interlinear_schema::packed`]. Native objects are named by their place in the input.
    Packed,
    /// The same, with the native objects in it: to be read where the input is not at hand.
    Sealed,
    /// One event a line, as JSON.
    Ndjson,
    /// Packed, with what became of each line after its events.
    Trace,
    /// The same, with the native objects in it.
    SealedTrace,
}

/// How large a buffer may be that is kept for the next call.
const KEPT: usize = 1 << 20;

/// Writes events into one buffer, call by call.
#[derive(Debug)]
pub struct Output {
    encoding: Encoding,
    text: Vec<u8>,
    lines: Ndjson,
    packer: Packer,
}

impl Encoding {
    /// Reads the name of an encoding.
    pub fn parse(name: &str) -> Result<Self, Failure> {
        match name {
            "packed" => Ok(Self::Packed),
            "sealed" => Ok(Self::Sealed),
            "ndjson" => Ok(Self::Ndjson),
            "trace" => Ok(Self::Trace),
            "sealed-trace" => Ok(Self::SealedTrace),
            _ => Err(Failure::new("bad_options", format!("unknown encoding `{name}`"))),
        }
    }
}

impl Output {
    /// An empty buffer.
    pub fn new(encoding: Encoding) -> Self {
        Self { encoding, text: Vec::new(), lines: Ndjson::default(), packer: Packer::default() }
    }

    /// A call begins that reads these bytes; what was written before is dropped.
    pub fn begin(&mut self, input: &[u8]) {
        self.text.clear();
        self.text.shrink_to(KEPT);
        self.packer.clear(KEPT);
        let sealed = matches!(self.encoding, Encoding::Sealed | Encoding::SealedTrace);
        self.packer.reads(if sealed { b"" } else { input });
    }

    /// Whether what is written is text to be decoded at once, all of it ASCII; otherwise it is bytes to be handed on.
    pub fn is_text(&self) -> bool {
        matches!(self.encoding, Encoding::Packed | Encoding::Trace)
    }

    /// What was written since the call began; empty if there were no events.
    pub fn written(&mut self) -> &mut Vec<u8> {
        match self.encoding {
            Encoding::Ndjson => &mut self.text,
            _ => self.packer.close(),
        }
    }

    /// The same, to keep.
    pub fn take(&mut self) -> Vec<u8> {
        let taken = std::mem::take(self.written());
        self.begin(b"");
        taken
    }
}

impl Sink for Output {
    fn event(&mut self, event: &UniversalEvent<'_>) {
        match self.encoding {
            Encoding::Ndjson => self.lines.write(event, &mut self.text),
            _ => self.packer.event(event),
        }
    }

    fn again(&mut self, again: &Again<'_>) -> bool {
        match self.encoding {
            Encoding::Ndjson => self.lines.again(again, &mut self.text),
            _ => self.packer.again(again),
        }
    }

    fn line(&mut self, line: &LineReport<'_>) {
        if !matches!(self.encoding, Encoding::Trace | Encoding::SealedTrace) {
            return;
        }
        let (outcome, reason) = match line.outcome {
            Outcome::Mapped => ("mapped", ""),
            Outcome::Ignored(reason) => ("ignored", reason),
            Outcome::Unparsed => ("unparsed", ""),
            Outcome::Cut => ("cut", ""),
        };
        let packer = &mut self.packer;
        packer.number(op::LINE.into());
        packer.number(line.number);
        packer.id(line.direction);
        packer.id(line.kind);
        packer.string(String::from_utf8_lossy(line.text).as_bytes());
        packer.id(outcome);
        packer.id(reason);
    }
}

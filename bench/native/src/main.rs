//! The core without a boundary: bytes of an agent's lines → NDJSON bytes, against `serde_json::Value` of the same lines.
//!
//! `time` prints a ratio for each sample; `convert` and `parse` do one of the two over the whole file, `pack` converts for
//! JavaScript, and `read` does nothing of it, for a program that counts instructions.

use std::hint::black_box;
use std::time::{Duration, Instant};

use interlinear_core::{Channel, Connection, Encoding, OpenOptions, Output};
use serde_json::Value;

type Failed = Box<dyn std::error::Error>;

/// What a host reads at once.
const SLICE: usize = 64 * 1024;

fn main() -> Result<(), Failed> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [mode, agent, channel, file] = arguments.as_slice() else {
        return Err("usage: time|convert|pack|parse|read AGENT CHANNEL FILE".into());
    };
    let text = std::fs::read_to_string(file)?;
    let slices = slices(&text);
    let encoding = if mode == "pack" { Encoding::Packed } else { Encoding::Ndjson };
    let mut reader = Reader::open(agent, channel, encoding)?;
    match mode.as_str() {
        "time" => time(&mut reader, &slices),
        "convert" | "pack" => slices.iter().for_each(|slice| reader.convert(slice)),
        "parse" => slices.iter().for_each(|slice| parse(slice)),
        "read" => slices.iter().for_each(|slice| {
            black_box(slice);
        }),
        _ => return Err(format!("there is no {mode}").into()),
    }
    Ok(())
}

/// The text in slices of whole lines.
fn slices(text: &str) -> Vec<&str> {
    let mut slices = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let near = rest.len().min(SLICE);
        let end = rest.as_bytes()[near - 1..].iter().position(|byte| *byte == b'\n').map_or(rest.len(), |at| near + at);
        let (slice, more) = rest.split_at(end);
        slices.push(slice);
        rest = more;
    }
    slices
}

/// A session that reads the file.
struct Reader {
    session: Connection,
    channel: Channel,
    output: Output,
}

impl Reader {
    fn open(agent: &str, channel: &str, encoding: Encoding) -> Result<Self, Failed> {
        let options = OpenOptions {
            agent: serde_json::from_value(Value::from(agent))?,
            session_id: "session".to_owned(),
            include_raw: false,
            connection: false,
            metadata: None,
            max_line: None,
        };
        let session = Connection::open(&options).map_err(|failure| failure.message)?;
        Ok(Self { session, channel: Channel::parse(channel), output: Output::new(encoding) })
    }

    fn convert(&mut self, slice: &str) {
        self.output.begin(slice.as_bytes());
        self.session.receive(slice.as_bytes(), &self.channel, 0.0, &mut self.output);
        black_box(self.output.written());
    }
}

fn parse(slice: &str) {
    for line in slice.lines() {
        let value: Result<Value, _> = serde_json::from_str(line);
        let _ = black_box(value);
    }
}

/// Both on each slice, in turns, now one first and now the other: what disturbs this machine disturbs both.
fn time(reader: &mut Reader, slices: &[&str]) {
    for (index, slice) in slices.iter().enumerate() {
        let (mut converting, mut parsing) = (Duration::ZERO, Duration::ZERO);
        for step in 0..2 {
            let begin = Instant::now();
            if (index + step) % 2 == 0 {
                reader.convert(slice);
                converting = begin.elapsed();
            } else {
                parse(slice);
                parsing = begin.elapsed();
            }
        }
        #[allow(clippy::print_stdout, reason = "this is what it is for")]
        {
            println!("{}", converting.as_secs_f64() / parsing.as_secs_f64());
        }
    }
}

//! A line that is not read because it repeats another gives the same bytes and the same state as one that is.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that cannot go on fails")]

use std::path::PathBuf;

use interlinear_schema::{Again, Json, UniversalEvent};
use proptest::prelude::*;
use serde_json::Value;

use crate::api::{Agent, Channel, Exit, OpenOptions};
use crate::connection::Connection;
use crate::sink::{Encoding, LineReport, Output, Sink};

const AGENTS: [Agent; 5] = [Agent::Claude, Agent::Codex, Agent::Opencode, Agent::Amp, Agent::Pi];

/// One line of a recording.
#[derive(Debug, Clone)]
struct Said {
    dir: String,
    channel: Channel,
    line: Vec<u8>,
}

/// What came out, and what became of every line.
#[derive(Debug)]
enum Log {
    Told(Vec<String>),
    /// The bytes that are written, and how often an event was written as a repetition.
    Written(Box<Output>, usize),
}

impl Sink for Log {
    fn event(&mut self, event: &UniversalEvent<'_>) {
        match self {
            Self::Told(told) => told.push(Json::of(event).as_str().to_owned()),
            Self::Written(output, _) => output.event(event),
        }
    }

    fn again(&mut self, again: &Again<'_>) -> bool {
        let Self::Written(output, count) = self else { return false };
        let written = output.again(again);
        *count += usize::from(written);
        written
    }

    fn line(&mut self, line: &LineReport<'_>) {
        match self {
            Self::Told(told) => told.push(format!("{line:?}")),
            Self::Written(output, _) => output.line(line),
        }
    }
}

/// A session, and what is kept of it.
struct Side {
    connection: Connection,
    log: Log,
}

impl Side {
    fn hear(&mut self, said: &Said, now: f64) {
        let line = [said.line.as_slice(), b"\n"].concat();
        let (connection, log) = (&mut self.connection, &mut self.log);
        match said.dir.as_str() {
            "in" => connection.sent(&line, &said.channel, now, log),
            "exit" => connection.exited(&Exit { code: Some(0), ..Exit::default() }, now, log),
            "err" => connection.receive(&line, &Channel::Stderr, now, log),
            _ => connection.receive(&line, &said.channel, now, log),
        }
    }
}

/// The same session twice: one that learns, and one that is made to forget before every line. Once for every way in
/// which events are kept.
struct Pair {
    sides: Vec<[Side; 2]>,
    repeated: usize,
}

impl Pair {
    fn open(agent: Agent, include_raw: bool) -> Self {
        let options = OpenOptions {
            agent,
            session_id: "s".to_owned(),
            include_raw,
            connection: true,
            metadata: None,
            max_line: None,
        };
        let side = |encoding: Option<Encoding>| Side {
            connection: Connection::open(&options).unwrap(),
            log: encoding.map_or(Log::Told(Vec::new()), |encoding| Log::Written(Box::new(Output::new(encoding)), 0)),
        };
        let ways = [None, Some(Encoding::Ndjson), Some(Encoding::Packed)];
        Self { sides: ways.into_iter().map(|way| [side(way), side(way)]).collect(), repeated: 0 }
    }

    fn hear(&mut self, said: &Said, now: usize) {
        // Some lines come in the same millisecond.
        let now = (now / 8) as f64;
        for [learning, reading] in &mut self.sides {
            let repeats = &mut learning.connection.repeats;
            repeats.enter(&said.channel);
            let repeated = said.dir == "out"
                && std::str::from_utf8(&said.line).is_ok_and(|line| repeats.find(line, &said.channel).is_some());
            reading.connection.repeats.forget();
            learning.hear(said, now);
            reading.hear(said, now);
            if let (Log::Told(learnt), Log::Told(read)) = (&mut learning.log, &mut reading.log) {
                self.repeated += usize::from(repeated);
                assert_eq!(std::mem::take(learnt), std::mem::take(read));
            }
            let [learnt, read] = [learning, reading].map(|side| side.connection.snapshot());
            assert!(learnt == read, "the state differs after {}", String::from_utf8_lossy(&said.line));
        }
    }

    /// What was written must be the same too. Returns how many events were written as repetitions, each way.
    fn end(self) -> Vec<usize> {
        let written = self.sides.into_iter().filter_map(|[learning, reading]| match (learning.log, reading.log) {
            (Log::Written(mut learnt, count), Log::Written(mut read, 0)) => {
                assert_eq!(String::from_utf8_lossy(learnt.written()), String::from_utf8_lossy(read.written()));
                Some(count)
            }
            _ => None,
        });
        written.collect()
    }
}

fn recordings(agent: Agent) -> Vec<(PathBuf, Vec<Said>)> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures").join(agent.as_str());
    let mut files: Vec<_> =
        std::fs::read_dir(root.join("recordings")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.into_iter().map(|file| (file.clone(), said(&std::fs::read_to_string(&file).unwrap()))).collect()
}

fn said(recording: &str) -> Vec<Said> {
    let records = recording.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let text = |record: &Value, key: &str| record[key].as_str().map(str::to_owned);
    let known = records.filter_map(|record| {
        let channel = text(&record, "ch").unwrap_or_else(|| "stdout".to_owned());
        Some(Said {
            dir: text(&record, "dir")?,
            channel: Channel::parse(&channel),
            line: text(&record, "line")?.into_bytes(),
        })
    });
    known.collect()
}

/// Lines that say the same as this one with other values in strings and numbers.
fn variants(line: &str) -> Vec<Vec<u8>> {
    let mut variants = Vec::new();
    for (from, to) in
        [("e", "a"), ("1", "2"), ("a", "\\u00e4 \\ud83d"), ("o", "\\ud83d\\ude00"), ("\",\"", " \",\""), ("\"", "\" ")]
    {
        variants.push(line.replacen(from, to, 1).into_bytes());
        variants.push(line.replace(from, to).into_bytes());
        if let Some(at) = line.rfind(from) {
            variants.push(format!("{}{to}{}", &line[..at], &line[at + from.len()..]).into_bytes());
        }
    }
    variants
}

#[test]
fn every_recording_gives_the_same_with_and_without() {
    for agent in AGENTS {
        let mut counts = [0; 3];
        for (_, lines) in recordings(agent) {
            let mut pair = Pair::open(agent, agent == Agent::Codex);
            lines.iter().enumerate().for_each(|(index, said)| pair.hear(said, index));
            counts[0] += pair.repeated;
            counts[1..].iter_mut().zip(pair.end()).for_each(|(sum, count)| *sum += count);
        }
        let [repeated, lines, packed] = counts.map(|count| count > 0);
        let expected = agent != Agent::Amp;
        assert_eq!([repeated, lines, packed], [expected; 3], "{}: {counts:?}", agent.as_str());
    }
}

#[test]
fn lines_that_nearly_repeat_give_the_same_with_and_without() {
    for agent in AGENTS {
        for (_, lines) in recordings(agent).into_iter().filter(|(_, lines)| lines.iter().any(is_delta)).take(6) {
            let mut pair = Pair::open(agent, agent == Agent::Opencode);
            for (index, said) in lines.iter().enumerate() {
                pair.hear(said, index);
                if !is_delta(said) {
                    continue;
                }
                for line in variants(&String::from_utf8_lossy(&said.line)) {
                    pair.hear(&Said { line, ..said.clone() }, index);
                    pair.hear(said, index);
                }
            }
            pair.end();
        }
    }
}

/// What a server says is told on a second stream too: wrapped, or as it is, after so many lines.
#[test]
fn what_two_streams_tell_gives_the_same_with_and_without() {
    for (lag, wrapped) in [(1, true), (1, false), (40, true), (40, false)] {
        let mut repeated = 0;
        for (_, lines) in recordings(Agent::Opencode).into_iter().filter(|(_, lines)| lines.iter().any(is_delta)) {
            let mut pair = Pair::open(Agent::Opencode, false);
            let mut behind = Vec::new();
            for (index, said) in lines.iter().enumerate() {
                pair.hear(said, index);
                if matches!(said.channel, Channel::Sse(_)) {
                    behind.push(on_another_stream(said, wrapped));
                }
                if behind.len() == lag {
                    behind.drain(..).for_each(|said| pair.hear(&said, index));
                }
            }
            repeated += pair.repeated;
            pair.end();
        }
        assert!(lag == 1 || repeated > 0, "nothing was repeated");
    }
}

fn on_another_stream(said: &Said, wrapped: bool) -> Said {
    let around: [&[u8]; 2] = if wrapped { [b"{\"directory\":\"/workspace\",\"payload\":", b"}"] } else { [b"", b""] };
    let line = [around[0], &said.line, around[1]].concat();
    Said { channel: Channel::Sse("/global/event".to_owned()), line, ..said.clone() }
}

fn is_delta(said: &Said) -> bool {
    said.dir == "out" && said.line.len() < 2000 && said.line.windows(5).any(|word| word == b"delta")
}

/// Where the whole text stands beside a delta, the same delta may be all of it or a part of it.
#[test]
fn a_delta_beside_the_whole_text_is_read() {
    let line = |text: &str, delta: &str| {
        let part = format!(r#""id":"p","messageID":"m","sessionID":"s","type":"text","text":"{text}""#);
        let json = format!(r#"{{"type":"message.part.updated","properties":{{"part":{{{part}}},"delta":"{delta}"}}}}"#);
        Said { dir: "out".to_owned(), channel: Channel::Sse("/event".to_owned()), line: json.into_bytes() }
    };
    let info = r#"{"id":"m","sessionID":"s","role":"assistant"}"#;
    let message = format!(r#"{{"type":"message.updated","properties":{{"info":{info}}}}}"#).into_bytes();
    let mut pair = Pair::open(Agent::Opencode, false);
    pair.hear(&Said { line: message, ..line("", "") }, 0);
    for (text, delta) in [("Clean.", "Clean."), ("Clean.", "lean."), ("Cleaner.", "er."), ("", "a"), ("", "b")] {
        pair.hear(&line(text, delta), 0);
    }
    pair.end();
}

#[test]
fn a_snapshot_forgets_nothing_that_matters() {
    let (_, lines) = recordings(Agent::Codex)
        .into_iter()
        .find(|(_, lines)| lines.iter().filter(|said| is_delta(said)).count() > 5)
        .unwrap();
    let mut pair = Pair::open(Agent::Codex, false);
    for (index, said) in lines.iter().enumerate() {
        pair.hear(said, index);
        for Side { connection, .. } in pair.sides.iter_mut().flatten() {
            *connection = Connection::restore(&connection.snapshot()).unwrap();
        }
    }
    assert_eq!((pair.repeated, pair.end()), (0, vec![0, 0]));
}

/// What a mutation does to a line.
#[derive(Debug, Clone)]
enum Mutation {
    None,
    Replace(prop::sample::Index, u8),
    Insert(prop::sample::Index, u8),
    Remove(prop::sample::Index),
    /// The text of the first delta becomes another.
    Text(String),
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let letter = prop_oneof![Just(b'"'), Just(b'\\'), Just(b','), Just(b'}'), Just(b' '), Just(0xED), any::<u8>()];
    let piece =
        prop_oneof!["[a-z \\n]{0,6}", Just("\\ud83d".to_owned()), Just("\\ude00".to_owned()), Just("\\".to_owned())];
    prop_oneof![
        2 => Just(Mutation::None),
        2 => prop::collection::vec(piece, 0..4).prop_map(|pieces| Mutation::Text(pieces.concat())),
        1 => (any::<prop::sample::Index>(), letter.clone()).prop_map(|(at, letter)| Mutation::Replace(at, letter)),
        1 => (any::<prop::sample::Index>(), letter).prop_map(|(at, letter)| Mutation::Insert(at, letter)),
        1 => any::<prop::sample::Index>().prop_map(Mutation::Remove),
    ]
}

impl Mutation {
    fn of(&self, line: &[u8]) -> Vec<u8> {
        let mut line = line.to_vec();
        match self {
            Self::None => {}
            Self::Replace(at, letter) => {
                let at = at.index(line.len());
                line[at] = *letter;
            }
            Self::Insert(at, letter) => line.insert(at.index(line.len()), *letter),
            Self::Remove(at) => {
                line.remove(at.index(line.len()));
            }
            Self::Text(new) => {
                let text = String::from_utf8_lossy(&line).into_owned();
                let keys = ["\"text\":\"", "\"delta\":\"", "\"partial_json\":\""];
                if let Some(start) = keys.iter().find_map(|key| Some(text.find(key)? + key.len()))
                    && let Some(length) = text[start..].find('"')
                {
                    line = format!("{}{new}{}", &text[..start], &text[start + length..]).into_bytes();
                }
            }
        }
        line.retain(|byte| *byte != b'\n');
        line
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(48) })]

    #[test]
    fn mutated_streams_give_the_same_with_and_without(
        agent in prop::sample::select(vec![Agent::Claude, Agent::Codex, Agent::Opencode, Agent::Pi]),
        recording in any::<prop::sample::Index>(),
        mutations in prop::collection::vec(mutation(), 1..12),
        raw in any::<bool>(),
    ) {
        let all: Vec<_> = recordings(agent).into_iter().filter(|(_, lines)| lines.iter().any(is_delta)).collect();
        let (_, lines) = &all[recording.index(all.len())];
        let mut pair = Pair::open(agent, raw);
        for (index, said) in lines.iter().enumerate().filter(|(_, said)| said.line.len() < 20_000) {
            pair.hear(said, index);
            if is_delta(said) {
                for mutation in &mutations {
                    pair.hear(&Said { line: mutation.of(&said.line), ..said.clone() }, index);
                }
            }
        }
        pair.end();
    }
}

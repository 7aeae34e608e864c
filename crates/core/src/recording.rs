//! Recordings: JSONL timelines of both directions.
//!
//! A record is `{"t": ms, "dir": "out"|"in"|"err"|"exit", "ch"?, "line", "status"?, "code"?, "signal"?}`; a last piece
//! without its line end is marked. A first record `{"recording":1,"agent",…,"started_at"}` may give the epoch.

use crate::api::{Agent, Channel, Exit, Stats};
use crate::connection::Connection;
use crate::convert::add_up;
use crate::json::{Tape, Value};
use crate::lines::{Line, Lines};
use crate::sink::Sink;
use crate::time;

/// Replays a recording.
#[derive(Debug)]
pub(crate) struct Recording {
    connection: Connection,
    /// What was read of the processes before.
    past: Vec<Stats>,
    lines: Lines,
    limit: usize,
    tape: Tape<'static>,
    /// When the recording began, in milliseconds since 1970.
    epoch: i64,
    now: f64,
    gone: Option<Gone>,
}

/// A process that is gone. What it had written may be recorded after its end; another one shows by what it writes.
#[derive(Debug, Default)]
struct Gone {
    exit: Exit,
    at: f64,
    /// The records of what the host has written since then, and their times: nobody knows yet whether anyone reads it.
    written: Vec<(String, f64)>,
}

/// What a record tells about the transcript.
pub(crate) struct Inner<'a> {
    pub(crate) agent: Option<Agent>,
    pub(crate) version: Option<String>,
    pub(crate) line: Option<&'a str>,
    /// Who it must be, by the channel: weaker than what a line tells.
    pub(crate) guess: Option<Agent>,
}

/// Whether a line is a record.
pub(crate) fn inner(value: Value<'_>) -> Option<Inner<'_>> {
    let text = |key: &str| value.get(key).and_then(Value::str);
    if value.get("recording").is_some() {
        let agent = text("agent").and_then(|name| Agent::ALL.iter().copied().find(|agent| agent.as_str() == name));
        return Some(Inner { agent, version: text("version").map(str::to_owned), line: None, guess: None });
    }
    let dir = text("dir")?;
    value.get("line").or_else(|| value.get("code"))?;
    let line = if matches!(dir, "out" | "in") { text("line") } else { None };
    let guess = text("ch").and_then(|channel| guess(channel, line.unwrap_or_default()));
    matches!(dir, "out" | "in" | "err" | "exit").then_some(Inner { agent: None, version: None, line, guess })
}

/// The agent that a channel speaks of: a command line names its program, and only OpenCode is a server.
fn guess(channel: &str, line: &str) -> Option<Agent> {
    if channel == "sse" || channel.starts_with("sse ") || channel.starts_with("http ") {
        return Some(Agent::Opencode);
    }
    let mut tape = Tape::default();
    let command = tape.read(line).ok().filter(|_| channel == "argv")?;
    let program = command.elements().next().and_then(Value::str)?;
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
    Agent::ALL.iter().copied().find(|agent| agent.as_str() == name)
}

impl Recording {
    pub(crate) fn new(connection: Connection, limit: usize) -> Self {
        // A record holds a line with its quotes escaped.
        let limit = limit.saturating_mul(2).saturating_add(1024);
        let (lines, tape) = (Lines::default(), Tape::default());
        Self { connection, past: Vec::new(), lines, limit, tape, epoch: 0, now: 0.0, gone: None }
    }

    pub(crate) fn push(&mut self, chunk: &[u8], sink: &mut dyn Sink) {
        let mut lines = std::mem::take(&mut self.lines);
        lines.push(chunk, self.limit, |line| self.record(line, sink));
        self.lines = lines;
    }

    pub(crate) fn end(&mut self, sink: &mut dyn Sink) {
        let mut lines = std::mem::take(&mut self.lines);
        lines.end(|line| self.record(line, sink));
        self.is_gone(false, sink);
        self.connection.end(self.now, sink);
    }

    /// The process is gone for good. `another`: one more was started, which has sessions of its own.
    fn is_gone(&mut self, another: bool, sink: &mut dyn Sink) {
        let Some(Gone { exit, at, written }) = self.gone.take() else { return };
        self.connection.exited(&exit, at, sink);
        if another {
            let next = self.connection.successor();
            self.past.push(std::mem::replace(&mut self.connection, next).stats());
        }
        for (record, now) in written {
            if let Ok(value) = Tape::default().read(&record) {
                replay(&mut self.connection, value, now, sink);
            }
        }
    }

    pub(crate) fn stats(&self) -> Stats {
        match self.past.as_slice() {
            [] => self.connection.stats(),
            past => add_up(past.iter().cloned().chain([self.connection.stats()])),
        }
    }

    /// One record. What is none is handed on as if the agent had written it: nothing is lost.
    fn record(&mut self, line: Line<'_>, sink: &mut dyn Sink) {
        let Some(bytes) = line.bytes() else {
            let now = self.now;
            return self.connection.receive(b"{\"too long a record\n", &Channel::Stdout, now, sink);
        };
        let text = String::from_utf8_lossy(bytes);
        if text.trim().is_empty() {
            return;
        }
        let connection = &mut self.connection;
        let mut tape = std::mem::take(&mut self.tape);
        let Ok(value) = tape.read(&text) else {
            connection.receive(bytes, &Channel::Stdout, self.now, sink);
            return connection.receive(b"\n", &Channel::Stdout, self.now, sink);
        };
        if value.get("recording").is_some() && value.get("dir").is_none() {
            let started = value.get("started_at");
            let parsed = started.and_then(Value::str).and_then(time::parse);
            self.epoch = parsed.or_else(|| started.and_then(Value::i64)).unwrap_or(0);
            self.now = self.now.max(self.epoch as f64);
            // Another recording is put behind the first.
            self.is_gone(true, sink);
            return;
        }
        if let Some(ms) = value.get("t").and_then(Value::f64) {
            let now = self.epoch as f64 + ms;
            while let Some(deadline) = connection.deadline().filter(|deadline| *deadline <= now) {
                connection.tick(deadline, sink);
            }
            self.now = self.now.max(now);
        }
        let dir = value.get("dir").and_then(Value::str).unwrap_or_default();
        if dir == "exit" || self.gone.is_some() {
            self.at_the_end(dir, value, &text, sink);
        } else {
            replay(connection, value, self.now, sink);
        }
        self.tape = tape.emptied();
    }

    /// A record of the end of a process, or after it.
    fn at_the_end(&mut self, dir: &str, value: Value<'_>, text: &str, sink: &mut dyn Sink) {
        match (&mut self.gone, dir) {
            (Some(gone), "in") => return gone.written.push((text.to_owned(), self.now)),
            (Some(gone), "out" | "exit") if !gone.written.is_empty() => self.is_gone(true, sink),
            _ => {}
        }
        if dir != "exit" {
            return replay(&mut self.connection, value, self.now, sink);
        }
        let signal = value.get("signal").and_then(Value::str).map(str::to_owned);
        let restart = value.get("restart").and_then(Value::bool).unwrap_or_default();
        let exit = Exit { code: value.get("code").and_then(Value::i64), signal, restart };
        if restart {
            return self.connection.exited(&exit, self.now, sink);
        }
        self.gone = Some(Gone { exit, at: self.now, written: Vec::new() });
    }
}

fn replay(connection: &mut Connection, value: Value<'_>, now: f64, sink: &mut dyn Sink) {
    let text = |key: &str| value.get(key).and_then(Value::str);
    let flag = |key: &str| value.get(key).and_then(Value::bool) == Some(true);
    let dir = text("dir").unwrap_or_default();
    let mut line = value.get("line").and_then(Value::text).map(|line| line.as_wtf8().into_owned()).unwrap_or_default();
    if !(flag("partial") || flag("unterminated") || flag("truncated")) {
        line.push(b'\n');
    }
    let channel = |default: Channel| match text("ch") {
        Some(name) => recorded_channel(name, value),
        None => default,
    };
    match dir {
        "in" => connection.sent(&line, &channel(Channel::Stdin), now, sink),
        "err" => connection.receive(&line, &Channel::Stderr, now, sink),
        _ => connection.receive(&line, &channel(Channel::Stdout), now, sink),
    }
}

/// A channel's name in a recording; that of a request is its method and path, with `http` before it or not.
fn recorded_channel(name: &str, value: Value<'_>) -> Channel {
    let name = name.strip_prefix("http ").unwrap_or(name);
    match name.split_once(' ') {
        Some((method, _)) if !method.is_empty() && method.bytes().all(|byte| byte.is_ascii_uppercase()) => {
            let status = value.get("status").and_then(Value::u64).and_then(|status| u16::try_from(status).ok());
            Channel::Http { request: name.to_owned(), status }
        }
        _ => Channel::parse(name),
    }
}

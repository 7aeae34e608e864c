//! What a connection reads: chunks, lines, bodies, documents. Each ends in events, in a reason to ignore it, or in
//! `agent.unparsed`; it is counted, and the sink is told what became of it.

use std::borrow::Cow;

use interlinear_schema::ToJson as _;

use super::{Connection, Direction, Machine};
use crate::api::{Channel, Outgoing};
use crate::book::Book;
use crate::emit::Emit;
use crate::hash;
use crate::json::{Malformed, Tape};
use crate::lines::{self, Line, SseLine};
use crate::repeat::{Growth, Known};
use crate::sink::{LineReport, Outcome, Sink};

impl Connection {
    /// More of a transcript that has no clock but its own: where the chunk begins must not show in any time.
    pub(crate) fn more(&mut self, chunk: &[u8], channel: &Channel, sink: &mut dyn Sink) {
        self.push(chunk, channel, Direction::Out, sink);
    }

    /// One entry of a stored file.
    pub(crate) fn entry(&mut self, line: &[u8], sink: &mut dyn Sink) {
        self.line(Line::of(line), &Channel::Stdout, Direction::Out, true, sink);
    }

    /// The lines of another stored file follow: what is left of the one before has no line end.
    pub(crate) fn next_file(&mut self, sink: &mut dyn Sink) {
        self.flush(sink);
        self.machine.agent.next_file();
    }

    /// A whole document of a stored session.
    pub(crate) fn document(&mut self, name: &str, bytes: &[u8], sink: &mut dyn Sink) {
        self.repeats.forget();
        let machine = &mut self.machine;
        let book = &mut machine.book;
        book.stats.lines += 1;
        book.stats.bytes += bytes.len() as u64;
        book.drift.line = book.stats.number();
        let text = String::from_utf8_lossy(bytes);
        let text = text.strip_prefix('\u{FEFF}').unwrap_or(&text);
        match Tape::default().read(text) {
            Ok(value) => {
                let mut emit = Emit::new(book, sink, None);
                machine.agent.document(value, &mut emit);
                let outcome = emit.outcome();
                report_read(book, Direction::Out, bytes, outcome, sink);
            }
            Err(error) => {
                let mut emit = Emit::new(book, sink, None);
                let message = format!("not JSON: {} at byte {}", error.what, error.at);
                emit.unparsed(&message, name, hash::of(bytes));
                report(book, Direction::Out, bytes, "unparsed", Outcome::Unparsed, sink);
            }
        }
    }

    /// An entry that is known and not part of the transcript.
    pub(crate) fn skip(&mut self, line: &[u8], kind: &str, reason: &'static str, sink: &mut dyn Sink) {
        let book = &mut self.machine.book;
        book.stats.lines += 1;
        book.stats.bytes += line.len() as u64 + 1;
        report(book, Direction::Out, line, kind, Outcome::Ignored(reason), sink);
    }

    pub(super) fn push(&mut self, chunk: &[u8], channel: &Channel, direction: Direction, sink: &mut dyn Sink) {
        if let Channel::Http { request, .. } = channel {
            return self.body(chunk, channel, request, direction, sink);
        }
        self.repeats.enter(channel);
        let key = channel_key(channel, direction);
        let mut lines = self.machine.channels.remove(&key).unwrap_or_default();
        let limit = self.machine.max_line;
        lines.read(chunk, limit, &mut Reading { connection: self, channel, direction, sink });
        self.machine.channels.insert(key, lines);
    }

    /// Takes what has no line end and never will.
    pub(super) fn flush(&mut self, sink: &mut dyn Sink) {
        self.repeats.forget();
        for (key, mut lines) in std::mem::take(&mut self.machine.channels) {
            let (direction, channel) = match key.split_once(' ') {
                Some(("in", name)) => (Direction::In, Channel::parse(name)),
                Some(("err", name)) => (Direction::Err, Channel::parse(name)),
                Some((_, name)) => (Direction::Out, Channel::parse(name)),
                None => (Direction::Out, Channel::Stdout),
            };
            lines.end(|line| self.line(line, &channel, direction, true, sink));
        }
    }

    /// Reads the body of a request or of its response: it is one unit, whatever it holds. Nothing is read as `null`,
    /// and text that is not JSON as a string.
    fn body(&mut self, chunk: &[u8], channel: &Channel, request: &str, direction: Direction, sink: &mut dyn Sink) {
        self.repeats.forget();
        let machine = &mut self.machine;
        let book = &mut machine.book;
        book.stats.lines += 1;
        book.stats.bytes += chunk.len() as u64;
        book.drift.line = book.stats.number();
        let text = String::from_utf8_lossy(chunk);
        let body = text.trim();
        let json = if body.is_empty() { Cow::Borrowed("null") } else { Cow::Borrowed(body) };
        let (json, is_json) = match Tape::default().read(&json) {
            Ok(value) if body.contains('\n') => (Cow::Owned(value.compact()), true),
            Ok(_) => (json, true),
            Err(_) => (raw_text(body).unwrap_or_default(), false),
        };
        let mut tape = Tape::default();
        let Ok(read) = tape.read(&json) else { return };
        // What has no body, or says nothing in it, is named by its request.
        let cause = if json == "null" { raw_text(request) } else { Some(Cow::Borrowed(json.as_ref())) };
        let mut emit = Emit::new(book, sink, cause);
        if !is_json {
            emit.kind("text");
        }
        match direction {
            Direction::In => machine.agent.sent(read, channel, &mut emit),
            Direction::Out | Direction::Err => machine.agent.receive(read, channel, &mut emit),
        }
        let outcome = emit.outcome();
        report_read(book, direction, chunk, outcome, sink);
    }

    /// Reads one line; it ends in events, in a counted reason to ignore it, or in `agent.unparsed`.
    fn line(&mut self, line: Line<'_>, channel: &Channel, direction: Direction, last: bool, sink: &mut dyn Sink) {
        let (bytes, text) = match line {
            Line::Text(text) => (text.as_bytes(), Some(text)),
            Line::Bytes(bytes) => (bytes, None),
            Line::TooLong(length, hash) => return self.too_long(length, hash, channel, direction, sink),
        };
        let machine = &mut self.machine;
        let book = &mut machine.book;
        book.begin_line(bytes.len());
        let payload = match channel {
            Channel::Sse(_) => match lines::sse(bytes) {
                SseLine::Data(data) => data,
                SseLine::Framing => {
                    return report(book, direction, bytes, "framing", Outcome::Ignored("framing"), sink);
                }
            },
            _ => bytes,
        };
        let text = text.and_then(|text| text.get(bytes.len() - payload.len()..));
        if direction == Direction::Out
            && !self.repeats.is_empty()
            && let Some(text) = text
            && let Some((known, growth)) = self.repeats.find(text, channel)
            && growth.length == text.len()
        {
            return repeat(machine, known, &growth, text, bytes, sink);
        }
        self.read(Read { bytes, payload, text }, channel, direction, last, sink);
    }

    /// Takes the lines with which the text begins, as long as they repeat others, and says how long they are.
    fn run(&mut self, text: &str, channel: &Channel, sink: &mut dyn Sink) -> usize {
        let (mut taken, limit) = (0, self.machine.max_line);
        loop {
            let rest = &text[taken..];
            let framed = matches!(channel, Channel::Sse(_)) && rest.starts_with(lines::FRAME);
            let frame = if framed { lines::FRAME.len() } else { 0 };
            let Some((known, growth)) = self.repeats.find(&rest[frame..], channel) else { return taken };
            let length = frame + growth.length;
            if rest.as_bytes().get(length) != Some(&b'\n') || length > limit {
                return taken;
            }
            self.machine.book.begin_line(length);
            repeat(&mut self.machine, known, &growth, &rest[frame..length], &rest.as_bytes()[..length], sink);
            taken += length + 1;
        }
    }

    /// Reads a line that repeats no other.
    fn read(&mut self, line: Read<'_>, channel: &Channel, direction: Direction, last: bool, sink: &mut dyn Sink) {
        // Unless this is a line that may be repeated, all that may be is forgotten.
        let repeats = self.repeats.take();
        let is_object = direction == Direction::Out && line.payload.trim_ascii_start().starts_with(b"{");
        if !is_object && self.is_plain(&line, channel, direction, sink) {
            return;
        }
        let mut tape = std::mem::take(&mut self.tape);
        let (text, value) = match line.text.map(|text| (text, tape.read(text))) {
            Some((text, Ok(value))) => (text, value),
            Some((_, Err(error))) => return self.unreadable(&line, Some(error), channel, direction, last, sink),
            None => return self.unreadable(&line, None, channel, direction, last, sink),
        };
        let machine = &mut self.machine;
        let book = &mut machine.book;
        let noted = *book.drift.noted;
        let mut emit = Emit::new(book, sink, Some(Cow::Borrowed(text.trim_ascii())));
        match direction {
            Direction::In => machine.agent.sent(value, channel, &mut emit),
            Direction::Out | Direction::Err => machine.agent.receive(value, channel, &mut emit),
        }
        let (outcome, repeatable) = (emit.outcome(), emit.repeatable());
        report_read(book, direction, line.bytes, outcome, sink);
        // What is reported as drift, and what waits for its time, is looked at line by line.
        if let Some(does) = repeatable
            && *book.drift.noted == noted
            && machine.agent.deadline().is_none()
            && let Some(values) = machine.agent.differ(value)
        {
            let place = book.stats.place_of(direction.as_str(), &book.kind);
            self.repeats.learn(repeats, line.payload, &values, (&book.kind, place), does);
        }
        self.tape = tape.emptied();
        if !self.machine.book.writes.is_empty() {
            self.write_back(sink);
        }
    }

    /// Writes what must be said to the agent because of what it said.
    #[cold]
    fn write_back(&mut self, sink: &mut dyn Sink) {
        for line in std::mem::take(&mut self.machine.book.writes) {
            self.push(line.as_bytes(), &Channel::Stdin, Direction::In, sink);
            self.machine.outgoing.push(Outgoing::Stdin(line));
        }
    }

    /// Takes a line that is not to be read as JSON: what stands there as text, or nothing. False if it is to be read.
    #[inline(never)]
    fn is_plain(&mut self, line: &Read<'_>, channel: &Channel, direction: Direction, sink: &mut dyn Sink) -> bool {
        let machine = &mut self.machine;
        let book = &mut machine.book;
        if direction == Direction::In && *channel == Channel::Stdin {
            let shown = String::from_utf8_lossy(line.payload);
            let mut emit = Emit::new(book, sink, raw_text(&shown));
            if machine.agent.text_sent(&shown, &mut emit) {
                let outcome = emit.outcome();
                report_read(book, direction, line.bytes, outcome, sink);
                return true;
            }
        }
        let text = line.payload.trim_ascii();
        if text.is_empty() {
            report(book, direction, line.bytes, "blank", Outcome::Ignored("blank"), sink);
            return true;
        }
        if direction != Direction::Err && (text[0] == b'{' || *channel == Channel::Argv) {
            return false;
        }
        let shown = String::from_utf8_lossy(line.payload);
        if direction == Direction::Err {
            machine.stderr.line(&shown);
        }
        // Among several sessions nobody can tell whose it is.
        if direction != Direction::In && book.sessions.iter().filter(|session| session.is_running()).count() > 1 {
            report(book, direction, line.bytes, "text", Outcome::Ignored("of no session"), sink);
            return true;
        }
        let mut emit = Emit::new(book, sink, raw_text(&shown));
        if direction != Direction::In {
            machine.agent.text_received(&mut emit);
        }
        emit.output(&shown, direction == Direction::In);
        report(book, direction, line.bytes, "text", Outcome::Mapped, sink);
        true
    }

    /// A line that is not JSON after all; without an error, it is not UTF-8.
    #[cold]
    fn unreadable(
        &mut self,
        line: &Read<'_>,
        error: Option<Malformed>,
        channel: &Channel,
        direction: Direction,
        last: bool,
        sink: &mut dyn Sink,
    ) {
        let book = &mut self.machine.book;
        let (cut, message) = match error {
            Some(Malformed { what, at }) => (what == "unexpected end", format!("not JSON: {what} at byte {at}")),
            None => not_utf8(line.payload),
        };
        if cut && last {
            return report(book, direction, line.bytes, "cut", Outcome::Cut, sink);
        }
        let shown = String::from_utf8_lossy(line.payload);
        let mut emit = Emit::new(book, sink, raw_text(&shown));
        // What the host wrote wrong is no fault of the agent: it is shown.
        if direction == Direction::In {
            emit.output(&shown, true);
            return report(book, direction, line.bytes, "text", Outcome::Mapped, sink);
        }
        let place = location(emit.book, channel);
        emit.unparsed(&message, &place, hash::of(line.bytes));
        report(book, direction, line.bytes, "unparsed", Outcome::Unparsed, sink);
    }

    /// A line that is longer than any may be.
    #[cold]
    fn too_long(&mut self, length: u64, hash: u64, channel: &Channel, direction: Direction, sink: &mut dyn Sink) {
        let book = &mut self.machine.book;
        book.begin_line(length as usize);
        let message = format!("line_too_long: {length} bytes, the limit is {}", self.machine.max_line);
        let mut emit = Emit::new(book, sink, None);
        emit.kind("too long");
        let place = location(emit.book, channel);
        emit.unparsed(&message, &place, hash);
        report(book, direction, b"", "too long", Outcome::Unparsed, sink);
    }
}

/// Reads the lines of a channel.
struct Reading<'a> {
    connection: &'a mut Connection,
    channel: &'a Channel,
    direction: Direction,
    sink: &'a mut dyn Sink,
}

impl lines::Reader for Reading<'_> {
    fn line(&mut self, line: Line<'_>) {
        self.connection.line(line, self.channel, self.direction, false, self.sink);
    }

    fn run(&mut self, text: &str) -> usize {
        let may_repeat = self.direction == Direction::Out && !self.connection.repeats.is_empty();
        if may_repeat { self.connection.run(text, self.channel, self.sink) } else { 0 }
    }
}

/// A line that is to be read: all of it, what it carries, and that as text if it is UTF-8.
struct Read<'a> {
    bytes: &'a [u8],
    payload: &'a [u8],
    text: Option<&'a str>,
}

/// Whether the bytes are cut off within a character, and what is wrong with them.
fn not_utf8(bytes: &[u8]) -> (bool, String) {
    match simdutf8::compat::from_utf8(bytes) {
        Ok(_) => (false, "invalid UTF-8".to_owned()),
        Err(error) => (error.error_len().is_none(), format!("invalid UTF-8 at byte {}", error.valid_up_to())),
    }
}

/// A line that repeats an earlier one but for its text.
fn repeat(machine: &mut Machine, known: &Known, growth: &Growth<'_>, payload: &str, line: &[u8], sink: &mut dyn Sink) {
    let book = &mut machine.book;
    let cause = book.include_raw.then(|| Cow::Borrowed(payload.trim_ascii()));
    let mut emit = Emit::repeated(book, sink, cause, known.does.session);
    machine.agent.grow(growth, &mut emit);
    let outcome = emit.outcome();
    book.stats.count_again(&known.kind, known.place, outcome);
    tell(book, Direction::Out, line, &known.kind, outcome, sink);
}

/// Counts a line of the kind that its reader named, and tells the sink what became of it.
fn report_read(book: &mut Book, direction: Direction, text: &[u8], outcome: Outcome<'_>, sink: &mut dyn Sink) {
    book.stats.count_line(direction.as_str(), &book.kind, outcome);
    tell(book, direction, text, &book.kind, outcome, sink);
}

/// Counts the line and tells the sink what became of it.
fn report(book: &mut Book, direction: Direction, text: &[u8], kind: &str, outcome: Outcome<'_>, sink: &mut dyn Sink) {
    book.stats.count_line(direction.as_str(), kind, outcome);
    tell(book, direction, text, kind, outcome, sink);
}

fn tell(book: &Book, direction: Direction, text: &[u8], kind: &str, outcome: Outcome<'_>, sink: &mut dyn Sink) {
    sink.line(&LineReport { number: book.stats.number(), direction: direction.as_str(), text, kind, outcome });
}

/// Text that is not JSON, as the JSON that `raw` carries.
fn raw_text(text: &str) -> Option<Cow<'static, str>> {
    let mut json = Vec::with_capacity(text.len() + 2);
    text.write_json(&mut json);
    String::from_utf8(json).ok().map(Cow::Owned)
}

fn location(book: &Book, channel: &Channel) -> String {
    format!("{} {} line {}", book.agent_name(), channel.name(), book.stats.number())
}

fn channel_key(channel: &Channel, direction: Direction) -> String {
    format!("{} {}", direction.as_str(), channel.name())
}

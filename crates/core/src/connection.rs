//! The machine: bytes and commands in, events and bytes out.

use std::borrow::Cow;

use interlinear_schema::{EndReason, SessionEndedData, TerminatedBy, Text, ToJson as _};

use crate::agents::{self, Adapter as _};
use crate::api::{Agent, Channel, Command, Exit, Failure, Form, HttpRequest, OpenOptions, Outgoing, Stats};
use crate::book::{Book, Counts};
use crate::emit::{Emit, Session};
use crate::hash;
use crate::json::Tape;
use crate::lines::{self, Channels, Line, SseLine};
use crate::repeat::{Growth, Known, Repeats};
use crate::sink::{LineReport, Outcome, Sink};
use crate::state::{self, Passing, kept};
use crate::stderr::Stderr;
use crate::wire::Drifts;

/// A process that is read and talked to, or a transcript of one: events of all its sessions come out, each session
/// with its own identifier and sequence. A session is a connection that refuses a second one.
///
/// It reads no clock: `now` is the host's, in milliseconds since 1970.
#[derive(Debug)]
pub struct Connection {
    machine: Machine,
    tape: Tape,
    pub(crate) repeats: Repeats,
}

kept! {
    /// Everything that a snapshot keeps.
    #[derive(Debug)]
    struct Machine {
        book: Book,
        agent: agents::State,
        channels: Channels,
        outgoing: Vec<Outgoing>,
        stderr: Stderr,
        max_line: usize,
        /// The host asked for the end.
        terminating: bool,
    }
}

/// Which way a line went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Out,
    In,
    Err,
}

impl Direction {
    fn as_str(self) -> &'static str {
        match self {
            Self::Out => "out",
            Self::In => "in",
            Self::Err => "err",
        }
    }
}

/// What snapshots begin with; the last byte is their version.
const SNAPSHOT: &[u8] = b"interlinear\x04";

impl Connection {
    /// Opens a session or a connection.
    pub fn open(options: &OpenOptions) -> Result<Self, Failure> {
        let mut connection = Self::of(options.agent, Form::Live, &options.session_id, options.include_raw);
        connection.machine.book.single = !options.connection;
        if options.connection {
            // Every session of a connection has a number behind the prefix, the first one too.
            connection.machine.book.sessions = vec![Session::new(format!("{}_1", options.session_id))];
        }
        connection.machine.max_line = options.max_line.map_or(lines::MAX_LINE, |limit| limit as usize);
        if let Some(metadata) = &options.metadata {
            let text = metadata.as_str().trim();
            let members = text.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
            let members = members.ok_or_else(|| Failure::new("bad_options", "metadata must be a JSON object"))?;
            members.trim().clone_into(&mut connection.machine.book.host_metadata);
        }
        Ok(connection)
    }

    pub(crate) fn of(agent: Agent, form: Form, session_id: &str, include_raw: bool) -> Self {
        let book = Book {
            agent,
            form,
            include_raw,
            host_metadata: String::new(),
            prefix: session_id.to_owned(),
            sessions: vec![Session::new(session_id.to_owned())],
            single: false,
            now: 0,
            stats: Counts::default(),
            drift: Drifts::default(),
            writes: Vec::new(),
            kind: Passing::default(),
        };
        let machine = Machine {
            book,
            agent: agents::State::new(agent),
            channels: Channels::default(),
            outgoing: Vec::new(),
            stderr: Stderr::default(),
            max_line: lines::MAX_LINE,
            terminating: false,
        };
        Self { machine, tape: Tape::default(), repeats: Repeats::default() }
    }

    pub(crate) fn agent(&self) -> Agent {
        self.machine.book.agent
    }

    pub(crate) fn set_max_line(&mut self, limit: usize) {
        self.machine.max_line = limit;
    }

    /// What the agent wrote.
    pub fn receive(&mut self, chunk: &[u8], channel: &Channel, now: f64, sink: &mut dyn Sink) {
        let direction = if *channel == Channel::Stderr { Direction::Err } else { Direction::Out };
        self.machine.book.now = now as i64;
        self.push(chunk, channel, direction, sink);
    }

    /// What the host wrote by itself.
    pub fn sent(&mut self, chunk: &[u8], channel: &Channel, now: f64, sink: &mut dyn Sink) {
        self.machine.book.now = now as i64;
        self.push(chunk, channel, Direction::In, sink);
    }

    /// What the host wants the agent to do. What must be written for it is in [`Connection::outgoing`]; its events
    /// are those of the written lines.
    pub fn command(&mut self, command: &Command, session_id: Option<&str>, now: f64, sink: &mut dyn Sink) {
        self.repeats.forget();
        let machine = &mut self.machine;
        machine.book.now = now as i64;
        let mut emit = Emit::new(&mut machine.book, sink, None);
        let opens = command.opens();
        if let Some(id) = session_id
            && !emit.select_named(id, opens.is_some())
        {
            emit.unsupported(&format!("there is no session {id}"));
            return;
        }
        if let Some(opens) = opens {
            emit.expect_session(opens);
        }
        let mut outgoing = Vec::new();
        let session = emit.selected();
        let alone = *command == Command::Terminate && session_id.is_some();
        if *command == Command::Terminate && !alone {
            machine.terminating = true;
            outgoing.push(Outgoing::Signal("SIGTERM".to_owned()));
        } else {
            machine.agent.command(command, &mut emit, &mut outgoing);
        }
        for step in &outgoing {
            match step {
                Outgoing::Stdin(line) => self.push(line.as_bytes(), &Channel::Stdin, Direction::In, sink),
                Outgoing::Http(HttpRequest { method, path, body }) => {
                    let channel = Channel::Http { request: format!("{method} {path}"), status: None };
                    self.push(body.as_deref().unwrap_or_default().as_bytes(), &channel, Direction::In, sink);
                }
                Outgoing::Signal(_) | Outgoing::CloseStdin(_) => {}
            }
        }
        self.machine.outgoing.append(&mut outgoing);
        if alone {
            let mut emit = Emit::new(&mut self.machine.book, sink, None);
            emit.select(session);
            let (reason, terminated_by) = (EndReason::Terminated, TerminatedBy::Daemon);
            emit.end_session(SessionEndedData { reason, terminated_by, ..SessionEndedData::default() });
        }
    }

    /// What the host must write, call or signal now. To be asked after every other call.
    pub fn outgoing(&mut self) -> Vec<Outgoing> {
        std::mem::take(&mut self.machine.outgoing)
    }

    /// When [`Connection::tick`] must be called if nothing comes before.
    pub fn deadline(&self) -> Option<f64> {
        self.machine.agent.deadline().map(|ms| ms as f64)
    }

    /// Time has passed.
    pub fn tick(&mut self, now: f64, sink: &mut dyn Sink) {
        self.repeats.forget();
        self.machine.book.now = now as i64;
        let mut emit = Emit::new(&mut self.machine.book, sink, None);
        self.machine.agent.tick(&mut emit);
    }

    /// The process is gone.
    pub fn exited(&mut self, exit: &Exit, now: f64, sink: &mut dyn Sink) {
        self.machine.book.now = now as i64;
        self.flush(sink);
        let machine = &mut self.machine;
        let heir = exit.restart.then(|| machine.agent.heir());
        for index in machine.book.to_be_ended() {
            let mut emit = Emit::new(&mut machine.book, sink, None);
            emit.select(index);
            machine.agent.finish(&mut emit);
            let end = session_end(exit, machine.terminating, &machine.stderr, machine.agent.last_error());
            match heir {
                Some(_) => emit.break_off(end),
                None => emit.end_session(end),
            }
        }
        if let Some(heir) = heir {
            machine.agent = heir;
            machine.stderr = Stderr::default();
            machine.terminating = false;
        }
    }

    /// The input is over, and nothing is known of a process.
    pub fn end(&mut self, now: f64, sink: &mut dyn Sink) {
        self.machine.book.now = self.machine.book.now.max(now as i64);
        self.flush(sink);
        let machine = &mut self.machine;
        for index in machine.book.to_be_ended() {
            let mut emit = Emit::new(&mut machine.book, sink, None);
            emit.select(index);
            machine.agent.finish(&mut emit);
            emit.complete_session();
        }
    }

    /// The sequence of the (first) session's last event.
    pub fn sequence(&self) -> u64 {
        self.machine.book.sessions.first().map_or(0, Session::sequence)
    }

    /// What was read so far, and what became of it.
    pub fn stats(&self) -> Stats {
        self.machine.book.stats.report(&self.machine.book.drift)
    }

    /// All state, to go on in another process.
    pub fn snapshot(&mut self) -> Vec<u8> {
        [SNAPSHOT, &state::write(&mut self.machine)].concat()
    }

    /// Goes on from a snapshot of this version.
    pub fn restore(bytes: &[u8]) -> Result<Self, Failure> {
        let name = &SNAPSHOT[..SNAPSHOT.len() - 1];
        let Some((version, bytes)) = bytes.strip_prefix(name).and_then(|rest| rest.split_first()) else {
            return Err(Failure::new("bad_snapshot", "these bytes are no snapshot of a session"));
        };
        if Some(version) != SNAPSHOT.last() {
            let message = "the snapshot was made by another version; replay the transcript instead";
            return Err(Failure::new("snapshot_version", message));
        }
        let mut restored = Self::of(Agent::Claude, Form::Live, "", false);
        match state::read(&mut restored.machine, bytes) {
            Some(()) => Ok(restored),
            None => Err(Failure::new("bad_snapshot", "the snapshot is damaged")),
        }
    }

    /// From here on entries of stored files come, in the order of the conversation; `before`: so many of other
    /// sessions come first.
    pub(crate) fn read_stored(&mut self, links: crate::map::Map<String, String>, before: u64) {
        self.machine.book.stats.before = before;
        self.machine.agent.read_stored(links);
    }

    /// More of a transcript that has no clock but its own: where the chunk begins must not show in any time.
    pub(crate) fn more(&mut self, chunk: &[u8], sink: &mut dyn Sink) {
        self.push(chunk, &Channel::Stdout, Direction::Out, sink);
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
        match self.tape.read(text) {
            Ok(value) => {
                let mut emit = Emit::new(book, sink, None);
                machine.agent.document(name, value, &mut emit);
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

    fn push(&mut self, chunk: &[u8], channel: &Channel, direction: Direction, sink: &mut dyn Sink) {
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
    fn flush(&mut self, sink: &mut dyn Sink) {
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
        let (json, is_json) = match self.tape.read(&json) {
            Ok(value) if body.contains('\n') => (Cow::Owned(value.compact()), true),
            Ok(_) => (json, true),
            Err(_) => (raw_text(body).unwrap_or_default(), false),
        };
        let Ok(read) = self.tape.read(&json) else { return };
        // What has no body is named by its request.
        let cause = if body.is_empty() { raw_text(request) } else { Some(Cow::Borrowed(json.as_ref())) };
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
        let machine = &mut self.machine;
        let book = &mut machine.book;
        let (bytes, text) = match line {
            Line::Text(text) => (text.as_bytes(), Some(text)),
            Line::Bytes(bytes) => (bytes, None),
            Line::TooLong(length, hash) => {
                book.begin_line(length as usize);
                let message = format!("line_too_long: {length} bytes, the limit is {}", machine.max_line);
                let mut emit = Emit::new(book, sink, None);
                emit.kind("too long");
                let place = location(emit.book, channel);
                emit.unparsed(&message, &place, hash);
                return report(book, direction, b"", "too long", Outcome::Unparsed, sink);
            }
        };
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
        let Read { bytes, payload, text: valid } = line;
        let machine = &mut self.machine;
        // Unless this is a line that may be repeated, all that may be is forgotten.
        let repeats = self.repeats.take();
        let book = &mut machine.book;
        if direction == Direction::In && *channel == Channel::Stdin {
            let shown = String::from_utf8_lossy(payload);
            let mut emit = Emit::new(book, sink, raw_text(&shown));
            if machine.agent.text_sent(&shown, &mut emit) {
                let outcome = emit.outcome();
                return report_read(book, direction, bytes, outcome, sink);
            }
        }
        let text = payload.trim_ascii();
        if text.is_empty() {
            return report(book, direction, bytes, "blank", Outcome::Ignored("blank"), sink);
        }
        if direction == Direction::Err || !matches!(text[0], b'{') && *channel != Channel::Argv {
            let shown = String::from_utf8_lossy(payload);
            if direction == Direction::Err {
                machine.stderr.line(&shown);
            }
            // Among several sessions nobody can tell whose it is.
            if direction != Direction::In && book.sessions.iter().filter(|session| session.is_running()).count() > 1 {
                return report(book, direction, bytes, "text", Outcome::Ignored("of no session"), sink);
            }
            let mut emit = Emit::new(book, sink, raw_text(&shown));
            emit.output(&shown, direction == Direction::In);
            return report(book, direction, bytes, "text", Outcome::Mapped, sink);
        }
        let read = match valid {
            Some(text) => self.tape.read(text).map(|value| (text, value)).map_err(|error| {
                (error.what == "unexpected end", format!("not JSON: {} at byte {}", error.what, error.at))
            }),
            None => Err(not_utf8(payload)),
        };
        let (text, value) = match read {
            Ok(found) => found,
            Err((true, _)) if last => return report(book, direction, bytes, "cut", Outcome::Cut, sink),
            // What the host wrote wrong is no fault of the agent: it is shown.
            Err(_) if direction == Direction::In => {
                let shown = String::from_utf8_lossy(payload);
                let mut emit = Emit::new(book, sink, raw_text(&shown));
                emit.output(&shown, true);
                return report(book, direction, bytes, "text", Outcome::Mapped, sink);
            }
            Err((_, message)) => {
                let shown = String::from_utf8_lossy(payload);
                let mut emit = Emit::new(book, sink, raw_text(&shown));
                let place = location(emit.book, channel);
                emit.unparsed(&message, &place, hash::of(bytes));
                return report(book, direction, bytes, "unparsed", Outcome::Unparsed, sink);
            }
        };
        let noted = *book.drift.noted;
        let mut emit = Emit::new(book, sink, Some(Cow::Borrowed(text.trim_ascii())));
        match direction {
            Direction::In => machine.agent.sent(value, channel, &mut emit),
            Direction::Out | Direction::Err => machine.agent.receive(value, channel, &mut emit),
        }
        let (outcome, repeatable) = (emit.outcome(), emit.repeatable());
        report_read(book, direction, bytes, outcome, sink);
        // What is reported as drift, and what waits for its time, is looked at line by line.
        if let Some(does) = repeatable
            && *book.drift.noted == noted
            && machine.agent.deadline().is_none()
            && let Some(values) = machine.agent.differ(value)
        {
            let place = book.stats.place_of(direction.as_str(), &book.kind);
            self.repeats.learn(repeats, payload, &values, (&book.kind, place), does);
        }
        for line in std::mem::take(&mut self.machine.book.writes) {
            self.push(line.as_bytes(), &Channel::Stdin, Direction::In, sink);
            self.machine.outgoing.push(Outgoing::Stdin(line));
        }
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
        if self.direction == Direction::Out { self.connection.run(text, self.channel, self.sink) } else { 0 }
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
    let kind = std::mem::take(&mut *book.kind);
    report(book, direction, text, &kind, outcome, sink);
    *book.kind = kind;
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

/// What the end of the process means for a session.
fn session_end<'a>(
    exit: &Exit,
    terminating: bool,
    stderr: &'a Stderr,
    last_error: Option<&'a str>,
) -> SessionEndedData<'a> {
    let asked = terminating
        || matches!(exit.code, Some(129 | 130 | 143))
        || matches!(exit.signal.as_deref(), Some("SIGTERM" | "SIGINT" | "SIGHUP"));
    let clean = matches!((exit.code, &exit.signal), (Some(0) | None, None));
    if clean {
        return SessionEndedData::default();
    }
    if asked {
        let (reason, terminated_by) = (EndReason::Terminated, TerminatedBy::Daemon);
        return SessionEndedData { reason, terminated_by, ..SessionEndedData::default() };
    }
    let how = match (&exit.signal, exit.code) {
        (Some(signal), _) => format!("the agent was ended by {signal}"),
        (None, code) => format!("the agent exited with code {}", code.unwrap_or_default()),
    };
    let why = last_error.map(str::to_owned).or_else(|| stderr.last_line());
    let message = why.map_or_else(|| how.clone(), |why| format!("{how}: {why}"));
    SessionEndedData {
        reason: EndReason::Error,
        terminated_by: TerminatedBy::Agent,
        message: Some(Text::from(message)),
        exit_code: exit.code,
        stderr: stderr.output(),
        ..SessionEndedData::default()
    }
}

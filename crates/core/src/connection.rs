//! The machine: bytes and commands in, events and bytes out.

mod reading;

use interlinear_schema::{EndReason, SessionEndedData, TerminatedBy, Text};

use crate::agents;
use crate::api::{Agent, Channel, Command, Exit, Failure, Form, HttpRequest, OpenOptions, Outgoing, Stats};
use crate::book::{Book, Counts};
use crate::emit::{Emit, Session};
use crate::hash;
use crate::json::Tape;
use crate::lines::{self, Channels};
use crate::repeat::Repeats;
use crate::sink::Sink;
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
    tape: Tape<'static>,
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

/// What snapshots begin with; the last byte is their version. A hash of the state follows, and the state.
const SNAPSHOT: &[u8] = b"interlinear\x0a";

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
            over: Passing::default(),
            single: false,
            now: 0,
            stats: Counts::default(),
            drift: Drifts::default(),
            writes: Vec::new(),
            kind: Passing::default(),
            item_id: Passing::default(),
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

    /// For another process of the agent in the same transcript: what it says belongs to other sessions.
    pub(crate) fn successor(&self) -> Self {
        let book = &self.machine.book;
        let name = format!("{}_{}", book.prefix, book.sessions.len() + 1);
        let mut next = Self::of(book.agent, book.form, &name, book.include_raw);
        next.machine.max_line = self.machine.max_line;
        next.machine.book.stats.before = book.stats.number();
        next
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
        let state = state::write(&mut self.machine);
        [SNAPSHOT, &hash::id(&state).to_le_bytes(), &state].concat()
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
        // What was changed on its way may still look like a state, of which nothing is known to be true.
        let whole = bytes.split_first_chunk().filter(|(hash, state)| u64::from_le_bytes(**hash) == hash::id(state));
        match whole.and_then(|(_, state)| state::read(&mut restored.machine, state)) {
            Some(()) => Ok(restored),
            None => Err(Failure::new("bad_snapshot", "the snapshot is damaged; replay the transcript instead")),
        }
    }

    /// From here on entries of stored files come, in the order of the conversation; `before`: so many of other
    /// sessions come first.
    pub(crate) fn read_stored(&mut self, links: crate::map::Map<String, String>, before: u64) {
        self.machine.book.stats.before = before;
        self.machine.agent.read_stored(links);
    }
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
        // A process that a signal has ended has none.
        exit_code: exit.code.filter(|_| exit.signal.is_none()),
        stderr: stderr.output(),
        ..SessionEndedData::default()
    }
}

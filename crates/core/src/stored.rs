//! Stored sessions: their files are indexed first, then read in the order of the conversation.

use crate::agents::{self, Index, Placed};
use crate::api::{Agent, ConvertOptions, Form, Stats, Stretch};
use crate::connection::Connection;
use crate::convert::add_up;
use crate::emit::make_unique;
use crate::hash;
use crate::json::Tape;
use crate::lines::{Line, Lines};
use crate::map::Hashes;
use crate::sink::Sink;

/// The files of one or more stored sessions.
#[derive(Debug)]
pub(crate) struct Stored {
    agent: Agent,
    limit: usize,
    tape: Tape<'static>,
    files: Vec<File>,
    /// The entries of all sessions in the order of the conversation, each with its session.
    plan: Vec<(usize, Placed)>,
    next: usize,
    partial: Vec<u8>,
    connections: Vec<Connection>,
}

#[derive(Debug)]
struct File {
    name: String,
    role: Role,
    lines: Lines,
    offset: u64,
    /// Where the last entry ends.
    noted: u64,
    index: Index,
    session: Option<String>,
    /// A small file that is read whole.
    whole: Vec<u8>,
}

/// What a file holds.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Role {
    /// A session.
    Main,
    /// The entries of a subagent.
    Subagent,
    /// What stands beside a subagent's entries.
    Beside(String),
    /// Something else that lies in the folder.
    Other,
}

fn role(name: &str) -> Role {
    let base = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let agent = base.strip_prefix("agent-");
    match agent.and_then(|rest| rest.strip_suffix(".meta.json")) {
        Some(agent) => Role::Beside(agent.to_owned()),
        None if agent.is_some_and(|rest| rest.ends_with(".jsonl")) => Role::Subagent,
        None if base.ends_with(".txt") || base.ends_with(".json") => Role::Other,
        None => Role::Main,
    }
}

impl Stored {
    pub(crate) fn new(agent: Agent, limit: usize) -> Self {
        Self {
            agent,
            limit,
            tape: Tape::default(),
            files: Vec::new(),
            plan: Vec::new(),
            next: 0,
            partial: Vec::new(),
            connections: Vec::new(),
        }
    }

    pub(crate) fn push(&mut self, name: &str, chunk: &[u8]) {
        if self.files.last().is_none_or(|file| file.name != name) {
            self.files.push(File {
                name: name.to_owned(),
                role: role(name),
                lines: Lines::default(),
                offset: 0,
                noted: 0,
                index: Index::new(self.agent),
                session: None,
                whole: Vec::new(),
            });
        }
        let number = self.files.len() as u32 - 1;
        let Some(file) = self.files.last_mut() else { return };
        match file.role {
            Role::Main | Role::Subagent => file.note_chunk(number, chunk, self.limit, &mut self.tape),
            Role::Beside(_) => file.whole.extend_from_slice(chunk),
            Role::Other => {}
        }
    }

    /// Finds the order. Returns what must be read again.
    pub(crate) fn plan(&mut self, options: &ConvertOptions) -> Vec<Stretch> {
        for number in 0..self.files.len() {
            self.files[number].note_rest(number as u32, &mut self.tape);
        }
        let (heads, owners) = self.sessions();
        let mut given = Hashes::default();
        for (session, head) in heads.iter().enumerate() {
            let mut index = std::mem::replace(&mut self.files[*head].index, Index::new(self.agent));
            let stem = self.files[*head].session.clone();
            for (at, owner) in owners.iter().enumerate() {
                if *owner == Some(session) {
                    self.files[at].add_to(&mut index);
                }
            }
            let mut id = match (&options.session_id, heads.len()) {
                (Some(id), 1) => id.clone(),
                (Some(prefix), _) => format!("{prefix}_{}", session + 1),
                (None, _) => stem.filter(|id| !id.is_empty()).unwrap_or_else(|| format!("session_{}", session + 1)),
            };
            // A copy of a session's file is another session.
            make_unique(&mut id, &mut given, |id| hash::id(id.as_bytes()));
            let mut connection = Connection::of(self.agent, Form::Stored, &id, options.include_raw);
            connection.set_max_line(self.limit);
            let branch = options.branch.as_deref();
            connection.read_stored(index.links(branch), self.plan.len() as u64);
            self.connections.push(connection);
            self.plan.extend(index.order(branch).into_iter().map(|placed| (session, placed)));
        }
        self.stretches()
    }

    /// The files that are sessions, and for every other file the session that it belongs to. A subagent's file that
    /// belongs to none is a session of its own: nothing that was handed in is left out.
    fn sessions(&self) -> (Vec<usize>, Vec<Option<usize>>) {
        let files = &self.files;
        let mut heads: Vec<usize> = (0..files.len()).filter(|at| files[*at].role == Role::Main).collect();
        let only = if let [only] = heads[..] { Some(only) } else { None };
        let mut owners = vec![None; files.len()];
        for (at, file) in files.iter().enumerate().filter(|(_, file)| file.role != Role::Main) {
            let named = heads.iter().position(|head| file.belongs_to(files[*head].session.as_deref()));
            let alone = only.filter(|main| file.session.is_none() || files[*main].session.is_none()).map(|_| 0);
            owners[at] = named.or(alone);
            if owners[at].is_none() && file.role == Role::Subagent {
                heads.push(at);
            }
        }
        (heads, owners)
    }

    /// The plan, with neighbours put together.
    fn stretches(&self) -> Vec<Stretch> {
        let mut stretches: Vec<Stretch> = Vec::new();
        for (_, placed) in &self.plan {
            let (file, start, end) = (placed.file, placed.start, placed.start + u64::from(placed.length));
            match stretches.last_mut().filter(|last| last.file == file && last.end == start) {
                Some(last) => last.end = end,
                None => stretches.push(Stretch { file, start, end }),
            }
        }
        stretches
    }

    pub(crate) fn feed(&mut self, mut chunk: &[u8], sink: &mut dyn Sink) {
        while let Some((session, placed)) = self.plan.get(self.next).copied() {
            let missing = placed.length as usize - self.partial.len();
            if chunk.len() < missing {
                self.partial.extend_from_slice(chunk);
                return;
            }
            let (piece, rest) = chunk.split_at(missing);
            chunk = rest;
            self.next += 1;
            if session > 0 && self.next >= 2 && self.plan[self.next - 2].0 != session {
                self.connections[session - 1].end(0.0, sink);
            }
            let held = std::mem::take(&mut self.partial);
            let entry = if held.is_empty() { piece.into() } else { [held.as_slice(), piece].concat() };
            let line = entry.strip_suffix(b"\n").unwrap_or(&entry);
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let line = if placed.start == 0 { line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line) } else { line };
            let connection = &mut self.connections[session];
            if let Some(reason) = placed.skip {
                connection.skip(line, "entry", reason, sink);
            } else {
                connection.entry(line, sink);
            }
        }
    }

    pub(crate) fn end(&mut self, sink: &mut dyn Sink) {
        for connection in &mut self.connections {
            connection.end(0.0, sink);
        }
    }

    pub(crate) fn stats(&self) -> Stats {
        add_up(self.connections.iter().map(Connection::stats))
    }
}

impl File {
    fn note_chunk(&mut self, number: u32, chunk: &[u8], limit: usize, tape: &mut Tape<'static>) {
        let mut lines = std::mem::take(&mut self.lines);
        // Where lines end in the chunk tells their places in the file; the lines themselves may begin before it.
        let mut ends = memchr::memchr_iter(b'\n', chunk).map(|at| at as u64 + 1);
        let base = self.offset;
        let mut start = self.noted;
        lines.push(chunk, limit, |line| {
            let end = base + ends.next().unwrap_or_default();
            self.note_line(number, start, (end - start) as u32, line, tape);
            start = end;
        });
        self.lines = lines;
        self.offset += chunk.len() as u64;
    }

    fn note_rest(&mut self, number: u32, tape: &mut Tape<'static>) {
        let start = self.noted;
        let end = self.offset;
        let mut lines = std::mem::take(&mut self.lines);
        lines.end(|line| self.note_line(number, start, (end - start) as u32, line, tape));
    }

    fn note_line(&mut self, number: u32, start: u64, length: u32, line: Line<'_>, tape: &mut Tape<'static>) {
        let text = match line {
            Line::Text(text) => Some(text),
            Line::Bytes(_) | Line::TooLong(..) => None,
        };
        let mut reading = std::mem::take(tape);
        let value = text.and_then(|text| reading.read(text).ok());
        if self.session.is_none() {
            self.session = value.and_then(agents::session_of);
        }
        self.index.note(number, start, length, value);
        *tape = reading.emptied();
        self.noted = start + u64::from(length);
    }

    /// Whether the file lies in the folder of a session, or says that it belongs to it.
    fn belongs_to(&self, session: Option<&str>) -> bool {
        let Some(session) = session else { return false };
        self.role != Role::Main
            && (self.session.as_deref() == Some(session) || self.name.split(['/', '\\']).any(|part| part == session))
    }

    fn add_to(&mut self, index: &mut Index) {
        match &self.role {
            Role::Subagent => index.append(&mut self.index),
            Role::Beside(agent) => {
                let mut tape = Tape::default();
                if let Some(value) = std::str::from_utf8(&self.whole).ok().and_then(|text| tape.read(text).ok()) {
                    index.note_agent(agent, value);
                }
            }
            Role::Main | Role::Other => {}
        }
    }
}

//! One folder an agent, each with the same inner shape: `wire` (what its JSON is), `state` (what is remembered),
//! `map` (lines → events), `stored` (its session files), `tools` (its tools in common words), `talk` (commands → its own
//! lines).

mod amp;
mod call_ids;
mod claude;
mod codex;
mod opencode;
mod pi;

use std::ops::{Deref, DerefMut};

use crate::api::{Agent, Channel, Command, Form, Outgoing};
use crate::emit::Emit;
use crate::json::Value;
use crate::map::Map;
use crate::repeat::Growth;
use crate::state::kept;
use crate::wire::Wire;

/// What the machine asks of an agent's code.
pub(crate) trait Adapter {
    /// A line that the agent wrote.
    fn receive(&mut self, line: Value<'_>, channel: &Channel, emit: &mut Emit<'_>);
    /// A line that the host wrote.
    fn sent(&mut self, line: Value<'_>, channel: &Channel, emit: &mut Emit<'_>);
    /// A line that the host wrote, before it is known to be JSON. True if that was all there is to it.
    fn text_sent(&mut self, _text: &str, _emit: &mut Emit<'_>) -> bool {
        false
    }
    /// The agent has written text that is no JSON, which is about to be shown.
    fn text_received(&mut self, _emit: &mut Emit<'_>) {}
    /// More text for a part, by a line that repeats an earlier one but for its text; see [`crate::repeat`].
    fn grow(&mut self, growth: &Growth<'_>, emit: &mut Emit<'_>) {
        emit.delta(growth.item, growth.part, &growth.text, false);
    }
    /// The strings and numbers in which lines differ that add text to the same part, and which mean nothing else. Nothing
    /// if such lines must be read.
    fn differ<'v>(&self, _line: Value<'v>) -> Option<Vec<Value<'v>>> {
        Some(Vec::new())
    }
    /// Encodes a command into what the host must do.
    fn command(&mut self, command: &Command, emit: &mut Emit<'_>, outgoing: &mut Vec<Outgoing>);
    /// Nothing more will come: what is complete but was not known to be is completed.
    fn finish(&mut self, emit: &mut Emit<'_>);
    /// A whole document of a stored session.
    fn document(&mut self, document: Value<'_>, emit: &mut Emit<'_>) {
        emit.unknown(document.json(), None);
    }
    /// The lines of another stored file follow.
    fn next_file(&mut self) {}
    /// What went wrong last, in the agent's words.
    fn last_error(&self) -> Option<&str> {
        None
    }
    /// When it must be woken if nothing comes.
    fn deadline(&self) -> Option<i64> {
        None
    }
    /// Time has passed.
    fn tick(&mut self, _emit: &mut Emit<'_>) {}
}

/// Reads a line, or a value in it, into its struct; what is not known of it goes into the drift report.
fn read<'a, T: Wire<'a>>(value: Value<'a>, emit: &mut Emit<'_>) -> Option<T> {
    T::read(value, "", &mut emit.book.drift)
}

/// Reads a line into its struct, and goes on with it. Each kind of line is a function of its own: where many kinds are told
/// apart, only what is needed has to be at hand (or compiled, where that is done when a function is first called).
#[inline(never)]
fn with<'a, T: Wire<'a>>(line: Value<'a>, emit: &mut Emit<'_>, then: impl FnOnce(&T, &mut Emit<'_>)) {
    if let Some(read) = &read::<T>(line, emit) {
        then(read, emit);
    }
}

kept! {
    /// The state of one agent's code.
    #[derive(Debug)]
    pub(crate) enum State {
        Claude(Box<claude::State>),
        Amp(Box<amp::State>),
        Pi(Box<pi::State>),
        Codex(Box<codex::State>),
        Opencode(Box<opencode::State>),
    }
}

impl State {
    pub(crate) fn new(agent: Agent) -> Self {
        match agent {
            Agent::Claude => Self::Claude(Box::default()),
            Agent::Amp => Self::Amp(Box::default()),
            Agent::Pi => Self::Pi(Box::default()),
            Agent::Codex => Self::Codex(Box::default()),
            Agent::Opencode => Self::Opencode(Box::default()),
        }
    }

    /// The state with which another process of the agent goes on with the sessions.
    pub(crate) fn heir(&self) -> Self {
        match self {
            Self::Claude(_) => Self::new(Agent::Claude),
            Self::Amp(state) => Self::Amp(Box::new(state.heir())),
            Self::Pi(_) => Self::new(Agent::Pi),
            Self::Codex(state) => Self::Codex(Box::new(state.heir())),
            Self::Opencode(state) => Self::Opencode(Box::new(state.heir())),
        }
    }

    /// From here on entries of stored files come; `links` are subagents and the calls that started them, or other
    /// branches and the entries at which they begin.
    pub(crate) fn read_stored(&mut self, links: Map<String, String>) {
        match self {
            Self::Claude(state) => state.read_stored(links),
            Self::Pi(state) => state.read_stored(links),
            Self::Codex(_) | Self::Opencode(_) | Self::Amp(_) => {}
        }
    }
}

impl Deref for State {
    type Target = dyn Adapter;

    fn deref(&self) -> &Self::Target {
        match self {
            Self::Claude(state) => state.as_ref(),
            Self::Amp(state) => state.as_ref(),
            Self::Pi(state) => state.as_ref(),
            Self::Codex(state) => state.as_ref(),
            Self::Opencode(state) => state.as_ref(),
        }
    }
}

impl DerefMut for State {
    fn deref_mut(&mut self) -> &mut Self::Target {
        match self {
            Self::Claude(state) => state.as_mut(),
            Self::Amp(state) => state.as_mut(),
            Self::Pi(state) => state.as_mut(),
            Self::Codex(state) => state.as_mut(),
            Self::Opencode(state) => state.as_mut(),
        }
    }
}

/// What a line tells about where it comes from.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Recognised {
    pub(crate) agent: Agent,
    pub(crate) form: Form,
    pub(crate) version: Option<String>,
}

/// Finds out whose line it is, if it tells.
pub(crate) fn recognise(line: Value<'_>) -> Option<Recognised> {
    let known = [opencode::recognise, claude::recognise, codex::recognise, amp::recognise, pi::recognise];
    known.iter().find_map(|recognise| recognise(line))
}

/// What a transcript tells that does not consist of lines of JSON: by its name, or by how it begins.
pub(crate) fn recognise_document(name: &str, head: &str) -> Option<Recognised> {
    opencode::recognise_document(name, head).or_else(|| amp::recognise_document(head))
}

/// A line that tells something only if no other does.
pub(crate) fn recognise_weakly(line: Value<'_>) -> Option<Recognised> {
    pi::recognise_header(line).or_else(|| amp::recognise_older(line))
}

/// The identifier of the session that an entry of a session file names.
pub(crate) fn session_of(entry: Value<'_>) -> Option<String> {
    let header = entry.get("type").and_then(Value::str).is_some_and(|kind| kind == "session");
    let id = entry.get("sessionId").or_else(|| entry.get("id").filter(|_| header))?;
    id.str().map(Into::into)
}

/// A document of a stored session, or one that is left out for a reason.
#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
    pub(crate) left: Option<&'static str>,
}

/// The documents of a transcript in the order in which they are read.
pub(crate) fn arrange(agent: Agent, files: Vec<(String, Vec<u8>)>) -> Vec<Document> {
    match agent {
        Agent::Opencode => opencode::arrange(files),
        _ => files.into_iter().map(|(name, bytes)| Document { name, bytes, left: None }).collect(),
    }
}

/// How an agent's stored sessions are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Lines that must be put in order first.
    Indexed,
    /// Lines in the order of the conversation: read as they come.
    Lines,
    /// Whole documents of JSON.
    Documents,
}

pub(crate) fn shape(agent: Agent) -> Shape {
    match agent {
        Agent::Claude | Agent::Pi => Shape::Indexed,
        Agent::Codex => Shape::Lines,
        Agent::Amp | Agent::Opencode => Shape::Documents,
    }
}

/// An entry of a stored session, in the order of the conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Placed {
    pub(crate) file: u32,
    pub(crate) start: u64,
    pub(crate) length: u32,
    /// Why it is not part of the transcript, if it is not.
    pub(crate) skip: Option<&'static str>,
}

/// An index of the entries of stored sessions, by which their order is found.
#[derive(Debug)]
pub(crate) enum Index {
    Claude(claude::Index),
    Pi(pi::Index),
}

impl Index {
    pub(crate) fn new(agent: Agent) -> Self {
        match agent {
            // The sessions of the others are in order: nobody asks for their index.
            Agent::Claude | Agent::Codex | Agent::Opencode | Agent::Amp => Self::Claude(claude::Index::default()),
            Agent::Pi => Self::Pi(pi::Index::default()),
        }
    }

    /// Notes an entry. `value` is nothing for a line that cannot be read: it keeps its place.
    pub(crate) fn note(&mut self, file: u32, start: u64, length: u32, value: Option<Value<'_>>) {
        match self {
            Self::Claude(index) => index.note(file, start, length, value),
            Self::Pi(index) => index.note(file, start, length, value),
        }
    }

    /// Notes what stands beside a subagent's file.
    pub(crate) fn note_agent(&mut self, agent: &str, value: Value<'_>) {
        match self {
            Self::Claude(index) => index.note_agent(agent, value),
            Self::Pi(_) => {}
        }
    }

    /// Takes over the entries of another file.
    pub(crate) fn append(&mut self, other: &mut Self) {
        match (self, other) {
            (Self::Claude(index), Self::Claude(other)) => index.append(other),
            (Self::Pi(index), Self::Pi(other)) => index.append(other),
            _ => {}
        }
    }

    /// The subagents and the calls that started them; of a tree, the other branches and where they begin.
    pub(crate) fn links(&mut self, branch: Option<&str>) -> Map<String, String> {
        match self {
            Self::Claude(index) => index.links(),
            Self::Pi(index) => index.links(branch),
        }
    }

    /// The entries in the order of the conversation; of a tree, those of the branch that ends with this entry.
    pub(crate) fn order(&self, branch: Option<&str>) -> Vec<Placed> {
        match self {
            Self::Claude(index) => index.order(),
            Self::Pi(index) => index.order(branch),
        }
    }
}

//! One folder an agent, each with the same inner shape: `wire` (what its JSON is), `state` (what is remembered),
//! `map` (lines → events), `tools` (its tools in common words), `talk` (commands → its own lines).

mod claude;

use std::collections::BTreeMap;

pub(crate) use claude::{Index, Placed};
use serde::{Deserialize, Serialize};

use crate::api::{Agent, Channel, Command, Form, Outgoing};
use crate::emit::Emit;
use crate::json::Value;

/// What the machine asks of an agent's code.
pub(crate) trait Adapter {
    /// A line that the agent wrote.
    fn receive(&mut self, line: Value<'_>, channel: &Channel, emit: &mut Emit<'_>);
    /// A line that the host wrote.
    fn sent(&mut self, line: Value<'_>, channel: &Channel, emit: &mut Emit<'_>);
    /// Encodes a command into what the host must do.
    fn command(&mut self, command: &Command, emit: &mut Emit<'_>, outgoing: &mut Vec<Outgoing>);
    /// Nothing more will come: what is complete but was not known to be is completed.
    fn finish(&mut self, emit: &mut Emit<'_>);
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

/// The state of one agent's code. The registry: one line an agent here, and one in [`recognise`].
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum State {
    Claude(Box<claude::State>),
}

impl State {
    pub(crate) fn new(agent: Agent) -> Self {
        match agent {
            Agent::Claude => Self::Claude(Box::default()),
        }
    }

    /// From here on entries of stored files come; `links` are subagents and the calls that started them.
    pub(crate) fn read_stored(&mut self, links: BTreeMap<String, String>) {
        match self {
            Self::Claude(state) => state.read_stored(links),
        }
    }

    fn adapter(&self) -> &dyn Adapter {
        match self {
            Self::Claude(state) => state.as_ref(),
        }
    }

    fn adapter_mut(&mut self) -> &mut dyn Adapter {
        match self {
            Self::Claude(state) => state.as_mut(),
        }
    }
}

impl Adapter for State {
    fn receive(&mut self, line: Value<'_>, channel: &Channel, emit: &mut Emit<'_>) {
        self.adapter_mut().receive(line, channel, emit);
    }

    fn sent(&mut self, line: Value<'_>, channel: &Channel, emit: &mut Emit<'_>) {
        self.adapter_mut().sent(line, channel, emit);
    }

    fn command(&mut self, command: &Command, emit: &mut Emit<'_>, outgoing: &mut Vec<Outgoing>) {
        self.adapter_mut().command(command, emit, outgoing);
    }

    fn finish(&mut self, emit: &mut Emit<'_>) {
        self.adapter_mut().finish(emit);
    }

    fn last_error(&self) -> Option<&str> {
        self.adapter().last_error()
    }

    fn deadline(&self) -> Option<i64> {
        self.adapter().deadline()
    }

    fn tick(&mut self, emit: &mut Emit<'_>) {
        self.adapter_mut().tick(emit);
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
    claude::recognise(line)
}

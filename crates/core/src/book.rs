//! What a connection remembers besides its agent's own state: its sessions, and what became of every line.

use interlinear_schema::EventData;

use crate::api::{Agent, Form, KindStats, Stats};
use crate::emit::Session;
use crate::map::Map;
use crate::sink::Outcome;
use crate::state::kept;
use crate::wire::Drifts;

kept! {
    #[derive(Debug)]
    pub(crate) struct Book {
        pub(crate) agent: Agent,
        pub(crate) form: Form,
        pub(crate) include_raw: bool,
        /// What the host knows about the session: the members of a JSON object.
        pub(crate) host_metadata: String,
        /// What the identifiers of further sessions begin with.
        pub(crate) prefix: String,
        /// There is always one; it is given to the first that comes.
        pub(crate) sessions: Vec<Session>,
        /// The clock, in milliseconds since 1970.
        pub(crate) now: i64,
        pub(crate) stats: Counts,
        pub(crate) drift: Drifts,
        /// Lines that must be written to the agent because of what it said.
        pub(crate) writes: Vec<String>,
    }
}

impl Book {
    /// The sessions that the end of the process ends; without any, the one that shows what there was.
    pub(crate) fn to_be_ended(&self) -> Vec<usize> {
        let open: Vec<_> = (0..self.sessions.len()).filter(|at| self.sessions[*at].is_running()).collect();
        let none = open.is_empty() && !self.sessions.iter().any(Session::has_ended);
        if none { vec![0] } else { open }
    }

    /// The metadata of `session.started`.
    pub(crate) fn metadata(&self) -> String {
        let form = self.form.as_str();
        let more = if self.host_metadata.is_empty() { "" } else { "," };
        format!("{{\"agent\":\"{}\",\"form\":\"{form}\"{more}{}}}", self.agent.as_str(), self.host_metadata)
    }

    pub(crate) fn agent_name(&self) -> &'static str {
        self.agent.as_str()
    }
}

kept! {
    /// Running counts.
    #[derive(Debug, Default)]
    pub(crate) struct Counts {
        pub(crate) lines: u64,
        /// Lines of the sessions before this one in the same transcript.
        pub(crate) before: u64,
        pub(crate) bytes: u64,
        pub(crate) cut: u64,
        pub(crate) unparsed: u64,
        /// Events by type; a short list whose frequent entries come to stand in front.
        events: Vec<(String, u64)>,
        kinds: Map<String, KindStats>,
    }
}

/// So many different kinds of lines are told apart; more are counted together.
const MOST_KINDS: usize = 500;

impl Counts {
    pub(crate) fn count_event(&mut self, data: &EventData<'_>) {
        let name = data.type_name();
        match self.events.iter().position(|(known, _)| known == name) {
            Some(index) => {
                self.events[index].1 += 1;
                if index > 0 && self.events[index].1 > self.events[index - 1].1 {
                    self.events.swap(index, index - 1);
                }
            }
            None => self.events.push((name.to_owned(), 1)),
        }
    }

    /// The number of the line that is being read.
    pub(crate) fn number(&self) -> u64 {
        self.before + self.lines
    }

    pub(crate) fn count_line(&mut self, direction: &str, kind: &str, outcome: Outcome<'_>) {
        let mut name = String::with_capacity(direction.len() + kind.len() + 1);
        name.push_str(direction);
        name.push(' ');
        name.push_str(kind);
        if self.kinds.len() >= MOST_KINDS && !self.kinds.contains_key(&name) {
            name = format!("{direction} (others)");
        }
        let first_line = self.number();
        let new = || KindStats { kind: name.clone(), first_line, ..KindStats::default() };
        let entry = self.kinds.or_insert_with(name.clone(), new);
        entry.lines += 1;
        match outcome {
            Outcome::Mapped => entry.mapped += 1,
            Outcome::Ignored(reason) => *entry.ignored.or_default(reason.to_owned()) += 1,
            Outcome::Cut => self.cut += 1,
            Outcome::Unparsed => {}
        }
    }

    pub(crate) fn report(&self, drift: &Drifts) -> Stats {
        Stats {
            lines: self.lines,
            bytes: self.bytes,
            events: self.events.iter().cloned().collect(),
            kinds: self.kinds.values().cloned().collect(),
            cut: self.cut,
            unparsed: self.unparsed,
            drift: drift.report(),
        }
    }
}

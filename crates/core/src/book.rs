//! What a connection remembers besides its agent's own state: its sessions, and what became of every line.

use interlinear_schema::EventData;
use interlinear_schema::table::{mixed, same};

use crate::api::{Agent, Form, KindStats, Stats};
use crate::emit::Session;
use crate::map::Map;
use crate::sink::Outcome;
use crate::state::{Passing, kept};
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
        /// So many of the first ones are over, as far as that was looked at.
        pub(crate) over: Passing<usize>,
        /// Whether a second session of the agent is refused.
        pub(crate) single: bool,
        /// The clock, in milliseconds since 1970.
        pub(crate) now: i64,
        pub(crate) stats: Counts,
        pub(crate) drift: Drifts,
        /// Lines that must be written to the agent because of what it said.
        pub(crate) writes: Vec<String>,
        /// The kind of the line that is being read: one buffer for all lines.
        pub(crate) kind: Passing<String>,
        /// The identifier of the item that was the last to be known whole: one buffer for all items.
        pub(crate) item_id: Passing<String>,
    }
}

impl Book {
    /// Another line of this length is read.
    pub(crate) fn begin_line(&mut self, length: usize) {
        self.stats.lines += 1;
        self.stats.bytes += length as u64 + 1;
        self.drift.line = self.stats.number();
    }

    /// The first session that is not over. A server may have had thousands before it.
    pub(crate) fn first_open(&mut self) -> Option<usize> {
        let more = self.sessions.iter().skip(*self.over).take_while(|session| session.has_ended()).count();
        *self.over += more;
        Some(*self.over).filter(|first| *first < self.sessions.len())
    }

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
        /// Events by the place of their type in the list of types.
        events: Vec<u64>,
        kinds: Map<String, KindStats>,
        /// Where the name of a kind is put together.
        name: Passing<String>,
        /// The places of kinds that were counted lately, by a hash: there are not many.
        recent: Passing<[[u16; 32]; RECENT / 32]>,
    }
}

const RECENT: usize = 1024;

/// Where a kind is counted, as long as no other is found.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    at: usize,
    among: usize,
}

/// So many different kinds of lines are told apart; more are counted together.
const MOST_KINDS: usize = 500;

impl Counts {
    pub(crate) fn count_event(&mut self, data: &EventData<'_>) {
        if let Some(place) = data.place() {
            self.count_type(place);
        }
    }

    pub(crate) fn count_delta(&mut self) {
        self.count_type(EventData::DELTA);
    }

    fn count_type(&mut self, place: usize) {
        if place >= self.events.len() {
            self.events.resize(place + 1, 0);
        }
        self.events[place] += 1;
    }

    /// The number of the line that is being read.
    pub(crate) fn number(&self) -> u64 {
        self.before + self.lines
    }

    /// The place of a kind among the others; it is given one if it has none.
    fn find_kind(&mut self, direction: &str, kind: &str) -> usize {
        let is_it = |name: &String| {
            let (before, rest) = name.as_bytes().split_at(name.len().min(direction.len() + 1));
            // No two directions begin alike.
            same(rest, kind.as_bytes()) && before.first() == direction.as_bytes().first()
        };
        // Many kinds begin and end alike.
        let mixed = mixed(kind.as_bytes()) ^ (kind.len() as u64).rotate_right(RECENT.ilog2());
        let slot = (mixed >> (u64::BITS - RECENT.ilog2())) as usize;
        let recent = self.recent.as_flattened()[slot];
        if self.kinds.keys().as_slice().get(usize::from(recent)).is_some_and(is_it) {
            return usize::from(recent);
        }
        self.name.clear();
        self.name.push_str(direction);
        self.name.push(' ');
        self.name.push_str(kind);
        let known = self.kinds.position(self.name.as_str());
        let place = known.unwrap_or_else(|| self.new_kind(direction));
        self.recent.as_flattened_mut()[slot] = place as u16;
        place
    }

    /// A kind that is counted for the first time: the one whose name was put together.
    fn new_kind(&mut self, direction: &str) -> usize {
        if self.kinds.len() >= MOST_KINDS {
            self.name.truncate(direction.len());
            self.name.push_str(" (others)");
        }
        if !self.kinds.contains_key(self.name.as_str()) {
            let new = KindStats { kind: self.name.clone(), first_line: self.number(), ..KindStats::default() };
            self.kinds.insert(self.name.clone(), new);
        }
        self.kinds.position(self.name.as_str()).unwrap_or_default()
    }

    /// The same, to be counted with from here on.
    pub(crate) fn place_of(&mut self, direction: &str, kind: &str) -> Place {
        Place { at: self.find_kind(direction, kind), among: self.kinds.len() }
    }

    pub(crate) fn count_line(&mut self, direction: &str, kind: &str, outcome: Outcome<'_>) {
        let at = self.find_kind(direction, kind);
        self.count_at(at, outcome);
    }

    /// Counts a line that the agent wrote, of a kind whose place was asked for.
    pub(crate) fn count_again(&mut self, kind: &str, place: Place, outcome: Outcome<'_>) {
        if place.among == self.kinds.len() {
            self.count_at(place.at, outcome);
        } else {
            self.count_line("out", kind, outcome);
        }
    }

    fn count_at(&mut self, at: usize, outcome: Outcome<'_>) {
        let Some(entry) = self.kinds.values_mut().into_slice().get_mut(at) else { return };
        entry.lines += 1;
        match outcome {
            Outcome::Mapped => entry.mapped += 1,
            Outcome::Ignored(reason) => {
                // A kind has a reason or two.
                let known = entry.ignored.iter_mut().find(|(known, _)| same(known.as_bytes(), reason.as_bytes()));
                match known {
                    Some((_, count)) => *count += 1,
                    None => {
                        entry.ignored.insert(reason.to_owned(), 1);
                    }
                }
            }
            Outcome::Cut => self.cut += 1,
            Outcome::Unparsed => {}
        }
    }

    pub(crate) fn report(&self, drift: &Drifts) -> Stats {
        Stats {
            lines: self.lines,
            bytes: self.bytes,
            events: EventData::TYPES
                .iter()
                .zip(&self.events)
                .filter(|(_, count)| **count > 0)
                .map(|(name, count)| ((*name).to_owned(), *count))
                .collect(),
            kinds: self.kinds.values().cloned().collect(),
            cut: self.cut,
            unparsed: self.unparsed,
            drift: drift.report(),
        }
    }
}

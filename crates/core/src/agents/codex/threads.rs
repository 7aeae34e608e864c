//! Threads: which session and which subagent a line is of.

use super::items::Place;
use super::state::{Held, State, Thread};
use crate::emit::Emit;
use crate::json::{Tape, Value};

/// So many lines, and so many bytes, wait for the link of their thread.
const MOST_LINES: usize = 2000;
const MOST_BYTES: usize = 8 << 20;

impl State {
    /// A thread that is a session's own. `session` is the one that it was opened for, if that is known.
    pub(super) fn open_thread<'p>(&mut self, id: &'p str, session: Option<usize>, emit: &mut Emit<'_>) -> Place<'p> {
        if let Some(place) = self.place(id, emit) {
            return place;
        }
        let session = match session {
            Some(session) => {
                emit.select(session);
                emit.native_session(id);
                session
            }
            None => emit.route(id),
        };
        self.threads.insert(id.to_owned(), Thread { session, ..Thread::default() });
        self.release(id, emit);
        Place { thread: id, agent: None, turn: None }
    }

    /// A thread that is known; events go to its session from here on.
    pub(super) fn place<'p>(&self, id: &'p str, emit: &mut Emit<'_>) -> Option<Place<'p>> {
        let thread = self.threads.get(id)?;
        emit.select(thread.session);
        Some(Place { thread: id, agent: thread.agent.clone(), turn: None })
    }

    /// The same for a line of any thread. Where nobody has told whose thread it is, the line waits.
    pub(super) fn enter<'p>(
        &mut self,
        id: &'p str,
        is_root: bool,
        line: Value<'_>,
        emit: &mut Emit<'_>,
    ) -> Option<Place<'p>> {
        if let Some(place) = self.place(id, emit) {
            return Some(place);
        }
        let held = self.held.iter().filter(|held| held.thread == id);
        let (lines, bytes) = held.fold((0, 0), |(lines, bytes), held| (lines + 1, bytes + held.line.len()));
        if self.threads.is_empty() || is_root || lines >= MOST_LINES || bytes >= MOST_BYTES {
            return Some(self.open_thread(id, None, emit));
        }
        self.hold(id, line, None, emit);
        None
    }

    pub(super) fn hold(&mut self, id: &str, line: Value<'_>, at: Option<i64>, emit: &mut Emit<'_>) {
        self.held.push(Held { thread: id.to_owned(), line: line.raw().to_owned(), at });
        emit.ignore("waits for its thread");
    }

    /// A thread is a subagent's: `call` has started it.
    pub(super) fn link(&mut self, id: &str, call: &str, emit: &mut Emit<'_>) {
        if id.is_empty() || self.threads.contains_key(id) {
            return;
        }
        let (session, agent) = (emit.selected(), Some(call.to_owned()));
        self.threads.insert(id.to_owned(), Thread { session, agent, ..Thread::default() });
        self.release(id, emit);
    }

    /// The lines that have waited for this thread.
    fn release(&mut self, id: &str, emit: &mut Emit<'_>) {
        if !self.held.iter().any(|held| held.thread == id) {
            return;
        }
        let all = std::mem::take(&mut self.held);
        let (mine, others): (Vec<_>, Vec<_>) = all.into_iter().partition(|held| held.thread == id);
        self.held = others;
        let file = std::mem::replace(&mut self.current, id.to_owned());
        for held in mine {
            let mut tape = Tape::default();
            let Ok(value) = tape.read(&held.line) else { continue };
            if let Some(at) = held.at {
                emit.at(at);
            }
            emit.again(&held.line, |emit| self.line(value, emit));
        }
        self.current = file;
    }

    /// Nothing more will come: threads that nobody has accounted for belong to the session at hand.
    pub(super) fn release_all(&mut self, emit: &mut Emit<'_>) {
        while let Some(held) = self.held.first() {
            let id = held.thread.clone();
            if self.threads.is_empty() {
                let session = emit.selected();
                self.open_thread(&id, Some(session), emit);
            } else {
                self.link(&id, &id, emit);
            }
            self.held.retain(|held| held.thread != id);
        }
    }
}

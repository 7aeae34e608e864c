//! What calls are named by, where their identifiers are given out again: servers may number the calls of each answer
//! anew, and each subagent has a conversation of its own. A call whose identifier another one had gets a number, and lines
//! mean the last one.

use std::borrow::Cow;

use crate::emit::Emit;
use crate::state::kept;

kept! {
    /// The calls that have a number. Mostly there are none.
    #[derive(Debug, Default)]
    pub(super) struct CallIds {
        again: Vec<Again>,
    }
}

kept! {
    #[derive(Debug, Default)]
    struct Again {
        /// The agent's identifier.
        native: String,
        /// Whose call it is.
        agent: Option<String>,
        /// It starts a subagent, which goes by the same identifier.
        starts: bool,
        id: String,
    }
}

impl CallIds {
    /// The call that an agent means. One that was never given again keeps its identifier.
    pub(super) fn of<'n>(&self, native: &'n str, agent: Option<&str>) -> Cow<'n, str> {
        self.last(native, |again| again.agent.as_deref() == agent)
    }

    /// The call that has this result. Without an identifier it is the first that waits for one.
    pub(super) fn of_result<'n>(&self, native: &'n str, agent: Option<&str>, emit: &Emit<'_>) -> Cow<'n, str> {
        let waits = |again: &&Again| {
            again.native.is_empty() && again.agent.as_deref() == agent && emit.awaits_result(&again.id)
        };
        let first = self.again.iter().find(waits).filter(|_| native.is_empty());
        first.map_or_else(|| self.of(native, agent), |again| Cow::Owned(again.id.clone()))
    }

    /// The call that started a subagent.
    pub(super) fn of_agent<'n>(&self, native: &'n str) -> Cow<'n, str> {
        self.last(native, |again| again.starts)
    }

    /// The call that waits for its result, whoever called.
    pub(super) fn waiting<'n>(&self, native: &'n str, emit: &Emit<'_>) -> Option<Cow<'n, str>> {
        Some(self.last(native, |again| emit.awaits_result(&again.id))).filter(|id| emit.awaits_result(id))
    }

    /// Whether a call goes by this identifier.
    pub(super) fn names(&self, native: &str, id: &str) -> bool {
        native == id || self.again.iter().any(|again| again.native == native && again.id == id)
    }

    fn last<'n>(&self, native: &'n str, is_it: impl Fn(&Again) -> bool) -> Cow<'n, str> {
        let found = self.again.iter().rev().find(|again| again.native == native && is_it(again));
        found.map_or(Cow::Borrowed(native), |again| Cow::Owned(again.id.clone()))
    }

    /// The call that an agent is about to begin: the one that waits for its result is meant again, else it is another
    /// one.
    pub(super) fn begins<'n>(
        &mut self,
        native: &'n str,
        agent: Option<&str>,
        starts: bool,
        emit: &Emit<'_>,
    ) -> Cow<'n, str> {
        let known = self.of(native, agent);
        // One without an identifier is given one.
        if !native.is_empty() && (!emit.has_begun(&known) || emit.awaits_result_of(&known, agent)) {
            return known;
        }
        self.number(native, agent, starts, emit)
    }

    #[cold]
    fn number(&mut self, native: &str, agent: Option<&str>, starts: bool, emit: &Emit<'_>) -> Cow<'static, str> {
        let mut id = emit.fresh_call_id(native);
        // Another agent's may be given already, but not begun.
        while self.again.iter().any(|again| again.id == id) {
            id = emit.fresh_call_id(&[&*id, "_2"].concat());
        }
        let agent = agent.map(str::to_owned);
        self.again.push(Again { native: native.to_owned(), agent, starts, id: id.clone() });
        Cow::Owned(id)
    }

    /// Calls that are over need not be known any more.
    pub(super) fn keep(&mut self, goes_on: impl Fn(&str) -> bool) {
        self.again.retain(|again| goes_on(&again.id));
    }
}

//! Turns: from a prompt, or from the agent's own start, to its being idle with nothing left open.

use std::borrow::Cow;

use interlinear_schema::{StatusLabel, StatusPart, Text, TurnMetadata, TurnStatus, Usage};

use super::state::{State, Turn};
use super::wire::Status;
use crate::emit::Emit;
use crate::hash;
use crate::json::{Tape, Value};

/// So long after the agent was idle the last words of a turn may come, in milliseconds. Where the stream has lost
/// them, they never do.
const LAST_WORDS: i64 = 5000;

impl State {
    pub(super) fn status(&mut self, session: &str, status: &Status<'_>, value: Value<'_>, emit: &mut Emit<'_>) {
        self.settle_prompt(session, emit);
        let agent = self.agent_of(session);
        match status.r#type.unwrap_or_default() {
            "idle" => self.idle(session, emit),
            "busy" => {
                self.native(session).turn.retrying = false;
                if agent.is_none() {
                    self.begin_turn(session, None, false, emit);
                }
                emit.ignore("nothing new");
            }
            "retry" => {
                self.native(session).turn.retrying = true;
                self.cut_attempt(session, emit);
                self.retry(status.attempt, status.message.as_ref(), value, agent.as_deref(), emit);
            }
            word => {
                emit.book.drift.note(crate::api::DriftKind::Value, "session.status.type", word);
                emit.status(StatusLabel::Notice, Some(Text::from(word)), agent.as_deref());
            }
        }
    }

    /// A request to the model's service is repeated.
    pub(super) fn retry(
        &mut self,
        attempt: Option<u64>,
        message: Option<&Text<'_>>,
        value: Value<'_>,
        agent: Option<&str>,
        emit: &mut Emit<'_>,
    ) {
        let attempt = attempt.map(|attempt| format!("attempt {attempt}")).unwrap_or_default();
        let why = message.map(|message| format!(": {}", in_words(message))).unwrap_or_default();
        let detail = Some(Text::from(format!("{attempt}{why}")));
        let part = StatusPart { label: StatusLabel::Retry, detail, ..StatusPart::default() };
        emit.status_with(part, Some(value.json()), agent, false);
    }

    /// A turn begins, unless one is open. One that was over but for a last word is ended first.
    pub(super) fn begin_turn(&mut self, session: &str, began: Option<i64>, synthetic: bool, emit: &mut Emit<'_>) {
        if self.native(session).turn.idle.is_some() {
            self.close_turn(session, true, emit);
        }
        if emit.session().turn_id().is_none() {
            let model = self.native(session).turn.model.take();
            self.native(session).turn = Turn { model, ..Turn::default() };
            self.native(session).told = None;
        }
        let turn = &mut self.native(session).turn;
        turn.began = turn.began.or(began);
        emit.begin_turn(None, synthetic);
    }

    /// The agent has nothing more to do. The turn is over if nothing of it is open.
    pub(super) fn idle(&mut self, session: &str, emit: &mut Emit<'_>) {
        self.settle(session, emit);
        if let Some(agent) = self.agent_of(session) {
            if emit.is_background(&agent) {
                emit.end_background(&agent);
            }
            emit.ignore("shown by its call");
            return;
        }
        if emit.session().turn_id().is_none() {
            emit.ignore("nothing new");
        } else if self.awaits_last_words(session) {
            let due = emit.book.now.saturating_add(LAST_WORDS);
            self.native(session).turn.idle.get_or_insert(due);
            emit.ignore("something is still open");
        } else {
            self.end_turn(session, emit);
        }
    }

    /// The turn was said to be over while something was open: it is over when nothing is any more. Older versions do
    /// not say so again.
    pub(super) fn end_if_idle(&mut self, session: &str, emit: &mut Emit<'_>) {
        let Some(native) = self.sessions.get(session) else { return };
        if native.turn.idle.is_some() && native.agent.is_none() && !self.has_open(session) {
            emit.select(native.index);
            self.end_turn(session, emit);
        }
    }

    /// Whether the agent, which is idle, has still to say how something ended. A tool ends before its message does: of
    /// one that seems to run on, the end was missed.
    fn awaits_last_words(&self, session: &str) -> bool {
        self.has_open_message(session)
            || self.tools.values().any(|tool| tool.session == session && !self.is_done(&tool.message))
    }

    fn has_open_message(&self, session: &str) -> bool {
        self.messages.values().any(|message| message.item.is_some() && message.session == session)
    }

    pub(super) fn has_open(&self, session: &str) -> bool {
        self.has_open_message(session) || self.tools.values().any(|tool| tool.session == session)
    }

    /// The turn is over; what is still open in it will not be finished.
    pub(super) fn end_turn(&mut self, session: &str, emit: &mut Emit<'_>) {
        self.close_turn(session, false, emit);
    }

    /// Another prompt follows in a stored session: the turn before was over by then.
    pub(super) fn close_stored_turn(&mut self, session: &str, emit: &mut Emit<'_>) {
        let now = emit.book.now;
        emit.at(self.native(session).turn.last.unwrap_or_default());
        self.close_turn(session, true, emit);
        emit.at(now);
    }

    /// A turn is over; `synthetic`: the agent does not say so itself.
    pub(super) fn close_turn(&mut self, session: &str, synthetic: bool, emit: &mut Emit<'_>) {
        self.tell_stored_changes(session, emit);
        self.show_all_waiting(session, emit);
        let turn = std::mem::take(&mut self.native(session).turn);
        self.native(session).turn.model = turn.model.clone();
        let status = if turn.interrupted {
            TurnStatus::Interrupted
        } else if turn.failed {
            TurnStatus::Failed
        } else {
            TurnStatus::Completed
        };
        let usage = turn.tokens.map(|[input, output, read, write, reasoning]| Usage {
            input_tokens: Some(input),
            output_tokens: Some(output),
            cache_read_tokens: Some(read),
            cache_write_tokens: Some(write),
            reasoning_tokens: Some(reasoning),
            cost_usd: turn.cost.map(|cost| (cost * 1e9).round() / 1e9),
            ..Usage::default()
        });
        let duration = turn.began.zip(turn.last).and_then(|(began, last)| u64::try_from(last.checked_sub(began)?).ok());
        let metadata = TurnMetadata {
            status: Some(status),
            usage,
            context_used: turn.context_used,
            context_window: self.native(session).acp.window,
            model: turn.model.map(Cow::Owned),
            stop_reason: turn.stop_reason.map(Cow::Owned),
            duration_ms: duration,
            ..TurnMetadata::default()
        };
        emit.end_turn(&metadata, synthetic);
        self.forget_open(session);
    }

    /// Shows the words of a session that have waited: nothing more will come of their parts.
    pub(super) fn show_all_waiting(&mut self, session: &str, emit: &mut Emit<'_>) {
        let of_this = self.messages.iter().filter(|(_, message)| message.session == session);
        let waits = of_this.filter(|(_, message)| message.parts.iter().any(|part| part.waits));
        let ids: Vec<_> = waits.map(|(id, _)| id.clone()).collect();
        for id in ids {
            self.show_waiting(&id, emit);
        }
    }

    /// What the turn's end has closed is late from here on.
    fn forget_open(&mut self, session: &str) {
        let mut done = Vec::new();
        self.messages.retain(|id, message| {
            if message.session != session {
                return true;
            }
            // What nothing was said in may still be on its way, but not for ever.
            let over = message.item.is_some() || std::mem::replace(&mut message.overdue, true);
            if over {
                done.push(id.clone());
            }
            !over
        });
        self.tools.retain(|id, tool| {
            let over = tool.session == session;
            if over {
                done.push(id.clone());
            }
            !over
        });
        for id in &done {
            self.done.insert(hash::id(id.as_bytes()));
        }
        self.requests.retain(|_, pending| pending.session != session);
    }
}

/// What a service said, which is JSON at times.
fn in_words(message: &Text<'_>) -> String {
    let text = message.to_str_lossy();
    let mut tape = Tape::default();
    let object = tape.read(&text).ok().filter(|value| value.is_object());
    let inner = object.and_then(|object| object.get("error").filter(|error| error.is_object()).or(Some(object)));
    let words = inner.and_then(|inner| inner.get("message")).and_then(Value::str);
    words.map_or_else(|| text.clone().into_owned(), str::to_owned)
}

//! Turns: when they begin, and when they are really over. `agent_end` is not the end: a retry, a compaction or a
//! further run may follow.

use std::borrow::Cow;

use interlinear_schema::{ErrorData, ItemStatus, Json, PermissionStatus, Text, TurnMetadata, TurnStatus, Usage};

use super::state::{Failure, HostRequest, Rest, State};
use super::wire::{AgentEnd, Message, Settled};
use crate::emit::Emit;

/// So long after `agent_end` nothing must come for the turn to be over, in milliseconds. Newer versions say so.
const SILENCE: i64 = 250;

/// So long after a prompt was accepted, and after whatever comes then, a run may be waited for. Commands of extensions
/// begin none; before a run, extensions may have something to do.
const NO_RUN: i64 = 5000;

fn silence(emit: &Emit<'_>) -> Rest {
    Rest::Silence(emit.book.now.saturating_add(SILENCE))
}

fn no_run(emit: &Emit<'_>) -> Rest {
    Rest::NoRun(emit.book.now.saturating_add(NO_RUN))
}

impl State {
    /// The host has prompted the agent.
    pub(super) fn prompted(&mut self, text: &str, emit: &mut Emit<'_>) {
        if self.rest != Rest::Settled {
            emit.begin_turn(None, true);
            self.says(text, emit);
        }
    }

    pub(super) fn agent_start(&mut self, emit: &mut Emit<'_>) {
        self.began_again = matches!(self.rest, Rest::Silence(_)) && !self.told;
        self.tell_failure(None, emit);
        self.running = true;
        self.retrying = false;
        self.rest = Rest::No;
        emit.begin_turn(None, false);
        emit.ignore("start of a run");
    }

    /// A prompt of the user: where nobody tells what the host sends, it shows that another turn has begun.
    pub(super) fn prompt_shown(&mut self, emit: &mut Emit<'_>) {
        if std::mem::take(&mut self.began_again) {
            self.end_turn(true, emit);
            self.running = true;
        }
        emit.begin_turn(None, true);
    }

    pub(super) fn agent_end(&mut self, line: &AgentEnd<'_>, emit: &mut Emit<'_>) {
        self.running = false;
        if self.turn.aborted {
            self.dismiss_all(emit);
        }
        self.settles |= line.will_retry.is_some();
        if line.will_retry.is_some() {
            self.tell_failure(line.will_retry.filter(|will| *will), emit);
        }
        self.rest = if self.settles { Rest::Settled } else { silence(emit) };
        emit.ignore("end of a run");
    }

    pub(super) fn settled(&mut self, line: &Settled<'_>, emit: &mut Emit<'_>) {
        self.settles = true;
        self.running = false;
        self.turn.interrupted = line.aborted == Some(true);
        emit.ignore("nothing new");
        self.end_turn(false, emit);
        // A prompt may have been sent before the agent said that it is idle.
        let waits = |request: &&HostRequest| request.kind == "prompt" && !request.subject.is_empty();
        if let Some(text) = self.requests.iter().find(waits).map(|request| request.subject.clone()) {
            emit.begin_turn(None, true);
            self.says(&text, emit);
        }
    }

    /// A retry or a compaction is under way: however long it takes, the turn is not over.
    pub(super) fn goes_on(&mut self) {
        if !self.running && matches!(self.rest, Rest::Silence(_)) {
            self.rest = Rest::GoesOn;
        }
    }

    /// There will be no retry (any more).
    pub(super) fn retry_is_over(&mut self, emit: &Emit<'_>) {
        if !self.running && self.rest == Rest::GoesOn {
            self.rest = silence(emit);
        }
    }

    /// A prompt was accepted. Most begin a run at once; commands of extensions need not, and newer versions say so.
    pub(super) fn prompt_accepted(&mut self, disposition: Option<&str>, emit: &mut Emit<'_>) {
        let waits = self.requests.iter().any(|request| request.kind == "prompt");
        if self.running || waits || self.rest != Rest::No || emit.session().turn_id().is_none() {
            return;
        }
        match disposition {
            Some("handled") => self.end_turn(false, emit),
            Some("started" | "queued") => {}
            _ => self.rest = no_run(emit),
        }
    }

    /// A prompt was refused: if the turn was begun for it, it is over.
    pub(super) fn prompt_refused(&mut self, emit: &mut Emit<'_>) {
        let waits = self.requests.iter().any(|request| request.kind == "prompt");
        if !self.running && !waits && self.rest == Rest::No {
            self.turn.refused = true;
            self.end_turn(true, emit);
        }
    }

    /// The agent has written something: the silence begins anew.
    pub(super) fn listen(&mut self, emit: &Emit<'_>) {
        match self.rest {
            Rest::Silence(_) => self.rest = silence(emit),
            Rest::NoRun(_) => self.rest = no_run(emit),
            _ => {}
        }
    }

    /// When the turn is over if nothing comes until then. What is open will come to something.
    fn ends_at(&self) -> Option<i64> {
        match self.rest {
            Rest::Silence(until) | Rest::NoRun(until) if self.dialogs.is_empty() && self.compaction.is_none() => {
                Some(until)
            }
            _ => None,
        }
    }

    /// The host commands something: a turn whose end was only waited for is over.
    pub(super) fn host_speaks(&mut self, emit: &mut Emit<'_>) {
        if self.ends_at().is_some() {
            self.end_turn(true, emit);
        }
    }

    /// When something will happen by itself: a turn ends, a dialog is dismissed.
    pub(super) fn next_deadline(&self) -> Option<i64> {
        self.dialogs.iter().filter_map(|dialog| dialog.until).chain(self.ends_at()).min()
    }

    /// The run was aborted: nobody waits for an answer any more, and the agent does not say so.
    pub(super) fn dismiss_all(&mut self, emit: &mut Emit<'_>) {
        for dialog in std::mem::take(&mut self.dialogs) {
            emit.resolve(&dialog.event_id, PermissionStatus::Reject, None, true);
        }
    }

    /// Time has passed.
    pub(super) fn expire(&mut self, emit: &mut Emit<'_>) {
        let now = emit.book.now;
        while let Some(index) = self.dialogs.iter().position(|dialog| dialog.until.is_some_and(|until| until <= now)) {
            let dialog = self.dialogs.remove(index);
            emit.resolve(&dialog.event_id, PermissionStatus::Reject, None, true);
            self.listen(emit);
        }
        if self.ends_at().is_some_and(|until| until <= now) {
            self.end_turn(true, emit);
        }
    }

    /// The turn is over.
    pub(super) fn end_turn(&mut self, synthetic: bool, emit: &mut Emit<'_>) {
        self.show_said(emit);
        self.tell_failure(None, emit);
        if let Some(message) = self.message.take() {
            emit.complete(message.item, ItemStatus::Failed, true);
        }
        self.rest = Rest::No;
        self.running = false;
        self.dialogs.clear();
        self.calls.clear();
        let metadata = self.turn_metadata();
        emit.end_turn(&metadata, synthetic);
    }

    fn turn_metadata(&mut self) -> TurnMetadata<'static> {
        let turn = std::mem::take(&mut self.turn);
        let status = match turn.stop_reason.as_deref() {
            _ if turn.refused => TurnStatus::Failed,
            _ if turn.interrupted => TurnStatus::Interrupted,
            Some("aborted") => TurnStatus::Interrupted,
            Some("error") if turn.aborted => TurnStatus::Interrupted,
            Some("error") => TurnStatus::Failed,
            _ => TurnStatus::Completed,
        };
        let usage = turn.usage.map(|[input, output, cache_read, cache_write, reasoning]| Usage {
            input_tokens: Some(input),
            output_tokens: Some(output),
            cache_read_tokens: Some(cache_read),
            cache_write_tokens: Some(cache_write),
            reasoning_tokens: Some(reasoning).filter(|count| *count > 0),
            cost_usd: Some((turn.cost * 1e9).round() / 1e9),
            ..Usage::default()
        });
        TurnMetadata {
            status: Some(status),
            usage,
            context_used: turn.context_used,
            context_window: self.context_window,
            model: turn.model.map(Cow::Owned),
            stop_reason: turn.stop_reason.map(Cow::Owned),
            ..TurnMetadata::default()
        }
    }

    /// What an answer of the main agent tells about the turn.
    pub(super) fn note_answer(&mut self, message: &Message<'_>, emit: &mut Emit<'_>) {
        self.turn.stop_reason = message.stop_reason.map(str::to_owned);
        self.answers(message, emit);
        if let Some(usage) = &message.usage {
            let counts = [usage.input, usage.output, usage.cache_read, usage.cache_write, usage.reasoning];
            let sums = self.turn.usage.get_or_insert_default();
            for (sum, count) in sums.iter_mut().zip(counts) {
                *sum = sum.saturating_add(count.unwrap_or(0));
            }
            self.turn.cost += usage.cost.as_ref().and_then(|cost| cost.total).unwrap_or(0.0);
            self.turn.context_used = usage.total.filter(|total| *total > 0).or(self.turn.context_used);
        }
        if message.stop_reason == Some("error") {
            let error = message.error.as_ref().map(|error| error.to_str_lossy().into_owned());
            let message = error.unwrap_or_else(|| "the model failed".to_owned());
            self.failure = Some(Failure { message, cause: emit.kept_cause() });
        } else {
            self.last_error = None;
        }
    }

    /// The model that answers is that of the turn.
    pub(super) fn answers(&mut self, message: &Message<'_>, emit: &mut Emit<'_>) {
        let model = self.note_model(message.provider, message.model, emit);
        self.turn.model = model.or(self.turn.model.take());
    }

    /// The model in use, as `set_model` takes it.
    pub(super) fn note_model(
        &mut self,
        provider: Option<&str>,
        model: Option<&str>,
        emit: &mut Emit<'_>,
    ) -> Option<String> {
        let name = [provider?, "/", model?].concat();
        self.provider = provider.map(str::to_owned);
        emit.learn(&[("model", Some(Json::of(name.as_str())))]);
        Some(name)
    }

    /// An answer has failed, and it is known by now whether it will be repeated.
    pub(super) fn tell_failure(&mut self, will_retry: Option<bool>, emit: &mut Emit<'_>) {
        let Some(Failure { message, cause }) = self.failure.take() else { return };
        let error = ErrorData {
            message: Text::from(message.as_str()),
            code: Some("model_error".into()),
            will_retry,
            ..ErrorData::default()
        };
        emit.caused_by(cause, |emit| emit.error(error));
        self.last_error = Some(message);
    }
}

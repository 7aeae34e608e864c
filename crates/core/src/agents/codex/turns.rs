//! Turns: their ends, what they used, what went wrong in them.

use std::borrow::Cow;

use interlinear_schema::{ErrorData, Json, Text, TurnMetadata, TurnStatus, Usage};

use super::items::{Kind, Place};
use super::state::{Counts, State, Tally};
use super::tools;
use super::wire::{Failure, TokenUsage, Tokens};
use crate::emit::Emit;
use crate::json::Value;

/// How a turn ended.
pub(super) struct Ended<'a> {
    pub(super) id: Option<&'a str>,
    pub(super) status: TurnStatus<'static>,
    pub(super) error: Option<&'a Failure<'a>>,
    pub(super) duration_ms: Option<u64>,
    /// The agent does not say so itself.
    pub(super) synthetic: bool,
}

impl Ended<'_> {
    pub(super) fn with(status: TurnStatus<'static>) -> Self {
        Self { id: None, status, error: None, duration_ms: None, synthetic: false }
    }
}

impl State {
    /// A turn begins. One of a review begins under another name than it goes on with: the first stays.
    pub(super) fn turn_started(&mut self, id: Option<&str>, place: &Place<'_>, emit: &mut Emit<'_>) {
        let Some(thread) = self.threads.get_mut(place.thread) else { return };
        if thread.turn.is_some() {
            let another = thread.turn_told && id.is_some() && thread.turn.as_deref() != id;
            if !another || place.agent.is_some() {
                emit.ignore("the turn is open");
                return;
            }
            // The process was killed, and another one goes on with the thread.
            self.say(place, emit);
            self.show_unfinished(place, emit);
            let ended = Ended { synthetic: true, ..Ended::with(TurnStatus::Interrupted) };
            self.turn_completed(ended, place, emit);
        }
        self.open_turn(id, true, place);
        match &place.agent {
            Some(agent) => {
                emit.in_background(agent);
                emit.ignore("turn of a subagent");
            }
            None => begin(id, false, emit),
        }
    }

    /// Something happens in a turn whose beginning was not told.
    pub(super) fn ensure_turn(&mut self, id: Option<&str>, place: &Place<'_>, emit: &mut Emit<'_>) {
        let Some(thread) = self.threads.get_mut(place.thread) else { return };
        let Some(id) = id.filter(|id| thread.turn.is_none() && thread.last_turn.as_deref() != Some(*id)) else {
            return;
        };
        // A command of an earlier turn has come to its end: nothing begins.
        if place.agent.is_none() && emit.free_id(id) != id {
            return;
        }
        self.open_turn(Some(id), false, place);
        match &place.agent {
            Some(agent) => emit.in_background(agent),
            None => begin(Some(id), true, emit),
        }
    }

    fn open_turn(&mut self, id: Option<&str>, told: bool, place: &Place<'_>) {
        let Some(thread) = self.threads.get_mut(place.thread) else { return };
        (thread.turn, thread.turn_told) = (Some(id.unwrap_or_default().to_owned()), told);
        (thread.failed, thread.compacted) = (None, String::new());
    }

    /// A turn is over.
    pub(super) fn turn_completed(&mut self, ended: Ended<'_>, place: &Place<'_>, emit: &mut Emit<'_>) {
        let Ended { id, status, error, duration_ms, synthetic } = ended;
        let Some(thread) = self.threads.get_mut(place.thread) else { return };
        if thread.turn.is_none() && id.is_some() && thread.last_turn.as_deref() == id {
            emit.ignore("late");
            return;
        }
        let told = thread.failed.take().is_some_and(|told| error.is_some_and(|error| told == message(error)));
        // Nothing else is open when the model has had its say: such a command runs on in its terminal.
        thread.items.retain(|_, live| live.kind == Kind::Command && status != TurnStatus::Interrupted);
        for live in thread.items.values() {
            emit.let_run(&live.call_id);
        }
        let unknown = std::mem::take(&mut thread.unknown);
        thread.last_turn = thread.turn.take().or_else(|| id.map(str::to_owned));
        let usage = std::mem::take(&mut thread.usage.turn);
        let (context_used, context_window) = (thread.usage.context_used, thread.usage.window);
        let model = thread.rerouted.take().or_else(|| thread.model.clone());
        if place.agent.is_none() {
            begin(id, true, emit);
        }
        // What nobody knows and what has no end is shown as it began.
        for item in unknown.values() {
            emit.unknown(Json::from_text(item.as_str()), place.agent.as_deref());
        }
        if let Some(error) = error.filter(|_| status == TurnStatus::Failed && !told) {
            emit.error(error_data(error, Some(false), place));
        }
        if let Some(agent) = &place.agent {
            emit.end_background(agent);
            emit.ignore("turn of a subagent");
            return;
        }
        match (&status, error.and_then(|error| error.message.as_ref())) {
            (TurnStatus::Failed, Some(message)) => self.last_error = Some(message.to_str_lossy().into_owned()),
            (TurnStatus::Failed, None) => {}
            _ => self.last_error = None,
        }
        let metadata = TurnMetadata {
            status: Some(status),
            usage: (usage != Counts::default()).then(|| usage_of(usage)),
            context_used,
            context_window,
            model: model.map(Cow::Owned),
            duration_ms,
            ..TurnMetadata::default()
        };
        emit.end_turn(&metadata, synthetic);
    }

    /// Tokens that were used, as sums over the thread. Those of an earlier process are said again when it goes on.
    pub(super) fn tokens(&mut self, usage: &TokenUsage<'_>, turn: Option<&str>, place: &Place<'_>) {
        if let Some(thread) = self.threads.get_mut(place.thread) {
            let named = turn.is_none() || !thread.turn_told || thread.turn.as_deref() == turn;
            thread.usage.add(usage, named && thread.turn.is_some() && !thread.usage.restored);
        }
    }

    /// Something failed. What streamed of the model's answer will not be finished.
    pub(super) fn failure(&mut self, error: &Failure<'_>, retries: bool, place: &Place<'_>, emit: &mut Emit<'_>) {
        self.abandon_messages(place, emit);
        let Some(thread) = self.threads.get_mut(place.thread) else { return };
        if !retries {
            let told = thread.failed.replace(message(error));
            if told.is_some() && told == thread.failed {
                emit.ignore("repeated");
                return;
            }
        }
        if place.agent.is_none() && !retries {
            self.last_error = error.message.as_ref().map(|message| message.to_str_lossy().into_owned());
        }
        emit.error(error_data(error, Some(retries), place));
    }
}

/// Identifiers of turns are unique in their process only: one that comes again gets a number.
fn begin(id: Option<&str>, synthetic: bool, emit: &mut Emit<'_>) {
    if emit.session().turn_id().is_some() {
        return;
    }
    let fresh = id.filter(|id| !id.is_empty()).map(|id| emit.fresh_request_id(id));
    emit.begin_turn(fresh.as_deref(), synthetic);
}

fn message(error: &Failure<'_>) -> String {
    error.message.as_ref().map(|message| message.to_str_lossy().into_owned()).unwrap_or_default()
}

pub(super) fn error_data<'a>(error: &Failure<'a>, will_retry: Option<bool>, place: &'a Place) -> ErrorData<'a> {
    let code = error.info.and_then(|info| info.str().or_else(|| info.members().next().map(|(key, _)| key)));
    let code = code.map(|code| Cow::Owned(tools::camel(code)));
    let more = [("info", error.info.filter(|info| info.is_object())), ("more", error.more)];
    let more = more.iter().filter_map(|(key, value)| Some(["\"", key, "\":", (*value)?.raw()].concat()));
    let more = more.collect::<Vec<_>>().join(",");
    ErrorData {
        message: error.message.as_ref().map_or_else(|| Text::from("the turn failed"), Text::clone),
        code,
        details: (!more.is_empty()).then(|| Json::from_text(["{", &more, "}"].concat())),
        will_retry,
        agent_id: place.agent.as_deref().map(Cow::Borrowed),
        ..ErrorData::default()
    }
}

pub(super) fn counts(tokens: &Tokens<'_>) -> Counts {
    [tokens.input, tokens.cached, tokens.cache_write, tokens.output, tokens.reasoning].map(Option::unwrap_or_default)
}

impl Tally {
    /// The agent may say the same sums twice, and sets them back when the context overflows. What is not the turn's
    /// `own` is where its sums begin.
    fn add(&mut self, usage: &TokenUsage<'_>, own: bool) {
        if let Some(last) = &usage.last {
            self.context_used = last.all.or(self.context_used);
        }
        self.window = usage.window.or(self.window);
        let Some(sum) = usage.total.as_ref().map(counts) else { return };
        if !own {
            self.sum = Some(sum);
            return;
        }
        let last = usage.last.as_ref().map(counts).unwrap_or_default();
        let before = self.sum.unwrap_or_else(|| std::array::from_fn(|at| sum[at].saturating_sub(last[at])));
        for (at, turn) in self.turn.iter_mut().enumerate() {
            *turn = turn.saturating_add(sum[at].saturating_sub(before[at]));
        }
        self.sum = Some(sum);
    }
}

pub(super) fn usage_of([input, cached, cache_write, output, reasoning]: Counts) -> Usage<'static> {
    Usage {
        input_tokens: Some(input.saturating_sub(cached)),
        output_tokens: Some(output),
        cache_read_tokens: Some(cached),
        cache_write_tokens: Some(cache_write),
        reasoning_tokens: Some(reasoning),
        ..Usage::default()
    }
}

/// How a turn ended, in the agent's word.
pub(super) fn status(word: Option<&str>) -> TurnStatus<'static> {
    match word {
        Some("interrupted" | "aborted" | "cancelled") => TurnStatus::Interrupted,
        Some("failed") => TurnStatus::Failed,
        _ => TurnStatus::Completed,
    }
}

/// The approval policy as one word: rules one by one are an object.
pub(super) fn policy(value: Value<'_>) -> Json<'static> {
    let word = value.str().unwrap_or_else(|| value.members().next().map_or("", |(key, _)| key));
    Json::of(word)
}

//! Lines → events: which code reads which kind of line.

use std::borrow::Cow;

use interlinear_schema::{
    ContentPart, ErrorData, ItemKind, ItemRole, ItemStatus, Json, StatusLabel, StatusPart, Text, TextPart,
    TurnMetadata, TurnStatus, Usage,
};

use super::messages::in_turn;
use super::state::State;
use super::wire::{
    Assistant, ControlCancel, ControlRequest, ControlResponse, Line, Small, Stored, Stream, System, TurnResult, User,
};
use crate::agents::{Adapter, read, with};
use crate::api::{Channel, Command, Outgoing};
use crate::emit::{Emit, Spec};
use crate::hash;
use crate::json::Value;
use crate::time;

impl Adapter for State {
    fn receive(&mut self, line: Value<'_>, _: &Channel, emit: &mut Emit<'_>) {
        let head = Line::read(line, &mut emit.book.drift);
        match &head.subtype {
            Some(subtype) if head.kind == "system" || head.kind == "result" => emit.kind_of(head.kind, subtype),
            _ => emit.kind(head.kind),
        }
        if let Some(id) = head.session_id.filter(|id| !id.is_empty())
            && emit.session().native_id.is_none()
        {
            emit.native_session(id);
        }
        let agent = if self.stored { self.stored_line(line, emit) } else { None };
        self.dispatch(&head, agent, line, emit);
    }

    fn sent(&mut self, line: Value<'_>, channel: &Channel, emit: &mut Emit<'_>) {
        if *channel == Channel::Argv {
            emit.kind("arguments");
            emit.ignore("arguments");
            return;
        }
        self.told = true;
        let kind = line.get("type").and_then(Value::str).unwrap_or_default();
        emit.kind(kind);
        match kind {
            "user" => {
                if let Some(user) = read(line, emit) {
                    self.prompt_sent(&user, emit);
                }
            }
            "control_request" => {
                if let Some(request) = read(line, emit) {
                    self.host_request(&request, emit);
                }
            }
            "control_response" => {
                if let Some(response) = read(line, emit) {
                    self.host_response(&response, emit);
                }
            }
            "control_cancel_request" | "keep_alive" | "update_environment_variables" => emit.ignore("between programs"),
            _ => emit.unknown(line.json(), None),
        }
    }

    fn differ<'v>(&self, line: Value<'v>) -> Option<Vec<Value<'v>>> {
        // Stored entries refer to one another by it.
        Some(line.get("uuid").filter(|_| !self.stored).into_iter().collect())
    }

    fn command(&mut self, command: &Command, emit: &mut Emit<'_>, outgoing: &mut Vec<Outgoing>) {
        self.encode(command, emit, outgoing);
    }

    fn finish(&mut self, emit: &mut Emit<'_>) {
        self.complete_messages(|_, _| true, emit);
        if self.stored {
            self.end_stored_turn(emit);
        }
    }

    fn last_error(&self) -> Option<&str> {
        self.last_error.as_deref()
    }
}

impl State {
    /// What every stored entry says; the subagent that it belongs to.
    #[inline(never)]
    fn stored_line(&mut self, line: Value<'_>, emit: &mut Emit<'_>) -> Option<String> {
        let head = read::<Stored<'_>>(line, emit)?;
        stored_head(&head, emit);
        self.stored_agent(&head, line, emit)
    }

    fn dispatch(&mut self, head: &Line<'_>, agent: Option<String>, line: Value<'_>, emit: &mut Emit<'_>) {
        match head.kind {
            "assistant" => with::<Assistant<'_>>(line, emit, |assistant, emit| self.assistant(assistant, agent, emit)),
            "user" => with::<User<'_>>(line, emit, |user, emit| self.user(user, agent, emit)),
            "stream_event" => with::<Stream<'_>>(line, emit, |stream, emit| self.stream(stream, emit)),
            "result" => with::<TurnResult<'_>>(line, emit, |result, emit| self.result(result, emit)),
            "system" => with::<System<'_>>(line, emit, |system, emit| {
                let subtype = head.subtype.unwrap_or_default();
                self.system(subtype, system, head, line, agent, emit);
            }),
            "control_request" => {
                with::<ControlRequest<'_>>(line, emit, |request, emit| self.agent_request(request, line, emit));
            }
            "control_response" => {
                with::<ControlResponse<'_>>(line, emit, |response, emit| self.agent_response(response, emit));
            }
            "control_cancel_request" => {
                with::<ControlCancel<'_>>(line, emit, |cancel, emit| self.cancelled(cancel, emit));
            }
            kind => self.small(kind, line, agent, emit),
        }
    }

    /// Lines with nothing but a few words to them.
    fn small(&mut self, kind: &str, line: Value<'_>, agent: Option<String>, emit: &mut Emit<'_>) {
        let Some(small) = read::<Small<'_>>(line, emit) else { return };
        match kind {
            "rate_limit_event" => {
                let part = StatusPart { label: StatusLabel::RateLimit, ..StatusPart::default() };
                let info = small.rate_limit_info;
                let detail = info.and_then(|info| info.get("status")).and_then(Value::text);
                emit.status_with(StatusPart { detail, ..part }, info.map(Value::json), None, false);
            }
            "tool_use_summary" => emit.status(StatusLabel::Notice, small.summary, None),
            "prompt_suggestion" => emit.status(StatusLabel::Notice, small.suggestion, None),
            "conversation_reset" => {
                self.reset = true;
                emit.status(StatusLabel::Cleared, small.trigger, None);
            }
            "custom-title" => emit.title(small.custom_title),
            "ai-title" => emit.title(small.ai_title),
            "summary" => emit.title(small.summary),
            "permission-mode" => emit.facts(&[("mode", small.mode.map(Value::json))]),
            "attachment" => match small.attachment {
                Some(attachment) => self.attachment(attachment, small.uuid, agent, emit),
                None => emit.ignore("context for the model"),
            },
            "auth_status" | "session_writes_lost" | "active_goal" => {
                let part =
                    StatusPart { label: StatusLabel::Notice, detail: Some(kind.into()), ..StatusPart::default() };
                emit.status_with(part, Some(line.json()), None, false);
            }
            "tool_progress" | "keep_alive" | "control_request_progress" | "progress" => emit.ignore("heartbeat"),
            "command_lifecycle"
            | "post_turn_summary"
            | "task_summary"
            | "transcript_mirror"
            | "queue-operation"
            | "last-prompt"
            | "agent-name"
            | "mode"
            | "file-history-snapshot"
            | "worktree-state"
            | "api-request"
            | "api-request-shape"
            | "api-request-blob"
            | "cost-state"
            | "tools-used"
            | "atis-latch"
            | "agent-color"
            | "agent-setting"
            | "tag"
            | "pr-link"
            | "bridge-session"
            | "content-replacement"
            | "attribution-snapshot" => {
                emit.ignore("bookkeeping");
            }
            _ => emit.unknown(line.json(), agent.as_deref()),
        }
    }

    /// The end of a turn.
    fn result(&mut self, result: &TurnResult<'_>, emit: &mut Emit<'_>) {
        if result.uuid.as_ref().is_some_and(|uuid| !emit.first_time(hash::of_all(&["result", uuid]))) {
            emit.ignore("repeated");
            return;
        }
        emit.begin_turn(None, false);
        self.complete_messages(in_turn, emit);
        self.answer_of_single_object(result, emit);
        self.settle_undecided(result.permission_denials, emit);
        let subtype = result.subtype.unwrap_or("success");
        let stopped =
            |reason: &str| ["aborted", "cancelled", "interrupted"].iter().any(|word| reason.starts_with(word));
        let aborted = result.terminal_reason.is_some_and(stopped);
        let failed = result.is_error == Some(true) || subtype != "success";
        let status = if aborted || (self.turn.interrupted && subtype == "error_during_execution") {
            TurnStatus::Interrupted
        } else if failed {
            TurnStatus::Failed
        } else {
            TurnStatus::Completed
        };
        let message = result.why();
        if status == TurnStatus::Failed && !self.turn.failed {
            let code = if subtype == "success" { "error" } else { subtype };
            emit.error(ErrorData {
                message: message.map_or_else(|| Text::from(code), Text::borrow),
                code: Some(Cow::Borrowed(code)),
                details: result.api_error_status.map(Value::json),
                ..ErrorData::default()
            });
        }
        self.last_error = None;
        if status == TurnStatus::Failed {
            self.last_error = message.map(|message| message.to_str_lossy().into_owned());
        }
        let metadata = self.turn_metadata(result, status);
        emit.end_turn(&metadata, false);
        self.forget_turn(emit);
    }

    /// With `--output-format json` the result is all there is: it holds the answer.
    fn answer_of_single_object(&mut self, result: &TurnResult<'_>, emit: &mut Emit<'_>) {
        let failed = result.is_error == Some(true) || result.subtype != Some("success");
        let Some(text) = result.result.as_ref().filter(|text| !text.is_empty()) else { return };
        if self.initialised || self.turn.answered || failed {
            return;
        }
        let spec = Spec { kind: ItemKind::Message, role: Some(ItemRole::Assistant), ..Spec::default() };
        let part = TextPart { text: text.borrow(), ..TextPart::default() };
        emit.item(&spec, ItemStatus::Completed, vec![ContentPart::Text(part)], false);
    }

    fn turn_metadata(&mut self, result: &TurnResult<'_>, status: TurnStatus<'static>) -> TurnMetadata<'static> {
        let usage = result.usage.as_ref();
        let total = result.total_cost_usd;
        // Older versions give only sums over the process; one that falls began anew. The sums of a session that is
        // resumed begin with what it has cost before.
        let cost_of = |usage: Value<'_>| usage.get("costUSD").and_then(Value::f64).unwrap_or_default();
        let more = || total.map(|total| if total >= self.cost { total - self.cost } else { total });
        let own = result.since_last.map(|models| models.members().fold(0.0, |sum, (_, usage)| sum + cost_of(usage)));
        let cost = own.or_else(more);
        self.cost = total.unwrap_or(self.cost);
        let model = self.turn.model.take();
        let models = result.model_usage;
        let window = models.and_then(|models| {
            let of_model = |name: &str| model.as_deref().is_some_and(|model| name.starts_with(model));
            let found = models.members().find(|(name, _)| of_model(name)).or_else(|| models.members().next());
            found.and_then(|(_, usage)| usage.get("contextWindow")).and_then(Value::u64)
        });
        // Older versions say it of the message only.
        let last = self.turn.stop_reason.take().filter(|_| status == TurnStatus::Completed);
        let stop_reason = result.stop_reason.map(str::to_owned).or(last);
        TurnMetadata {
            status: Some(status),
            usage: usage.map(|usage| Usage {
                input_tokens: usage.input_tokens,
                output_tokens: usage.output_tokens,
                cache_read_tokens: usage.cache_read_input_tokens,
                cache_write_tokens: usage.cache_creation_input_tokens,
                cost_usd: cost.map(|cost| (cost * 1e9).round() / 1e9),
                ..Usage::default()
            }),
            context_used: self.turn.context_used(),
            context_window: window,
            model: model.map(Cow::Owned),
            stop_reason: stop_reason.map(Cow::Owned),
            duration_ms: result.duration_ms,
            ..TurnMetadata::default()
        }
    }

    /// What was only of use within the turn, and what the end of the turn has closed.
    pub(super) fn forget_turn(&mut self, emit: &Emit<'_>) {
        self.turn = super::state::Turn::default();
        self.lines.clear();
        self.calls.retain(|id, _| emit.awaits_result(id));
        self.call_ids.keep(|id| emit.awaits_result(id) || emit.is_background(id));
        // What no event shows is only seen to be answered if the host tells what it sends.
        let mut unseen = self.requests.iter().filter(|request| request.event_id.is_empty()).count();
        self.requests.retain(|request| {
            if request.event_id.is_empty() {
                unseen -= 1;
                return unseen < 100;
            }
            emit.find_request(|id, _| id == request.event_id).is_some()
        });
        // Prompts are only echoed if that was asked for.
        let echoes = self.prompts.len().saturating_sub(100);
        self.prompts.drain(..echoes);
    }

    /// The conversation goes on under another identifier, with nothing of the old one. `first`: it only begins, and
    /// what came before (of hooks) had another.
    pub(super) fn another_session(&mut self, id: &str, first: bool, emit: &mut Emit<'_>) {
        emit.native_session(id);
        if std::mem::take(&mut self.reset) {
            return;
        }
        if first {
            emit.status(StatusLabel::Session, Some(Text::from("another session")), None);
        } else {
            emit.status(StatusLabel::Cleared, None, None);
        }
    }
}

/// Time and place of a stored entry.
fn stored_head(head: &Stored<'_>, emit: &mut Emit<'_>) {
    if let Some(ms) = head.timestamp.and_then(time::parse) {
        emit.at(ms);
    }
    if head.version.is_none() && head.cwd.is_none() {
        return;
    }
    let text = |text: Option<&str>| text.map(Json::of);
    emit.learn(&[("agent_version", text(head.version)), ("cwd", text(head.cwd)), ("mode", text(head.mode))]);
}

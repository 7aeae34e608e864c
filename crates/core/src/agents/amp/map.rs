//! Lines → events: which code reads which kind of line.

use std::borrow::Cow;

use interlinear_schema::{
    ContentPart, ErrorData, ItemKind, ItemRole, ItemStatus, StatusLabel, StatusPart, Text, TurnMetadata, TurnStatus,
    Usage,
};

use super::state::State;
use super::wire::{Init, MessageLine, RunResult, Usage as Used};
use crate::agents::{Adapter, Recognised, read, with};
use crate::api::{Agent, Channel, Command, Form, Outgoing};
use crate::emit::{Emit, Spec};
use crate::json::Value;
use crate::wire::word;

/// How the error of a run begins that the host has stopped.
const CANCELLED: &str = "User cancelled";

/// Whether a line is one of Amp's stream: its sessions are threads.
pub(crate) fn recognise(line: Value<'_>) -> Option<Recognised> {
    let text = |key: &str| line.get(key).and_then(Value::str);
    let known = matches!(text("type")?, "system" | "user" | "assistant" | "result");
    let thread = text("session_id")?.starts_with("T-");
    (known && thread).then_some(Recognised { agent: Agent::Amp, form: Form::Live, version: None })
}

/// Whether a line may be one of an older version: the words are common ones.
pub(crate) fn recognise_older(line: Value<'_>) -> Option<Recognised> {
    let has = |key: &str| line.get(key).is_some();
    let kind = line.get("type").and_then(Value::str)?;
    let found = match kind {
        "message" => has("content") || has("text"),
        "tool_call" => has("tool_call") || has("name") || has("tool_name"),
        "tool_result" => has("content") || has("output"),
        "done" => true,
        _ => false,
    };
    found.then_some(Recognised { agent: Agent::Amp, form: Form::Live, version: None })
}

impl Adapter for State {
    fn receive(&mut self, line: Value<'_>, _: &Channel, emit: &mut Emit<'_>) {
        let drift = &mut emit.book.drift;
        let [kind, subtype, session, parent] = line.pick(["type", "subtype", "session_id", "parent_tool_use_id"]);
        let kind = word(kind, "line", "type", drift).unwrap_or_default();
        let subtype = word(subtype, "line", "subtype", drift);
        let session = word(session, "line", "session_id", drift);
        match &subtype {
            Some(subtype) if kind == "system" || kind == "result" => emit.kind_of(kind, subtype),
            _ => emit.kind(kind),
        }
        // A subagent may have a thread of its own; the session is the main agent's.
        if let Some(id) = session.filter(|id| !id.is_empty())
            && parent.and_then(Value::str).is_none()
        {
            thread(id, emit);
        }
        match (kind, subtype) {
            ("system", Some("init")) => with::<Init<'_>>(line, emit, |init, emit| {
                emit.facts(&[
                    ("cwd", init.cwd.map(Value::json)),
                    ("tools", init.tools.map(Value::json)),
                    ("mcp_servers", init.mcp_servers.map(Value::json)),
                    ("model", init.model.map(Value::json)),
                    ("variant", init.mode.map(Value::json)),
                ]);
            }),
            ("assistant", _) => with::<MessageLine<'_>>(line, emit, |line, emit| self.assistant(line, emit)),
            ("user", _) => with::<MessageLine<'_>>(line, emit, |line, emit| self.user(line, emit)),
            ("result", _) => with::<RunResult<'_>>(line, emit, |result, emit| self.result(result, emit)),
            ("message" | "tool_call" | "tool_result" | "error" | "done", _) => self.older(kind, line, emit),
            _ => emit.unknown(line.json(), None),
        }
    }

    fn sent(&mut self, line: Value<'_>, channel: &Channel, emit: &mut Emit<'_>) {
        if *channel == Channel::Argv {
            emit.kind("arguments");
            emit.ignore("arguments");
            return;
        }
        let kind = line.get("type").and_then(Value::str).unwrap_or_default();
        emit.kind(kind);
        if kind != "user" {
            return emit.unknown(line.json(), None);
        }
        let Some(line) = read::<MessageLine<'_>>(line, emit) else { return };
        self.prompt_sent(&line, emit);
    }

    fn command(&mut self, command: &Command, emit: &mut Emit<'_>, outgoing: &mut Vec<Outgoing>) {
        super::talk::encode(command, emit, outgoing);
    }

    fn finish(&mut self, emit: &mut Emit<'_>) {
        self.show_prompts(emit);
    }

    fn document(&mut self, document: Value<'_>, emit: &mut Emit<'_>) {
        self.thread(document, emit);
    }

    fn last_error(&self) -> Option<&str> {
        self.last_error.as_deref()
    }
}

/// The thread that a line belongs to. Another one than before is a new conversation in the same process.
fn thread(id: &str, emit: &mut Emit<'_>) {
    if emit.native_session(id) {
        let part = StatusPart {
            label: StatusLabel::Session,
            detail: Some(Text::from("another thread")),
            ..StatusPart::default()
        };
        emit.status_with(part, None, None, false);
    }
}

impl State {
    /// The end of the run.
    fn result(&mut self, result: &RunResult<'_>, emit: &mut Emit<'_>) {
        let subtype = result.subtype.unwrap_or("success");
        let failed = result.is_error == Some(true) || subtype != "success";
        self.turn.duration_ms = result.duration_ms;
        self.prompt_settled(emit);
        if let Some(denied) = result.permission_denials.filter(|denied| denied.elements().next().is_some()) {
            let detail = Some(Text::from("permissions were denied"));
            let part = StatusPart { label: StatusLabel::Notice, detail, ..StatusPart::default() };
            emit.status_with(part, Some(denied.json()), None, false);
        }
        if let Some(text) = result.result.as_ref().filter(|text| !text.is_empty() && !self.answered) {
            // What was said last, and no line has shown.
            emit.begin_turn(None, true);
            let spec = Spec { kind: ItemKind::Message, role: Some(ItemRole::Assistant), ..Spec::default() };
            emit.item(&spec, ItemStatus::Completed, vec![ContentPart::text(text.borrow())], false);
        }
        if !failed {
            emit.ignore("the turn is over");
            self.end_turn(TurnStatus::Completed, emit);
            return;
        }
        let said = result.error.map(|error| error.get("message").unwrap_or(error)).and_then(Value::text);
        let message = said.filter(|said| !said.is_empty()).unwrap_or_else(|| Text::from(subtype));
        let cancelled = message.to_str_lossy().starts_with(CANCELLED);
        self.last_error = Some(message.to_str_lossy().into_owned());
        let code = if cancelled { "cancelled" } else { subtype };
        if !self.turn.failed {
            emit.error(ErrorData { message, code: Some(Cow::Borrowed(code)), ..ErrorData::default() });
        }
        self.end_turn(if cancelled { TurnStatus::Interrupted } else { TurnStatus::Failed }, emit);
    }

    /// The turn is over.
    pub(super) fn end_turn(&mut self, status: TurnStatus<'static>, emit: &mut Emit<'_>) {
        self.calls.clear();
        self.call_ids.keep(|_| false);
        let turn = std::mem::take(&mut self.turn);
        if emit.session().turn_id().is_none() {
            return;
        }
        let usage = turn.usage.map(|[input, output, cache_read, cache_write]| Usage {
            input_tokens: Some(input),
            output_tokens: Some(output),
            cache_read_tokens: Some(cache_read),
            cache_write_tokens: Some(cache_write),
            ..Usage::default()
        });
        let metadata = TurnMetadata {
            status: Some(status),
            usage,
            context_used: turn.context_used,
            context_window: turn.context_window,
            model: turn.model.map(Cow::Owned),
            stop_reason: turn.stop_reason.map(Cow::Owned),
            duration_ms: turn.duration_ms,
            ..TurnMetadata::default()
        };
        emit.end_turn(&metadata, false);
    }

    /// What an answer tells about the turn. Those of subagents count, but are not the conversation.
    pub(super) fn note_answer(&mut self, usage: Option<&Used<'_>>, stop: Option<&str>, main: bool) {
        if main {
            self.turn.stop_reason = stop.map(str::to_owned);
        }
        let Some(usage) = usage else { return };
        let counts = [usage.input, usage.output, usage.cache_read, usage.cache_write].map(|count| count.unwrap_or(0));
        let sums = self.turn.usage.get_or_insert_default();
        for (sum, count) in sums.iter_mut().zip(counts) {
            *sum = sum.saturating_add(count);
        }
        if main {
            self.turn.context_used = Some(counts.iter().fold(0, |sum: u64, count| sum.saturating_add(*count)));
            self.turn.context_window = usage.window.or(self.turn.context_window);
            if let Some(model) = usage.model {
                model.clone_into(self.turn.model.get_or_insert_default());
            }
        }
    }
}

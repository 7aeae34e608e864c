//! Lines → events: which code reads which kind of line.

use interlinear_schema::{ContentPart, ErrorData, ItemKind, ItemStatus, Json, StatusLabel, StatusPart, Text};

use super::state::{Rest, State};
use super::wire::{
    AgentEnd, Compaction, Execution, ExtensionError, Header, Line, MessageLine, Response, Retry, Settled, Small,
    UiRequest, Update,
};
use crate::agents::{Adapter, read, with};
use crate::api::{Channel, Command, Form, Outgoing};
use crate::emit::{Emit, Spec};
use crate::json::Value;
use crate::repeat::Growth;
use crate::time;

impl Adapter for State {
    fn receive(&mut self, line: Value<'_>, _: &Channel, emit: &mut Emit<'_>) {
        let Some(head) = read::<Line<'_>>(line, emit) else { return };
        let kind = head.r#type.unwrap_or_default();
        emit.kind(kind);
        if self.stored || super::stored::is_entry(line) {
            self.entry(kind, line, emit);
            return;
        }
        self.expire(emit);
        if self.waits_for_command() {
            self.answers_command(kind, line, emit);
        }
        self.dispatch(kind, line, emit);
        if kind != "tool_execution_start" {
            self.just_started = None;
        }
        self.listen(emit);
    }

    fn sent(&mut self, line: Value<'_>, channel: &Channel, emit: &mut Emit<'_>) {
        if *channel == Channel::Argv {
            emit.kind("arguments");
            emit.ignore("arguments");
            return;
        }
        self.expire(emit);
        self.host_line(line, emit);
    }

    fn text_sent(&mut self, _: &str, emit: &mut Emit<'_>) -> bool {
        let piped = emit.book.form == Form::Exec;
        if piped {
            emit.kind("text");
            emit.ignore("part of the prompt");
        }
        piped
    }

    fn grow(&mut self, growth: &Growth<'_>, emit: &mut Emit<'_>) {
        let mut blocks = self.message.iter_mut().flat_map(|message| &mut message.blocks);
        if let Some(block) = blocks.find(|block| block.call == Some(growth.item)) {
            growth.text.append_to(&mut block.arguments);
        }
        emit.delta(growth.item, growth.part, &growth.text, false);
        self.listen(emit);
    }

    fn differ<'v>(&self, line: Value<'v>) -> Option<Vec<Value<'v>>> {
        // The message so far stands beside the text, twice.
        let so_far = [line.get("message"), line.get("assistantMessageEvent").and_then(|event| event.get("partial"))];
        let content = so_far.into_iter().flatten().filter_map(|message| message.get("content"));
        let mut values = Vec::new();
        for block in content.flat_map(Value::elements) {
            let keys = ["arguments", "text", "thinking", "partialArgs", "partialJson"];
            let [arguments, texts @ ..] = block.pick(keys);
            values.extend(texts.into_iter().flatten());
            let arguments = arguments.into_iter().flat_map(Value::members);
            values.extend(arguments.map(|(_, argument)| argument));
        }
        Some(values)
    }

    fn command(&mut self, command: &Command, emit: &mut Emit<'_>, outgoing: &mut Vec<Outgoing>) {
        self.encode(command, emit, outgoing);
    }

    fn finish(&mut self, emit: &mut Emit<'_>) {
        if self.stored {
            self.end_stored_turn(emit);
        } else if self.rest != Rest::No {
            self.end_turn(true, emit);
        } else {
            self.show_said(emit);
            self.tell_failure(None, emit);
        }
    }

    fn last_error(&self) -> Option<&str> {
        self.last_error.as_deref()
    }

    fn deadline(&self) -> Option<i64> {
        self.next_deadline()
    }

    fn tick(&mut self, emit: &mut Emit<'_>) {
        self.expire(emit);
    }
}

impl State {
    fn dispatch(&mut self, kind: &str, line: Value<'_>, emit: &mut Emit<'_>) {
        match kind {
            "message_update" => with::<Update<'_>>(line, emit, |update, emit| self.update(update, emit)),
            "message_start" => with::<MessageLine<'_>>(line, emit, |line, emit| self.message_start(line, emit)),
            "message_end" => with::<MessageLine<'_>>(line, emit, |line, emit| self.message_end(line, emit)),
            "tool_execution_start" => with::<Execution<'_>>(line, emit, |line, emit| self.tool_start(line, emit)),
            "tool_execution_update" => with::<Execution<'_>>(line, emit, |line, emit| self.tool_update(line, emit)),
            "tool_execution_end" => with::<Execution<'_>>(line, emit, |line, emit| self.tool_end(line, emit)),
            "agent_start" => self.agent_start(emit),
            "agent_end" => with::<AgentEnd<'_>>(line, emit, |line, emit| self.agent_end(line, emit)),
            "agent_settled" => with::<Settled<'_>>(line, emit, |line, emit| self.settled(line, emit)),
            "turn_start" => emit.ignore("start of a request to the model"),
            "turn_end" => emit.ignore("repeated"),
            "response" => with::<Response<'_>>(line, emit, |line, emit| self.response(line, emit)),
            "extension_ui_request" | "hook_ui_request" => with::<UiRequest<'_>>(line, emit, |request, emit| {
                self.ui_request(request, kind.starts_with("hook"), emit);
            }),
            "extension_error" | "hook_error" => with::<ExtensionError<'_>>(line, emit, extension_error),
            "auto_retry_start" => with::<Retry<'_>>(line, emit, |retry, emit| self.retry(retry, emit)),
            "auto_retry_end" => with::<Retry<'_>>(line, emit, |retry, emit| self.retry_end(retry, emit)),
            "compaction_start" | "auto_compaction_start" => {
                with::<Compaction<'_>>(line, emit, |line, emit| self.compaction_start(line, emit));
            }
            "compaction_end" | "auto_compaction_end" => {
                with::<Compaction<'_>>(line, emit, |line, emit| self.compaction_end(line, emit));
            }
            "session" => with::<Header<'_>>(line, emit, |header, emit| self.header(header, emit)),
            _ => self.small(kind, line, emit),
        }
    }

    /// Lines with nothing but a word to them.
    fn small(&mut self, kind: &str, line: Value<'_>, emit: &mut Emit<'_>) {
        let known = matches!(
            kind,
            "thinking_level_changed"
                | "session_info_changed"
                | "bash_execution_update"
                | "queue_update"
                | "entry_appended"
                | "summarization_retry_scheduled"
                | "summarization_retry_attempt_start"
                | "summarization_retry_finished"
        );
        let Some(small) = Some(line).filter(|_| known).and_then(|line| read::<Small<'_>>(line, emit)) else {
            return emit.unknown(line.json(), None);
        };
        match kind {
            "thinking_level_changed" => emit.facts(&[("variant", small.level.map(Value::json))]),
            "session_info_changed" => emit.title(small.name),
            "bash_execution_update" => self.host_output(&small, emit),
            "queue_update" => {
                let list = |list: Option<Value<'_>>| list.map_or("[]", Value::raw).to_owned();
                let queues =
                    format!("{{\"steering\":{},\"follow_up\":{}}}", list(small.steering), list(small.follow_up));
                let part = StatusPart {
                    label: StatusLabel::Notice,
                    detail: Some(Text::from("queue")),
                    ..StatusPart::default()
                };
                emit.status_with(part, Some(Json::from_text(queues)), None, false);
            }
            "summarization_retry_scheduled" => emit.status(StatusLabel::Retry, small.error, None),
            "entry_appended" => emit.ignore("bookkeeping"),
            _ => emit.ignore("heartbeat"),
        }
    }

    /// `session`: the first line of JSON mode, and of a session file.
    pub(super) fn header(&mut self, header: &Header<'_>, emit: &mut Emit<'_>) {
        if let Some(ms) = header.timestamp.and_then(time::parse).filter(|_| self.stored) {
            emit.at(ms);
        }
        if let Some(id) = &header.id {
            emit.native_session(id);
        }
        emit.facts(&[("cwd", header.cwd.map(Value::json))]);
    }

    /// Something that was tried and will be tried again.
    fn retry(&mut self, retry: &Retry<'_>, emit: &mut Emit<'_>) {
        self.tell_failure(Some(true), emit);
        self.goes_on();
        self.retrying = true;
        let number = |value: Option<Value<'_>>| value.map_or("null", Value::raw).to_owned();
        let json = format!(
            "{{\"attempt\":{},\"max_attempts\":{},\"delay_ms\":{}}}",
            number(retry.attempt),
            number(retry.max_attempts),
            number(retry.delay)
        );
        let detail = retry.error.as_ref().map(Text::borrow);
        let part = StatusPart { label: StatusLabel::Retry, detail, ..StatusPart::default() };
        emit.status_with(part, Some(Json::from_text(json)), None, false);
    }

    /// There will be no retry any more. One that had not begun was cancelled, and the turn with it.
    fn retry_end(&mut self, retry: &Retry<'_>, emit: &mut Emit<'_>) {
        self.retry_is_over(emit);
        emit.ignore("end of a retry");
        if std::mem::take(&mut self.retrying) && retry.success == Some(false) {
            self.turn.aborted = true;
            emit.status(StatusLabel::Notice, retry.final_error.as_ref().map(Text::borrow), None);
        }
    }

    fn compaction_start(&mut self, line: &Compaction<'_>, emit: &mut Emit<'_>) {
        let reason = line.reason.as_ref().map(|reason| reason.to_str_lossy().into_owned()).unwrap_or_default();
        let overflow = reason == "overflow";
        self.tell_failure(overflow.then_some(true), emit);
        self.goes_on();
        let part = StatusPart {
            label: StatusLabel::Compaction,
            detail: line.reason.as_ref().map(Text::borrow),
            ..StatusPart::default()
        };
        let spec = Spec { kind: ItemKind::Status, ..Spec::default() };
        let item = emit.open(&spec, vec![ContentPart::Status(part)], false);
        self.compaction = Some((item, reason));
    }

    fn compaction_end(&mut self, line: &Compaction<'_>, emit: &mut Emit<'_>) {
        if self.compaction.is_none() {
            self.compaction_start(line, emit);
        }
        let Some((item, reason)) = self.compaction.take() else { return };
        let summary = line.result.as_ref().and_then(|result| result.summary.as_ref());
        if let Some(tokens) = line.result.as_ref().and_then(|result| result.tokens_before) {
            let json = Json::from_text(format!("{{\"tokens_before\":{}}}", tokens.raw()));
            emit.add_part(item, ContentPart::json(json));
        }
        let done = line.result.is_some();
        emit.complete(item, if done { ItemStatus::Completed } else { ItemStatus::Failed }, false);
        if let Some(summary) = summary {
            self.system_item(vec![ContentPart::text(summary.borrow())], None, None, emit);
        }
        // The host that asked for it is told so in the answer to its command.
        if let Some(error) = line.error.as_ref().filter(|_| reason != "manual") {
            let code = Some("compaction_failed".into());
            emit.error(ErrorData { message: error.borrow(), code, ..ErrorData::default() });
        }
        if line.will_retry != Some(true) {
            self.retry_is_over(emit);
        }
    }
}

/// An extension failed; the turn goes on.
fn extension_error(line: &ExtensionError<'_>, emit: &mut Emit<'_>) {
    let json = |value: Option<Value<'_>>| value.map_or("null", Value::raw).to_owned();
    emit.error(ErrorData {
        message: line.error.as_ref().map(Text::borrow).unwrap_or_default(),
        code: Some("extension_error".into()),
        details: Some(Json::from_text(format!("{{\"extension\":{},\"event\":{}}}", json(line.path), json(line.event)))),
        ..ErrorData::default()
    });
}

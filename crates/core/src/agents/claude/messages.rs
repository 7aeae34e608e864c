//! Messages of the assistant: whole blocks, and blocks that stream.

use std::borrow::Cow;

use interlinear_schema::{
    ContentPart, ErrorData, ItemKind, ItemRole, ItemStatus, Json, Text, ToolCallPart, ToolKind, ToolResultPart,
};

use super::blocks;
use super::state::{BlockKind, CallInfo, Message, State, StreamBlock};
use super::tools;
use super::wire::{self, Assistant, Block, Stream};
use crate::agents::read;
use crate::api::DriftKind;
use crate::emit::{CallSpec, Emit, Spec};
use crate::hash;
use crate::json::Value;
use crate::wire::named;

impl State {
    /// A line with blocks of a message: usually one.
    pub(super) fn assistant(&mut self, line: &Assistant<'_>, stored_agent: Option<String>, emit: &mut Emit<'_>) {
        let Some(message) = &line.message else {
            emit.ignore("no message");
            return;
        };
        if line.uuid.is_some_and(|uuid| self.lines.contains_key(uuid)) {
            emit.ignore("repeated");
            return;
        }
        let agent = stored_agent.or_else(|| self.agent_named(line.parent_tool_use_id).map(Cow::into_owned));
        let id = message.id.or(line.uuid).unwrap_or_default();
        if agent.is_none() {
            emit.begin_turn(None, self.stored);
            let new = self.note_usage(id, message);
            if self.stored && new {
                emit.learn(&[("model", self.turn.model.as_ref().map(Json::of))]);
            }
        }
        self.enter_message(id, agent.as_deref(), false, emit);
        if let Some(uuids) = line.supersedes.as_ref().filter(|uuids| !uuids.is_empty()) {
            self.supersede(uuids, agent.as_deref(), emit);
        }
        if let Some(text) = message.content.and_then(Value::text) {
            self.whole_part(BlockKind::Text, &ContentPart::text(text), agent.as_deref(), emit);
        }
        for value in content_blocks(message.content) {
            let Some(block) = &read::<Block<'_>>(value, emit) else { continue };
            self.whole_block(block, value, line, agent.as_deref(), emit);
        }
        if let (Some(uuid), Some(message)) = (line.uuid, self.message(agent.as_deref())) {
            let item_id = message.item_id.clone();
            self.lines.insert(uuid.to_owned(), item_id);
        }
        let failed = line.api_error == Some(true);
        if let Some(code) = line.error.or_else(|| failed.then_some("unknown")) {
            self.failure(code, line, message.content, agent.as_deref(), emit);
        }
    }

    /// The agent shows a failure of the service as a message, with the kind of failure beside it.
    fn failure(
        &mut self,
        code: &str,
        line: &Assistant<'_>,
        content: Option<Value<'_>>,
        agent: Option<&str>,
        emit: &mut Emit<'_>,
    ) {
        self.turn.failed |= agent.is_none();
        let text = content.map(|content| blocks::plain_text(content)).unwrap_or_default();
        emit.error(ErrorData {
            message: if text.is_empty() { Text::from(code) } else { Text::from_wtf8(text) },
            code: Some(Cow::Borrowed(code)),
            details: line.api_error_status.map(|status| Json::from_text(format!("{{\"status\":{}}}", status.raw()))),
            agent_id: agent.map(Cow::Borrowed),
            ..ErrorData::default()
        });
    }

    /// Notes what a message was made with, and what it cost. Returns whether it begins.
    fn note_usage(&mut self, id: &str, message: &wire::Message<'_>) -> bool {
        let new = self.message(None).is_none_or(|before| before.id != id);
        if new {
            self.turn.stop_reason = None;
        }
        let model = message.model.filter(|model| *model != "<synthetic>");
        note(model, &mut self.turn.model);
        // Live, the result tells it of a message that the agent made itself.
        note(message.stop_reason.filter(|_| self.stored || model.is_some()), &mut self.turn.stop_reason);
        let Some(usage) = &message.usage else { return new };
        let counts = usage.counts().map(Option::unwrap_or_default);
        if counts != [0; 4] {
            self.turn.context = counts;
        }
        if self.stored && message.id.is_some() {
            self.turn.usage.insert(id.to_owned(), counts);
        }
        new
    }

    /// The subagent that a line names: the call that started it.
    pub(super) fn agent_named<'l>(&self, native: Option<&'l str>) -> Option<Cow<'l, str>> {
        named(native).map(|native| self.call_ids.of_agent(native))
    }

    pub(super) fn message(&self, agent: Option<&str>) -> Option<&Message> {
        self.messages.get(agent.unwrap_or_default())
    }

    fn message_mut(&mut self, agent: Option<&str>) -> Option<&mut Message> {
        self.messages.get_mut(agent.unwrap_or_default())
    }

    /// The message with this identifier is being written from here on; the one before is over.
    fn enter_message(&mut self, id: &str, agent: Option<&str>, streaming: bool, emit: &mut Emit<'_>) {
        let key = agent.unwrap_or_default();
        if let Some(message) = self.messages.get(key) {
            let open = message.item.is_none_or(|item| emit.is_open(item));
            if message.id == id && open {
                return;
            }
        }
        self.complete_messages(|_, of| of == agent, emit);
        let message = Message { id: id.to_owned(), item: None, item_id: String::new(), streaming, blocks: Vec::new() };
        self.messages.insert(key.to_owned(), message);
    }

    /// The item of the message: made when there is something to put into it.
    pub(super) fn message_item(&mut self, agent: Option<&str>, emit: &mut Emit<'_>) -> Option<crate::emit::Ref> {
        let message = self.message_mut(agent)?;
        if let Some(item) = message.item {
            return Some(item);
        }
        let spec = Spec {
            id: &message.id,
            kind: ItemKind::Message,
            role: Some(ItemRole::Assistant),
            native: Some(message.id.as_str()).filter(|id| !id.is_empty()),
            parent: None,
            agent,
        };
        let item = emit.open(&spec, Vec::new(), !message.streaming);
        message.item = Some(item);
        message.item_id = emit.id_of(item).unwrap_or_default().to_owned();
        if agent.is_none() {
            self.turn.answered = true;
        }
        Some(item)
    }

    /// Completes the messages of the chosen agents. One that was cut while a block streamed has failed.
    pub(super) fn complete_messages(&mut self, chosen: impl Fn(&Emit<'_>, Option<&str>) -> bool, emit: &mut Emit<'_>) {
        let of_agent = |key: &String, emit: &Emit<'_>| chosen(emit, named(Some(key)));
        // A stored message was over with the entry before.
        let now = self.stored.then(|| emit.at(i64::MIN));
        let mut from = 0;
        while let Some(at) = self.messages.keys().skip(from).position(|key| of_agent(key, emit)) {
            from += at;
            let message = self.messages.remove_at(from);
            let Some(item) = message.item.filter(|item| emit.is_open(*item)) else { continue };
            let is_cut = |block: &&StreamBlock| !block.done && !block.ended && block.has_begun();
            for block in message.blocks.iter().filter(is_cut).filter(|block| block.call.is_some()) {
                // It will not be called.
                let part = ToolResultPart { call_id: Cow::Borrowed(&block.call_id), ..ToolResultPart::default() };
                emit.result(part, Vec::new(), true, None, true);
            }
            let cut = message.blocks.iter().any(|block| is_cut(&block));
            let status = if cut { ItemStatus::Failed } else { ItemStatus::Completed };
            emit.complete(item, status, cut);
        }
        if let Some(now) = now {
            emit.at(now);
        }
    }

    /// A block that is known whole. Where it has streamed before, this is its final form.
    fn whole_block(
        &mut self,
        block: &Block<'_>,
        value: Value<'_>,
        line: &Assistant<'_>,
        agent: Option<&str>,
        emit: &mut Emit<'_>,
    ) {
        match block.r#type.unwrap_or_default() {
            "text" => {
                let text = block.text.as_ref().map_or_else(Text::default, Text::borrow);
                self.whole_part(BlockKind::Text, &ContentPart::text(text), agent, emit);
            }
            "thinking" => {
                let text = block.thinking.as_ref().map_or_else(Text::default, Text::borrow);
                self.whole_part(BlockKind::Thinking, &ContentPart::reasoning(text), agent, emit);
            }
            "redacted_thinking" => {
                self.whole_part(BlockKind::Thinking, &ContentPart::reasoning(Text::default()), agent, emit);
            }
            "tool_use" | "server_tool_use" | "mcp_tool_use" => self.whole_call(block, value, line, agent, emit),
            kind if block.tool_use_id.is_some() && kind.ends_with("tool_result") => {
                self.tool_result(block, None, None, agent, emit);
            }
            kind => {
                emit.book.drift.note(DriftKind::Value, "block.type", kind);
                let part = ContentPart::json(value.json());
                self.whole_part(BlockKind::Other, &part, agent, emit);
            }
        }
    }

    /// Text, reasoning, or something else that stands in the message itself.
    fn whole_part(&mut self, kind: BlockKind, part: &ContentPart<'_>, agent: Option<&str>, emit: &mut Emit<'_>) {
        let Some(item) = self.message_item(agent, emit) else { return };
        let Some(message) = self.message_mut(agent) else { return };
        // Whole, a block comes before its end: where it comes after it, it is the one with this text.
        let blocks = || message.blocks.iter().enumerate().filter(|(_, block)| block.kind == kind && !block.done);
        let same = |block: &StreamBlock| block.part.is_some_and(|place| emit.is_text(item, place, part));
        let streamed = blocks().find(|(_, block)| !block.ended).or_else(|| blocks().find(|(_, block)| same(block)));
        let place = streamed.map(|(at, _)| at).and_then(|at| {
            message.blocks[at].done = true;
            message.blocks[at].part
        });
        let Some(place) = place else { return emit.add_whole(item, part.clone()) };
        if matches!(part, ContentPart::Reasoning(part) if part.text.is_empty()) {
            // What the model thinks may be left out of what is kept: it is what has streamed.
            return;
        }
        if emit.finish_part(item, place, part.clone()) {
            return;
        }
        // The text is another one: the attempt that streamed is closed, and the answer begins anew.
        emit.complete(item, ItemStatus::Failed, true);
        if let Some(message) = self.message_mut(agent) {
            message.item = None;
            message.streaming = false;
            message.blocks.clear();
        }
        self.whole_part(kind, part, agent, emit);
    }

    /// A tool call whose arguments are known.
    fn whole_call(
        &mut self,
        block: &Block<'_>,
        value: Value<'_>,
        line: &Assistant<'_>,
        agent: Option<&str>,
        emit: &mut Emit<'_>,
    ) {
        let (Some(native), Some(name)) = (block.id, named(block.name)) else {
            let part = ContentPart::json(value.json());
            self.whole_part(BlockKind::Other, &part, agent, emit);
            return;
        };
        self.message_item(agent, emit);
        let input = block.input;
        // What streamed without an identifier was given one.
        let streamed = self.message(agent).into_iter().flat_map(|message| &message.blocks);
        let mut streamed = streamed.filter(|block| native.is_empty() && block.call.is_some() && !block.done);
        let streamed = streamed.next().map(|block| Cow::Owned(block.call_id.clone()));
        let id = &*streamed.unwrap_or_else(|| self.call_that_begins(native, name, agent, emit));
        let mut part = tools::call_part(id, name, input);
        let meta = line.tool_use_meta.iter().flatten().find(|meta| meta.id == Some(native));
        if let Some(name) = meta.and_then(|meta| meta.display_name.as_ref()) {
            let server = meta.and_then(|meta| meta.server_display_name.as_ref());
            let server = server.map(|server| format!(" ({server})")).unwrap_or_default();
            part.title = Some(Text::from(format!("{name}{server}")));
        }
        self.remember_call(id, name, input, agent);
        let streamed = self
            .message_mut(agent)
            .and_then(|message| message.blocks.iter_mut().find(|block| block.call_id == id && !block.done));
        if let Some(block) = streamed {
            block.done = true;
            if let Some(item) = block.call {
                emit.finish_call(item, part);
                return;
            }
        }
        let parent = self.message(agent).map(|message| message.item_id.clone()).filter(|id| !id.is_empty());
        emit.call(CallSpec { call_id: id, parent: parent.as_deref(), agent }, part, false);
    }

    /// The identifier of a call in the message that is being written. It is another one than an earlier message has,
    /// although the model may name it the same; a line that is sent again has the same message.
    fn call_that_begins<'n>(
        &mut self,
        native: &'n str,
        name: &str,
        agent: Option<&str>,
        emit: &mut Emit<'_>,
    ) -> Cow<'n, str> {
        let message = self.message(agent).map(|message| message.id.as_str()).unwrap_or_default();
        if !native.is_empty() && !emit.first_time(hash::of_all(&["call", message, native])) {
            return self.call_ids.of(native, agent);
        }
        self.call_ids.begins(native, agent, tools::kind(name) == ToolKind::Task, emit)
    }

    fn remember_call(&mut self, id: &str, name: &str, input: Option<Value<'_>>, agent: Option<&str>) {
        if self.stored
            && let Some(agent) = input.and_then(|input| input.get("resume")?.str())
            && tools::kind(name) == ToolKind::Task
        {
            // A subagent goes on where it was: below this call.
            self.agents.insert(agent.to_owned(), id.to_owned());
        }
        let input = input.map(Value::raw).unwrap_or_default();
        let call = CallInfo {
            name: name.to_owned(),
            agent: agent.map(str::to_owned),
            input: if tools::needs_input(name) { input.to_owned() } else { String::new() },
            input_hash: hash::roughly(input.as_bytes()),
        };
        self.calls.insert(id.to_owned(), call);
    }

    /// An event of the model's API.
    pub(super) fn stream(&mut self, line: &Stream<'_>, emit: &mut Emit<'_>) {
        let Some(event) = &line.event else {
            emit.ignore("no event");
            return;
        };
        let agent = self.agent_named(line.parent_tool_use_id);
        let agent = agent.as_deref();
        match event.r#type.unwrap_or_default() {
            "content_block_delta" => self.stream_delta(event, agent, emit),
            "message_start" => {
                if agent.is_none() {
                    emit.begin_turn(None, false);
                }
                if let Some(message) = &event.message {
                    let id = message.id.unwrap_or_default();
                    if agent.is_none() {
                        self.note_usage(id, message);
                    }
                    self.enter_message(id, agent, true, emit);
                }
                emit.ignore("start of a message");
            }
            "content_block_start" => {
                if let Some(block) = &event.content_block {
                    self.stream_start(event.index.unwrap_or(0), block, agent, emit);
                }
                emit.ignore("start of a block");
            }
            "content_block_stop" => {
                self.stream_stop(event.index.unwrap_or(0), agent);
                emit.ignore("end of a block");
            }
            "message_delta" => {
                if agent.is_none() {
                    let counts = event.usage.as_ref().map(wire::Usage::counts).unwrap_or_default();
                    for (known, count) in self.turn.context.iter_mut().zip(counts) {
                        *known = count.unwrap_or(*known);
                    }
                    let stop = event.delta.as_ref().and_then(|delta| delta.stop_reason);
                    note(stop, &mut self.turn.stop_reason);
                }
                emit.ignore("end of a message");
            }
            "message_stop" => {
                // Blocks that were not seen whole may still be.
                if self.message(agent).is_some_and(|message| message.blocks.iter().all(|block| block.done)) {
                    self.complete_messages(|_, of| of == agent, emit);
                }
                emit.ignore("end of a message");
            }
            "ping" => emit.ignore("heartbeat"),
            "error" => emit.ignore("the failure follows"),
            kind => {
                emit.book.drift.note(DriftKind::Value, "stream_event.event.type", kind);
                emit.ignore("unknown stream event");
            }
        }
    }

    fn stream_start(&mut self, index: u64, block: &Block<'_>, agent: Option<&str>, emit: &mut Emit<'_>) {
        let kind = match block.r#type.unwrap_or_default() {
            "text" => BlockKind::Text,
            "thinking" | "redacted_thinking" => BlockKind::Thinking,
            "tool_use" | "server_tool_use" | "mcp_tool_use" => BlockKind::ToolUse,
            _ => BlockKind::Other,
        };
        let mut call_id = block.id.unwrap_or_default().to_owned();
        let mut call = None;
        if let (BlockKind::ToolUse, Some(name), Some(native)) = (kind, block.name, block.id) {
            self.message_item(agent, emit);
            call_id = self.call_that_begins(native, name, agent, emit).into_owned();
            let parent = self.message(agent).map(|message| message.item_id.clone()).filter(|id| !id.is_empty());
            let part = ToolCallPart { arguments: Text::default(), ..tools::call_part(&call_id, name, None) };
            call = emit.open_call(CallSpec { call_id: &call_id, parent: parent.as_deref(), agent }, part);
        }
        let Some(message) = self.message_mut(agent) else { return };
        let done = kind == BlockKind::Other;
        message.blocks.push(StreamBlock { index, kind, part: None, call, call_id, ended: false, done });
        let begun = match kind {
            BlockKind::Text => block.text.as_ref().map(|text| (text, ContentPart::text(Text::default()))),
            BlockKind::Thinking => block.thinking.as_ref().map(|text| (text, ContentPart::reasoning(Text::from("…")))),
            BlockKind::ToolUse | BlockKind::Other => None,
        };
        // Mostly a block begins with nothing in it.
        let Some((text, part)) = begun.filter(|(text, _)| !text.is_empty()) else { return };
        let Some(item) = self.message_item(agent, emit) else { return };
        let place = emit.add_part(item, part);
        emit.delta(item, place, text, false);
        if let Some(block) = self.message_mut(agent).and_then(|message| message.blocks.last_mut()) {
            block.part = Some(place);
        }
    }

    /// The end of a block. What had nothing in it is not shown whole either.
    fn stream_stop(&mut self, index: u64, agent: Option<&str>) {
        let Some(message) = self.message_mut(agent) else { return };
        if let Some(block) = message.blocks.iter_mut().rfind(|block| block.index == index) {
            block.ended = true;
            block.done |= !block.has_begun();
        }
    }

    fn stream_delta(&mut self, event: &wire::StreamEvent<'_>, agent: Option<&str>, emit: &mut Emit<'_>) {
        let Some(delta) = &event.delta else {
            emit.ignore("empty delta");
            return;
        };
        let (text, part) = match delta.r#type.unwrap_or_default() {
            "text_delta" => (&delta.text, ContentPart::text(Text::default())),
            "thinking_delta" => (&delta.thinking, ContentPart::reasoning(Text::from("…"))),
            "input_json_delta" => (&delta.partial_json, ContentPart::text(Text::default())),
            "signature_delta" | "citations_delta" => {
                emit.ignore("signature");
                return;
            }
            kind => {
                emit.book.drift.note(DriftKind::Value, "stream_event.event.delta.type", kind);
                emit.ignore("unknown delta");
                return;
            }
        };
        let Some(text) = text.as_ref().filter(|text| !text.is_empty()) else {
            emit.ignore("empty delta");
            return;
        };
        let index = event.index.unwrap_or(0);
        let found = self.message(agent).and_then(|message| message.blocks.iter().rposition(|at| at.index == index));
        let Some(found) = found else {
            emit.ignore("delta of no block");
            return;
        };
        let call = self.message(agent).and_then(|message| message.blocks[found].call);
        if let Some(item) = call {
            emit.delta(item, 0, text, false);
            emit.repeats(item, 0, text);
            return;
        }
        let Some(item) = self.message_item(agent, emit) else { return };
        let Some(message) = self.message_mut(agent) else { return };
        let block = &mut message.blocks[found];
        let place = *block.part.get_or_insert_with(|| emit.add_part(item, part));
        emit.delta(item, place, text, false);
        emit.repeats(item, place, text);
    }
}

/// Whether the work of an agent is over with the turn.
pub(super) fn in_turn(emit: &Emit<'_>, agent: Option<&str>) -> bool {
    agent.is_none_or(|agent| !emit.is_background(agent))
}

fn note(said: Option<&str>, known: &mut Option<String>) {
    if let Some(said) = said {
        said.clone_into(known.get_or_insert_default());
    }
}

/// The blocks of a message's content; plain text has none.
pub(super) fn content_blocks(content: Option<Value<'_>>) -> impl Iterator<Item = Value<'_>> {
    content.into_iter().flat_map(Value::elements)
}

//! The assistant's message while it is written. Only `delta` can be trusted: the message beside it runs ahead.

use interlinear_schema::{ContentPart, Text, ToolCallPart};

use super::content::{reasoning_part, same_json};
use super::state::{self, State};
use super::tools;
use super::wire::{Block, Update, UpdateEvent};
use crate::api::DriftKind;
use crate::emit::{CallSpec, Emit};
use crate::json::{Tape, Value};

impl State {
    pub(super) fn update(&mut self, line: &Update<'_>, emit: &mut Emit<'_>) {
        let Some(event) = &line.event else {
            emit.ignore("no event");
            return;
        };
        let index = event.index.unwrap_or(0);
        match event.r#type.unwrap_or_default() {
            "text_delta" | "thinking_delta" => self.text_delta(event, emit),
            "toolcall_start" => {
                self.call_start(event, emit);
                emit.ignore("start of a block");
            }
            "toolcall_delta" => self.call_delta(event, emit),
            "toolcall_end" => match &event.call {
                Some(call) => self.finish_call(index, call, emit),
                None => emit.ignore("end of a block"),
            },
            "text_start" | "thinking_start" => emit.ignore("start of a block"),
            "thinking_end" => {
                self.keep_thought(event, emit);
                emit.ignore("end of a block");
            }
            // The message that is final has it all again.
            "text_end" => emit.ignore("end of a block"),
            "start" | "done" | "error" => emit.ignore("start or end of a message"),
            kind => {
                emit.book.drift.note(DriftKind::Value, "message_update.assistantMessageEvent.type", kind);
                emit.ignore("unknown update");
            }
        }
    }

    /// The block with this index, and the message that it is in.
    fn block(&mut self, index: u64, emit: &mut Emit<'_>) -> Option<(&mut state::Message, usize)> {
        if self.message.as_ref().is_none_or(|message| !emit.is_open(message.item)) {
            self.open_message("", emit);
        }
        let message = self.message.as_mut()?;
        let found = message.blocks.iter().position(|block| block.index == index);
        let at = found.unwrap_or_else(|| {
            message.blocks.push(state::Block { index, ..state::Block::default() });
            message.blocks.len() - 1
        });
        Some((message, at))
    }

    fn text_delta(&mut self, event: &UpdateEvent<'_>, emit: &mut Emit<'_>) {
        let Some(text) = event.delta.as_ref().filter(|text| !text.is_empty()) else {
            emit.ignore("empty delta");
            return;
        };
        let thinks = event.r#type == Some("thinking_delta");
        let Some((message, at)) = self.block(event.index.unwrap_or(0), emit) else { return };
        let item = message.item;
        let new = if thinks { reasoning_part(Text::from("…"), false) } else { ContentPart::text(Text::default()) };
        let place = *message.blocks[at].part.get_or_insert_with(|| emit.add_part(item, new));
        emit.delta(item, place, text, false);
        emit.repeats(item, place, text);
    }

    /// A thought that the model hides has no deltas: it keeps its place before the text that follows.
    fn keep_thought(&mut self, event: &UpdateEvent<'_>, emit: &mut Emit<'_>) {
        let redacted = so_far(event).and_then(|block| block.get("redacted")).and_then(Value::bool) == Some(true);
        let Some((message, at)) = self.block(event.index.unwrap_or(0), emit) else { return };
        let item = message.item;
        message.blocks[at].part.get_or_insert_with(|| emit.add_part(item, reasoning_part(Text::from("…"), redacted)));
    }

    /// A call begins. Older versions name it only in the message so far.
    fn call_start(&mut self, event: &UpdateEvent<'_>, emit: &mut Emit<'_>) {
        let index = event.index.unwrap_or(0);
        let so_far = so_far(event);
        let string = |key: &str| so_far.and_then(|block| block.get(key)).and_then(Value::str);
        let id = event.id.or_else(|| string("id")).filter(|id| !id.is_empty());
        let name = event.tool.or_else(|| string("name")).filter(|name| !name.is_empty());
        let (Some(id), Some(name)) = (id, name) else { return };
        if let Some((message, at)) = self.block(index, emit)
            && message.blocks[at].call.is_some()
        {
            return;
        }
        let call_id = self.new_call(id, None, emit);
        let Some((message, at)) = self.block(index, emit) else { return };
        let parent = message.item_id.clone();
        let part = ToolCallPart { arguments: Text::default(), ..tools::call_part(&call_id, name, None) };
        let call = emit.open_call(CallSpec { call_id: &call_id, parent: Some(&parent), agent: None }, part);
        message.blocks[at].call = call;
        message.blocks[at].call_id.clone_from(&call_id);
        self.remember(&call_id, id, None, name, None);
    }

    fn call_delta(&mut self, event: &UpdateEvent<'_>, emit: &mut Emit<'_>) {
        let Some(text) = event.delta.as_ref().filter(|text| !text.is_empty()) else {
            emit.ignore("empty delta");
            return;
        };
        let Some((message, at)) = self.block(event.index.unwrap_or(0), emit) else { return };
        let block = &mut message.blocks[at];
        let Some(call) = block.call else {
            emit.ignore("delta of no call");
            return;
        };
        text.append_to(&mut block.arguments);
        emit.delta(call, 0, text, false);
        emit.repeats(call, 0, text);
    }

    /// The arguments of a call are final.
    pub(super) fn finish_call(&mut self, index: u64, call: &Block<'_>, emit: &mut Emit<'_>) {
        let (Some(id), Some(name)) = (call.id, call.name) else {
            emit.ignore("call without a name");
            return;
        };
        let Some((message, at)) = self.block(index, emit) else { return };
        let parent = message.item_id.clone();
        let open = message.blocks[at].call.take();
        let streamed = std::mem::take(&mut message.blocks[at].arguments);
        let begun = message.blocks[at].call_id.clone();
        match open.filter(|item| emit.is_open(*item)) {
            Some(item) => {
                // A call keeps the identifier that it was announced with.
                let mut part = tools::call_part(&begun, name, call.arguments);
                if says(&streamed, call.arguments) {
                    part.arguments = Text::from_wtf8(streamed);
                }
                self.remember(&begun, id, None, name, call.arguments);
                emit.finish_call(item, part);
            }
            // It was announced, or its tool has begun.
            None if !begun.is_empty() || self.waiting_call(id, None, emit).is_some() => emit.ignore("repeated"),
            None => self.whole_call(call, &parent, None, emit),
        }
    }
}

/// The block of an update, as it is in the message so far.
fn so_far<'a>(event: &UpdateEvent<'a>) -> Option<Value<'a>> {
    let index = usize::try_from(event.index.unwrap_or(0)).ok()?;
    event.partial?.get("content")?.elements().nth(index)
}

/// Whether the arguments that streamed say the same as the final ones.
fn says(streamed: &[u8], arguments: Option<Value<'_>>) -> bool {
    let Some(arguments) = arguments else { return false };
    let mut tape = Tape::default();
    let streamed = std::str::from_utf8(streamed).ok().and_then(|text| tape.read(text).ok());
    streamed.is_some_and(|streamed| same_json(streamed, arguments))
}

//! Messages of the stream: whole ones, without identifiers.

use std::borrow::Cow;

use interlinear_schema::{ContentPart, ImagePart, ItemKind, ItemRole, ItemStatus, Json, Text, ToolKind, TurnStatus};

use super::output::Shown;
use super::prompts::user_message;
use super::state::State;
use super::tools;
use super::wire::{Block, MessageLine};
use crate::agents::read;
use crate::api::DriftKind;
use crate::emit::{CallSpec, Emit, Spec};
use crate::hash;
use crate::json::Value;
use crate::uri::data_url;
use crate::wire::named;

impl State {
    /// A `user` line: a prompt, results of tools, or both.
    pub(super) fn user(&mut self, line: &MessageLine<'_>, emit: &mut Emit<'_>) {
        let agent = self.agent_named(line.parent);
        let agent = agent.as_deref();
        let Some(content) = line.message.as_ref().and_then(|message| message.content) else {
            emit.ignore("no message");
            return;
        };
        let mut parts = Vec::with_capacity(1);
        let mut results = false;
        parts.extend(content.text().map(ContentPart::text));
        for value in content.elements() {
            let Some(block) = &read::<Block<'_>>(value, emit) else { continue };
            if let Some(id) = block.tool_use_id {
                self.tool_result(id, block, agent, emit);
                results = true;
            } else {
                parts.push(part(block, value, emit));
            }
        }
        if agent.is_none() && !(results && parts.is_empty()) {
            parts = self.prompt_shown(parts, emit);
        }
        if parts.is_empty() {
            emit.ignore("nothing in it");
            return;
        }
        if agent.is_none() {
            self.begin_asking(emit);
        }
        user_message(parts, agent, false, emit);
    }

    /// An `assistant` line: one message, with its calls.
    pub(super) fn assistant(&mut self, line: &MessageLine<'_>, emit: &mut Emit<'_>) {
        let agent = self.agent_named(line.parent);
        let agent = agent.as_deref();
        let Some(message) = &line.message else {
            emit.ignore("no message");
            return;
        };
        let id = message.id;
        // Lines of one answer share its identifier, where they have one.
        let goes_on = named(id).is_some_and(|id| !emit.first_time(hash::of_all(&["answer", id])));
        if !goes_on {
            // The model was asked again: what has no result by now gets none.
            emit.close_calls(agent);
        }
        if agent.is_none() {
            self.answered = true;
            self.prompt_answered(emit);
        }
        let status = ItemStatus::Completed;
        self.answer(message.content, status, id, agent, emit);
        if agent.is_none() {
            let mut blocks = message.content.into_iter().flat_map(Value::elements);
            let calls = blocks.any(|block| block.get("type").and_then(Value::str) == Some("tool_use"));
            self.turn.calls = calls || (goes_on && self.turn.calls);
        }
        let stop = message.stop_reason;
        if let Some(model) = message.model {
            model.clone_into(self.turn.model.get_or_insert_default());
        }
        self.note_answer(message.usage.as_ref().filter(|_| !goes_on), stop, agent.is_none());
        if agent.is_none() && stop == Some("end_turn") {
            self.end_turn(TurnStatus::Completed, emit);
        }
    }

    /// A message of the assistant, with its calls.
    pub(super) fn answer(
        &mut self,
        content: Option<Value<'_>>,
        status: ItemStatus<'static>,
        id: Option<&str>,
        agent: Option<&str>,
        emit: &mut Emit<'_>,
    ) {
        let mut parts = Vec::with_capacity(1);
        let mut calls = Vec::new();
        parts.extend(content.and_then(Value::text).map(ContentPart::text));
        for value in content.into_iter().flat_map(Value::elements) {
            let Some(block) = &read::<Block<'_>>(value, emit) else { continue };
            match (block.r#type, block.id, block.name) {
                (Some("tool_use"), Some(id), Some(name)) => calls.push((id, name, block.input)),
                _ => parts.push(part(block, value, emit)),
            }
        }
        let role = Some(ItemRole::Assistant);
        let spec = Spec { id: id.unwrap_or_default(), kind: ItemKind::Message, role, native: id, parent: None, agent };
        emit.item(&spec, status, parts, false);
        if calls.is_empty() {
            return;
        }
        let parent = emit.last_item().to_owned();
        for (native, name, input) in calls {
            // A message that is sent again has its identifier, where it has one.
            let named = id.filter(|_| !native.is_empty());
            let again = named.is_some_and(|message| !emit.first_time(hash::of_all(&["call", message, native])));
            if again {
                emit.ignore("repeated");
            } else {
                self.call(native, name, input, Some(&parent), agent, emit);
            }
        }
    }

    /// The subagent that a line names: the call that started it.
    pub(super) fn agent_named<'l>(&self, native: Option<&'l str>) -> Option<Cow<'l, str>> {
        named(native).map(|native| self.call_ids.of_agent(native))
    }

    pub(super) fn call(
        &mut self,
        native: &str,
        name: &str,
        input: Option<Value<'_>>,
        parent: Option<&str>,
        agent: Option<&str>,
        emit: &mut Emit<'_>,
    ) {
        let id = &*self.call_ids.begins(native, agent, tools::kind(name) == ToolKind::Task, emit);
        match tools::info(name, input) {
            Some(info) => self.calls.insert(id.to_owned(), info),
            None => self.calls.remove(id),
        };
        let mut part = tools::call_part(id, name, input);
        if let Some(input) = input.filter(|input| input.is_object()) {
            part.arguments = Text::from(input.compact());
        }
        emit.call(CallSpec { call_id: id, parent, agent }, part, false);
    }

    /// The result of a tool, as the stream has it.
    pub(super) fn tool_result(&mut self, id: &str, block: &Block<'_>, agent: Option<&str>, emit: &mut Emit<'_>) {
        let shown = match block.content.map(|content| (content, content.text())) {
            Some((_, Some(text))) => Shown::of_text(&text),
            Some((content, None)) => Shown::of(content),
            None => Shown::default(),
        };
        self.give_result(id, shown, block.is_error == Some(true), agent, emit);
    }

    /// A command that fails is a failed result, although the agent does not say so.
    pub(super) fn give_result(
        &mut self,
        native: &str,
        shown: Shown,
        failed: bool,
        agent: Option<&str>,
        emit: &mut Emit<'_>,
    ) {
        let id = &*self.call_ids.of_result(native, agent, emit);
        let call = self.calls.remove(id).unwrap_or_default();
        let failed = failed || shown.exit_code.is_some_and(|code| code != 0);
        let (part, extra) = shown.parts(id, &call, failed);
        emit.result(part, extra, failed, agent, false);
    }
}

/// The part of a block that is no call and no result.
pub(super) fn part<'a>(block: &Block<'a>, value: Value<'a>, emit: &mut Emit<'_>) -> ContentPart<'a> {
    match block.r#type.unwrap_or_default() {
        "text" => ContentPart::text(block.text.clone().unwrap_or_default()),
        "thinking" => ContentPart::reasoning(block.thinking.clone().unwrap_or_default()),
        "redacted_thinking" => ContentPart::reasoning(Text::default()),
        "image" => image(block.source),
        kind => {
            emit.book.drift.note(DriftKind::Value, "block.type", kind);
            ContentPart::json(Json::from_text(value.compact()))
        }
    }
}

/// An image whose bytes stand in the line becomes a `data:` URL.
fn image(source: Option<Value<'_>>) -> ContentPart<'_> {
    let field = |key: &str| source.and_then(|source| source.get(key));
    let text = |key: &str| field(key).and_then(Value::text);
    let mime = field("media_type").or_else(|| field("mediaType")).and_then(Value::str);
    let path = match text("data") {
        Some(data) => data_url(mime, &data),
        None => text("url").unwrap_or_default(),
    };
    ContentPart::Image(ImagePart { path, mime: mime.map(Cow::Borrowed), ..ImagePart::default() })
}

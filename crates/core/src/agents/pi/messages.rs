//! Messages: of the user, of the assistant, of extensions, and the agent's own. None has an identifier; the time at
//! which one was made stands in every form of it, so that names it.

use std::borrow::Cow;

use interlinear_schema::{ContentPart, ItemKind, ItemRole, ItemStatus, Json, ToolResultPart};

use super::content;
use super::state::{self, State};
use super::tools;
use super::wire::{Block, Message, MessageLine};
use crate::agents::read;
use crate::api::DriftKind;
use crate::emit::{CallSpec, Emit, Ref, Spec};
use crate::json::Value;
use crate::wire::named;

/// What a message is named by.
fn name(message: &Message<'_>) -> String {
    match (message.role, message.timestamp) {
        (Some(role), Some(timestamp)) => format!("{role}_{timestamp}"),
        _ => String::new(),
    }
}

/// Where a message stands: the identifier of its entry in a session file, and the subagent that it belongs to.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Place<'a> {
    pub(super) entry: Option<&'a str>,
    pub(super) agent: Option<&'a str>,
}

impl State {
    pub(super) fn message_start(&mut self, line: &MessageLine<'_>, emit: &mut Emit<'_>) {
        emit.ignore("start of a message");
        let Some(message) = &line.message else { return };
        if message.role == Some("assistant") {
            // The one before has no end, so that nobody runs what it calls.
            let calls = self.message.iter().flat_map(|open| &open.blocks).map(|block| block.call_id.clone()).collect();
            self.drop_calls(calls, None, emit);
            self.began_again = false;
            self.answers(message, emit);
            self.open_message(&name(message), emit);
        }
    }

    /// The assistant begins to write.
    pub(super) fn open_message(&mut self, name: &str, emit: &mut Emit<'_>) -> Ref {
        self.close_message(emit);
        self.forget_shown();
        emit.begin_turn(None, false);
        let item = emit.open(&assistant_spec(name, Place::default()), Vec::new(), false);
        let item_id = emit.id_of(item).unwrap_or_default().to_owned();
        self.message = Some(state::Message { item, item_id, blocks: Vec::new() });
        item
    }

    /// A message that the agent does not finish.
    fn close_message(&mut self, emit: &mut Emit<'_>) {
        if let Some(message) = self.message.take() {
            emit.complete(message.item, ItemStatus::Failed, true);
        }
    }

    pub(super) fn message_end(&mut self, line: &MessageLine<'_>, emit: &mut Emit<'_>) {
        let Some(message) = &line.message else {
            emit.ignore("no message");
            return;
        };
        match message.role.unwrap_or_default() {
            "assistant" => self.finish_message(message, emit),
            "toolResult" => {
                let id = message.call_id.unwrap_or_default();
                if self.waiting_call(id, None, emit).is_some() || !emit.has_begun(id) {
                    self.whole_message(message, Place::default(), emit);
                } else {
                    emit.ignore("repeated");
                }
            }
            "user" if self.was_said(message, emit) => {}
            role => {
                if role == "user" {
                    self.prompt_shown(emit);
                }
                self.began_again &= role == "system";
                self.whole_message(message, Place::default(), emit);
            }
        }
    }

    /// The assistant's message is final. Its blocks have streamed, or come only now.
    fn finish_message(&mut self, message: &Message<'_>, emit: &mut Emit<'_>) {
        let item = match &self.message {
            Some(open) if emit.is_open(open.item) => open.item,
            _ if message.timestamp.is_some() && message.timestamp == self.answered => {
                return emit.ignore("repeated");
            }
            _ => self.open_message(&name(message), emit),
        };
        self.answered = message.timestamp;
        if !self.finish_blocks(item, message, emit) {
            // The text is another one: what streamed is closed, and the answer begins anew.
            self.close_message(emit);
            let item = self.open_message(&name(message), emit);
            self.finish_blocks(item, message, emit);
        }
        let Some(open) = self.message.take() else { return };
        let status = status(message);
        emit.complete(open.item, status.clone(), false);
        if status == ItemStatus::Failed {
            let announced = open.blocks.into_iter().map(|block| block.call_id).collect();
            self.drop_calls(announced, None, emit);
            self.drop_calls(self.calls_of(message, None, emit), None, emit);
        }
        self.note_answer(message, emit);
    }

    /// The calls of a message that wait for their results.
    fn calls_of(&self, message: &Message<'_>, agent: Option<&str>, emit: &Emit<'_>) -> Vec<String> {
        let blocks = message.content.into_iter().flat_map(Value::elements);
        let calls = blocks.filter(|block| block.get("type").and_then(Value::str) == Some("toolCall"));
        calls.filter_map(|call| self.waiting_call(call.get("id")?.str()?, agent, emit)).collect()
    }

    /// The answer that makes these calls was cut: they are not run. When it is repeated, they may come again under the
    /// same identifiers.
    fn drop_calls(&mut self, calls: Vec<String>, agent: Option<&str>, emit: &mut Emit<'_>) {
        for id in &calls {
            if !emit.awaits_result(id) {
                continue;
            }
            let part = ToolResultPart { call_id: Cow::Borrowed(id), ..ToolResultPart::default() };
            emit.result(part, Vec::new(), true, agent, true);
            self.calls.retain(|call| call.id != *id);
        }
    }

    /// Puts the final form of all blocks in place. False if the text that streamed is contradicted.
    fn finish_blocks(&mut self, item: Ref, message: &Message<'_>, emit: &mut Emit<'_>) -> bool {
        if let Some(text) = message.content.and_then(Value::text) {
            let place = self.part_of(0).unwrap_or_else(|| emit.add_part(item, ContentPart::text(text.borrow())));
            return emit.finish_part(item, place, ContentPart::text(text));
        }
        for (index, value) in message.content.into_iter().flat_map(Value::elements).enumerate() {
            let Some(block) = read::<Block<'_>>(value, emit) else { continue };
            let index = index as u64;
            if block.r#type == Some("toolCall") {
                self.finish_call(index, &block, emit);
                continue;
            }
            let part = content::part(block, value, emit);
            let place = self.part_of(index).unwrap_or_else(|| emit.add_part(item, part.clone()));
            if !emit.finish_part(item, place, part) {
                return false;
            }
        }
        true
    }

    fn part_of(&self, index: u64) -> Option<usize> {
        let blocks = &self.message.as_ref()?.blocks;
        blocks.iter().find(|block| block.index == index)?.part
    }

    /// A message that is known whole: of a session file, of a subagent, of the user.
    pub(super) fn whole_message(&mut self, message: &Message<'_>, place: Place<'_>, emit: &mut Emit<'_>) {
        match message.role.unwrap_or_default() {
            "user" => {
                let mut parts = content::parts(message.content, emit);
                let skill = content::take_skill(&mut parts);
                let files = content::attached(&parts);
                parts.extend(files);
                let name = name(message);
                let spec = Spec {
                    id: &name,
                    kind: ItemKind::Message,
                    role: Some(ItemRole::User),
                    native: place.entry,
                    parent: None,
                    agent: place.agent,
                };
                emit.item(&spec, ItemStatus::Completed, parts, false);
                if let Some(skill) = skill {
                    self.system_item(vec![ContentPart::text(skill)], place.entry, place.agent, emit);
                }
            }
            "assistant" => self.whole_answer(message, place, emit),
            "toolResult" => self.result_message(message, place, emit),
            "bashExecution" => self.host_execution(message, emit),
            "compactionSummary" | "branchSummary" => {
                let summary = message.summary.as_ref().map(|summary| ContentPart::text(summary.borrow()));
                self.system_item(summary.into_iter().collect(), place.entry, place.agent, emit);
            }
            "system" => self.system_prompt(message, place, emit),
            role => {
                // Older versions call them messages of hooks.
                if !matches!(role, "custom" | "hookMessage") {
                    emit.book.drift.note(DriftKind::Value, "message.role", role);
                }
                let mut parts = content::parts(message.content, emit);
                parts.retain(|part| !matches!(part, ContentPart::Reasoning(_)));
                self.system_item(parts, place.entry, place.agent, emit);
            }
        }
    }

    fn whole_answer(&mut self, message: &Message<'_>, place: Place<'_>, emit: &mut Emit<'_>) {
        let mut parts = Vec::with_capacity(1);
        let mut calls = Vec::new();
        if let Some(text) = message.content.and_then(Value::text) {
            parts.push(ContentPart::text(text));
        }
        for value in message.content.into_iter().flat_map(Value::elements) {
            let Some(block) = read::<Block<'_>>(value, emit) else { continue };
            if block.r#type == Some("toolCall") {
                calls.push(block);
            } else {
                parts.push(content::part(block, value, emit));
            }
        }
        let name = name(message);
        emit.item(&assistant_spec(&name, place), status(message), parts, false);
        let item_id = emit.last_item().to_owned();
        for call in &calls {
            self.whole_call(call, &item_id, place.agent, emit);
        }
        if status(message) == ItemStatus::Failed {
            self.drop_calls(self.calls_of(message, place.agent, emit), place.agent, emit);
        }
    }

    /// A call whose arguments are known.
    pub(super) fn whole_call(&mut self, block: &Block<'_>, parent: &str, agent: Option<&str>, emit: &mut Emit<'_>) {
        let (Some(id), Some(name)) = (named(block.id), named(block.name)) else {
            emit.ignore("call without a name");
            return;
        };
        let call_id = self.new_call(id, agent, emit);
        self.remember(&call_id, id, agent, name, block.arguments);
        let parent = Some(parent).filter(|parent| !parent.is_empty());
        let part = tools::call_part(&call_id, name, block.arguments);
        emit.call(CallSpec { call_id: &call_id, parent, agent }, part, false);
    }

    /// The call with the model's identifier that waits for its result.
    pub(super) fn waiting_call(&self, native: &str, agent: Option<&str>, emit: &Emit<'_>) -> Option<String> {
        let mut calls = self.calls.iter().filter(|call| call.native == native && call.agent.as_deref() == agent);
        calls.find(|call| emit.awaits_result(&call.id)).map(|call| call.id.clone())
    }

    /// The same; one that nobody waits for keeps its identifier.
    pub(super) fn call_of(&self, native: &str, agent: Option<&str>, emit: &Emit<'_>) -> String {
        self.waiting_call(native, agent, emit).unwrap_or_else(|| native.to_owned())
    }

    /// The identifier of a call that begins, if it has not begun yet.
    pub(super) fn new_call(&self, native: &str, agent: Option<&str>, emit: &Emit<'_>) -> String {
        self.waiting_call(native, agent, emit).unwrap_or_else(|| emit.fresh_call_id(native))
    }

    /// Remembers what the result will need of its call.
    pub(super) fn remember(
        &mut self,
        id: &str,
        native: &str,
        agent: Option<&str>,
        name: &str,
        arguments: Option<Value<'_>>,
    ) {
        if !self.calls.iter().any(|call| call.id == id) {
            let (native, agent) = (native.to_owned(), agent.map(str::to_owned));
            self.calls.push(state::CallInfo { native, agent, ..tools::info(id, name, arguments) });
        } else if let Some(call) = self.calls.iter_mut().find(|call| call.id == id && call.path.is_none()) {
            call.path = tools::info(id, name, arguments).path;
        }
    }

    /// The agent's own prompt, with the tools that it has.
    fn system_prompt(&mut self, message: &Message<'_>, place: Place<'_>, emit: &mut Emit<'_>) {
        if let Some(tools) = message.tools_added.filter(|_| place.agent.is_none()) {
            let names: Vec<_> = tools.elements().filter_map(|tool| tool.get("name").map(Value::raw)).collect();
            emit.learn(&[("tools", Some(Json::from_text(format!("[{}]", names.join(",")))))]);
        }
        let mut parts = content::parts(message.content, emit);
        parts.retain(|part| !matches!(part, ContentPart::Text(part) if part.text.is_empty()));
        for (_, section) in message.sections.into_iter().flat_map(Value::members) {
            match section.text() {
                Some(text) => parts.push(ContentPart::text(text)),
                None => parts.push(ContentPart::json(section.json())),
            }
        }
        self.system_item(parts, place.entry, place.agent, emit);
    }

    /// Text that the agent or an extension put in.
    pub(super) fn system_item(
        &mut self,
        parts: Vec<ContentPart<'_>>,
        entry: Option<&str>,
        agent: Option<&str>,
        emit: &mut Emit<'_>,
    ) {
        let spec = Spec {
            id: entry.unwrap_or_default(),
            kind: ItemKind::System,
            role: Some(ItemRole::System),
            native: entry,
            parent: None,
            agent,
        };
        emit.item(&spec, ItemStatus::Completed, parts, false);
    }
}

fn assistant_spec<'a>(name: &'a str, place: Place<'a>) -> Spec<'a> {
    Spec {
        id: name,
        kind: ItemKind::Message,
        role: Some(ItemRole::Assistant),
        native: place.entry,
        parent: None,
        agent: place.agent,
    }
}

/// An answer that was cut has failed.
fn status(message: &Message<'_>) -> ItemStatus<'static> {
    match message.stop_reason {
        Some("error" | "aborted") => ItemStatus::Failed,
        _ => ItemStatus::Completed,
    }
}

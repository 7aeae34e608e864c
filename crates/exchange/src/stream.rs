//! One session on its way into universal events: numbers, times, and the lifecycle rules that every stream keeps.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

use interlinear_core::time;
use interlinear_schema::{
    ContentPart, DeltaPart, EndReason, EventData, EventSource, ItemData, ItemDeltaData, ItemKind, ItemStatus, Json,
    PermissionData, PermissionStatus, QuestionData, QuestionStatus, SessionEndedData, SessionStartedData, TerminatedBy,
    Text, ToJson, ToolCallPart, ToolResultPart, TurnData, TurnPhase, UniversalEvent, UniversalItem,
};

/// What a session remembers.
#[derive(Debug, Default)]
pub(crate) struct Stream {
    id: String,
    native: Option<String>,
    sequence: u64,
    now: i64,
    time: String,
    /// What caused the events, where it was asked for.
    cause: Option<String>,
    started: bool,
    pub(crate) ended: bool,
    turns: u64,
    turn: Option<String>,
    items: u64,
    /// Calls without a result, and who made them.
    calls: BTreeMap<String, Owner>,
    finished: HashSet<String>,
    /// The identifiers of all requests.
    requests: HashSet<String>,
    permissions: BTreeMap<String, PermissionData<'static>>,
    questions: BTreeMap<String, QuestionData<'static>>,
}

/// Whose an item is.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Owner {
    /// The subagent; none for the main agent.
    pub(crate) agent: Option<String>,
    /// The item of the call that started it.
    pub(crate) below: Option<String>,
}

impl Stream {
    pub(crate) fn new(id: String, native: Option<String>) -> Self {
        Self { id, native, ..Self::default() }
    }

    /// A line of this time causes the events that follow.
    pub(crate) fn at(&mut self, timestamp: Option<&str>, cause: Option<&str>) {
        self.now = timestamp.and_then(time::parse).map_or(self.now, |ms| ms.max(self.now));
        self.cause = cause.map(str::to_owned);
    }

    pub(crate) fn in_turn(&self) -> bool {
        self.turn.is_some()
    }

    pub(crate) fn start(&mut self, metadata: Json<'static>, out: &mut Vec<u8>) {
        if !std::mem::replace(&mut self.started, true) {
            let data = SessionStartedData { metadata: Some(metadata), ..SessionStartedData::default() };
            self.send(false, EventData::SessionStarted(data), out);
        }
    }

    pub(crate) fn send(&mut self, synthetic: bool, data: EventData<'_>, out: &mut Vec<u8>) {
        if !self.started {
            self.start(Json::from_text(r#"{"form":"stored"}"#), out);
        }
        self.sequence += 1;
        time::format(self.now, &mut self.time);
        let event = UniversalEvent {
            event_id: Cow::Owned(format!("evt_{}_{}", self.id, self.sequence)),
            sequence: self.sequence,
            time: Cow::Borrowed(&self.time),
            session_id: Cow::Borrowed(&self.id),
            native_session_id: self.native.as_deref().map(Cow::Borrowed),
            source: if synthetic { EventSource::Daemon } else { EventSource::Agent },
            synthetic,
            data,
            raw: self.cause.as_deref().map_or_else(Json::null, Json::from_text),
            ..UniversalEvent::default()
        };
        event.write_json(out);
        out.push(b'\n');
    }

    pub(crate) fn start_turn(&mut self, out: &mut Vec<u8>) {
        self.turns += 1;
        let id = format!("turn_{}", self.turns);
        self.turn = Some(id.clone());
        let data = TurnData { phase: TurnPhase::Started, turn_id: Some(id.into()), ..TurnData::default() };
        self.send(false, EventData::TurnStarted(data), out);
    }

    pub(crate) fn end_turn(&mut self, metadata: Json<'static>, synthetic: bool, out: &mut Vec<u8>) {
        self.close(false, out);
        let Some(id) = self.turn.take() else { return };
        let (phase, turn_id, metadata) = (TurnPhase::Ended, Some(id.into()), Some(metadata));
        let data = TurnData { phase, turn_id, metadata, ..TurnData::default() };
        self.send(synthetic, EventData::TurnEnded(data), out);
    }

    /// The session is over: with an error, or well.
    pub(crate) fn end(&mut self, error: Option<Text<'static>>, synthetic: bool, out: &mut Vec<u8>) {
        if std::mem::replace(&mut self.ended, true) {
            return;
        }
        if self.turn.is_some() {
            let status = if error.is_some() { "failed" } else { "interrupted" };
            self.end_turn(Json::from_text(format!(r#"{{"status":"{status}"}}"#)), true, out);
        }
        self.close(true, out);
        let reason = if error.is_some() { EndReason::Error } else { EndReason::Completed };
        let terminated_by = TerminatedBy::Agent;
        let data = SessionEndedData { reason, terminated_by, message: error, ..SessionEndedData::default() };
        self.send(synthetic, EventData::SessionEnded(data), out);
    }

    /// What will not be finished is closed: the main agent's at the end of its turn, all at the end of the session.
    fn close(&mut self, all: bool, out: &mut Vec<u8>) {
        let open = self.calls.iter().filter(|(_, owner)| all || owner.agent.is_none());
        for call in open.map(|(call, _)| call.clone()).collect::<Vec<_>>() {
            self.result(&call, "", Json::null(), Text::default(), true, true, Owner::default(), out);
        }
        for (_, data) in std::mem::take(&mut self.permissions) {
            let data = PermissionData { status: PermissionStatus::Reject, ..data };
            self.send(true, EventData::PermissionResolved(data), out);
        }
        for (_, data) in std::mem::take(&mut self.questions) {
            let data = QuestionData { status: QuestionStatus::Rejected, ..data };
            self.send(true, EventData::QuestionResolved(data), out);
        }
    }

    /// An identifier that no other item of the session has.
    fn item_id(&mut self, kind: &str) -> String {
        self.items += 1;
        format!("itm_{kind}_{}", self.items)
    }

    /// A whole item: it begins, its texts come, it is complete. Gives its identifier.
    pub(crate) fn item(
        &mut self,
        item: UniversalItem<'static>,
        owner: &Owner,
        synthetic: bool,
        out: &mut Vec<u8>,
    ) -> String {
        let id = match item.item_id.as_ref() {
            "" => self.item_id(item.kind.as_str()),
            id => id.to_owned(),
        };
        let item = UniversalItem {
            item_id: Cow::Owned(id.clone()),
            parent_id: item.parent_id.or(owner.below.clone().map(Cow::Owned)),
            agent_id: owner.agent.clone().map(Cow::Owned),
            turn_id: self.turn.clone().map(Cow::Owned),
            ..item
        };
        let beginning = item.content.iter().filter_map(without_text).collect();
        let begun = UniversalItem { status: ItemStatus::InProgress, content: beginning, ..item.clone() };
        self.send(true, EventData::ItemStarted(ItemData { item: begun, ..ItemData::default() }), out);
        for (index, part) in item.content.iter().enumerate() {
            let Some((part_type, text)) = text_of(part).filter(|(_, text)| !text.is_empty()) else { continue };
            let data = ItemDeltaData {
                item_id: Cow::Borrowed(&id),
                delta: text,
                part_type,
                part_index: Some(index as u64),
                ..ItemDeltaData::default()
            };
            self.send(true, EventData::ItemDelta(data), out);
        }
        self.send(synthetic, EventData::ItemCompleted(ItemData { item, ..ItemData::default() }), out);
        id
    }

    /// Whether a call is known, with its result or without.
    pub(crate) fn knows(&self, call: &str) -> bool {
        self.calls.contains_key(call) || self.finished.contains(call)
    }

    /// A tool is called; a call that was told already is the same one.
    pub(crate) fn call(
        &mut self,
        part: ToolCallPart<'static>,
        parent: Option<String>,
        owner: &Owner,
        synthetic: bool,
        out: &mut Vec<u8>,
    ) -> bool {
        let call = part.call_id.to_string();
        if call.is_empty() || self.knows(&call) {
            return false;
        }
        let item = UniversalItem {
            item_id: Cow::Owned(call_item(&call)),
            kind: ItemKind::ToolCall,
            status: ItemStatus::Completed,
            content: vec![ContentPart::ToolCall(part)],
            native_item_id: Some(Cow::Owned(call.clone())),
            parent_id: parent.map(Cow::Owned),
            ..UniversalItem::default()
        };
        self.item(item, owner, synthetic, out);
        self.calls.insert(call, owner.clone());
        true
    }

    /// A tool has answered; a call that was not told is made from what is known. False if it had answered before.
    #[expect(clippy::too_many_arguments, reason = "a result is all of this")]
    pub(crate) fn result(
        &mut self,
        call: &str,
        name: &str,
        input: Json<'static>,
        output: Text<'static>,
        failed: bool,
        synthetic: bool,
        owner: Owner,
        out: &mut Vec<u8>,
    ) -> bool {
        if call.is_empty() || self.finished.contains(call) {
            return false;
        }
        if !self.calls.contains_key(call) {
            self.call(call_part(call, name, &input), None, &owner, true, out);
        }
        let owner = self.calls.remove(call).unwrap_or_default();
        self.finished.insert(call.to_owned());
        let part = ToolResultPart { call_id: Cow::Owned(call.to_owned()), output, ..ToolResultPart::default() };
        let item = UniversalItem {
            item_id: Cow::Owned(format!("{}_result", call_item(call))),
            kind: ItemKind::ToolResult,
            status: if failed { ItemStatus::Failed } else { ItemStatus::Completed },
            content: vec![ContentPart::ToolResult(part)],
            native_item_id: Some(Cow::Owned(call.to_owned())),
            ..UniversalItem::default()
        };
        self.item(item, &owner, synthetic, out);
        true
    }

    pub(crate) fn ask_permission(&mut self, data: PermissionData<'static>, out: &mut Vec<u8>) {
        self.requests.insert(data.permission_id.to_string());
        self.permissions.insert(data.permission_id.to_string(), data.clone());
        self.send(false, EventData::PermissionRequested(data), out);
    }

    pub(crate) fn resolve_permission(
        &mut self,
        id: &str,
        told: Option<PermissionData<'static>>,
        out: &mut Vec<u8>,
    ) -> bool {
        let Some(asked) = self.permissions.remove(id) else { return false };
        let data = told.unwrap_or(PermissionData { status: PermissionStatus::Accept, ..asked.clone() });
        let (permission_id, agent_id) = (asked.permission_id, asked.agent_id);
        let data = PermissionData { permission_id, agent_id, ..data };
        self.send(false, EventData::PermissionResolved(data), out);
        true
    }

    pub(crate) fn ask_question(&mut self, data: QuestionData<'static>, out: &mut Vec<u8>) {
        self.requests.insert(data.question_id.to_string());
        self.questions.insert(data.question_id.to_string(), data.clone());
        self.send(false, EventData::QuestionRequested(data), out);
    }

    pub(crate) fn resolve_question(
        &mut self,
        id: &str,
        told: Option<QuestionData<'static>>,
        out: &mut Vec<u8>,
    ) -> bool {
        let Some(asked) = self.questions.remove(id) else { return false };
        let data = told.unwrap_or(QuestionData { status: QuestionStatus::Answered, ..asked.clone() });
        let data = QuestionData { question_id: asked.question_id, agent_id: asked.agent_id, ..data };
        self.send(false, EventData::QuestionResolved(data), out);
        true
    }

    /// Whether a request of this identifier was made before.
    pub(crate) fn asked(&self, id: &str) -> bool {
        self.requests.contains(id)
    }
}

/// The item of a call.
pub(crate) fn call_item(call: &str) -> String {
    format!("itm_{call}")
}

/// The part of a call: arguments that are not a string are JSON.
pub(crate) fn call_part(call: &str, name: &str, input: &Json<'_>) -> ToolCallPart<'static> {
    let arguments = match input.parse::<Text<'static>>() {
        Ok(text) => text,
        Err(_) if input.is_null() => Text::default(),
        Err(_) => Text::from(input.as_str().to_owned()),
    };
    let (name, call_id) = (Cow::Owned(name.to_owned()), Cow::Owned(call.to_owned()));
    ToolCallPart { name, arguments, call_id, ..ToolCallPart::default() }
}

/// The part as it is when its item begins: without the text that deltas bring.
fn without_text(part: &ContentPart<'static>) -> Option<ContentPart<'static>> {
    match part {
        ContentPart::Text(_) | ContentPart::Reasoning(_) | ContentPart::Json(_) => None,
        ContentPart::ToolCall(part) => {
            Some(ContentPart::ToolCall(ToolCallPart { arguments: Text::default(), ..part.clone() }))
        }
        ContentPart::ToolResult(part) => {
            Some(ContentPart::ToolResult(ToolResultPart { output: Text::default(), ..part.clone() }))
        }
        other => Some(other.clone()),
    }
}

fn text_of<'p>(part: &'p ContentPart<'static>) -> Option<(Option<DeltaPart<'static>>, Text<'p>)> {
    match part {
        ContentPart::Text(part) => Some((None, part.text.borrow())),
        ContentPart::Reasoning(part) => Some((Some(DeltaPart::Reasoning), part.text.borrow())),
        ContentPart::ToolCall(part) => Some((Some(DeltaPart::ToolCall), part.arguments.borrow())),
        ContentPart::ToolResult(part) => Some((Some(DeltaPart::ToolResult), part.output.borrow())),
        _ => None,
    }
}

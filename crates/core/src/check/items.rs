//! Rules 12 to 16 as far as items go: their life, their calls and results, their parents, what they hold.

use interlinear_schema::{
    ContentPart, ItemDeltaData, ItemKind, ItemRole, ItemStatus, StatusLabel, ToolKind, UniversalItem,
};

use super::text::Texts;
use super::{Report, hash};
use crate::map::{Hashes, Map};

/// The items of a session.
#[derive(Debug, Default)]
pub(super) struct Items {
    open: Map<String, OpenItem>,
    /// Every item that began, by the hash of its identifier.
    begun: Begun,
    calls: Calls,
}

#[derive(Debug)]
struct OpenItem {
    kind: ItemKind<'static>,
    turn_id: Option<String>,
    is_subagents: bool,
    /// The `call_id` of a tool call or result.
    call_id: Option<String>,
    texts: Texts,
    /// Whether it was already reported for being open.
    reported: bool,
}

/// What must be known of items that others hang below: hashes of their identifiers, and what each of them is.
#[derive(Debug, Default)]
struct Begun {
    all: Hashes,
    messages: Hashes,
    calls: Hashes,
    /// With the subagent that each belongs to.
    agents: Hashes,
}

/// The tool calls of a session, by `call_id`.
#[derive(Debug, Default)]
struct Calls {
    /// Those without a final result.
    open: Map<String, OpenCall>,
    /// Those with one.
    finished: Hashes,
}

#[derive(Debug, Default)]
struct OpenCall {
    completed: bool,
    result_started: bool,
    lives: Lives,
    /// Whether it was already reported for lacking its result.
    reported: bool,
}

/// How long a call may wait for its final result.
#[derive(Debug, Default, PartialEq, Eq)]
enum Lives {
    /// To the end of its turn.
    #[default]
    Turn,
    /// A command or a subagent: once its result has begun, the agent may let it go on in the background.
    Background,
    /// A subagent's own call: to the end of the session.
    Subagent,
}

impl Begun {
    /// True if it is new. One that begins again is what it says now.
    fn insert(&mut self, item: &UniversalItem<'_>) -> bool {
        let id = hash(&item.item_id);
        match item.kind {
            ItemKind::Message => {
                self.messages.insert(id);
            }
            ItemKind::ToolCall => {
                self.calls.insert(id);
            }
            _ => {}
        }
        self.agents.insert(of_agent(id, item));
        self.all.insert(id)
    }
}

/// The hash of an item together with the subagent that another one belongs to.
fn of_agent(id: u64, item: &UniversalItem<'_>) -> u64 {
    crate::hash::more(id, item.agent_id.as_deref().unwrap_or_default().as_bytes())
}

impl Items {
    pub(super) fn started(&mut self, item: &UniversalItem<'_>, report: &mut Report<'_>) {
        let id: &str = &item.item_id;
        if id.is_empty() {
            report.broken(12, "item_id is empty");
        }
        if item.status != ItemStatus::InProgress {
            report.broken(12, format!("item.started of {id} has the status \"{}\"", item.status.as_str()));
        }
        self.check_parent(item, report);
        if !self.begun.insert(item) {
            report.broken(12, format!("item {id} starts twice"));
        }
        check_content(item, report);
        let call_id = call_id(item).map(str::to_owned);
        match item.kind {
            ItemKind::ToolCall => self.calls.call_started(item, report),
            ItemKind::ToolResult => self.calls.result_started(call_id.as_deref(), report),
            _ => {}
        }
        let open = OpenItem {
            kind: interlinear_schema::IntoOwned::into_owned(item.kind.clone()),
            turn_id: item.turn_id.as_deref().map(str::to_owned),
            is_subagents: item.agent_id.is_some(),
            call_id,
            texts: Texts::started(item, report),
            reported: false,
        };
        self.open.insert(id.to_owned(), open);
    }

    pub(super) fn delta(&mut self, delta: &ItemDeltaData<'_>, report: &mut Report<'_>) {
        match self.open.get_mut(delta.item_id.as_ref()) {
            Some(open) => open.texts.delta(delta, report),
            None => self.not_open("item.delta", &delta.item_id, report),
        }
    }

    pub(super) fn completed(&mut self, item: &UniversalItem<'_>, report: &mut Report<'_>) {
        let id: &str = &item.item_id;
        let Some(open) = self.open.remove(id) else {
            return self.not_open("item.completed", id, report);
        };
        if !matches!(item.status, ItemStatus::Completed | ItemStatus::Failed) {
            report.broken(12, format!("item.completed of {id} has the status \"{}\"", item.status.as_str()));
        }
        if item.kind != open.kind {
            let (was, is) = (open.kind.as_str(), item.kind.as_str());
            report.broken(12, format!("item {id} started as {was} and is completed as {is}"));
        }
        if call_id(item) != open.call_id.as_deref() {
            report.broken(14, format!("call_id of {id} is not the one it started with"));
        }
        self.check_parent(item, report);
        check_content(item, report);
        if item.kind == ItemKind::Status && !item.content.iter().any(|part| matches!(part, ContentPart::Status(_))) {
            report.broken(15, format!("status {id} holds no status part"));
        }
        open.texts.completed(item, report);
        match open.kind {
            ItemKind::ToolCall => self.calls.call_completed(open.call_id.as_deref()),
            ItemKind::ToolResult => self.calls.result_completed(item, open.call_id.as_deref(), report),
            _ => {}
        }
    }

    fn not_open(&self, event: &str, id: &str, report: &mut Report<'_>) {
        let why = if self.begun.all.contains(hash(id)) { "is completed already" } else { "has not started" };
        report.broken(12, format!("{event} of {id}, which {why}"));
    }

    /// Rules 14 and 16: what an item hangs below.
    fn check_parent(&self, item: &UniversalItem<'_>, report: &mut Report<'_>) {
        let id: &str = &item.item_id;
        let Some(parent_id) = item.parent_id.as_deref() else {
            if item.agent_id.is_some() {
                report.broken(16, format!("item {id} of a subagent does not hang below a tool call"));
            }
            return;
        };
        let parent = hash(parent_id);
        if !self.begun.all.contains(parent) {
            return report.broken(16, format!("parent {parent_id} of {id} has not begun"));
        }
        let starts_subagent = item.agent_id.is_some() && self.begun.calls.contains(parent);
        if !self.begun.agents.contains(of_agent(parent, item)) && !starts_subagent {
            report.broken(16, format!("parent {parent_id} of {id} belongs to another agent"));
        }
        let is_tools = matches!(item.kind, ItemKind::ToolCall | ItemKind::ToolResult);
        if is_tools && !self.begun.messages.contains(parent) && !starts_subagent {
            report.broken(14, format!("parent {parent_id} of {id} is not a message"));
        }
    }

    /// Rule 12: what the agent will not finish is closed before its turn ends.
    pub(super) fn turn_ended(&mut self, turn_id: Option<&str>, report: &mut Report<'_>) {
        for (id, item) in self.open.iter_mut() {
            let call = item.call_id.as_ref().and_then(|id| self.calls.open.get(id));
            let goes_on = item.kind == ItemKind::ToolResult && call.is_some_and(|call| call.lives == Lives::Background);
            let of_another_turn = item.turn_id.is_some() && item.turn_id.as_deref() != turn_id;
            if !item.is_subagents && !goes_on && !of_another_turn && !item.reported {
                item.reported = true;
                report.broken(12, format!("item {id} is open at turn.ended"));
            }
        }
        for (id, call) in self.calls.open.iter_mut() {
            if call.lives != Lives::Subagent && !call.result_started && !call.reported {
                call.reported = true;
                report.broken(14, format!("tool call {id} has no result at turn.ended"));
            }
        }
    }

    pub(super) fn session_ended(&mut self, report: &mut Report<'_>) {
        for (id, item) in std::mem::take(&mut self.open) {
            if !item.reported {
                report.broken(12, format!("item {id} is open at session.ended"));
            }
        }
        for (id, call) in std::mem::take(&mut self.calls.open) {
            if !call.result_started && !call.reported {
                report.broken(14, format!("tool call {id} has no result"));
            }
        }
    }
}

impl Calls {
    fn call_started(&mut self, item: &UniversalItem<'_>, report: &mut Report<'_>) {
        let Some(ContentPart::ToolCall(part)) = tool_part(item) else { return };
        let id: &str = &part.call_id;
        if self.open.contains_key(id) || self.finished.contains(hash(id)) {
            return report.broken(14, format!("call_id {id} is called twice"));
        }
        let lives = match part.tool_kind {
            _ if item.agent_id.is_some() => Lives::Subagent,
            Some(ToolKind::Command | ToolKind::Task) => Lives::Background,
            _ => Lives::Turn,
        };
        self.open.insert(id.to_owned(), OpenCall { lives, ..OpenCall::default() });
    }

    fn call_completed(&mut self, call_id: Option<&str>) {
        if let Some(call) = call_id.and_then(|id| self.open.get_mut(id)) {
            call.completed = true;
        }
    }

    fn result_started(&mut self, call_id: Option<&str>, report: &mut Report<'_>) {
        let Some(id) = call_id else { return };
        match self.open.get_mut(id) {
            Some(call) if call.result_started => report.broken(14, format!("tool call {id} has two results")),
            Some(call) => call.result_started = true,
            None if self.finished.contains(hash(id)) => {
                report.broken(14, format!("tool call {id} has two results"));
            }
            None => report.broken(14, format!("result of {id} comes before its call")),
        }
    }

    fn result_completed(&mut self, item: &UniversalItem<'_>, call_id: Option<&str>, report: &mut Report<'_>) {
        let Some(id) = call_id else { return };
        if let Some(call) = self.open.remove(id) {
            self.finished.insert(hash(id));
            if !call.completed {
                report.broken(14, format!("result of {id} is completed before its call"));
            }
        }
        if let Some(ContentPart::ToolResult(part)) = tool_part(item)
            && part.exit_code.is_some_and(|code| code != 0)
            && item.status != ItemStatus::Failed
        {
            report.broken(14, format!("result of {id} has an exit code that is an error, but has not failed"));
        }
    }
}

/// The part that makes an item a tool call or result.
fn tool_part<'i>(item: &'i UniversalItem<'_>) -> Option<&'i ContentPart<'i>> {
    item.content.iter().find(|part| match item.kind {
        ItemKind::ToolCall => matches!(part, ContentPart::ToolCall(_)),
        ItemKind::ToolResult => matches!(part, ContentPart::ToolResult(_)),
        _ => false,
    })
}

fn call_id<'i>(item: &'i UniversalItem<'_>) -> Option<&'i str> {
    match tool_part(item)? {
        ContentPart::ToolCall(part) => Some(&part.call_id),
        ContentPart::ToolResult(part) => Some(&part.call_id),
        _ => None,
    }
}

/// Rules 14 and 15: which parts an item of a kind may hold, and that all its words are known.
fn check_content(item: &UniversalItem<'_>, report: &mut Report<'_>) {
    let (id, kind) = (&item.item_id, &item.kind);
    match (kind, &item.role) {
        (ItemKind::Other(kind), _) => report.broken(15, format!("item {id} is of the unknown kind {kind:?}")),
        (_, Some(ItemRole::Other(role))) => report.broken(15, format!("item {id} has the unknown role {role:?}")),
        (ItemKind::Message, Some(ItemRole::User | ItemRole::Assistant)) => {}
        (ItemKind::Message, _) => report.broken(15, format!("message {id} is neither the user's nor the assistant's")),
        _ => {}
    }
    for (tool_kind, name) in [(ItemKind::ToolCall, "tool_call"), (ItemKind::ToolResult, "tool_result")] {
        let count = item.content.iter().filter(|part| part.type_name() == name).count();
        let expected = usize::from(*kind == tool_kind);
        if count != expected {
            let kind = kind.as_str();
            report.broken(14, format!("{kind} item {id} holds {count} {name} parts, expected {expected}"));
        }
    }
    for part in &item.content {
        match part {
            ContentPart::Reasoning(_) if *kind != ItemKind::Message => {
                report.broken(15, format!("reasoning stands in {id}, which is no message"));
            }
            ContentPart::Status(part) if matches!(part.label, StatusLabel::Other(_)) => {
                report.broken(15, format!("status {id} has the unknown label \"{}\"", part.label.as_str()));
            }
            ContentPart::Status(_) if *kind != ItemKind::Status => {
                report.broken(15, format!("a status part stands in {id}, which is no status"));
            }
            ContentPart::Image(part) if part.path.is_empty() => {
                report.broken(15, format!("an image of {id} has neither a path nor a data: URL"));
            }
            ContentPart::FileRef(part) if part.path.is_empty() => {
                report.broken(15, format!("a file of {id} has no path"));
            }
            ContentPart::Unknown(_) => report.broken(15, format!("item {id} holds a part of an unknown type")),
            _ => {}
        }
    }
}

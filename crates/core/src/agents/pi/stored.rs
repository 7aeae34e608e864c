//! Session files: a tree of entries, of which the branch that ends with the last entry is the transcript.

use interlinear_schema::{ContentPart, ItemKind, ItemStatus, Json, StatusLabel, StatusPart};

use super::content;
use super::messages::Place;
use super::state::State;
use super::wire::{Entry, Header, Message};
use crate::agents::read;
use crate::agents::{Placed, Recognised};
use crate::api::{Agent, Form};
use crate::emit::{Emit, Spec};
use crate::json::Value;
use crate::map::{Hashes, Map, Places};
use crate::{hash, time};

/// Types of entries of a session file.
const ENTRIES: [&str; 11] = [
    "message",
    "model_change",
    "thinking_level_change",
    "compaction",
    "branch_summary",
    "custom",
    "custom_message",
    "label",
    "session_info",
    "context_edit",
    "usage",
];

/// Why an answer stops whose calls are to be answered.
const AT_WORK: &str = "toolUse";

/// Types of lines that only a running agent writes, or its host.
const LIVE: [&str; 17] = [
    "agent_start",
    "agent_end",
    "agent_settled",
    "turn_start",
    "turn_end",
    "message_start",
    "message_update",
    "message_end",
    "tool_execution_start",
    "tool_execution_update",
    "tool_execution_end",
    "extension_ui_request",
    "hook_ui_request",
    "extension_error",
    "hook_error",
    "auto_retry_start",
    "compaction_start",
];

/// Whether a line is an entry of a session file.
pub(super) fn is_entry(line: Value<'_>) -> bool {
    let text = |key: &str| line.get(key).and_then(Value::str);
    let Some(kind) = text("type") else { return false };
    // The first version has no identifiers, but times.
    ENTRIES.contains(&kind)
        && text("timestamp").is_some()
        && (line.get("parentId").is_some()
            || line.get("message").is_some_and(|message| message.get("role").is_some())
            || kind == "compaction"
            || kind == "model_change"
            || kind == "thinking_level_change")
}

/// Whether a line is one of Pi's, live or stored.
pub(crate) fn recognise(line: Value<'_>) -> Option<Recognised> {
    let text = |key: &str| line.get(key).and_then(Value::str);
    let kind = text("type")?;
    let found = |form| Some(Recognised { agent: Agent::Pi, form, version: None });
    if is_entry(line) {
        return found(Form::Stored);
    }
    match kind {
        kind if LIVE.contains(&kind) => found(Form::Live),
        // The host's commands, and the answers to them.
        "response" if text("command").is_some() && line.get("success").is_some() => found(Form::Live),
        "prompt" if text("message").is_some() => found(Form::Live),
        "get_state" | "get_commands" | "set_thinking_level" | "extension_ui_response" | "hook_ui_response" => {
            found(Form::Live)
        }
        "bash" if text("command").is_some() => found(Form::Live),
        _ => None,
    }
}

/// The first line of JSON mode is also that of a session file: alone it is a run that printed nothing more.
pub(crate) fn recognise_header(line: Value<'_>) -> Option<Recognised> {
    let text = |key: &str| line.get(key).and_then(Value::str);
    let is_header = text("type")? == "session" && text("id").is_some() && text("cwd").is_some();
    is_header.then_some(Recognised { agent: Agent::Pi, form: Form::Exec, version: None })
}

impl State {
    /// From here on entries of a session file come, in the order of the conversation.
    /// `branches` are those that are not shown.
    pub(crate) fn read_stored(&mut self, branches: Map<String, String>) {
        self.stored = true;
        self.branches = branches;
    }

    /// The branches that are not shown: who wants one asks for the entry with which it ends.
    fn tell_branches(&mut self, emit: &mut Emit<'_>) {
        let branch = |(last, from): (&String, &String)| {
            format!("{{\"last\":{},\"from\":{}}}", Json::of(last.as_str()).as_str(), Json::of(from.as_str()).as_str())
        };
        let branches: Vec<_> = self.branches.iter().map(branch).collect();
        if !branches.is_empty() {
            emit.facts(&[("branches", Some(Json::from_text(format!("[{}]", branches.join(",")))))]);
        }
    }

    /// An entry of a session file.
    pub(super) fn entry(&mut self, kind: &str, line: Value<'_>, emit: &mut Emit<'_>) {
        if kind == "session" {
            if let Some(header) = read::<Header<'_>>(line, emit) {
                self.header(&header, emit);
                self.tell_branches(emit);
            }
            return;
        }
        if !ENTRIES.contains(&kind) {
            return emit.unknown(line.json(), None);
        }
        let Some(entry) = read::<Entry<'_>>(line, emit) else { return };
        let role = entry.message.as_ref().and_then(|message| message.role);
        if !self.goes_on_with(role.unwrap_or(kind)) {
            self.end_stored_turn(emit);
        }
        if let Some(ms) = entry.timestamp.and_then(time::parse).filter(|_| self.stored) {
            emit.at(ms);
        }
        let id = entry.id;
        match kind {
            "message" => match &entry.message {
                Some(message) => self.stored_message(message, id, emit),
                None => emit.ignore("no message"),
            },
            "model_change" => {
                self.note_model(entry.provider, entry.model, emit);
                emit.ignore("nothing new");
            }
            "thinking_level_change" => emit.facts(&[("variant", entry.level.map(Value::json))]),
            "session_info" => emit.title(entry.name),
            "custom_message" => {
                let parts = content::parts(entry.content, emit);
                self.system_item(parts, id, None, emit);
            }
            "compaction" => self.compacted(&entry, emit),
            "branch_summary" => {
                let summary = entry.summary.map(ContentPart::text);
                self.system_item(summary.into_iter().collect(), id, None, emit);
            }
            _ => emit.ignore("bookkeeping"),
        }
    }

    fn stored_message(&mut self, message: &Message<'_>, entry: Option<&str>, emit: &mut Emit<'_>) {
        let role = message.role.unwrap_or_default();
        if matches!(role, "user" | "assistant") {
            emit.begin_turn(None, true);
        }
        self.whole_message(message, Place { entry, agent: None }, emit);
        if role == "assistant" {
            self.note_answer(message, emit);
            self.tell_failure(None, emit);
        } else if role == "toolResult" && !self.is_at_work() {
            // Some models do not say that they wait for a result.
            self.turn.stop_reason = Some(AT_WORK.to_owned());
        }
    }

    fn is_at_work(&self) -> bool {
        self.turn.stop_reason.as_deref() == Some(AT_WORK)
    }

    /// Whether the turn goes on with an entry of this kind, or a message of this role.
    fn goes_on_with(&self, what: &str) -> bool {
        match self.turn.stop_reason.as_deref() {
            None => what != "user",
            // What the user says while the agent is at work steers it.
            Some(AT_WORK) => true,
            // What failed may be tried again, after a compaction too, unless the user does something.
            Some("error") => {
                let user = ["user", "bashExecution", "model_change", "thinking_level_change", "session_info"];
                !user.contains(&what)
            }
            Some(_) => what == "toolResult",
        }
    }

    /// The turn is over, or the file.
    pub(super) fn end_stored_turn(&mut self, emit: &mut Emit<'_>) {
        if self.is_at_work() && emit.session().turn_id().is_some() {
            // It was cut while it was at work.
            self.turn.stop_reason = Some("aborted".to_owned());
        }
        self.end_turn(true, emit);
    }

    /// The conversation was summarised.
    fn compacted(&mut self, entry: &Entry<'_>, emit: &mut Emit<'_>) {
        let mut content =
            vec![ContentPart::Status(StatusPart { label: StatusLabel::Compaction, ..StatusPart::default() })];
        if let Some(tokens) = entry.tokens_before {
            let json = Json::from_text(format!("{{\"tokens_before\":{}}}", tokens.raw()));
            content.push(ContentPart::json(json));
        }
        let spec = Spec { kind: ItemKind::Status, native: entry.id, ..Spec::default() };
        emit.item(&spec, ItemStatus::Completed, content, false);
        if let Some(summary) = &entry.summary {
            self.system_item(vec![ContentPart::text(summary.borrow())], entry.id, None, emit);
        }
    }
}

/// Where an entry stands and what it follows.
#[derive(Debug, Clone, Default)]
struct Node {
    file: u32,
    start: u64,
    length: u32,
    /// Its identifier and that of the entry that it follows; empty: none.
    id: String,
    parent: String,
}

/// An index of the entries of a session file.
#[derive(Debug, Default)]
pub(crate) struct Index {
    nodes: Vec<Node>,
}

impl Index {
    /// Notes an entry. `value` is nothing for a line that cannot be read: it keeps its place.
    pub(crate) fn note(&mut self, file: u32, start: u64, length: u32, value: Option<Value<'_>>) {
        let value = value.filter(|value| value.get("type").and_then(Value::str).is_none_or(|kind| kind != "session"));
        let id = |name: &str| value.and_then(|value| value.get(name)).and_then(Value::str).unwrap_or_default();
        let (id, parent) = (id("id").to_owned(), id("parentId").to_owned());
        self.nodes.push(Node { file, start, length, id, parent });
    }

    /// Takes over the entries of another file.
    pub(crate) fn append(&mut self, other: &mut Self) {
        self.nodes.append(&mut other.nodes);
    }

    fn by_id(&self) -> Places {
        let named = self.nodes.iter().enumerate().filter(|(_, node)| !node.id.is_empty());
        Places::new(named.map(|(at, node)| (hash::id(node.id.as_bytes()), at)))
    }

    /// The entries on the way from the root to the last one of a branch; of the file, if the branch is not there.
    fn branch(&self, last: Option<&str>, by_id: &Places) -> Vec<bool> {
        let mut taken = vec![false; self.nodes.len()];
        let asked = last.and_then(|last| by_id.get(hash::id(last.as_bytes())));
        let mut at = asked.or_else(|| self.nodes.iter().rposition(|node| !node.id.is_empty()));
        while let Some(index) = at.filter(|index| !std::mem::replace(&mut taken[*index], true)) {
            at = self.before(index, by_id);
        }
        taken
    }

    /// The entry that this one follows. Where it cannot be read, what stands before it in the file does.
    fn before(&self, index: usize, by_id: &Places) -> Option<usize> {
        let Node { parent, file, .. } = &self.nodes[index];
        if parent.is_empty() {
            return None;
        }
        let there = by_id.get(hash::id(parent.as_bytes()));
        there.or_else(|| self.nodes[..index].iter().rposition(|node| !node.id.is_empty() && node.file == *file))
    }

    /// The other branches, each by its last entry, and the entries of this one at which they begin.
    pub(crate) fn links(&self, branch: Option<&str>) -> Map<String, String> {
        let by_id = self.by_id();
        let taken = self.branch(branch, &by_id);
        let mut followed = Hashes::default();
        for node in &self.nodes {
            followed.insert(hash::id(node.parent.as_bytes()));
        }
        let is_last = |(at, node): &(usize, &Node)| {
            !node.id.is_empty() && !followed.contains(hash::id(node.id.as_bytes())) && !taken[*at]
        };
        let begins_at = |(mut at, last): (usize, &Node)| {
            // A way that is longer than the file goes round in a ring.
            for _ in 0..self.nodes.len() {
                let Some(before) = self.before(at, &by_id) else { break };
                at = before;
                if taken[at] {
                    return (last.id.clone(), self.nodes[at].id.clone());
                }
            }
            (last.id.clone(), String::new())
        };
        self.nodes.iter().enumerate().filter(is_last).map(begins_at).collect()
    }

    /// The entries as they stand in the file. Those that are not on the way to the last one belong to branches that
    /// are not shown; those without identifiers belong to every branch.
    pub(crate) fn order(&self, branch: Option<&str>) -> Vec<Placed> {
        let taken = self.branch(branch, &self.by_id());
        let place = |(index, node): (usize, &Node)| {
            let left = !node.id.is_empty() && !taken[index];
            let skip = left.then_some("branch not taken");
            Placed { file: node.file, start: node.start, length: node.length, skip }
        };
        self.nodes.iter().enumerate().map(place).collect()
    }
}

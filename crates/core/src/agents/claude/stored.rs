//! Session files: what only they have, and the order of the conversation in them.

use std::borrow::Cow;

use interlinear_schema::{
    ContentPart, ErrorData, FileAction, FileRefPart, ItemKind, ItemRole, ItemStatus, StatusLabel, Text, TextPart,
    TurnMetadata, TurnStatus, Usage,
};

use super::blocks;
use super::messages::in_turn;
use super::results::{SUMMARY, local_output};
use super::state::{CallInfo, State, sum};
use super::wire::{Stored, System, User};
use crate::agents::{Placed, Recognised};
use crate::api::{Agent, Form};
use crate::emit::{Emit, Spec};
use crate::hash;
use crate::json::{Tape, Value};
use crate::map::{Map, Places, Set};
use crate::time;

/// Types of entries that only session files have.
const STORED: [&str; 10] = [
    "queue-operation",
    "last-prompt",
    "file-history-snapshot",
    "ai-title",
    "custom-title",
    "agent-name",
    "permission-mode",
    "worktree-state",
    "attachment",
    "mode",
];

/// How text begins that the agent put into the user's mouth without a mark.
const PUT_IN: [&str; 2] = [SUMMARY, "Unknown slash command: "];

/// Whether a line is one of Claude Code's, live or stored.
pub(crate) fn recognise(line: Value<'_>) -> Option<Recognised> {
    let text = |key: &str| line.get(key).and_then(Value::str);
    let kind = text("type")?;
    let found = |form, version: Option<&str>| {
        Some(Recognised { agent: Agent::Claude, form, version: version.map(str::to_owned) })
    };
    let stored = line.get("sessionId").is_some() || line.get("parentUuid").is_some() || line.get("leafUuid").is_some();
    match kind {
        "user" | "assistant" | "system" if stored => found(Form::Stored, text("version")),
        "summary" if stored => found(Form::Stored, None),
        kind if STORED.contains(&kind) && (stored || line.get("snapshot").is_some()) => {
            found(Form::Stored, text("version"))
        }
        "control_request" | "control_response" | "stream_event" => found(Form::Live, None),
        "system" | "user" | "assistant" | "result" => {
            // Amp writes lines of the same names; its sessions are threads.
            let session = text("session_id")?;
            let telling = line.get("parent_tool_use_id").is_some() || kind == "system" || kind == "result";
            if session.starts_with("T-") || !telling { None } else { found(Form::Live, text("claude_code_version")) }
        }
        "rate_limit_event" | "tool_progress" | "command_lifecycle" => {
            text("session_id")?;
            found(Form::Live, None)
        }
        _ => None,
    }
}

impl State {
    /// From here on entries of a session file come, in the order of the conversation. `agents` links the subagents'
    /// files to the calls that started them.
    pub(crate) fn read_stored(&mut self, agents: Map<String, String>) {
        self.stored = true;
        self.agents = agents;
    }

    /// The subagent that a stored entry belongs to.
    pub(super) fn stored_agent(&mut self, head: &Stored<'_>, line: Value<'_>, emit: &Emit<'_>) -> Option<String> {
        if head.sidechain != Some(true) {
            return None;
        }
        let agent = match (head.agent_id, head.parent_uuid) {
            (Some(agent), _) => {
                let call = self.agents.get(agent).map(|native| self.call_ids.of_agent(native).into_owned());
                call.or_else(|| Some(agent.to_owned()))
            }
            (None, Some(parent)) => self.sidechains.get(parent).cloned(),
            (None, None) => self.call_that_told(line, emit),
        };
        if let (Some(agent), Some(uuid), None) = (&agent, head.uuid, head.agent_id) {
            self.sidechains.insert(uuid.to_owned(), agent.clone());
        }
        agent
    }

    /// A subagent begins, with its prompt: of the calls that have no subagent yet the one with this prompt, else the
    /// first.
    fn call_that_told(&self, line: Value<'_>, emit: &Emit<'_>) -> Option<String> {
        let taken: Set<_> = self.sidechains.values().cloned().collect();
        let starts = |name: &str| matches!(name, "Agent" | "Task");
        let mut free = self.calls_of(starts, emit).filter(|(id, _)| !taken.contains(*id)).peekable();
        let first = free.peek().map(|(id, _)| *id);
        let content = line.get("message").and_then(|message| message.get("content"));
        let prompt = content.map(blocks::plain_text).unwrap_or_default();
        let tells = |call: &CallInfo| {
            let mut tape = Tape::default();
            let told = tape.read(&call.input).ok().and_then(|input| input.get("prompt")?.text());
            told.is_some_and(|told| *told.as_wtf8() == *prompt)
        };
        let told = free.find(|(_, call)| tells(call)).map(|(id, _)| id);
        told.or(first).map(str::to_owned)
    }

    /// An entry of the user in the main conversation that is no tool result.
    pub(super) fn stored_prompt(&mut self, user: &User<'_>, content: Value<'_>, text: &str, emit: &mut Emit<'_>) {
        let uuid = user.uuid;
        let put_in = [user.meta, user.summary, user.transcript_only].contains(&Some(true))
            || PUT_IN.iter().any(|beginning| text.starts_with(beginning));
        let woken = user.origin.and_then(|origin| origin.get("kind")).and_then(Value::str);
        if put_in {
            return self.system_text(content, uuid, None, emit);
        }
        self.end_stored_turn(emit);
        emit.begin_turn(None, true);
        if woken.is_some_and(|kind| kind == "task-notification") || text.starts_with("<task-notification>") {
            if let Some(native) = between(text, "<tool-use-id>", "</tool-use-id>") {
                let call = &*self.call_ids.of_agent(native);
                self.complete_messages(|_, of| of == Some(call), emit);
                emit.end_background(call);
            }
            self.system_text(content, uuid, None, emit);
        } else if let Some(typed) = typed_command(text) {
            self.said(&typed, ItemRole::User, uuid, emit);
        } else {
            self.turn.prompted = true;
            self.user_message(content, uuid, None, false, emit);
        }
    }

    /// A command that the agent answered by itself: what was typed, or what it printed. Live, the latter is a message
    /// of the assistant.
    pub(super) fn local_command(&mut self, line: &System<'_>, emit: &mut Emit<'_>) {
        let text = line.content.as_ref().map(Text::to_string).unwrap_or_default();
        let uuid = line.uuid;
        match local_output(&text) {
            Some(output) if output.is_empty() => emit.ignore("empty output"),
            Some(output) => self.said(&output, ItemRole::Assistant, uuid, emit),
            None => {
                self.end_stored_turn(emit);
                emit.begin_turn(None, true);
                self.said(&typed_command(&text).unwrap_or(text), ItemRole::User, uuid, emit);
            }
        }
    }

    /// A message of plain text.
    fn said(&mut self, text: &str, role: ItemRole<'static>, uuid: Option<&str>, emit: &mut Emit<'_>) {
        let id = uuid.unwrap_or_default();
        let spec = Spec { id, kind: ItemKind::Message, role: Some(role), native: uuid, ..Spec::default() };
        let part = TextPart { text: Text::from(text), ..TextPart::default() };
        emit.item(&spec, ItemStatus::Completed, vec![ContentPart::Text(part)], false);
    }

    /// The turn is over when the next one begins, or the file ends.
    pub(super) fn end_stored_turn(&mut self, emit: &mut Emit<'_>) {
        self.complete_messages(in_turn, emit);
        if emit.session().turn_id().is_none() {
            return;
        }
        let cut = self.calls_of(|_| true, emit).any(|(_, call)| call.agent.is_none());
        let turn = std::mem::take(&mut self.turn);
        let sum = |index: usize| Some(sum(turn.usage.values().map(|counts| counts[index])));
        let usage = (!turn.usage.is_empty()).then(|| Usage {
            input_tokens: sum(0),
            output_tokens: sum(1),
            cache_read_tokens: sum(2),
            cache_write_tokens: sum(3),
            ..Usage::default()
        });
        let unanswered = turn.prompted && !turn.answered;
        let status = match (turn.interrupted, turn.failed) {
            (true, _) => TurnStatus::Interrupted,
            (_, true) => TurnStatus::Failed,
            _ if cut || unanswered => TurnStatus::Interrupted,
            _ => TurnStatus::Completed,
        };
        let metadata = TurnMetadata {
            status: Some(status),
            usage,
            context_used: turn.context_used(),
            model: turn.model.map(Cow::Owned),
            stop_reason: turn.stop_reason.map(Cow::Owned),
            duration_ms: turn.duration_ms,
            ..TurnMetadata::default()
        };
        // It was over with the entry before.
        let now = emit.at(i64::MIN);
        emit.end_turn(&metadata, true);
        emit.at(now);
        self.forget_turn(emit);
    }

    /// Context that was given to the model. Most of it is the agent's own; prompts and files are the user's.
    pub(super) fn attachment(
        &mut self,
        attachment: Value<'_>,
        uuid: Option<&str>,
        agent: Option<String>,
        emit: &mut Emit<'_>,
    ) {
        let text = |key: &str| attachment.get(key).and_then(Value::str);
        let kind = text("type").unwrap_or_default();
        match kind {
            "queued_command" => {
                let Some(prompt) = attachment.get("prompt") else { return emit.ignore("context for the model") };
                if text("commandMode").is_none_or(|mode| mode == "prompt") {
                    self.user_message(prompt, uuid, agent.as_deref(), false, emit);
                } else {
                    self.system_text(prompt, uuid, agent.as_deref(), emit);
                }
            }
            "file" | "directory" | "pdf_reference" | "already_read_file" | "compact_file_reference" => {
                let path = text("filename").or_else(|| text("path")).filter(|path| !path.is_empty());
                let part = match path {
                    Some(path) => ContentPart::FileRef(FileRefPart {
                        path: Cow::Borrowed(path),
                        action: FileAction::Read,
                        ..FileRefPart::default()
                    }),
                    None => ContentPart::json(attachment.json()),
                };
                self.system_item(vec![part], uuid, agent.as_deref(), emit);
            }
            "max_turns_reached" => {
                self.turn.failed = true;
                let most = attachment.get("maxTurns").and_then(Value::u64).unwrap_or(0);
                emit.error(ErrorData {
                    message: Text::from(format!("Reached maximum number of turns ({most})")),
                    code: Some(Cow::Borrowed("error_max_turns")),
                    ..ErrorData::default()
                });
            }
            kind if kind.starts_with("hook_") => {
                let name = text("hookName").unwrap_or_default();
                let mut detail = format!("{name}: {}", kind.trim_start_matches("hook_"));
                let error = attachment.get("blockingError").and_then(|error| error.get("blockingError"));
                let said = ["content", "message", "stderr"].iter().filter_map(|key| attachment.get(key));
                for said in error.into_iter().chain(said).map(blocks::plain_text) {
                    let said = String::from_utf8_lossy(&said);
                    if !said.trim().is_empty() {
                        detail.push('\n');
                        detail.push_str(said.trim_end());
                    }
                }
                emit.status(StatusLabel::Hook, Some(Text::from(detail)), agent.as_deref());
            }
            _ => emit.ignore("context for the model"),
        }
    }
}

/// What stands between two marks, or after the first.
fn between<'t>(text: &'t str, open: &str, close: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(open)?;
    Some(rest.split_once(close).map_or(rest, |(inside, _)| inside).trim())
}

/// `<command-name>/x</command-name>…<command-args>y</command-args>` and `<bash-input>x</bash-input>` as they were
/// typed.
fn typed_command(text: &str) -> Option<String> {
    if let Some(command) = text.strip_prefix("<bash-input>") {
        return Some(format!("!{}", command.trim_end_matches("</bash-input>")));
    }
    if !text.trim_start().starts_with("<command-") {
        return None;
    }
    let name = between(text, "<command-name>", "</command-name>")?;
    let arguments = between(text, "<command-args>", "</command-args>").unwrap_or_default();
    Some(format!("{name} {arguments}").trim_end().to_owned())
}

/// Whether a result only says that a subagent has begun: it goes on in the background.
pub(super) fn is_launch(result: Option<Value<'_>>) -> bool {
    let field = |key: &str| result.and_then(|result| result.get(key));
    field("isAsync").and_then(Value::bool) == Some(true)
        || field("status").and_then(Value::str).is_some_and(|status| status == "async_launched")
}

/// Whether content is plain text, without the marks of what the agent put in.
fn is_plain(content: Value<'_>) -> bool {
    let text = blocks::plain_text(content);
    !text.starts_with(b"<")
        && !text.starts_with(b"[")
        && !PUT_IN.iter().any(|put_in| text.starts_with(put_in.as_bytes()))
}

/// Where an entry stands and what it hangs on: all that is kept of a session file to find its order.
#[derive(Debug, Clone, Default)]
struct Entry {
    file: u32,
    start: u64,
    length: u32,
    uuid: u64,
    /// What it follows; 0: nothing.
    parent: u64,
    /// The subagent whose file it is from; 0: the main conversation.
    agent: u64,
    /// The subagent whose result it is; 0: none.
    result_of: u64,
    /// The subagent that goes on in the background from here on; 0: none.
    launches: u64,
    /// The last entry of the conversation that it sums up; 0: none.
    sums_up: u64,
    time: i64,
    /// A prompt of the user.
    prompt: bool,
}

/// An index of the files of stored sessions.
#[derive(Debug, Default)]
pub(crate) struct Index {
    entries: Vec<Entry>,
    /// Subagents by the hash of their identifier.
    agents: Map<u64, Thread>,
    /// Calls that start subagents.
    starts: Vec<Start>,
}

/// A call that starts a subagent.
#[derive(Debug)]
struct Start {
    id: String,
    /// The hash of what it tells the subagent.
    prompt: u64,
    /// It has its result.
    over: bool,
}

/// A subagent with entries of its own.
#[derive(Debug, Default)]
struct Thread {
    agent: String,
    /// The call that started it, where something says so.
    call: Option<String>,
    /// The hash of what it was told; 0: nothing.
    prompt: u64,
    /// It has called a tool.
    works: bool,
}

impl Thread {
    /// The agent tries out its model before there is anything to do: nobody called for that.
    fn is_idle(&self) -> bool {
        self.call.is_none() && self.prompt == 0 && !self.works
    }
}

impl Index {
    /// Notes an entry. `value` is nothing for a line that cannot be read: it keeps its place.
    pub(crate) fn note(&mut self, file: u32, start: u64, length: u32, value: Option<Value<'_>>) {
        let mut entry = Entry { file, start, length, ..Entry::default() };
        let Some(value) = value else {
            self.entries.push(entry);
            return;
        };
        let text = |key: &str| value.get(key).and_then(Value::str);
        let id = |key: &str| text(key).map_or(0, |id| hash::of(id.as_bytes()));
        entry.uuid = id("uuid");
        entry.time = text("timestamp").and_then(time::parse).unwrap_or(i64::MIN);
        entry.parent = if id("parentUuid") == 0 { id("logicalParentUuid") } else { id("parentUuid") };
        let sidechain = value.get("isSidechain").and_then(Value::bool) == Some(true);
        if let Some(agent) = text("agentId").filter(|_| sidechain) {
            entry.agent = hash::of(agent.as_bytes());
            self.thread(agent);
        }
        let kind = text("type").unwrap_or_default();
        if kind == "summary" {
            entry.sums_up = id("leafUuid");
        }
        let content = value.get("message").and_then(|message| message.get("content"));
        let blocks = || content.into_iter().flat_map(Value::elements);
        if kind == "assistant" {
            for block in blocks() {
                let field = |key: &str| block.get(key).and_then(Value::str);
                let prompt = block.get("input").and_then(|input| input.get("prompt")).and_then(Value::str);
                if let (Some("Agent" | "Task"), Some(prompt), Some(id)) = (field("name"), prompt, field("id")) {
                    self.starts.push(Start { id: id.to_owned(), prompt: hash::of(prompt.as_bytes()), over: false });
                }
                if let (Some(thread), Some(_)) = (self.agents.get_mut(&entry.agent), field("name")) {
                    thread.works = true;
                }
            }
        }
        if kind == "user" {
            let call = blocks().find_map(|block| block.get("tool_use_id")?.str());
            let over = call.and_then(|call| self.starts.iter_mut().rfind(|start| start.id == call));
            if let Some(start) = over {
                start.over = true;
            }
            let result = value.get("toolUseResult");
            let agent = result.and_then(|result| result.get("agentId")).and_then(Value::str);
            if let (Some(call), Some(agent)) = (call, agent) {
                let place = if is_launch(result) { &mut entry.launches } else { &mut entry.result_of };
                *place = hash::of(agent.as_bytes());
                self.thread(agent).call.get_or_insert_with(|| call.to_owned());
            }
            if let Some(thread) =
                self.agents.get_mut(&entry.agent).filter(|thread| call.is_none() && thread.prompt == 0)
            {
                thread.prompt = content.map_or(0, |content| hash::of(&blocks::plain_text(content)));
            }
            let meta =
                ["isMeta", "isCompactSummary"].iter().any(|key| value.get(key).and_then(Value::bool) == Some(true));
            // Older versions do not mark what was typed; there a prompt that follows nothing may begin another
            // conversation.
            let typed = || entry.parent != 0 && content.is_some_and(is_plain);
            let prompts = value.get("promptSource").is_some() || typed();
            entry.prompt = call.is_none() && !meta && !sidechain && prompts;
        }
        self.entries.push(entry);
    }

    fn thread(&mut self, agent: &str) -> &mut Thread {
        let new = || Thread { agent: agent.to_owned(), ..Thread::default() };
        self.agents.or_insert_with(hash::of(agent.as_bytes()), new)
    }

    /// Takes over the entries of another file.
    pub(crate) fn append(&mut self, other: &mut Self) {
        self.entries.append(&mut other.entries);
        self.starts.append(&mut other.starts);
        for (key, other) in std::mem::take(&mut other.agents) {
            let known = self.agents.or_default(&key);
            let call = known.call.take().or(other.call);
            let prompt = if known.prompt == 0 { other.prompt } else { known.prompt };
            *known = Thread { agent: other.agent, call, prompt, works: known.works || other.works };
        }
    }

    /// Notes what stands beside a subagent's file: `agent-<id>.meta.json`.
    pub(crate) fn note_agent(&mut self, agent: &str, value: Value<'_>) {
        let call = value.get("toolUseId").and_then(Value::str).map(str::to_owned);
        let thread = self.thread(agent);
        thread.call = call.or(thread.call.take());
    }

    /// All files were noted: threads that nothing links to a call belong to the one that told them the same.
    fn link(&mut self) {
        let mut taken: Set<_> = self.agents.values().filter_map(|thread| thread.call.clone()).collect();
        for thread in self.agents.values_mut().filter(|thread| thread.call.is_none() && thread.prompt != 0) {
            let same = |start: &&Start| start.prompt == thread.prompt && !taken.contains(&start.id);
            thread.call = self.starts.iter().find(same).map(|start| start.id.clone());
            taken.extend(thread.call.clone());
        }
        // Some versions link a subagent by its result only. One that never had any is of the call that has none.
        let mut lost = self.agents.values_mut().filter(|thread| thread.call.is_none() && thread.works);
        let mut open = self.starts.iter().filter(|start| !start.over && !taken.contains(&start.id));
        if let (Some(thread), None, Some(start), None) = (lost.next(), lost.next(), open.next(), open.next()) {
            thread.call = Some(start.id.clone());
        }
    }

    /// The subagents and the calls that started them.
    pub(crate) fn links(&mut self) -> Map<String, String> {
        self.link();
        self.agents.values().filter_map(|thread| Some((thread.agent.clone(), thread.call.clone()?))).collect()
    }

    /// The entries in the order of the conversation: as in the files, but none before the one it follows, and a
    /// subagent's right before the result of its call. What runs in the background, or never had a result, stands where
    /// its time is.
    pub(crate) fn order(&self) -> Vec<Placed> {
        let named = self.entries.iter().enumerate().filter(|(_, entry)| entry.uuid != 0);
        let by_uuid = Places::new(named.map(|(index, entry)| (entry.uuid, index)));
        let mut of_agent: Map<u64, Vec<usize>> = Map::default();
        for (index, entry) in self.entries.iter().enumerate() {
            of_agent.or_default(&entry.agent).push(index);
        }
        let left = self.left_branches(&by_uuid);
        let told: Set<_> = self.entries.iter().flat_map(|entry| [0, entry.result_of, entry.launches]).collect();
        let running = of_agent.keys().filter(|agent| !told.contains(*agent)).map(|agent| (*agent, 0)).collect();
        let mut order = Order {
            index: self,
            by_uuid: &by_uuid,
            of_agent: &of_agent,
            placed: vec![false; self.entries.len()],
            running,
            out: Vec::new(),
        };
        order.place_agent(0);
        for agent in of_agent.keys() {
            order.place_agent(*agent);
        }
        let place = |index: &usize| {
            let entry = &self.entries[*index];
            let idle = self.agents.get(&entry.agent).is_some_and(Thread::is_idle);
            // The same entry again: one that only has the same name may say something else.
            let last = by_uuid.get(entry.uuid).filter(|last| last != index).map(|last| &self.entries[last]);
            let repeated = last.is_some_and(|last| last.length == entry.length);
            let elsewhere = entry.sums_up != 0 && by_uuid.get(entry.sums_up).is_none();
            let reasons = [
                (left[*index], "branch not taken"),
                (idle, "warm-up"),
                (repeated, "repeated"),
                (elsewhere, "of another session"),
            ];
            let skip = reasons.iter().find(|(applies, _)| *applies).map(|(_, reason)| *reason);
            Placed { file: entry.file, start: entry.start, length: entry.length, skip }
        };
        order.out.iter().map(place).collect()
    }

    /// Entries of branches that the user left: of two prompts after the same entry, the earlier one and what follows.
    fn left_branches(&self, by_uuid: &Places) -> Vec<bool> {
        let is_prompt = |entry: &&Entry| entry.prompt && entry.agent == 0;
        let prompts = self.entries.iter().enumerate().filter(|(_, entry)| is_prompt(entry));
        let last = Places::new(prompts.map(|(index, entry)| (entry.parent, index)));
        let is_root = |at: usize| {
            let entry = &self.entries[at];
            is_prompt(&entry) && last.get(entry.parent) != Some(at)
        };
        let mut known: Vec<Option<bool>> = vec![None; self.entries.len()];
        for index in 0..self.entries.len() {
            // Up to an entry of which it is known, and down again. On the way it counts as not left: a ring ends.
            let mut path = Vec::new();
            let mut at = Some(index);
            let is_left = loop {
                let Some(here) = at else { break false };
                if let Some(known) = known[here] {
                    break known;
                }
                path.push(here);
                if is_root(here) {
                    break true;
                }
                known[here] = Some(false);
                at = by_uuid.get(self.entries[here].parent);
            };
            for at in path {
                known[at] = Some(is_left);
            }
        }
        known.into_iter().map(|left| left == Some(true)).collect()
    }
}

/// The order while it is being found.
struct Order<'i> {
    index: &'i Index,
    by_uuid: &'i Places,
    of_agent: &'i Map<u64, Vec<usize>>,
    placed: Vec<bool>,
    /// Subagents in the background, and how many of their entries were gone over.
    running: Vec<(u64, usize)>,
    out: Vec<usize>,
}

impl Order<'_> {
    fn place_agent(&mut self, agent: u64) {
        for index in self.of_agent.get(&agent).into_iter().flatten() {
            self.place(*index);
        }
    }

    /// Places an entry after the one it follows. What it follows may itself be out of place, so the whole chain is
    /// gone up first.
    fn place(&mut self, index: usize) {
        let mut chain = Vec::new();
        let mut at = Some(index);
        while let Some(index) = at.filter(|index| !std::mem::replace(&mut self.placed[*index], true)) {
            chain.push(index);
            let entry = &self.index.entries[index];
            at = self.by_uuid.get(entry.parent).filter(|parent| self.index.entries[*parent].agent == entry.agent);
        }
        for index in chain.into_iter().rev() {
            let entry = &self.index.entries[index];
            if entry.agent == 0 {
                self.place_running(entry.time);
            }
            if entry.result_of != 0 && entry.result_of != entry.agent {
                self.place_agent(entry.result_of);
            }
            self.out.push(index);
            if entry.launches != 0 {
                self.running.push((entry.launches, 0));
            }
        }
    }

    /// Places what was written in the background before a time.
    fn place_running(&mut self, before: i64) {
        loop {
            let next = self.running.iter().enumerate().filter_map(|(at, (agent, gone))| {
                let index = *self.of_agent.get(agent)?.get(*gone)?;
                Some((self.index.entries[index].time, at, index))
            });
            let Some((_, at, index)) = next.min().filter(|(time, ..)| *time < before) else { return };
            self.running[at].1 += 1;
            self.place(index);
        }
    }
}

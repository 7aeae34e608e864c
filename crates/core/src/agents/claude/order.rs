//! The order of the conversation in session files, whose entries stand in another one.

use super::blocks;
use super::stored::{is_launch, is_plain};
use crate::agents::Placed;
use crate::hash;
use crate::json::Value;
use crate::map::{Map, Places, Set};
use crate::time;

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

/// How the identifiers of the agent's own forks begin.
const FORKS: [&str; 3] = ["acompact-", "aside_question-", "aprompt_suggestion-"];

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

    /// The agent sums the conversation up, or asks something about it, in a fork: nobody called for that.
    fn is_fork(&self) -> bool {
        self.call.is_none() && FORKS.iter().any(|label| self.agent.starts_with(label))
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
        let id = |key: &str| text(key).map_or(0, |id| hash::id(id.as_bytes()));
        entry.uuid = id("uuid");
        entry.time = text("timestamp").and_then(time::parse).unwrap_or(i64::MIN);
        entry.parent = if id("parentUuid") == 0 { id("logicalParentUuid") } else { id("parentUuid") };
        let sidechain = value.get("isSidechain").and_then(Value::bool) == Some(true);
        if let Some(agent) = text("agentId").filter(|_| sidechain) {
            entry.agent = hash::id(agent.as_bytes());
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
                    self.starts.push(Start { id: id.to_owned(), prompt: hash::id(prompt.as_bytes()), over: false });
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
                *place = hash::id(agent.as_bytes());
                self.thread(agent).call.get_or_insert_with(|| call.to_owned());
            }
            if let Some(thread) =
                self.agents.get_mut(&entry.agent).filter(|thread| call.is_none() && thread.prompt == 0)
            {
                thread.prompt = content.map_or(0, |content| hash::id(&blocks::plain_text(content)));
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
        self.agents.or_insert_with(hash::id(agent.as_bytes()), new)
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
        thread.call = thread.call.take().or(call);
    }

    /// All files were noted: threads that nothing links to a call belong to the one that told them the same.
    fn link(&mut self) {
        let mut taken: Set<_> = self.agents.values().filter_map(|thread| thread.call.clone()).collect();
        let lost = |thread: &&mut Thread| thread.call.is_none() && !thread.is_fork();
        for thread in self.agents.values_mut().filter(lost).filter(|thread| thread.prompt != 0) {
            let same = |start: &&Start| start.prompt == thread.prompt && !taken.contains(&start.id);
            thread.call = self.starts.iter().find(same).map(|start| start.id.clone());
            taken.extend(thread.call.clone());
        }
        // Some versions link a subagent by its result only. One that never had any is of the call that has none.
        let mut lost = self.agents.values_mut().filter(lost).filter(|thread| thread.works);
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
    /// subagent's right before the results of its calls. What runs in the background, or never had a result, stands where
    /// its time is.
    pub(crate) fn order(&self) -> Vec<Placed> {
        let named = || self.entries.iter().enumerate().filter(|(_, entry)| entry.uuid != 0);
        let main = named().filter(|(_, entry)| entry.agent == 0 && !self.agents.is_empty());
        let main = Places::new(main.map(|(index, entry)| (entry.uuid, index)));
        // What was said before a fork stands in its file again.
        let is_copy = |entry: &Entry| entry.agent != 0 && main.get(entry.uuid).is_some();
        let own = named().filter(|(_, entry)| !is_copy(entry));
        let by_uuid = Places::new(own.map(|(index, entry)| (entry.uuid, index)));
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
        order.place_agent(0, i64::MAX);
        for agent in of_agent.keys() {
            order.place_agent(*agent, i64::MAX);
        }
        let place = |index: &usize| {
            let entry = &self.entries[*index];
            let thread = self.agents.get(&entry.agent);
            // The same entry again: one that only has the same name may say something else.
            let last = by_uuid.get(entry.uuid).filter(|last| last != index).map(|last| &self.entries[last]);
            let repeated = last.is_some_and(|last| last.length == entry.length) || is_copy(entry);
            let elsewhere = entry.sums_up != 0 && by_uuid.get(entry.sums_up).is_none();
            let reasons = [
                (left[*index], "branch not taken"),
                (thread.is_some_and(Thread::is_idle), "warm-up"),
                (thread.is_some_and(Thread::is_fork), "the agent's own"),
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
    /// Places what an agent has written until a time. What it writes later, it writes when it is called again.
    fn place_agent(&mut self, agent: u64, until: i64) {
        for index in self.of_agent.get(&agent).into_iter().flatten() {
            if self.index.entries[*index].time > until {
                return self.running.push((agent, 0));
            }
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
                self.place_agent(entry.result_of, if entry.time == i64::MIN { i64::MAX } else { entry.time });
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

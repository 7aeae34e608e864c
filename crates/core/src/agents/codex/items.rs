//! Items of threads: which code makes which events of them. All forms come through here: the app server says when an
//! item begins and when it is over, `exec` and rollout files often only the latter.

use interlinear_schema::{StatusLabel, StatusPart, Text, Todo, TodoStatus};

use super::notes;
use super::state::State;
use super::wire::Item;
use crate::agents::read;
use crate::api::DriftKind;
use crate::emit::Emit;
use crate::json::Value;
use crate::state::kept;

kept! {
    /// What an item is.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub(super) enum Kind {
        #[default]
        User,
        Assistant,
        Reasoning,
        HookPrompt,
        Plan,
        Command,
        FileChange,
        Mcp,
        Dynamic,
        Collab,
        /// A subagent was started, or says how it is.
        Activity,
        WebSearch,
        ImageView,
        ImageGeneration,
        Sleep,
        FunctionOutput,
        ReviewBegins,
        ReviewEnds,
        Compaction,
        Todos,
        Failure,
        Unknown,
    }
}

impl Kind {
    /// The types are `commandExecution`, `command_execution` and `CommandExecution`, by the form.
    pub(super) fn of(item: &Item<'_>) -> Self {
        // As the app server spells what comes often.
        match item.r#type.unwrap_or_default() {
            "userMessage" => Self::User,
            "agentMessage" => Self::Assistant,
            "reasoning" => Self::Reasoning,
            "commandExecution" => Self::Command,
            "fileChange" => Self::FileChange,
            "mcpToolCall" => Self::Mcp,
            other => Self::spelled(other, item),
        }
    }

    /// However it is spelled.
    fn spelled(name: &str, item: &Item<'_>) -> Self {
        match plain(name, &mut [0; LONGEST]) {
            b"usermessage" => Self::User,
            b"agentmessage" | b"assistantmessage" => Self::Assistant,
            b"reasoning" => Self::Reasoning,
            b"hookprompt" => Self::HookPrompt,
            b"plan" => Self::Plan,
            b"commandexecution" => Self::Command,
            b"filechange" | b"patchapply" => Self::FileChange,
            b"mcptoolcall" => Self::Mcp,
            b"dynamictoolcall" => Self::Dynamic,
            b"collabagenttoolcall" | b"collabtoolcall" => Self::Collab,
            b"subagentactivity" => Self::Activity,
            b"websearch" => Self::WebSearch,
            b"imageview" => Self::ImageView,
            b"imagegeneration" => Self::ImageGeneration,
            b"sleep" => Self::Sleep,
            b"extension" if item.kind == Some("clock.sleep") => Self::Sleep,
            b"functioncalloutput" => Self::FunctionOutput,
            b"enteredreviewmode" => Self::ReviewBegins,
            b"exitedreviewmode" => Self::ReviewEnds,
            b"contextcompaction" => Self::Compaction,
            b"todolist" => Self::Todos,
            b"error" => Self::Failure,
            _ => Self::Unknown,
        }
    }
}

/// The longest type of an item, and of a part of a prompt.
const LONGEST: usize = "collabAgentToolCall".len();

/// A type as all forms would spell it: in small letters, without `_`. What is too long is none that is known.
pub(super) fn plain<'b>(name: &str, into: &'b mut [u8; LONGEST]) -> &'b [u8] {
    let mut length = 0;
    for byte in name.bytes().filter(|byte| *byte != b'_') {
        let Some(slot) = into.get_mut(length) else { return b"" };
        *slot = byte.to_ascii_lowercase();
        length += 1;
    }
    &into[..length]
}

/// Where an item stands.
#[derive(Debug, Clone)]
pub(super) struct Place<'p> {
    pub(super) thread: &'p str,
    /// The call that started the subagent whose thread it is.
    pub(super) agent: Option<String>,
    /// The turn that the line names.
    pub(super) turn: Option<&'p str>,
}

impl State {
    /// An item, under an identifier that no other process of `exec` has used: `own` is where that is kept.
    fn item<'a>(&self, value: Value<'a>, own: &'a mut String, emit: &mut Emit<'_>) -> Option<Item<'a>> {
        let mut item = read::<Item<'a>>(value, emit)?;
        if let (Some(id), 2..) = (item.id, self.exec.processes) {
            *own = format!("{id}_{}", self.exec.processes);
            item.id = Some(own);
        }
        Some(item)
    }

    /// An item begins.
    pub(super) fn item_started(&mut self, value: Value<'_>, place: &Place<'_>, emit: &mut Emit<'_>) {
        let mut own = String::new();
        let Some(item) = &self.item(value, &mut own, emit) else { return };
        let kind = Kind::of(item);
        let id = item.id.unwrap_or_default();
        // Only a change of files may have streamed before it begins.
        let known = self.live(place, id).is_some_and(|live| live.call.is_none() || kind != Kind::FileChange);
        if known {
            emit.ignore("repeated");
            return;
        }
        if let Some(thread) = self.threads.get_mut(place.thread).filter(|_| kind != Kind::User) {
            thread.usage.restored = false;
        }
        match kind {
            Kind::User => self.user_started(item, place, emit),
            Kind::Assistant | Kind::Reasoning => self.message_started(kind, id, place, emit),
            Kind::Todos => self.todo_items(item, place, emit),
            Kind::Activity if item.kind != Some("started") => emit.ignore("its end follows"),
            Kind::HookPrompt
            | Kind::FunctionOutput
            | Kind::ReviewBegins
            | Kind::ReviewEnds
            | Kind::Compaction
            | Kind::Failure => emit.ignore("its end follows"),
            Kind::Unknown => {
                emit.book.drift.note(DriftKind::Value, "item.type", item.r#type.unwrap_or_default());
                if let Some(thread) = self.threads.get_mut(place.thread) {
                    thread.unknown.insert(id.to_owned(), value.raw().to_owned());
                }
                emit.ignore("its end follows");
            }
            _ => self.call_started(kind, item, place, emit),
        }
    }

    /// An item shows what has become of it so far.
    pub(super) fn item_updated(&mut self, value: Value<'_>, place: &Place<'_>, emit: &mut Emit<'_>) {
        let mut own = String::new();
        let Some(item) = &self.item(value, &mut own, emit) else { return };
        match Kind::of(item) {
            Kind::Todos => self.todo_items(item, place, emit),
            Kind::Command => {
                let id = item.id.unwrap_or_default();
                match (self.live(place, id).map(|live| live.call_id.clone()), item.aggregated_output.as_ref()) {
                    (Some(call), Some(output)) => emit.output_so_far(&call, output.borrow()),
                    _ => emit.ignore("its end follows"),
                }
            }
            _ => emit.ignore("its end follows"),
        }
    }

    /// An item is over.
    pub(super) fn item_completed(&mut self, value: Value<'_>, place: &Place<'_>, emit: &mut Emit<'_>) {
        let mut own = String::new();
        let Some(item) = &self.item(value, &mut own, emit) else { return };
        let kind = Kind::of(item);
        let id = item.id.unwrap_or_default();
        let begun = self.threads.get_mut(place.thread).is_some_and(|thread| thread.unknown.remove(id).is_some());
        let agent = place.agent.as_deref();
        match kind {
            Kind::User => self.user_completed(item, place, emit),
            Kind::Assistant => self.message_completed(item, place, emit),
            Kind::Reasoning => self.reasoning_completed(item, place, emit),
            Kind::HookPrompt => self.hook_prompt(item, place, emit),
            Kind::ReviewBegins => {
                let what = item.review.as_ref().or(item.hint.as_ref()).map(Text::borrow).unwrap_or_default();
                emit.status(StatusLabel::Mode, Some(Text::from(format!("review: {what}"))), agent);
            }
            Kind::ReviewEnds => notes::review_ends(value, agent, emit),
            Kind::Compaction => self.compacted("item", place, emit),
            Kind::Todos => self.todo_items(item, place, emit),
            Kind::Activity if item.kind != Some("started") => activity(item, agent, emit),
            // A warning: what ends the turn is no item.
            Kind::Failure => {
                let text = item.message.as_ref().or(item.text.as_ref()).map(Text::borrow);
                emit.status(StatusLabel::Notice, text, agent);
            }
            Kind::Unknown => {
                if !begun {
                    emit.book.drift.note(DriftKind::Value, "item.type", item.r#type.unwrap_or_default());
                }
                emit.unknown(value.json(), agent);
            }
            _ => self.call_completed(kind, item, place, emit),
        }
    }

    /// The list of things to do, as `exec` shows it.
    fn todo_items(&mut self, item: &Item<'_>, place: &Place<'_>, emit: &mut Emit<'_>) {
        let todos = item.items.into_iter().flat_map(Value::elements).map(|entry| Todo {
            text: entry.get("text").and_then(Value::text).unwrap_or_default(),
            status: match entry.get("completed").and_then(Value::bool) {
                Some(true) => TodoStatus::Completed,
                _ => TodoStatus::Pending,
            },
            ..Todo::default()
        });
        let todos: Vec<_> = todos.collect();
        self.todos(todos, None, place, emit);
    }

    /// The list of things to do; told when it has changed.
    pub(super) fn todos(
        &mut self,
        todos: Vec<Todo<'_>>,
        detail: Option<Text<'_>>,
        place: &Place<'_>,
        emit: &mut Emit<'_>,
    ) {
        let shown = interlinear_schema::Json::of(&todos).as_str().to_owned();
        let Some(thread) = self.threads.get_mut(place.thread) else { return };
        if thread.todos == shown {
            emit.ignore("nothing new");
            return;
        }
        thread.todos = shown;
        let part = StatusPart { label: StatusLabel::Notice, detail, todos: Some(todos), ..StatusPart::default() };
        emit.status_with(part, None, place.agent.as_deref(), false);
    }
}

/// How a subagent is.
pub(super) fn activity(item: &Item<'_>, agent: Option<&str>, emit: &mut Emit<'_>) {
    let (who, how) = (item.agent_path.unwrap_or("subagent"), item.kind.unwrap_or_default());
    emit.status(StatusLabel::Notice, Some(Text::from(format!("{who}: {how}"))), agent);
}

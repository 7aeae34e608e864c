//! `codex exec --json`: one turn a process.

use interlinear_schema::{ContentPart, ItemKind, ItemRole, ItemStatus, Json, Text, TurnStatus};

use super::argv;
use super::items::Place;
use super::messages::image_part;
use super::state::{State, Thread};
use super::turns::{self, Ended};
use super::wire::{ExecEvent, Failure};
use crate::agents::read;
use crate::emit::{Emit, Spec};
use crate::json::Value;

impl State {
    /// An event of `exec --json`.
    pub(super) fn exec_event(&mut self, line: Value<'_>, emit: &mut Emit<'_>) {
        let kind = line.get("type").and_then(Value::str).unwrap_or_default();
        emit.kind(kind);
        let known = matches!(
            kind,
            "thread.started"
                | "session.created"
                | "turn.started"
                | "turn.completed"
                | "turn.failed"
                | "item.started"
                | "item.updated"
                | "item.completed"
                | "error"
        );
        if !known {
            return emit.unknown(line.json(), None);
        }
        self.exec.speaks = true;
        let Some(event) = read::<ExecEvent<'_>>(line, emit) else { return };
        if let Some(id) = &event.thread_id {
            self.current.clear();
            self.current.push_str(id);
        }
        let thread = self.thread_of_exec(emit);
        let place = Place { thread: &thread, agent: None, turn: None };
        if let (Some(model), Some(thread)) = (self.exec.model.take(), self.threads.get_mut(place.thread)) {
            thread.model = Some(model);
        }
        match (kind, event.item) {
            ("thread.started", _) => {
                self.exec.processes += 1;
                emit.begin_session();
                emit.ignore("nothing new");
            }
            // Before 0.44: nothing may tell of the turn, which is that of the process.
            ("session.created", _) => {
                self.exec.processes += 1;
                self.legacy_turn(&place, emit);
                emit.ends_with_process();
                emit.ignore("nothing new");
            }
            ("turn.started", _) => self.turn_started(None, &place, emit),
            ("turn.completed", _) => {
                if let (Some(tokens), Some(thread)) = (&event.usage, self.threads.get_mut(place.thread)) {
                    // These are sums over the thread: of one that goes on, nobody knows the turn's own.
                    let sum = turns::counts(tokens);
                    let before = thread.usage.sum.unwrap_or(if self.exec.resumed { sum } else { [0; 5] });
                    thread.usage.turn = std::array::from_fn(|at| sum[at].saturating_sub(before[at]));
                    thread.usage.sum = Some(sum);
                }
                self.turn_completed(Ended::with(TurnStatus::Completed), &place, emit);
            }
            ("turn.failed", _) => {
                let error = event.error.unwrap_or_default();
                let ended = Ended { error: Some(&error), ..Ended::with(TurnStatus::Failed) };
                self.turn_completed(ended, &place, emit);
            }
            ("error", _) => {
                // Whether the turn goes on stands in the words.
                let message = event.message.or_else(|| event.error.and_then(|error| error.message));
                let retries = message.as_ref().is_some_and(|text| says_retry(&text.to_str_lossy()));
                self.failure(&Failure { message, ..Failure::default() }, retries, &place, emit);
            }
            ("item.started", Some(item)) => self.item_started(item, &place, emit),
            ("item.updated", Some(item)) => self.item_updated(item, &place, emit),
            (_, Some(item)) => self.item_completed(item, &place, emit),
            (_, None) => emit.ignore("no item"),
        }
    }

    /// The thread of `exec`. Without a line that names it there is one all the same.
    pub(super) fn thread_of_exec(&mut self, emit: &mut Emit<'_>) -> String {
        let thread = if self.current.is_empty() { "exec".to_owned() } else { self.current.clone() };
        if self.current.is_empty() && self.threads.is_empty() {
            let session = emit.selected();
            self.threads.insert(thread.clone(), Thread { session, ..Thread::default() });
        } else {
            self.open_thread(&thread, None, emit);
        }
        thread
    }

    /// The command line: it holds the prompt.
    pub(super) fn arguments(&mut self, line: Value<'_>, emit: &mut Emit<'_>) {
        let words: Vec<String> = line.elements().filter_map(Value::str).map(str::to_owned).collect();
        let Some(arguments) = argv::exec(&words) else { return emit.ignore("arguments") };
        (self.exec.resumed, self.exec.tells_turns) = (arguments.resumed, arguments.events);
        self.exec.reads_prompt = arguments.prompt.is_none();
        let text = |text: &Option<String>| text.as_deref().map(Json::of);
        emit.learn(&[
            ("model", text(&arguments.model)),
            ("cwd", text(&arguments.cwd)),
            ("variant", text(&arguments.effort)),
        ]);
        self.exec.model = arguments.model;
        let mut parts: Vec<_> = arguments.images.into_iter().map(|path| image_part(Text::from(path))).collect();
        match arguments.prompt {
            Some(prompt) => {
                parts.insert(0, ContentPart::text(Text::from(prompt)));
                self.user_item(parts, emit);
            }
            None => emit.ignore("arguments"),
        }
    }

    /// A line of the prompt, if the prompt comes from the standard input.
    pub(super) fn prompt_line(&mut self, text: &str, emit: &mut Emit<'_>) -> bool {
        if !self.exec.reads_prompt {
            return false;
        }
        emit.kind("prompt");
        emit.ignore("its end follows");
        self.exec.prompt.push_str(text);
        self.exec.prompt.push('\n');
        true
    }

    /// The agent has begun: it has read the prompt.
    pub(super) fn prompt_is_over(&mut self, emit: &mut Emit<'_>) {
        if !std::mem::take(&mut self.exec.reads_prompt) {
            return;
        }
        let prompt = std::mem::take(&mut self.exec.prompt);
        let prompt = prompt.strip_suffix('\n').unwrap_or(&prompt);
        if !prompt.is_empty() {
            self.user_item(vec![ContentPart::text(Text::from(prompt))], emit);
        }
    }

    /// What the user wrote: `exec` never shows it. The turn begins with it.
    pub(super) fn user_item(&self, parts: Vec<ContentPart<'_>>, emit: &mut Emit<'_>) {
        if self.exec.tells_turns {
            emit.begin_turn(None, true);
        }
        let spec = Spec { kind: ItemKind::Message, role: Some(ItemRole::User), ..Spec::default() };
        emit.item(&spec, ItemStatus::Completed, parts, true);
    }
}

/// `Reconnecting... 1/5`, `stream error: …; retrying 1/5 in 187ms…`
fn says_retry(text: &str) -> bool {
    text.starts_with("Reconnecting") || text.contains("; retrying ")
}

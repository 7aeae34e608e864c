//! Rollout files: one line an entry, in the order in which things happened.
//!
//! Newer ones hold the items of the thread, each when it was over; beside them stands what the model saw, which says
//! the same again. Older ones hold only what the model saw and some of what happened: see `legacy`.

use interlinear_schema::{ContentPart, Json, StatusLabel, TurnStatus};

use super::items::Place;
use super::messages::system_item;
use super::notes;
use super::state::{Held, State, Thread};
use super::turns::Ended;
use super::wire::{Happened, Meta, Rollout, Seen, Settings};
use crate::agents::Recognised;
use crate::agents::read;
use crate::api::{Agent, Form};
use crate::emit::Emit;
use crate::json::{Tape, Value};
use crate::time;

/// Whether a line is one of Codex's, of any form.
pub(crate) fn recognise(line: Value<'_>) -> Option<Recognised> {
    let text = |key: &str| line.get(key).and_then(Value::str);
    let found = |form, version: Option<&str>| {
        Some(Recognised { agent: Agent::Codex, form, version: version.map(str::to_owned) })
    };
    if let Some(payload) = line.get("payload").filter(|payload| payload.is_object()) {
        let version = payload.get("cli_version").and_then(Value::str);
        return match text("type")? {
            "session_meta" | "response_item" | "event_msg" | "turn_context" | "compacted" | "world_state" => {
                found(Form::Stored, version)
            }
            _ => None,
        };
    }
    if line.get("type").is_none() && (begins_bare(line) || line.get("record_type").is_some()) {
        return found(Form::Stored, None);
    }
    if let Some(method) = text("method") {
        let told = match method.split('/').next().unwrap_or_default() {
            "thread" | "turn" | "item" | "codex" | "configWarning" | "remoteControl" => true,
            // Other protocols begin with a request of this name too; they say which they are.
            "initialize" => line.get("jsonrpc").is_none(),
            _ => false,
        };
        return if told { found(Form::Live, None) } else { None };
    }
    if let Some(result) = line.get("result").filter(|_| line.get("id").is_some()) {
        let agent = result.get("userAgent").and_then(Value::str)?;
        let version = agent.split_once('/').and_then(|(_, rest)| rest.split_whitespace().next());
        return found(Form::Live, version);
    }
    if line.get("msg").is_some() && line.get("type").is_none() && is_older_exec(line) {
        return found(Form::Exec, None);
    }
    match text("type")? {
        "thread.started" if line.get("thread_id").is_some() => found(Form::Exec, None),
        "session.created" if line.get("session_id").is_some() => found(Form::Exec, None),
        "item.started" | "item.completed" | "item.updated" if line.get("item").is_some() => found(Form::Exec, None),
        "turn.completed" | "turn.failed" if line.get("usage").is_some() || line.get("error").is_some() => {
            found(Form::Exec, None)
        }
        _ => None,
    }
}

/// Whether a line is one of `exec --json` before 0.40: an event, or what stands before the first of them.
pub(super) fn is_older_exec(line: Value<'_>) -> bool {
    let [event, id, model, cwd, prompt] = line.pick(["msg", "id", "model", "workdir", "prompt"]);
    let says = event.and_then(|event| event.get("type")).is_some_and(|kind| kind.str().is_some());
    says && id.is_some() || id.is_none() && (model.is_some() && cwd.is_some() || prompt.is_some())
}

/// Whether a line is one of the first rollout files: what the model saw, without anything around it.
pub(super) fn is_bare(line: Value<'_>) -> bool {
    let kind = line.get("type").and_then(Value::str);
    match kind {
        None => line.get("record_type").is_some() || begins_bare(line),
        Some("message") => line.get("role").is_some() && line.get("content").is_some(),
        Some("reasoning") => line.get("summary").is_some(),
        Some("function_call" | "function_call_output" | "custom_tool_call" | "custom_tool_call_output") => {
            line.get("call_id").is_some()
        }
        Some("local_shell_call") => line.get("action").is_some(),
        Some(_) => false,
    }
}

/// The first line of such a file has no type.
fn begins_bare(line: Value<'_>) -> bool {
    line.get("id").is_some() && line.get("timestamp").is_some() && line.get("instructions").is_some()
}

/// Whether a turn began before there was this thread: the identifiers of both begin with the time.
fn is_earlier(turn: &str, thread: &str) -> bool {
    let tells_time = |id: &str| id.len() == 36 && id.as_bytes().get(14) == Some(&b'7');
    tells_time(turn) && tells_time(thread) && turn < thread
}

impl State {
    /// A line of one of the first rollout files.
    pub(super) fn bare_line(&mut self, line: Value<'_>, emit: &mut Emit<'_>) {
        let kind = line.get("type").and_then(Value::str).unwrap_or_default();
        emit.kind(if kind.is_empty() { "session_meta".to_owned() } else { kind.to_owned() });
        if let Some(at) = line.get("timestamp").and_then(Value::str).and_then(time::parse) {
            emit.at(at);
        }
        let meta = if begins_bare(line) { read::<Meta<'_>>(line, emit) } else { None };
        if let Some(id) = meta.as_ref().and_then(|meta| meta.id).filter(|_| self.current.is_empty()) {
            id.clone_into(&mut self.current);
        }
        let id = self.current.clone();
        let Some(place) = self.place_of_file(&id, meta.as_ref(), line, None, emit) else { return };
        if let Some(thread) = self.threads.get_mut(place.thread) {
            thread.rollout.bare = true;
        }
        match meta {
            Some(meta) => self.meta(&meta, &place, emit),
            None if kind.is_empty() => emit.ignore("bookkeeping"),
            None => {
                if let Some(seen) = read::<Seen<'_>>(line, emit) {
                    self.seen(kind, &seen, line, &place, emit);
                }
            }
        }
    }

    /// A line of a rollout file.
    pub(super) fn rollout(&mut self, line: Value<'_>, emit: &mut Emit<'_>) {
        let Some(entry) = read::<Rollout<'_>>(line, emit) else { return };
        let (kind, Some(payload)) = (entry.r#type.unwrap_or_default(), entry.payload) else { return };
        let inner = payload.get("type").and_then(Value::str).unwrap_or_default();
        emit.kind(if inner.is_empty() { kind.to_owned() } else { format!("{kind}/{inner}") });
        let at = entry.timestamp.and_then(time::parse);
        let item = if inner == "item_completed" { payload.get("item") } else { None };
        let id = item.and_then(|item| item.get("id")).and_then(Value::str);
        if !id.is_some_and(|id| self.was_aborted(id)) {
            self.turn_is_over(emit);
        }
        if let Some(at) = at {
            emit.at(at);
        }
        let is_meta = kind == "session_meta";
        let meta = if is_meta { read::<Meta<'_>>(payload, emit) } else { None };
        if let Some(id) = meta.as_ref().and_then(|meta| meta.id).filter(|_| self.current.is_empty()) {
            id.clone_into(&mut self.current);
        }
        let file = self.current.clone();
        let Some(place) = self.place_of_file(&file, meta.as_ref(), line, at, emit) else { return };
        if self.is_copied(kind, inner, payload, &place) {
            return emit.ignore("of another thread");
        }
        if inner == "turn_aborted" && self.end_waits(&place, line, at) {
            return emit.ignore("its calls follow");
        }
        match kind {
            "session_meta" => self.meta(&meta.unwrap_or_default(), &place, emit),
            "turn_context" => match read::<Settings<'_>>(payload, emit) {
                Some(settings) => {
                    if let (Some(cwd), Some(thread)) = (settings.cwd, self.threads.get_mut(place.thread)) {
                        cwd.clone_into(&mut thread.rollout.cwd);
                    }
                    self.settings(&settings, &place, emit);
                }
                None => emit.ignore("nothing new"),
            },
            "event_msg" => {
                if let Some(event) = read::<Happened<'_>>(payload, emit) {
                    self.happened(inner, &event, payload, &place, emit);
                }
            }
            "response_item" => {
                if let Some(seen) = read::<Seen<'_>>(payload, emit) {
                    self.seen(inner, &seen, payload, &place, emit);
                }
            }
            "compacted" => match payload.get("message").and_then(Value::text).filter(|text| !text.is_empty()) {
                Some(message) => system_item(vec![ContentPart::text(message)], "", &place, emit),
                None => self.compacted("compacted", &place, emit),
            },
            "inter_agent_communication" => emit.ignore("context for the model"),
            "world_state" | "token_usage_record" | "retained_context" | "inter_agent_communication_metadata" => {
                emit.ignore("bookkeeping");
            }
            _ => emit.unknown(line.json(), place.agent.as_deref()),
        }
    }

    /// Whether a line belongs to the copy with which the file begins. It is over with the first turn of the thread's own.
    fn is_copied(&mut self, kind: &str, inner: &str, payload: Value<'_>, place: &Place<'_>) -> bool {
        let Some(thread) = self.threads.get_mut(place.thread).filter(|thread| thread.rollout.copied) else {
            return false;
        };
        let turn = payload.get("turn_id").and_then(Value::str);
        let begins = turn.is_some() || matches!(inner, "task_started" | "turn_started");
        let own = begins && !turn.is_some_and(|turn| is_earlier(turn, place.thread));
        thread.rollout.copied = !own;
        !own && kind != "session_meta"
    }

    /// Whose file it is. One of a subagent waits until the call that has started it is known.
    fn place_of_file<'p>(
        &mut self,
        id: &'p str,
        meta: Option<&Meta<'_>>,
        line: Value<'_>,
        at: Option<i64>,
        emit: &mut Emit<'_>,
    ) -> Option<Place<'p>> {
        if let Some(place) = self.place(id, emit) {
            return Some(place);
        }
        if id.is_empty() {
            // The file has lost its first line.
            let session = emit.selected();
            self.threads.insert(id.to_owned(), Thread { session, ..Thread::default() });
            return Some(Place { thread: id, agent: None, turn: None });
        }
        let spawned = meta.is_some_and(|meta| {
            let source = meta.source.and_then(|source| source.get("subagent"));
            meta.parent_thread_id.is_some() || source.is_some()
        });
        let waits = spawned || self.held.iter().any(|held| held.thread == id);
        if waits && self.held.len() < 20_000 {
            self.hold(id, line, at, emit);
            return None;
        }
        Some(self.open_thread(id, None, emit))
    }

    fn meta(&mut self, meta: &Meta<'_>, place: &Place<'_>, emit: &mut Emit<'_>) {
        let own = meta.id == Some(place.thread);
        if !own {
            // A fork begins with a copy of the file that it was made from. That of a subagent was shown where it was said.
            if let Some(thread) = self.threads.get_mut(place.thread) {
                thread.rollout.copied = thread.agent.is_some();
            }
            return emit.ignore("of another thread");
        }
        let text = |text: Option<&str>| text.map(Json::of);
        if let Some(thread) = self.threads.get_mut(place.thread) {
            // The sums of tokens may have gone back since the file before.
            thread.usage.sum = None;
            thread.rollout.paginated = meta.history_mode == Some("paginated");
            meta.cwd.unwrap_or_default().clone_into(&mut thread.rollout.cwd);
        }
        if place.agent.is_some() {
            return emit.ignore("thread of a subagent");
        }
        emit.facts(&[("agent_version", text(meta.cli_version)), ("cwd", text(meta.cwd))]);
    }

    /// Something that happened.
    pub(super) fn happened(
        &mut self,
        kind: &str,
        event: &Happened<'_>,
        payload: Value<'_>,
        place: &Place<'_>,
        emit: &mut Emit<'_>,
    ) {
        let agent = place.agent.as_deref();
        let turn = event.turn_id;
        match kind {
            "task_started" | "turn_started" => {
                self.show_aborted(place, emit);
                if let Some(thread) = self.threads.get_mut(place.thread) {
                    thread.rollout.tells_turns = true;
                }
                self.turn_started(turn, place, emit);
            }
            "task_complete" | "turn_complete" => {
                self.say(place, emit);
                // Older files say what failed before, and only that nothing was said last.
                let answered = payload.get("last_agent_message").and_then(Value::str).is_some();
                let failed = self.threads.get(place.thread).is_some_and(|thread| thread.failed.is_some());
                let failed = event.error.is_some() || failed && !answered;
                if failed {
                    // What was called in an answer that was cut is not run.
                    self.show_unfinished(place, emit);
                }
                let status = if failed { TurnStatus::Failed } else { TurnStatus::Completed };
                let (error, duration_ms) = (event.error.as_ref(), event.duration_ms);
                self.turn_completed(Ended { id: turn, error, duration_ms, ..Ended::with(status) }, place, emit);
            }
            "turn_aborted" => {
                self.say(place, emit);
                self.show_aborted(place, emit);
                let (id, duration_ms) = (turn, event.duration_ms);
                let ended = Ended { id, duration_ms, ..Ended::with(TurnStatus::Interrupted) };
                self.turn_completed(ended, place, emit);
            }
            "item_completed" => {
                let Some(item) = event.item else { return emit.ignore("no item") };
                let id = item.get("id").and_then(Value::str).unwrap_or_default();
                if let Some(thread) = self.threads.get_mut(place.thread) {
                    // Plans have items in files without items too, and so may compactions.
                    let everywhere =
                        matches!(item.get("type").and_then(Value::str), Some("Plan" | "ContextCompaction"));
                    thread.rollout.paginated |= !everywhere;
                    thread.rollout.calls.retain(|call| call.call_id != id);
                }
                self.ensure_turn(turn, place, emit);
                self.item_completed(item, &Place { turn, ..place.clone() }, emit);
            }
            "token_count" => {
                if let Some(usage) = &event.info {
                    self.tokens(usage, turn, place);
                }
                emit.ignore("said by the end of the turn");
            }
            "thread_settings_applied" => match &event.thread_settings {
                Some(settings) => self.settings(settings, place, emit),
                None => emit.ignore("nothing new"),
            },
            "thread_name_updated" => match event.name.clone() {
                Some(name) if agent.is_none() => emit.title(Some(name)),
                _ => emit.ignore("nothing new"),
            },
            "thread_rolled_back" => emit.status(StatusLabel::Notice, Some("the thread was reverted".into()), agent),
            "warning" | "guardian_warning" => emit.status(StatusLabel::Notice, event.message.clone(), agent),
            "error" | "stream_error" => {
                let (info, more) = (payload.get("codex_error_info"), payload.get("additional_details"));
                let message = event.message.clone();
                let error = super::wire::Failure { message, info, more, ..Default::default() };
                self.failure(&error, kind == "stream_error", place, emit);
            }
            "plan_update" => {
                let steps = payload.get("plan").into_iter().flat_map(Value::elements).map(notes::todo).collect();
                self.todos(steps, payload.get("explanation").and_then(Value::text), place, emit);
            }
            _ => self.legacy_event(kind, event, payload, place, emit),
        }
    }

    /// In files with items, what a stopped call had printed is told when the turn is over: the end waits for it.
    fn end_waits(&mut self, place: &Place<'_>, line: Value<'_>, at: Option<i64>) -> bool {
        let Some(thread) = self.threads.get_mut(place.thread) else { return false };
        let waits = thread.rollout.paginated && thread.rollout.calls.iter().any(|call| call.aborted.is_some());
        if waits {
            thread.rollout.end = Some(Held { thread: place.thread.to_owned(), line: line.raw().to_owned(), at });
        }
        waits
    }

    /// Whether it is a call of a turn whose end waits.
    fn was_aborted(&self, id: &str) -> bool {
        self.threads.get(&self.current).is_some_and(|thread| {
            let rollout = &thread.rollout;
            rollout.end.is_some() && rollout.calls.iter().any(|call| call.call_id == id && call.aborted.is_some())
        })
    }

    /// The end of a turn that has waited, in the file at hand.
    fn turn_is_over(&mut self, emit: &mut Emit<'_>) {
        let Some(end) = self.threads.get_mut(&self.current).and_then(|thread| thread.rollout.end.take()) else {
            return;
        };
        let mut tape = Tape::default();
        let Ok(line) = tape.read(&end.line) else { return };
        emit.again(&end.line, |emit| {
            if let Some(place) = self.place(&end.thread, emit) {
                self.show_aborted(&place, emit);
            }
            self.rollout(line, emit);
        });
    }

    /// Nothing more will come of the files.
    pub(super) fn finish_rollouts(&mut self, emit: &mut Emit<'_>) {
        let session = emit.selected();
        let mine = self.threads.iter().filter(|(_, thread)| thread.session == session);
        let mine: Vec<_> = mine.map(|(id, thread)| (id.clone(), thread.agent.clone())).collect();
        for (id, agent) in mine {
            let place = Place { thread: &id, agent, turn: None };
            self.current.clone_from(&id);
            self.turn_is_over(emit);
            self.say(&place, emit);
            self.show_unfinished(&place, emit);
            let tells = self.threads.get(place.thread).is_none_or(|thread| thread.rollout.tells_turns);
            let stored = emit.book.form == Form::Stored;
            if stored && !tells && place.agent.is_none() && emit.session().turn_id().is_some() {
                let ended = Ended { synthetic: true, ..Ended::with(TurnStatus::Completed) };
                self.turn_completed(ended, &place, emit);
            }
        }
    }
}

//! Stored sessions: threads, one JSON document each.

use std::borrow::Cow;

use interlinear_schema::{ContentPart, ErrorData, ItemKind, ItemRole, ItemStatus, Json, StatusLabel, Text, TurnStatus};

use super::messages::part;
use super::output::Shown;
use super::state::State;
use super::wire::{Block, Run, Thread, ThreadMessage};
use crate::agents::{Recognised, read};
use crate::api::{Agent, Form};
use crate::emit::{Emit, Spec};
use crate::json::Value;
use crate::time;
use crate::uri::path_of_uri;

/// Whether a document is a thread, by how it begins.
pub(crate) fn recognise_document(head: &str) -> Option<Recognised> {
    let head = head.trim_start_matches('\u{FEFF}').trim_start();
    // Somewhere near the beginning stands `"id": "T-…"`.
    let named = head.match_indices("\"id\"").take(8).any(|(at, key)| {
        let rest = head[at + key.len()..].trim_start().strip_prefix(':').map(str::trim_start);
        rest.is_some_and(|rest| rest.starts_with("\"T-"))
    });
    let found = head.starts_with('{') && named && head.contains("\"messages\"");
    found.then_some(Recognised { agent: Agent::Amp, form: Form::Stored, version: version(head) })
}

/// The version of the program that wrote it, if it stands in the part that was read.
fn version(head: &str) -> Option<String> {
    let (_, rest) = head.split_once("\"clientVersion\"")?;
    let (_, rest) = rest.split_once('"')?;
    rest.split_once('"').map(|(version, _)| version.to_owned())
}

impl State {
    /// A whole thread.
    pub(super) fn thread(&mut self, document: Value<'_>, emit: &mut Emit<'_>) {
        emit.kind("thread");
        let Some(thread) = read::<Thread<'_>>(document, emit) else {
            return emit.unknown(Json::from_text(document.compact()), None);
        };
        let Some(messages) = &thread.messages else {
            return emit.unknown(Json::from_text(document.compact()), None);
        };
        if let Some(id) = &thread.id {
            emit.route(id);
        }
        if let Some(created) = thread.created {
            emit.at(created);
        }
        let raw = |value: Option<Value<'_>>| value.map(Value::compact);
        let with_raw = emit.book.include_raw;
        let about = raw(thread.env.or_else(|| document.get("id")).filter(|_| with_raw));
        emit.caused_by(about, |emit| facts(&thread, emit));
        let values: Vec<_> =
            document.get("messages").into_iter().flat_map(Value::elements).filter(|value| value.is_object()).collect();
        for (message, value) in messages.iter().zip(&values) {
            emit.caused_by(raw(Some(*value).filter(|_| with_raw)), |emit| self.thread_message(message, emit));
        }
        // The last answer may never have come.
        let last = raw(values.last().copied().filter(|_| with_raw));
        emit.caused_by(last, |emit| self.cut_turn(emit));
        if let Some(title) = thread.title.filter(|title| !title.is_empty()) {
            let cause = raw(document.get("title").filter(|_| with_raw));
            emit.caused_by(cause, |emit| emit.status(StatusLabel::Title, Some(title), None));
        }
    }

    fn thread_message(&mut self, message: &ThreadMessage<'_>, emit: &mut Emit<'_>) {
        let id = message.id.map(|id| format!("msg_{}", id.str().unwrap_or(id.raw())));
        let id = id.as_deref();
        let agent = self.agent_named(message.parent);
        let agent = agent.as_deref();
        if let Some(ms) = written_at(message) {
            emit.at(ms);
        }
        match message.role.unwrap_or_default() {
            "assistant" => {
                emit.close_calls(agent);
                if agent.is_none() {
                    emit.begin_turn(None, true);
                }
                let state = |key: &str| message.state.and_then(|state| state.get(key));
                let kind = state("type").and_then(Value::str).unwrap_or_default();
                // A message that is not complete was cut.
                let cut = matches!(kind, "cancelled" | "error" | "streaming");
                let status = if cut { ItemStatus::Failed } else { ItemStatus::Completed };
                self.answer(message.content, status, id, agent, emit);
                if kind == "error" {
                    failed(state("error").or_else(|| state("message")), emit);
                }
                let stop = state("stopReason").and_then(Value::str);
                if agent.is_none() {
                    let mut blocks = message.content.into_iter().flat_map(Value::elements);
                    let calls = blocks.any(|block| block.get("type").and_then(Value::str) == Some("tool_use"));
                    self.turn.calls = calls && !cut && stop.is_none_or(|stop| stop == "tool_use");
                    self.turn.failed = kind == "error";
                }
                self.note_answer(message.usage.as_ref(), stop, agent.is_none());
                self.turn.duration_ms = message.elapsed;
                if agent.is_none() && stop == Some("end_turn") {
                    self.end_turn(TurnStatus::Completed, emit);
                }
            }
            role => self.thread_user(message, role, id, emit),
        }
    }

    /// A prompt, results of tools, or text that the agent put in.
    fn thread_user(&mut self, message: &ThreadMessage<'_>, role: &str, id: Option<&str>, emit: &mut Emit<'_>) {
        let agent = self.agent_named(message.parent);
        let agent = agent.as_deref();
        let mut parts = Vec::new();
        parts.extend(message.content.and_then(Value::text).map(ContentPart::text));
        for value in message.content.into_iter().flat_map(Value::elements) {
            let Some(block) = read::<Block<'_>>(value, emit) else { continue };
            match (block.tool_use_id, &block.run) {
                (Some(call), Some(run)) => self.run(call, run, agent, emit),
                _ => parts.push(part(&block, value, emit)),
            }
        }
        if parts.is_empty() {
            return;
        }
        let user = role == "user";
        if user && agent.is_none() {
            if !self.turn.calls {
                self.cut_turn(emit);
            }
            emit.begin_turn(None, true);
        }
        let (kind, role) =
            if user { (ItemKind::Message, ItemRole::User) } else { (ItemKind::System, ItemRole::System) };
        let spec = Spec { id: id.unwrap_or_default(), kind, role: Some(role), native: id, parent: None, agent };
        emit.item(&spec, ItemStatus::Completed, parts, false);
    }

    /// The last answer of a turn is none that ends it, or never came.
    pub(super) fn cut_turn(&mut self, emit: &mut Emit<'_>) {
        let status = if self.turn.failed { TurnStatus::Failed } else { TurnStatus::Interrupted };
        self.end_turn(status, emit);
    }

    /// How a tool ran. One that is still in progress was cut: nothing more will come of it.
    fn run(&mut self, call: &str, run: &Run<'_>, agent: Option<&str>, emit: &mut Emit<'_>) {
        let caller = self.call_ids.of_result(call, agent, emit);
        self.subagent(&caller, run.progress, emit);
        let status = run.status.unwrap_or_default();
        let shown = match status {
            "done" => run.result.map(Shown::of),
            // As the stream says it.
            "rejected-by-user" => run.reason.or(run.error).map(|reason| why("Tool execution rejected by user", reason)),
            "cancelled" if run.reason.is_some() => run.reason.map(|reason| why("Tool execution cancelled", reason)),
            _ => {
                let so_far = run.progress.and_then(|progress| progress.get("output"));
                run.error.map(words).or(run.reason).or(run.result).or(so_far).map(Shown::of)
            }
        };
        self.give_result(call, shown.unwrap_or_default(), status != "done", agent, emit);
    }

    /// What a subagent said and did stands in the progress of the call that runs it.
    fn subagent(&mut self, call: &str, progress: Option<Value<'_>>, emit: &mut Emit<'_>) {
        for step in progress.into_iter().flat_map(Value::elements) {
            let mut parts = Vec::new();
            parts.extend(step.get("message").and_then(Value::text).map(ContentPart::text));
            let role = Some(ItemRole::Assistant);
            let spec = Spec { kind: ItemKind::Message, role, agent: Some(call), ..Spec::default() };
            emit.item(&spec, ItemStatus::Completed, parts, false);
            let parent = emit.last_item().to_owned();
            for used in step.get("tool_uses").into_iter().flat_map(Value::elements) {
                let string = |key: &str| used.get(key).and_then(Value::str);
                let (Some(id), Some(name)) = (string("id"), string("tool_name")) else { continue };
                self.call(id, name, used.get("input"), Some(&parent), Some(call), emit);
                let failed = string("status").is_none_or(|status| status != "done");
                let result = used.get("result").or_else(|| used.get("error"));
                self.give_result(id, result.map(Shown::of).unwrap_or_default(), failed, Some(call), emit);
            }
        }
    }
}

/// The words of an error, where it has some.
fn words(error: Value<'_>) -> Value<'_> {
    error.get("message").filter(|message| message.text().is_some()).unwrap_or(error)
}

/// Why a tool has no result.
fn why(what: &str, reason: Value<'_>) -> Shown {
    let mut output = format!("{what}: ").into_bytes();
    output.extend_from_slice(&Shown::of(words(reason)).output);
    Shown { output, ..Shown::default() }
}

/// The model failed.
fn failed(error: Option<Value<'_>>, emit: &mut Emit<'_>) {
    let message = error.map(|error| Shown::of(words(error)).output).unwrap_or_default();
    let message = if message.is_empty() { Text::from("the model failed") } else { Text::from_wtf8(message) };
    emit.error(ErrorData { message, code: Some(Cow::Borrowed("error")), ..ErrorData::default() });
}

/// What is known of the session.
fn facts(thread: &Thread<'_>, emit: &mut Emit<'_>) {
    let initial = thread.env.and_then(|env| env.get("initial"));
    let version =
        initial.and_then(|initial| initial.get("platform")).and_then(|platform| platform.get("clientVersion"));
    let tree = initial.and_then(|initial| initial.get("trees")).and_then(|trees| trees.elements().next());
    let uri = tree.and_then(|tree| tree.get("uri")).and_then(Value::str);
    let cwd = uri.map(|uri| Json::of(&path_of_uri(uri)));
    emit.facts(&[("agent_version", version.map(Value::json)), ("cwd", cwd), ("variant", thread.mode.map(Value::json))]);
}

/// When a message was written, as far as the thread tells.
fn written_at(message: &ThreadMessage<'_>) -> Option<i64> {
    let sent = message.meta.and_then(|meta| meta.get("sentAt")).and_then(Value::i64);
    let first = message.content.and_then(|content| content.elements().next());
    let begun = first.and_then(|block| block.get("startTime")).and_then(Value::i64);
    let billed = message.usage.as_ref().and_then(|usage| usage.timestamp).and_then(time::parse);
    sent.or(begun).or(billed)
}

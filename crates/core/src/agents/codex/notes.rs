//! What the agent lets know beside the conversation: settings, limits, warnings, hooks, goals.

use interlinear_schema::{Json, StatusLabel, StatusPart, Text, Todo, TodoStatus, TurnStatus};

use super::items::Place;
use super::state::State;
use super::turns::{self, Ended};
use super::wire::{Note, Settings};
use crate::agents::read;
use crate::emit::Emit;
use crate::json::{Kind, Value};

impl State {
    /// A notification of a thread that is no part of the conversation.
    pub(super) fn note(&mut self, method: &str, line: Value<'_>, place: &Place<'_>, emit: &mut Emit<'_>) {
        let agent = place.agent.as_deref();
        let note = read_note(line.get("params"), emit);
        match method {
            "turn/plan/updated" => {
                let steps = note.plan.into_iter().flat_map(Value::elements).map(todo).collect();
                self.todos(steps, note.explanation.clone(), place, emit);
            }
            "thread/settings/updated" => match &note.thread_settings {
                Some(settings) => self.settings(settings, place, emit),
                None => emit.ignore("nothing new"),
            },
            "thread/name/updated" => match note.thread_name.clone() {
                Some(name) if agent.is_none() => emit.title(Some(name)),
                _ => emit.ignore("nothing new"),
            },
            "thread/goal/updated" => self.goal(note.goal, place, emit),
            "thread/goal/cleared" => {
                let known = self.threads.get_mut(place.thread).map(|thread| std::mem::take(&mut thread.goal));
                match known.filter(|goal| !goal.is_empty()) {
                    Some(_) => emit.status(StatusLabel::Notice, Some("the goal was cleared".into()), agent),
                    None => emit.ignore("nothing new"),
                }
            }
            "thread/archived" | "thread/unarchived" | "thread/deleted" | "thread/closed" | "thread/reverted" => {
                let word = method.trim_start_matches("thread/");
                if matches!(word, "closed" | "deleted") && self.is_at_work(place) {
                    let ended = Ended { synthetic: true, ..Ended::with(TurnStatus::Interrupted) };
                    self.turn_completed(ended, place, emit);
                }
                if let Some(thread) = self.threads.get_mut(place.thread).filter(|_| word == "reverted") {
                    // The sums of tokens go back with it.
                    thread.usage.sum = None;
                }
                emit.status(StatusLabel::Notice, Some(Text::from(format!("the thread was {word}"))), agent);
            }
            // In older versions beside an item, or in place of one.
            "thread/compacted" => self.compacted(method, place, emit),
            "hook/completed" => hook(note.run, agent, emit),
            "model/rerouted" => {
                let (from, to) = (note.from_model, note.to_model);
                let detail = format!("{} → {}", from.unwrap_or("?"), to.unwrap_or("?"));
                emit.status(StatusLabel::Model, Some(detail.into()), agent);
                if let Some(thread) = self.threads.get_mut(place.thread) {
                    thread.rerouted = to.map(str::to_owned);
                }
            }
            "modelProvider/authRecoveryStarted" | "modelProvider/authRecoveryCompleted" => {
                emit.status(StatusLabel::Notice, note.message.clone(), agent);
            }
            "mcpServer/startupStatus/updated" => self.server(&note, place, emit),
            "item/autoApprovalReview/started" => self.review_started(&note, place, emit),
            "item/autoApprovalReview/completed" => self.review_completed(&note, place, emit),
            _ => emit.unknown(line.json(), agent),
        }
    }

    fn is_at_work(&self, place: &Place<'_>) -> bool {
        self.threads.get(place.thread).is_some_and(|thread| thread.turn.is_some())
    }

    /// What the thread is set to from here on.
    pub(super) fn settings(&mut self, settings: &Settings<'_>, place: &Place<'_>, emit: &mut Emit<'_>) {
        if let Some(thread) = self.threads.get_mut(place.thread) {
            thread.model = settings.model.as_ref().map(ToString::to_string).or(thread.model.take());
            thread.effort = settings.effort.as_ref().map(ToString::to_string).or(thread.effort.take());
        }
        if place.agent.is_some() {
            emit.ignore("settings of a subagent");
            return;
        }
        let text = |text: Option<&str>| text.map(Json::of);
        let role = settings.collaboration_mode.and_then(|mode| mode.get("mode")).and_then(Value::str);
        emit.facts(&[
            ("model", text(settings.model)),
            ("cwd", text(settings.cwd)),
            ("mode", settings.approval_policy.map(turns::policy)),
            ("variant", text(settings.effort)),
            ("role", role.map(Json::of)),
        ]);
    }

    /// The conversation so far was replaced by a summary. Several kinds of lines may say so.
    pub(super) fn compacted(&mut self, kind: &str, place: &Place<'_>, emit: &mut Emit<'_>) {
        let Some(thread) = self.threads.get_mut(place.thread) else { return };
        if !thread.compacted.is_empty() && thread.compacted != kind {
            return emit.ignore("said before");
        }
        kind.clone_into(&mut thread.compacted);
        emit.status(StatusLabel::Compaction, Some("compacted".into()), place.agent.as_deref());
    }

    /// The limits of the account: for every session, as they are nobody's own.
    pub(super) fn limits(&mut self, limits: Option<Value<'_>>, emit: &mut Emit<'_>) {
        let told = |value: &Option<Value<'_>>| value.is_some_and(|it| !matches!(it.kind(), Kind::Null | Kind::False));
        let keys = ["primary", "secondary", "credits", "rateLimitReachedType", "spendControlReached"];
        let tells = |limits: &Value<'_>| limits.pick(keys).iter().any(told);
        let Some(limits) = limits.filter(tells) else { return emit.ignore("no limit") };
        if self.limits == limits.raw() {
            return emit.ignore("nothing new");
        }
        limits.raw().clone_into(&mut self.limits);
        let reached = limits.get("rateLimitReachedType").and_then(Value::text);
        let used = limits.get("primary").and_then(|primary| primary.get("usedPercent")).and_then(Value::f64);
        let shown = |used: f64| format!("{} % used", Json::of(&used).as_str().trim_end_matches(".0"));
        let detail = reached.or_else(|| used.map(shown).map(Text::from));
        everywhere(emit, |emit| {
            let part = StatusPart { label: StatusLabel::RateLimit, detail: detail.clone(), ..StatusPart::default() };
            emit.status_with(part, Some(limits.json()), None, false);
        });
    }

    /// A warning is shown where it belongs, or everywhere.
    pub(super) fn warning(&mut self, thread: Option<&str>, params: Option<Value<'_>>, emit: &mut Emit<'_>) {
        let note = read_note(params, emit);
        let detail = note.message.or_else(|| match (note.summary, note.details) {
            (Some(summary), Some(details)) => Some(Text::from(format!("{summary}\n{details}"))),
            (summary, _) => summary,
        });
        let detail = detail.or_else(|| params.map(|params| Text::from(params.raw())));
        match thread.and_then(|thread| self.place(thread, emit)) {
            Some(place) => emit.status(StatusLabel::Notice, detail, place.agent.as_deref()),
            None => everywhere(emit, |emit| emit.status(StatusLabel::Notice, detail.clone(), None)),
        }
    }

    fn goal(&mut self, goal: Option<Value<'_>>, place: &Place<'_>, emit: &mut Emit<'_>) {
        let text = |key: &str| goal.and_then(|goal| goal.get(key)).and_then(Value::text).unwrap_or_default();
        let shown = format!("goal ({}): {}", text("status"), text("objective"));
        let Some(thread) = self.threads.get_mut(place.thread).filter(|thread| thread.goal != shown) else {
            return emit.ignore("nothing new");
        };
        thread.goal.clone_from(&shown);
        emit.status(StatusLabel::Notice, Some(shown.into()), place.agent.as_deref());
    }

    /// How an MCP server is.
    fn server(&mut self, note: &Note<'_>, place: &Place<'_>, emit: &mut Emit<'_>) {
        let (Some(name), Some(status)) = (&note.name, note.status.and_then(Value::str)) else {
            return emit.ignore("nothing new");
        };
        if status == "starting" {
            return emit.ignore("its end follows");
        }
        let Some(thread) = self.threads.get_mut(place.thread) else { return };
        thread.servers.insert(name.to_str_lossy().into_owned(), status.to_owned());
        if place.agent.is_some() {
            return emit.ignore("server of a subagent");
        }
        let list = thread.servers.iter().map(|(name, status)| {
            format!(
                "{{\"name\":{},\"status\":{}}}",
                Json::of(name.as_str()).as_str(),
                Json::of(status.as_str()).as_str()
            )
        });
        let list = format!("[{}]", list.collect::<Vec<_>>().join(","));
        emit.facts(&[("mcp_servers", Some(Json::from_text(list)))]);
        if let Some(error) = note.error.map(super::tools::message_of) {
            emit.status(StatusLabel::Notice, Some(Text::from(format!("MCP server {name}: {error}"))), None);
        }
    }
}

fn read_note<'a>(params: Option<Value<'a>>, emit: &mut Emit<'_>) -> Note<'a> {
    params.and_then(|params| read(params, emit)).unwrap_or_default()
}

/// To every session that is open; to the first, where none is.
fn everywhere(emit: &mut Emit<'_>, tell: impl Fn(&mut Emit<'_>)) {
    let running: Vec<_> = (0..emit.book.sessions.len()).filter(|at| emit.book.sessions[*at].is_running()).collect();
    if running.is_empty() {
        return tell(emit);
    }
    for session in running {
        emit.select(session);
        tell(emit);
    }
}

/// A review is over. What it found stands beside, in files of older versions nowhere else.
pub(super) fn review_ends(told: Value<'_>, agent: Option<&str>, emit: &mut Emit<'_>) {
    let part =
        StatusPart { label: StatusLabel::Mode, detail: Some("the review is over".into()), ..StatusPart::default() };
    let found = told.get("review_output").filter(|found| found.is_object());
    emit.status_with(part, found.map(Value::json), agent, false);
}

/// A step of a plan, as a thing to do.
pub(super) fn todo(step: Value<'_>) -> Todo<'_> {
    let status = step.get("status").and_then(Value::str).unwrap_or_default();
    Todo {
        text: step.get("step").and_then(Value::text).unwrap_or_default(),
        status: match status {
            "inProgress" | "in_progress" => TodoStatus::InProgress,
            "completed" => TodoStatus::Completed,
            _ => TodoStatus::Pending,
        },
        ..Todo::default()
    }
}

/// A hook that has run; one that has nothing to say is not told.
fn hook(run: Option<Value<'_>>, agent: Option<&str>, emit: &mut Emit<'_>) {
    let text = |key: &str| run.and_then(|run| run.get(key)).and_then(Value::str).unwrap_or_default();
    let entries = run.and_then(|run| run.get("entries"));
    let says = entries.is_some_and(|entries| entries.elements().next().is_some());
    if text("status") == "completed" && !says {
        return emit.ignore("nothing to tell");
    }
    let detail = Some(Text::from(format!("{}: {}", text("eventName"), text("status"))));
    let part = StatusPart { label: StatusLabel::Hook, detail, ..StatusPart::default() };
    emit.status_with(part, run.map(Value::json), agent, false);
}

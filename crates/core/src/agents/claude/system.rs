//! Lines of type `system`: what the agent says about itself.

use interlinear_schema::{Json, StatusLabel, StatusPart, Text, ToolKind};

use super::state::State;
use super::tools;
use super::wire::{Line, System};
use crate::emit::Emit;
use crate::hash;
use crate::json::Value;

/// So many subagents are remembered when they are done.
const MOST_AGENTS: usize = 1000;

impl State {
    pub(super) fn system(
        &mut self,
        subtype: &str,
        line: &System<'_>,
        head: &Line<'_>,
        value: Value<'_>,
        agent: Option<String>,
        emit: &mut Emit<'_>,
    ) {
        let agent = agent.as_deref();
        match subtype {
            "init" => self.init(line, head, emit),
            "status" => self.status_line(line, emit),
            "compact_boundary" => {
                let trigger = line.compact_metadata.and_then(|data| data.get("trigger")).and_then(Value::text);
                let part = StatusPart { label: StatusLabel::Compaction, detail: trigger, ..StatusPart::default() };
                emit.status_with(part, line.compact_metadata.map(Value::json), agent, false);
            }
            "api_retry" | "api_error" => retry(line, value, agent, emit),
            "model_fallback" | "model_refusal_no_fallback" | "model_consent_fallback" => model(line, agent, emit),
            "model_refusal_fallback" => {
                if let Some(uuids) = line.retracted.as_ref().filter(|uuids| !uuids.is_empty()) {
                    self.retract(uuids, emit);
                }
                model(line, agent, emit);
            }
            "task_started" => self.task_started(line, emit),
            "task_updated" => self.task_updated(line, emit),
            "task_notification" => self.task_over(line, emit),
            "permission_denied" => {
                let of = line.agent_id.and_then(|task| self.tasks.get(task)).map(String::as_str);
                emit.status(StatusLabel::Notice, line.message.clone(), agent.or(of));
            }
            "hook_response" => hook(line, agent, emit),
            "local_command" if self.stored => self.local_command(line, emit),
            // Older versions store what hooks said without a name.
            ""
            | "informational"
            | "notification"
            | "local_command"
            | "local_command_output"
            | "mirror_error"
            | "worker_shutting_down"
            | "away_summary"
            | "scheduled_task_fire"
            | "permission_retry"
            | "bridge_status" => self.words(line, value, agent, emit),
            "agents_killed" => {
                let said = line.content.clone().unwrap_or_else(|| Text::from("all subagents were stopped"));
                emit.status(StatusLabel::Notice, Some(said), agent);
            }
            "session_title_changed" => {
                if let Some(title) = line.title {
                    emit.know("title", &title.json());
                }
                emit.status(StatusLabel::Title, line.title.and_then(Value::text), agent);
            }
            "microcompact_boundary" => {
                let detail = Some(Text::from("micro"));
                let part = StatusPart { label: StatusLabel::Compaction, detail, ..StatusPart::default() };
                emit.status_with(part, line.microcompact.map(Value::json), agent, false);
            }
            "stop_hook_summary" if line.prevented == Some(true) => {
                let why = line.stop_reason.as_ref().map(|why| format!("\n{why}")).unwrap_or_default();
                emit.status(StatusLabel::Hook, Some(Text::from(format!("Stop: blocked{why}"))), agent);
            }
            "turn_duration" => {
                self.turn.duration_ms = line.duration_ms;
                emit.ignore("end of a turn");
            }
            "thinking_tokens" | "task_progress" | "hook_started" | "hook_progress" | "session_state_changed" => {
                emit.ignore("heartbeat");
            }
            "commands_changed"
            | "background_tasks_changed"
            | "plugin_install"
            | "files_persisted"
            | "memory_recall"
            | "elicitation_complete"
            | "post_turn_summary"
            | "task_summary"
            | "memory_saved"
            | "stop_hook_summary" => emit.ignore("bookkeeping"),
            _ => emit.unknown(value.json(), agent),
        }
    }

    /// The start of a turn, with the facts of the session.
    fn init(&mut self, line: &System<'_>, head: &Line<'_>, emit: &mut Emit<'_>) {
        let first = !std::mem::replace(&mut self.initialised, true);
        if let Some(id) = head.session_id.filter(|id| !id.is_empty())
            && emit.session().native_id.as_deref() != Some(id)
        {
            self.another_session(id, first, emit);
        }
        emit.begin_turn(None, false);
        emit.facts(&[
            ("agent_version", line.claude_code_version.map(Value::json)),
            ("model", line.model.map(Value::json)),
            ("cwd", line.cwd.map(Value::json)),
            ("mode", line.permission_mode.map(Value::json)),
            ("variant", line.effort.filter(|effort| effort.str().is_some()).map(Value::json)),
            ("tools", line.tools.map(Value::json)),
            ("mcp_servers", line.mcp_servers.map(Value::json)),
        ]);
    }

    fn status_line(&mut self, line: &System<'_>, emit: &mut Emit<'_>) {
        if let Some(mode) = line.permission_mode {
            if !emit.knows("mode", &mode.json()) {
                emit.know("mode", &mode.json());
                let part = StatusPart { label: StatusLabel::Mode, detail: mode.text(), ..StatusPart::default() };
                let fact = format!("{{\"mode\":{}}}", mode.raw());
                emit.status_with(part, Some(Json::from_text(fact)), None, false);
            }
            emit.ignore("nothing new");
        }
        match (line.status.and_then(Value::text), &line.compact_result) {
            (_, Some(result)) => {
                let why = line.compact_error.as_ref().map(|error| format!(": {error}")).unwrap_or_default();
                emit.status(StatusLabel::Compaction, Some(Text::from(format!("{result}{why}"))), None);
            }
            (Some(status), None) if status == Text::from("requesting") => emit.ignore("heartbeat"),
            (Some(status), None) if status == Text::from("compacting") => {
                emit.status(StatusLabel::Compaction, Some(status), None);
            }
            (Some(status), None) => emit.status(StatusLabel::Notice, Some(status), None),
            (None, None) => emit.ignore("nothing new"),
        }
    }

    /// Plain words: for the user, or what a local command printed.
    fn words(&mut self, line: &System<'_>, value: Value<'_>, agent: Option<&str>, emit: &mut Emit<'_>) {
        let text = line.content.as_ref().or(line.text.as_ref()).or(line.message.as_ref());
        let Some(text) = text else {
            emit.unknown(value.json(), agent);
            return;
        };
        match super::results::local_output(&text.to_str_lossy()) {
            Some(output) if output.is_empty() => emit.ignore("empty output"),
            Some(output) => emit.status(StatusLabel::Notice, Some(Text::from(output)), agent),
            None => emit.status(StatusLabel::Notice, Some(text.clone()), agent),
        }
    }

    fn task_started(&mut self, line: &System<'_>, emit: &mut Emit<'_>) {
        emit.ignore("shown by its call");
        let (Some(task), Some(native)) = (line.task_id, line.tool_use_id) else { return };
        let call = self.call_ids.of_agent(native).into_owned();
        let is_agent = line.task_type == Some("local_agent");
        let first = if is_agent { self.first_call(task, &call) } else { call.clone() };
        // One that is called again goes on in the background, below the call that started it.
        if line.backgrounded == Some(true) || first != call {
            self.background_tasks.insert(task.to_owned());
            if is_agent {
                emit.in_background(&first);
            }
        }
        self.tasks.insert(task.to_owned(), first);
    }

    /// The call that started a subagent, which another one may call again: its lines stay below the first.
    fn first_call(&mut self, task: &str, call: &str) -> String {
        let starts = self.calls.get(call).is_some_and(|info| tools::kind(&info.name) == ToolKind::Task);
        if let Some(first) = self.agents.get(task).filter(|_| !starts) {
            return first.clone();
        }
        if self.agents.len() < MOST_AGENTS {
            self.agents.insert(task.to_owned(), call.to_owned());
        }
        call.to_owned()
    }

    fn task_updated(&mut self, line: &System<'_>, emit: &mut Emit<'_>) {
        emit.ignore("shown by its call");
        let moved = line.patch.as_ref().is_some_and(|patch| patch.backgrounded == Some(true));
        if let (Some(task), true) = (line.task_id, moved) {
            self.background_tasks.insert(task.to_owned());
            if let Some(call) = self.tasks.get(task)
                && self.calls.get(call).is_some_and(|info| matches!(info.name.as_str(), "Agent" | "Task"))
            {
                emit.in_background(&call.clone());
            }
        }
        // Nothing else may say so: who asks for the output of a task is not told that it is over.
        let status = line.patch.as_ref().and_then(|patch| patch.status);
        if let (Some("completed" | "failed" | "killed" | "stopped"), Some(task)) = (status, line.task_id)
            && let Some(call) = self.tasks.get(task).cloned()
        {
            self.background_over(&call, emit);
        }
    }

    /// A subagent is done. What ran in the background is closed; the rest is, by its result.
    fn background_over(&mut self, call: &str, emit: &mut Emit<'_>) {
        if emit.is_background(call) {
            self.complete_messages(|_, of| of == Some(call), emit);
            emit.end_background(call);
        }
    }

    /// A subagent or command is done. What ran in the background is news; the rest is shown by its call.
    fn task_over(&mut self, line: &System<'_>, emit: &mut Emit<'_>) {
        let Some(task) = line.task_id else {
            emit.ignore("shown by its call");
            return;
        };
        let call = self.tasks.remove(task);
        // Of one that another process has begun, nothing else tells.
        let other = emit.first_time(hash::of_all(&["over", task])) && call.is_none();
        let call = call.or_else(|| Some(self.call_ids.of_agent(line.tool_use_id?).into_owned()));
        if let Some(call) = call {
            self.background_over(&call, emit);
        }
        if self.background_tasks.remove(task) || other {
            let summary = line.summary.as_ref().map(Text::to_string).unwrap_or_default();
            let status = line.status.and_then(Value::str).filter(|status| *status != "completed");
            let status = status.map(|status| format!(": {status}")).unwrap_or_default();
            emit.status(StatusLabel::Notice, Some(Text::from(format!("{summary}{status}"))), None);
        } else {
            emit.ignore("shown by its call");
        }
    }
}

/// Another model answers, or none: what the agent says about it, and why the service refused.
fn model(line: &System<'_>, agent: Option<&str>, emit: &mut Emit<'_>) {
    let said = [&line.content, &line.refusal].into_iter().flatten().map(Text::to_string);
    let said: Vec<_> = said.filter(|said| !said.is_empty()).collect();
    emit.status(StatusLabel::Model, Some(Text::from(said.join("\n"))), agent);
}

/// A request to the model's service is repeated.
fn retry(line: &System<'_>, value: Value<'_>, agent: Option<&str>, emit: &mut Emit<'_>) {
    let attempt = line.attempt.map(|attempt| format!("attempt {attempt}")).unwrap_or_default();
    let most = line.max_retries.map(|most| format!(" of {most}")).unwrap_or_default();
    let field = |key: &str| line.error.and_then(|error| error.get(key));
    let why = line.error.and_then(Value::str).or_else(|| field("formatted").or_else(|| field("message"))?.str());
    let why = why.map(|error| format!(": {error}")).unwrap_or_default();
    let status = line
        .error_status
        .or_else(|| field("status"))
        .and_then(Value::i64)
        .map(|status| format!(" ({status})"))
        .unwrap_or_default();
    let part = StatusPart {
        label: StatusLabel::Retry,
        detail: Some(Text::from(format!("{attempt}{most}{why}{status}"))),
        ..StatusPart::default()
    };
    emit.status_with(part, Some(value.json()), agent, false);
}

fn hook(line: &System<'_>, agent: Option<&str>, emit: &mut Emit<'_>) {
    let name = line.hook_name.as_ref().map(Text::to_string).unwrap_or_default();
    let outcome = line.outcome.as_ref().map(|outcome| format!(": {outcome}")).unwrap_or_default();
    let code = line.exit_code.filter(|code| *code != 0).map(|code| format!(" (exit code {code})")).unwrap_or_default();
    let output = line.output.as_ref().map(Text::to_string).unwrap_or_default();
    let output = if output.trim().is_empty() { String::new() } else { format!("\n{}", output.trim_end()) };
    emit.status(StatusLabel::Hook, Some(Text::from(format!("{name}{outcome}{code}{output}"))), agent);
}

//! Commands of the host, and the agent's answers to them.

use std::borrow::Cow;

use interlinear_schema::{ErrorData, Json, StatusLabel, StatusPart, Text};

use super::state::{HostRequest, Rest, State};
use super::wire::{HostCommand, Response, UiResponse};
use crate::agents::read;
use crate::emit::Emit;
use crate::json::Value;

/// So many commands may wait for their answers; of a host that is never answered the oldest are forgotten.
const MOST: usize = 1000;

/// Every command that the agent knows.
const COMMANDS: [&str; 38] = [
    "prompt",
    "steer",
    "follow_up",
    "queue_message",
    "abort",
    "new_session",
    "reset",
    "get_state",
    "get_messages",
    "set_model",
    "cycle_model",
    "get_available_models",
    "set_thinking_level",
    "cycle_thinking_level",
    "get_available_thinking_levels",
    "set_queue_mode",
    "set_steering_mode",
    "set_follow_up_mode",
    "clear_queue",
    "compact",
    "set_auto_compaction",
    "set_auto_retry",
    "abort_retry",
    "bash",
    "abort_bash",
    "get_session_stats",
    "export_html",
    "switch_session",
    "branch",
    "fork",
    "clone",
    "get_branch_messages",
    "get_fork_messages",
    "get_last_assistant_text",
    "set_session_name",
    "get_commands",
    "get_entries",
    "get_tree",
];

impl State {
    /// A line that the host wrote.
    pub(super) fn host_line(&mut self, line: Value<'_>, emit: &mut Emit<'_>) {
        self.told = true;
        let kind = line.get("type").and_then(Value::str).unwrap_or_default();
        emit.kind(kind);
        if matches!(kind, "extension_ui_response" | "hook_ui_response") {
            if let Some(response) = read::<UiResponse<'_>>(line, emit) {
                self.ui_response(&response, emit);
            }
            return;
        }
        if !COMMANDS.contains(&kind) {
            // The agent will say what it thinks of it.
            return emit.ignore("no command of the agent");
        }
        let Some(command) = read::<HostCommand<'_>>(line, emit) else { return };
        self.host_speaks(emit);
        emit.ignore("command of the host");
        let mut subject = command.path.unwrap_or_default().to_owned();
        match kind {
            "prompt" => {
                subject = command.message.unwrap_or_default().to_str_lossy().into_owned();
                let begins = !self.running && self.rest != Rest::Settled;
                self.prompted(&subject, emit);
                if begins {
                    // Its turn has begun with it: it waits for none.
                    subject.clear();
                }
            }
            "steer" | "follow_up" | "queue_message" => self.forget_shown(),
            "abort" if emit.session().turn_id().is_some() => self.turn.aborted = true,
            "bash" => subject = self.host_command(command.command.as_ref(), emit),
            _ => {}
        }
        if self.requests.len() >= MOST {
            self.requests.remove(0);
        }
        let id = command.id.unwrap_or_default().to_owned();
        self.requests.push(HostRequest { id, kind: kind.to_owned(), subject });
    }

    /// The command that a response answers.
    fn answered(&mut self, response: &Response<'_>) -> Option<HostRequest> {
        let kind = response.command.unwrap_or_default();
        let id = response.id.unwrap_or_default();
        let found = self.requests.iter().position(|request| request.id == id && request.kind == kind);
        found.map(|index| self.requests.remove(index))
    }

    pub(super) fn response(&mut self, response: &Response<'_>, emit: &mut Emit<'_>) {
        let request = self.answered(response);
        let kind = response.command.unwrap_or_default();
        if kind == "prompt" && !self.told {
            self.host_speaks(emit);
        }
        emit.ignore("answer to the host");
        if response.success == Some(false) {
            return self.refused(request, response, emit);
        }
        let field = |key: &str| response.data.and_then(|data| data.get(key));
        let done = field("cancelled").and_then(Value::bool) != Some(true);
        match kind {
            "prompt" => self.prompt_accepted(field("disposition").and_then(Value::str), emit),
            "abort" if !self.running => self.dismiss_all(emit),
            "get_state" => {
                if let Some(data) = response.data {
                    self.facts(data, emit);
                }
            }
            "set_model" | "cycle_model" => {
                let model = field("model").or(response.data);
                self.model(model, emit);
                emit.learn(&[("variant", field("thinkingLevel").map(Value::json))]);
            }
            "get_session_stats" => {
                let window = field("contextUsage").and_then(|usage| usage.get("contextWindow")).and_then(Value::u64);
                self.context_window = window.or(self.context_window);
            }
            "bash" => {
                let request = request.map(|request| request.subject);
                let call = request.unwrap_or_else(|| self.host_command(None, emit));
                let output = field("output").and_then(Value::text).unwrap_or_default();
                self.host_result(&call, output, field("exitCode").and_then(Value::i64), !done, emit);
            }
            "new_session" | "reset" if done => {
                emit.forget_native_session();
                emit.status(StatusLabel::Cleared, Some(Text::from(kind)), None);
            }
            "switch_session" | "fork" | "branch" | "clone" if done => {
                let path = request.map(|request| request.subject).unwrap_or_default();
                match session_of(&path) {
                    Some(id) => {
                        emit.native_session(id);
                    }
                    None => emit.forget_native_session(),
                }
                let detail = Some(Text::from(kind.to_owned()));
                let part = StatusPart { label: StatusLabel::Session, detail, ..StatusPart::default() };
                emit.status_with(part, None, None, false);
            }
            _ => {}
        }
    }

    /// A command that the agent did not do.
    fn refused(&mut self, request: Option<HostRequest>, response: &Response<'_>, emit: &mut Emit<'_>) {
        let kind = response.command.unwrap_or_default();
        let error = response.error.as_ref().map_or_else(|| Text::from(kind), Text::borrow);
        if kind == "prompt" {
            self.last_error = Some(error.to_str_lossy().into_owned());
            self.show_said(emit);
        }
        emit.error(ErrorData {
            message: error.borrow(),
            code: Some(Cow::Borrowed("command_failed")),
            details: Some(Json::from_text(format!("{{\"command\":{}}}", Json::of(kind).as_str()))),
            ..ErrorData::default()
        });
        match request {
            _ if kind == "prompt" => self.prompt_refused(emit),
            // It has not run: there is nothing to wait for.
            Some(request) if kind == "bash" => self.host_result(&request.subject, error, None, true, emit),
            _ => {}
        }
    }

    /// What `get_state` tells about the session.
    fn facts(&mut self, data: Value<'_>, emit: &mut Emit<'_>) {
        if let Some(id) = data.get("sessionId").and_then(Value::str) {
            emit.native_session(id);
        }
        self.model(data.get("model"), emit);
        emit.learn(&[("variant", data.get("thinkingLevel").map(Value::json))]);
        if let Some(name) = data.get("sessionName").and_then(Value::text) {
            emit.title(Some(name));
        }
    }

    fn model(&mut self, model: Option<Value<'_>>, emit: &mut Emit<'_>) {
        let field = |key: &str| model.and_then(|model| model.get(key));
        let string = |key: &str| field(key).and_then(Value::str);
        self.context_window = field("contextWindow").and_then(Value::u64).or(self.context_window);
        self.note_model(string("provider"), string("id"), emit);
    }
}

/// The session that a file holds, by its name: `<time>_<session>.jsonl`.
fn session_of(path: &str) -> Option<&str> {
    let name = path.rsplit(['/', '\\']).next()?.strip_suffix(".jsonl")?;
    name.rsplit_once('_').map(|(_, id)| id)
}

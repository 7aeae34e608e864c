//! `opencode acp`: the Agent Client Protocol, JSON-RPC on standard input and output.

use std::borrow::Cow;

use interlinear_schema::{
    ContentPart, ErrorData, Json, PermissionData, PermissionStatus, StatusLabel, StatusPart, Text, ToolResultPart,
};

use super::messages::prompt_message;
use super::state::{Pending, Route, State};
use super::wire::Tokens;
use crate::emit::Emit;
use crate::hash;
use crate::json::Value;

fn text<'a>(value: Value<'a>, key: &str) -> Option<Cow<'a, str>> {
    value.get(key).and_then(Value::str)
}

impl State {
    /// What the host sends: requests, and answers to the agent's.
    pub(super) fn acp_sent(&mut self, line: Value<'_>, emit: &mut Emit<'_>) {
        let id = line.get("id").map(|id| id.raw().to_owned()).unwrap_or_default();
        let Some(method) = text(line, "method") else {
            return self.acp_reply(&id, line, emit);
        };
        emit.kind(&method);
        self.acp.insert(id, method.clone().into_owned());
        let params = line.get("params").unwrap_or(line);
        let session = text(params, "sessionId").filter(|id| !id.is_empty());
        match (method.as_ref(), session) {
            ("session/prompt", Some(session)) => {
                self.enter(&session, emit);
                self.begin_turn(&session, None, true, emit);
                let parts: Vec<_> = params.get("prompt").into_iter().flat_map(Value::elements).collect();
                prompt_message("", &parts, emit);
            }
            ("session/cancel", Some(session)) => {
                self.enter(&session, emit);
                self.native(&session).turn.interrupted = true;
                emit.ignore("its answer follows");
            }
            _ => emit.ignore("its answer follows"),
        }
    }

    /// The host's answer to a request for permission.
    fn acp_reply(&mut self, id: &str, line: Value<'_>, emit: &mut Emit<'_>) {
        emit.kind("response");
        let request = format!("perm_acp_{id}");
        let Some(pending) = self.requests.get(&request) else {
            emit.ignore("between programs");
            return;
        };
        let session = pending.session.clone();
        self.enter(&session, emit);
        let outcome = line.get("result").and_then(|result| result.get("outcome"));
        let option = outcome.and_then(|outcome| text(outcome, "optionId")).unwrap_or_default();
        let status = match option.as_ref() {
            "once" | "allow" => PermissionStatus::Accept,
            "always" => PermissionStatus::AcceptForSession,
            _ => PermissionStatus::Reject,
        };
        self.resolve(&request, status, None, emit);
    }

    /// What the agent sends: notifications, answers, and requests of its own.
    pub(super) fn acp_received(&mut self, line: Value<'_>, emit: &mut Emit<'_>) {
        let id = line.get("id").map(|id| id.raw().to_owned()).unwrap_or_default();
        let params = line.get("params").unwrap_or(line);
        let session = text(params, "sessionId").filter(|id| !id.is_empty());
        match (text(line, "method").as_deref(), session) {
            (None, _) => self.acp_answer(&id, line, emit),
            (Some("session/update"), Some(session)) => {
                self.enter(&session, emit);
                let update = params.get("update").unwrap_or(params);
                self.acp_update(&session, update, emit);
            }
            (Some("session/request_permission"), Some(session)) => {
                emit.kind("session/request_permission");
                self.enter(&session, emit);
                self.acp_permission(&id, &session, params, emit);
            }
            (Some(method), _) => {
                emit.kind(method);
                emit.unknown(line.json(), None);
            }
        }
    }

    fn acp_answer(&mut self, id: &str, line: Value<'_>, emit: &mut Emit<'_>) {
        let method = self.acp.remove(id).unwrap_or_default();
        emit.kind(format!("answer to {method}"));
        let result = line.get("result");
        if let Some(error) = line.get("error") {
            let message = error.get("message").and_then(Value::text).unwrap_or_default();
            self.last_error = Some(message.to_string());
            let code = error.get("code").map(|code| Cow::Owned(code.raw().to_owned()));
            emit.error(ErrorData { message, code, details: Some(error.json()), ..ErrorData::default() });
        }
        match method.as_str() {
            "session/new" | "session/load" => {
                if let Some(session) = result.and_then(|result| text(result, "sessionId")) {
                    self.enter(&session, emit);
                    emit.begin_session();
                }
                emit.ignore("nothing new");
            }
            "session/prompt" => self.acp_turn_over(result, line.get("error").is_some(), emit),
            _ => emit.ignore("between programs"),
        }
    }

    /// A prompt is answered: its turn is over.
    fn acp_turn_over(&mut self, result: Option<Value<'_>>, failed: bool, emit: &mut Emit<'_>) {
        let open = self.sessions.iter().find(|(_, native)| native.agent.is_none()).map(|(id, _)| id.clone());
        let Some(session) = open else {
            emit.ignore("no session");
            return;
        };
        self.enter(&session, emit);
        self.acp_complete(&session, emit);
        let stop = result.and_then(|result| text(result, "stopReason"));
        let usage = result.and_then(|result| result.get("usage"));
        let count = |key: &str| usage.and_then(|usage| usage.get(key)).and_then(Value::u64);
        if usage.is_some() {
            let tokens = Tokens {
                input: count("inputTokens"),
                output: count("outputTokens"),
                total: count("totalTokens"),
                reasoning: count("thoughtTokens"),
                ..Tokens::default()
            };
            self.add_usage(&session, Some(&tokens), None);
        }
        let turn = &mut self.native(&session).turn;
        turn.failed |= failed;
        turn.interrupted |= stop.as_deref() == Some("cancelled");
        turn.stop_reason = stop.map(Cow::into_owned);
        self.end_turn(&session, emit);
    }

    fn acp_update(&mut self, session: &str, update: Value<'_>, emit: &mut Emit<'_>) {
        let kind = text(update, "sessionUpdate").unwrap_or_default();
        emit.kind(format!("session/update {kind}"));
        match kind.as_ref() {
            "agent_message_chunk" | "agent_thought_chunk" => self.acp_chunk(session, &kind, update, emit),
            "tool_call" | "tool_call_update" => self.acp_tool(session, update, emit),
            "plan" => {
                let entries = update.get("entries").filter(|entries| entries.is_array());
                let todos = entries.map(super::tools::todo_list);
                let part = StatusPart { label: StatusLabel::Notice, todos, ..StatusPart::default() };
                emit.status_with(part, None, None, false);
            }
            "usage_update" => {
                self.native(session).turn.context_used = update.get("used").and_then(Value::u64);
                emit.ignore("told at the end of the turn");
            }
            "current_mode_update" => emit.facts(&[("mode", update.get("currentModeId").map(Value::json))]),
            "session_info_update" => {
                let title = update.get("title").and_then(Value::text);
                emit.status(StatusLabel::Title, title, None);
            }
            "available_commands_update" | "config_option_update" => emit.ignore("of the server"),
            "user_message_chunk" => emit.ignore("echo"),
            _ => emit.unknown(update.json(), None),
        }
    }

    fn acp_chunk(&mut self, session: &str, kind: &str, update: Value<'_>, emit: &mut Emit<'_>) {
        let reasoning = kind == "agent_thought_chunk";
        let part = text(update, "messageId").unwrap_or(Cow::Borrowed("message")).into_owned();
        let content = update.get("content").unwrap_or(update);
        let Some(said) = content.get("text").and_then(Value::text) else {
            emit.ignore("no text");
            return;
        };
        // A thought bears the identifier of its part: it belongs to the message that follows.
        let open = self.messages.iter().find(|(_, message)| message.session == session).map(|(id, _)| id.clone());
        let goes_on = reasoning || self.acp_message.as_ref().is_none_or(|known| *known == part);
        let message = if let Some(open) = open.filter(|_| goes_on) {
            open
        } else {
            self.acp_complete(session, emit);
            part.clone()
        };
        if !reasoning {
            self.acp_message = Some(part.clone());
        }
        self.adopt(session, &message, emit);
        self.text_delta(&message, &format!("{part}/{kind}"), reasoning, &said, emit);
    }

    /// The message that was being written is whole.
    fn acp_complete(&mut self, session: &str, emit: &mut Emit<'_>) {
        self.acp_message = None;
        let open = self.messages.iter().filter(|(_, message)| message.session == session);
        let open: Vec<_> = open.map(|(id, _)| id.clone()).collect();
        for message in open {
            self.complete_message(&message, false, emit);
        }
    }

    fn acp_tool(&mut self, session: &str, update: Value<'_>, emit: &mut Emit<'_>) {
        let Some(call) = text(update, "toolCallId") else {
            emit.ignore("no call");
            return;
        };
        let id = format!("{session}/{call}");
        if self.is_done(&id) {
            emit.ignore("nothing new");
            return;
        }
        let known = self.tools.get(&id).map(|tool| tool.name.clone());
        let name = known.or_else(|| text(update, "title").map(Cow::into_owned)).unwrap_or_else(|| "unknown".to_owned());
        let message = self.messages.iter().find(|(_, message)| message.session == session).map(|(id, _)| id.clone());
        self.call_begins(&id, session, message.as_deref().unwrap_or_default(), &call, &name, emit);
        let status = text(update, "status").unwrap_or_default();
        if status != "pending" {
            self.call_known(&id, &name, update.get("rawInput"), emit);
        }
        if !matches!(status.as_ref(), "completed" | "failed") {
            emit.ignore("nothing new");
            return;
        }
        let Some(tool) = self.tools.remove(&id) else { return };
        self.done.insert(hash::id(id.as_bytes()));
        let raw = update.get("rawOutput");
        let of = |key: &str| raw.and_then(|raw| raw.get(key)).and_then(Value::text);
        let output = of("output").or_else(|| of("error")).unwrap_or_else(|| shown(update));
        let metadata = raw.and_then(|raw| raw.get("metadata"));
        let exit_code = metadata.and_then(|metadata| metadata.get("exit")).and_then(Value::i64);
        let failed = status == "failed" || exit_code.is_some_and(|code| code != 0);
        let mut tape = crate::json::Tape::default();
        let input = tape.read(&tool.input).ok();
        let files = if failed { Vec::new() } else { super::tools::files(&tool.name, input, metadata) };
        let extra = files.into_iter().map(|file| ContentPart::FileRef(interlinear_schema::IntoOwned::into_owned(file)));
        let part =
            ToolResultPart { call_id: Cow::Borrowed(&tool.call_id), output, exit_code, ..ToolResultPart::default() };
        emit.result(part, extra.collect(), failed, None, false);
    }

    fn acp_permission(&mut self, id: &str, session: &str, params: Value<'_>, emit: &mut Emit<'_>) {
        let request = format!("perm_acp_{id}");
        let call = params.get("toolCall").unwrap_or(params);
        let pending = Pending { session: session.to_owned(), route: Route::Request, questions: 0, reply: None };
        self.requests.insert(request.clone(), pending);
        emit.ask_permission(PermissionData {
            permission_id: Cow::Owned(request),
            action: text(call, "kind").unwrap_or(Cow::Borrowed("tool")),
            tool_call_id: text(call, "toolCallId"),
            title: call.get("title").and_then(Value::text),
            options: Some(vec![PermissionStatus::Accept, PermissionStatus::AcceptForSession, PermissionStatus::Reject]),
            metadata: call.get("rawInput").map(|input| Json::from_text(format!("{{\"input\":{}}}", input.raw()))),
            ..PermissionData::default()
        });
    }
}

/// The text of a tool's content.
fn shown(update: Value<'_>) -> Text<'static> {
    let mut out = Vec::new();
    for content in update.get("content").into_iter().flat_map(Value::elements) {
        let inner = content.get("content").and_then(|inner| inner.get("text")).and_then(Value::text);
        inner.unwrap_or_default().append_to(&mut out);
    }
    Text::from_wtf8(out)
}

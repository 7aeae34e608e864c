//! Commands → Pi's own lines.

use std::fmt::Write as _;

use super::state::{Dialog, DialogKind, State};
use crate::api::{Command, Outgoing, PromptCommand, PromptMode, PromptPart, StartCommand};
use crate::emit::Emit;
use crate::json::quoted;

impl State {
    /// Encodes a command.
    pub(super) fn encode(&mut self, command: &Command, emit: &mut Emit<'_>, outgoing: &mut Vec<Outgoing>) {
        let line = match command {
            Command::Start(start) => return self.start(start, emit, outgoing),
            Command::Prompt(prompt) => self.prompt_line(prompt),
            Command::ReplyQuestion(reply) => match self.waiting(&reply.question_id) {
                Some(dialog) => answer_line(dialog, &reply.answers),
                None => return emit.unsupported("this question does not wait for an answer"),
            },
            Command::RejectQuestion(reject) => match self.waiting(&reject.question_id) {
                Some(dialog) => response_line(dialog, "\"cancelled\":true"),
                None => return emit.unsupported("this question does not wait for an answer"),
            },
            Command::Interrupt => self.line("\"type\":\"abort\""),
            Command::SetModel { model } => match self.model_line(model) {
                Some(line) => line,
                None => return emit.unsupported("a model is named by its provider too: provider/model"),
            },
            Command::SetVariant { variant } => {
                self.line(&format!("\"type\":\"set_thinking_level\",\"level\":{}", quoted(variant)))
            }
            Command::Compact { instructions } => {
                let words = instructions.as_deref().map(|words| format!(",\"customInstructions\":{}", quoted(words)));
                self.line(&format!("\"type\":\"compact\"{}", words.unwrap_or_default()))
            }
            Command::Resume(resume) if resume.native_session_id.ends_with(".jsonl") => {
                let path = quoted(&resume.native_session_id);
                self.line(&format!("\"type\":\"switch_session\",\"sessionPath\":{path}"))
            }
            Command::Resume(_) => {
                return emit.unsupported(
                    "to resume by identifier is an option of a new process: --session ID; a path to a session file works",
                );
            }
            Command::Fork(_) => return emit.unsupported("to fork is an option of a new process: --fork ID"),
            Command::ReplyPermission(_) => {
                return emit.unsupported("it asks for no permissions; extensions ask questions");
            }
            Command::SetPermissionMode { .. } => return emit.unsupported("it has no permission modes"),
            Command::SetAgent { .. } => return emit.unsupported("it has no roles to choose from"),
            Command::Terminate => return,
        };
        outgoing.push(Outgoing::Stdin(line));
    }

    /// There is no handshake; the state tells which session it is.
    fn start(&mut self, start: &StartCommand, emit: &mut Emit<'_>, outgoing: &mut Vec<Outgoing>) {
        if let Some(model) = &start.model {
            match self.model_line(model) {
                Some(line) => outgoing.push(Outgoing::Stdin(line)),
                None => emit.unsupported("a model is named by its provider too: provider/model"),
            }
        }
        if let Some(variant) = &start.variant {
            let line = self.line(&format!("\"type\":\"set_thinking_level\",\"level\":{}", quoted(variant)));
            outgoing.push(Outgoing::Stdin(line));
        }
        let line = self.line("\"type\":\"get_state\"");
        outgoing.push(Outgoing::Stdin(line));
    }

    fn waiting(&self, event_id: &str) -> Option<&Dialog> {
        self.dialogs.iter().find(|dialog| dialog.event_id == event_id)
    }

    fn line(&mut self, members: &str) -> String {
        self.numbered += 1;
        format!("{{\"id\":\"interlinear-{}\",{members}}}\n", self.numbered)
    }

    /// A prompt. While the agent works it must be said how the prompt meets that.
    fn prompt_line(&mut self, prompt: &PromptCommand) -> String {
        let mut text = String::new();
        let mut images = Vec::new();
        for part in &prompt.parts {
            match part {
                PromptPart::Text { text: more } => add_line(&mut text, more),
                PromptPart::Image { mime, data } => images.push(image(mime, data)),
                PromptPart::File { mime: Some(mime), data: Some(data), .. } if mime.starts_with("image/") => {
                    images.push(image(mime, data));
                }
                // The agent reads files that are named.
                PromptPart::File { path, .. } => add_line(&mut text, &format!("@{path}")),
            }
        }
        let kind = match prompt.mode {
            Some(PromptMode::Steer) if self.running => "\"type\":\"steer\"",
            Some(PromptMode::FollowUp) if self.running => "\"type\":\"follow_up\"",
            _ => "\"type\":\"prompt\"",
        };
        let mut members = format!("{kind},\"message\":{}", quoted(&text));
        if !images.is_empty() {
            let _ = write!(members, ",\"images\":[{}]", images.join(","));
        }
        if self.running && prompt.mode.is_none() {
            members.push_str(",\"streamingBehavior\":\"steer\"");
        }
        self.line(&members)
    }

    /// `provider/model`; without a provider, the one in use.
    fn model_line(&mut self, model: &str) -> Option<String> {
        let (provider, id) = match model.split_once('/') {
            Some((provider, id)) => (provider.to_owned(), id),
            None => (self.provider.clone()?, model),
        };
        let members = format!("\"type\":\"set_model\",\"provider\":{},\"modelId\":{}", quoted(&provider), quoted(id));
        Some(self.line(&members))
    }
}

fn add_line(text: &mut String, more: &str) {
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(more);
}

fn image(mime: &str, data: &str) -> String {
    format!("{{\"type\":\"image\",\"data\":{},\"mimeType\":{}}}", quoted(data), quoted(mime))
}

fn response_line(dialog: &Dialog, answer: &str) -> String {
    let kind = if dialog.hook { "hook_ui_response" } else { "extension_ui_response" };
    format!("{{\"type\":\"{kind}\",\"id\":{},{answer}}}\n", quoted(&dialog.id))
}

fn answer_line(dialog: &Dialog, answers: &[Vec<String>]) -> String {
    let answer = answers.first().map(|answers| answers.join(", ")).unwrap_or_default();
    if dialog.kind == DialogKind::Confirm {
        let confirmed = matches!(answer.to_ascii_lowercase().as_str(), "true" | "yes" | "y" | "ok");
        return response_line(dialog, &format!("\"confirmed\":{confirmed}"));
    }
    response_line(dialog, &format!("\"value\":{}", quoted(&answer)))
}

//! Commands → Claude Code's own lines.

use interlinear_schema::Json;

use super::state::{Pending, PendingKind, State};
use crate::api::{
    Command, Outgoing, PermissionReply, PromptMode, PromptPart, RejectQuestionCommand, ReplyPermissionCommand,
    ReplyQuestionCommand,
};
use crate::emit::Emit;
use crate::json::{Tape, quoted};
use crate::mcp::form_member;

/// What the agent is told when a refusal has no words.
const REFUSED: &str = "The user refused this.";

impl State {
    /// Encodes a command.
    pub(super) fn encode(&mut self, command: &Command, emit: &mut Emit<'_>, outgoing: &mut Vec<Outgoing>) {
        let line = match command {
            Command::Start(_) => self.control("{\"subtype\":\"initialize\",\"hooks\":null}"),
            Command::Prompt(prompt) => prompt_line(&prompt.parts, prompt.mode),
            Command::ReplyPermission(reply) => match self.waiting(&reply.permission_id, true) {
                Some(pending) => permission_line(pending, reply),
                None => return emit.unsupported("this permission does not wait for an answer"),
            },
            Command::ReplyQuestion(reply) => match self.waiting(&reply.question_id, false) {
                Some(pending) => answer_line(pending, reply),
                None => return emit.unsupported("this question does not wait for an answer"),
            },
            Command::RejectQuestion(reject) => match self.waiting(&reject.question_id, false) {
                Some(pending) => reject_line(pending, reject),
                None => return emit.unsupported("this question does not wait for an answer"),
            },
            Command::Interrupt => self.control("{\"subtype\":\"interrupt\"}"),
            Command::SetModel { model } => {
                let request = format!("{{\"subtype\":\"set_model\",\"model\":{}}}", quoted(model));
                self.control(&request)
            }
            Command::SetPermissionMode { mode } => {
                let request = format!("{{\"subtype\":\"set_permission_mode\",\"mode\":{}}}", quoted(mode));
                self.control(&request)
            }
            Command::Compact { instructions } => {
                let words = instructions.as_deref().map(|words| format!(" {words}")).unwrap_or_default();
                prompt_line(&[PromptPart::Text { text: format!("/compact{words}") }], None)
            }
            Command::Resume(_) | Command::Fork(_) => {
                return emit.unsupported("resume and fork are options of a new process: --resume ID, --fork-session");
            }
            Command::SetVariant { .. } => {
                return emit.unsupported("the effort is an option of a new process: --effort LEVEL");
            }
            Command::SetAgent { .. } => return emit.unsupported("it has no roles to choose from"),
            Command::Terminate => return,
        };
        outgoing.push(Outgoing::Stdin(line));
    }

    fn waiting(&self, event_id: &str, permission: bool) -> Option<&Pending> {
        let is_it = |pending: &&Pending| (pending.kind == PendingKind::Permission) == permission;
        self.requests.iter().filter(is_it).find(|pending| pending.event_id == event_id)
    }

    fn control(&mut self, request: &str) -> String {
        self.numbered += 1;
        format!(
            "{{\"type\":\"control_request\",\"request_id\":\"interlinear-{}\",\"request\":{request}}}\n",
            self.numbered
        )
    }
}

fn prompt_line(parts: &[PromptPart], mode: Option<PromptMode>) -> String {
    let blocks: Vec<_> = parts.iter().map(prompt_block).collect();
    // Without that it is heard within the running turn.
    let waits = if mode == Some(PromptMode::FollowUp) { ",\"priority\":\"later\"" } else { "" };
    format!(
        "{{\"type\":\"user\",\"message\":{{\"role\":\"user\",\"content\":[{}]}},\"parent_tool_use_id\":null,\"session_id\":\"\"{waits}}}\n",
        blocks.join(",")
    )
}

fn prompt_block(part: &PromptPart) -> String {
    let source = |kind: &str, mime: &str, data: &str| {
        format!("{{\"type\":\"{kind}\",\"media_type\":{},\"data\":{}}}", quoted(mime), quoted(data))
    };
    let image = |mime: &str, data: &str| format!("{{\"type\":\"image\",\"source\":{}}}", source("base64", mime, data));
    match part {
        PromptPart::Text { text } => format!("{{\"type\":\"text\",\"text\":{}}}", quoted(text)),
        PromptPart::Image { mime, data } => image(mime, data),
        PromptPart::File { mime: Some(mime), data: Some(data), .. } if mime.starts_with("image/") => image(mime, data),
        PromptPart::File { path, mime, data: Some(data) } => match mime.as_deref().unwrap_or("application/pdf") {
            mime @ "application/pdf" => document(path, &source("base64", mime, data)),
            // The model takes no other files but text, and that as it is.
            _ => {
                decoded(data).map_or_else(|| mention(path), |text| document(path, &source("text", "text/plain", &text)))
            }
        },
        PromptPart::File { path, data: None, .. } => mention(path),
    }
}

fn document(path: &str, source: &str) -> String {
    format!("{{\"type\":\"document\",\"source\":{source},\"title\":{}}}", quoted(path))
}

/// The agent reads files that are mentioned. A name ends at the first blank, unless it stands in quotes.
fn mention(path: &str) -> String {
    let mention = if path.contains(char::is_whitespace) { format!("@\"{path}\"") } else { format!("@{path}") };
    format!("{{\"type\":\"text\",\"text\":{}}}", quoted(&mention))
}

/// The text that stands in base64, if it is text.
fn decoded(base64: &str) -> Option<String> {
    let (mut bits, mut count, mut bytes) = (0, 0, Vec::new());
    for digit in base64.trim_end_matches('=').bytes() {
        let value =
            b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".iter().position(|at| *at == digit)?;
        (bits, count) = (bits << 6 | value, count + 6);
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    String::from_utf8(bytes).ok()
}

fn response_line(pending: &Pending, response: &str) -> String {
    format!(
        "{{\"type\":\"control_response\",\"response\":{{\"subtype\":\"success\",\"request_id\":{},\"response\":{response}}}}}\n",
        quoted(&pending.request_id)
    )
}

fn permission_line(pending: &Pending, reply: &ReplyPermissionCommand) -> String {
    if reply.reply == PermissionReply::Reject {
        return denied(pending, reply.message.as_deref().unwrap_or_default(), reply.interrupt);
    }
    let input = reply.updated_input.as_ref().map_or(pending.input.as_str(), Json::as_str);
    let lasting = match reply.reply {
        PermissionReply::AcceptForSession => format!(",\"updatedPermissions\":{}", for_session(&pending.suggestions)),
        _ => String::new(),
    };
    response_line(pending, &format!("{{\"behavior\":\"allow\",\"updatedInput\":{input}{lasting}}}"))
}

/// The agent's suggestions, meant for this session only.
fn for_session(suggestions: &str) -> String {
    let mut tape = Tape::default();
    let Ok(list) = tape.read(suggestions) else { return "[]".to_owned() };
    let rules: Vec<_> = list
        .elements()
        .filter(|rule| rule.is_object())
        .map(|rule| {
            let kept = rule.members().filter(|(key, _)| *key != "destination");
            let kept = kept.map(|(key, value)| format!("{}:{},", quoted(key), value.raw()));
            format!("{{{}\"destination\":\"session\"}}", kept.collect::<String>())
        })
        .collect();
    format!("[{}]", rules.join(","))
}

fn answer_line(pending: &Pending, reply: &ReplyQuestionCommand) -> String {
    match pending.kind {
        PendingKind::Form => {
            let fields = pending.questions.iter().zip(&reply.answers);
            let fields: Vec<_> =
                fields.filter_map(|(name, answers)| form_member(&pending.input, name, answers)).collect();
            response_line(pending, &format!("{{\"action\":\"accept\",\"content\":{{{}}}}}", fields.join(",")))
        }
        PendingKind::Plan => {
            let said: Vec<_> = reply.answers.iter().flatten().map(String::as_str).collect();
            match said.split_first() {
                None | Some((&"approve", _)) => {
                    response_line(pending, &format!("{{\"behavior\":\"allow\",\"updatedInput\":{}}}", pending.input))
                }
                // Words of one's own are what the plan lacks.
                Some((&"reject", why)) => denied(pending, &why.join(" "), false),
                Some(_) => denied(pending, &said.join(" "), false),
            }
        }
        _ => {
            let answers = pending.questions.iter().zip(&reply.answers).filter(|(_, answer)| !answer.is_empty());
            let answers: Vec<_> = answers
                .map(|(question, answer)| format!("{}:{}", quoted(question), quoted(&answer.join(", "))))
                .collect();
            let input = with_member(&pending.input, &format!("\"answers\":{{{}}}", answers.join(",")));
            response_line(pending, &format!("{{\"behavior\":\"allow\",\"updatedInput\":{input}}}"))
        }
    }
}

/// The object with one more member.
fn with_member(object: &str, member: &str) -> String {
    let body = object.trim().strip_suffix('}').unwrap_or("{").trim_end();
    let comma = if body == "{" { "" } else { "," };
    format!("{body}{comma}{member}}}")
}

fn reject_line(pending: &Pending, reject: &RejectQuestionCommand) -> String {
    if pending.kind == PendingKind::Form {
        return response_line(pending, "{\"action\":\"decline\"}");
    }
    denied(pending, reject.message.as_deref().unwrap_or_default(), false)
}

fn denied(pending: &Pending, why: &str, interrupt: bool) -> String {
    let message = quoted(if why.is_empty() { REFUSED } else { why });
    let interrupt = if interrupt { ",\"interrupt\":true" } else { "" };
    response_line(pending, &format!("{{\"behavior\":\"deny\",\"message\":{message}{interrupt}}}"))
}

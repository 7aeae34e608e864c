//! Commands → Amp's own lines.

use crate::api::{Command, Outgoing, PromptPart};
use crate::emit::Emit;
use crate::json::quoted;

/// Encodes a command. Amp takes prompts; the rest are options of a new process.
pub(super) fn encode(command: &Command, emit: &mut Emit<'_>, outgoing: &mut Vec<Outgoing>) {
    let cannot = match command {
        Command::Prompt(prompt) => return outgoing.push(Outgoing::Stdin(prompt_line(&prompt.parts))),
        // It ends the run; the thread can be continued.
        Command::Interrupt => return outgoing.push(Outgoing::Signal("SIGINT".to_owned())),
        Command::Start(start) if start.model.is_none() && start.variant.is_none() => return,
        Command::Terminate => return,
        Command::Start(_) | Command::SetModel { .. } | Command::SetVariant { .. } | Command::SetAgent { .. } => {
            "the model follows from the mode, an option of a new process: --mode MODE"
        }
        Command::Resume(_) => "to resume is another process: amp threads continue ID",
        Command::Fork(_) => "threads cannot be forked from outside",
        Command::ReplyPermission(_) | Command::SetPermissionMode { .. } => {
            "it asks for no permissions; what it may do stands in its settings: amp.permissions"
        }
        Command::ReplyQuestion(_) | Command::RejectQuestion(_) => "it asks no questions",
        Command::Compact { .. } => "it keeps its context by itself",
    };
    emit.unsupported(cannot);
}

fn prompt_line(parts: &[PromptPart]) -> String {
    let blocks: Vec<_> = parts.iter().map(prompt_block).collect();
    format!("{{\"type\":\"user\",\"message\":{{\"role\":\"user\",\"content\":[{}]}}}}\n", blocks.join(","))
}

fn prompt_block(part: &PromptPart) -> String {
    match part {
        PromptPart::Text { text } => format!("{{\"type\":\"text\",\"text\":{}}}", quoted(text)),
        PromptPart::Image { mime, data } => image(mime, data),
        PromptPart::File { mime: Some(mime), data: Some(data), .. } if mime.starts_with("image/") => image(mime, data),
        // The agent reads files that are mentioned.
        PromptPart::File { path, .. } => format!("{{\"type\":\"text\",\"text\":{}}}", quoted(&format!("@{path}"))),
    }
}

fn image(mime: &str, data: &str) -> String {
    let (mime, data) = (quoted(mime), quoted(data));
    format!("{{\"type\":\"image\",\"source\":{{\"type\":\"base64\",\"media_type\":{mime},\"data\":{data}}}}}")
}

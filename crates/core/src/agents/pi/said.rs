//! Prompts that the agent does not show: commands of extensions, and those that came to nothing.

use interlinear_schema::{ContentPart, ItemKind, ItemRole, ItemStatus, Text};

use super::content;
use super::state::{Said, State};
use super::wire::Message;
use crate::emit::{Emit, Spec};
use crate::json::Value;

impl State {
    /// The host begins a turn with this prompt. Most are shown by the agent, some in other words.
    pub(super) fn says(&mut self, text: &str, emit: &mut Emit<'_>) {
        if self.running || text.is_empty() {
            return;
        }
        if self.waits_for_command() {
            self.show_said(emit);
        }
        if self.said.as_ref().is_none_or(|said| said.shown) {
            self.said = Some(Said { text: text.to_owned(), cause: emit.kept_cause(), shown: false });
        }
    }

    /// Whether what may be a command of an extension has not been shown.
    pub(super) fn waits_for_command(&self) -> bool {
        self.said.as_ref().is_some_and(|said| !said.shown && said.text.starts_with('/'))
    }

    /// A line comes: if it is what a command of an extension does, and no other words of the user, the command is shown.
    pub(super) fn answers_command(&mut self, kind: &str, line: Value<'_>, emit: &mut Emit<'_>) {
        let role = || line.get("message").and_then(|message| message.get("role")).and_then(Value::str);
        let shows = match kind {
            "response" | "agent_start" | "turn_start" => false,
            "message_start" | "message_end" => !matches!(role(), Some("user" | "system")),
            // A run that begins with other words of the user is about to show them.
            _ => !self.running,
        };
        if shows {
            self.show_said(emit);
        }
    }

    /// Shows the prompt that the agent has not shown.
    pub(super) fn show_said(&mut self, emit: &mut Emit<'_>) {
        let Some(said) = self.said.as_mut().filter(|said| !said.shown) else { return };
        said.shown = true;
        let part = ContentPart::text(Text::from(said.text.as_str()));
        let spec = Spec { kind: ItemKind::Message, role: Some(ItemRole::User), ..Spec::default() };
        emit.caused_by(said.cause.take(), |emit| {
            emit.item(&spec, ItemStatus::Completed, vec![part], true);
        });
    }

    /// The agent shows a prompt. True if it was shown before.
    pub(super) fn was_said(&mut self, message: &Message<'_>) -> bool {
        let Some(said) = self.said.take().filter(|said| said.shown) else { return false };
        let parts = message.content.into_iter().flat_map(Value::elements).count();
        parts <= 1 && content::plain_text(message.content).to_str_lossy() == said.text
    }
}

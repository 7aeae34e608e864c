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
        if self.running {
            return self.forget_shown();
        }
        if text.is_empty() {
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
            "message_start" | "message_end" => !matches!(role(), Some("user" | "system")),
            // A run that begins with other words of the user is about to show them.
            "extension_ui_request" | "hook_ui_request" | "extension_error" | "hook_error" | "session_info_changed" => {
                !self.running
            }
            _ => false,
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

    /// Other words follow: they are not those of the prompt that was shown.
    pub(super) fn forget_shown(&mut self) {
        self.said.take_if(|said| said.shown);
    }

    /// The agent shows a prompt. True if it was shown before, and there is nothing left to show.
    pub(super) fn was_said(&mut self, message: &Message<'_>, emit: &mut Emit<'_>) -> bool {
        let Some(said) = self.said.take().filter(|said| said.shown) else { return false };
        let parts = message.content.into_iter().flat_map(Value::elements).count();
        if parts <= 1 && content::plain_text(message.content).to_str_lossy() == said.text {
            emit.ignore("repeated");
            return true;
        }
        // A template, or a command that prompts: what came of it are the agent's words.
        let worded_anew = said.text.starts_with('/');
        if worded_anew {
            let parts = content::parts(message.content, emit);
            self.system_item(parts, None, None, emit);
        }
        worded_anew
    }
}

//! Prompts: the host writes them, and the agent shows them before it answers. One that comes right after an answer, it
//! may answer without showing it; its images it never shows, although the model sees them.

use interlinear_schema::{ContentPart, IntoOwned as _, ItemKind, ItemRole, ItemStatus};

use super::messages::part;
use super::state::{Prompt, State};
use super::wire::{Block, MessageLine};
use crate::agents::read;
use crate::emit::{Emit, Spec};
use crate::hash;

/// What waits for the agent at most. What is more is shown at once.
const MOST: usize = 1000;
const MOST_BYTES: usize = 8 << 20;

impl State {
    /// A prompt that the host wrote.
    pub(super) fn prompt_sent(&mut self, line: &MessageLine<'_>, emit: &mut Emit<'_>) {
        emit.begin_turn(None, true);
        emit.ignore("the agent will show it");
        let Some(content) = line.message.as_ref().and_then(|message| message.content) else { return };
        let mut parts: Vec<_> = content.text().map(ContentPart::text).into_iter().collect();
        for value in content.elements() {
            parts.extend(read::<Block<'_>>(value, emit).map(|block| part(&block, value, emit)));
        }
        if parts.is_empty() {
            return;
        }
        self.prompts.push_back(Prompt {
            hash: hash_of(&parts),
            parts: parts.into_iter().map(ContentPart::into_owned).collect(),
            size: content.raw().len(),
            cause: emit.kept_cause(),
        });
        while self.prompts.len() > MOST || self.prompts.iter().map(|prompt| prompt.size).sum::<usize>() > MOST_BYTES {
            self.show_prompt(emit);
        }
    }

    /// The agent shows a prompt. Returns all of it; nothing if it was shown before.
    pub(super) fn prompt_shown<'a>(
        &mut self,
        parts: Vec<ContentPart<'a>>,
        emit: &mut Emit<'_>,
    ) -> Vec<ContentPart<'a>> {
        // Where nothing was sent, there is nothing to know it again by.
        let hash = if self.prompts.is_empty() && self.shown.is_empty() { 0 } else { hash_of(&parts) };
        let sent = self.prompts.iter().position(|prompt| prompt.hash == hash);
        if sent.is_none() {
            if let Some(at) = self.shown.iter().position(|shown| *shown == hash) {
                self.shown.remove(at);
                emit.ignore("echo");
                return Vec::new();
            }
            if parts.is_empty() {
                return parts;
            }
        }
        // It shows them in their order: those before this one, it has left out.
        for _ in 0..sent.unwrap_or_default() {
            self.show_prompt(emit);
        }
        self.turn.asked = true;
        match self.prompts.pop_front() {
            Some(prompt) if sent.is_some() => prompt.parts,
            _ => parts,
        }
    }

    /// The agent answers: what it answers is shown, if the agent has not.
    pub(super) fn prompt_answered(&mut self, emit: &mut Emit<'_>) {
        emit.begin_turn(None, true);
        if !self.turn.asked {
            self.show_prompt(emit);
            self.turn.asked = true;
        }
    }

    /// The turn ends or fails: that too is an answer.
    pub(super) fn prompt_settled(&mut self, emit: &mut Emit<'_>) {
        if emit.session().turn_id().is_some() {
            self.prompt_answered(emit);
        }
    }

    /// Nothing more will come of the agent.
    pub(super) fn show_prompts(&mut self, emit: &mut Emit<'_>) {
        while !self.prompts.is_empty() {
            self.show_prompt(emit);
        }
    }

    /// Shows the oldest prompt that the agent has not shown.
    fn show_prompt(&mut self, emit: &mut Emit<'_>) {
        let Some(prompt) = self.prompts.pop_front() else { return };
        self.shown.push_back(prompt.hash);
        while self.shown.len() > MOST {
            self.shown.pop_front();
        }
        self.begin_asking(emit);
        self.turn.asked = true;
        emit.caused_by(prompt.cause, |emit| user_message(prompt.parts, None, true, emit));
    }

    /// The turn of a prompt. An answer that calls nothing was the last of its turn, although it did not end it.
    pub(super) fn begin_asking(&mut self, emit: &mut Emit<'_>) {
        if self.turn.usage.is_some() && !self.turn.calls {
            self.cut_turn(emit);
            self.turn.asked = true;
        }
        emit.begin_turn(None, true);
    }

    /// What another process goes on with: it may show prompts of this one, all of which are shown by then.
    pub(crate) fn heir(&self) -> Self {
        let waiting = self.prompts.iter().map(|prompt| prompt.hash);
        Self { shown: self.shown.iter().copied().chain(waiting).collect(), ..Self::default() }
    }
}

/// What the user wrote.
pub(super) fn user_message(parts: Vec<ContentPart<'_>>, agent: Option<&str>, synthetic: bool, emit: &mut Emit<'_>) {
    let spec = Spec { kind: ItemKind::Message, role: Some(ItemRole::User), agent, ..Spec::default() };
    emit.item(&spec, ItemStatus::Completed, parts, synthetic);
}

/// By what a prompt is known again: its text.
fn hash_of(parts: &[ContentPart<'_>]) -> u64 {
    let texts = parts.iter().filter_map(|part| match part {
        ContentPart::Text(part) => Some(part.text.as_wtf8()),
        _ => None,
    });
    texts.fold(hash::of(b""), |hash, text| hash::more(hash, &text))
}

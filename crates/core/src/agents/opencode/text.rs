//! Texts and thoughts of the assistant's messages, as they grow.

use interlinear_schema::{ContentPart, ItemStatus, ReasoningPart, Text, Visibility};

use super::parts;
use super::state::{State, TextPart};
use crate::emit::{Emit, Ref};
use crate::map::Key as _;

impl TextPart {
    /// Text is added. Blanks at its end wait: they may be taken off when the text is final.
    pub(super) fn grow(&mut self, item: Ref, index: usize, delta: &Text<'_>, emit: &mut Emit<'_>) {
        if self.blanks.is_empty() && delta.source().is_some_and(ends_in_a_letter) {
            return emit.delta(item, index, delta, false);
        }
        let mut text = std::mem::take(&mut self.blanks);
        delta.append_to(&mut text);
        let end = text.iter().rposition(|byte| !byte.is_ascii_whitespace()).map_or(0, |at| at + 1);
        self.blanks = text.split_off(end);
        if text.is_empty() {
            emit.ignore("blanks that may be taken off again");
            return;
        }
        emit.delta(item, index, &Text::from_wtf8(text), false);
    }
}

/// Whether text ends with something that is surely no blank: the last escape, which may be one, is not that near.
fn ends_in_a_letter(source: &[u8]) -> bool {
    let end = &source[source.len().saturating_sub("\\u0020".len())..];
    end.last().is_some_and(|last| !last.is_ascii_whitespace()) && !end.contains(&b'\\')
}

impl State {
    /// Text is added to a part. One that was never announced belongs to an assistant's message.
    pub(super) fn text_delta(
        &mut self,
        message: &str,
        part: &str,
        reasoning: bool,
        delta: &Text<'_>,
        emit: &mut Emit<'_>,
    ) {
        if delta.is_empty() {
            emit.ignore("empty delta");
            return;
        }
        if let Some(part) = self.text_part(message, part).filter(|part| part.waits) {
            delta.append_to(&mut part.blanks);
            emit.ignore("waits for the whole of its part");
            return;
        }
        let Some((item, index)) = self.text_place(message, part, reasoning, emit) else {
            emit.ignore("late");
            return;
        };
        let Some(part) = self.text_part(message, part) else { return };
        part.grow(item, index, delta, emit);
        emit.repeats(item, index, delta);
    }

    /// Text may be added to a part before anybody has told whether it is a thought: until then it waits.
    pub(super) fn expect_part(&mut self, message: &str, part: &str) {
        if self.text_part(message, part).is_none()
            && let Some(message) = self.messages.get_mut(message)
        {
            message.parts.push(TextPart { id: part.to_owned(), waits: true, ..TextPart::default() });
        }
    }

    /// The stream was broken: what is added to the parts that are open may lack something, and waits for the whole.
    pub(super) fn miss_words(&mut self) {
        let parts = self.messages.values_mut().flat_map(|message| &mut message.parts);
        parts.filter(|part| !part.done).for_each(|part| part.waits = true);
    }

    /// Shows the words of a message that have waited: nothing more will come of their parts.
    pub(super) fn show_waiting(&mut self, message: &str, emit: &mut Emit<'_>) {
        let parts = self.messages.get(message).into_iter().flat_map(|message| &message.parts);
        let ids: Vec<_> = parts.filter(|part| part.waits).map(|part| part.id.clone()).collect();
        for id in ids {
            self.show_part(message, &id, emit);
        }
    }

    /// Shows the words of a part that have waited.
    fn show_part(&mut self, message: &str, part: &str, emit: &mut Emit<'_>) {
        let Some(known) = self.text_part(message, part) else { return };
        known.waits = false;
        let (words, reasoning) = (Text::from_wtf8(std::mem::take(&mut known.blanks)), known.reasoning);
        if !words.is_empty()
            && let Some((item, index)) = self.text_place(message, part, reasoning, emit)
            && let Some(known) = self.text_part(message, part)
        {
            known.grow(item, index, &words, emit);
        }
    }

    fn text_part(&mut self, message: &str, part: &str) -> Option<&mut TextPart> {
        self.messages.get_mut(message)?.parts.iter_mut().find(|known| known.id.as_str().is(part))
    }

    /// Where the text of a part goes. The message and the part are made if nothing was heard of them.
    fn text_place(&mut self, message: &str, part: &str, reasoning: bool, emit: &mut Emit<'_>) -> Option<(Ref, usize)> {
        let item = self.message_item(message, true, emit)?;
        let known = self.text_part(message, part);
        if known.as_ref().is_some_and(|part| part.done) {
            return None;
        }
        if let Some(index) = known.and_then(|part| part.index) {
            return Some((item, index));
        }
        let announced = self.text_part(message, part).map(|part| part.reasoning);
        let reasoning = announced.unwrap_or(reasoning);
        let mut part_of = parts::text_part(reasoning, Text::default());
        if let ContentPart::Reasoning(thought) = &mut part_of {
            // There will be words.
            thought.visibility = Visibility::Public;
        }
        let index = emit.add_part(item, part_of);
        if announced.is_none() {
            let new = TextPart { id: part.to_owned(), reasoning, ..TextPart::default() };
            self.messages.get_mut(message)?.parts.push(new);
        }
        self.text_part(message, part)?.index = Some(index);
        Some((item, index))
    }

    /// All the text that a part has: so far, or in the end.
    pub(super) fn text_so_far(
        &mut self,
        message: &str,
        part: &str,
        last: bool,
        content: ContentPart<'_>,
        emit: &mut Emit<'_>,
    ) {
        let reasoning = matches!(content, ContentPart::Reasoning(_));
        let text = match &content {
            ContentPart::Reasoning(ReasoningPart { text, .. }) => text.borrow(),
            ContentPart::Text(part) => part.text.borrow(),
            _ => Text::default(),
        };
        // A text without words is no part; a thought without words is a hidden one.
        if text.is_empty() && !(reasoning && last) {
            self.announce(message, part, reasoning, emit);
            emit.ignore("no text yet");
            return;
        }
        // All of it stands here: nothing need wait.
        if let Some(known) = self.text_part(message, part).filter(|known| known.waits) {
            known.waits = false;
            known.reasoning = if known.index.is_some() { known.reasoning } else { reasoning };
        }
        let Some((item, index)) = self.text_place(message, part, reasoning, emit) else {
            emit.ignore("late");
            return;
        };
        let Some(known) = self.text_part(message, part) else { return };
        known.blanks.clear();
        known.done = last;
        let fits = if last {
            emit.finish_part(item, index, content.clone())
        } else {
            let text = text.as_wtf8();
            let end = text.iter().rposition(|byte| !byte.is_ascii_whitespace()).map_or(0, |at| at + 1);
            known.blanks = text[end..].to_vec();
            let so_far = parts::text_part(reasoning, Text::from_wtf8(&text[..end]));
            emit.put_part(item, index, so_far, false)
        };
        emit.ignore("nothing new");
        if fits {
            return;
        }
        // The text is another one: what came is closed, and the message begins anew.
        emit.complete(item, ItemStatus::Failed, true);
        if let Some(message) = self.messages.get_mut(message) {
            message.item = None;
        }
        self.text_so_far(message, part, last, content, emit);
    }

    /// A part whose text will follow.
    fn announce(&mut self, message: &str, part: &str, reasoning: bool, emit: &mut Emit<'_>) {
        self.expect_part(message, part);
        let Some(known) = self.text_part(message, part).filter(|known| known.waits && known.index.is_none()) else {
            return;
        };
        known.reasoning = reasoning;
        self.show_part(message, part, emit);
    }
}

//! What is said: prompts, answers, reasoning.

use std::borrow::Cow;

use interlinear_schema::{ContentPart, FileAction, FileRefPart, ImagePart, ItemKind, ItemRole, ItemStatus, Text};

use super::items::{Kind, Place};
use super::state::{Live, Part, State};
use super::wire::Item;
use crate::api::DriftKind;
use crate::emit::{Emit, Ref, Spec};
use crate::hash;
use crate::json::Value;

impl State {
    pub(super) fn live(&self, place: &Place<'_>, id: &str) -> Option<&Live> {
        self.threads.get(place.thread)?.items.get(id)
    }

    pub(super) fn live_mut(&mut self, place: &Place<'_>, id: &str) -> Option<&mut Live> {
        self.threads.get_mut(place.thread)?.items.get_mut(id)
    }

    pub(super) fn remember(&mut self, place: &Place<'_>, id: &str, live: Live) {
        if let Some(thread) = self.threads.get_mut(place.thread) {
            thread.items.insert(id.to_owned(), live);
        }
    }

    pub(super) fn forget(&mut self, place: &Place<'_>, id: &str) -> Option<Live> {
        self.threads.get_mut(place.thread)?.items.remove(id)
    }

    /// Notes that an item is told. False if it was told before in its turn: models give their identifiers out again, in
    /// other turns and threads.
    pub(super) fn note_item(&self, id: &str, place: &Place<'_>, emit: &mut Emit<'_>) -> bool {
        let thread = self.threads.get(place.thread);
        let running = thread.and_then(|thread| thread.turn.as_deref().or(thread.last_turn.as_deref()));
        let named = place.turn.or(running).filter(|turn| !turn.is_empty());
        let turn = named.or(emit.session().turn_id()).unwrap_or_default();
        let first = emit.first_time(hash::of_all(&[place.thread, turn, id]));
        first || id.is_empty() || !emit.has_begun(id)
    }

    /// The user says something. It ends what the model was saying: it is asked anew.
    pub(super) fn user_started(&mut self, item: &Item<'_>, place: &Place<'_>, emit: &mut Emit<'_>) {
        self.abandon_messages(place, emit);
        let id = item.id.unwrap_or_default();
        self.note_item(id, place, emit);
        let open = emit.open(&spec(id, ItemRole::User, place), Vec::new(), false);
        for part in user_parts(item.content, emit) {
            emit.add_whole(open, part);
        }
        self.remember(place, id, message(Kind::User, open));
    }

    pub(super) fn user_completed(&mut self, item: &Item<'_>, place: &Place<'_>, emit: &mut Emit<'_>) {
        let id = item.id.unwrap_or_default();
        if let Some(open) = self.forget(place, id).and_then(|live| live.item) {
            emit.complete(open, ItemStatus::Completed, false);
        } else if !self.note_item(id, place, emit) {
            emit.ignore("late");
        } else {
            let parts = user_parts(item.content, emit);
            emit.item(&spec(id, ItemRole::User, place), ItemStatus::Completed, parts, false);
        }
    }

    /// The messages that were being written will not be finished.
    pub(super) fn abandon_messages(&mut self, place: &Place<'_>, emit: &mut Emit<'_>) {
        let Some(thread) = self.threads.get_mut(place.thread) else { return };
        let is_said = |live: &Live| matches!(live.kind, Kind::Assistant | Kind::Reasoning);
        let ids: Vec<_> = thread.items.iter().filter(|(_, live)| is_said(live)).map(|(id, _)| id.clone()).collect();
        for id in ids {
            if let Some(item) = thread.items.remove(&id).and_then(|live| live.item) {
                emit.complete(item, ItemStatus::Failed, true);
            }
        }
    }

    pub(super) fn message_started(&mut self, kind: Kind, id: &str, place: &Place<'_>, emit: &mut Emit<'_>) {
        self.note_item(id, place, emit);
        let open = emit.open(&spec(id, ItemRole::Assistant, place), Vec::new(), false);
        self.remember(place, id, message(kind, open));
    }

    /// More of a message or of reasoning.
    pub(super) fn message_delta(
        &mut self,
        id: &str,
        which: Part,
        text: &Text<'_>,
        place: &Place<'_>,
        emit: &mut Emit<'_>,
    ) {
        if text.is_empty() {
            emit.ignore("empty delta");
            return;
        }
        if self.live(place, id).is_none() {
            if emit.has_begun(id) {
                emit.ignore("late");
                return;
            }
            let kind = if which == Part::Text { Kind::Assistant } else { Kind::Reasoning };
            self.message_started(kind, id, place, emit);
        }
        let Some((item, part)) = self.part(id, which, place, emit) else { return };
        emit.delta(item, part, text, false);
        emit.repeats(item, part, text);
    }

    /// The place of a part; it is made where there is none yet.
    fn part(&mut self, id: &str, which: Part, place: &Place<'_>, emit: &mut Emit<'_>) -> Option<(Ref, usize)> {
        let live = self.live_mut(place, id)?;
        let item = live.item?;
        if let Some((_, part)) = live.parts.iter().find(|(known, _)| *known == which) {
            return Some((item, *part));
        }
        let part = emit.add_part(item, empty_part(which));
        live.parts.push((which, part));
        Some((item, part))
    }

    /// What the assistant said is final.
    pub(super) fn message_completed(&mut self, item: &Item<'_>, place: &Place<'_>, emit: &mut Emit<'_>) {
        let text = match item.content {
            Some(content) => joined_text(content, ""),
            None => item.text.as_ref().map_or_else(Text::default, Text::borrow),
        };
        let mut parts = vec![(Part::Text, ContentPart::text(text))];
        if item.content.is_none() && item.text.is_none() && self.live(place, item.id.unwrap_or_default()).is_some() {
            // What streamed is all there is.
            parts.clear();
        }
        if let Some(questions) = item.questions.filter(|questions| questions.is_array()) {
            // Questions that the next prompt answers: the text shows them, this tells them apart.
            let json = interlinear_schema::Json::from_text(format!("{{\"questions\":{}}}", questions.raw()));
            parts.push((Part::Raw(0), ContentPart::json(json)));
        }
        self.finish_message(item, parts, place, emit);
    }

    /// Reasoning is final.
    pub(super) fn reasoning_completed(&mut self, item: &Item<'_>, place: &Place<'_>, emit: &mut Emit<'_>) {
        let mut parts = Vec::with_capacity(1);
        for (index, text) in texts(item.summary).enumerate() {
            parts.push((Part::Summary(index as u64), ContentPart::reasoning(text)));
        }
        for (index, text) in texts(item.content.or(item.raw_content)).enumerate() {
            parts.push((Part::Raw(index as u64), ContentPart::reasoning(text)));
        }
        if let Some(text) = item.text.as_ref().filter(|_| parts.is_empty()) {
            parts.push((Part::Summary(0), ContentPart::reasoning(text.borrow())));
        }
        // Where words have streamed, those are all there is.
        if parts.is_empty() && self.live(place, item.id.unwrap_or_default()).is_none_or(|live| live.parts.is_empty()) {
            parts.push((Part::Summary(0), ContentPart::reasoning(Text::default())));
        }
        self.finish_message(item, parts, place, emit);
    }

    /// The final parts of a message.
    fn finish_message(
        &mut self,
        item: &Item<'_>,
        parts: Vec<(Part, ContentPart<'_>)>,
        place: &Place<'_>,
        emit: &mut Emit<'_>,
    ) {
        let id = item.id.unwrap_or_default();
        let whole = |parts: Vec<(Part, ContentPart<'_>)>, emit: &mut Emit<'_>| {
            let parts = parts.into_iter().map(|(_, part)| part).collect();
            emit.item(&spec(id, ItemRole::Assistant, place), ItemStatus::Completed, parts, false);
        };
        let Some(open) = self.live(place, id).and_then(|live| live.item) else {
            if self.note_item(id, place, emit) {
                whole(parts, emit);
            } else {
                emit.ignore("late");
            }
            return;
        };
        for (which, part) in &parts {
            let Some((_, at)) = self.part(id, *which, place, emit) else { continue };
            if !emit.finish_part(open, at, part.clone()) {
                // The text is another one: what streamed is closed, and the answer stands for itself.
                self.forget(place, id);
                emit.complete(open, ItemStatus::Failed, true);
                whole(parts, emit);
                return;
            }
        }
        self.forget(place, id);
        emit.complete(open, ItemStatus::Completed, false);
    }

    /// Text that a hook put into the conversation.
    pub(super) fn hook_prompt(&mut self, item: &Item<'_>, place: &Place<'_>, emit: &mut Emit<'_>) {
        let fragments = item.fragments.into_iter().flat_map(Value::elements);
        let parts = fragments.map(|fragment| match fragment.get("text").and_then(Value::text) {
            Some(text) => ContentPart::text(text),
            None => ContentPart::json(fragment.json()),
        });
        system_item(parts.collect(), item.id.unwrap_or_default(), place, emit);
    }
}

/// Text that is nobody's own words.
pub(super) fn system_item(parts: Vec<ContentPart<'_>>, id: &str, place: &Place<'_>, emit: &mut Emit<'_>) {
    let spec = Spec { kind: ItemKind::System, ..spec(id, ItemRole::System, place) };
    emit.item(&spec, ItemStatus::Completed, parts, false);
}

fn spec<'a>(id: &'a str, role: ItemRole<'static>, place: &'a Place) -> Spec<'a> {
    Spec {
        id,
        kind: ItemKind::Message,
        role: Some(role),
        native: Some(id).filter(|id| !id.is_empty()),
        parent: None,
        agent: place.agent.as_deref(),
    }
}

fn message(kind: Kind, item: Ref) -> Live {
    Live { kind, item: Some(item), ..Live::default() }
}

fn empty_part(which: Part) -> ContentPart<'static> {
    match which {
        Part::Text => ContentPart::text(Text::default()),
        Part::Summary(_) | Part::Raw(_) => ContentPart::reasoning(Text::from("…")),
    }
}

pub(super) fn image_part(path: Text<'_>) -> ContentPart<'_> {
    let shown = path.to_str_lossy();
    let mime = shown.strip_prefix("data:").and_then(|rest| rest.split_once([';', ','])).map(|(mime, _)| mime);
    let mime = mime.filter(|mime| !mime.is_empty()).map(|mime| Cow::Owned(mime.to_owned()));
    ContentPart::Image(ImagePart { path, mime, ..ImagePart::default() })
}

/// The texts of a list of strings, or of objects that hold text.
pub(super) fn texts(list: Option<Value<'_>>) -> impl Iterator<Item = Text<'_>> {
    let elements = list.into_iter().flat_map(Value::elements);
    elements.filter_map(|element| element.text().or_else(|| element.get("text")?.text()))
}

/// All text of a list, or a string.
pub(super) fn joined_text<'a>(content: Value<'a>, between: &str) -> Text<'a> {
    if let Some(text) = content.text() {
        return text;
    }
    let mut all: Vec<_> = texts(Some(content)).collect();
    if all.len() == 1 {
        return all.remove(0);
    }
    let mut out = Vec::new();
    for (index, text) in all.iter().enumerate() {
        if index > 0 {
            out.extend_from_slice(between.as_bytes());
        }
        text.append_to(&mut out);
    }
    Text::from_wtf8(out)
}

/// What the user put into a prompt.
pub(super) fn user_parts<'a>(content: Option<Value<'a>>, emit: &mut Emit<'_>) -> Vec<ContentPart<'a>> {
    let mut parts = Vec::with_capacity(1);
    for part in content.into_iter().flat_map(Value::elements) {
        let [kind, said] = part.pick(["type", "text"]);
        let kind = kind.and_then(Value::str).unwrap_or_default();
        if matches!(kind, "text" | "input_text") {
            parts.push(ContentPart::text(said.and_then(Value::text).unwrap_or_default()));
            continue;
        }
        let text = |key: &str| part.get(key).and_then(Value::text);
        let kind: String = kind.replace('_', "");
        let places = ["path", "url", "image_url", "imageUrl", "fileId", "file_id", "name"];
        let place = places.iter().find_map(|key| text(key).filter(|place| !place.is_empty()));
        parts.push(match (kind.to_ascii_lowercase().as_str(), place) {
            ("text" | "inputtext", _) => ContentPart::text(text("text").unwrap_or_default()),
            ("image" | "inputimage" | "localimage", Some(place)) => image_part(place),
            ("skill" | "mention" | "audio" | "localaudio", Some(place)) => {
                let path = Cow::Owned(place.to_str_lossy().into_owned());
                ContentPart::FileRef(FileRefPart { path, action: FileAction::Read, ..FileRefPart::default() })
            }
            (other, _) => {
                emit.book.drift.note(DriftKind::Value, "userMessage.content.type", other);
                ContentPart::json(part.json())
            }
        });
    }
    parts
}

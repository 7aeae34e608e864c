//! Messages: what the user wrote, what the assistant answered, and when either is whole.

use std::borrow::Cow;

use interlinear_schema::{ContentPart, ItemKind, ItemRole, ItemStatus, Json, StatusLabel, StatusPart, Text};

use super::parts;
use super::state::{Complete, Role, State};
use super::wire::{Cache, Failure, Info, Part, Tokens};
use crate::agents::read;
use crate::emit::{Emit, Ref, Spec};
use crate::hash;
use crate::json::{Tape, Value};

/// So much of what hangs below messages is remembered: as far as a revert is likely to go back.
const MOST_BELOW: usize = 1024;

impl State {
    pub(super) fn is_done(&self, id: &str) -> bool {
        self.done.contains(hash::id(id.as_bytes()))
    }

    /// The session of a message, whatever a part of it says.
    pub(super) fn home<'s>(&self, session: &'s str, message: &str, emit: &mut Emit<'_>) -> Cow<'s, str> {
        let known = self.messages.get(message).map(|message| message.session.as_str());
        let Some(home) = known.filter(|home| *home != session) else { return Cow::Borrowed(session) };
        if let Some(native) = self.sessions.get(home) {
            emit.select(native.index);
        }
        Cow::Owned(home.to_owned())
    }

    pub(super) fn is_summary(&self, session: &str) -> bool {
        self.messages.values().any(|message| message.item.is_some() && message.session == session && message.summary)
    }

    /// A message was begun, changed or completed.
    pub(super) fn message_updated(&mut self, session: &str, info: &Info<'_>, emit: &mut Emit<'_>) {
        let Some(id) = info.id else {
            emit.ignore("no message");
            return;
        };
        let session = &self.home(session, id, emit);
        if self.native(session).settling.as_deref() != Some(id) && !self.is_done(id) && !self.messages.contains_key(id)
        {
            self.settle(session, emit);
        }
        match info.role {
            Some("user") => self.user_updated(session, id, info, emit),
            _ => self.assistant_updated(session, id, info, emit),
        }
    }

    fn user_updated(&mut self, session: &str, id: &str, info: &Info<'_>, emit: &mut Emit<'_>) {
        let changes = info.summary.and_then(|summary| summary.get("diffs"));
        if let Some(changes) = changes.filter(|_| !self.stored) {
            self.tell_changes(session, changes, emit);
        }
        if self.is_done(id) {
            emit.ignore("nothing new");
            return;
        }
        let stored = self.stored;
        let native = self.native(session);
        if let Some(role) = info.agent {
            role.clone_into(native.role.get_or_insert_default());
        }
        id.clone_into(native.settling.get_or_insert_default());
        let message = self.messages.or_default(id);
        session.clone_into(&mut message.session);
        message.role = Role::User;
        message.changes = changes.filter(|_| stored).map(|changes| changes.raw().to_owned());
        message.created = info.time.as_ref().and_then(|time| time.created).unwrap_or(message.created);
        emit.ignore("its parts follow");
    }

    fn assistant_updated(&mut self, session: &str, id: &str, info: &Info<'_>, emit: &mut Emit<'_>) {
        let error = info.error.filter(|error| error.is_object());
        if self.is_done(id) {
            self.message_failed(session, error, emit);
            emit.ignore("nothing new");
            return;
        }
        let completed = info.time.as_ref().and_then(|time| time.completed);
        let known = self.messages.get(id).filter(|message| message.role == Role::Assistant);
        let (new, stub) = (known.is_none(), known.is_some_and(|message| message.stub));
        if new || stub {
            self.begin_assistant(session, id, info, completed.is_some(), emit);
        }
        if let Some(structured) = info.structured
            && let Some(message) = self.messages.get_mut(id)
        {
            message.structured = Some(structured.raw().to_owned());
        }
        let waits = |state: &Self| state.messages.get(id).is_some_and(|message| message.complete.is_some());
        if let Some(completed) = completed.filter(|_| !waits(self)) {
            self.count_usage(session, info, completed);
        }
        // It was complete when it was first heard of: a copy, or a stored one. Its parts come now.
        if new
            && completed.is_some()
            && let Some(message) = self.messages.get_mut(id)
        {
            message.complete = Some(Complete { error: error.map(|error| error.raw().to_owned()) });
            self.native(session).settling = Some(id.to_owned());
        } else {
            self.message_failed(session, error, emit);
            if completed.is_some() {
                self.complete_message(id, error.is_some(), emit);
            }
        }
        emit.ignore("nothing new");
    }

    /// A message tells why it failed.
    fn message_failed(&mut self, session: &str, error: Option<Value<'_>>, emit: &mut Emit<'_>) {
        if let Some(error) = error
            && let Some(failure) = read::<Failure<'_>>(error, emit)
        {
            let native = self.native(session);
            // It may say the same in other words than the session has.
            if native.told.as_ref().is_some_and(|(name, _)| failure.name == Some(name)) {
                native.failed = None;
                emit.ignore("told before");
                return;
            }
            self.failure(session, &failure, error, emit);
        }
    }

    fn begin_assistant(&mut self, session: &str, id: &str, info: &Info<'_>, copy: bool, emit: &mut Emit<'_>) {
        // What it answers is a prompt, whether that has said so or not.
        let asked = info.parent.and_then(|parent| Some((parent, self.messages.get_mut(parent)?)));
        if let Some((parent, message)) = asked.filter(|(_, message)| message.role == Role::Unknown) {
            message.role = Role::User;
            self.complete_prompt(session, parent, emit);
        }
        if self.agent_of(session).is_none() && (!copy || self.stored) {
            self.begin_turn(session, info.time.as_ref().and_then(|time| time.created), true, emit);
        }
        let stored = self.stored;
        let native = self.native(session);
        native.turn.retrying = false;
        // What goes wrong from here on is another failure, unless this is the message that it is told of.
        if stored || !info.error.is_some_and(Value::is_object) {
            (native.turn.failed, native.told) = (false, None);
        }
        self.facts_of_message(session, info, emit);
        let message = self.messages.or_default(id);
        message.session = session.to_owned();
        (message.role, message.stub) = (Role::Assistant, false);
        message.summary = info.summary.and_then(Value::bool) == Some(true);
        self.message_item(id, false, emit);
        self.hear_held(id, emit);
    }

    /// Parts that came before it was known whose they are.
    pub(super) fn hear_held(&mut self, id: &str, emit: &mut Emit<'_>) {
        let Some(message) = self.messages.get_mut(id) else { return };
        let session = message.session.clone();
        for text in std::mem::take(&mut message.held) {
            let mut tape = Tape::default();
            let before = emit.set_cause(Some(Cow::Owned(text.clone())));
            if let Ok(value) = tape.read(&text) {
                self.part_updated(&session, value, None, emit);
            }
            emit.set_cause(before);
        }
    }

    /// The item of an assistant's message: made when it is needed.
    pub(super) fn message_item(&mut self, id: &str, synthetic: bool, emit: &mut Emit<'_>) -> Option<Ref> {
        let message = self.messages.get(id)?;
        if let Some(item) = message.item {
            // What was closed from outside is not begun again.
            return Some(item).filter(|item| emit.is_open(*item));
        }
        let agent = self.agent_of(&message.session);
        let spec = Spec {
            id,
            kind: ItemKind::Message,
            role: Some(ItemRole::Assistant),
            native: Some(id),
            parent: None,
            agent: agent.as_deref(),
        };
        let item = emit.open(&spec, Vec::new(), synthetic);
        let item_id = emit.id_of(item).unwrap_or_default().to_owned();
        let message = self.messages.get_mut(id)?;
        (message.item, message.item_id) = (Some(item), item_id);
        message.parts.clear();
        Some(item)
    }

    /// The message is whole.
    pub(super) fn complete_message(&mut self, id: &str, failed: bool, emit: &mut Emit<'_>) {
        self.show_waiting(id, emit);
        let Some(message) = self.messages.remove(id) else { return };
        self.done.insert(hash::id(id.as_bytes()));
        let Some(item) = message.item.filter(|item| emit.is_open(*item)) else { return };
        if let Some(structured) = message.structured {
            let part = ContentPart::json(Json::from_text(structured));
            emit.add_part(item, part);
        }
        let status = if failed { ItemStatus::Failed } else { ItemStatus::Completed };
        emit.complete(item, status, false);
    }

    /// An attempt was cut off and is repeated: what it has said so far is closed, the repeated answer begins anew.
    pub(super) fn cut_attempt(&mut self, session: &str, emit: &mut Emit<'_>) {
        let open = self.messages.values_mut().filter(|message| message.session == session);
        for message in open {
            let cut = message.parts.iter().any(|part| part.index.is_some() && !part.done);
            if let Some(item) = message.item.filter(|_| cut) {
                emit.complete(item, ItemStatus::Failed, true);
                message.item = None;
            }
        }
    }

    /// A part was taken back. What it has said is closed with its item; the rest of the message begins anew.
    pub(super) fn part_removed(&mut self, message: &str, part: &str, emit: &mut Emit<'_>) {
        emit.ignore("nothing of it was shown");
        let Some(message) = self.messages.get_mut(message) else { return };
        let Some(at) = message.parts.iter().position(|known| known.id == part) else { return };
        if message.parts.remove(at).index.is_some()
            && let Some(item) = message.item.take()
        {
            emit.complete(item, ItemStatus::Failed, true);
        }
    }

    /// What the session does next is no part of the prompt before: that one is whole. An answer is not: where events
    /// are written long after they happened, the first word of it says already that it is complete.
    pub(super) fn settle_prompt(&mut self, session: &str, emit: &mut Emit<'_>) {
        let settling = self.sessions.get(session).and_then(|native| native.settling.as_deref());
        let settling = settling.and_then(|id| self.messages.get(id));
        if settling.is_none_or(|message| message.role == Role::User) {
            self.settle(session, emit);
        }
    }

    /// Another message follows, or nothing more: the one before is whole.
    pub(super) fn settle(&mut self, session: &str, emit: &mut Emit<'_>) {
        let Some(id) = self.native(session).settling.take() else { return };
        let Some(message) = self.messages.get(&id) else { return };
        match (message.role, &message.complete) {
            (Role::Assistant, Some(Complete { error })) => {
                let error = error.clone();
                let mut tape = Tape::default();
                let failure = error.as_deref().and_then(|error| tape.read(error).ok());
                emit.caused_by(error.clone(), |emit| self.message_failed(session, failure, emit));
                self.complete_message(&id, error.is_some(), emit);
            }
            (Role::User, _) => self.complete_prompt(session, &id, emit),
            _ => {}
        }
    }

    /// What the user wrote, and beside it what the agent put into the user's mouth.
    fn complete_prompt(&mut self, session: &str, id: &str, emit: &mut Emit<'_>) {
        if self.messages.get(id).is_none_or(|message| message.held.is_empty()) {
            return;
        }
        let Some(message) = self.messages.remove(id) else { return };
        self.done.insert(hash::id(id.as_bytes()));
        let mut tapes: Vec<_> = message.held.iter().map(|_| Tape::default()).collect();
        let mut values = Vec::new();
        for (text, tape) in message.held.iter().zip(&mut tapes) {
            if let Ok(value) = tape.read(text) {
                values.push(value);
            }
        }
        let parts: Vec<_> = values.iter().filter_map(|value| Some((*value, read::<Part<'_>>(*value, emit)?))).collect();
        let own: Vec<_> = parts.iter().filter(|(_, part)| is_own(part)).collect();
        let agent = self.agent_of(session);
        let texts = own.iter().filter_map(|(_, part)| part.text.as_ref());
        let text = texts.fold(hash::of(b""), |sum, text| hash::more(sum, &text.as_wtf8()));
        let sent = &mut self.native(session).sent;
        let told = sent.iter().position(|sent| *sent == text).map(|at| sent.remove(at)).is_some();
        let repeated = !own.is_empty() && self.repeats_prompt(session, text);
        if !own.is_empty() && !told && !repeated {
            self.begin_prompted_turn(session, message.created, emit);
            let content = own.iter().flat_map(|(value, part)| prompt_parts(part, *value)).collect();
            let first = own.first().map(|(value, _)| Cow::Owned(value.raw().to_owned()));
            let before = emit.set_cause(first);
            prompt_item(id, content, agent.as_deref(), emit);
            emit.set_cause(before);
            id.clone_into(&mut self.native(session).prompted);
            for part in own.iter().filter_map(|(_, part)| part.id) {
                self.done.insert(hash::id(part.as_bytes()));
            }
        }
        self.native(session).turn.changes = message.changes.or(self.native(session).turn.changes.take());
        for (value, part) in parts.iter().filter(|(_, part)| !is_own(part)) {
            let before = emit.set_cause(Some(Cow::Owned(value.raw().to_owned())));
            self.put_in(session, part, *value, emit);
            emit.set_cause(before);
        }
    }

    /// A part of a prompt that was shown before it came: it is shown by itself.
    pub(super) fn late_prompt(
        &mut self,
        session: &str,
        part: &Part<'_>,
        value: Value<'_>,
        emit: &mut Emit<'_>,
    ) -> bool {
        let id = part.id.unwrap_or_default();
        let of_prompt = part.message.is_some_and(|message| *message == self.native(session).prompted);
        let content = if of_prompt && is_own(part) { prompt_parts(part, value) } else { Vec::new() };
        let shows = !content.is_empty() && self.done.insert(hash::id(id.as_bytes()));
        if shows {
            prompt_item(id, content, self.agent_of(session).as_deref(), emit);
        }
        shows
    }

    /// Whether the agent gives the last prompt once more.
    fn repeats_prompt(&mut self, session: &str, text: u64) -> bool {
        let native = self.native(session);
        let before = std::mem::replace(&mut native.prompt, text);
        std::mem::take(&mut native.repeats) && before == text
    }

    /// A prompt begins a turn, unless it is a copy, or is not to be answered.
    fn begin_prompted_turn(&mut self, session: &str, created: i64, emit: &mut Emit<'_>) {
        let stored = self.stored;
        let native = self.native(session);
        // A stored copy has the turns of what it was made from.
        let copy = !stored && created != 0 && created < native.created;
        let answered = !std::mem::take(&mut native.no_reply);
        if native.agent.is_some() || copy || !answered {
            return;
        }
        if stored {
            self.close_stored_turn(session, emit);
        }
        self.begin_turn(session, Some(created).filter(|created| *created != 0), true, emit);
    }

    /// A part of the user's message that the agent made.
    pub(super) fn put_in(&mut self, session: &str, part: &Part<'_>, value: Value<'_>, emit: &mut Emit<'_>) {
        let agent = self.agent_of(session);
        if part.r#type == Some("compaction") {
            self.native(session).repeats = part.overflow == Some(true);
            let how = if part.auto == Some(true) { "automatic" } else { "manual" };
            let part = StatusPart { label: StatusLabel::Compaction, detail: Some(how.into()), ..StatusPart::default() };
            emit.status_with(part, Some(value.json()), agent.as_deref(), false);
            return;
        }
        let content = prompt_parts(part, value);
        if content.is_empty() {
            return;
        }
        let id = part.id.unwrap_or_default();
        self.note_below(part.message.unwrap_or_default(), id);
        let spec = Spec {
            id,
            kind: ItemKind::System,
            role: Some(ItemRole::System),
            native: Some(id).filter(|id| !id.is_empty()),
            parent: None,
            agent: agent.as_deref(),
        };
        emit.item(&spec, ItemStatus::Completed, content, false);
    }

    /// Remembers what hangs below a message: it is taken back with it.
    pub(super) fn note_below(&mut self, message: &str, id: &str) {
        if self.below.len() == MOST_BELOW {
            self.below.pop_front();
        }
        self.below.push_back((hash::id(message.as_bytes()), id.to_owned()));
    }

    /// A message was taken back.
    pub(super) fn message_removed(&mut self, session: &str, id: &str, emit: &mut Emit<'_>) {
        self.settle(session, emit);
        self.done.insert(hash::id(id.as_bytes()));
        if let Some(item) = self.messages.remove(id).and_then(|message| message.item) {
            emit.complete(item, ItemStatus::Failed, true);
        }
        let mut shown = vec![id.to_owned()];
        let message = hash::id(id.as_bytes());
        self.below.retain(|(of, id)| {
            if *of == message {
                shown.extend([id.clone(), format!("{id}_result")]);
            }
            *of != message
        });
        shown.retain(|id| emit.has_begun(id));
        if shown.is_empty() {
            emit.ignore("nothing of it was shown");
            return;
        }
        let retracts = shown.into_iter().map(|id| Cow::Owned(format!("itm_{id}"))).collect();
        let part = StatusPart { label: StatusLabel::Retracted, retracts: Some(retracts), ..StatusPart::default() };
        emit.status_with(part, None, self.agent_of(session).as_deref(), false);
    }

    /// What a message of the main agent has used.
    fn count_usage(&mut self, session: &str, info: &Info<'_>, completed: i64) {
        let native = self.native(session);
        if native.agent.is_some() {
            return;
        }
        native.turn.last = Some(completed);
        native.turn.stop_reason = info.finish.map(str::to_owned).or(native.turn.stop_reason.take());
        // Without a finish and without an error, the wait for another attempt was given up.
        native.turn.interrupted |= native.turn.retrying && info.finish.is_none() && info.error.is_none();
        self.add_usage(session, info.tokens.as_ref(), info.cost);
    }

    pub(super) fn add_usage(&mut self, session: &str, tokens: Option<&Tokens<'_>>, cost: Option<f64>) {
        let turn = &mut self.native(session).turn;
        if let Some(cost) = cost {
            turn.cost = Some(turn.cost.unwrap_or(0.0) + cost);
        }
        let Some(tokens) = tokens else { return };
        let cache = |side: fn(&Cache<'_>) -> Option<u64>| tokens.cache.as_ref().and_then(side).unwrap_or(0);
        let counts = [
            tokens.input.unwrap_or(0),
            tokens.output.unwrap_or(0),
            cache(|cache| cache.read),
            cache(|cache| cache.write),
            tokens.reasoning.unwrap_or(0),
        ];
        let sum = counts.into_iter().fold(0, u64::saturating_add);
        if sum > 0 {
            turn.context_used = Some(tokens.total.unwrap_or(sum));
        }
        let all = turn.tokens.get_or_insert([0; 5]);
        all.iter_mut().zip(counts).for_each(|(all, count)| *all = all.saturating_add(count));
    }
}

/// What the user wrote.
fn prompt_item(id: &str, content: Vec<ContentPart<'_>>, agent: Option<&str>, emit: &mut Emit<'_>) {
    let (kind, role, native) = (ItemKind::Message, Some(ItemRole::User), Some(id).filter(|id| !id.is_empty()));
    emit.item(&Spec { id, kind, role, native, parent: None, agent }, ItemStatus::Completed, content, false);
}

/// Whether a part of the user's message is the user's own.
fn is_own(part: &Part<'_>) -> bool {
    part.synthetic != Some(true)
        && part.ignored != Some(true)
        && matches!(part.r#type, Some("text" | "file" | "subtask" | "agent"))
}

/// A part of the user's message. Agents that are mentioned stand in the text already.
fn prompt_parts<'a>(part: &Part<'a>, value: Value<'a>) -> Vec<ContentPart<'a>> {
    let text = |text: &Option<Text<'a>>| text.clone().map(ContentPart::text);
    let json = || Some(ContentPart::json(value.json()));
    let file = |url| parts::file(part.mime, part.filename.map(Cow::Borrowed), url, part.source);
    let [first, second] = match part.r#type.unwrap_or_default() {
        "text" => [text(&part.text), None],
        "file" => [part.url.clone().map(file), None],
        "subtask" => [text(&part.prompt), json()],
        "agent" => [None, None],
        _ => [json(), None],
    };
    first.into_iter().chain(second).collect()
}

/// A prompt as the host sent it, where no stream shows it.
pub(super) fn prompt_message(id: &str, parts: &[Value<'_>], emit: &mut Emit<'_>) {
    let mut content = Vec::new();
    for value in parts {
        let text = |key: &str| value.get(key).and_then(Value::str);
        match text("type") {
            Some("text") => {
                content.extend(value.get("text").and_then(Value::text).map(ContentPart::text));
            }
            Some("image") => {
                let data = format!(
                    "data:{};base64,{}",
                    text("mimeType").unwrap_or_default(),
                    text("data").unwrap_or_default()
                );
                content.push(parts::file(Some("image/*"), None, Text::from(data), None));
            }
            Some("agent") => {}
            _ => {
                let url = value.get("url").or_else(|| value.get("uri")).and_then(Value::text).unwrap_or_default();
                let name = text("filename").or_else(|| text("name"));
                content.push(parts::file(text("mime"), name.map(Cow::Borrowed), url, value.get("source")));
            }
        }
    }
    let native = Some(id).filter(|id| !id.is_empty());
    let spec = Spec { id, kind: ItemKind::Message, role: Some(ItemRole::User), native, parent: None, agent: None };
    emit.item(&spec, ItemStatus::Completed, content, true);
}

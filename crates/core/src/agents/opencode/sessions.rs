//! Sessions of a server: which is whose, what is known of them, their turns.

use std::borrow::Cow;

use interlinear_schema::{
    ContentPart, ErrorData, FileAction, FileRefPart, ItemKind, ItemStatus, StatusLabel, StatusPart, Text,
};

use super::state::{Message, Native, Role, State, Unlinked, Waiting};
use super::wire::{Failure, FileDiff, Info, Model, SessionInfo};
use crate::diff;
use crate::emit::{Emit, Spec};
use crate::hash;
use crate::json::{Tape, Value};
use crate::wire::Wire as _;

/// So much of a subagent that is not linked yet is kept.
const MOST_WAITING: usize = 2000;

impl State {
    /// Events go to the session with this identifier from here on. A new one is opened.
    pub(super) fn enter(&mut self, id: &str, emit: &mut Emit<'_>) -> &mut Native {
        let known = self.sessions.position(id);
        let at = known.unwrap_or_else(|| {
            let index = emit.route(id);
            self.sessions.insert(id.to_owned(), Native { index, ..Native::default() });
            self.sessions.position(id).unwrap_or_default()
        });
        let native = &mut self.sessions.values_mut().into_slice()[at];
        emit.select(native.index);
        native
    }

    /// The session is over: what it left open was closed with it.
    pub(super) fn forget_session(&mut self, id: &str) {
        self.sessions.remove(id);
        self.messages.retain(|_, message| message.session != id);
        self.tools.retain(|_, tool| tool.session != id);
        self.requests.retain(|_, pending| pending.session != id);
    }

    /// The call that started the session, if it is a subagent's.
    pub(super) fn agent_of(&self, session: &str) -> Option<String> {
        self.sessions.get(session).and_then(|native| native.agent.clone())
    }

    pub(super) fn native(&mut self, session: &str) -> &mut Native {
        self.sessions.or_default(session)
    }

    /// A session was created or changed.
    pub(super) fn session_info(&mut self, info: &SessionInfo<'_>, emit: &mut Emit<'_>) {
        let Some(id) = info.id.filter(|id| !id.is_empty()) else {
            emit.ignore("no session");
            return;
        };
        if self.unlinked.contains_key(id) {
            emit.ignore("waits for its call");
            return;
        }
        let parent = info.parent.unwrap_or_default();
        // What started it may itself wait.
        let known = self.sessions.get(parent).map(|parent| parent.index);
        let index = known.or_else(|| self.unlinked.get(parent)?.index);
        if index.is_some() && !self.sessions.contains_key(id) {
            let parent = parent.to_owned();
            self.unlinked.insert(id.to_owned(), Unlinked { index, parent, said: Vec::new() });
            emit.ignore("waits for its call");
            return;
        }
        self.enter(id, emit);
        self.settle_prompt(id, emit);
        let created = info.time.as_ref().and_then(|time| time.created);
        let native = self.native(id);
        native.created = created.unwrap_or(native.created);
        if native.agent.is_some() {
            emit.ignore("of a subagent");
            return;
        }
        self.facts(id, info, emit);
    }

    fn facts(&mut self, id: &str, info: &SessionInfo<'_>, emit: &mut Emit<'_>) {
        let place = info.location.and_then(|place| place.get("directory")).and_then(Value::str);
        let named = &mut self.native(id).named_role;
        let role = info.agent.filter(|role| named.as_deref() != Some(*role));
        *named = role.map(str::to_owned).or_else(|| named.take());
        let model = info.model.as_ref();
        let text = |name, text| (name, emit.new_text(name, text));
        let facts = [
            text("agent_version", info.version),
            text("cwd", info.directory.or(place)),
            text("model", model.and_then(model_name).as_deref()),
            text("variant", model.and_then(|model| chosen_variant(model.variant))),
            text("mode", role),
        ];
        emit.facts(&facts);
        // Until the agent has found a title, it is a date.
        emit.title(info.title.as_ref().filter(|title| !is_default_title(title)).map(Text::borrow));
        let reverted = info.revert.is_some();
        if std::mem::replace(&mut self.native(id).revert, reverted) != reverted {
            let detail = if reverted { "reverted" } else { "the revert is over" };
            let part = StatusPart { label: StatusLabel::Notice, detail: Some(detail.into()), ..StatusPart::default() };
            emit.status_with(part, info.revert.map(Value::json), None, false);
        }
    }

    /// What a message tells of its session: older versions say it nowhere else.
    pub(super) fn facts_of_message(&mut self, session: &str, info: &Info<'_>, emit: &mut Emit<'_>) {
        let cwd = info.path.and_then(|path| path.get("cwd")).and_then(Value::str);
        let model = Model { id: info.model_id, provider: info.provider, variant: info.variant, ..Model::default() };
        let role = self.native(session).role.clone();
        self.learn_model(session, &model, role.as_deref().or(info.agent), cwd, emit);
    }

    /// Facts that a message brings.
    pub(super) fn learn_model(
        &mut self,
        session: &str,
        model: &Model<'_>,
        mode: Option<&str>,
        cwd: Option<&str>,
        emit: &mut Emit<'_>,
    ) {
        if self.agent_of(session).is_some() {
            return;
        }
        let name = model_name(model);
        if name.is_some() {
            self.native(session).turn.model.clone_from(&name);
        }
        // Summaries are written by a helper of the agent's own.
        let mode = mode.filter(|mode| !matches!(*mode, "compaction" | "summary" | "title"));
        let text = |name, text| (name, emit.new_text(name, text));
        let facts = [
            text("cwd", cwd),
            text("model", name.as_deref()),
            text("variant", chosen_variant(model.variant)),
            text("mode", mode),
        ];
        emit.learn(&facts);
    }

    /// The call that started a subagent's session. What the session said before is heard now.
    pub(super) fn link(&mut self, child: &str, parent: &str, call_id: &str, emit: &mut Emit<'_>) {
        let index = emit.selected();
        if child == parent || child.is_empty() {
            return;
        }
        let known = self.sessions.get(child);
        if known.is_some_and(|native| native.agent.is_none() || native.agent.as_deref() == Some(call_id)) {
            return;
        }
        let native = Native { index, agent: Some(call_id.to_owned()), ..Native::default() };
        self.sessions.insert(child.to_owned(), native);
        self.hear(child, emit);
        emit.select(index);
    }

    /// What a session said while it was not known whose it is.
    pub(super) fn hear(&mut self, session: &str, emit: &mut Emit<'_>) {
        for waiting in self.unlinked.remove(session).unwrap_or_default().said {
            let mut tape = Tape::default();
            match waiting {
                Waiting::Event(text) => {
                    let before = emit.set_cause(Some(Cow::Owned(text.clone())));
                    if let Ok(value) = tape.read(&text) {
                        self.frame(value, None, emit);
                    }
                    emit.set_cause(before);
                }
                Waiting::Document(text) => {
                    if let Ok(value) = tape.read(&text) {
                        let before = emit.set_cause(None);
                        self.export(value, emit);
                        emit.set_cause(before);
                    }
                }
            }
        }
    }

    /// Keeps an event of a subagent that is not linked yet. After too many the session stands for itself; when nothing is
    /// open that could tell of it; and when it asks, as the agent waits for the answer. A call tells of its session before
    /// that can ask: there is none.
    pub(super) fn wait(&mut self, session: &str, kind: &str, event: Value<'_>, emit: &mut Emit<'_>) {
        let Some(waiting) = self.unlinked.get_mut(session) else { return };
        let asks = kind.ends_with(".asked") || kind == "permission.updated";
        if !asks && waiting.said.len() < MOST_WAITING {
            waiting.said.push(Waiting::Event(event.raw().to_owned()));
            emit.ignore("waits for its call");
            return self.hear_if_alone(session, emit);
        }
        self.hear_unlinked(session, emit);
        if let Some(agent) = self.agent_of(session).filter(|_| asks) {
            self.enter(session, emit);
            emit.ensure_call_of(Some(&agent));
            // No call of the turn waits for it, so it goes on when that is over.
            emit.in_background(&agent);
        }
        self.frame(event, None, emit);
    }

    /// Hears what the session has started without a call.
    #[cold]
    pub(super) fn hear_children(&mut self, session: &str, emit: &mut Emit<'_>) {
        let of_this = self.unlinked.iter().filter(|(_, unlinked)| unlinked.parent == session);
        let ids: Vec<_> = of_this.map(|(id, _)| id.clone()).collect();
        for id in ids {
            self.hear_if_alone(&id, emit);
        }
    }

    /// A call tells of its session before that says anything. Where the one that started it has no call and no message
    /// open, there is none: an extension has, or the host.
    fn hear_if_alone(&mut self, session: &str, emit: &mut Emit<'_>) {
        let Some(Unlinked { index: Some(index), parent, said }) = self.unlinked.get(session) else { return };
        if said.is_empty() || !self.sessions.contains_key(parent) || self.is_at_work(parent) {
            return;
        }
        let (index, before) = (*index, emit.selected());
        emit.select(index);
        emit.ensure_call_of(Some(session));
        // No call waits for it, so it goes on when the turn is over.
        emit.in_background(session);
        self.hear_unlinked(session, emit);
        emit.select(before);
    }

    /// Whether a call, or a message that may hold one, is open.
    fn is_at_work(&self, session: &str) -> bool {
        let answers = |message: &Message| message.session == session && message.role != Role::User && !message.overdue;
        self.messages.values().any(answers) || self.tools.values().any(|tool| tool.session == session)
    }

    /// No call has told of a subagent's session. It hangs below a call that is made for it; one whose parent nobody
    /// has heard of stands for itself.
    fn hear_unlinked(&mut self, session: &str, emit: &mut Emit<'_>) {
        let Some(unlinked) = self.unlinked.get(session) else { return };
        if let Some(index) = unlinked.index {
            emit.select(index);
            let native = Native { index, agent: Some(session.to_owned()), ..Native::default() };
            self.sessions.insert(session.to_owned(), native);
        }
        self.hear(session, emit);
    }

    /// The input is over: what still waits for its call is heard.
    pub(super) fn hear_all_unlinked(&mut self, emit: &mut Emit<'_>) {
        let index = emit.selected();
        let of_this = self.unlinked.iter().filter(|(_, unlinked)| unlinked.index.is_none_or(|of| of == index));
        let ids: Vec<_> = of_this.map(|(id, _)| id.clone()).collect();
        for id in ids {
            self.hear_unlinked(&id, emit);
            emit.select(index);
        }
    }

    /// A failure, of the session or of a message. Both tell of the same one: it is told once.
    pub(super) fn failure(&mut self, session: &str, failure: &Failure<'_>, value: Value<'_>, emit: &mut Emit<'_>) {
        let inner = failure.data.and_then(|data| data.get("message")).and_then(Value::text);
        let name = failure.name.unwrap_or("UnknownError").to_owned();
        let message = inner.or_else(|| failure.message.clone()).unwrap_or_else(|| Text::from(name.clone()));
        let shown = message.to_str_lossy().into_owned();
        let told = (name.clone(), hash::of(shown.as_bytes()));
        let agent = self.agent_of(session);
        let summarising = self.messages.values().any(|message| message.item.is_some() && message.session == session);
        let native = self.native(session);
        native.failed = None;
        // The same failure may come once more as the stack that it was thrown from.
        let again = native.told.as_ref().is_some_and(|known| *known == told || shown.contains("\n    at "));
        if again {
            emit.ignore("told before");
            return;
        }
        native.told = Some(told);
        if name == "MessageAbortedError" {
            native.turn.interrupted = true;
        } else {
            native.turn.failed = true;
        }
        let overflow = name == "ContextOverflowError" && summarising && !self.is_summary(session);
        self.last_error = Some(shown);
        emit.error(ErrorData {
            message,
            code: Some(Cow::Owned(name)),
            details: failure.data.map(Value::json).or_else(|| Some(value.json())),
            // The conversation is summarised, and the prompt is given again.
            will_retry: overflow.then_some(true),
            agent_id: agent.map(Cow::Owned),
            ..ErrorData::default()
        });
    }

    /// The files that a stored turn has changed.
    pub(super) fn tell_stored_changes(&mut self, session: &str, emit: &mut Emit<'_>) {
        let Some(text) = self.native(session).turn.changes.take() else { return };
        let mut tape = Tape::default();
        let before = emit.set_cause(Some(Cow::Owned(text.clone())));
        if let Ok(changes) = tape.read(&text) {
            self.tell_changes(session, changes, emit);
        }
        emit.set_cause(before);
    }

    pub(super) fn tell_changes(&mut self, session: &str, changes: Value<'_>, emit: &mut Emit<'_>) {
        let diffs = Vec::<FileDiff<'_>>::read(changes, "diff", &mut emit.book.drift).unwrap_or_default();
        self.changes(session, &diffs, emit);
    }

    /// Files that were changed: by a turn, or by taking it back. Told when it is something new.
    pub(super) fn changes(&mut self, session: &str, diffs: &[FileDiff<'_>], emit: &mut Emit<'_>) {
        let sum = diffs.iter().fold(1, |sum, diff| {
            let patch = diff.patch.as_ref().and_then(Text::source).unwrap_or_default();
            hash::and(hash::and(sum, diff.file.unwrap_or_default().as_bytes()), patch)
        });
        let agent = self.agent_of(session);
        let native = self.native(session);
        if diffs.is_empty() || native.diff == sum {
            emit.ignore("nothing new");
            return;
        }
        native.diff = sum;
        let detail = Some(Text::from("files changed"));
        let mut content =
            vec![ContentPart::Status(StatusPart { label: StatusLabel::Notice, detail, ..StatusPart::default() })];
        content.extend(diffs.iter().filter_map(changed_file));
        let spec = Spec { kind: ItemKind::Status, agent: agent.as_deref(), ..Spec::default() };
        emit.item(&spec, ItemStatus::Completed, content, false);
    }
}

fn changed_file<'d>(diff: &'d FileDiff<'_>) -> Option<ContentPart<'d>> {
    let path = diff.file.filter(|path| !path.is_empty())?;
    let action = if diff.status == Some("added") { FileAction::Write } else { FileAction::Patch };
    let given = diff.patch.as_ref().and_then(|patch| diff::from_unified(path, &patch.to_str_lossy()));
    // Older versions give the file before and after.
    let whole = || {
        let (before, after) = (diff.before.as_ref()?.to_str_lossy(), diff.after.as_ref()?.to_str_lossy());
        Some(if before.is_empty() { diff::of_new_file(path, &after) } else { diff::of_edit(path, &before, &after, "") })
    };
    let diff = given.or_else(whole).map(Text::from);
    Some(ContentPart::FileRef(FileRefPart { path: Cow::Borrowed(path), action, diff, ..FileRefPart::default() }))
}

/// A model as the command line takes it.
pub(super) fn model_name(model: &Model<'_>) -> Option<String> {
    let id = model.id?;
    Some(model.provider.map_or_else(|| id.to_owned(), |provider| [provider, "/", id].concat()))
}

/// A variant that somebody chose.
fn chosen_variant(variant: Option<&str>) -> Option<&str> {
    variant.filter(|variant| *variant != "default")
}

fn is_default_title(title: &Text<'_>) -> bool {
    let title = title.to_str_lossy();
    title.is_empty() || title.starts_with("New session - ") || title.starts_with("Child session - ")
}

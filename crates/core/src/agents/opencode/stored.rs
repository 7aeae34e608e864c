//! Stored sessions: exports, and the older trees of files, which are put together into exports first.

use std::borrow::Cow;

use super::state::{State, Waiting};
use super::wire::{Export, Exported, Info, Part};
use crate::agents::read;
use crate::agents::{Document, Recognised};
use crate::api::{Agent, Form};
use crate::emit::Emit;
use crate::json::{Tape, Value};
use crate::map::{Map, sorted};
use crate::wire::{Drifts, Wire as _};

/// Finds out whether a line is OpenCode's.
pub(crate) fn recognise(line: Value<'_>) -> Option<Recognised> {
    let found = |form, version: Option<&str>| {
        Some(Recognised { agent: Agent::Opencode, form, version: version.map(str::to_owned) })
    };
    let text = |value: Value<'_>, key: &str| value.get(key).and_then(Value::str).map(str::to_owned);
    let is_id = |value: Value<'_>, key: &str, prefix: &str| text(value, key).is_some_and(|id| id.starts_with(prefix));
    if let Some(info) = line.get("info").filter(|info| is_id(*info, "id", "ses_")) {
        return found(Form::Stored, info.get("version").and_then(Value::str));
    }
    if is_id(line, "id", "ses_") && line.get("projectID").is_some() {
        return found(Form::Live, line.get("version").and_then(Value::str));
    }
    if is_id(line, "sessionID", "ses_") {
        let stored = is_id(line, "id", "prt_") || is_id(line, "id", "msg_");
        return found(if stored { Form::Stored } else { Form::Exec }, None);
    }
    if line.get("jsonrpc").is_some() && line.get("params").is_some_and(|params| params.get("protocolVersion").is_some())
    {
        return found(Form::Live, None);
    }
    let event = line.get("payload").unwrap_or(line);
    let dotted = text(event, "type").is_some_and(|kind| kind.contains('.'));
    let body = event.get("properties").or_else(|| event.get("data").filter(|_| is_id(event, "id", "evt_")));
    let body = body.filter(|body| dotted && body.is_object())?;
    let version = body.get("info").and_then(|info| info.get("version")).and_then(Value::str);
    found(Form::Live, version)
}

/// Finds out whether a document is OpenCode's: an export, or a file of an older tree.
pub(crate) fn recognise_document(name: &str, head: &str) -> Option<Recognised> {
    let base = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let of_tree = base.ends_with(".json") && ["ses_", "msg_", "prt_"].iter().any(|prefix| base.starts_with(prefix));
    let close: String = head.chars().take(2000).filter(|c| !c.is_whitespace()).collect();
    let exported = close.starts_with("{\"info\":{") && close.contains("\"ses_");
    if !of_tree && !exported {
        return None;
    }
    let version =
        close.split_once("\"version\":\"").and_then(|(_, rest)| rest.split_once('"')).map(|(version, _)| version);
    Some(Recognised { agent: Agent::Opencode, form: Form::Stored, version: version.map(str::to_owned) })
}

/// What a file of an older tree is, by where it lies: its kind, and the identifier of what it belongs to.
fn place(name: &str) -> Option<(&'static str, String)> {
    let steps: Vec<_> = name.split(['/', '\\']).collect();
    let [.., kind, owner, base] = steps[..] else { return None };
    base.strip_suffix(".json")?;
    match kind {
        "session" => Some(("session", String::new())),
        "message" => Some(("message", owner.to_owned())),
        "part" => Some(("part", owner.to_owned())),
        _ => None,
    }
}

/// The documents in the order in which they are read: subagents' before those that started them, as they wait for
/// the call below which they are shown. The files of an older tree become an export each session.
pub(crate) fn arrange(files: Vec<(String, Vec<u8>)>) -> Vec<Document> {
    let mut tree = Tree::default();
    let mut documents = Vec::new();
    for (name, bytes) in files {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let mut tape = Tape::default();
        let value = tape.read(text.trim_start_matches('\u{FEFF}'));
        // An export is one wherever it lies; files of a tree are told by their folders.
        let export = value.as_ref().is_ok_and(|value| value.get("info").is_some() && value.get("messages").is_some());
        match (place(&name).filter(|_| !export), value) {
            (Some((kind, owner)), Ok(value)) if value.is_object() => tree.add(kind, owner, &name, value),
            (None, _) if !export && is_beside(&name) => {
                documents.push(Document { name, bytes, left: Some("bookkeeping") });
            }
            // What is passed on of a document stands on one line.
            (_, Ok(value)) => {
                documents.push(Document { name, bytes: value.compact().into_bytes(), left: None });
            }
            (_, Err(_)) => documents.push(Document { name, bytes, left: None }),
        }
    }
    documents.extend(tree.exports());
    let keyed = documents.into_iter().map(|document| (order(&document), document)).collect();
    sorted(keyed, |(a, _), (b, _)| a <= b).into_iter().map(|(_, document)| document).collect()
}

/// What lies in a tree beside its sessions.
fn is_beside(name: &str) -> bool {
    let steps: Vec<_> = name.split(['/', '\\']).collect();
    let folder = steps.iter().rev().nth(1).copied().unwrap_or_default();
    matches!(folder, "project" | "session_diff" | "session_share" | "todo") || steps.last() == Some(&"migration")
}

/// Subagents first, then by age.
fn order(document: &Document) -> (bool, i64, String) {
    let text = String::from_utf8_lossy(&document.bytes);
    let mut tape = Tape::default();
    let info = tape.read(&text).ok().and_then(|value| value.get("info"));
    let child = info.is_some_and(|info| info.get("parentID").and_then(Value::str).is_some());
    let created = info.and_then(|info| info.get("time")?.get("created")?.i64()).unwrap_or(0);
    (!child, created, document.name.clone())
}

/// The files of an older tree.
#[derive(Default)]
struct Tree {
    /// By identifier: the file's name and its text.
    sessions: Map<String, (String, String)>,
    /// By session, then by message.
    messages: Map<String, Map<String, String>>,
    /// By message, then by part.
    parts: Map<String, Map<String, String>>,
}

impl Tree {
    fn add(&mut self, kind: &str, owner: String, name: &str, value: Value<'_>) {
        let base = name.rsplit(['/', '\\']).next().unwrap_or(name);
        let id = value.get("id").and_then(Value::str).unwrap_or(base.trim_end_matches(".json"));
        let (id, text) = (id.to_owned(), value.compact());
        match kind {
            "session" => {
                self.sessions.insert(id, (name.to_owned(), text));
            }
            "message" => {
                self.messages.or_default(&owner).insert(id, text);
            }
            _ => {
                self.parts.or_default(&owner).insert(id, text);
            }
        }
    }

    /// An export of each session; messages whose session has no file of its own are one too.
    fn exports(mut self) -> Vec<Document> {
        for session in self.messages.keys() {
            let made = || (format!("{session}.json"), format!("{{\"id\":\"{session}\"}}"));
            self.sessions.or_insert_with(session.clone(), made);
        }
        let mut documents = Vec::new();
        for (session, (name, info)) in self.sessions.iter() {
            let messages = self.messages.get(session).into_iter().flat_map(Map::iter).map(|(id, message)| {
                let parts: Vec<_> = self.parts.get(id).into_iter().flat_map(Map::values).cloned().collect();
                format!("{{\"info\":{message},\"parts\":[{}]}}", parts.join(","))
            });
            let messages: Vec<_> = messages.collect();
            let text = format!("{{\"info\":{info},\"messages\":[{}]}}", messages.join(","));
            documents.push(Document { name: name.clone(), bytes: text.into_bytes(), left: None });
        }
        documents
    }
}

impl State {
    /// An export. That of a subagent waits for the session that started it.
    pub(super) fn stored_document(&mut self, document: Value<'_>, emit: &mut Emit<'_>) {
        let info = document.get("info").filter(|info| info.is_object());
        let Some(info) = info.filter(|_| document.get("messages").is_some()) else {
            emit.unknown(document.json(), None);
            return;
        };
        let text = |key: &str| info.get(key).and_then(Value::str).map(str::to_owned);
        if let (Some(id), Some(_)) = (text("id"), text("parentID")) {
            self.unlinked.or_default(&id).said.push(Waiting::Document(document.raw().to_owned()));
            emit.ignore("waits for its call");
            return;
        }
        self.export(document, emit);
        // What this session has started hangs below it, whether its calls say so or not.
        let index = emit.selected();
        let id = text("id");
        for unlinked in self.unlinked.values_mut().filter(|unlinked| unlinked.is_of(id.as_deref())) {
            unlinked.index = Some(index);
        }
    }

    /// A session with its messages.
    pub(super) fn export(&mut self, document: Value<'_>, emit: &mut Emit<'_>) {
        let Some(export) = read::<Export<'_>>(document, emit) else { return };
        let Some(info) = &export.info else { return };
        let session = info.id.unwrap_or("session").to_owned();
        if let Some(created) = info.time.as_ref().and_then(|time| time.created) {
            emit.at(created);
        }
        let raw = document.get("info").map(|info| Cow::Owned(info.raw().to_owned()));
        let before = emit.set_cause(raw);
        self.enter(&session, emit);
        self.session_info(info, emit);
        for message in export.messages.iter().flatten().copied() {
            self.stored_message(&session, message, emit);
        }
        emit.set_cause(before);
        if self.agent_of(&session).is_some() {
            self.settle(&session, emit);
            self.tell_stored_changes(&session, emit);
        }
    }

    /// A message with its parts, in either dialect.
    fn stored_message(&mut self, session: &str, message: Value<'_>, emit: &mut Emit<'_>) {
        if message.get("info").is_none() && message.get("type").is_some() {
            emit.set_cause(Some(Cow::Owned(message.raw().to_owned())));
            return self.stored_next(session, message, emit);
        }
        let Some(message) = read::<Exported<'_>>(message, emit) else { return };
        let Some(value) = message.info else { return };
        emit.set_cause(Some(Cow::Owned(value.raw().to_owned())));
        let Some(info) = read::<Info<'_>>(value, emit) else { return };
        if let Some(created) = info.time.as_ref().and_then(|time| time.created) {
            emit.at(created);
        }
        self.message_updated(session, &info, emit);
        for step in timeline(message.parts.as_deref().unwrap_or_default()) {
            emit.set_cause(Some(Cow::Owned(step.part.raw().to_owned())));
            self.stored_part(session, &step, emit);
        }
        if let Some(completed) = info.time.as_ref().and_then(|time| time.completed) {
            emit.at(completed);
        }
        emit.set_cause(Some(Cow::Owned(value.raw().to_owned())));
        self.settle(session, emit);
    }

    fn stored_part(&mut self, session: &str, step: &Step<'_>, emit: &mut Emit<'_>) {
        if step.at > 0 {
            emit.at(step.at);
        }
        let text = |key: &str| step.part.get(key).and_then(Value::str).unwrap_or_default();
        let (id, message) = (text("id"), text("messageID"));
        let state = |key: &str| step.part.get("state").and_then(|state| state.get(key));
        if !step.announces {
            if state("status").and_then(Value::str).is_some_and(|status| matches!(status, "completed" | "error")) {
                self.stored_answer(id, state("metadata").and_then(|metadata| metadata.get("answers")), emit);
            }
            return self.part_updated(session, step.part, None, emit);
        }
        // What is not known of it is noted when its result is read.
        let part = Part::read(step.part, "", &mut Drifts::default()).unwrap_or_default();
        self.adopt(session, message, emit);
        self.call_begins(id, session, message, part.call_id(), part.tool_name(), emit);
        self.call_known(id, part.tool_name(), state("input"), emit);
        self.stored_question(id, state("input"), emit);
    }
}

/// A part, at the time when the live stream would show it. Calls are shown before their results.
struct Step<'a> {
    part: Value<'a>,
    at: i64,
    announces: bool,
}

/// The parts in the order in which the live stream shows them: tools that ran side by side end in their own order.
fn timeline<'a>(parts: &[Value<'a>]) -> Vec<Step<'a>> {
    let mut steps = Vec::new();
    for part in parts.iter().copied() {
        let state =
            part.get("state").filter(|_| part.get("type").and_then(Value::str).is_some_and(|kind| kind == "tool"));
        let of =
            |time: Option<Value<'_>>, key: &str| time.and_then(|time| time.get(key)).and_then(Value::i64).unwrap_or(0);
        match state {
            Some(state) => {
                let time = state.get("time");
                let (start, end) = (of(time, "start"), of(time, "end"));
                steps.push(Step { part, at: start, announces: true });
                steps.push(Step { part, at: end, announces: false });
            }
            None => steps.push(Step { part, at: of(part.get("time"), "start"), announces: false }),
        }
    }
    // Results move behind calls that were made before they came; everything else keeps its place.
    let mut ordered: Vec<Step<'a>> = Vec::new();
    let mut results: Vec<Step<'a>> = Vec::new();
    for step in steps {
        let is_result = !step.announces && step.part.get("state").is_some();
        if is_result {
            results.push(step);
            continue;
        }
        if step.announces {
            let (before, after): (Vec<_>, Vec<_>) = results.into_iter().partition(|result| result.at < step.at);
            ordered.extend(by_time(before));
            results = after;
        } else {
            ordered.extend(by_time(std::mem::take(&mut results)));
        }
        ordered.push(step);
    }
    ordered.extend(by_time(results));
    ordered
}

fn by_time(results: Vec<Step<'_>>) -> Vec<Step<'_>> {
    sorted(results, |a, b| a.at <= b.at)
}

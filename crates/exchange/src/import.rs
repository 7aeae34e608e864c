//! Exchange events → universal events.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use interlinear_schema::{
    ContentPart, ErrorData, EventData, ItemKind, ItemRole, ItemStatus, Json, JsonPart, PermissionData,
    PermissionStatus, QuestionData, QuestionStatus, ReasoningPart, StatusLabel, StatusPart, Text, TextPart,
    ToolCallPart, ToolKind, UniversalItem, UnparsedData, Visibility,
};

use crate::event::{Block, BlockBody, Event, EventType, Fidelity, Payload, Role, Step, Tool};
use crate::read::ReadError;
use crate::stream::{Owner, Stream, call_item, call_part};
use crate::tree::{Entry, order};

/// What became of the lines.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct Counts {
    /// Lines that were read; blank ones are none.
    pub lines: u64,
    /// Lines that became no event, by reason.
    pub ignored: BTreeMap<&'static str, u64>,
    /// Event and block types that are not known, with how often they came.
    pub unknown: BTreeMap<String, u64>,
    /// Lines that are no event at all.
    pub unparsed: u64,
}

/// Turns the files of runs into universal events: each run that no other one called is a session, the runs that it
/// called are its subagents.
#[derive(Debug, Default)]
pub struct Importer {
    session_id: Option<String>,
    include_raw: bool,
    files: Vec<(String, Vec<u8>)>,
    counts: Counts,
    streams: Vec<Stream>,
    runs: HashMap<String, Run>,
    out: Vec<u8>,
}

/// Where the events of a run go.
#[derive(Debug, Clone)]
struct Run {
    stream: usize,
    owner: Owner,
    /// The call that was made up for it, where no tool call started it.
    made_up: Option<String>,
}

/// The line that is being mapped.
struct Place {
    stream: usize,
    owner: Owner,
}

impl Importer {
    /// Has seen nothing yet. Sessions are called as their runs unless a name is given for the first.
    pub fn new(session_id: Option<String>, include_raw: bool) -> Self {
        Self { session_id, include_raw, ..Self::default() }
    }

    /// The next bytes of a file.
    pub fn push(&mut self, file: &str, chunk: &[u8]) {
        match self.files.iter_mut().find(|(name, _)| name == file) {
            Some((_, bytes)) => bytes.extend_from_slice(chunk),
            None => self.files.push((file.to_owned(), chunk.to_vec())),
        }
    }

    /// The runs that were called and are in none of the files so far. Their files may be pushed too.
    pub fn missing(&self) -> Vec<String> {
        let events = || {
            let lines = self.files.iter().flat_map(|(_, bytes)| bytes.split(|byte| *byte == b'\n'));
            lines.filter_map(|line| Event::read(&String::from_utf8_lossy(line)).ok())
        };
        let there: HashSet<String> = events().map(|event| event.run_id).collect();
        let called: BTreeSet<String> = events().filter_map(|event| event.child_run_id).collect();
        called.into_iter().filter(|run| !there.contains(run)).collect()
    }

    /// All files were pushed: gives the events, one a line.
    pub fn end(&mut self) -> Vec<u8> {
        let files = std::mem::take(&mut self.files);
        let files = files.into_iter().map(|(name, bytes)| (name, entries(&bytes))).collect();
        for (file, entry) in order(files) {
            self.entry(&file, entry);
        }
        for stream in &mut self.streams {
            stream.at(None, None);
            stream.end(None, true, &mut self.out);
        }
        std::mem::take(&mut self.out)
    }

    /// What became of the lines so far.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    fn entry(&mut self, file: &str, Entry { number, line, read }: Entry) {
        self.counts.lines += 1;
        let before = self.out.len();
        let reason = match read {
            Ok(event) => self.event(&event, &line),
            Err(ReadError::Malformed(error)) => {
                self.unparsed(file, number, &line, &error.to_string());
                None
            }
            Err(error) => {
                if let Some(event) = error.into_event() {
                    self.unknown(&event, &line);
                }
                None
            }
        };
        if self.out.len() == before {
            *self.counts.ignored.entry(reason.unwrap_or("says nothing new")).or_default() += 1;
        }
    }

    /// Where a run's events go; a run that nobody called is a session of its own.
    fn place(&mut self, event: &Event, line: &str) -> Place {
        let known = self.runs.get(&event.run_id).cloned();
        let run =
            known.unwrap_or_else(|| match event.parent_run_id.as_ref().and_then(|id| self.runs.get(id)).cloned() {
                Some(parent) => self.call_run(&parent, event, &event.run_id, &Step::default()),
                None => self.session(&event.run_id),
            });
        let cause = self.include_raw.then_some(line);
        self.streams[run.stream].at(Some(&event.timestamp), cause);
        Place { stream: run.stream, owner: run.owner }
    }

    fn session(&mut self, run_id: &str) -> Run {
        let id = self.session_id.take().unwrap_or_else(|| run_id.to_owned());
        self.streams.push(Stream::new(id, Some(run_id.to_owned())));
        let run = Run { stream: self.streams.len() - 1, owner: Owner::default(), made_up: None };
        self.runs.insert(run_id.to_owned(), run.clone());
        run
    }

    /// Links a run below the call that started it; where there is none, one is made up.
    fn call_run(&mut self, parent: &Run, event: &Event, child: &str, step: &Step) -> Run {
        let stream = &mut self.streams[parent.stream];
        let named = event.path.strip_prefix("turn.").unwrap_or(&event.path);
        let made_up = (!stream.knows(named)).then(|| child.to_owned());
        if made_up.is_some() {
            let name = step.name.to_str_lossy().into_owned();
            let part = ToolCallPart {
                tool_kind: Some(ToolKind::Task),
                title: (!step.name.is_empty()).then(|| step.name.clone()),
                ..call_part(child, if name.is_empty() { "call_workflow" } else { &name }, &Json::null())
            };
            stream.call(part, None, &parent.owner, false, &mut self.out);
        }
        let call = made_up.as_deref().unwrap_or(named);
        let owner = Owner { agent: Some(call.to_owned()), below: Some(call_item(call)) };
        let run = Run { stream: parent.stream, owner, made_up };
        self.runs.insert(child.to_owned(), run.clone());
        run
    }

    /// Maps an event; gives the reason if it says nothing by itself.
    fn event(&mut self, event: &Event, line: &str) -> Option<&'static str> {
        let place = self.place(event, line);
        if self.streams[place.stream].ended {
            return Some("late");
        }
        match (&event.r#type, &event.payload) {
            (EventType::RunStarted, payload) => self.run_started(&place, payload),
            (EventType::RunCompleted, payload) => self.run_completed(&place, payload),
            (EventType::CallStarted, Payload::Step(step)) => {
                let parent = self.runs.get(&event.run_id).cloned()?;
                if let Some(child) = event.child_run_id.as_deref().filter(|child| !self.runs.contains_key(*child)) {
                    self.call_run(&parent, event, child, step);
                }
                Some("links a run to its call")
            }
            (EventType::CallCompleted, Payload::Step(step)) => self.call_completed(&place, event, step),
            (EventType::StepStarted, Payload::Step(step)) => self.step_started(&place, event, step),
            (EventType::StepCompleted, Payload::Step(step)) => self.step_completed(&place, event, step),
            (EventType::ToolCall, Payload::Tool(tool)) => {
                let synthetic = tool.fidelity == Fidelity::Router;
                let part = call_part(&tool.call_id, &tool.name, &tool.input);
                let stream = &mut self.streams[place.stream];
                (!stream.call(part, None, &place.owner, synthetic, &mut self.out)).then_some("told before")
            }
            (EventType::ToolResult, Payload::Tool(tool)) => self.tool_result(place, tool),
            (EventType::UserMessage | EventType::AssistantMessage, Payload::Message(_) | Payload::Blocks(_)) => {
                self.message(&place, event)
            }
            // A known event with a payload that is not its own.
            _ => {
                self.unknown_item(&place, line);
                None
            }
        }
    }

    fn run_started(&mut self, place: &Place, payload: &Payload) -> Option<&'static str> {
        if place.owner.agent.is_some() {
            return Some("a subagent's run");
        }
        let title = match payload {
            Payload::Step(step) if !step.name.is_empty() => format!(r#","title":{}"#, Json::of(&step.name).as_str()),
            _ => String::new(),
        };
        let metadata = Json::from_text(format!(r#"{{"form":"stored"{title}}}"#));
        self.streams[place.stream].start(metadata, &mut self.out);
        None
    }

    fn run_completed(&mut self, place: &Place, payload: &Payload) -> Option<&'static str> {
        if place.owner.agent.is_some() {
            return Some("a subagent's run");
        }
        let error = match payload {
            Payload::Step(step) => step.error.clone(),
            _ => None,
        };
        self.streams[place.stream].end(error, false, &mut self.out);
        None
    }

    /// A run that was called is over: so is the call, where it was made up.
    fn call_completed(&mut self, place: &Place, event: &Event, step: &Step) -> Option<&'static str> {
        let child = event.child_run_id.as_deref().and_then(|child| self.runs.get(child));
        let Some(call) = child.and_then(|child| child.made_up.clone()) else { return Some("links a run to its call") };
        let output = step.error.clone().unwrap_or_else(|| step.result.as_ref().map(readable).unwrap_or_default());
        let failed = step.error.is_some();
        let (stream, owner) = (&mut self.streams[place.stream], place.owner.clone());
        stream.result(&call, "", Json::null(), output, failed, false, owner, &mut self.out);
        None
    }

    fn tool_result(&mut self, place: Place, tool: &Tool) -> Option<&'static str> {
        let output = match (&tool.error, tool.output.is_null()) {
            (Some(error), true) => error.clone(),
            _ => readable(&tool.output),
        };
        let (failed, synthetic) = (tool.error.is_some(), tool.fidelity == Fidelity::Router);
        let (stream, input) = (&mut self.streams[place.stream], tool.input.clone());
        let new =
            stream.result(&tool.call_id, &tool.name, input, output, failed, synthetic, place.owner, &mut self.out);
        (!new).then_some("told before")
    }

    fn message(&mut self, place: &Place, event: &Event) -> Option<&'static str> {
        let user = match &event.payload {
            Payload::Message(message) => message.role == Role::User,
            _ => event.r#type == EventType::UserMessage,
        };
        let blocks = event.payload.blocks();
        let content: Vec<_> = blocks.iter().filter_map(content).collect();
        let synthetic = blocks.iter().all(|block| block.fidelity == Fidelity::Router);
        let item = UniversalItem {
            kind: ItemKind::Message,
            status: ItemStatus::Completed,
            role: Some(if user { ItemRole::User } else { ItemRole::Assistant }),
            content,
            ..UniversalItem::default()
        };
        let stream = &mut self.streams[place.stream];
        let parent = (!item.content.is_empty()).then(|| stream.item(item, &place.owner, synthetic, &mut self.out));
        for Block { fidelity, body } in blocks {
            let synthetic = *fidelity == Fidelity::Router;
            match body {
                BlockBody::ToolUse { name, id, input } => {
                    let part = call_part(id, name, input);
                    stream.call(part, parent.clone(), &place.owner, synthetic, &mut self.out);
                }
                BlockBody::ToolResult { id, content } => {
                    let (output, owner) = (readable(content), place.owner.clone());
                    stream.result(id, "", Json::null(), output, false, synthetic, owner, &mut self.out);
                }
                _ => {}
            }
        }
        None
    }

    fn step_started(&mut self, place: &Place, event: &Event, step: &Step) -> Option<&'static str> {
        let stream = &mut self.streams[place.stream];
        match step.kind.as_str() {
            "agent" if place.owner.agent.is_some() => Some("a subagent's turn"),
            "agent" if !stream.in_turn() => {
                stream.start_turn(&mut self.out);
                None
            }
            "permission" => {
                let data = PermissionData {
                    permission_id: request_id(stream, event).into(),
                    action: Cow::Owned(step.name.to_str_lossy().into_owned()),
                    status: PermissionStatus::Requested,
                    agent_id: place.owner.agent.clone().map(Cow::Owned),
                    ..PermissionData::default()
                };
                stream.ask_permission(data, &mut self.out);
                None
            }
            "question" => {
                let data = QuestionData {
                    question_id: request_id(stream, event).into(),
                    prompt: step.name.clone(),
                    status: QuestionStatus::Requested,
                    agent_id: place.owner.agent.clone().map(Cow::Owned),
                    ..QuestionData::default()
                };
                stream.ask_question(data, &mut self.out);
                None
            }
            "status" | "system" | "error" | "unknown" | "unparsed" => Some("told when it is over"),
            _ => {
                self.notice(place, event, step, "started");
                None
            }
        }
    }

    fn step_completed(&mut self, place: &Place, event: &Event, step: &Step) -> Option<&'static str> {
        let id = event.path.strip_prefix("turn.").unwrap_or(&event.path);
        let stream = &mut self.streams[place.stream];
        match step.kind.as_str() {
            "agent" if place.owner.agent.is_some() => return Some("a subagent's turn"),
            "agent" if stream.in_turn() => self.end_turn(place, step),
            "permission" if stream.resolve_permission(id, permission(step), &mut self.out) => {}
            "question" if stream.resolve_question(id, question(step), &mut self.out) => {}
            "error" => self.error(place, step),
            "status" | "system" | "unknown" => match parts(step) {
                Some(content) => self.whole_item(place, step, content),
                None => self.notice(place, event, step, "completed"),
            },
            _ => self.notice(place, event, step, "completed"),
        }
        None
    }

    fn end_turn(&mut self, place: &Place, step: &Step) {
        let told = step.result.as_ref().filter(|result| result.as_str().starts_with('{'));
        let says_how = told.is_some_and(|told| told.as_str().contains("\"status\""));
        if let (Some(_), false) = (&step.error, says_how) {
            self.error(place, step);
        }
        let metadata = match told.filter(|_| says_how) {
            Some(told) => told.clone(),
            None if step.error.is_some() => Json::from_text(r#"{"status":"failed"}"#),
            None => Json::from_text(r#"{"status":"completed"}"#),
        };
        self.streams[place.stream].end_turn(metadata, false, &mut self.out);
    }

    fn error(&mut self, place: &Place, step: &Step) {
        let told = step.result.as_ref().and_then(|result| result.parse::<ErrorData<'static>>().ok());
        let message = step.error.clone().unwrap_or_else(|| step.name.clone());
        let data = ErrorData {
            turn_id: None,
            agent_id: place.owner.agent.clone().map(Cow::Owned),
            ..told.unwrap_or(ErrorData { message, ..ErrorData::default() })
        };
        self.streams[place.stream].send(false, EventData::Error(data), &mut self.out);
    }

    fn whole_item(&mut self, place: &Place, step: &Step, content: Vec<ContentPart<'static>>) {
        let item = UniversalItem {
            kind: match step.kind.as_str() {
                "system" => ItemKind::System,
                "status" => ItemKind::Status,
                _ => ItemKind::Unknown,
            },
            status: if step.error.is_some() { ItemStatus::Failed } else { ItemStatus::Completed },
            role: (step.kind == "system").then_some(ItemRole::System),
            content,
            ..UniversalItem::default()
        };
        self.streams[place.stream].item(item, &place.owner, false, &mut self.out);
    }

    /// A step that is no agent's: what a person would want to know of it.
    fn notice(&mut self, place: &Place, event: &Event, step: &Step, what: &str) {
        let name = if step.name.is_empty() { Text::from(event.path.clone()) } else { step.name.clone() };
        let mut detail = format!("{} {name} {what}", step.kind).into_bytes();
        if let Some(error) = &step.error {
            detail.extend_from_slice(b": ");
            error.append_to(&mut detail);
        }
        let detail = Some(Text::from_wtf8(detail));
        let status = StatusPart { label: StatusLabel::Notice, detail, ..StatusPart::default() };
        let result = step.result.clone().map(|json| ContentPart::Json(JsonPart { json, ..JsonPart::default() }));
        let content = std::iter::once(ContentPart::Status(status)).chain(result).collect();
        let step = Step { kind: "status".into(), ..step.clone() };
        self.whole_item(place, &step, content);
    }

    /// An event or a block of a later version: an item that carries its JSON.
    fn unknown(&mut self, event: &Event, line: &str) {
        let word = match &event.r#type {
            EventType::Unknown(word) => format!("event {word}"),
            _ => format!("block {}", event.unknown_block().unwrap_or_default()),
        };
        *self.counts.unknown.entry(word).or_default() += 1;
        let place = self.place(event, line);
        if !self.streams[place.stream].ended {
            self.unknown_item(&place, line);
        }
    }

    fn unknown_item(&mut self, place: &Place, line: &str) {
        let json = Json::from_text(line.trim().to_owned());
        let step = Step { kind: "unknown".into(), ..Step::default() };
        self.whole_item(place, &step, vec![ContentPart::Json(JsonPart { json, ..JsonPart::default() })]);
    }

    fn unparsed(&mut self, file: &str, number: u64, line: &str, error: &str) {
        self.counts.unparsed += 1;
        let stream = match self.streams.len() {
            0 => self.session("transcript").stream,
            count => count - 1,
        };
        let data = UnparsedData {
            error: Cow::Owned(error.to_owned()),
            location: Cow::Owned(format!("exchange {file} line {number}")),
            raw_hash: Some(Cow::Owned(interlinear_core::hash::hex(interlinear_core::hash::of(line.as_bytes())))),
            ..UnparsedData::default()
        };
        let cause = self.include_raw.then(|| Json::of(line).as_str().to_owned());
        self.streams[stream].at(None, cause.as_deref());
        self.streams[stream].send(true, EventData::Unparsed(data), &mut self.out);
    }
}

/// The lines of a file; blank ones are none.
fn entries(bytes: &[u8]) -> Vec<Entry> {
    let lines = bytes.split(|byte| *byte == b'\n').zip(1..);
    lines
        .filter(|(line, _)| !line.trim_ascii().is_empty())
        .map(|(line, number)| Entry::new(number, String::from_utf8_lossy(line.trim_ascii()).into_owned()))
        .collect()
}

/// What became of a permission, where the step says so.
fn permission(step: &Step) -> Option<PermissionData<'static>> {
    let told = step.result.as_ref().and_then(|result| result.parse().ok());
    let action = Cow::Owned(step.name.to_str_lossy().into_owned());
    let rejected = PermissionData { action, status: PermissionStatus::Reject, ..PermissionData::default() };
    told.or_else(|| step.error.is_some().then_some(rejected))
}

/// What became of a question, where the step says so.
fn question(step: &Step) -> Option<QuestionData<'static>> {
    let told = step.result.as_ref().and_then(|result| result.parse().ok());
    let prompt = step.name.clone();
    let rejected = QuestionData { prompt, status: QuestionStatus::Rejected, ..QuestionData::default() };
    told.or_else(|| step.error.is_some().then_some(rejected))
}

/// A request's identifier stands at the end of its path; one that is taken or missing is made up.
fn request_id(stream: &Stream, event: &Event) -> String {
    let id = event.path.strip_prefix("turn.").unwrap_or(&event.path);
    if id.is_empty() || stream.asked(id) { format!("req_{}", event.seq) } else { id.to_owned() }
}

/// The content of an item, where a step's result is one.
fn parts(step: &Step) -> Option<Vec<ContentPart<'static>>> {
    let parts: Vec<ContentPart<'static>> = step.result.as_ref()?.parse().ok()?;
    let fits = |part: &ContentPart<'static>| match part {
        ContentPart::Text(_) | ContentPart::Json(_) | ContentPart::FileRef(_) | ContentPart::Image(_) => true,
        ContentPart::Status(_) => step.kind == "status",
        _ => false,
    };
    let has_status = parts.iter().any(|part| matches!(part, ContentPart::Status(_)));
    (parts.iter().all(fits) && (step.kind != "status" || has_status)).then_some(parts)
}

fn content(block: &Block) -> Option<ContentPart<'static>> {
    let text = |text: &Text<'static>| ContentPart::Text(TextPart { text: text.clone(), ..TextPart::default() });
    match &block.body {
        BlockBody::Text(body) | BlockBody::Command(body) | BlockBody::Stream(body) => Some(text(body)),
        BlockBody::Thinking(body) => Some(ContentPart::Reasoning(ReasoningPart {
            text: body.clone(),
            visibility: Visibility::Public,
            ..ReasoningPart::default()
        })),
        BlockBody::ToolUse { .. } | BlockBody::ToolResult { .. } | BlockBody::Unknown { .. } => None,
    }
}

/// What a person reads: a string as it is, anything else as JSON.
fn readable(json: &Json<'static>) -> Text<'static> {
    match json.parse::<Text<'static>>() {
        Ok(text) => text,
        Err(_) if json.is_null() => Text::default(),
        Err(_) => Text::from(json.as_str().to_owned()),
    }
}

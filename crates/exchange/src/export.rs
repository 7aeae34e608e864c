//! Universal events → exchange events.

use std::collections::BTreeMap;

use interlinear_schema::{
    ContentPart, EndReason, EventData, ItemKind, ItemRole, ItemStatus, Json, PermissionStatus, QuestionStatus,
    SessionEndedData, Text, ToolKind, TurnData, TurnMetadata, TurnStatus, UniversalEvent, UniversalItem,
};

use crate::event::{Block, BlockBody, Event, EventType, Fidelity, Message, Payload, Role, Step, Tool};

/// How lines are numbered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Layout {
    /// All runs go into one file: one series of numbers.
    #[default]
    OneFile,
    /// Each run has a file of its own: one series a run.
    FilePerRun,
}

/// A line that was written.
#[derive(Debug, Clone, Copy)]
pub struct Line<'l> {
    /// The run whose file it belongs to.
    pub run_id: &'l str,
    /// The line, its end included.
    pub bytes: &'l [u8],
}

/// Turns universal events, of one session or several, into exchange events.
#[derive(Debug, Default)]
pub struct Exporter {
    layout: Layout,
    seq: u64,
    sessions: BTreeMap<String, Session>,
    buffer: Vec<u8>,
}

/// What is remembered of a session: its runs, and what is open.
#[derive(Debug)]
struct Session {
    id: String,
    /// What its runs are named after.
    seed: String,
    main: Run,
    /// The open runs of its subagents.
    children: BTreeMap<String, Run>,
    /// The calls that are open, or that started a subagent.
    calls: BTreeMap<String, Call>,
    runs: u32,
    turns: i64,
    in_turn: bool,
}

/// What is remembered of a call.
#[derive(Debug, Clone, Default)]
struct Call {
    name: String,
    /// The subagent that made it.
    by: Option<String>,
    starts_subagent: bool,
    /// How many runs it started: a subagent that goes on when its call is over is another one.
    runs: u32,
}

#[derive(Debug)]
struct Run {
    id: String,
    parent: Option<String>,
    seq: u64,
    /// Which of the session's runs it is.
    nth: u32,
}

/// An event without its number.
struct Draft {
    /// The subagent whose run it belongs to.
    agent: Option<String>,
    child: Option<String>,
    r#type: EventType,
    /// The step below the turn.
    step: Option<String>,
    payload: Payload,
}

impl Exporter {
    /// Has seen nothing yet.
    pub fn new(layout: Layout) -> Self {
        Self { layout, ..Self::default() }
    }

    /// The next event; gives the lines that it becomes, if any.
    pub fn event(&mut self, event: &UniversalEvent<'_>, mut write: impl FnMut(Line<'_>)) {
        let id = event.session_id.as_ref();
        let mut session = self.sessions.remove(id).unwrap_or_else(|| Session::new(event));
        let mut drafts = Vec::new();
        session.map(event, &mut drafts);
        for draft in drafts {
            self.put(&mut session, draft, &event.time, &mut write);
        }
        match event.data {
            EventData::SessionEnded(_) => {}
            EventData::TurnEnded(_) => {
                session.in_turn = false;
                self.sessions.insert(id.to_owned(), session);
            }
            _ => {
                self.sessions.insert(id.to_owned(), session);
            }
        }
    }

    fn put(&mut self, session: &mut Session, draft: Draft, time: &str, write: &mut impl FnMut(Line<'_>)) {
        let whole_run = matches!(draft.r#type, EventType::RunStarted | EventType::RunCompleted);
        let in_turn = session.in_turn && draft.agent.is_none() && !whole_run;
        let iteration = if in_turn { session.turns - 1 } else { 0 };
        let path =
            [in_turn.then_some("turn"), draft.step.as_deref()].into_iter().flatten().collect::<Vec<_>>().join(".");
        let run = match draft.agent.as_ref().and_then(|agent| session.children.get_mut(agent)) {
            Some(run) => run,
            None => &mut session.main,
        };
        let seq = match self.layout {
            Layout::OneFile => &mut self.seq,
            Layout::FilePerRun => &mut run.seq,
        };
        let event = Event {
            seq: *seq + 1,
            run_id: run.id.clone(),
            parent_run_id: run.parent.clone(),
            child_run_id: draft.child,
            r#type: draft.r#type,
            path,
            iteration,
            timestamp: time.to_owned(),
            payload: draft.payload,
        };
        self.buffer.clear();
        // Only an event whose time is none can be refused: it takes no number then.
        if event.write(&mut self.buffer).is_ok() {
            *seq += 1;
            write(Line { run_id: &run.id, bytes: &self.buffer });
        }
        if let (EventType::RunCompleted, Some(agent)) = (event.r#type, draft.agent) {
            session.children.remove(&agent);
        }
    }
}

impl Session {
    fn new(first: &UniversalEvent<'_>) -> Self {
        let id = first.session_id.as_ref();
        let seed = match first.data {
            // Transcripts that are read one by one are often called the same.
            EventData::SessionStarted(_) if !crate::write::is_uuid(id) => {
                [id, first.native_session_id.as_deref().unwrap_or_default(), &first.time].join("\0")
            }
            _ => id.to_owned(),
        };
        let main = Run { id: run_id(&seed, ""), parent: None, seq: 0, nth: 0 };
        let (children, calls) = (BTreeMap::new(), BTreeMap::new());
        Self { id: id.to_owned(), seed, main, children, calls, runs: 0, turns: 0, in_turn: false }
    }

    fn map(&mut self, event: &UniversalEvent<'_>, drafts: &mut Vec<Draft>) {
        let fidelity = if event.synthetic { Fidelity::Router } else { Fidelity::AgentEmitted };
        match &event.data {
            EventData::SessionStarted(_) => drafts.push(self.run(EventType::RunStarted, None)),
            EventData::SessionEnded(data) => self.end(data, drafts),
            EventData::TurnStarted(_) => {
                self.turns += 1;
                self.in_turn = true;
                drafts.push(Draft::main(EventType::StepStarted, step("turn", "agent")));
            }
            EventData::TurnEnded(data) => drafts.push(turn_ended(data)),
            // What began is told when it is complete: the transcript has no deltas.
            EventData::ItemStarted(_) | EventData::ItemDelta(_) => {}
            EventData::ItemCompleted(data) => self.item(&data.item, fidelity, drafts),
            EventData::PermissionRequested(data) => {
                let agent = data.agent_id.as_deref();
                self.open_step(agent, &data.permission_id, text(&data.action), "permission", drafts);
            }
            EventData::PermissionResolved(data) => {
                let refused = data.status == PermissionStatus::Reject;
                let mut step = step(&data.action, "permission");
                step.error = refused.then(|| Text::from("rejected"));
                step.result = Some(Json::of(data));
                drafts.push(Draft::step(data.agent_id.as_deref(), &data.permission_id, step));
            }
            EventData::QuestionRequested(data) => {
                let prompt = Text::from_wtf8(data.prompt.as_wtf8().into_owned());
                self.open_step(data.agent_id.as_deref(), &data.question_id, prompt, "question", drafts);
            }
            EventData::QuestionResolved(data) => {
                let name = Text::from_wtf8(data.prompt.as_wtf8().into_owned());
                let error = (data.status == QuestionStatus::Rejected).then(|| Text::from("rejected"));
                let step = Step { name, kind: "question".into(), error, result: Some(Json::of(data)) };
                drafts.push(Draft::step(data.agent_id.as_deref(), &data.question_id, step));
            }
            EventData::Error(data) => {
                let mut step = step(data.code.as_deref().unwrap_or("error"), "error");
                step.error = Some(owned(&data.message));
                step.result = Some(Json::of(data));
                self.pair(data.agent_id.as_deref(), "error", step, drafts);
            }
            EventData::Unparsed(data) => {
                let mut step = step("agent.unparsed", "unparsed");
                step.error = Some(text(&data.error));
                step.result = Some(Json::of(data));
                self.pair(None, "unparsed", step, drafts);
            }
            EventData::Unknown { r#type, data } => {
                let mut step = step(r#type, "unknown");
                step.result = Some(Json::from_text(data.as_str().to_owned()));
                self.pair(None, "unknown", step, drafts);
            }
        }
    }

    fn run(&self, r#type: EventType, error: Option<Text<'static>>) -> Draft {
        let payload = Step { name: text(&self.id), kind: "agent".into(), error, result: None };
        Draft::main(r#type, payload)
    }

    fn end(&mut self, data: &SessionEndedData<'_>, drafts: &mut Vec<Draft>) {
        // Those that were called last first: a run ends before the one that called it.
        let mut open: Vec<_> = self.children.iter().map(|(agent, run)| (run.nth, agent.clone())).collect();
        open.sort_by(|one, other| other.cmp(one));
        for (_, agent) in open {
            self.end_child(&agent, None, drafts);
        }
        let error = match data.reason {
            EndReason::Completed => None,
            _ => Some(data.message.as_ref().map_or_else(|| text(data.reason.as_str()), owned)),
        };
        let mut draft = self.run(EventType::RunCompleted, error);
        if let Payload::Step(step) = &mut draft.payload {
            step.result = Some(Json::of(data));
        }
        drafts.push(draft);
    }

    fn item(&mut self, item: &UniversalItem<'_>, fidelity: Fidelity, drafts: &mut Vec<Draft>) {
        let agent = item.agent_id.as_deref();
        if let Some(agent) = agent {
            self.begin_child(agent, drafts);
        }
        match (&item.kind, &item.role) {
            (ItemKind::Message, Some(role)) => drafts.extend(message(item, role, fidelity)),
            (ItemKind::ToolCall, _) => self.call(item, fidelity, drafts),
            (ItemKind::ToolResult, _) => self.result(item, fidelity, drafts),
            (kind, _) => {
                let name = item.content.iter().find_map(|part| match part {
                    ContentPart::Status(part) => Some(part.label.as_str()),
                    _ => None,
                });
                let mut step = step(name.unwrap_or(kind.as_str()), kind.as_str());
                step.error = (item.status == ItemStatus::Failed).then(|| Text::from("failed"));
                step.result = Some(Json::of(&item.content));
                self.pair(agent, kind.as_str(), step, drafts);
            }
        }
    }

    fn call(&mut self, item: &UniversalItem<'_>, fidelity: Fidelity, drafts: &mut Vec<Draft>) {
        let agent = item.agent_id.as_deref().map(str::to_owned);
        for part in &item.content {
            let ContentPart::ToolCall(part) = part else { continue };
            let starts_subagent = part.agent.is_some() || part.tool_kind == Some(ToolKind::Task);
            let call = Call { name: part.name.to_string(), by: agent.clone(), starts_subagent, runs: 0 };
            self.calls.insert(part.call_id.to_string(), call);
            let tool = Tool {
                name: part.name.to_string(),
                call_id: part.call_id.to_string(),
                input: json_or_text(&part.arguments),
                output: Json::null(),
                error: None,
                fidelity: fidelity.clone(),
            };
            drafts.push(Draft::of(agent.as_deref(), EventType::ToolCall, Payload::Tool(tool)));
        }
    }

    fn result(&mut self, item: &UniversalItem<'_>, fidelity: Fidelity, drafts: &mut Vec<Draft>) {
        for part in &item.content {
            let ContentPart::ToolResult(part) = part else { continue };
            let failed = item.status == ItemStatus::Failed;
            let error = failed.then(|| if part.output.is_empty() { Text::from("failed") } else { owned(&part.output) });
            self.end_child(&part.call_id, error.clone(), drafts);
            let call = self.calls.get(part.call_id.as_ref()).cloned().unwrap_or_default();
            if !call.starts_subagent {
                self.calls.remove(part.call_id.as_ref());
            }
            let tool = Tool {
                name: call.name,
                call_id: part.call_id.to_string(),
                input: Json::null(),
                output: Json::of(&part.output),
                error,
                fidelity: fidelity.clone(),
            };
            drafts.push(Draft::of(item.agent_id.as_deref(), EventType::ToolResult, Payload::Tool(tool)));
        }
    }

    /// A subagent speaks for the first time: its run begins, called by the run that made the call.
    fn begin_child(&mut self, agent: &str, drafts: &mut Vec<Draft>) {
        if self.children.contains_key(agent) {
            return;
        }
        let call = self.calls.entry(agent.to_owned()).or_default();
        call.starts_subagent = true;
        call.runs += 1;
        let Call { name, by, runs, .. } = call.clone();
        let parent = by.as_ref().and_then(|caller| self.children.get(caller)).unwrap_or(&self.main);
        let nth = if runs == 1 { String::new() } else { format!(" {runs}") };
        let id = run_id(&self.seed, &format!("{agent}{nth}"));
        self.runs += 1;
        let run = Run { id, parent: Some(parent.id.clone()), seq: 0, nth: self.runs };
        let call = Draft {
            agent: by,
            child: Some(run.id.clone()),
            r#type: EventType::CallStarted,
            step: Some(agent.to_owned()),
            payload: Payload::Step(step(&name, "call_workflow")),
        };
        drafts.push(call);
        drafts.push(Draft::of(Some(agent), EventType::RunStarted, Payload::Step(step(&name, "agent"))));
        self.children.insert(agent.to_owned(), run);
    }

    /// The call that started a subagent has its result: its run is over.
    fn end_child(&mut self, agent: &str, error: Option<Text<'static>>, drafts: &mut Vec<Draft>) {
        let Some(run) = self.children.get(agent) else { return };
        let Call { name, by, .. } = self.calls.get(agent).cloned().unwrap_or_default();
        let child = Some(run.id.clone());
        let over = Step { error: error.clone(), ..step(&name, "agent") };
        drafts.push(Draft::of(Some(agent), EventType::RunCompleted, Payload::Step(over)));
        let payload = Payload::Step(Step { error, ..step(&name, "call_workflow") });
        drafts.push(Draft {
            agent: by,
            child,
            r#type: EventType::CallCompleted,
            step: Some(agent.to_owned()),
            payload,
        });
    }

    fn open_step(&mut self, agent: Option<&str>, id: &str, name: Text<'static>, kind: &str, drafts: &mut Vec<Draft>) {
        if let Some(agent) = agent {
            self.begin_child(agent, drafts);
        }
        let payload = Payload::Step(Step { name, kind: kind.to_owned(), error: None, result: None });
        drafts.push(Draft { step: Some(id.to_owned()), ..Draft::of(agent, EventType::StepStarted, payload) });
    }

    /// What happens at once: a step that begins and ends.
    fn pair(&mut self, agent: Option<&str>, path: &str, step: Step, drafts: &mut Vec<Draft>) {
        self.open_step(agent, path, step.name.clone(), &step.kind, drafts);
        drafts.push(Draft::step(agent, path, step));
    }
}

impl Draft {
    fn of(agent: Option<&str>, r#type: EventType, payload: Payload) -> Self {
        Self { agent: agent.map(str::to_owned), child: None, r#type, step: None, payload }
    }

    fn main(r#type: EventType, step: Step) -> Self {
        Self::of(None, r#type, Payload::Step(step))
    }

    /// A step is over.
    fn step(agent: Option<&str>, path: &str, step: Step) -> Self {
        Self { step: Some(path.to_owned()), ..Self::of(agent, EventType::StepCompleted, Payload::Step(step)) }
    }
}

fn turn_ended(data: &TurnData<'_>) -> Draft {
    let metadata = data.metadata.as_ref();
    let status = metadata.and_then(|metadata| metadata.parse::<TurnMetadata<'static>>().ok()?.status);
    let error = status.filter(|status| *status != TurnStatus::Completed).map(|status| text(status.as_str()));
    let result = metadata.map(|metadata| Json::from_text(metadata.as_str().to_owned()));
    Draft::main(EventType::StepCompleted, Step { error, result, ..step("turn", "agent") })
}

/// A message; one that says nothing leaves nothing.
fn message(item: &UniversalItem<'_>, role: &ItemRole<'_>, fidelity: Fidelity) -> Option<Draft> {
    let blocks: Vec<_> =
        item.content.iter().filter_map(block).map(|body| Block { fidelity: fidelity.clone(), body }).collect();
    let (r#type, role) = match role {
        ItemRole::Assistant => (EventType::AssistantMessage, Role::Assistant),
        _ => (EventType::UserMessage, Role::User),
    };
    let message = Payload::Message(Message { role, blocks });
    (!message.blocks().is_empty()).then(|| Draft::of(item.agent_id.as_deref(), r#type, message))
}

fn block(part: &ContentPart<'_>) -> Option<BlockBody> {
    Some(match part {
        ContentPart::Text(part) => BlockBody::Text(owned(&part.text)),
        ContentPart::Reasoning(part) if part.text.is_empty() => return None,
        ContentPart::Reasoning(part) => BlockBody::Thinking(owned(&part.text)),
        ContentPart::Image(part) => {
            let path = part.path.to_str_lossy();
            let what = if path.starts_with("data:") { part.mime.as_deref().unwrap_or("data") } else { &path };
            BlockBody::Text(Text::from(format!("[image: {what}]")))
        }
        ContentPart::FileRef(part) => BlockBody::Text(Text::from(format!("[file: {}]", part.path))),
        ContentPart::Json(part) => BlockBody::Text(Text::from(part.json.as_str().to_owned())),
        other => BlockBody::Text(Text::from(Json::of(other).as_str().to_owned())),
    })
}

fn step(name: &str, kind: &str) -> Step {
    Step { name: text(name), kind: kind.to_owned(), error: None, result: None }
}

fn text(text: &str) -> Text<'static> {
    Text::from(text.to_owned())
}

fn owned(text: &Text<'_>) -> Text<'static> {
    interlinear_schema::IntoOwned::into_owned(text.clone())
}

/// Arguments are JSON; what is not is a string, and nothing is `null`.
fn json_or_text(arguments: &Text<'_>) -> Json<'static> {
    if arguments.is_empty() {
        return Json::null();
    }
    let text = arguments.to_str_lossy();
    match serde_json::from_str::<&serde_json::value::RawValue>(&text) {
        Ok(_) => Json::from_text(text.trim().to_owned()),
        Err(_) => Json::of(arguments),
    }
}

/// The identifier of a run: a session's own where it is a UUID, else one that is made of how it began, always the same.
fn run_id(session: &str, agent: &str) -> String {
    if agent.is_empty() && crate::write::is_uuid(session) {
        return session.to_owned();
    }
    let of = [session, "\0", agent].concat();
    let hash = |seed: u64| interlinear_core::hash::more(seed, of.as_bytes());
    let bits = u128::from(hash(0xcbf2_9ce4_8422_2325)) << 64 | u128::from(hash(0x9e37_79b9_7f4a_7c15));
    // Version 4, variant 1, as every reader of UUIDs expects.
    let bits = bits & !(0xf << 76) & !(0x3 << 62) | 0x4 << 76 | 0x2 << 62;
    let hex = format!("{bits:032x}");
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}

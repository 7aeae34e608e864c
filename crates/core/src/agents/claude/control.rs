//! The control protocol: permissions, questions, plans and forms that the agent asks for, and what the host asks.

use std::borrow::Cow;
use std::fmt::Write as _;

use interlinear_schema::{
    Json, PermissionData, PermissionStatus, Question, QuestionData, QuestionKind, QuestionOption, StatusLabel, Text,
    ToolKind,
};

use super::state::{CallInfo, HostRequest, Pending, PendingKind, State};
use super::tools;
use super::wire::{ControlCancel, ControlRequest, ControlResponse, Request, Response};
use crate::emit::Emit;
use crate::hash;
use crate::json::{Tape, Value};
use crate::map::sorted;
use crate::mcp::{chosen_in_form, form_field};
use crate::wire::named;

impl State {
    /// The agent asks the host for something.
    pub(super) fn agent_request(&mut self, line: &ControlRequest<'_>, value: Value<'_>, emit: &mut Emit<'_>) {
        let Some(request) = &line.request else {
            emit.unknown(value.json(), None);
            return;
        };
        let id = line.request_id.unwrap_or_default();
        let subtype = request.subtype.unwrap_or_default();
        emit.kind_of("control_request", subtype);
        if matches!(subtype, "can_use_tool" | "elicitation") && !emit.first_time(hash::of_all(&["request", id])) {
            emit.ignore("repeated");
            return;
        }
        match subtype {
            "can_use_tool" => self.may_use_tool(id, request, emit),
            "elicitation" => self.elicitation(id, request, emit),
            "hook_callback" | "mcp_message" | "oauth_token_refresh" | "host_auth_token_refresh" => {
                self.requests.push(pending(id, String::new(), PendingKind::Hidden));
                emit.ignore("between programs");
            }
            _ => emit.unknown(value.json(), None),
        }
    }

    fn may_use_tool(&mut self, id: &str, request: &Request<'_>, emit: &mut Emit<'_>) {
        let name = request.tool_name.unwrap_or_default();
        // The main agent may go by the name of the session.
        let task = request.agent_id.filter(|task| emit.session().native_id.as_deref() != Some(task));
        let tool_use_id = named(request.tool_use_id).map(|native| self.call_asked_for(native, name, task, emit));
        let tool_use_id = tool_use_id.or_else(|| self.call_that_waits(name, request.input, emit));
        let call = tool_use_id.as_deref().and_then(|id| self.calls.get(id));
        // The call says whose it is; a request may come before it.
        let of_task = || task.map(|task| self.subagent_of(task, emit).unwrap_or(task.to_owned()));
        let agent = call.map_or_else(of_task, |call| call.agent.clone());
        if agent.is_none() {
            emit.begin_turn(None, false);
        }
        let kind = match name {
            "AskUserQuestion" => PendingKind::Question,
            "ExitPlanMode" => PendingKind::Plan,
            _ => PendingKind::Permission,
        };
        // What is asked may stand in the call alone.
        let mut tape = Tape::default();
        let told = request.input.filter(|input| input.members().next().is_some());
        let asked = told.or_else(|| tape.read(&call?.input).ok());
        let mut pending = pending(id, String::new(), kind);
        pending.tool_use_id.clone_from(&tool_use_id);
        pending.input =
            asked.filter(|_| kind == PendingKind::Question).or(request.input).map_or("{}", Value::raw).to_owned();
        let suggestions = request.permission_suggestions.filter(|_| request.once != Some(true));
        pending.suggestions = suggestions.map_or("[]", Value::raw).to_owned();
        if kind == PendingKind::Permission {
            pending.event_id = format!("perm_{id}");
            emit.ask_permission(permission(&pending.event_id, name, request, tool_use_id.as_deref(), agent.as_deref()));
        } else {
            // The call and its result carry the same question in every form of the session.
            pending.event_id = question_id(tool_use_id.as_deref().unwrap_or(id), emit);
            pending.questions = question_texts(asked);
            let data = question(&pending.event_id, name, asked, tool_use_id.as_deref(), agent.as_deref());
            emit.ask_question(data);
        }
        self.requests.push(pending);
    }

    /// The call that started the subagent of a task. Some versions do not tell of tasks: there it is the only one that
    /// is at work, if there is one only.
    fn subagent_of(&self, task: &str, emit: &Emit<'_>) -> Option<String> {
        let mut starts = self.calls_of(|name| tools::kind(name) == ToolKind::Task, emit).map(|(id, _)| id);
        let only = starts.next().filter(|_| self.tasks.is_empty() && starts.next().is_none());
        self.tasks.get(task).cloned().or_else(|| only.map(str::to_owned))
    }

    /// The call that is asked for, by the agent's identifier. It may be about to begin.
    fn call_asked_for(&mut self, native: &str, name: &str, task: Option<&str>, emit: &Emit<'_>) -> String {
        let agent = task.and_then(|task| self.tasks.get(task)).map(String::as_str);
        let waits = if agent.is_none() { self.call_ids.waiting(native, emit) } else { None };
        let starts = tools::kind(name) == ToolKind::Task;
        waits.unwrap_or_else(|| self.call_ids.begins(native, agent, starts, emit)).into_owned()
    }

    /// Older versions do not say which call they ask for: of those of that tool that have no result, the one with this
    /// input, else the first.
    fn call_that_waits(&self, name: &str, input: Option<Value<'_>>, emit: &Emit<'_>) -> Option<String> {
        let is_asked = |id: &str| emit.find_request(|_, call| call == Some(id)).is_some();
        let mut calls = self.calls_of(|called| called == name, emit).filter(|(id, _)| !is_asked(id)).peekable();
        let first = calls.peek().map(|(id, _)| *id);
        let hash = hash::roughly(input.map(Value::raw).unwrap_or_default().as_bytes());
        let same = calls.find(|(_, call)| call.input_hash == hash).map(|(id, _)| id);
        same.or(first).map(str::to_owned)
    }

    /// The calls of some tools that wait for their results, in their order.
    pub(super) fn calls_of<'s>(
        &'s self,
        tool: impl Fn(&str) -> bool + 's,
        emit: &'s Emit<'_>,
    ) -> impl Iterator<Item = (&'s str, &'s CallInfo)> {
        let calls = emit.waiting_calls().filter_map(|id| Some((id, self.calls.get(id)?)));
        calls.filter(move |(_, call)| tool(&call.name))
    }

    /// A server of the Model Context Protocol asks the user to fill in a form.
    fn elicitation(&mut self, id: &str, request: &Request<'_>, emit: &mut Emit<'_>) {
        emit.begin_turn(None, false);
        let event_id = format!("que_{id}");
        let fields = request.requested_schema.and_then(|schema| schema.get("properties"));
        let fields: Vec<_> = fields.into_iter().flat_map(Value::members).collect();
        let questions: Vec<_> = fields.iter().map(|(name, field)| form_field(name, *field)).collect();
        let mut pending = pending(id, event_id.clone(), PendingKind::Form);
        pending.questions = fields.iter().map(|(name, _)| (*name).to_owned()).collect();
        pending.input = request.requested_schema.map_or("{}", Value::raw).to_owned();
        self.requests.push(pending);
        let first = questions.first().map(|question| &question.options);
        let options = first.map(|options| options.iter().map(|option| option.label.borrow()).collect());
        let message = request.message.and_then(Value::text).unwrap_or_default();
        let url = request.url.and_then(Value::str);
        emit.ask_question(QuestionData {
            question_id: Cow::Borrowed(&event_id),
            prompt: url.map_or_else(|| message.borrow(), |url| Text::from(format!("{message}\n{url}"))),
            options: options.unwrap_or_default(),
            kind: Some(QuestionKind::Form),
            questions: Some(questions.clone()),
            ..QuestionData::default()
        });
    }

    /// The host answers a request of the agent.
    pub(super) fn host_response(&mut self, line: &ControlResponse<'_>, emit: &mut Emit<'_>) {
        match &line.response {
            Some(response) => self.answered(response, true, emit),
            None => emit.ignore("no response"),
        }
    }

    /// The agent answers a request of the host, or echoes the host's own answer.
    pub(super) fn agent_response(&mut self, line: &ControlResponse<'_>, emit: &mut Emit<'_>) {
        let Some(response) = &line.response else {
            emit.ignore("no response");
            return;
        };
        let id = response.request_id.unwrap_or_default();
        let Some(request) = self.host_requests.remove(id) else {
            return self.answered(response, false, emit);
        };
        if response.subtype == Some("error") {
            self.turn.interrupted &= !matches!(request, HostRequest::Interrupt);
            emit.status(StatusLabel::Notice, response.error.clone(), None);
            return;
        }
        match request {
            HostRequest::CancelPrompt(Some(item)) => {
                let cancelled = response.response.and_then(|response| response.get("cancelled")).and_then(Value::bool);
                if cancelled != Some(false) {
                    let part = interlinear_schema::StatusPart {
                        label: StatusLabel::Retracted,
                        retracts: Some(vec![Cow::Owned(item)]),
                        ..interlinear_schema::StatusPart::default()
                    };
                    emit.status_with(part, None, None, false);
                    return;
                }
                emit.ignore("answer to the host");
            }
            _ => emit.ignore("answer to the host"),
        }
    }

    /// A permission, question, plan or form is answered; `told` by the host, or as the agent echoes it.
    fn answered(&mut self, response: &Response<'_>, told: bool, emit: &mut Emit<'_>) {
        let id = response.request_id.unwrap_or_default();
        let Some(index) = self.requests.iter().position(|request| request.request_id == id) else {
            emit.ignore(if told { "answer to nothing" } else { "echo" });
            return;
        };
        let pending = self.requests.remove(index);
        if pending.kind == PendingKind::Hidden {
            emit.ignore("between programs");
            return;
        }
        let (status, answers) = reply(&pending, response);
        emit.resolve(&pending.event_id, status, answers, told);
    }

    /// The agent withdraws a request.
    pub(super) fn cancelled(&mut self, line: &ControlCancel<'_>, emit: &mut Emit<'_>) {
        let id = line.request_id.unwrap_or_default();
        match self.requests.iter().position(|request| request.request_id == id) {
            Some(index) => {
                let pending = self.requests.remove(index);
                if pending.kind == PendingKind::Hidden {
                    emit.ignore("between programs");
                } else {
                    emit.resolve(&pending.event_id, PermissionStatus::Reject, None, false);
                }
            }
            None => emit.ignore("answered before"),
        }
    }

    /// The host asks the agent for something.
    pub(super) fn host_request(&mut self, line: &ControlRequest<'_>, emit: &mut Emit<'_>) {
        let subtype = line.request.as_ref().and_then(|request| request.subtype).unwrap_or_default();
        emit.kind_of("control_request", subtype);
        emit.ignore("request of the host");
        let request = match subtype {
            "interrupt" => {
                self.turn.interrupted = emit.session().turn_id().is_some();
                HostRequest::Interrupt
            }
            "cancel_async_message" => {
                let uuid = line.request.as_ref().and_then(|request| request.message_uuid);
                let index = self.prompts.iter().position(|prompt| prompt.uuid.as_deref() == uuid && uuid.is_some());
                HostRequest::CancelPrompt(index.map(|index| self.prompts.remove(index).item_id))
            }
            other => HostRequest::Other(other.to_owned()),
        };
        if let Some(id) = line.request_id {
            self.host_requests.insert(id.to_owned(), request);
        }
    }

    /// The result of a call tells what became of a request about it that was not answered before.
    pub(super) fn settle(
        &mut self,
        id: &str,
        call: &CallInfo,
        structured: Option<Value<'_>>,
        ran: Option<bool>,
        output: &str,
        emit: &mut Emit<'_>,
    ) {
        self.requests.retain(|request| request.tool_use_id.as_deref() != Some(id));
        let asks = matches!(call.name.as_str(), "AskUserQuestion" | "ExitPlanMode");
        let mut tape = Tape::default();
        let input = if asks { tape.read(&call.input).ok() } else { None };
        // A stored session has no control protocol: there the call and its result are the question. A call that the
        // agent itself refused was never shown to anybody.
        if asks && self.stored && !output.starts_with("<tool_use_error>") {
            let event_id = question_id(id, emit);
            // What was asked may stand in the result alone.
            let says = |value: &Value<'_>| value.get("plan").or_else(|| value.get("questions")).is_some();
            let asked = input.filter(says).or(structured.filter(says)).or(input);
            emit.ask_question(question(&event_id, &call.name, asked, Some(id), call.agent.as_deref()));
        }
        let asked = |emit: &Emit<'_>| emit.find_request(|_, about| about == Some(id));
        if asked(emit).is_none() {
            return;
        }
        // Of a failure that tells nothing, the end of the turn says whether it was a refusal.
        if ran.is_none() && !self.told && !self.stored {
            self.turn.undecided.insert(id.to_owned(), asks);
            return;
        }
        let ran = ran == Some(true);
        let status = if ran { PermissionStatus::Accept } else { PermissionStatus::Reject };
        let answers = structured.and_then(|result| result.get("answers")).filter(|_| asks && ran);
        let answers = answers.map(|answers| answers_in_order(input.or(structured), answers));
        let approved = (ran && call.name == "ExitPlanMode").then(approved);
        let answers = answers.or(approved);
        // A call may be asked for more than once.
        while let Some(event) = asked(emit) {
            emit.resolve(&event, status.clone(), answers.clone(), !asks);
        }
    }

    /// The end of the turn names the calls that were refused.
    pub(super) fn settle_undecided(&mut self, denials: Option<Value<'_>>, emit: &mut Emit<'_>) {
        for (id, asks) in std::mem::take(&mut self.turn.undecided) {
            let names = |native: &str| self.call_ids.names(native, &id);
            let is_it = |denial: Value<'_>| denial.get("tool_use_id").and_then(Value::str).is_some_and(names);
            let denied = denials.is_none_or(|denials| denials.elements().any(is_it));
            let status = if denied { PermissionStatus::Reject } else { PermissionStatus::Accept };
            while let Some(event) = emit.find_request(|_, about| about == Some(&id)) {
                emit.resolve(&event, status.clone(), None, !asks);
            }
        }
    }
}

fn pending(request_id: &str, event_id: String, kind: PendingKind) -> Pending {
    Pending {
        request_id: request_id.to_owned(),
        event_id,
        kind,
        input: String::new(),
        suggestions: String::new(),
        questions: Vec::new(),
        tool_use_id: None,
    }
}

/// The identifier of a question about a call. A call that asks again gets another one.
fn question_id(about: &str, emit: &mut Emit<'_>) -> String {
    emit.fresh_request_id(&format!("que_{about}"))
}

fn permission<'a>(
    id: &'a str,
    name: &'a str,
    request: &Request<'a>,
    tool_use_id: Option<&'a str>,
    agent: Option<&'a str>,
) -> PermissionData<'a> {
    let title = tools::call_part(id, name, request.input).title;
    let mut options = vec![PermissionStatus::Accept, PermissionStatus::Reject];
    let suggestions = request.permission_suggestions.filter(|_| request.once != Some(true));
    if suggestions.is_some_and(|suggestions| suggestions.elements().next().is_some()) {
        options.insert(1, PermissionStatus::AcceptForSession);
    }
    let more = [
        ("input", request.input),
        ("suggestions", request.permission_suggestions),
        ("description", request.description),
        ("reason", request.decision_reason),
        ("blocked_path", request.blocked_path),
        ("display_name", request.display_name),
    ];
    let mut metadata = String::new();
    for (key, value) in more {
        let Some(value) = value else { continue };
        metadata.push(if metadata.is_empty() { '{' } else { ',' });
        let _ = write!(metadata, "\"{key}\":{}", value.raw());
    }
    if !metadata.is_empty() {
        metadata.push('}');
    }
    PermissionData {
        permission_id: Cow::Borrowed(id),
        action: Cow::Borrowed(name),
        status: PermissionStatus::Requested,
        tool_call_id: tool_use_id.map(Cow::Borrowed),
        title,
        options: Some(options),
        agent_id: agent.map(Cow::Borrowed),
        metadata: Some(metadata).filter(|metadata| !metadata.is_empty()).map(Json::from_text),
        ..PermissionData::default()
    }
}

/// `AskUserQuestion` and `ExitPlanMode`.
fn question<'a>(
    id: &'a str,
    name: &str,
    input: Option<Value<'a>>,
    tool_use_id: Option<&'a str>,
    agent: Option<&'a str>,
) -> QuestionData<'a> {
    let mut data = QuestionData {
        question_id: Cow::Borrowed(id),
        tool_call_id: tool_use_id.map(Cow::Borrowed),
        agent_id: agent.map(Cow::Borrowed),
        ..QuestionData::default()
    };
    if name == "ExitPlanMode" {
        data.kind = Some(QuestionKind::Plan);
        data.prompt = input.and_then(|input| input.get("plan")).and_then(Value::text).unwrap_or_default();
        data.options = vec![Text::from("approve"), Text::from("reject")];
        return data;
    }
    data.kind = Some(QuestionKind::Question);
    let questions: Vec<_> = questions(input).map(one_question).collect();
    if let Some(first) = questions.first() {
        data.prompt = first.text.clone();
        data.options = first.options.iter().map(|option| option.label.clone()).collect();
    }
    data.questions = Some(questions);
    data
}

fn questions(input: Option<Value<'_>>) -> impl Iterator<Item = Value<'_>> {
    input.and_then(|input| input.get("questions")).into_iter().flat_map(Value::elements)
}

fn question_texts(input: Option<Value<'_>>) -> Vec<String> {
    let text = |question: Value<'_>| question.get("question").and_then(Value::str).unwrap_or_default().to_owned();
    questions(input).map(text).collect()
}

fn one_question(value: Value<'_>) -> Question<'_> {
    fn text<'a>(value: Value<'a>, key: &str) -> Option<Text<'a>> {
        value.get(key).and_then(Value::text)
    }
    let option = |value| QuestionOption {
        label: text(value, "label").unwrap_or_default(),
        description: text(value, "description"),
        ..QuestionOption::default()
    };
    // Every question takes an answer of one's own.
    Question {
        text: text(value, "question").unwrap_or_default(),
        options: value.get("options").into_iter().flat_map(Value::elements).map(option).collect(),
        header: text(value, "header"),
        multi_select: value.get("multiSelect").and_then(Value::bool),
        free_text: Some(true),
        ..Question::default()
    }
}

/// The answer by which a plan is approved.
fn approved() -> Vec<Vec<Text<'static>>> {
    vec![vec![Text::from("approve")]]
}

/// What an answer of the host means.
fn reply<'a>(pending: &Pending, response: &Response<'a>) -> (PermissionStatus<'static>, Option<Vec<Vec<Text<'a>>>>) {
    let body = response.response;
    let field = |key: &str| body.and_then(|body| body.get(key));
    let word = |key: &str| field(key).and_then(Value::str).unwrap_or_default();
    if response.subtype == Some("error") {
        return (PermissionStatus::Reject, None);
    }
    if pending.kind == PendingKind::Form {
        if word("action") != "accept" {
            return (PermissionStatus::Reject, None);
        }
        let content = field("content");
        let value = |name: &String| chosen_in_form(content.and_then(|content| content.get(name)));
        return (PermissionStatus::Accept, Some(pending.questions.iter().map(value).collect()));
    }
    if word("behavior") != "allow" {
        return (PermissionStatus::Reject, None);
    }
    if pending.kind == PendingKind::Permission {
        let lasting = field("updatedPermissions").is_some_and(|list| list.elements().next().is_some());
        return (if lasting { PermissionStatus::AcceptForSession } else { PermissionStatus::Accept }, None);
    }
    if pending.kind == PendingKind::Plan {
        return (PermissionStatus::Accept, Some(approved()));
    }
    let mut tape = Tape::default();
    let input = tape.read(&pending.input).ok();
    let none = || pending.questions.iter().map(|_| Vec::new()).collect();
    let answers = field("updatedInput").and_then(|input| input.get("answers"));
    (PermissionStatus::Accept, Some(answers.map_or_else(none, |given| answers_in_order(input, given))))
}

/// The answers in the order of the questions. Where several may be chosen, the agent joins them with commas.
fn answers_in_order<'a>(input: Option<Value<'_>>, answers: Value<'a>) -> Vec<Vec<Text<'a>>> {
    let answer = |question: Value<'_>| {
        let answer = answers.get(question.get("question")?.str()?)?;
        if answer.is_array() {
            return Some(answer.elements().filter_map(Value::text).collect());
        }
        let several = question.get("multiSelect").and_then(Value::bool) == Some(true);
        Some(if several { chosen(answer.str()?, question) } else { vec![answer.text()?] })
    };
    questions(input).map(|question| answer(question).unwrap_or_default()).collect()
}

/// Takes a joined answer apart by the labels that were offered; what is no label is free text and stays whole.
fn chosen(answer: &str, question: Value<'_>) -> Vec<Text<'static>> {
    let labels = question.get("options").into_iter().flat_map(Value::elements);
    let labels = labels.filter_map(|option| option.get("label")?.str()).collect();
    let labels = sorted(labels, |a: &&str, b: &&str| a.len() >= b.len());
    let mut rest = answer;
    let mut found = Vec::new();
    while !rest.is_empty() {
        let next = labels.iter().find_map(|label| {
            let after = rest.strip_prefix(*label)?;
            Some(((*label).to_owned(), if after.is_empty() { after } else { after.strip_prefix(", ")? }))
        });
        let (label, after) = next.unwrap_or_else(|| (rest.to_owned(), ""));
        found.push(Text::from(label));
        rest = after;
    }
    found
}

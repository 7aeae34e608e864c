//! Permissions and questions, in the words of every version.

use std::borrow::Cow;

use interlinear_schema::{
    Json, PermissionData, PermissionStatus, Question as QuestionAsked, QuestionData, QuestionKind, QuestionOption, Text,
};

use super::state::{Pending, Route, State};
use super::wire::{Asked, Permission, Question};
use crate::agents::read;
use crate::emit::Emit;
use crate::hash;
use crate::json::{Tape, Value};
use crate::wire::named;

impl State {
    pub(super) fn permission(&mut self, kind: &str, session: &str, event: &Permission<'_>, emit: &mut Emit<'_>) {
        let Some(id) = named(event.id) else {
            emit.ignore("no request");
            return;
        };
        if kind.ends_with("replied") {
            let reply = event.reply.unwrap_or_default();
            self.resolve(id, permission_status(reply), None, emit);
            return;
        }
        if !self.done.insert(hash::id(id.as_bytes())) {
            emit.ignore("repeated");
            return;
        }
        let call = event.call.or_else(|| event.tool?.get("callID")?.str());
        let call = call.map(|call| self.call_of(session, call));
        let agent = self.agent_of(session);
        let route = match kind {
            "permission.v2.asked" => Route::Api,
            "permission.updated" => Route::Session,
            _ => Route::Request,
        };
        let pending = Pending { session: session.to_owned(), route, ..Pending::default() };
        self.requests.insert(id.to_owned(), pending);
        let metadata = [("patterns", event.patterns), ("always", event.always), ("input", event.metadata)];
        emit.ask_permission(PermissionData {
            permission_id: Cow::Borrowed(id),
            action: Cow::Borrowed(event.action.unwrap_or("unknown")),
            tool_call_id: call.map(Cow::Owned),
            title: title(event),
            options: Some(vec![PermissionStatus::Accept, PermissionStatus::AcceptForSession, PermissionStatus::Reject]),
            agent_id: agent.map(Cow::Owned),
            metadata: object(&metadata),
            ..PermissionData::default()
        });
    }

    pub(super) fn question(&mut self, kind: &str, session: &str, event: &Asked<'_>, emit: &mut Emit<'_>) {
        let Some(id) = named(event.id) else {
            emit.ignore("no request");
            return;
        };
        if kind.ends_with("replied") {
            let answers = event.answers.iter().flatten().map(|answer| words(*answer)).collect();
            self.resolve(id, PermissionStatus::Accept, Some(answers), emit);
            return;
        }
        if kind.ends_with("rejected") {
            self.ends_with_its_call(kind, id);
            self.resolve(id, PermissionStatus::Reject, None, emit);
            return;
        }
        if !self.done.insert(hash::id(id.as_bytes())) {
            emit.ignore("repeated");
            return;
        }
        let call = event.tool.and_then(|tool| tool.get("callID")).and_then(Value::str);
        let call = call.map(|call| self.call_of(session, call));
        let route = if kind == "question.v2.asked" { Route::Api } else { Route::Request };
        self.ask(session, id, call, event, route, emit);
    }

    fn ask(
        &mut self,
        session: &str,
        id: &str,
        call: Option<String>,
        event: &Asked<'_>,
        route: Route,
        emit: &mut Emit<'_>,
    ) {
        let plan = call.as_deref().is_some_and(|call| self.is_plan(call));
        let agent = self.agent_of(session);
        let questions: Vec<_> = event.questions.iter().flatten().map(one_question).collect();
        let pending = Pending { session: session.to_owned(), route, questions: questions.len(), ..Pending::default() };
        self.requests.insert(id.to_owned(), pending);
        let first = questions.first();
        emit.ask_question(QuestionData {
            question_id: Cow::Borrowed(id),
            prompt: first.map(|first| first.text.clone()).unwrap_or_default(),
            options: first.iter().flat_map(|first| first.options.iter().map(|option| option.label.clone())).collect(),
            kind: Some(if plan { QuestionKind::Plan } else { QuestionKind::Question }),
            questions: Some(questions),
            tool_call_id: call.map(Cow::Owned),
            agent_id: agent.map(Cow::Owned),
            ..QuestionData::default()
        });
    }

    /// Of a question, a stored session has only the call of the tool that asks it.
    pub(super) fn stored_question(&mut self, id: &str, input: Option<Value<'_>>, emit: &mut Emit<'_>) {
        let Some(tool) = self.tools.get(id).filter(|tool| tool.name == "question") else { return };
        let (session, call) = (tool.session.clone(), tool.call_id.clone());
        if let Some(asked) = input.and_then(|input| read::<Asked<'_>>(input, emit)) {
            self.ask(&session, &stored_id(&call), Some(call), &asked, Route::Request, emit);
        }
    }

    /// What came of it: the answers stand beside the result, and without them it was dismissed.
    pub(super) fn stored_answer(&mut self, id: &str, answers: Option<Value<'_>>, emit: &mut Emit<'_>) {
        let Some(tool) = self.tools.get(id).filter(|tool| tool.name == "question") else { return };
        let id = stored_id(&tool.call_id);
        match answers {
            Some(answers) => {
                let answers = answers.elements().map(words).collect();
                self.resolve(&id, PermissionStatus::Accept, Some(answers), emit);
            }
            None => self.resolve(&id, PermissionStatus::Reject, None, emit),
        }
    }

    /// The newer dialect says nothing more after a question was dismissed: the end of its call is the turn's.
    fn ends_with_its_call(&mut self, kind: &str, id: &str) {
        let Some(pending) = self.requests.get(id).filter(|_| kind == "question.v2.rejected") else { return };
        let session = pending.session.clone();
        for tool in self.tools.values_mut().filter(|tool| tool.session == session && tool.name == "question") {
            tool.ends_turn = true;
        }
    }

    /// A request is answered.
    pub(super) fn resolve(
        &mut self,
        id: &str,
        status: PermissionStatus<'static>,
        answers: Option<Vec<Vec<Text<'_>>>>,
        emit: &mut Emit<'_>,
    ) {
        let Some(pending) = self.requests.remove(id) else {
            emit.ignore("late");
            return;
        };
        let answers = answers.map(|mut answers| {
            answers.resize(pending.questions, Vec::new());
            answers
        });
        emit.resolve(id, status, answers, false);
    }

    /// The host's answer was accepted. The event says the same: whichever comes first counts.
    pub(super) fn reply_accepted(&mut self, id: &str, emit: &mut Emit<'_>) {
        let Some(pending) = self.requests.get(id) else {
            emit.ignore("told by the stream");
            return;
        };
        let Some(reply) = pending.reply.clone() else {
            emit.ignore("told by the stream");
            return;
        };
        let session = pending.session.clone();
        self.enter(&session, emit);
        let mut tape = Tape::default();
        match tape.read(&reply).ok().filter(|answers| answers.is_array()) {
            Some(answers) => {
                let answers = answers.elements().map(words).collect();
                self.resolve(id, PermissionStatus::Accept, Some(answers), emit);
            }
            None if reply == "reject question" => {
                self.ends_with_its_call("question.v2.rejected", id);
                self.resolve(id, PermissionStatus::Reject, None, emit);
            }
            None => self.resolve(id, permission_status(&reply), None, emit),
        }
    }

    /// The call that the agent means by its own identifier.
    pub(super) fn call_of(&self, session: &str, native: &str) -> String {
        let tool = self.tools.values().find(|tool| tool.session == session && tool.native_id == native);
        tool.map_or_else(|| native.to_owned(), |tool| tool.call_id.clone())
    }

    fn is_plan(&self, call_id: &str) -> bool {
        self.tools.values().any(|tool| tool.call_id == call_id && tool.name.starts_with("plan_"))
    }
}

fn stored_id(call: &str) -> String {
    format!("que_{call}")
}

fn permission_status(reply: &str) -> PermissionStatus<'static> {
    match reply {
        "once" | "allow" | "accept" => PermissionStatus::Accept,
        "always" => PermissionStatus::AcceptForSession,
        _ => PermissionStatus::Reject,
    }
}

/// What a person reads: the command, the file, or the patterns.
fn title<'a>(event: &Permission<'a>) -> Option<Text<'a>> {
    let of = |key: &str| event.metadata.and_then(|metadata| metadata.get(key)).and_then(Value::text);
    let patterns = || {
        let patterns = event.patterns?;
        let list: Vec<_> = patterns.elements().filter_map(Value::str).collect();
        let text = if list.is_empty() { patterns.str()?.to_owned() } else { list.join(", ") };
        Some(Text::from(text))
    };
    event.title.clone().or_else(|| of("command")).or_else(|| of("filepath")).or_else(patterns)
}

/// An object of what there is.
fn object<'a>(members: &[(&str, Option<Value<'a>>)]) -> Option<Json<'a>> {
    let there = members.iter().filter_map(|(key, value)| Some(["\"", key, "\":", (*value)?.raw()].concat()));
    let there: Vec<_> = there.collect();
    (!there.is_empty()).then(|| Json::from_text(["{", &there.join(","), "}"].concat()))
}

fn one_question<'q>(question: &'q Question<'_>) -> QuestionAsked<'q> {
    let option = |choice: &'q super::wire::Choice<'_>| QuestionOption {
        label: choice.label.as_ref().map(Text::borrow).unwrap_or_default(),
        description: choice.description.as_ref().map(Text::borrow),
        ..QuestionOption::default()
    };
    QuestionAsked {
        text: question.question.as_ref().map(Text::borrow).unwrap_or_default(),
        options: question.options.iter().flatten().map(option).collect(),
        header: question.header.as_ref().map(Text::borrow),
        multi_select: question.multiple,
        free_text: Some(question.custom.unwrap_or(true)),
        ..QuestionAsked::default()
    }
}

/// The answers to one question.
fn words(answer: Value<'_>) -> Vec<Text<'_>> {
    answer.text().map_or_else(|| answer.elements().filter_map(Value::text).collect(), |one| vec![one])
}

//! Permissions and questions, and the closing of whatever the agent leaves open.

use std::borrow::Cow;

use interlinear_schema::{
    EventData, IntoOwned as _, ItemStatus, Json, PermissionData, PermissionStatus, QuestionData, QuestionStatus, Text,
};

use super::{Emit, Ref, Session, make_unique};
use crate::hash;
use crate::state::kept;

kept! {
    /// A request that is open.
    #[derive(Debug)]
    pub(crate) enum Request {
        Permission(PermissionData<'static>),
        Question(QuestionData<'static>),
    }
}

impl Default for Request {
    fn default() -> Self {
        Self::Permission(PermissionData::default())
    }
}

impl Request {
    fn id(&self) -> &str {
        match self {
            Self::Permission(data) => &data.permission_id,
            Self::Question(data) => &data.question_id,
        }
    }

    fn agent(&self) -> Option<&str> {
        match self {
            Self::Permission(data) => data.agent_id.as_deref(),
            Self::Question(data) => data.agent_id.as_deref(),
        }
    }

    fn tool_call(&self) -> Option<&str> {
        match self {
            Self::Permission(data) => data.tool_call_id.as_deref(),
            Self::Question(data) => data.tool_call_id.as_deref(),
        }
    }
}

impl Emit<'_> {
    /// The agent asks for permission.
    pub(crate) fn ask_permission(&mut self, mut data: PermissionData<'_>) {
        if !self.first_time(hash::of_all(&[&data.permission_id])) {
            self.ignore("repeated");
            return;
        }
        data.status = PermissionStatus::Requested;
        self.send(false, EventData::PermissionRequested(data.clone()));
        // What the answer repeats: not the input.
        (data.metadata, data.options) = (None, None);
        self.session_mut().requests.push(Request::Permission(data.into_owned()));
    }

    /// The agent asks the user.
    pub(crate) fn ask_question(&mut self, mut data: QuestionData<'_>) {
        if self.session().requests.iter().any(|request| request.id() == data.question_id) {
            self.ignore("repeated");
            return;
        }
        data.status = QuestionStatus::Requested;
        self.send(false, EventData::QuestionRequested(data.clone()));
        self.session_mut().requests.push(Request::Question(data.into_owned()));
    }

    /// Whether this is said for the first time in the session: the hash of all that it is known by.
    pub(crate) fn first_time(&mut self, what: u64) -> bool {
        self.session_mut().begun.insert(what)
    }

    /// An identifier for a request that no other request of the session has.
    pub(crate) fn fresh_request_id(&mut self, base: &str) -> String {
        let mut id = base.to_owned();
        make_unique(&mut id, &mut self.session_mut().begun, |id| hash::of_all(&[id]));
        id
    }

    /// The open request with this identifier, or about this tool call.
    pub(crate) fn find_request(&self, matches: impl Fn(&str, Option<&str>) -> bool) -> Option<String> {
        let found = self.session().requests.iter().find(|request| matches(request.id(), request.tool_call()));
        found.map(|request| request.id().to_owned())
    }

    /// Why a permission is granted or refused: what its answer carries beside.
    pub(crate) fn explain(&mut self, id: &str, metadata: String) {
        let requests = &mut self.session_mut().requests;
        if let Some(Request::Permission(data)) = requests.iter_mut().find(|request| request.id() == id) {
            data.metadata = Some(Json::from_text(metadata));
        }
    }

    fn take_request(&mut self, id: &str) -> Option<Request> {
        let requests = &mut self.session_mut().requests;
        let index = requests.iter().position(|request| request.id() == id)?;
        Some(requests.remove(index))
    }

    /// A request is granted or refused, whichever kind it is. `answers` are those to a question's questions.
    pub(crate) fn resolve(
        &mut self,
        id: &str,
        status: PermissionStatus<'static>,
        answers: Option<Vec<Vec<Text<'_>>>>,
        synthetic: bool,
    ) {
        match self.take_request(id) {
            None => self.ignore("late"),
            Some(Request::Permission(mut data)) => {
                data.status = status;
                self.send(synthetic, EventData::PermissionResolved(data));
            }
            Some(Request::Question(data)) => {
                let mut data: QuestionData<'_> = data;
                let refused = status == PermissionStatus::Reject;
                data.status = if refused { QuestionStatus::Rejected } else { QuestionStatus::Answered };
                if let Some(answers) = answers {
                    data.response = answers.first().and_then(|answers| joined(answers));
                    data.answers = Some(answers);
                }
                self.send(synthetic, EventData::QuestionResolved(data));
            }
        }
    }

    /// A subagent goes on when the turn is over.
    pub(crate) fn in_background(&mut self, agent: &str) {
        self.session_mut().background.insert(agent.to_owned());
    }

    /// Whether it goes on when the turn is over: it, or one that it runs below.
    pub(crate) fn is_background(&self, agent: &str) -> bool {
        goes_on(self.session(), agent)
    }

    /// A subagent in the background is done.
    pub(crate) fn end_background(&mut self, agent: &str) {
        if self.session_mut().background.remove(agent) {
            self.close_agent(agent);
        }
    }

    /// Closes what a subagent left open, unless it goes on in the background.
    pub(super) fn close_agent(&mut self, agent: &str) {
        if !self.session().background.contains(agent) {
            self.close(|_, of| of == Some(agent));
        }
    }

    /// Closes all that cannot go on when the turn is over.
    pub(super) fn close_turn(&mut self) {
        self.close(|session, of| !of.is_some_and(|agent| goes_on(session, agent)));
    }

    /// Closes everything.
    pub(super) fn close_all(&mut self) {
        self.session_mut().calls.values_mut().for_each(|call| call.goes_on = false);
        self.close(|_, _| true);
    }

    /// Closes requests, calls and items of the chosen agents, in this order: what depends on something else first. Tools
    /// that go on are left.
    fn close(&mut self, chosen: impl Fn(&Session, Option<&str>) -> bool) {
        loop {
            let session = self.session();
            let of = |agent: Option<&str>| chosen(session, agent);
            if let Some(request) = session.requests.iter().find(|request| of(request.agent())) {
                let id = request.id().to_owned();
                self.resolve(&id, PermissionStatus::Reject, None, true);
            } else if let Some(index) = session.waiting.iter().position(|waiting| of(waiting.agent.as_deref())) {
                self.close_waiting(index);
            } else if let Some(at) = session.calls.values().rposition(|call| of(call.agent.as_deref()) && !call.goes_on)
            {
                self.close_call(session.calls.key_at(at));
            } else if let Some(item) = open_item(session, of) {
                self.complete(item, ItemStatus::Failed, true);
            } else {
                return;
            }
        }
    }
}

/// An open item of one of these agents, unless it is the result of a tool that goes on.
fn open_item(session: &Session, of: impl Fn(Option<&str>) -> bool) -> Option<Ref> {
    let is_left = |item: &Ref| session.calls.values().any(|call| call.goes_on && call.result.as_ref() == Some(item));
    let mut items = session.items.iter();
    items.find(|(at, item)| of(item.agent.as_deref()) && !is_left(at)).map(|(at, _)| *at)
}

/// Whether a subagent, or one that started it, is in the background.
fn goes_on(session: &Session, agent: &str) -> bool {
    let mut agent = agent;
    // No more steps than there are calls.
    for _ in 0..=session.calls.len() {
        if session.background.contains(agent) {
            return true;
        }
        let call = session.calls.values().find(|call| call.call_id == agent);
        let Some(above) = call.and_then(|call| call.agent.as_deref()) else { return false };
        agent = above;
    }
    false
}

/// Several answers to one question, as one text.
fn joined(answers: &[Text<'_>]) -> Option<Text<'static>> {
    let mut text = Vec::new();
    for (index, answer) in answers.iter().enumerate() {
        if index > 0 {
            text.extend_from_slice(b", ");
        }
        answer.append_to(&mut text);
    }
    if text.is_empty() { None } else { Some(Text::from_wtf8(Cow::Owned(text))) }
}

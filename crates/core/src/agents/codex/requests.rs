//! What the agent asks: permissions, questions, forms. The decision is what the host sends; the agent says only that
//! a request is over.

use std::borrow::Cow;

use interlinear_schema::{
    Json, PermissionData, PermissionStatus, Question, QuestionData, QuestionKind, QuestionOption, Text,
};

use super::items::Place;
use super::state::{Ask, Live, Pending, State};
use super::tools;
use super::wire::{Message, Note};
use crate::emit::Emit;
use crate::json::{Kind, Value};
use crate::mcp::{chosen_in_form, form_field};

impl State {
    /// The agent asks the host for something.
    pub(super) fn agent_request(
        &mut self,
        method: &str,
        id: Value<'_>,
        message: &Message<'_>,
        line: Value<'_>,
        emit: &mut Emit<'_>,
    ) {
        let params = message.params.unwrap_or(line);
        let ask = match method {
            "item/commandExecution/requestApproval" | "item/fileChange/requestApproval" => Ask::Decision,
            "execCommandApproval" | "applyPatchApproval" => Ask::OldDecision,
            "item/permissions/requestApproval" => Ask::Permissions,
            "item/tool/requestUserInput" => Ask::Questions,
            "mcpServer/elicitation/request" => {
                let kind = params.get("_meta").and_then(|meta| meta.get("codex_approval_kind"));
                if kind.is_some() { Ask::Tool } else { Ask::Form }
            }
            "item/tool/call" | "account/chatgptAuthTokens/refresh" | "attestation/generate" | "currentTime/read" => {
                Ask::Hidden
            }
            _ => {
                self.cannot_answer(id, emit);
                return emit.unknown(line.json(), None);
            }
        };
        if matches!(method, "attestation/generate" | "currentTime/read") {
            self.cannot_answer(id, emit);
        }
        let thread = ["threadId", "conversationId"].iter().find_map(|key| params.get(key)?.str()).unwrap_or_default();
        if self.requests.iter().any(|pending| pending.id == id.raw() && pending.thread == thread) {
            return emit.ignore("repeated");
        }
        let mut pending = Pending {
            id: id.raw().to_owned(),
            session: 0,
            thread: thread.to_owned(),
            event_id: String::new(),
            ask,
            call: None,
            questions: Vec::new(),
            input: String::new(),
        };
        if ask == Ask::Hidden {
            self.requests.push(pending);
            return emit.ignore("between programs");
        }
        let place = self.asking(thread, emit);
        self.ensure_turn(params.get("turnId").and_then(Value::str), &place, emit);
        pending.session = emit.selected();
        match ask {
            Ask::Questions => questions(&mut pending, params, &place, emit),
            Ask::Form => form(&mut pending, params, &place, emit),
            _ => self.permission(&mut pending, method, params, &place, emit),
        }
        self.requests.push(pending);
    }

    /// A request that nobody will answer: where the core speaks for the host, it says so, or the agent would wait for ever.
    fn cannot_answer(&self, id: Value<'_>, emit: &mut Emit<'_>) {
        if !self.wishes.is_empty() {
            let error = "{\"code\":-32601,\"message\":\"this host does not answer such requests\"}";
            emit.write(format!("{{\"id\":{},\"error\":{error}}}\n", id.raw()));
        }
    }

    /// Where a request belongs. It cannot wait for the link of its thread, as the agent waits for the answer: where
    /// there is one session, it is that one's.
    fn asking<'p>(&mut self, thread: &'p str, emit: &mut Emit<'_>) -> Place<'p> {
        let mut sessions = self.threads.values().map(|thread| thread.session);
        let first = sessions.next().filter(|first| sessions.all(|session| session == *first));
        match first.filter(|_| !self.threads.contains_key(thread)) {
            Some(session) => {
                emit.select(session);
                Place { thread, agent: None, turn: None }
            }
            None => self.open_thread(thread, None, emit),
        }
    }

    fn permission(
        &mut self,
        pending: &mut Pending,
        method: &str,
        params: Value<'_>,
        place: &Place<'_>,
        emit: &mut Emit<'_>,
    ) {
        let text = |key: &str| params.get(key).and_then(Value::text);
        let named = ["itemId", "callId"].iter().find_map(|key| params.get(key)?.str());
        let call = match pending.ask {
            Ask::Tool => self.waiting_tool(params, place, emit),
            Ask::Permissions => None,
            _ => named.map(|id| self.live(place, id).map_or(id, |live| &live.call_id).to_owned()),
        };
        let about = params.get("approvalId").and_then(Value::str).or(named).map(str::to_owned);
        let about = about.or_else(|| call.clone()).unwrap_or_else(|| format!("{}_{}", place.thread, pending.id));
        pending.event_id = emit.free_id(&["perm_", &about].concat());
        pending.call.clone_from(&call);
        let meta = params.get("_meta");
        let network = params.get("networkApprovalContext");
        let (action, title) = match pending.ask {
            Ask::Tool => ("mcpToolCall", text("message")),
            Ask::Permissions => ("permissions", text("reason")),
            _ if method.contains("fileChange") || method.contains("Patch") => ("fileChange", text("reason")),
            _ if text("kind").is_some_and(|kind| kind == Text::from("writeStdin")) => ("writeStdin", text("command")),
            _ => {
                let command = params.get("command").filter(|command| command.kind() != Kind::Null);
                let command = command.map(|command| Text::from(tools::bare_command(command)));
                ("commandExecution", command.or_else(|| network.and_then(address)))
            }
        };
        let change = self.changed_files(call.as_deref(), place);
        let files = change.map(|live| Text::from(live.title.clone())).filter(|files| !files.is_empty());
        let title = files.or(title);
        let input = ["permissions", "fileChanges"].iter().find_map(|key| params.get(key));
        pending.input = params.get("permissions").map_or("{}", Value::raw).to_owned();
        let input = input.or_else(|| meta?.get("tool_params")).or_else(|| params.get("command"));
        let suggestions =
            ["proposedExecpolicyAmendment", "proposedNetworkPolicyAmendments", "availableDecisions", "grantRoot"];
        let suggestion = suggestions.iter().find_map(|key| params.get(key).filter(|value| value.kind() != Kind::Null));
        let more = [
            ("input", input),
            ("reason", params.get("reason")),
            ("cwd", params.get("cwd")),
            ("network", network),
            ("suggestions", suggestion.or_else(|| meta?.get("persist"))),
            ("description", meta.and_then(|meta| meta.get("tool_description"))),
        ];
        let more = more.iter().filter_map(|(key, value)| {
            let value = (*value).filter(|value| value.kind() != Kind::Null)?;
            Some(["\"", key, "\":", value.raw()].concat())
        });
        let changes =
            change.filter(|_| input.is_none()).map(|live| format!("\"input\":{{\"changes\":{}}}", live.changes));
        let more = changes.into_iter().chain(more).collect::<Vec<_>>().join(",");
        emit.ask_permission(PermissionData {
            permission_id: Cow::Borrowed(&pending.event_id),
            action: Cow::Borrowed(action),
            status: PermissionStatus::Requested,
            tool_call_id: call.map(Cow::Owned),
            title,
            options: Some(vec![PermissionStatus::Accept, PermissionStatus::AcceptForSession, PermissionStatus::Reject]),
            agent_id: place.agent.as_deref().map(Cow::Borrowed),
            metadata: (!more.is_empty()).then(|| Json::from_text(["{", &more, "}"].concat())),
            ..PermissionData::default()
        });
    }

    /// A request to run a tool does not name the call: it is one of that server and tool that waits.
    fn waiting_tool(&self, params: Value<'_>, place: &Place<'_>, emit: &Emit<'_>) -> Option<String> {
        let text = |key: &str| params.get(key).and_then(Value::str).unwrap_or_default();
        let (server, message) = (format!(" ({})", text("serverName")), text("message"));
        let items = self.threads.get(place.thread)?.items.values();
        let waiting: Vec<_> = items
            .filter(|live| live.title.ends_with(&server) && emit.awaits_result(&live.call_id))
            .filter(|live| emit.find_request(|_, about| about == Some(live.call_id.as_str())).is_none())
            .collect();
        // The message holds the tool's name in quotes.
        let is_named = |live: &&&Live| message.contains(&format!("\"{}\"", live.title.trim_end_matches(&server)));
        waiting.iter().find(is_named).or(waiting.first()).map(|live| live.call_id.clone())
    }

    /// What a change of files is about: the request does not say it again.
    fn changed_files(&self, call: Option<&str>, place: &Place<'_>) -> Option<&Live> {
        let mut items = self.threads.get(place.thread)?.items.values();
        items.find(|live| Some(live.call_id.as_str()) == call && !live.changes.is_empty())
    }

    /// A model decides in place of the user.
    pub(super) fn review_started(&mut self, note: &Note<'_>, place: &Place<'_>, emit: &mut Emit<'_>) {
        let id = note.review_id.unwrap_or_default();
        let action = note.action.and_then(|action| action.get("type")).and_then(Value::str);
        let command = note.action.and_then(|action| action.get("command"));
        let call = note.target_item_id.map(|id| self.live(place, id).map_or(id, |live| &live.call_id).to_owned());
        emit.ask_permission(PermissionData {
            permission_id: Cow::Owned(format!("perm_{id}")),
            action: Cow::Borrowed(action.unwrap_or("review")),
            status: PermissionStatus::Requested,
            tool_call_id: call.filter(|call| emit.has_begun(call)).map(Cow::Owned),
            title: command.map(|command| Text::from(tools::bare_command(command))),
            agent_id: place.agent.as_deref().map(Cow::Borrowed),
            metadata: note.action.map(|action| Json::from_text(format!("{{\"input\":{}}}", action.raw()))),
            ..PermissionData::default()
        });
    }

    pub(super) fn review_completed(&mut self, note: &Note<'_>, place: &Place<'_>, emit: &mut Emit<'_>) {
        let id = format!("perm_{}", note.review_id.unwrap_or_default());
        if emit.find_request(|open, _| open == id).is_none() {
            self.review_started(note, place, emit);
        }
        let status = note.review.and_then(|review| review.get("status")).and_then(Value::str);
        let granted = status == Some("approved");
        if let Some(review) = note.review {
            emit.explain(&id, format!("{{\"review\":{}}}", review.raw()));
        }
        emit.resolve(&id, if granted { PermissionStatus::Accept } else { PermissionStatus::Reject }, None, false);
    }

    /// The host answers a request of the agent.
    pub(super) fn host_answers(&mut self, message: &Message<'_>, emit: &mut Emit<'_>) {
        let id = message.id.map(Value::raw).unwrap_or_default();
        let Some(index) = self.requests.iter().position(|request| request.id == id) else {
            return emit.ignore("answer to nothing");
        };
        let pending = self.requests.remove(index);
        if pending.ask == Ask::Hidden {
            return emit.ignore("between programs");
        }
        emit.select(pending.session);
        let result = message.result.filter(|_| message.error.is_none());
        let (status, answers) = match result {
            Some(result) => answer(&pending, result),
            None => (PermissionStatus::Reject, None),
        };
        emit.resolve(&pending.event_id, status, answers, true);
    }

    /// A request is over. Who was not seen to answer it is shown by what happens next.
    pub(super) fn resolved(&mut self, id: Option<Value<'_>>, emit: &mut Emit<'_>) {
        let id = id.map(Value::raw).unwrap_or_default();
        let Some(index) = self.requests.iter().position(|request| request.id == id) else {
            return emit.ignore("answered before");
        };
        let pending = self.requests.remove(index);
        emit.select(pending.session);
        if pending.call.is_some() || pending.ask == Ask::Hidden {
            return emit.ignore("what happens next shows it");
        }
        // Nobody has seen the answer: without a call to tell, it counts as none.
        emit.resolve(&pending.event_id, PermissionStatus::Reject, None, true);
    }
}

/// Questions to the user.
fn questions(pending: &mut Pending, params: Value<'_>, place: &Place<'_>, emit: &mut Emit<'_>) {
    let about = params.get("itemId").and_then(Value::str).unwrap_or_else(|| &pending.id);
    pending.event_id = emit.fresh_request_id(&format!("que_{about}"));
    let list = params.get("questions");
    pending.questions = question_ids(list);
    let data = question_data(&pending.event_id, list, place);
    emit.ask_question(data);
}

pub(super) fn question_ids(list: Option<Value<'_>>) -> Vec<String> {
    let ids = list.into_iter().flat_map(Value::elements);
    ids.map(|question| question.get("id").and_then(Value::str).unwrap_or_default().to_owned()).collect()
}

pub(super) fn question_data<'a>(id: &'a str, list: Option<Value<'a>>, place: &'a Place) -> QuestionData<'a> {
    let list: Vec<_> = list.into_iter().flat_map(Value::elements).map(question).collect();
    let first = list.first();
    QuestionData {
        question_id: Cow::Borrowed(id),
        prompt: first.map(|question| question.text.clone()).unwrap_or_default(),
        options: first.iter().flat_map(|first| first.options.iter().map(|option| option.label.clone())).collect(),
        kind: Some(QuestionKind::Question),
        questions: Some(list),
        agent_id: place.agent.as_deref().map(Cow::Borrowed),
        ..QuestionData::default()
    }
}

fn question(value: Value<'_>) -> Question<'_> {
    let text = |key: &str| value.get(key).and_then(Value::text);
    let options = value.get("options").into_iter().flat_map(Value::elements).map(|option| QuestionOption {
        label: option.get("label").and_then(Value::text).or_else(|| option.text()).unwrap_or_default(),
        description: option.get("description").and_then(Value::text),
        ..QuestionOption::default()
    });
    Question {
        text: text("question").or_else(|| text("title")).unwrap_or_default(),
        options: options.collect(),
        header: text("header"),
        free_text: value.get("isOther").and_then(Value::bool),
        ..Question::default()
    }
}

/// A server of the Model Context Protocol asks the user to fill in a form.
fn form(pending: &mut Pending, params: Value<'_>, place: &Place<'_>, emit: &mut Emit<'_>) {
    pending.event_id = emit.fresh_request_id(&format!("que_{}_{}", place.thread, pending.id));
    let schema = params.get("requestedSchema");
    let fields = schema.and_then(|schema| schema.get("properties"));
    let fields: Vec<_> = fields.into_iter().flat_map(Value::members).collect();
    pending.questions = fields.iter().map(|(name, _)| (*name).to_owned()).collect();
    pending.input = schema.map_or("{}", Value::raw).to_owned();
    let list: Vec<_> = fields.iter().map(|(name, field)| form_field(name, *field)).collect();
    let options = list.first().map(|question| question.options.iter().map(|option| option.label.clone()).collect());
    let message = params.get("message").and_then(Value::text).unwrap_or_default();
    // Some forms stand on a page.
    let prompt = match params.get("url").and_then(Value::text) {
        Some(url) => Text::from(format!("{message}\n{url}")),
        None => message,
    };
    emit.ask_question(QuestionData {
        question_id: Cow::Borrowed(&pending.event_id),
        prompt,
        options: options.unwrap_or_default(),
        kind: Some(QuestionKind::Form),
        questions: Some(list),
        agent_id: place.agent.as_deref().map(Cow::Borrowed),
        ..QuestionData::default()
    });
}

/// The host that is to be reached.
fn address(network: Value<'_>) -> Option<Text<'static>> {
    let text = |key: &str| network.get(key).and_then(Value::str);
    let host = text("host").filter(|host| !host.is_empty())?;
    Some(Text::from(text("protocol").map_or_else(|| host.to_owned(), |protocol| format!("{protocol}://{host}"))))
}

/// What an answer of the host means.
fn answer<'a>(pending: &Pending, result: Value<'a>) -> (PermissionStatus<'static>, Option<Vec<Vec<Text<'a>>>>) {
    use PermissionStatus::{Accept, AcceptForSession, Reject};
    let word = |key: &str| result.get(key).and_then(Value::str);
    match pending.ask {
        Ask::Decision | Ask::OldDecision => {
            let decision = word("decision");
            // A rule for what follows: it may be one that denies.
            let rule = result.get("decision").filter(|decision| decision.is_object());
            let network = rule.and_then(|rule| rule.get("applyNetworkPolicyAmendment"));
            let action = network.and_then(|network| network.get("network_policy_amendment")?.get("action")?.str());
            let lasting = rule.is_some() && action != Some("deny");
            let status = match decision {
                Some("accept" | "approved") => Accept,
                Some("acceptForSession" | "approved_for_session") => AcceptForSession,
                None if lasting => AcceptForSession,
                _ => Reject,
            };
            (status, None)
        }
        Ask::Permissions => {
            let granted = result.get("permissions").into_iter().flat_map(Value::members);
            let granted = granted.filter(|(_, value)| value.kind() != Kind::Null).count() > 0;
            match word("scope") {
                _ if !granted => (Reject, None),
                Some("session") => (AcceptForSession, None),
                _ => (Accept, None),
            }
        }
        Ask::Tool => {
            let persist = result.get("_meta").and_then(|meta| meta.get("persist")).and_then(Value::str);
            match (word("action"), persist) {
                (Some("accept"), Some(_)) => (AcceptForSession, None),
                (Some("accept"), None) => (Accept, None),
                _ => (Reject, None),
            }
        }
        Ask::Form => {
            if word("action") != Some("accept") {
                return (Reject, None);
            }
            let content = result.get("content");
            let field = |name: &String| chosen_in_form(content.and_then(|content| content.get(name)));
            (Accept, Some(pending.questions.iter().map(field).collect()))
        }
        Ask::Questions | Ask::Hidden => answers(&pending.questions, result.get("answers")),
    }
}

/// The answers to questions, in their order; none at all is a refusal.
pub(super) fn answers<'a>(
    ids: &[String],
    given: Option<Value<'a>>,
) -> (PermissionStatus<'static>, Option<Vec<Vec<Text<'a>>>>) {
    let of = |id: &String| -> Vec<Text<'a>> {
        let answer = given.and_then(|given| given.get(id));
        let list = answer.and_then(|answer| answer.get("answers")).or(answer);
        list.into_iter().flat_map(Value::elements).filter_map(Value::text).collect()
    };
    let answers: Vec<_> = ids.iter().map(of).collect();
    if answers.iter().all(Vec::is_empty) {
        return (PermissionStatus::Reject, None);
    }
    (PermissionStatus::Accept, Some(answers))
}

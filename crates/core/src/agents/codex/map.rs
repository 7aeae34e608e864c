//! Lines → events: which code reads which kind of line.

use std::borrow::Cow;

use interlinear_schema::{ErrorData, Json, StatusLabel, Text};

use super::items::Place;
use super::state::{HostRequest, Part, State};
use super::stored::{is_bare, is_older_exec};
use super::turns::{self, Ended};
use super::wire::{Failure, Message, Opened, Params, Settings, Thread};
use crate::agents::{Adapter, read};
use crate::api::{Channel, Command, Outgoing};
use crate::emit::Emit;
use crate::json::{Kind, Tape, Value};
use crate::wire::Wire;

impl Adapter for State {
    fn receive(&mut self, line: Value<'_>, _: &Channel, emit: &mut Emit<'_>) {
        self.prompt_is_over(emit);
        self.line(line, emit);
    }

    fn sent(&mut self, line: Value<'_>, channel: &Channel, emit: &mut Emit<'_>) {
        if *channel == Channel::Argv {
            emit.kind("arguments");
            return self.arguments(line, emit);
        }
        let Some(message) = read::<Message<'_>>(line, emit) else { return };
        match &message.method {
            Some(method) => {
                emit.kind(method);
                self.host_message(method, &message, emit);
            }
            None if message.result.is_some() || message.error.is_some() => {
                emit.kind("response");
                self.host_answers(&message, emit);
            }
            None => emit.unknown(line.json(), None),
        }
    }

    fn text_sent(&mut self, text: &str, emit: &mut Emit<'_>) -> bool {
        self.prompt_line(text, emit)
    }

    fn differ<'v>(&self, line: Value<'v>) -> Option<Vec<Value<'v>>> {
        Some(line.get("emittedAtMs").into_iter().collect())
    }

    fn command(&mut self, command: &Command, emit: &mut Emit<'_>, outgoing: &mut Vec<Outgoing>) {
        self.encode(command, emit, outgoing);
    }

    fn finish(&mut self, emit: &mut Emit<'_>) {
        self.prompt_is_over(emit);
        self.release_all(emit);
        self.finish_rollouts(emit);
    }

    fn next_file(&mut self) {
        self.current.clear();
    }

    fn last_error(&self) -> Option<&str> {
        self.last_error.as_deref()
    }
}

/// Why a notification is ignored on purpose, if it is.
fn ignored(method: &str) -> Option<&'static str> {
    Some(match method {
        "rawResponseItem/completed" | "rawResponse/completed" => "said by the items",
        "turn/diff/updated" => "said by the changes of files",
        "thread/status/changed" => "said by turns and requests",
        "thread/readState/changed"
        | "thread/queue/changed"
        | "thread/attachment/updated"
        | "thread/prediction/updated"
        | "thread/project/updated"
        | "thread/environment/connected"
        | "thread/environment/disconnected"
        | "turn/moderationMetadata"
        | "model/verification"
        | "model/safetyBuffering/updated"
        | "thread/section/changed"
        | "item/reasoning/summaryPartAdded" => "bookkeeping",
        "deprecationNotice" => "for the host's author",
        "hook/started" | "autoApprovalReview/strictReviewRequired" => "its end follows",
        "item/commandExecution/terminalInteraction" => "the terminal shows it",
        "remoteControl/status/changed"
        | "skills/changed"
        | "project/changed"
        | "app/list/updated"
        | "fs/changed"
        | "mcpServer/oauthLogin/completed"
        | "mcpServer/event/stream/notification"
        | "externalAgentConfig/import/progress"
        | "externalAgentConfig/import/completed"
        | "fuzzyFileSearch/sessionUpdated"
        | "fuzzyFileSearch/sessionCompleted"
        | "windowsSandbox/setupCompleted"
        | "command/exec/outputDelta"
        | "process/outputDelta"
        | "process/exited" => "of no session",
        _ if method.starts_with("account/") && method != "account/rateLimits/updated" => "of no session",
        "thread/realtime/error" => return None,
        _ if method.starts_with("thread/realtime/") => "voice",
        _ => return None,
    })
}

/// Whether a notification tells of what happens in a turn.
fn is_of_turns(method: &str) -> bool {
    method.starts_with("item/")
        || method.starts_with("turn/")
        || matches!(method, "error" | "thread/tokenUsage/updated")
}

impl State {
    /// A line of the agent, in whichever form.
    pub(super) fn line(&mut self, line: Value<'_>, emit: &mut Emit<'_>) {
        match line.pick(["payload", "method", "type"]) {
            [Some(_), ..] => return self.rollout(line, emit),
            [None, None, _] if is_bare(line) => return self.bare_line(line, emit),
            [None, None, Some(_)] => return self.exec_event(line, emit),
            [None, None, None] if is_older_exec(line) => return self.older_exec(line, emit),
            _ => {}
        }
        let Some(message) = &read::<Message<'_>>(line, emit) else { return };
        match (message.method, message.id) {
            (Some(method), Some(id)) => {
                emit.kind(method);
                self.agent_request(method, id, message, line, emit);
            }
            (Some(method), None) => {
                emit.kind(method);
                self.notification(method, message, line, emit);
            }
            (None, Some(id)) if message.result.is_some() || message.error.is_some() => {
                self.answered(id, message, emit);
            }
            (None, Some(_)) if line.get("result").is_some() => emit.ignore("answer to the host"),
            _ => {
                emit.kind("unknown");
                emit.unknown(line.json(), None);
            }
        }
    }

    fn notification(&mut self, method: &str, message: &Message<'_>, line: Value<'_>, emit: &mut Emit<'_>) {
        if method.starts_with("codex/event/") {
            return self.older_event(message.params, emit);
        }
        if let Some(reason) = ignored(method) {
            emit.ignore(reason);
            return;
        }
        let mut read = None;
        if let Some(params) = message.params {
            Params::read_to(&mut read, params, "", &mut emit.book.drift);
        }
        let params = &*read.get_or_insert_default();
        match method {
            "thread/started" => return self.thread_started(params.thread.as_ref(), emit),
            "account/rateLimits/updated" => return self.limits(params.rate_limits, emit),
            "serverRequest/resolved" => return self.resolved(params.request_id, emit),
            "warning" | "configWarning" | "guardianWarning" | "windows/worldWritableWarning" => {
                return self.warning(params.thread_id, message.params, emit);
            }
            _ => {}
        }
        let unnamed = if params.thread_id.is_none() { self.only_thread(method) } else { None };
        let Some(id) = params.thread_id.or(unnamed.as_deref()) else {
            return match method {
                "mcpServer/startupStatus/updated" => emit.ignore("of no session"),
                _ => emit.unknown(line.json(), None),
            };
        };
        if is_of_turns(method) && self.threads.get(id).is_some_and(|thread| thread.older) {
            return emit.ignore("said by the events of the conversation");
        }
        let turn = params.turn.as_ref();
        let is_root = turn.is_some_and(|turn| turn.root_turn_id.is_some() && turn.root_turn_id == turn.id);
        if let Some(place) = self.enter(id, is_root, line, emit) {
            self.of_thread(method, params, line, &place, emit);
        }
    }

    /// The thread that is meant where none is named: until 0.58 items and turns named none.
    fn only_thread(&self, method: &str) -> Option<String> {
        let mut own = self.threads.iter().filter(|(_, thread)| thread.agent.is_none() && is_of_turns(method));
        let (id, _) = own.next()?;
        own.next().is_none().then(|| id.clone())
    }

    fn of_thread(
        &mut self,
        method: &str,
        params: &Params<'_>,
        line: Value<'_>,
        place: &Place<'_>,
        emit: &mut Emit<'_>,
    ) {
        let item_id = params.item_id.unwrap_or_default();
        let delta = || params.delta.as_ref().map_or_else(Text::default, Text::borrow);
        if method.starts_with("item/") {
            self.ensure_turn(params.turn_id, place, emit);
        }
        match method {
            "turn/started" => {
                let id = params.turn.as_ref().and_then(|turn| turn.id);
                self.turn_started(id.or(params.turn_id), place, emit);
            }
            "turn/completed" => {
                let turn = params.turn.as_ref();
                let status = turns::status(turn.and_then(|turn| turn.status));
                let id = turn.and_then(|turn| turn.id).or(params.turn_id);
                let error = turn.and_then(|turn| turn.error.as_ref());
                let duration_ms = turn.and_then(|turn| turn.duration_ms);
                self.turn_completed(Ended { id, error, duration_ms, ..Ended::with(status) }, place, emit);
                self.next_prompt(place, emit);
            }
            "item/started" | "item/completed" => {
                let place = &Place { turn: params.turn_id, ..place.clone() };
                match params.item {
                    Some(item) if method == "item/started" => self.item_started(item, place, emit),
                    Some(item) => self.item_completed(item, place, emit),
                    None => emit.ignore("no item"),
                }
            }
            "item/agentMessage/delta" => self.message_delta(item_id, Part::Text, &delta(), place, emit),
            "item/reasoning/summaryTextDelta" => {
                let part = Part::Summary(params.summary_index.unwrap_or(0));
                self.message_delta(item_id, part, &delta(), place, emit);
            }
            "item/reasoning/textDelta" => {
                let part = Part::Raw(params.content_index.unwrap_or(0));
                self.message_delta(item_id, part, &delta(), place, emit);
            }
            "item/plan/delta" => self.plan_delta(item_id, &delta(), place, emit),
            "item/commandExecution/outputDelta" | "item/fileChange/outputDelta" => {
                self.output_delta(item_id, &delta(), place, emit);
            }
            "item/mcpToolCall/progress" => {
                let message = params.message.as_ref();
                let message = message.map(|message| Text::from(format!("{message}\n"))).unwrap_or_default();
                self.output_delta(item_id, &message, place, emit);
            }
            "item/fileChange/patchUpdated" => match params.changes {
                Some(changes) => self.patch_updated(item_id, changes, place, emit),
                None => emit.ignore("nothing new"),
            },
            "thread/tokenUsage/updated" => {
                if let Some(usage) = &params.token_usage {
                    self.tokens(usage, params.turn_id, place);
                }
                emit.ignore("said by the end of the turn");
            }
            "thread/realtime/error" => {
                let error = Failure { message: params.message.clone(), ..Failure::default() };
                emit.error(turns::error_data(&error, None, place));
            }
            "error" => {
                let told = params.error.and_then(|error| read::<Failure<'_>>(error, emit));
                let error = told.unwrap_or_else(|| Failure { message: params.message.clone(), ..Failure::default() });
                self.failure(&error, params.will_retry == Some(true), place, emit);
            }
            _ => self.note(method, line, place, emit),
        }
    }

    fn thread_started(&mut self, thread: Option<&Thread<'_>>, emit: &mut Emit<'_>) {
        let Some(thread) = thread else { return emit.ignore("no thread") };
        let id = thread.id.unwrap_or_default();
        if is_spawned(thread) && !self.threads.contains_key(id) {
            // A subagent's: the call that has started it will name it.
            emit.ignore("thread of a subagent");
            return;
        }
        let place = self.open_thread(id, None, emit);
        self.thread_facts(thread, &Opened::default(), &place, emit);
    }

    /// What is known of a thread.
    fn thread_facts(&mut self, thread: &Thread<'_>, opened: &Opened<'_>, place: &Place<'_>, emit: &mut Emit<'_>) {
        let text = |text: Option<&str>| text.map(Json::of);
        let model = opened.model.or(thread.model);
        let effort = opened.reasoning_effort.or(thread.reasoning_effort);
        if let Some(known) = self.threads.get_mut(place.thread) {
            known.model = model.map(str::to_owned).or(known.model.take());
            known.effort = effort.map(str::to_owned).or(known.effort.take());
        }
        if place.agent.is_some() {
            emit.ignore("thread of a subagent");
            return;
        }
        emit.facts(&[
            ("agent_version", text(thread.cli_version)),
            ("model", text(model)),
            ("cwd", text(opened.cwd.or(thread.cwd))),
            ("mode", opened.approval_policy.map(turns::policy)),
            ("variant", text(effort)),
            ("title", thread.name.as_ref().map(|name| Json::of(name))),
        ]);
    }

    /// The agent answers a request of the host.
    fn answered(&mut self, id: Value<'_>, message: &Message<'_>, emit: &mut Emit<'_>) {
        let request = self.host_requests.remove(id.raw()).unwrap_or_default();
        emit.kind(format!("response {}", request.method).trim_end());
        if let Some(session) = request.session {
            emit.select(session);
        }
        if let Some(error) = message.error {
            return self.refused(&request, error, emit);
        }
        let opened = message.result.and_then(|result| read::<Opened<'_>>(result, emit)).unwrap_or_default();
        if let Some(agent) = &opened.user_agent {
            // `demo_host/0.166.0 (Debian …)`
            let version = agent.split_once('/').and_then(|(_, rest)| rest.split_whitespace().next());
            self.version = version.map(str::to_owned);
        }
        // Threads that are only looked at are in answers too.
        let opens = matches!(request.method.as_str(), "" | "thread/start" | "thread/resume" | "thread/fork");
        let begins = matches!(request.method.as_str(), "" | "newConversation" | "resumeConversation");
        match (&opened.thread, &opened.conversation_id) {
            (None, Some(id)) if begins => {
                let place = self.open_thread(id, None, emit);
                if let Some(known) = self.threads.get_mut(place.thread) {
                    known.older = true;
                }
                self.thread_facts(&Thread::default(), &opened, &place, emit);
            }
            // Without its request, only what it is opened with tells that a thread was.
            (Some(thread), _) if opens && (opened.cwd.is_some() || !request.method.is_empty()) => {
                let id = thread.id.unwrap_or_default();
                let before = emit.session().native_id.clone().filter(|_| request.session.is_some());
                let place = self.open_thread(id, request.session, emit);
                if before.is_some_and(|before| before != id) {
                    let word = request.method.rsplit('/').next().unwrap_or_default().to_owned();
                    emit.status(StatusLabel::Session, Some(Text::from(word)), None);
                }
                self.thread_facts(thread, &opened, &place, emit);
                if let Some(known) = self.threads.get_mut(place.thread).filter(|known| known.turn.is_none()) {
                    known.usage.restored = matches!(request.method.as_str(), "thread/resume" | "thread/fork");
                }
                self.thread_is_there(&place, emit);
            }
            _ => {
                if !request.settings.is_empty() {
                    self.turn_settings(&request, emit);
                }
                emit.ignore("answer to the host");
            }
        }
    }

    /// What the host has set with a turn. Older versions do not say it again.
    fn turn_settings(&mut self, request: &HostRequest, emit: &mut Emit<'_>) {
        let mut tape = Tape::default();
        let Ok(value) = tape.read(&request.settings) else { return };
        let place = request.thread.as_deref().and_then(|thread| self.place(thread, emit));
        if let (Some(place), Some(settings)) = (place, read::<Settings<'_>>(value, emit)) {
            self.settings(&settings, &place, emit);
        }
    }

    /// A request of the host failed.
    fn refused(&mut self, request: &HostRequest, error: Value<'_>, emit: &mut Emit<'_>) {
        if let Some(thread) = &request.thread {
            self.place(thread, emit);
        }
        if let Some(wishes) = request.session.and_then(|session| self.wishes.get_mut(&session)) {
            wishes.opening = false;
            emit.keep_session();
        }
        let code = error.get("code").map(|code| Cow::Owned(code.raw().to_owned()));
        let details = format!("{{\"request\":{}}}", Json::of(request.method.as_str()).as_str());
        emit.error(ErrorData {
            message: super::tools::message_of(error),
            code,
            details: (!request.method.is_empty()).then(|| Json::from_text(details)),
            ..ErrorData::default()
        });
        // What was to follow this turn does not wait for its end.
        let thread = request.thread.as_deref().filter(|_| request.method == "turn/start");
        let idle = thread.filter(|thread| self.threads.get(*thread).is_some_and(|thread| thread.turn.is_none()));
        if let Some(place) = idle.and_then(|thread| self.place(thread, emit)) {
            self.next_prompt(&place, emit);
        }
    }

    /// A request or a notification of the host.
    fn host_message(&mut self, method: &str, message: &Message<'_>, emit: &mut Emit<'_>) {
        emit.ignore("request of the host");
        if method == "initialize" {
            self.initialised = true;
        }
        let thread = message.params.and_then(|params| params.get("threadId")).and_then(Value::str);
        let Some(id) = message.id else { return };
        // The core's own requests take numbers that the host has not used.
        self.numbered = self.numbered.max(id.u64().unwrap_or(0));
        let request = self.host_requests.or_default(id.raw());
        method.clone_into(&mut request.method);
        request.thread = thread.map(str::to_owned);
        request.settings = message.params.filter(|_| method == "turn/start").map(set_by).unwrap_or_default();
    }
}

/// Whether an agent has started the thread. Before 0.150 only where it comes from says so.
fn is_spawned(thread: &Thread<'_>) -> bool {
    let source = thread.source.and_then(|source| source.get("subAgent"));
    thread.parent_thread_id.is_some() || source.is_some_and(|source| source.get("thread_spawn").is_some())
}

/// What a turn is begun with that stays, as JSON; nothing if that is nothing.
fn set_by(params: Value<'_>) -> String {
    let set = ["model", "effort", "cwd", "approvalPolicy"].iter().filter_map(|key| {
        let value = params.get(key).filter(|value| value.kind() != Kind::Null)?;
        Some(format!("\"{key}\":{}", value.raw()))
    });
    let set = set.collect::<Vec<_>>().join(",");
    if set.is_empty() { set } else { format!("{{{set}}}") }
}

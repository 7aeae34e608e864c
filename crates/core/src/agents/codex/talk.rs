//! Commands → Codex's own messages.

use crate::map::Map;
use crate::mcp::form_member;
use std::fmt::Write as _;

use super::items::Place;
use super::state::{Ask, HostRequest, Pending, State, Wishes};
use crate::api::{
    Command, McpServer, Outgoing, PermissionReply, PromptCommand, PromptMode, PromptPart, ReplyPermissionCommand,
    ReplyQuestionCommand, ResumeCommand, StartCommand,
};
use crate::emit::Emit;
use crate::json::quoted;

impl State {
    /// Encodes a command.
    pub(super) fn encode(&mut self, command: &Command, emit: &mut Emit<'_>, outgoing: &mut Vec<Outgoing>) {
        let session = emit.selected();
        let lines = match command {
            Command::Start(start) => self.start(start, session),
            Command::Resume(resume) => {
                self.let_go(&resume.native_session_id, emit);
                let known = self.threads.get(&resume.native_session_id);
                if known.is_some_and(|thread| thread.session != session) {
                    return emit.unsupported("the conversation is that of another session, which is open");
                }
                self.open("thread/resume", &again(resume), session)
            }
            Command::Fork(fork) => self.open("thread/fork", &again(fork), session),
            Command::Prompt(prompt) => match self.prompt(prompt, session, emit) {
                Ok(lines) => lines,
                Err(why) => return emit.unsupported(why),
            },
            Command::ReplyPermission(reply) => match self.waiting(&reply.permission_id, session) {
                Some(pending) => vec![response(pending, &permission(pending, reply))],
                None => return emit.unsupported("this permission does not wait for an answer"),
            },
            Command::ReplyQuestion(reply) => match self.waiting(&reply.question_id, session) {
                Some(pending) => vec![response(pending, &answers(pending, reply))],
                None => return emit.unsupported("this question does not wait for an answer"),
            },
            Command::RejectQuestion(reject) => match self.waiting(&reject.question_id, session) {
                Some(pending) => vec![refusal(pending)],
                None => return emit.unsupported("this question does not wait for an answer"),
            },
            Command::Interrupt => match self.interrupt(session, emit).filter(|_| !self.exec.speaks) {
                Some(lines) => lines,
                None if self.exec.speaks => {
                    return outgoing.push(Outgoing::Signal("SIGINT".to_owned()));
                }
                None => return emit.unsupported("no turn is running"),
            },
            Command::SetModel { model } => return self.wish(session).model = Some(model.clone()),
            Command::SetVariant { variant } => return self.wish(session).effort = Some(variant.clone()),
            Command::SetPermissionMode { mode } => match sandbox(mode) {
                Some(sandbox) => return self.wish(session).sandbox = Some(sandbox.to_owned()),
                None => return self.wish(session).approval = Some(mode.clone()),
            },
            Command::SetAgent { agent } => return self.wish(session).role = Some(agent.clone()),
            Command::Compact { instructions: Some(_) } => return emit.unsupported("its summary takes no instructions"),
            Command::Compact { instructions: None } => match self.thread_of(session, emit) {
                Some(thread) => {
                    let params = format!("{{\"threadId\":{}}}", quoted(&thread));
                    vec![self.request("thread/compact/start", &params, Some(session))]
                }
                None => return emit.unsupported("there is no conversation yet"),
            },
            Command::Terminate => self.goodbye(session, emit),
        };
        outgoing.extend(lines.into_iter().map(Outgoing::Stdin));
    }

    fn wish(&mut self, session: usize) -> &mut Wishes {
        self.wishes.or_default(&session)
    }

    /// The request that waits. Those of several sessions may have the same name: then it is this session's.
    fn waiting(&self, event_id: &str, session: usize) -> Option<&Pending> {
        let named = self.requests.iter().filter(|pending| pending.event_id == event_id);
        named.min_by_key(|pending| pending.session != session)
    }

    /// The session's own thread.
    fn thread_of(&self, session: usize, emit: &Emit<'_>) -> Option<String> {
        let native = emit.book.sessions.get(session)?.native_id.clone();
        native.filter(|id| self.threads.contains_key(id))
    }

    /// A request with a number of its own.
    fn request(&mut self, method: &str, params: &str, session: Option<usize>) -> String {
        self.numbered += 1;
        let id = self.numbered;
        self.host_requests.insert(id.to_string(), HostRequest { session, ..HostRequest::default() });
        format!("{{\"method\":\"{method}\",\"id\":{id},\"params\":{params}}}\n")
    }

    fn start(&mut self, start: &StartCommand, session: usize) -> Vec<String> {
        self.open("thread/start", &format!("{{{}}}", settings(start).join(",")), session)
    }

    /// A thread whose session is over may be another session's.
    fn let_go(&mut self, thread: &str, emit: &Emit<'_>) {
        let over = |index: usize| emit.book.sessions.get(index).is_some_and(crate::emit::Session::has_ended);
        if self.threads.get(thread).is_some_and(|thread| over(thread.session)) {
            self.threads.remove(thread);
        }
    }

    /// The session ends, and the server goes on: what runs for it is stopped, and nothing more is told.
    fn goodbye(&mut self, session: usize, emit: &Emit<'_>) -> Vec<String> {
        let mut lines = self.interrupt(session, emit).unwrap_or_default();
        if let Some(thread) = self.thread_of(session, emit) {
            let params = format!("{{\"threadId\":{}}}", quoted(&thread));
            lines.push(self.request("thread/backgroundTerminals/clean", &params, Some(session)));
            lines.push(self.request("thread/unsubscribe", &params, Some(session)));
        }
        lines
    }

    /// Asks for a thread, after shaking hands where that was not done.
    fn open(&mut self, method: &str, params: &str, session: usize) -> Vec<String> {
        let mut lines = Vec::new();
        if !self.initialised {
            self.initialised = true;
            let version = env!("CARGO_PKG_VERSION");
            let client = format!(
                "{{\"clientInfo\":{{\"name\":\"interlinear\",\"title\":\"Interlinear\",\"version\":\"{version}\"}},\
                 \"capabilities\":{{\"experimentalApi\":true,\"requestAttestation\":false}}}}"
            );
            lines.push(self.request("initialize", &client, Some(session)));
            lines.push("{\"method\":\"initialized\"}\n".to_owned());
        }
        lines.push(self.request(method, params, Some(session)));
        self.wish(session).opening = true;
        lines
    }

    /// A prompt. It waits for the thread, and where that is wanted for the end of the running turn.
    fn prompt(&mut self, prompt: &PromptCommand, session: usize, emit: &Emit<'_>) -> Result<Vec<String>, &'static str> {
        let parts: Vec<_> = prompt.parts.iter().map(prompt_part).collect();
        let input = format!("[{}]", parts.join(","));
        let Some(thread) = self.thread_of(session, emit).filter(|_| !self.wish(session).opening) else {
            if !self.wish(session).opening {
                return Err("there is no conversation yet: start one, or resume one");
            }
            self.wish(session).prompts.push(input);
            return Ok(Vec::new());
        };
        let running = self.threads.get(&thread).and_then(|thread| thread.turn.clone());
        match (running, prompt.mode) {
            (Some(turn), Some(PromptMode::Steer)) => {
                let params = format!(
                    "{{\"threadId\":{},\"expectedTurnId\":{},\"input\":{input}}}",
                    quoted(&thread),
                    quoted(&turn)
                );
                Ok(vec![self.request("turn/steer", &params, Some(session))])
            }
            (running, Some(PromptMode::FollowUp)) if running.is_some() || self.asks_for_turn(session) => {
                self.wish(session).prompts.push(input);
                Ok(Vec::new())
            }
            _ => Ok(vec![self.turn(&thread, &input, session)]),
        }
    }

    /// Whether a turn was asked for, and the agent has not said that it begins.
    fn asks_for_turn(&self, session: usize) -> bool {
        let asks = |request: &HostRequest| request.session == Some(session) && request.method == "turn/start";
        self.host_requests.values().any(asks)
    }

    /// Begins a turn, with whatever was wished for since the last one: it stays so from then on.
    fn turn(&mut self, thread: &str, input: &str, session: usize) -> String {
        let known = self.threads.get(thread);
        let model = known.and_then(|thread| thread.model.clone());
        let known_effort = known.and_then(|thread| thread.effort.clone());
        let wishes = self.wish(session);
        let taken = (wishes.model.take(), wishes.effort.take(), wishes.approval.take(), wishes.sandbox.take());
        let (wished_model, effort, approval, sandbox) = taken;
        let role = wishes.role.take();
        let mut params = format!("{{\"threadId\":{},\"input\":{input}", quoted(thread));
        let mut add = |key: &str, value: Option<String>| {
            if let Some(value) = value {
                let _ = write!(params, ",\"{key}\":{value}");
            }
        };
        add("model", wished_model.as_deref().map(quoted));
        add("effort", effort.as_deref().map(quoted));
        add("approvalPolicy", approval.as_deref().map(quoted));
        add("sandboxPolicy", sandbox.map(|kind| format!("{{\"type\":{}}}", quoted(&kind))));
        add(
            "collaborationMode",
            role.map(|role| {
                let model = quoted(wished_model.or(model).as_deref().unwrap_or_default());
                let effort = effort.or(known_effort).as_deref().map_or_else(|| "null".to_owned(), quoted);
                let settings =
                    format!("{{\"model\":{model},\"reasoning_effort\":{effort},\"developer_instructions\":null}}");
                format!("{{\"mode\":{},\"settings\":{settings}}}", quoted(&role))
            }),
        );
        params.push('}');
        self.request("turn/start", &params, Some(session))
    }

    fn interrupt(&mut self, session: usize, emit: &Emit<'_>) -> Option<Vec<String>> {
        let thread = self.thread_of(session, emit)?;
        let turn = self.threads.get(&thread)?.turn.clone()?;
        let params = format!("{{\"threadId\":{},\"turnId\":{}}}", quoted(&thread), quoted(&turn));
        Some(vec![self.request("turn/interrupt", &params, Some(session))])
    }

    /// The thread that was asked for is there: what has waited for it is said.
    pub(super) fn thread_is_there(&mut self, place: &Place<'_>, emit: &mut Emit<'_>) {
        let session = emit.selected();
        let Some(wishes) = self.wishes.get_mut(&session) else { return };
        wishes.opening = false;
        self.next_prompt(place, emit);
    }

    /// The session is idle: the next prompt is said.
    pub(super) fn next_prompt(&mut self, place: &Place<'_>, emit: &mut Emit<'_>) {
        let session = emit.selected();
        let Some(wishes) = self.wishes.get_mut(&session).filter(|_| place.agent.is_none()) else { return };
        if !wishes.prompts.is_empty() {
            let input = wishes.prompts.remove(0);
            let line = self.turn(place.thread, &input, session);
            emit.write(line);
        }
    }
}

/// What a thread is opened with, as members of an object.
fn settings(start: &StartCommand) -> Vec<String> {
    let mut params = Vec::new();
    let mut add = |key: &str, value: Option<String>| params.extend(value.map(|value| format!("\"{key}\":{value}")));
    add("cwd", start.cwd.as_deref().map(quoted));
    add("model", start.model.as_deref().map(quoted));
    let mode = start.permission_mode.as_deref();
    add("approvalPolicy", mode.filter(|mode| sandbox(mode).is_none()).map(quoted));
    add("sandbox", mode.filter(|mode| sandbox(mode).is_some()).map(quoted));
    let mut config = Vec::new();
    config.extend(start.variant.as_deref().map(|effort| format!("\"model_reasoning_effort\":{}", quoted(effort))));
    if !start.mcp_servers.is_empty() {
        let servers = start.mcp_servers.iter().map(|(name, server)| format!("{}:{}", quoted(name), mcp_server(server)));
        config.push(format!("\"mcp_servers\":{{{}}}", servers.collect::<Vec<_>>().join(",")));
    }
    add("config", (!config.is_empty()).then(|| format!("{{{}}}", config.join(","))));
    params
}

/// An earlier thread, and what is to be different.
fn again(resume: &ResumeCommand) -> String {
    let mut params = vec![format!("\"threadId\":{}", quoted(&resume.native_session_id))];
    params.extend(settings(&resume.start));
    format!("{{{}}}", params.join(","))
}

/// A server of tools in the words of the configuration.
fn mcp_server(server: &McpServer) -> String {
    let table = |map: &Map<String, String>| {
        let members = map.iter().map(|(name, value)| format!("{}:{}", quoted(name), quoted(value)));
        format!("{{{}}}", members.collect::<Vec<_>>().join(","))
    };
    let mut members = Vec::new();
    let mut add = |key: &str, value: Option<String>| members.extend(value.map(|value| format!("\"{key}\":{value}")));
    add("command", server.command.as_deref().map(quoted));
    let args: Vec<_> = server.args.iter().map(|arg| quoted(arg)).collect();
    add("args", (!args.is_empty()).then(|| format!("[{}]", args.join(","))));
    add("env", (!server.env.is_empty()).then(|| table(&server.env)));
    add("url", server.url.as_deref().map(quoted));
    add("http_headers", (!server.headers.is_empty()).then(|| table(&server.headers)));
    format!("{{{}}}", members.join(","))
}

/// The modes that are a sandbox, as a turn names them; the others say when to ask.
fn sandbox(mode: &str) -> Option<&'static str> {
    match mode {
        "read-only" => Some("readOnly"),
        "workspace-write" => Some("workspaceWrite"),
        "danger-full-access" => Some("dangerFullAccess"),
        _ => None,
    }
}

fn prompt_part(part: &PromptPart) -> String {
    match part {
        PromptPart::Text { text } => format!("{{\"type\":\"text\",\"text\":{},\"text_elements\":[]}}", quoted(text)),
        PromptPart::Image { mime, data } => image(mime, data),
        PromptPart::File { mime: Some(mime), data: Some(data), .. } if mime.starts_with("image/") => image(mime, data),
        PromptPart::File { path, .. } => file(path),
    }
}

fn image(mime: &str, data: &str) -> String {
    format!("{{\"type\":\"image\",\"url\":{}}}", quoted(&format!("data:{mime};base64,{data}")))
}

/// A file is an image, a skill or a mention, by its name.
fn file(path: &str) -> String {
    let mut parts = path.rsplit(['/', '\\']);
    let name = parts.next().unwrap_or(path);
    let lower = name.to_ascii_lowercase();
    if [".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp"].iter().any(|ending| lower.ends_with(ending)) {
        return format!("{{\"type\":\"localImage\",\"path\":{}}}", quoted(path));
    }
    let (kind, name) = match parts.next() {
        Some(folder) if name == "SKILL.md" => ("skill", folder),
        _ => ("mention", name),
    };
    format!("{{\"type\":\"{kind}\",\"name\":{},\"path\":{}}}", quoted(name), quoted(path))
}

fn response(pending: &Pending, result: &str) -> String {
    format!("{{\"id\":{},\"result\":{result}}}\n", pending.id)
}

fn permission(pending: &Pending, reply: &ReplyPermissionCommand) -> String {
    use PermissionReply::{Accept, AcceptForSession, Reject};
    match (pending.ask, reply.reply) {
        (Ask::Permissions, Accept) => format!("{{\"permissions\":{},\"scope\":\"turn\"}}", pending.input),
        (Ask::Permissions, AcceptForSession) => format!("{{\"permissions\":{},\"scope\":\"session\"}}", pending.input),
        (Ask::Permissions, Reject) => "{\"permissions\":{},\"scope\":\"turn\"}".to_owned(),
        (Ask::Tool | Ask::Form, Accept) => "{\"action\":\"accept\",\"content\":null,\"_meta\":null}".to_owned(),
        (Ask::Tool | Ask::Form, AcceptForSession) => {
            "{\"action\":\"accept\",\"content\":null,\"_meta\":{\"persist\":\"session\"}}".to_owned()
        }
        (Ask::Tool | Ask::Form, Reject) => {
            let action = if reply.interrupt { "cancel" } else { "decline" };
            format!("{{\"action\":\"{action}\",\"content\":null,\"_meta\":null}}")
        }
        (ask, answer) => {
            let old = ask == Ask::OldDecision;
            let word = match (answer, reply.interrupt) {
                (Accept, _) => {
                    if old {
                        "approved"
                    } else {
                        "accept"
                    }
                }
                (AcceptForSession, _) => {
                    if old {
                        "approved_for_session"
                    } else {
                        "acceptForSession"
                    }
                }
                (Reject, false) => {
                    if old {
                        "denied"
                    } else {
                        "decline"
                    }
                }
                (Reject, true) => {
                    if old {
                        "abort"
                    } else {
                        "cancel"
                    }
                }
            };
            format!("{{\"decision\":\"{word}\"}}")
        }
    }
}

fn answers(pending: &Pending, reply: &ReplyQuestionCommand) -> String {
    let pairs = pending.questions.iter().zip(&reply.answers);
    if pending.ask == Ask::Form {
        let fields: Vec<_> = pairs.filter_map(|(name, answers)| form_member(&pending.input, name, answers)).collect();
        return format!("{{\"action\":\"accept\",\"content\":{{{}}},\"_meta\":null}}", fields.join(","));
    }
    let given = pairs.map(|(id, answers)| {
        let list: Vec<_> = answers.iter().map(|answer| quoted(answer)).collect();
        format!("{}:{{\"answers\":[{}]}}", quoted(id), list.join(","))
    });
    format!("{{\"answers\":{{{}}}}}", given.collect::<Vec<_>>().join(","))
}

fn refusal(pending: &Pending) -> String {
    if pending.ask == Ask::Form {
        return response(pending, "{\"action\":\"decline\",\"content\":null,\"_meta\":null}");
    }
    // No answer is what the agent takes for a refusal.
    response(pending, "{\"answers\":{}}")
}

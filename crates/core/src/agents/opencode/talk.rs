//! Commands → requests to OpenCode's server.

use std::fmt::Write as _;

use super::state::{Chosen, Dialect, Native, Pending, Route, State};
use crate::api::{
    Command, HttpRequest, Outgoing, PermissionReply, PromptPart, ReplyPermissionCommand, ReplyQuestionCommand,
    StartCommand,
};
use crate::emit::Emit;
use crate::json::quoted;

impl State {
    /// Encodes a command.
    pub(super) fn encode(&mut self, command: &Command, emit: &mut Emit<'_>, outgoing: &mut Vec<Outgoing>) {
        let session = emit.session().native_id.clone();
        let request = match command {
            Command::Start(start) => {
                // A session is made with a model and its variant, not with a variant alone.
                let variant = start.variant.clone().filter(|_| start.model.is_none());
                self.choose_ahead(Chosen { variant, ..Chosen::default() }, emit);
                Self::start(start)
            }
            Command::Resume(resume) => {
                let known = self.sessions.get(&resume.native_session_id).map(|native| native.index);
                if known.is_some_and(|index| index != emit.selected() && !emit.book.sessions[index].has_ended()) {
                    return emit.unsupported("the conversation is that of another session, which is open");
                }
                self.take(&resume.native_session_id, emit);
                let chosen = &mut self.native(&resume.native_session_id).chosen;
                let (model, variant) = (resume.start.model.clone(), resume.start.variant.clone());
                if model.is_some() || variant.is_some() {
                    (chosen.model, chosen.variant) = (model.or(chosen.model.take()), variant);
                }
                get(format!("/session/{}", resume.native_session_id))
            }
            Command::Fork(fork) => {
                let (model, variant) = (fork.start.model.clone(), fork.start.variant.clone());
                self.choose_ahead(Chosen { model, variant, ..Chosen::default() }, emit);
                post(format!("/session/{}/fork", fork.native_session_id), "{}".to_owned())
            }
            Command::ReplyPermission(reply) => match self.waiting(&reply.permission_id) {
                Some(pending) => permission_reply(pending, reply),
                None => return emit.unsupported("this permission does not wait for an answer"),
            },
            Command::ReplyQuestion(reply) => match self.waiting(&reply.question_id) {
                Some(pending) => question_reply(pending, reply),
                None => return emit.unsupported("this question does not wait for an answer"),
            },
            Command::RejectQuestion(reject) => match self.waiting(&reject.question_id) {
                Some(pending) => HttpRequest {
                    body: None,
                    ..post(request_path(pending, "question", &reject.question_id, "reject"), String::new())
                },
                None => return emit.unsupported("this question does not wait for an answer"),
            },
            Command::SetPermissionMode { .. } => {
                return emit.unsupported("what it may do is set by rules in its configuration");
            }
            // What runs for the session is stopped; the server goes on.
            Command::Terminate => match session.filter(|_| emit.session().turn_id().is_some()) {
                Some(session) => HttpRequest { body: None, ..post(format!("/session/{session}/abort"), String::new()) },
                None => return,
            },
            Command::Prompt(_)
            | Command::Interrupt
            | Command::Compact { .. }
            | Command::SetModel { .. }
            | Command::SetVariant { .. }
            | Command::SetAgent { .. } => {
                let Some(session) = session else {
                    return emit.unsupported("no session is open yet; start one and wait for the answer");
                };
                self.enter(&session, emit);
                match self.of_session_command(&session, command, emit) {
                    Some(request) => request,
                    None => return,
                }
            }
        };
        outgoing.push(Outgoing::Http(request));
    }

    /// A request that no answer was given to.
    fn waiting(&self, id: &str) -> Option<&Pending> {
        self.requests.get(id).filter(|pending| pending.reply.is_none())
    }

    /// The session at hand goes on with this one of the server.
    fn take(&mut self, id: &str, emit: &mut Emit<'_>) {
        let index = emit.selected();
        if self.sessions.get(id).is_none_or(|native| native.index != index) {
            self.forget_session(id);
            self.sessions.insert(id.to_owned(), Native { index, ..Native::default() });
        }
        self.native(id).resumes = true;
        emit.adopt(id);
    }

    /// What is chosen for the prompts of a session that is not there yet.
    fn choose_ahead(&mut self, chosen: Chosen, emit: &Emit<'_>) {
        self.chosen_ahead.remove(&emit.selected());
        if chosen.model.is_some() || chosen.variant.is_some() {
            self.chosen_ahead.insert(emit.selected(), chosen);
        }
    }

    fn start(start: &StartCommand) -> HttpRequest {
        // The directory is chosen with the server, or by the query.
        let query = start.cwd.as_deref().map(|cwd| format!("?directory={}", encoded(cwd))).unwrap_or_default();
        let model = start.model.as_deref().and_then(|model| session_model(model, start.variant.as_deref()));
        post(format!("/session{query}"), object(&[("model", model)]))
    }

    /// A command to a session that is open. What is chosen for later prompts needs no request.
    fn of_session_command(&mut self, session: &str, command: &Command, emit: &mut Emit<'_>) -> Option<HttpRequest> {
        let api = self.native(session).dialect == Some(Dialect::Next);
        let path = if api { format!("/api/session/{session}") } else { format!("/session/{session}") };
        let folder = emit.fact("cwd").unwrap_or_default();
        let chosen = &mut self.native(session).chosen;
        match command {
            Command::SetModel { model } => chosen.model = Some(model.clone()),
            Command::SetVariant { variant } => chosen.variant = Some(variant.clone()),
            Command::SetAgent { agent } => chosen.agent = Some(agent.clone()),
            Command::Interrupt => {
                let verb = if api { "interrupt" } else { "abort" };
                return Some(HttpRequest { body: None, ..post(format!("{path}/{verb}"), String::new()) });
            }
            Command::Compact { instructions: Some(_) } => {
                emit.unsupported("its summary takes no instructions");
            }
            Command::Compact { instructions: None } if api => {
                return Some(post(format!("{path}/compact"), "{}".to_owned()));
            }
            Command::Compact { instructions: None } => {
                let known = self.native(session).turn.model.clone();
                let model = self.native(session).chosen.model.clone().or(known);
                let Some((provider, model)) = model.as_deref().and_then(|model| model.split_once('/')) else {
                    emit.unsupported("a summary needs a model; set one first");
                    return None;
                };
                let members = [("providerID", Some(quoted(provider))), ("modelID", Some(quoted(model)))];
                return Some(post(format!("{path}/summarize"), object(&members)));
            }
            Command::Prompt(prompt) if api => {
                return Some(post(
                    format!("{path}/prompt"),
                    object(&[("prompt", Some(api_prompt(&prompt.parts, &folder)))]),
                ));
            }
            Command::Prompt(prompt) => {
                let parts: Vec<_> = prompt.parts.iter().map(|part| prompt_part(part, &folder)).collect();
                let members = [
                    ("model", chosen.model.as_deref().and_then(prompt_model)),
                    ("variant", chosen.variant.as_deref().map(quoted)),
                    ("agent", chosen.agent.as_deref().map(quoted)),
                    ("parts", Some(format!("[{}]", parts.join(",")))),
                ];
                return Some(post(format!("{path}/prompt_async"), object(&members)));
            }
            _ => {}
        }
        None
    }
}

fn post(path: String, body: String) -> HttpRequest {
    HttpRequest { method: "POST".to_owned(), path, body: Some(body) }
}

fn get(path: String) -> HttpRequest {
    HttpRequest { method: "GET".to_owned(), path, body: None }
}

/// An object of the members that there are.
fn object(members: &[(&str, Option<String>)]) -> String {
    let there = members.iter().filter_map(|(key, value)| Some(format!("\"{key}\":{}", value.as_ref()?)));
    format!("{{{}}}", there.collect::<Vec<_>>().join(","))
}

/// A text as a part of a query.
fn encoded(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' => out.push(byte as char),
            _ => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

fn prompt_model(model: &str) -> Option<String> {
    let (provider, id) = model.split_once('/')?;
    Some(object(&[("providerID", Some(quoted(provider))), ("modelID", Some(quoted(id)))]))
}

fn session_model(model: &str, variant: Option<&str>) -> Option<String> {
    let (provider, id) = model.split_once('/')?;
    Some(object(&[("providerID", Some(quoted(provider))), ("id", Some(quoted(id))), ("variant", variant.map(quoted))]))
}

fn prompt_part(part: &PromptPart, folder: &str) -> String {
    let file = |mime: &str, name: Option<&str>, url: &str| {
        object(&[
            ("type", Some("\"file\"".to_owned())),
            ("mime", Some(quoted(mime))),
            ("filename", name.map(quoted)),
            ("url", Some(quoted(url))),
        ])
    };
    match part {
        PromptPart::Text { text } => object(&[("type", Some("\"text\"".to_owned())), ("text", Some(quoted(text)))]),
        PromptPart::Image { mime, data } => file(mime, None, &format!("data:{mime};base64,{data}")),
        PromptPart::File { path, mime, data } => {
            let mime = mime.as_deref().unwrap_or("text/plain");
            file(mime, Some(path), &address(path, mime, data.as_deref(), folder))
        }
    }
}

/// Where the server finds a file: in the request, or at its path. Its address has no place for one that begins in the
/// session's folder.
fn address(path: &str, mime: &str, data: Option<&str>, folder: &str) -> String {
    let has_drive = path.as_bytes().get(1) == Some(&b':');
    match data {
        Some(data) => format!("data:{mime};base64,{data}"),
        None if has_drive => format!("file:///{}", encoded(&path.replace('\\', "/"))),
        None if path.starts_with('/') || folder.is_empty() => format!("file://{}", encoded(path)),
        None => address(&format!("{folder}/{}", path.trim_start_matches("./")), mime, None, ""),
    }
}

/// A prompt of the newer API: one text, and files beside it.
fn api_prompt(parts: &[PromptPart], folder: &str) -> String {
    let texts = parts.iter().filter_map(|part| match part {
        PromptPart::Text { text } => Some(text.as_str()),
        _ => None,
    });
    let files = parts.iter().filter_map(|part| match part {
        PromptPart::Text { .. } => None,
        PromptPart::Image { mime, data } => Some(api_file(mime, None, &address("", mime, Some(data), folder))),
        PromptPart::File { path, mime, data } => {
            let mime = mime.as_deref().unwrap_or("text/plain");
            Some(api_file(mime, Some(path), &address(path, mime, data.as_deref(), folder)))
        }
    });
    let files: Vec<_> = files.collect();
    let files = (!files.is_empty()).then(|| format!("[{}]", files.join(",")));
    object(&[("text", Some(quoted(&texts.collect::<Vec<_>>().join("\n")))), ("files", files)])
}

fn api_file(mime: &str, name: Option<&str>, uri: &str) -> String {
    object(&[("uri", Some(quoted(uri))), ("mime", Some(quoted(mime))), ("name", name.map(quoted))])
}

/// Where an answer to a request goes.
fn request_path(pending: &Pending, what: &str, id: &str, verb: &str) -> String {
    match pending.route {
        Route::Api => format!("/api/session/{}/{what}/{id}/{verb}", pending.session),
        Route::Request | Route::Session => format!("/{what}/{id}/{verb}"),
    }
}

fn permission_reply(pending: &Pending, command: &ReplyPermissionCommand) -> HttpRequest {
    let id = &command.permission_id;
    let reply = match command.reply {
        PermissionReply::Accept => "once",
        PermissionReply::AcceptForSession => "always",
        PermissionReply::Reject => "reject",
    };
    if pending.route == Route::Session {
        let body = object(&[("response", Some(quoted(reply)))]);
        return post(format!("/session/{}/permissions/{id}", pending.session), body);
    }
    // The turn goes on with what it is told, and ends where it is told nothing.
    let tells = command.reply == PermissionReply::Reject && !command.interrupt;
    let message = command.message.as_deref().filter(|_| tells).map(quoted);
    let body = object(&[("reply", Some(quoted(reply))), ("message", message)]);
    post(request_path(pending, "permission", id, "reply"), body)
}

fn question_reply(pending: &Pending, command: &ReplyQuestionCommand) -> HttpRequest {
    let lists = command.answers.iter().map(|answers| {
        let answers: Vec<_> = answers.iter().map(|answer| quoted(answer)).collect();
        format!("[{}]", answers.join(","))
    });
    let answers = format!("[{}]", lists.collect::<Vec<_>>().join(","));
    post(request_path(pending, "question", &command.question_id, "reply"), object(&[("answers", Some(answers))]))
}

//! Reads what a host hands in from JSON text: options, commands, how a process ended.

use interlinear_schema::tape::{Kind, Tape, Value};
use interlinear_schema::{FromJson, Json, Mismatch};

use super::{
    Agent, Command, ConvertOptions, Exit, Failure, McpServer, OpenOptions, PermissionReply, PromptCommand, PromptMode,
    PromptPart, RejectQuestionCommand, ReplyPermissionCommand, ReplyQuestionCommand, ResumeCommand, StartCommand,
};
use crate::map::Map;

impl OpenOptions {
    /// Reads options.
    pub fn from_json(text: &str) -> Result<Self, Failure> {
        read(text, "bad_options", |value| {
            Ok(Self {
                agent: field(value, "agent")?,
                session_id: field(value, "sessionId")?,
                include_raw: optional(value, "includeRaw")?.unwrap_or_default(),
                connection: optional(value, "connection")?.unwrap_or_default(),
                metadata: owned(optional(value, "metadata")?),
                max_line: optional(value, "maxLine")?,
            })
        })
    }
}

impl ConvertOptions {
    /// Reads options.
    pub fn from_json(text: &str) -> Result<Self, Failure> {
        read(text, "bad_options", |value| {
            Ok(Self {
                agent: optional(value, "agent")?,
                session_id: optional(value, "sessionId")?,
                include_raw: optional(value, "includeRaw")?.unwrap_or_default(),
                max_line: optional(value, "maxLine")?,
                branch: optional(value, "branch")?,
            })
        })
    }
}

impl Exit {
    /// Reads how a process ended.
    pub fn from_json(text: &str) -> Result<Self, Failure> {
        read(text, "bad_exit", |value| {
            Ok(Self {
                code: optional(value, "code")?,
                signal: optional(value, "signal")?,
                restart: optional(value, "restart")?.unwrap_or_default(),
            })
        })
    }
}

impl Command {
    /// Its name, if it opens a conversation.
    pub(crate) fn opens(&self) -> Option<&'static str> {
        match self {
            Self::Start(_) => Some("start"),
            Self::Resume(_) => Some("resume"),
            Self::Fork(_) => Some("fork"),
            _ => None,
        }
    }

    /// Reads a command.
    pub fn from_json(text: &str) -> Result<Self, Failure> {
        read(text, "bad_command", |value| {
            let kind: String = field(value, "type")?;
            Ok(match kind.as_str() {
                "start" => Self::Start(StartCommand::from_json(value)?),
                "resume" => Self::Resume(ResumeCommand::from_json(value)?),
                "fork" => Self::Fork(ResumeCommand::from_json(value)?),
                "prompt" => {
                    Self::Prompt(PromptCommand { parts: field(value, "parts")?, mode: optional(value, "mode")? })
                }
                "reply_permission" => Self::ReplyPermission(ReplyPermissionCommand {
                    permission_id: field(value, "permission_id")?,
                    reply: field(value, "reply")?,
                    message: optional(value, "message")?,
                    interrupt: optional(value, "interrupt")?.unwrap_or_default(),
                    updated_input: owned(optional(value, "updated_input")?),
                }),
                "reply_question" => Self::ReplyQuestion(ReplyQuestionCommand {
                    question_id: field(value, "question_id")?,
                    answers: field(value, "answers")?,
                }),
                "reject_question" => Self::RejectQuestion(RejectQuestionCommand {
                    question_id: field(value, "question_id")?,
                    message: optional(value, "message")?,
                }),
                "interrupt" => Self::Interrupt,
                "set_model" => Self::SetModel { model: field(value, "model")? },
                "set_variant" => Self::SetVariant { variant: field(value, "variant")? },
                "set_permission_mode" => Self::SetPermissionMode { mode: field(value, "mode")? },
                "set_agent" => Self::SetAgent { agent: field(value, "agent")? },
                "compact" => Self::Compact { instructions: optional(value, "instructions")? },
                "terminate" => Self::Terminate,
                _ => return Err(Wrong::Said(format!("there is no command `{kind}`"))),
            })
        })
    }
}

/// What is wrong with JSON that was handed in.
enum Wrong {
    Found(Mismatch),
    Said(String),
}

impl From<Mismatch> for Wrong {
    fn from(mismatch: Mismatch) -> Self {
        Self::Found(mismatch)
    }
}

fn read<T>(text: &str, code: &str, take: impl FnOnce(Value<'_>) -> Result<T, Wrong>) -> Result<T, Failure> {
    let mut tape = Tape::default();
    let taken = match tape.read(text) {
        Ok(value) if value.is_object() => take(value),
        Ok(_) => Err(Mismatch::expected("an object").into()),
        Err(error) => Err(Wrong::Said(format!("not JSON: {} at byte {}", error.what, error.at))),
    };
    taken.map_err(|wrong| match wrong {
        Wrong::Found(mismatch) => Failure::new(code, mismatch.to_string()),
        Wrong::Said(message) => Failure::new(code, message),
    })
}

fn field<'a, T: FromJson<'a>>(value: Value<'a>, key: &'static str) -> Result<T, Mismatch> {
    optional(value, key)?.ok_or(Mismatch::missing(key))
}

fn optional<'a, T: FromJson<'a>>(value: Value<'a>, key: &'static str) -> Result<Option<T>, Mismatch> {
    let value = value.get(key).filter(|value| value.kind() != Kind::Null);
    value.map(|value| T::from_json(value).map_err(|mismatch| mismatch.of(key))).transpose()
}

fn owned(json: Option<Json<'_>>) -> Option<Json<'static>> {
    json.map(interlinear_schema::IntoOwned::into_owned)
}

/// One of a set of words.
fn word<T: Copy>(value: Value<'_>, words: &[(&str, T)], expected: &'static str) -> Result<T, Mismatch> {
    let found = value.str().and_then(|name| words.iter().find(|(word, _)| *word == name));
    found.map(|(_, meaning)| *meaning).ok_or(Mismatch::expected(expected))
}

impl FromJson<'_> for Agent {
    fn from_json(value: Value<'_>) -> Result<Self, Mismatch> {
        let name = value.str().unwrap_or_default();
        let known = Self::ALL.iter().copied().find(|agent| agent.as_str() == name);
        known.ok_or(Mismatch::expected("`claude`, `codex`, `opencode`, `amp` or `pi`"))
    }
}

impl FromJson<'_> for StartCommand {
    fn from_json(value: Value<'_>) -> Result<Self, Mismatch> {
        Ok(Self {
            cwd: optional(value, "cwd")?,
            model: optional(value, "model")?,
            variant: optional(value, "variant")?,
            permission_mode: optional(value, "permission_mode")?,
            mcp_servers: optional(value, "mcp_servers")?.unwrap_or_default(),
        })
    }
}

impl FromJson<'_> for ResumeCommand {
    fn from_json(value: Value<'_>) -> Result<Self, Mismatch> {
        let start = optional(value, "start")?.unwrap_or_default();
        Ok(Self { native_session_id: field(value, "native_session_id")?, start })
    }
}

impl FromJson<'_> for McpServer {
    fn from_json(value: Value<'_>) -> Result<Self, Mismatch> {
        Ok(Self {
            command: optional(value, "command")?,
            args: optional(value, "args")?.unwrap_or_default(),
            env: optional(value, "env")?.unwrap_or_default(),
            url: optional(value, "url")?,
            headers: optional(value, "headers")?.unwrap_or_default(),
        })
    }
}

impl<'a, V: FromJson<'a>> FromJson<'a> for Map<String, V> {
    fn from_json(value: Value<'a>) -> Result<Self, Mismatch> {
        if !value.is_object() {
            return Err(Mismatch::expected("an object"));
        }
        let entries = value.members().map(|(key, value)| Ok((key.to_owned(), V::from_json(value)?)));
        entries.collect()
    }
}

impl FromJson<'_> for PromptMode {
    fn from_json(value: Value<'_>) -> Result<Self, Mismatch> {
        word(value, &[("steer", Self::Steer), ("follow_up", Self::FollowUp)], "`steer` or `follow_up`")
    }
}

impl FromJson<'_> for PermissionReply {
    fn from_json(value: Value<'_>) -> Result<Self, Mismatch> {
        let words =
            [("accept", Self::Accept), ("accept_for_session", Self::AcceptForSession), ("reject", Self::Reject)];
        word(value, &words, "`accept`, `accept_for_session` or `reject`")
    }
}

impl FromJson<'_> for PromptPart {
    fn from_json(value: Value<'_>) -> Result<Self, Mismatch> {
        let kind: String = field(value, "type")?;
        Ok(match kind.as_str() {
            "text" => Self::Text { text: field(value, "text")? },
            "image" => Self::Image { mime: field(value, "mime")?, data: field(value, "data")? },
            "file" => Self::File {
                path: field(value, "path")?,
                mime: optional(value, "mime")?,
                data: optional(value, "data")?,
            },
            _ => return Err(Mismatch::expected("`text`, `image` or `file`").of("type")),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_of_a_permission_reply_is_kept_as_it_was_written() {
        let text = r#"{"type":"reply_permission","permission_id":"p","reply":"accept","updated_input":{"n": 1.0}}"#;
        let kept = |reply: &ReplyPermissionCommand| reply.updated_input.as_ref().map(|json| json.as_str().to_owned());
        let command = Command::from_json(text);
        assert!(
            matches!(&command, Ok(Command::ReplyPermission(reply)) if kept(reply).as_deref() == Some(r#"{"n": 1.0}"#)),
            "{command:?}"
        );
    }

    #[test]
    fn every_command_survives_being_written_and_read() {
        let text = |name: &str| name.to_owned();
        let server = McpServer {
            command: Some(text("c")),
            args: vec![text("-a")],
            env: [(text("K"), text("v"))].into_iter().collect(),
            url: Some(text("http://localhost")),
            headers: [(text("H"), text("v"))].into_iter().collect(),
        };
        let mcp_servers = [(text("tools"), server)].into_iter().collect();
        let start = StartCommand { cwd: Some(text("/")), mcp_servers, ..StartCommand::default() };
        let commands = [
            Command::Start(start.clone()),
            Command::Resume(ResumeCommand { native_session_id: text("n"), start: start.clone() }),
            Command::Fork(ResumeCommand { native_session_id: text("n"), start: StartCommand::default() }),
            Command::Prompt(PromptCommand { parts: vec![PromptPart::Text { text: text("hello") }], mode: None }),
            Command::Interrupt,
            Command::SetModel { model: text("m") },
            Command::SetVariant { variant: text("v") },
            Command::SetPermissionMode { mode: text("plan") },
            Command::SetAgent { agent: text("build") },
            Command::Compact { instructions: None },
            Command::Terminate,
        ];
        for command in commands {
            let written = serde_json::to_string(&command).unwrap_or_default();
            assert_eq!(Command::from_json(&written), Ok(command));
        }
    }

    #[test]
    fn options_are_read_and_refused_with_what_was_expected() {
        let text = r#"{"agent":"pi","sessionId":"s","includeRaw":true,"metadata":{"a": 1},"maxLine":9}"#;
        let serde: Option<OpenOptions> = serde_json::from_str(text).ok();
        let read = OpenOptions::from_json(text).ok();
        assert_eq!(format!("{read:?}"), format!("{serde:?}"));
        let refused = |text: &str| OpenOptions::from_json(text).err().map(|failure| failure.message);
        assert_eq!(refused("{}").as_deref(), Some("missing field `agent`"));
        assert_eq!(refused("7").as_deref(), Some("expected an object"));
        let expected = "field `agent`: expected `claude`, `codex`, `opencode`, `amp` or `pi`";
        assert_eq!(refused(r#"{"agent":"nobody"}"#).as_deref(), Some(expected));
        let exit = Exit::from_json(r#"{"code":null,"signal":"SIGINT"}"#);
        assert_eq!(exit, Ok(Exit { signal: Some("SIGINT".to_owned()), ..Exit::default() }));
    }

    #[test]
    fn an_unknown_command_is_refused_by_name() {
        let failure = Command::from_json(r#"{"type":"dance"}"#);
        assert_eq!(failure, Err(Failure::new("bad_command", "there is no command `dance`")));
    }
}

//! What a host hands in and gets back, besides events: options, channels, commands, reports.

use crate::map::Map;
use crate::state::{kept_fields, kept_variants};
use interlinear_schema::tape::{Tape, Value};
use interlinear_schema::{Json, ToJson};
use serde::{Deserialize, Serialize};

/// The agents that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "lowercase")]
pub enum Agent {
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
    /// Amp.
    Amp,
    /// Pi.
    Pi,
    /// OpenCode.
    Opencode,
}

impl Agent {
    /// Every agent that can be read.
    pub const ALL: &[Self] = &[Self::Claude, Self::Codex, Self::Opencode, Self::Amp, Self::Pi];

    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Amp => "amp",
            Self::Pi => "pi",
            Self::Codex => "codex",
            Self::Opencode => "opencode",
        }
    }
}

/// Where a session is read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// The agent's own stream, as it runs.
    Live,
    /// The stream of a one-shot run.
    Exec,
    /// The files that the agent left.
    Stored,
}

impl Form {
    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Exec => "exec",
            Self::Stored => "stored",
        }
    }
}

/// How to open a session, or a connection that carries several.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct OpenOptions {
    /// The agent that speaks.
    pub agent: Agent,
    /// The session's identifier; for a connection, what the identifiers of its sessions begin with.
    pub session_id: String,
    /// Whether every event carries the native object that caused it.
    #[serde(default)]
    pub include_raw: bool,
    /// Whether several sessions may come out. If not, a second one is refused: an error says so once, and what
    /// belongs to it is ignored.
    #[serde(default)]
    pub connection: bool,
    /// What the host knows about the session: it is repeated in the metadata of `session.started`.
    #[serde(default)]
    #[cfg_attr(feature = "tsify", tsify(optional, type = "Record<string, unknown>"))]
    pub metadata: Option<Json<'static>>,
    /// The longest line that is read, in bytes; 64 MiB if not given.
    #[serde(default)]
    #[cfg_attr(feature = "tsify", tsify(optional))]
    pub max_line: Option<u32>,
}

/// How to convert a whole transcript, live or stored.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase", default)]
pub struct ConvertOptions {
    /// The agent that spoke; found out from the first lines if not given.
    #[cfg_attr(feature = "tsify", tsify(optional))]
    pub agent: Option<Agent>,
    /// The session's identifier; taken from the transcript if not given.
    #[cfg_attr(feature = "tsify", tsify(optional))]
    pub session_id: Option<String>,
    /// Whether every event carries the native object that caused it.
    pub include_raw: bool,
    /// The longest line that is read, in bytes; 64 MiB if not given.
    #[cfg_attr(feature = "tsify", tsify(optional))]
    pub max_line: Option<u32>,
    /// Of a stored session that is a tree: the entry with which the branch ends that is to be read. The session's
    /// facts name them (`branches`); the one that was used last if not given.
    #[cfg_attr(feature = "tsify", tsify(optional))]
    pub branch: Option<String>,
}

/// The stream on which bytes went: the names that recordings use.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Channel {
    /// The agent's standard output.
    #[default]
    Stdout,
    /// The agent's standard error.
    Stderr,
    /// The agent's standard input.
    Stdin,
    /// The agent's command line: one JSON array of strings.
    Argv,
    /// A stream of server-sent events, with its path where there are several.
    Sse(String),
    /// The body of a request or of its response, handed over whole: it may be empty, and any JSON or text.
    Http {
        /// Method and path: `POST /session`.
        request: String,
        /// The status of the response.
        status: Option<u16>,
    },
}

impl Channel {
    /// The channel's name, as [`Channel::parse`] reads it.
    pub fn name(&self) -> String {
        match self {
            Self::Stdout => "stdout".to_owned(),
            Self::Stderr => "stderr".to_owned(),
            Self::Stdin => "stdin".to_owned(),
            Self::Argv => "argv".to_owned(),
            Self::Sse(path) if path.is_empty() => "sse".to_owned(),
            Self::Sse(path) => format!("sse {path}"),
            Self::Http { request, status } => {
                let status = status.map_or("null".to_owned(), |status| status.to_string());
                format!("{{\"http\":{},\"status\":{status}}}", Json::of(request).as_str())
            }
        }
    }

    /// Reads a channel's name: `stdout`, `stderr`, `stdin`, `argv`, `sse`, `sse /api/event`, or the JSON
    /// `{"http":"POST /path","status":200}`. Any other name is taken for standard output.
    pub fn parse(name: &str) -> Self {
        match name {
            "stderr" => Self::Stderr,
            "stdin" => Self::Stdin,
            "argv" => Self::Argv,
            _ if name == "sse" || name.starts_with("sse ") => {
                Self::Sse(name.trim_start_matches("sse").trim_start().to_owned())
            }
            _ => Self::parse_http(name).unwrap_or_default(),
        }
    }
}

impl Channel {
    fn parse_http(name: &str) -> Option<Self> {
        let mut tape = Tape::default();
        let value = tape.read(name).ok()?;
        let status = value.get("status").and_then(Value::u64).and_then(|status| status.try_into().ok());
        Some(Self::Http { request: value.get("http")?.str()?.into_owned(), status })
    }
}

/// What the host wants the agent to do. The core encodes it into the agent's own words; see `outgoing`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Command {
    /// Shakes hands with a fresh agent, where its protocol has a handshake.
    Start(StartCommand),
    /// Goes on with an earlier session.
    Resume(ResumeCommand),
    /// Goes on with a copy of an earlier session.
    Fork(ResumeCommand),
    /// Says something to the agent.
    Prompt(PromptCommand),
    /// Answers a permission request.
    ReplyPermission(ReplyPermissionCommand),
    /// Answers a question.
    ReplyQuestion(ReplyQuestionCommand),
    /// Dismisses a question.
    RejectQuestion(RejectQuestionCommand),
    /// Stops the running turn; the session stays usable.
    Interrupt,
    /// Chooses the model for what follows.
    SetModel {
        /// The model, in the agent's words.
        model: String,
    },
    /// Chooses the variant (reasoning effort) for what follows.
    SetVariant {
        /// The variant, in the agent's words.
        variant: String,
    },
    /// Chooses what the agent may do without asking.
    SetPermissionMode {
        /// The mode, in the agent's words.
        mode: String,
    },
    /// Chooses the agent's role (plan, build).
    SetAgent {
        /// The role's name.
        agent: String,
    },
    /// Asks the agent to summarise the conversation to make room.
    Compact {
        /// What to keep in mind.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "tsify", tsify(optional))]
        instructions: Option<String>,
    },
    /// Ends the session: the process, or one session of several that a connection carries.
    Terminate,
}

/// Shakes hands with a fresh agent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(default)]
pub struct StartCommand {
    /// The working directory.
    #[cfg_attr(feature = "tsify", tsify(optional))]
    pub cwd: Option<String>,
    /// The model.
    #[cfg_attr(feature = "tsify", tsify(optional))]
    pub model: Option<String>,
    /// The variant (reasoning effort).
    #[cfg_attr(feature = "tsify", tsify(optional))]
    pub variant: Option<String>,
    /// The permission mode.
    #[cfg_attr(feature = "tsify", tsify(optional))]
    pub permission_mode: Option<String>,
    /// Servers of tools, by name: for an agent that takes them with the session, and not with its process.
    #[cfg_attr(feature = "tsify", tsify(optional, type = "Record<string, McpServer>"))]
    pub mcp_servers: Map<String, McpServer>,
}

/// A server of tools: a program, or an address.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(default)]
pub struct McpServer {
    /// The program.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "tsify", tsify(optional))]
    pub command: Option<String>,
    /// The program's arguments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "tsify", tsify(optional))]
    pub args: Vec<String>,
    /// The program's environment.
    #[serde(skip_serializing_if = "Map::is_empty")]
    #[cfg_attr(feature = "tsify", tsify(optional, type = "Record<string, string>"))]
    pub env: Map<String, String>,
    /// The address.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "tsify", tsify(optional))]
    pub url: Option<String>,
    /// What each request to the address carries.
    #[serde(skip_serializing_if = "Map::is_empty")]
    #[cfg_attr(feature = "tsify", tsify(optional, type = "Record<string, string>"))]
    pub headers: Map<String, String>,
}

/// Goes on with an earlier session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
pub struct ResumeCommand {
    /// The agent's own identifier of the session.
    pub native_session_id: String,
    /// What is to be as for a fresh session, and not as it was.
    #[serde(default)]
    #[cfg_attr(feature = "tsify", tsify(optional))]
    pub start: StartCommand,
}

/// Says something to the agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
pub struct PromptCommand {
    /// What is said.
    pub parts: Vec<PromptPart>,
    /// How it meets a running turn: it steers that turn, or waits for its end. The agent's own way if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "tsify", tsify(optional))]
    pub mode: Option<PromptMode>,
}

/// How a prompt meets a running turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum PromptMode {
    /// It is heard as soon as possible.
    Steer,
    /// It waits for the end of the turn.
    FollowUp,
}

/// One part of a prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum PromptPart {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
    /// An image.
    Image {
        /// Its MIME type.
        mime: String,
        /// Its bytes, in base64.
        data: String,
    },
    /// A file.
    File {
        /// Its path.
        path: String,
        /// Its MIME type, where its bytes are given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "tsify", tsify(optional))]
        mime: Option<String>,
        /// Its bytes, in base64; without them the agent reads the path by itself.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "tsify", tsify(optional))]
        data: Option<String>,
    },
}

/// Answers a permission request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
pub struct ReplyPermissionCommand {
    /// The request.
    pub permission_id: String,
    /// The answer.
    pub reply: PermissionReply,
    /// What to tell the agent with a refusal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "tsify", tsify(optional))]
    pub message: Option<String>,
    /// With a refusal: also stop the turn.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "tsify", tsify(optional))]
    pub interrupt: bool,
    /// With an acceptance: the input to use in place of the tool call's own, where the agent takes one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "tsify", tsify(optional, type = "unknown"))]
    pub updated_input: Option<Json<'static>>,
}

/// The answer to a permission request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum PermissionReply {
    /// This once.
    Accept,
    /// For the rest of the session.
    AcceptForSession,
    /// No.
    Reject,
}

/// Answers a question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
pub struct ReplyQuestionCommand {
    /// The request.
    pub question_id: String,
    /// For each question of the request, the chosen options or free text.
    pub answers: Vec<Vec<String>>,
}

/// Dismisses a question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
pub struct RejectQuestionCommand {
    /// The request.
    pub question_id: String,
    /// What to tell the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "tsify", tsify(optional))]
    pub message: Option<String>,
}

/// What the host must do for the core: write to the agent, call it, signal it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub enum Outgoing {
    /// Text for the agent's standard input, newline included.
    Stdin(String),
    /// A request to the agent's server.
    Http(HttpRequest),
    /// A signal to the agent's process: `SIGINT`, `SIGTERM`.
    Signal(String),
    /// The agent's standard input is to be closed.
    CloseStdin(bool),
}

/// A request to the agent's server.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
pub struct HttpRequest {
    /// `GET`, `POST` …
    pub method: String,
    /// The path, with its query.
    pub path: String,
    /// The body: JSON text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "tsify", tsify(optional))]
    pub body: Option<String>,
}

/// How the agent's process ended.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(default)]
pub struct Exit {
    /// The exit code; `null` when a signal ended it.
    #[cfg_attr(feature = "tsify", tsify(optional, type = "number | null"))]
    pub code: Option<i64>,
    /// The signal: `SIGKILL` …
    #[cfg_attr(feature = "tsify", tsify(optional, type = "string | null"))]
    pub signal: Option<String>,
    /// Another process goes on with the sessions: what was running is over, and they are not.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "tsify", tsify(optional))]
    pub restart: bool,
}

/// What was read so far, and what became of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
pub struct Stats {
    /// Lines read, in both directions.
    pub lines: u64,
    /// Bytes read, in both directions.
    pub bytes: u64,
    /// Events by type.
    #[cfg_attr(feature = "tsify", tsify(type = "Record<string, number>"))]
    pub events: Map<String, u64>,
    /// Lines by kind.
    pub kinds: Vec<KindStats>,
    /// Lines that were cut off by the end of the process.
    pub cut: u64,
    /// Lines that could not be read.
    pub unparsed: u64,
    /// What this version does not know: kinds of lines, fields, values, and values of a wrong type.
    pub drift: Vec<Drift>,
}

/// What became of the lines of one kind.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
pub struct KindStats {
    /// The kind, with the direction: `out system/init`, `in user`.
    pub kind: String,
    /// How many lines.
    pub lines: u64,
    /// How many of them became events.
    pub mapped: u64,
    /// Why the others were ignored, and how many.
    #[cfg_attr(feature = "tsify", tsify(type = "Record<string, number>"))]
    pub ignored: Map<String, u64>,
    /// The number of the first such line.
    pub first_line: u64,
}

/// Something that this version does not know.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
pub struct Drift {
    /// What it is.
    pub what: DriftKind,
    /// Where: the kind of the line and the path in it.
    pub name: String,
    /// How often.
    pub count: u64,
    /// The number of the first such line.
    pub first_line: u64,
}

/// What is not known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum DriftKind {
    /// A kind of line.
    #[default]
    Kind,
    /// A field.
    Field,
    /// A value of a field that takes one of a set.
    Value,
    /// A field with a value of another type than it had.
    Type,
}

/// What a transcript is, from its first lines.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
pub struct Detection {
    /// The agent.
    pub agent: Agent,
    /// Live, exec or stored.
    pub form: Form,
    /// Whether it is a recording of both directions.
    pub recording: bool,
    /// The agent's version, where it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "tsify", tsify(optional))]
    pub version: Option<String>,
}

/// A place where a stream of events breaks the contract.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
pub struct Break {
    /// The rule of the contract.
    pub rule: u32,
    /// The session.
    pub session_id: String,
    /// The event's number in its session.
    pub sequence: u64,
    /// What is wrong.
    pub message: String,
}

/// A stretch of a file that is to be read again, in this order, because the file is not in the order of the
/// conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
pub struct Stretch {
    /// Which file, in the order in which they were pushed.
    pub file: u32,
    /// Where it begins, in bytes.
    pub start: u64,
    /// Where it ends, in bytes.
    pub end: u64,
}

/// Why something could not be opened, read back or found out. It has a code and says how to mend it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
pub struct Failure {
    /// `unknown_format`, `bad_options`, `bad_command`, `bad_snapshot`, `snapshot_version` …
    pub code: String,
    /// What is wrong and how to mend it.
    pub message: String,
}

impl Failure {
    pub(crate) fn new(code: &str, message: impl Into<String>) -> Self {
        Self { code: code.to_owned(), message: message.into() }
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

/// Writes an object; fields that are not there are left out.
fn object(out: &mut Vec<u8>, fields: &[(&str, Option<&dyn ToJson>)]) {
    let mut before = b'{';
    for (key, value) in fields {
        if let Some(value) = value {
            out.push(before);
            key.write_json(out);
            out.push(b':');
            value.write_json(out);
            before = b',';
        }
    }
    if before == b'{' {
        out.push(before);
    }
    out.push(b'}');
}

/// Reports are written as JSON: the fields that are always there, then those that may be missing.
macro_rules! report {
    ($name:ident { $( $field:ident ),* $(; $( $optional:ident ),* )? }) => {
        impl ToJson for $name {
            fn write_json(&self, out: &mut Vec<u8>) {
                let Self { $( $field, )* $( $( $optional, )* )? } = self;
                object(out, &[
                    $( (stringify!($field), Some($field)), )*
                    $( $( (stringify!($optional), $optional.as_ref().map(|value| value as &dyn ToJson)), )* )?
                ]);
            }
        }
    };
}

report!(Stats { lines, bytes, events, kinds, cut, unparsed, drift });
report!(KindStats { kind, lines, mapped, ignored, first_line });
report!(Drift { what, name, count, first_line });
report!(Detection { agent, form, recording; version });
report!(Break { rule, session_id, sequence, message });
report!(Stretch { file, start, end });
report!(HttpRequest { method, path; body });

impl ToJson for Agent {
    fn write_json(&self, out: &mut Vec<u8>) {
        self.as_str().write_json(out);
    }
}

impl ToJson for Form {
    fn write_json(&self, out: &mut Vec<u8>) {
        self.as_str().write_json(out);
    }
}

impl ToJson for DriftKind {
    fn write_json(&self, out: &mut Vec<u8>) {
        let word = match self {
            Self::Kind => "kind",
            Self::Field => "field",
            Self::Value => "value",
            Self::Type => "type",
        };
        word.write_json(out);
    }
}

impl ToJson for Outgoing {
    fn write_json(&self, out: &mut Vec<u8>) {
        let (key, value): (_, &dyn ToJson) = match self {
            Self::Stdin(text) => ("stdin", text),
            Self::Http(request) => ("http", request),
            Self::Signal(name) => ("signal", name),
            Self::CloseStdin(close) => ("closeStdin", close),
        };
        object(out, &[(key, Some(value))]);
    }
}

impl ToJson for Map<String, u64> {
    fn write_json(&self, out: &mut Vec<u8>) {
        let fields: Vec<(&str, Option<&dyn ToJson>)> =
            self.iter().map(|(key, value)| (key.as_str(), Some(value as &dyn ToJson))).collect();
        object(out, &fields);
    }
}

impl Default for Outgoing {
    fn default() -> Self {
        Self::Stdin(String::new())
    }
}

kept_variants!(Agent { Claude, Codex, Amp, Pi, Opencode });
kept_variants!(Form { Live, Exec, Stored });
kept_variants!(DriftKind { Kind, Field, Value, Type });
kept_variants!(Outgoing { Stdin(String), Http(HttpRequest), Signal(String), CloseStdin(bool), });
kept_fields!(HttpRequest { method, path, body });
kept_fields!(KindStats { kind, lines, mapped, ignored, first_line });

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn same<T: Serialize + ToJson>(value: &T) {
        assert_eq!(Json::of(value).as_str(), serde_json::to_string(value).unwrap_or_default());
    }

    #[test]
    fn reports_are_written_as_serde_writes_them() {
        let counts: Map<String, u64> = [("a \"b\"".to_owned(), 2), ("c".to_owned(), 0)].into_iter().collect();
        let kind = KindStats { kind: "out x".to_owned(), ignored: counts.clone(), ..KindStats::default() };
        let drift = Drift { what: DriftKind::Field, name: "n".to_owned(), count: 1, first_line: 7 };
        same(&Stats { lines: 3, events: counts, kinds: vec![kind], drift: vec![drift], ..Stats::default() });
        same(&Stats::default());
        same(&KindStats::default());
        for version in [None, Some("1.2".to_owned())] {
            same(&Detection { agent: Agent::Opencode, form: Form::Exec, recording: true, version });
        }
        same(&vec![Break { rule: 3, session_id: "s".to_owned(), sequence: 9, message: "m".to_owned() }]);
        same(&vec![Stretch { file: 1, start: 2, end: 3 }]);
        let request = |body| HttpRequest { method: "POST".to_owned(), path: "/".to_owned(), body };
        same(&vec![
            Outgoing::Stdin("{}\n".to_owned()),
            Outgoing::Http(request(None)),
            Outgoing::Http(request(Some("{}".to_owned()))),
            Outgoing::Signal("SIGINT".to_owned()),
            Outgoing::CloseStdin(true),
        ]);
        Agent::ALL.iter().for_each(same);
        [Form::Live, Form::Exec, Form::Stored].iter().for_each(same);
        [DriftKind::Kind, DriftKind::Field, DriftKind::Value, DriftKind::Type].iter().for_each(same);
    }

    #[test]
    fn a_channel_is_read_by_its_name() {
        let http = |status| Channel::Http { request: "POST /a \"b\"".to_owned(), status };
        for channel in [Channel::Stdout, Channel::Stderr, Channel::Sse("/e".to_owned()), http(None), http(Some(200))] {
            assert_eq!(Channel::parse(&channel.name()), channel);
        }
    }
}

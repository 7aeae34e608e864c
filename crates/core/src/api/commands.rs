//! What the host wants of an agent, and what it must do for that.

use interlinear_schema::Json;
use serde::{Deserialize, Serialize};

use crate::map::Map;

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

//! What is read, and where it comes from.

use interlinear_schema::Json;
use interlinear_schema::tape::{Tape, Value};
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

/// The stream on which bytes went.
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

    fn parse_http(name: &str) -> Option<Self> {
        let mut tape = Tape::default();
        let value = tape.read(name).ok()?;
        let status = value.get("status").and_then(Value::u64).and_then(|status| status.try_into().ok());
        Some(Self::Http { request: value.get("http")?.str()?.to_owned(), status })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_channel_is_read_by_its_name() {
        let http = |status| Channel::Http { request: "POST /a \"b\"".to_owned(), status };
        for channel in [Channel::Stdout, Channel::Stderr, Channel::Sse("/e".to_owned()), http(None), http(Some(200))] {
            assert_eq!(Channel::parse(&channel.name()), channel);
        }
    }
}

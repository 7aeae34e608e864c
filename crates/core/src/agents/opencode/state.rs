//! What is remembered while OpenCode is read.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::streams::Streams;
use crate::emit::Ref;

/// Everything that a later line may refer to.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct State {
    /// The sessions of the server, by their identifier; those of subagents too.
    pub(super) sessions: BTreeMap<String, Native>,
    /// Sessions of subagents whose call is not known yet.
    pub(super) unlinked: BTreeMap<String, Unlinked>,
    /// Sessions that were deleted.
    pub(super) deleted: BTreeSet<String>,
    /// Messages that are not over, by their identifier.
    pub(super) messages: BTreeMap<String, Message>,
    /// Tool calls that are not over, by the identifier of their part.
    pub(super) tools: BTreeMap<String, Tool>,
    /// Hashes of the identifiers of messages and parts that are over.
    pub(super) done: BTreeSet<u64>,
    /// Requests of the agent that wait for an answer, by their identifier.
    pub(super) requests: BTreeMap<String, Pending>,
    /// Whether there is a stream of events: what the bodies of responses repeat of it is left to it.
    pub(super) streaming: bool,
    /// What was told on which stream, where the host reads several.
    pub(super) streams: Streams,
    /// Whether this is a stored session.
    pub(super) stored: bool,
    /// The one-shot run that is going on.
    pub(super) run: Option<Run>,
    /// What went wrong last.
    pub(super) last_error: Option<String>,
    /// The Agent Client Protocol: requests of the host that wait for an answer, by their number.
    pub(super) acp: BTreeMap<String, String>,
    /// The message that its chunks belong to, where that began with a thought.
    pub(super) acp_message: Option<String>,
}

/// A session of the server.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Native {
    /// The session that its events go to.
    pub(super) index: usize,
    /// The call that started it, if it is a subagent's.
    pub(super) agent: Option<String>,
    /// When it was created, as far as it is known.
    pub(super) created: i64,
    /// The message whose parts are still coming although nothing will say that they are there.
    pub(super) settling: Option<String>,
    pub(super) turn: Turn,
    /// The failure that was told last: its name and a hash of its words.
    pub(super) told: Option<(String, u64)>,
    /// A request that failed, and when that is told if no event explains it.
    pub(super) failed: Option<FailedRequest>,
    /// Hashes of prompts that were told when they were sent: the stream began after that, and shows them too.
    pub(super) sent: Vec<u64>,
    /// The next prompt is not to be answered.
    pub(super) no_reply: bool,
    /// The role that the session itself named last: it goes on naming the one that it began with.
    pub(super) named_role: Option<String>,
    /// The role that the last prompt is for. Answers name that of a helper where one gives them.
    pub(super) role: Option<String>,
    /// The state of a revert.
    pub(super) revert: bool,
    /// The last change of files that was told, as a hash.
    pub(super) diff: u64,
    /// Which dialect tells of its messages.
    pub(super) dialect: Option<Dialect>,
    /// What the host has chosen for the prompts to come.
    pub(super) chosen: Chosen,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Dialect {
    /// `message.*`.
    Messages,
    /// `session.next.*`.
    Next,
}

/// What the host has chosen for the prompts to come.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Chosen {
    pub(super) model: Option<String>,
    pub(super) variant: Option<String>,
    pub(super) agent: Option<String>,
}

/// What is known of the running turn.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Turn {
    /// It was said to be over while something was still open.
    pub(super) idle: bool,
    pub(super) failed: bool,
    pub(super) interrupted: bool,
    /// It waits for another attempt.
    pub(super) retrying: bool,
    pub(super) model: Option<String>,
    pub(super) stop_reason: Option<String>,
    pub(super) context_used: Option<u64>,
    /// Input, output, read from the cache, written to it, reasoning.
    pub(super) tokens: Option<[u64; 5]>,
    pub(super) cost: Option<f64>,
    pub(super) began: Option<i64>,
    pub(super) last: Option<i64>,
}

/// A request that failed without a reason.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct FailedRequest {
    pub(super) code: String,
    pub(super) message: String,
    pub(super) body: String,
    pub(super) due: i64,
}

/// The session of a subagent whose call is not known yet.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Unlinked {
    /// The session that has started it, if that is known.
    pub(super) index: Option<usize>,
    /// What it said meanwhile.
    pub(super) said: Vec<Waiting>,
}

impl Unlinked {
    /// Whether a stored session says that this one has started it.
    pub(super) fn is_of(&self, parent: Option<&str>) -> bool {
        let names = |text: &String| parent.is_some_and(|parent| text.contains(&format!("\"parentID\":\"{parent}\"")));
        self.said.iter().any(|waiting| matches!(waiting, Waiting::Document(text) if names(text)))
    }
}

/// What waits for its link.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Waiting {
    /// An event of the stream.
    Event(String),
    /// A stored session.
    Document(String),
}

/// A message that is not over.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Message {
    pub(super) session: String,
    pub(super) role: Role,
    /// Its item, once there is something in it.
    pub(super) item: Option<Ref>,
    pub(super) item_id: String,
    pub(super) parts: Vec<TextPart>,
    /// Parts that wait until it is known whose they are, as JSON.
    pub(super) held: Vec<String>,
    /// Files that its tools have shown.
    pub(super) files: Vec<String>,
    pub(super) created: i64,
    /// It was complete when it was first heard of: its parts follow.
    pub(super) complete: Option<Complete>,
    /// It is the summary of a compaction.
    pub(super) summary: bool,
    /// The answer in the form that was asked for, as JSON.
    pub(super) structured: Option<String>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Role {
    #[default]
    Unknown,
    User,
    Assistant,
}

/// How a message was completed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Complete {
    pub(super) failed: bool,
}

/// A text or a thought of a message.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct TextPart {
    pub(super) id: String,
    pub(super) reasoning: bool,
    /// Its place in the item, once there is something in it.
    pub(super) index: Option<usize>,
    /// Blanks at the end of what came: the agent may take them off again.
    pub(super) blanks: Vec<u8>,
    pub(super) done: bool,
}

/// A tool call that is not over.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Tool {
    pub(super) session: String,
    pub(super) message: String,
    pub(super) call_id: String,
    /// The identifier that the agent gave it.
    pub(super) native_id: String,
    pub(super) name: String,
    /// The call's item, while its arguments are not known.
    pub(super) item: Option<Ref>,
    /// The arguments, as JSON.
    pub(super) input: String,
    /// Its end is the end of the turn, as nothing else will be.
    pub(super) ends_turn: bool,
}

/// A request of the agent.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Pending {
    pub(super) session: String,
    pub(super) route: Route,
    /// How many questions there are.
    pub(super) questions: usize,
    /// The answer that the host gave: a word for a permission, answers as JSON for a question.
    pub(super) reply: Option<String>,
}

/// Where an answer must go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Route {
    /// The endpoint of the session.
    Session,
    /// The endpoint of the request.
    Request,
    /// The newer API.
    Api,
}

/// A one-shot run.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Run {
    /// What came through standard input.
    pub(super) input: String,
}

//! What is remembered while OpenCode is read.

use std::collections::VecDeque;

use super::streams::Streams;
use crate::emit::Ref;
use crate::map::{Hashes, Map, Set};
use crate::state::kept;

kept! {
    /// Everything that a later line may refer to.
    #[derive(Debug, Default)]
    pub(crate) struct State {
        /// The sessions of the server, by their identifier; those of subagents too.
        pub(super) sessions: Map<String, Native>,
        /// What was chosen for the prompts of sessions that are not there yet, by the session that they will be.
        pub(super) chosen_ahead: Map<usize, Chosen>,
        /// Sessions of subagents whose call is not known yet.
        pub(super) unlinked: Map<String, Unlinked>,
        /// Sessions that were deleted.
        pub(super) deleted: Set<String>,
        /// Messages that are not over, by their identifier.
        pub(super) messages: Map<String, Message>,
        /// Tool calls that are not over, by the identifier of their part.
        pub(super) tools: Map<String, Tool>,
        /// What hangs below messages, the last of it: a hash of the message, and the call or part.
        pub(super) below: VecDeque<(u64, String)>,
        /// Hashes of the identifiers of messages and parts that are over.
        pub(super) done: Hashes,
        /// Requests of the agent that wait for an answer, by their identifier.
        pub(super) requests: Map<String, Pending>,
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
        pub(super) acp: Map<String, AcpRequest>,
        /// The version that it told.
        pub(super) acp_version: Option<String>,
        /// Numbers for messages that it does not name.
        pub(super) acp_messages: u64,
    }
}

impl State {
    /// What another server goes on with: what was chosen for the prompts to come.
    pub(crate) fn heir(&self) -> Self {
        let own = self.sessions.iter().filter(|(_, native)| native.agent.is_none());
        let kept = |native: &Native| Native { index: native.index, chosen: native.chosen.clone(), ..Native::default() };
        let sessions = own.map(|(id, native)| (id.clone(), kept(native))).collect();
        Self { sessions, streaming: self.streaming, ..Self::default() }
    }
}

kept! {
    /// A session of the server.
    #[derive(Debug, Default)]
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
        /// A hash of the last prompt.
        pub(super) prompt: u64,
        /// The message of the last prompt that was shown: a part of it may come late.
        pub(super) prompted: String,
        /// The conversation was too long and is summarised: the last prompt is given once more.
        pub(super) repeats: bool,
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
        /// The host wants to go on with it, and was not answered yet.
        pub(super) resumes: bool,
        pub(super) acp: Acp,
    }
}

kept! {
    /// What the Agent Client Protocol tells of a session.
    #[derive(Debug, Default)]
    pub(super) struct Acp {
        /// The message that its chunks belong to, where that began with a thought.
        pub(super) message: Option<String>,
        /// A tool has ended: a thought that follows is of the next message.
        pub(super) step_over: bool,
        /// How large the window is.
        pub(super) window: Option<u64>,
        /// What the session has cost so far, where that is known.
        pub(super) cost: Option<f64>,
    }
}

kept! {
    /// A request of the host in the Agent Client Protocol.
    #[derive(Debug, Default)]
    pub(super) struct AcpRequest {
        pub(super) method: String,
        pub(super) session: Option<String>,
        pub(super) cwd: Option<String>,
    }
}

kept! {
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub(super) enum Dialect {
        /// `message.*`.
        #[default]
        Messages,
        /// `session.next.*`.
        Next,
    }
}

kept! {
    /// What the host has chosen for the prompts to come.
    #[derive(Debug, Clone, Default)]
    pub(super) struct Chosen {
        pub(super) model: Option<String>,
        pub(super) variant: Option<String>,
        pub(super) agent: Option<String>,
    }
}

kept! {
    /// What is known of the running turn.
    #[derive(Debug, Default)]
    pub(super) struct Turn {
        /// It was said to be over while something was still open: until then that is waited for.
        pub(super) idle: Option<i64>,
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
        /// The files that a stored turn has changed, as JSON: told at its end.
        pub(super) changes: Option<String>,
    }
}

kept! {
    /// A request that failed without a reason.
    #[derive(Debug, Default)]
    pub(super) struct FailedRequest {
        pub(super) code: String,
        pub(super) message: String,
        pub(super) body: String,
        pub(super) due: i64,
        /// What it was read from, if that is asked for.
        pub(super) cause: Option<String>,
    }
}

kept! {
    /// The session of a subagent whose call is not known yet.
    #[derive(Debug, Default)]
    pub(super) struct Unlinked {
        /// The session that it hangs below, if that is known.
        pub(super) index: Option<usize>,
        /// The identifier of the one that has started it, live.
        pub(super) parent: String,
        /// What it said meanwhile.
        pub(super) said: Vec<Waiting>,
    }
}

impl Unlinked {
    /// Whether a stored session says that this one has started it.
    pub(super) fn is_of(&self, parent: Option<&str>) -> bool {
        let names = |text: &String| parent.is_some_and(|parent| text.contains(&format!("\"parentID\":\"{parent}\"")));
        self.said.iter().any(|waiting| matches!(waiting, Waiting::Document(text) if names(text)))
    }
}

kept! {
    /// What waits for its link.
    #[derive(Debug)]
    pub(super) enum Waiting {
        /// An event of the stream.
        Event(String),
        /// A stored session.
        Document(String),
    }
}

impl Default for Waiting {
    fn default() -> Self {
        Self::Event(String::new())
    }
}

kept! {
    /// A message that is not over.
    #[derive(Debug, Default)]
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
        /// Nothing was heard of it but its parts.
        pub(super) stub: bool,
        /// The files that were changed for a stored prompt, as JSON.
        pub(super) changes: Option<String>,
        /// It is the summary of a compaction.
        pub(super) summary: bool,
        /// The answer in the form that was asked for, as JSON.
        pub(super) structured: Option<String>,
        /// A turn has ended before there was anything in it.
        pub(super) overdue: bool,
    }
}

kept! {
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub(super) enum Role {
        #[default]
        Unknown,
        User,
        Assistant,
    }
}

kept! {
    /// How a message was completed.
    #[derive(Debug, Default)]
    pub(super) struct Complete {
        /// Why it failed, as JSON.
        pub(super) error: Option<String>,
    }
}

kept! {
    /// A text or a thought of a message.
    #[derive(Debug, Default)]
    pub(super) struct TextPart {
        pub(super) id: String,
        pub(super) reasoning: bool,
        /// Its place in the item, once there is something in it.
        pub(super) index: Option<usize>,
        /// Blanks at the end of what came: the agent may take them off again.
        pub(super) blanks: Vec<u8>,
        /// Its words wait with them: nobody has told yet what part it is, or some of them may have been missed.
        pub(super) waits: bool,
        pub(super) done: bool,
    }
}

kept! {
    /// A tool call that is not over.
    #[derive(Debug, Default)]
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
}

kept! {
    /// A request of the agent.
    #[derive(Debug, Default)]
    pub(super) struct Pending {
        pub(super) session: String,
        pub(super) route: Route,
        /// How many questions there are.
        pub(super) questions: usize,
        /// Its number in the Agent Client Protocol, as JSON: unique in the process only.
        pub(super) number: Option<String>,
        /// The answer that the host gave: a word for a permission, answers as JSON for a question.
        pub(super) reply: Option<String>,
    }
}

kept! {
    /// Where an answer must go.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub(super) enum Route {
        /// The endpoint of the session.
        #[default]
        Session,
        /// The endpoint of the request.
        Request,
        /// The newer API.
        Api,
    }
}

kept! {
    /// A one-shot run.
    #[derive(Debug, Default)]
    pub(super) struct Run {
        /// The words of the prompt.
        pub(super) text: String,
        /// The files that belong to it.
        pub(super) files: Vec<String>,
        /// What came through standard input.
        pub(super) input: String,
        /// The item of the prompt, until the input is over.
        pub(super) item: Option<Ref>,
        pub(super) model: Option<String>,
        pub(super) variant: Option<String>,
        pub(super) cwd: Option<String>,
    }
}

//! What is remembered while Claude Code is read.

use crate::agents::call_ids::CallIds;
use crate::emit::Ref;
use crate::map::{Map, Set};
use crate::state::kept;

kept! {
    /// Everything that a later line may refer to.
    #[derive(Debug, Default)]
    pub(crate) struct State {
        /// The message that is being written, by agent; the main agent's key is empty.
        pub(super) messages: Map<String, Message>,
        /// Prompts that were sent and not echoed yet.
        pub(super) prompts: Vec<Prompt>,
        /// Whether the host tells what it sends.
        pub(super) told: bool,
        /// Requests of the agent that wait for an answer.
        pub(super) requests: Vec<Pending>,
        /// Requests of the host that wait for an answer, by `request_id`.
        pub(super) host_requests: Map<String, HostRequest>,
        /// Calls whose results need something of the call, by their identifier.
        pub(super) calls: Map<String, CallInfo>,
        pub(super) call_ids: CallIds,
        /// Subagents and background commands: task → the call that started them.
        pub(super) tasks: Map<String, String>,
        /// Tasks that go on when the turn is over.
        pub(super) background_tasks: Set<String>,
        /// The list of things to do, as the Task tools keep it.
        pub(super) todos: Vec<TodoEntry>,
        /// Lines of this turn and the items that they are in, for retractions.
        pub(super) lines: Map<String, String>,
        /// What the turn is known to be so far.
        pub(super) turn: Turn,
        /// The price of the process so far: the agent only gives sums.
        pub(super) cost: f64,
        /// What went wrong in the last turn.
        pub(super) last_error: Option<String>,
        /// Whether the stream has had an `init` line: without one it is a single JSON object.
        pub(super) initialised: bool,
        /// Whether the agent has said that the conversation was cleared.
        pub(super) reset: bool,
        /// Numbers for the requests that the core makes.
        pub(super) numbered: u64,
        /// Whether this is a stored session.
        pub(super) stored: bool,
        /// Subagents by their identifier → the call that started them. Live, they may be called again when they are done.
        pub(super) agents: Map<String, String>,
        /// Stored, older versions: entries of subagents in the main file → the call that started them.
        pub(super) sidechains: Map<String, String>,
    }
}

kept! {
    /// What is known of the running turn.
    #[derive(Debug, Default)]
    pub(super) struct Turn {
        pub(super) failed: bool,
        pub(super) interrupted: bool,
        pub(super) answered: bool,
        pub(super) model: Option<String>,
        pub(super) stop_reason: Option<String>,
        /// Calls that failed while a request about them was open, and whether they ask the user.
        pub(super) undecided: Map<String, bool>,
        /// Stored sessions: the user said something to be answered.
        pub(super) prompted: bool,
        pub(super) duration_ms: Option<u64>,
        /// The tokens of the last request and its answer: input, output, read from the cache, written to it.
        pub(super) context: [u64; 4],
        /// Stored sessions: the same by message, as the last entry of a message has its final count.
        pub(super) usage: Map<String, [u64; 4]>,
    }
}

impl Turn {
    pub(super) fn context_used(&self) -> Option<u64> {
        Some(sum(self.context)).filter(|used| *used > 0)
    }
}

/// Nobody has used so much that it cannot be added, but a line may say so.
pub(super) fn sum(counts: impl IntoIterator<Item = u64>) -> u64 {
    counts.into_iter().fold(0, u64::saturating_add)
}

kept! {
    /// A message that is being written.
    #[derive(Debug, Default)]
    pub(super) struct Message {
        /// The API's identifier.
        pub(super) id: String,
        /// Its item, once there is something in it.
        pub(super) item: Option<Ref>,
        pub(super) item_id: String,
        /// Whether it comes in stream events.
        pub(super) streaming: bool,
        pub(super) blocks: Vec<StreamBlock>,
    }
}

kept! {
    /// A block that comes in stream events.
    #[derive(Debug, Default)]
    pub(super) struct StreamBlock {
        pub(super) index: u64,
        pub(super) kind: BlockKind,
        /// Its part in the message, or its call, once there is something in it.
        pub(super) part: Option<usize>,
        pub(super) call: Option<Ref>,
        pub(super) call_id: String,
        /// Nothing will be added to it.
        pub(super) ended: bool,
        /// The whole block was seen, or there is nothing to it.
        pub(super) done: bool,
    }
}

impl StreamBlock {
    pub(super) fn has_begun(&self) -> bool {
        self.part.is_some() || self.call.is_some()
    }
}

kept! {
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub(super) enum BlockKind {
        #[default]
        Text,
        Thinking,
        ToolUse,
        Other,
    }
}

kept! {
    /// A prompt that was sent.
    #[derive(Debug, Default)]
    pub(super) struct Prompt {
        pub(super) uuid: Option<String>,
        pub(super) hash: u64,
        pub(super) item_id: String,
    }
}

kept! {
    /// A request of the agent that waits for an answer.
    #[derive(Debug, Default)]
    pub(super) struct Pending {
        pub(super) request_id: String,
        /// The identifier of its event; empty if it is not shown.
        pub(super) event_id: String,
        pub(super) kind: PendingKind,
        /// The tool's input, or the form that is to be filled in.
        pub(super) input: String,
        /// What the agent suggests to allow for the session.
        pub(super) suggestions: String,
        /// The texts of the questions, in their order; of a form, the names of its fields.
        pub(super) questions: Vec<String>,
        pub(super) tool_use_id: Option<String>,
    }
}

kept! {
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub(super) enum PendingKind {
        #[default]
        Permission,
        Question,
        Plan,
        Form,
        /// Between programs: hooks and MCP messages.
        Hidden,
    }
}

kept! {
    /// A request of the host.
    #[derive(Debug, Default)]
    pub(super) enum HostRequest {
        #[default]
        Interrupt,
        /// Withdraws the prompt with this item.
        CancelPrompt(Option<String>),
        Other(String),
    }
}

kept! {
    /// What a result needs of its call.
    #[derive(Debug, Default)]
    pub(super) struct CallInfo {
        pub(super) name: String,
        pub(super) agent: Option<String>,
        /// The arguments, for the tools whose results do not repeat what is needed of them.
        pub(super) input: String,
        /// The hash of the arguments: older versions ask for permission without naming the call.
        pub(super) input_hash: u64,
    }
}

kept! {
    /// One thing to do.
    #[derive(Debug, Clone, Default)]
    pub(super) struct TodoEntry {
        pub(super) id: String,
        pub(super) text: String,
        pub(super) status: String,
    }
}

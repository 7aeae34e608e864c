//! What is remembered while Amp is read.

use std::collections::VecDeque;

use interlinear_schema::ContentPart;

use crate::agents::call_ids::CallIds;
use crate::map::Map;
use crate::state::kept;

kept! {
    /// Everything that a later line may refer to.
    #[derive(Debug, Default)]
    pub(crate) struct State {
        /// Prompts that were sent and not shown yet, in their order.
        pub(super) prompts: VecDeque<Prompt>,
        /// Hashes of those that were shown because the agent had not: it may still do so.
        pub(super) shown: VecDeque<u64>,
        /// Calls that have no result yet, by their identifier.
        pub(super) calls: Map<String, CallInfo>,
        pub(super) call_ids: CallIds,
        /// What the turn is known to be so far.
        pub(super) turn: Turn,
        /// Whether the main agent has said anything.
        pub(super) answered: bool,
        /// What went wrong last.
        pub(super) last_error: Option<String>,
        /// Older versions: the call that was announced last, for results that do not name theirs.
        pub(super) last_call: Option<String>,
        /// Numbers for calls without an identifier.
        pub(super) numbered: u64,
    }
}

kept! {
    /// A prompt that was sent.
    #[derive(Debug, Default)]
    pub(super) struct Prompt {
        pub(super) hash: u64,
        pub(super) parts: Vec<ContentPart<'static>>,
        /// How many bytes it has in its line.
        pub(super) size: usize,
        /// The line, if that is asked for.
        pub(super) cause: Option<String>,
    }
}

kept! {
    /// What is known of the running turn.
    #[derive(Debug, Default)]
    pub(super) struct Turn {
        /// What it answers was shown.
        pub(super) asked: bool,
        pub(super) failed: bool,
        /// Whether the last answer called tools: what the user says then goes into the same turn.
        pub(super) calls: bool,
        pub(super) stop_reason: Option<String>,
        pub(super) model: Option<String>,
        pub(super) context_used: Option<u64>,
        pub(super) context_window: Option<u64>,
        /// Input, output, cache read, cache written; nothing before the first answer.
        pub(super) usage: Option<[u64; 4]>,
        pub(super) duration_ms: Option<u64>,
    }
}

kept! {
    /// What a result needs of its call.
    #[derive(Debug, Default)]
    pub(super) struct CallInfo {
        pub(super) name: String,
        /// The file that it is about.
        pub(super) path: Option<String>,
        /// What it writes to a file.
        pub(super) content: Option<String>,
    }
}

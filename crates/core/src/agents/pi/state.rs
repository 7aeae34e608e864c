//! What is remembered while Pi is read.

use crate::emit::Ref;
use crate::state::kept;

kept! {
    /// Everything that a later line may refer to.
    #[derive(Debug, Default)]
    pub(crate) struct State {
        /// The assistant's message that is being written.
        pub(super) message: Option<Message>,
        /// When the assistant's last message was made.
        pub(super) answered: Option<i64>,
        /// Calls that have no result yet, in the order in which they were announced or began.
        pub(super) calls: Vec<CallInfo>,
        /// Questions of extensions that wait for an answer.
        pub(super) dialogs: Vec<Dialog>,
        /// Commands of the host that were not answered yet.
        pub(super) requests: Vec<HostRequest>,
        /// The prompt with which the host began the turn, until the agent shows it.
        pub(super) said: Option<Said>,
        /// Whether the host tells what it sends.
        pub(super) told: bool,
        /// Between `agent_start` and `agent_end`.
        pub(super) running: bool,
        /// A retry is announced and has not begun.
        pub(super) retrying: bool,
        /// How the end of the turn is waited for once the agent has stopped.
        pub(super) rest: Rest,
        /// The agent began again without telling why: if a prompt of the user follows, it is another turn.
        pub(super) began_again: bool,
        /// Whether this version says when it is idle (`agent_settled`).
        pub(super) settles: bool,
        /// What the turn is known to be so far.
        pub(super) turn: Turn,
        /// An answer that failed: whether it will be repeated is said by the lines that follow.
        pub(super) failure: Option<Failure>,
        /// What went wrong last.
        pub(super) last_error: Option<String>,
        /// The item of the compaction that is under way, and why it is done.
        pub(super) compaction: Option<(Ref, String)>,
        /// The call whose start was the last line.
        pub(super) just_started: Option<String>,
        /// How many commands the host has run itself.
        pub(super) host_commands: u64,
        /// The provider of the model in use.
        pub(super) provider: Option<String>,
        pub(super) context_window: Option<u64>,
        /// Numbers for the commands that the core sends.
        pub(super) numbered: u64,
        /// Whether this is a stored session.
        pub(super) stored: bool,
        /// Stored: the branches that are not shown, each by its last entry, and the entries at which they begin.
        pub(super) branches: crate::map::Map<String, String>,
    }
}

kept! {
    /// How the end of a turn is waited for.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub(super) enum Rest {
        /// The agent is at work, or there is no turn.
        #[default]
        No,
        /// The turn is over if nothing comes until then.
        Silence(i64),
        /// A prompt was accepted: the turn is over if no run begins until then.
        NoRun(i64),
        /// The agent will say so.
        Settled,
        /// A retry or a compaction is under way: the agent will go on.
        GoesOn,
    }
}

kept! {
    /// What is known of the running turn.
    #[derive(Debug, Default)]
    pub(super) struct Turn {
        /// The host asked for its end.
        pub(super) aborted: bool,
        /// The agent says that it was aborted.
        pub(super) interrupted: bool,
        /// The prompt was refused.
        pub(super) refused: bool,
        pub(super) stop_reason: Option<String>,
        pub(super) model: Option<String>,
        pub(super) context_used: Option<u64>,
        /// Input, output, cache read, cache written, reasoning; nothing before the first answer.
        pub(super) usage: Option<[u64; 5]>,
        pub(super) cost: f64,
    }
}

kept! {
    /// The assistant's message that is being written.
    #[derive(Debug, Default)]
    pub(super) struct Message {
        pub(super) item: Ref,
        pub(super) item_id: String,
        pub(super) blocks: Vec<Block>,
    }
}

kept! {
    /// A block of the message that is being written.
    #[derive(Debug, Default)]
    pub(super) struct Block {
        pub(super) index: u64,
        /// Its part in the message, once there is something in it.
        pub(super) part: Option<usize>,
        /// Its call, until the arguments are final.
        pub(super) call: Option<Ref>,
        /// The identifier with which its call began.
        pub(super) call_id: String,
        /// The arguments of its call as they streamed.
        pub(super) arguments: Vec<u8>,
    }
}

kept! {
    /// What a result needs of its call.
    #[derive(Debug, Default)]
    pub(super) struct CallInfo {
        pub(super) id: String,
        /// The identifier that the model gave it: it may give it out again, and subagents have their own.
        pub(super) native: String,
        pub(super) agent: Option<String>,
        pub(super) name: String,
        /// The file that it is about.
        pub(super) path: Option<String>,
        /// How many messages of each of its subagents were shown.
        pub(super) shown: Vec<usize>,
    }
}

kept! {
    /// A question of an extension.
    #[derive(Debug, Default)]
    pub(super) struct Dialog {
        pub(super) id: String,
        /// The identifier of its event.
        pub(super) event_id: String,
        pub(super) kind: DialogKind,
        /// Asked by a hook of an older version.
        pub(super) hook: bool,
        /// The call during which it was asked.
        pub(super) call_id: Option<String>,
        /// When it is dismissed by itself.
        pub(super) until: Option<i64>,
    }
}

kept! {
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub(super) enum DialogKind {
        /// One of several options.
        #[default]
        Select,
        /// Yes or no.
        Confirm,
        /// A line or a page of text.
        Text,
    }
}

kept! {
    /// A prompt of the host.
    #[derive(Debug, Default)]
    pub(super) struct Said {
        pub(super) text: String,
        /// The line that told it, if that is asked for.
        pub(super) cause: Option<String>,
        /// The agent did not show it: it is shown all the same.
        pub(super) shown: bool,
    }
}

kept! {
    /// An answer that failed.
    #[derive(Debug, Default)]
    pub(super) struct Failure {
        pub(super) message: String,
        /// The line that told it, if that is asked for.
        pub(super) cause: Option<String>,
    }
}

kept! {
    /// A command of the host that was not answered yet.
    #[derive(Debug, Default)]
    pub(super) struct HostRequest {
        pub(super) id: String,
        pub(super) kind: String,
        /// `prompt`: its text, unless its turn has begun with it; `bash`: the call that shows it; `switch_session`: the path.
        pub(super) subject: String,
    }
}

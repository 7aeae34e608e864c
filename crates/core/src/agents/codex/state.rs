//! What is remembered while Codex is read.

use super::items::Kind;
use crate::emit::Ref;
use crate::map::Map;
use crate::state::kept;

kept! {
    /// Everything that a later line may refer to.
    #[derive(Debug, Default)]
    pub(crate) struct State {
        /// Threads by their identifier: of the sessions, and of their subagents.
        pub(super) threads: Map<String, Thread>,
        /// Lines of threads that nobody has accounted for yet.
        pub(super) held: Vec<Held>,
        /// Requests of the agent that wait for an answer.
        pub(super) requests: Vec<Pending>,
        /// Requests of the host that wait for an answer, by the JSON of their identifier.
        pub(super) host_requests: Map<String, HostRequest>,
        /// What the host wants of its sessions, by the session.
        pub(super) wishes: Map<usize, Wishes>,
        /// Whether hands were shaken.
        pub(super) initialised: bool,
        /// Numbers for the requests that the core makes.
        pub(super) numbered: u64,
        /// The limits of the account, as they were last said.
        pub(super) limits: String,
        /// What went wrong in the last turn.
        pub(super) last_error: Option<String>,
        /// The version that the app server says it is.
        pub(super) version: Option<String>,
        /// What is only of `exec`.
        pub(super) exec: Exec,
        /// The thread whose rollout file is being read, or the thread of `exec`.
        pub(super) current: String,
    }
}

impl State {
    /// What another process goes on with: what was wished for and not said yet.
    pub(crate) fn heir(&self) -> Self {
        let kept = |wishes: &Wishes| Wishes { opening: false, prompts: Vec::new(), ..wishes.clone() };
        let wishes = self.wishes.iter().map(|(session, wishes)| (*session, kept(wishes))).collect();
        let exec = Exec { processes: self.exec.processes, ..Exec::default() };
        Self { wishes, exec, ..Self::default() }
    }
}

kept! {
    /// A thread.
    #[derive(Debug, Default)]
    pub(super) struct Thread {
        /// The session it belongs to.
        pub(super) session: usize,
        /// The call that started it, if it is a subagent's.
        pub(super) agent: Option<String>,
        /// The turn that runs.
        pub(super) turn: Option<String>,
        /// Whether the agent has said that it begins.
        pub(super) turn_told: bool,
        /// The turn before.
        pub(super) last_turn: Option<String>,
        /// Items that have begun and are not over, by their identifier.
        pub(super) items: Map<String, Live>,
        /// Those of an unknown type, as they began.
        pub(super) unknown: Map<String, String>,
        /// What was told of the failure of the running turn.
        pub(super) failed: Option<String>,
        /// What kind of line has told that the conversation was compacted: other kinds repeat it.
        pub(super) compacted: String,
        pub(super) usage: Tally,
        pub(super) model: Option<String>,
        /// Another model that runs the turn in its place.
        pub(super) rerouted: Option<String>,
        pub(super) effort: Option<String>,
        /// The goal, as it was last told.
        pub(super) goal: String,
        /// The list of things to do, as it was last told.
        pub(super) todos: String,
        /// MCP servers and how they are.
        pub(super) servers: Map<String, String>,
        /// Whether it is a conversation of the first version of the protocol.
        pub(super) older: bool,
        /// What is only of rollout files.
        pub(super) rollout: Rollout,
    }
}

kept! {
    /// An item that has begun.
    #[derive(Debug, Default)]
    pub(super) struct Live {
        pub(super) kind: Kind,
        /// The item of a message.
        pub(super) item: Option<Ref>,
        /// The parts of a message: what they are in the agent's words, and their place.
        pub(super) parts: Vec<(Part, usize)>,
        /// The identifier of a call, and its item while the arguments stream.
        pub(super) call_id: String,
        pub(super) call: Option<Ref>,
        /// What a person reads of a call that may ask for permission without saying it again.
        pub(super) title: String,
        /// The changes of files that it may ask for in the same way.
        pub(super) changes: String,
    }
}

kept! {
    /// Part of a message, in the agent's words.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub(super) enum Part {
        #[default]
        Text,
        /// A part of a summary of reasoning.
        Summary(u64),
        /// Reasoning itself.
        Raw(u64),
    }
}

/// Tokens: input, cached, written to the cache, output, reasoning.
pub(super) type Counts = [u64; 5];

kept! {
    /// Tokens of a thread. The agent gives sums over the thread; what a turn used is how far they have risen.
    #[derive(Debug, Default)]
    pub(super) struct Tally {
        pub(super) sum: Option<Counts>,
        /// Whether the thread goes on and has not answered yet: the sums are those of before.
        pub(super) restored: bool,
        pub(super) turn: Counts,
        pub(super) context_used: Option<u64>,
        pub(super) window: Option<u64>,
    }
}

kept! {
    /// A line that waits until it is known whose thread it is of.
    #[derive(Debug, Default)]
    pub(super) struct Held {
        pub(super) thread: String,
        pub(super) line: String,
        /// The time that stands in it.
        pub(super) at: Option<i64>,
    }
}

kept! {
    /// A request of the agent that waits for an answer.
    #[derive(Debug, Default)]
    pub(super) struct Pending {
        /// The JSON of the request's identifier.
        pub(super) id: String,
        pub(super) session: usize,
        pub(super) thread: String,
        /// The identifier of its event; empty if it is not shown.
        pub(super) event_id: String,
        pub(super) ask: Ask,
        /// The call that it is about.
        pub(super) call: Option<String>,
        /// The questions' own identifiers, or the fields of a form.
        pub(super) questions: Vec<String>,
        /// What is asked for: permissions, or the schema of a form.
        pub(super) input: String,
    }
}

kept! {
    /// What is asked, which tells how the answer is spelt.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub(super) enum Ask {
        /// A command or a change of files: `{decision}`.
        #[default]
        Decision,
        /// The same in the first version of the protocol.
        OldDecision,
        /// Permissions: `{permissions, scope}`.
        Permissions,
        /// A tool of an MCP server: `{action, content, _meta}`.
        Tool,
        /// A form of an MCP server: the same.
        Form,
        /// Questions: `{answers}`.
        Questions,
        /// Between programs.
        Hidden,
    }
}

kept! {
    /// A request of the host.
    #[derive(Debug, Default)]
    pub(super) struct HostRequest {
        pub(super) method: String,
        /// The thread it names.
        pub(super) thread: Option<String>,
        /// The session it was made for, if the core made it.
        pub(super) session: Option<usize>,
        /// What it sets from here on, as JSON.
        pub(super) settings: String,
    }
}

kept! {
    /// What the host wants of a session.
    #[derive(Debug, Clone, Default)]
    pub(super) struct Wishes {
        /// Whether the thread was asked for and is not there yet.
        pub(super) opening: bool,
        /// Prompts that wait for the thread, or for the end of the turn: their input, as JSON.
        pub(super) prompts: Vec<String>,
        pub(super) model: Option<String>,
        pub(super) effort: Option<String>,
        pub(super) approval: Option<String>,
        pub(super) sandbox: Option<String>,
        pub(super) role: Option<String>,
    }
}

kept! {
    /// What is only of `exec`.
    #[derive(Debug, Default)]
    pub(super) struct Exec {
        /// Whether it is `exec` that speaks.
        pub(super) speaks: bool,
        /// Whether a thread goes on: its sums begin before this process.
        pub(super) resumed: bool,
        /// Whether it will say when its turn is over.
        pub(super) tells_turns: bool,
        /// Whether the prompt comes from the standard input.
        pub(super) reads_prompt: bool,
        /// What came from there so far.
        pub(super) prompt: String,
        /// How many processes have begun: each counts its items from the start.
        pub(super) processes: u64,
        /// The model that the command line names.
        pub(super) model: Option<String>,
    }
}

kept! {
    /// What is only of rollout files.
    #[derive(Debug, Default)]
    pub(super) struct Rollout {
        /// Whether items are stored, or only what the model saw and what happened.
        pub(super) paginated: bool,
        /// Whether the lines are bare, as the first versions wrote them: nothing but what the model saw.
        pub(super) bare: bool,
        /// Whether the file says when turns begin and end.
        pub(super) tells_turns: bool,
        /// Whether what stands here is a copy of what the thread has said that has started this one.
        pub(super) copied: bool,
        pub(super) cwd: String,
        /// What the assistant said, until the same comes again with its identifier.
        pub(super) said: Option<Said>,
        /// Calls that the model made and that have not come to their end, in their order.
        pub(super) calls: Vec<SeenCall>,
        /// The end of a turn whose calls were stopped: what they had printed may still be told.
        pub(super) end: Option<Held>,
        /// What was searched last, until the same comes again without an identifier.
        pub(super) searched: String,
        /// Commands that run on, by the number of their terminal.
        pub(super) terminals: Map<String, Terminal>,
    }
}

kept! {
    /// A call that the model made.
    #[derive(Debug, Clone, Default)]
    pub(super) struct SeenCall {
        pub(super) call_id: String,
        pub(super) name: String,
        pub(super) arguments: String,
        /// It was stopped, in these words; what it had printed may still be told.
        pub(super) aborted: Option<String>,
        /// The question that it asked: the identifier of its event.
        pub(super) question: String,
        /// What it was read from, if that is asked for.
        pub(super) cause: Option<String>,
    }
}

kept! {
    /// What the assistant said.
    #[derive(Debug, Default)]
    pub(super) struct Said {
        pub(super) text: String,
        /// What it was read from, if that is asked for.
        pub(super) cause: Option<String>,
    }
}

kept! {
    /// A command that runs on.
    #[derive(Debug, Default)]
    pub(super) struct Terminal {
        pub(super) call_id: String,
        pub(super) output: String,
    }
}

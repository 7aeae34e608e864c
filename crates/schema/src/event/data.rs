//! The data of events, type by type.

use std::borrow::Cow;

use crate::item::{DeltaPart, UniversalItem};
use crate::json::Json;
use crate::macros::{object, words};
use crate::text::Text;

object! {
    /// Data of `session.started`.
    pub struct SessionStartedData {
        required {}
        optional {
            /// The agent, its form, and what the host gave; see `SessionMetadata`.
            #[cfg_attr(feature = "tsify", tsify(type = "SessionMetadata"))]
            metadata: Json<'a>,
        }
    }
}

object! {
    /// Data of `session.ended`.
    pub struct SessionEndedData {
        required {
            /// How it ended.
            reason: EndReason<'a>,
            /// Who ended it.
            terminated_by: TerminatedBy<'a>,
        }
        optional {
            /// What went wrong (only with `reason: error`).
            #[cfg_attr(feature = "tsify", tsify(type = "string"))]
            message: Text<'a>,
            /// The exit code of the process (only with `reason: error`).
            exit_code: i64,
            /// What the process wrote to its standard error (only with `reason: error`).
            stderr: StderrOutput<'a>,
        }
    }
}

words! {
    /// How a session ended.
    pub enum EndReason {
        /// By itself, and well.
        Completed = "completed",
        /// By a failure.
        Error = "error",
        /// It was ended from outside.
        Terminated = "terminated",
    }
}

words! {
    /// Who ended a session.
    pub enum TerminatedBy {
        /// The agent.
        Agent = "agent",
        /// The host.
        Daemon = "daemon",
    }
}

object! {
    /// What a process wrote to its standard error.
    pub struct StderrOutput {
        required {
            /// Whether lines were left out.
            truncated: bool,
        }
        optional {
            /// All of it, or the first 20 lines.
            #[cfg_attr(feature = "tsify", tsify(type = "string"))]
            head: Text<'a>,
            /// The last 50 lines, where lines were left out.
            #[cfg_attr(feature = "tsify", tsify(type = "string"))]
            tail: Text<'a>,
            /// How many lines there were.
            total_lines: u64,
        }
    }
}

object! {
    /// Data of `turn.started` and `turn.ended`.
    pub struct TurnData {
        required {
            /// Which of the two.
            phase: TurnPhase<'a>,
        }
        optional {
            /// The turn's identifier.
            turn_id: Cow<'a, str>,
            /// How the turn went; see `TurnMetadata`.
            #[cfg_attr(feature = "tsify", tsify(type = "TurnMetadata"))]
            metadata: Json<'a>,
        }
    }
}

words! {
    /// Which end of a turn.
    pub enum TurnPhase {
        /// Its start.
        Started = "started",
        /// Its end.
        Ended = "ended",
    }
}

object! {
    /// Data of `item.started` and `item.completed`.
    pub struct ItemData {
        required {
            /// The item.
            item: UniversalItem<'a>,
        }
        optional {}
    }
}

object! {
    /// Data of `item.delta`.
    pub struct ItemDeltaData {
        required {
            /// The item that grows.
            item_id: Cow<'a, str>,
            /// What is added.
            #[cfg_attr(feature = "tsify", tsify(type = "string"))]
            delta: Text<'a>,
        }
        optional {
            /// The agent's own identifier of the item.
            native_item_id: Cow<'a, str>,
            /// Which kind of part grows; absent: text.
            part_type: DeltaPart<'a>,
            /// The part's place in the item's content.
            part_index: u64,
            /// The part's text so far is dropped: `delta` is all of it. Never with text.
            replace: bool,
        }
    }
}

object! {
    /// Data of `permission.requested` and `permission.resolved`.
    pub struct PermissionData {
        required {
            /// Identifier of the request, unique in the session.
            permission_id: Cow<'a, str>,
            /// What the agent wants to do.
            action: Cow<'a, str>,
            /// What became of it.
            status: PermissionStatus<'a>,
        }
        optional {
            /// The tool call that it is about.
            tool_call_id: Cow<'a, str>,
            /// What a person reads.
            #[cfg_attr(feature = "tsify", tsify(type = "string"))]
            title: Text<'a>,
            /// The replies that the agent takes.
            options: Vec<PermissionStatus<'a>>,
            /// The subagent that asks.
            agent_id: Cow<'a, str>,
            /// More: the tool's input, suggestions, the reason.
            #[cfg_attr(feature = "tsify", tsify(type = "unknown"))]
            metadata: Json<'a>,
        }
    }
}

words! {
    /// What became of a permission request.
    pub enum PermissionStatus {
        /// It is open.
        Requested = "requested",
        /// Granted once.
        Accept = "accept" | "approved",
        /// Granted for the rest of the session.
        AcceptForSession = "accept_for_session",
        /// Refused.
        Reject = "reject" | "denied",
    }
}

object! {
    /// Data of `question.requested` and `question.resolved`.
    pub struct QuestionData {
        required {
            /// Identifier of the request, unique in the session.
            question_id: Cow<'a, str>,
            /// The text of the (first) question.
            #[cfg_attr(feature = "tsify", tsify(type = "string"))]
            prompt: Text<'a>,
            /// The answers offered to the (first) question.
            #[cfg_attr(feature = "tsify", tsify(type = "string[]"))]
            options: Vec<Text<'a>>,
            /// What became of it.
            status: QuestionStatus<'a>,
        }
        optional {
            /// The answer to the (first) question.
            #[cfg_attr(feature = "tsify", tsify(type = "string"))]
            response: Text<'a>,
            /// What is asked: a question, a plan to be approved, a form.
            kind: QuestionKind<'a>,
            /// All questions of the request.
            questions: Vec<Question<'a>>,
            /// The answers to all questions, in their order.
            #[cfg_attr(feature = "tsify", tsify(type = "string[][]"))]
            answers: Vec<Vec<Text<'a>>>,
            /// The tool call that it is about.
            tool_call_id: Cow<'a, str>,
            /// The subagent that asks.
            agent_id: Cow<'a, str>,
        }
    }
}

words! {
    /// What became of a question.
    pub enum QuestionStatus {
        /// It is open.
        Requested = "requested",
        /// It was answered.
        Answered = "answered",
        /// It was dismissed.
        Rejected = "rejected",
    }
}

words! {
    /// What is asked.
    pub enum QuestionKind {
        /// A question.
        Question = "question",
        /// A plan to be approved.
        Plan = "plan",
        /// A form.
        Form = "form",
    }
}

object! {
    /// One question of a request.
    pub struct Question {
        required {
            /// The question.
            #[cfg_attr(feature = "tsify", tsify(type = "string"))]
            text: Text<'a>,
            /// The answers offered.
            options: Vec<QuestionOption<'a>>,
        }
        optional {
            /// A short heading.
            #[cfg_attr(feature = "tsify", tsify(type = "string"))]
            header: Text<'a>,
            /// Whether several answers may be chosen.
            multi_select: bool,
            /// Whether an answer of one's own may be given.
            free_text: bool,
        }
    }
}

object! {
    /// One answer that is offered.
    pub struct QuestionOption {
        required {
            /// The answer.
            #[cfg_attr(feature = "tsify", tsify(type = "string"))]
            label: Text<'a>,
        }
        optional {
            /// What it means.
            #[cfg_attr(feature = "tsify", tsify(type = "string"))]
            description: Text<'a>,
        }
    }
}

object! {
    /// Data of `error`.
    pub struct ErrorData {
        required {
            /// What went wrong.
            #[cfg_attr(feature = "tsify", tsify(type = "string"))]
            message: Text<'a>,
        }
        optional {
            /// The agent's word for it, or that of the core, where it is the core that says so.
            code: Cow<'a, str>,
            /// More about it.
            #[cfg_attr(feature = "tsify", tsify(type = "unknown"))]
            details: Json<'a>,
            /// Whether the agent tries again by itself.
            will_retry: bool,
            /// The turn in which it happened.
            turn_id: Cow<'a, str>,
            /// The subagent in which it happened.
            agent_id: Cow<'a, str>,
        }
    }
}

object! {
    /// Data of `agent.unparsed`.
    pub struct UnparsedData {
        required {
            /// Why the line could not be read.
            error: Cow<'a, str>,
            /// Where: agent, channel and line number.
            location: Cow<'a, str>,
        }
        optional {
            /// A hash of the line.
            raw_hash: Cow<'a, str>,
        }
    }
}

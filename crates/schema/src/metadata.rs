//! What stands in the `metadata` of session and turn events. The events carry it as raw JSON, so that what is not
//! known here survives; `Json::parse` reads it as one of these.

use std::borrow::Cow;

use crate::json::Json;
use crate::macros::{object, words};

object! {
    /// Facts about a session: in `session.started`, and in `status` items with `label: session` when they change.
    pub struct SessionMetadata {
        required {}
        optional {
            /// The agent: claude, codex, opencode, amp, pi.
            agent: Cow<'a, str>,
            /// Where the session is read from: live, exec or stored.
            form: Cow<'a, str>,
            /// The agent's version.
            agent_version: Cow<'a, str>,
            /// The model.
            model: Cow<'a, str>,
            /// The working directory.
            cwd: Cow<'a, str>,
            /// The tools at hand.
            tools: Vec<Cow<'a, str>>,
            /// The MCP servers, as the agent lists them.
            #[cfg_attr(feature = "tsify", tsify(type = "unknown"))]
            mcp_servers: Json<'a>,
            /// The session's title.
            title: Cow<'a, str>,
            /// The permission mode.
            mode: Cow<'a, str>,
            /// The variant (reasoning effort).
            variant: Cow<'a, str>,
        }
    }
}

object! {
    /// How a turn went: in `turn.ended`.
    pub struct TurnMetadata {
        required {}
        optional {
            /// How it ended.
            status: TurnStatus<'a>,
            /// What it used, each message counted once.
            usage: Usage<'a>,
            /// Tokens in the context after the turn.
            context_used: u64,
            /// Size of the model's context.
            context_window: u64,
            /// The model that answered.
            model: Cow<'a, str>,
            /// Why the model stopped.
            stop_reason: Cow<'a, str>,
            /// How long it took.
            duration_ms: u64,
        }
    }
}

words! {
    /// How a turn ended.
    pub enum TurnStatus {
        /// It went through.
        Completed = "completed",
        /// It was interrupted.
        Interrupted = "interrupted",
        /// It failed.
        Failed = "failed",
    }
}

object! {
    /// Tokens and money.
    pub struct Usage {
        required {}
        optional {
            /// Tokens read, without those from the cache.
            input_tokens: u64,
            /// Tokens written.
            output_tokens: u64,
            /// Tokens read from the cache.
            cache_read_tokens: u64,
            /// Tokens written to the cache.
            cache_write_tokens: u64,
            /// Tokens of reasoning.
            reasoning_tokens: u64,
            /// The price in US dollars.
            cost_usd: f64,
        }
    }
}

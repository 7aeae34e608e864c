//! The agent exchange transcript: one file a run, one JSON object a line.
//!
//! - [`Event::read`] is tolerant: an unknown event type or block type is an error of its own that keeps the event,
//!   unknown fields are ignored, the payload is told by its shape.
//! - [`Event::write`] is strict: only what the vocabulary knows is written, each payload only with its event type.
//! - [`Exporter`] turns universal events into exchange events, [`Importer`] turns exchange events into universal ones.
//!
//! # What each direction loses
//!
//! | universal | exchange | lost on the way there | lost on the way back |
//! |---|---|---|---|
//! | session | a run; its identifier is a UUID: the session's, or made of that, the agent's own and the time at which it began | the session's identifier (but for `name`), the agent, metadata | `name` is not taken for an identifier |
//! | turn | `step.*` of kind `agent`, path `turn`, one iteration a turn | its identifier | further agent steps inside a turn are notices |
//! | message of the user or the assistant | `message.user`, `message.assistant` | deltas, native identifiers, whether it failed; images and files become text that names them | whether a block is `router` or `agent_emitted` becomes `source`; commands and stream chunks become text |
//! | tool call | `tool.call` | `tool_kind`, `title`, `cwd`, `mcp` | |
//! | tool result | `tool.result` | diffs, images, exit code, duration, todos | output that is not text becomes its JSON |
//! | subagent | a run of its own, linked by `step.call_workflow.*` | its type and name | the paths of its steps |
//! | permission, question | `step.*` of that kind; the result holds the data | what is asked, until it is answered | |
//! | status, system text, unknown item | a step of that kind; the result holds the content | identifiers | |
//! | error | a step of kind `error` that failed | `will_retry` | |
//! | `raw` | | all of it | |
//! | | steps of other kinds (`command`, `parallel`, …) | | they become notices; their results stand in a `json` part |
//! | | event of an unknown type | | becomes an item of `kind: unknown` |

mod event;
mod export;
mod import;
mod read;
mod stream;
mod tree;
mod write;

pub use event::{Block, BlockBody, Event, EventType, Fidelity, Message, Payload, Role, Step, Tool};
pub use export::{Exporter, Layout, Line};
pub use import::{Counts, Importer};
pub use read::ReadError;
pub use write::WriteError;

/// Whether the beginning of a file looks like an exchange transcript: by its first whole line.
pub fn recognises(head: &str) -> bool {
    let Some(line) = head.lines().find(|line| !line.trim().is_empty()) else { return false };
    matches!(Event::read(line), Ok(_) | Err(ReadError::UnknownEventType(_) | ReadError::UnknownBlockType { .. }))
}

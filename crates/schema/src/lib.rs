//! `UniversalEvent`: one schema for what every coding agent says.
//!
//! An event is an envelope (who, when, in which session) around [`EventData`], whose variant is the event's
//! `type`. Every type here borrows or owns its text (`'a`), reads leniently and writes back what it read: unknown
//! event types, parts, values and fields survive a round trip through JSON.
//!
//! Fields with raw JSON ([`Json`]) read themselves out of `serde_json` only.

mod event;
mod item;
mod json;
#[cfg(feature = "layout")]
pub mod layout;
mod macros;
mod metadata;
mod ndjson;
mod number;
pub mod packed;
mod read;
pub mod table;
pub mod tape;
mod text;

pub use event::{
    EndReason, ErrorData, EventData, EventSource, ItemData, ItemDeltaData, PermissionData, PermissionStatus, Question,
    QuestionData, QuestionKind, QuestionOption, QuestionStatus, SessionEndedData, SessionStartedData, StderrOutput,
    TerminatedBy, TurnData, TurnPhase, UniversalEvent, UnparsedData,
};
pub use item::{
    ContentPart, DeltaPart, FileAction, FileRefPart, ImagePart, ItemKind, ItemRole, ItemStatus, JsonPart, McpTool,
    ReasoningPart, StatusLabel, StatusPart, Subagent, TextPart, Todo, TodoStatus, ToolCallPart, ToolKind,
    ToolResultPart, UniversalItem, Visibility,
};
pub use json::{IntoOwned, Json, ToJson};
pub use macros::Extra;
pub use metadata::{SessionMetadata, TurnMetadata, TurnStatus, Usage};
pub use ndjson::{Again, Ndjson};
pub use read::{FromJson, Mismatch};
pub use text::Text;

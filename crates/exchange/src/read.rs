//! The tolerant reader.

use std::fmt;

use interlinear_schema::{Json, Text};
use serde::Deserialize;

use crate::event::{Block, BlockBody, Event, EventType, Fidelity, Message, Payload, Role, Step, Tool};

/// Why a line is not an event that this version knows. What was read is kept where there is something to keep.
#[derive(Debug)]
pub enum ReadError {
    /// The event's type is not known: a later version's. To be taken as a warning.
    UnknownEventType(Box<Event>),
    /// A block's type is not known: a later version's. To be taken as a warning.
    UnknownBlockType {
        /// The first such type.
        r#type: String,
        /// The event, the block included.
        event: Box<Event>,
    },
    /// The line is no event at all.
    Malformed(serde_json::Error),
}

impl ReadError {
    /// The event, where it could be read all the same.
    pub fn into_event(self) -> Option<Event> {
        match self {
            Self::UnknownEventType(event) | Self::UnknownBlockType { event, .. } => Some(*event),
            Self::Malformed(_) => None,
        }
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownEventType(event) => write!(f, "unknown event type {:?}", event.r#type.as_str()),
            Self::UnknownBlockType { r#type, .. } => write!(f, "unknown block type {type:?}"),
            Self::Malformed(error) => write!(f, "not an exchange event: {error}"),
        }
    }
}

impl std::error::Error for ReadError {}

#[derive(Deserialize)]
struct Envelope {
    seq: u64,
    run_id: String,
    parent_run_id: Option<String>,
    child_run_id: Option<String>,
    r#type: String,
    #[serde(default)]
    path: String,
    #[serde(default)]
    iteration: i64,
    timestamp: String,
    #[serde(default)]
    payload: Json<'static>,
}

/// Which of the telling fields an object has.
#[derive(Deserialize)]
struct Shape {
    role: Option<Json<'static>>,
    call_id: Option<Json<'static>>,
    kind: Option<Json<'static>>,
}

#[derive(Deserialize)]
struct WireMessage {
    role: String,
    #[serde(default)]
    blocks: Option<Vec<Json<'static>>>,
}

#[derive(Deserialize)]
struct WireTool {
    #[serde(default)]
    name: String,
    call_id: String,
    #[serde(default)]
    input: Json<'static>,
    #[serde(default)]
    output: Json<'static>,
    error: Option<Text<'static>>,
    #[serde(default)]
    fidelity: String,
}

#[derive(Deserialize)]
struct WireStep {
    #[serde(default)]
    name: Text<'static>,
    kind: String,
    error: Option<Text<'static>>,
    result: Option<Json<'static>>,
}

#[derive(Deserialize)]
struct WireBlock {
    r#type: String,
    #[serde(default)]
    fidelity: String,
    text: Option<Text<'static>>,
    thinking: Option<Text<'static>>,
    tool_name: Option<String>,
    tool_id: Option<String>,
    #[serde(default)]
    tool_input: Json<'static>,
    #[serde(default)]
    tool_content: Json<'static>,
    command: Option<Text<'static>>,
    chunk: Option<Text<'static>>,
}

impl Event {
    /// Reads a line.
    pub fn read(line: &str) -> Result<Self, ReadError> {
        let wire: Envelope = serde_json::from_str(line).map_err(ReadError::Malformed)?;
        let event = Self {
            seq: wire.seq,
            run_id: wire.run_id,
            parent_run_id: wire.parent_run_id.filter(|id| !id.is_empty()),
            child_run_id: wire.child_run_id.filter(|id| !id.is_empty()),
            r#type: EventType::from(wire.r#type.as_str()),
            path: wire.path,
            iteration: wire.iteration,
            timestamp: wire.timestamp,
            payload: payload(wire.payload),
        };
        if let EventType::Unknown(_) = event.r#type {
            return Err(ReadError::UnknownEventType(Box::new(event)));
        }
        match event.unknown_block().map(str::to_owned) {
            Some(r#type) => Err(ReadError::UnknownBlockType { r#type, event: Box::new(event) }),
            None => Ok(event),
        }
    }

    /// The type of the first block that is not known.
    pub(crate) fn unknown_block(&self) -> Option<&str> {
        self.payload.blocks().iter().find_map(|block| match &block.body {
            BlockBody::Unknown { r#type, .. } => Some(r#type.as_str()),
            _ => None,
        })
    }
}

impl Payload {
    /// The blocks, if it has any.
    pub fn blocks(&self) -> &[Block] {
        match self {
            Self::Blocks(blocks) | Self::Message(Message { blocks, .. }) => blocks,
            _ => &[],
        }
    }
}

/// Told by its shape, in this order: a list, `role`, `call_id`, `kind`, anything else.
fn payload(json: Json<'static>) -> Payload {
    if json.is_null() {
        return Payload::Null;
    }
    let told = if json.as_str().starts_with('[') {
        json.parse().ok().map(|list: Vec<Json<'static>>| Payload::Blocks(blocks(list)))
    } else {
        json.parse().ok().and_then(|shape: Shape| object(&shape, &json))
    };
    told.unwrap_or(Payload::Other(json))
}

fn object(shape: &Shape, json: &Json<'static>) -> Option<Payload> {
    if shape.role.is_some() {
        let wire: WireMessage = json.parse().ok()?;
        let blocks = blocks(wire.blocks.unwrap_or_default());
        Some(Payload::Message(Message { role: Role::from(wire.role.as_str()), blocks }))
    } else if shape.call_id.is_some() {
        let WireTool { name, call_id, input, output, error, fidelity } = json.parse().ok()?;
        let fidelity = Fidelity::from(fidelity.as_str());
        Some(Payload::Tool(Tool { name, call_id, input, output, error, fidelity }))
    } else if shape.kind.is_some() {
        let WireStep { name, kind, error, result } = json.parse().ok()?;
        Some(Payload::Step(Step { name, kind, error, result }))
    } else {
        None
    }
}

fn blocks(list: Vec<Json<'static>>) -> Vec<Block> {
    list.into_iter().map(block).collect()
}

fn block(json: Json<'static>) -> Block {
    let Ok(wire) = json.parse::<WireBlock>() else {
        let body = BlockBody::Unknown { r#type: String::new(), json };
        return Block { fidelity: Fidelity::Unknown(String::new()), body };
    };
    let body = match wire.r#type.as_str() {
        "text" => BlockBody::Text(wire.text.unwrap_or_default()),
        "thinking" => BlockBody::Thinking(wire.thinking.unwrap_or_default()),
        "tool_use" => BlockBody::ToolUse {
            name: wire.tool_name.unwrap_or_default(),
            id: wire.tool_id.unwrap_or_default(),
            input: wire.tool_input,
        },
        "tool_result" => BlockBody::ToolResult { id: wire.tool_id.unwrap_or_default(), content: wire.tool_content },
        "command" => BlockBody::Command(wire.command.unwrap_or_default()),
        // The chunk stands in `text` on the wire; the field of its own is read too.
        "stream" => BlockBody::Stream(wire.text.or(wire.chunk).unwrap_or_default()),
        _ => BlockBody::Unknown { r#type: wire.r#type, json },
    };
    Block { fidelity: Fidelity::from(wire.fidelity.as_str()), body }
}

//! The strict writer.

use std::fmt;

use interlinear_schema::{Json, ToJson};

use crate::event::{Block, BlockBody, Event, EventType, Fidelity, Message, Payload, Role, Step, Tool};

/// Why an event is not written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WriteError {
    /// The event's type is not in the vocabulary.
    UnknownEventType(String),
    /// A block's type is not in the vocabulary.
    UnknownBlockType(String),
    /// A fidelity or a role that is not in the vocabulary.
    UnknownWord(String),
    /// The payload does not belong to the event's type.
    WrongPayload(&'static str),
    /// A field does not hold what it must.
    BadField(&'static str),
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownEventType(word) => write!(f, "{word:?} is no event type"),
            Self::UnknownBlockType(word) => write!(f, "{word:?} is no block type"),
            Self::UnknownWord(word) => write!(f, "{word:?} is neither a fidelity nor a role"),
            Self::WrongPayload(expected) => write!(f, "the payload must be {expected}"),
            Self::BadField(field) => write!(f, "{field} does not hold what it must"),
        }
    }
}

impl std::error::Error for WriteError {}

impl Event {
    /// Appends the event as one line, its end included. Nothing is written if it is refused.
    pub fn write(&self, out: &mut Vec<u8>) -> Result<(), WriteError> {
        self.check()?;
        let mut object = Object::begin(out);
        object.field("seq", &self.seq);
        object.field("run_id", self.run_id.as_str());
        object.optional("parent_run_id", self.parent_run_id.as_deref());
        object.optional("child_run_id", self.child_run_id.as_deref());
        object.field("type", self.r#type.as_str());
        object.field("path", self.path.as_str());
        object.field("iteration", &self.iteration);
        object.field("timestamp", self.timestamp.as_str());
        object.field("payload", &self.payload);
        object.end();
        out.push(b'\n');
        Ok(())
    }

    fn check(&self) -> Result<(), WriteError> {
        if self.seq == 0 {
            return Err(WriteError::BadField("seq"));
        }
        let ids = [Some(&self.run_id), self.parent_run_id.as_ref(), self.child_run_id.as_ref()];
        if !ids.into_iter().flatten().all(|id| is_uuid(id)) {
            return Err(WriteError::BadField("run_id"));
        }
        if interlinear_core::time::parse(&self.timestamp).is_none() {
            return Err(WriteError::BadField("timestamp"));
        }
        if let Some(word) = self.unknown_block() {
            return Err(WriteError::UnknownBlockType(word.to_owned()));
        }
        match (&self.r#type, &self.payload) {
            (EventType::Unknown(word), _) => Err(WriteError::UnknownEventType(word.clone())),
            (EventType::RunStarted | EventType::RunCompleted, Payload::Null | Payload::Step(_))
            | (EventType::StepStarted | EventType::StepCompleted, Payload::Step(_)) => Ok(()),
            (EventType::CallStarted | EventType::CallCompleted, Payload::Step(_)) if self.child_run_id.is_some() => {
                Ok(())
            }
            (EventType::CallStarted | EventType::CallCompleted, Payload::Step(_)) => {
                Err(WriteError::BadField("child_run_id"))
            }
            (EventType::UserMessage, Payload::Message(message)) => message.check(&Role::User),
            (EventType::AssistantMessage, Payload::Message(message)) => message.check(&Role::Assistant),
            (EventType::ToolCall | EventType::ToolResult, Payload::Tool(tool)) => known(&tool.fidelity),
            (EventType::UserMessage | EventType::AssistantMessage, _) => Err(WriteError::WrongPayload("a message")),
            (EventType::ToolCall | EventType::ToolResult, _) => Err(WriteError::WrongPayload("a tool's")),
            _ => Err(WriteError::WrongPayload("a step's")),
        }
    }
}

impl Message {
    fn check(&self, role: &Role) -> Result<(), WriteError> {
        match &self.role {
            Role::Unknown(word) => return Err(WriteError::UnknownWord(word.clone())),
            other if other != role => return Err(WriteError::BadField("role")),
            _ => {}
        }
        self.blocks.iter().try_for_each(|block| known(&block.fidelity))
    }
}

fn known(fidelity: &Fidelity) -> Result<(), WriteError> {
    match fidelity {
        Fidelity::Unknown(word) => Err(WriteError::UnknownWord(word.clone())),
        Fidelity::Router | Fidelity::AgentEmitted => Ok(()),
    }
}

pub(crate) fn is_uuid(id: &str) -> bool {
    id.len() == 36
        && id.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// An object that is being written.
struct Object<'o> {
    out: &'o mut Vec<u8>,
    first: bool,
}

impl<'o> Object<'o> {
    fn begin(out: &'o mut Vec<u8>) -> Self {
        out.push(b'{');
        Self { out, first: true }
    }

    fn field(&mut self, key: &str, value: &(impl ToJson + ?Sized)) {
        if !std::mem::take(&mut self.first) {
            self.out.push(b',');
        }
        key.write_json(self.out);
        self.out.push(b':');
        value.write_json(self.out);
    }

    fn optional(&mut self, key: &str, value: Option<&(impl ToJson + ?Sized)>) {
        if let Some(value) = value {
            self.field(key, value);
        }
    }

    fn end(self) {
        self.out.push(b'}');
    }
}

impl ToJson for Payload {
    fn write_json(&self, out: &mut Vec<u8>) {
        match self {
            Self::Null => Json::null().write_json(out),
            Self::Blocks(blocks) => blocks.write_json(out),
            Self::Message(Message { role, blocks }) => {
                let mut object = Object::begin(out);
                object.field("role", role.as_str());
                object.field("blocks", blocks);
                object.end();
            }
            Self::Tool(tool) => tool.write_json(out),
            Self::Step(step) => step.write_json(out),
            Self::Other(json) => json.write_json(out),
        }
    }
}

impl ToJson for Tool {
    fn write_json(&self, out: &mut Vec<u8>) {
        let mut object = Object::begin(out);
        object.field("name", self.name.as_str());
        object.field("call_id", self.call_id.as_str());
        object.field("input", &self.input);
        object.field("output", &self.output);
        object.optional("error", self.error.as_ref());
        object.field("fidelity", self.fidelity.as_str());
        object.end();
    }
}

impl ToJson for Step {
    fn write_json(&self, out: &mut Vec<u8>) {
        let mut object = Object::begin(out);
        object.field("name", &self.name);
        object.field("kind", self.kind.as_str());
        object.optional("error", self.error.as_ref());
        object.optional("result", self.result.as_ref());
        object.end();
    }
}

impl ToJson for Block {
    fn write_json(&self, out: &mut Vec<u8>) {
        if let BlockBody::Unknown { json, .. } = &self.body {
            return json.write_json(out);
        }
        let mut object = Object::begin(out);
        let begin = |object: &mut Object<'_>, name: &str| {
            object.field("type", name);
            object.field("fidelity", self.fidelity.as_str());
        };
        match &self.body {
            BlockBody::Text(text) => {
                begin(&mut object, "text");
                object.field("text", text);
            }
            BlockBody::Thinking(text) => {
                begin(&mut object, "thinking");
                object.field("thinking", text);
            }
            BlockBody::ToolUse { name, id, input } => {
                begin(&mut object, "tool_use");
                object.field("tool_name", name.as_str());
                object.field("tool_id", id.as_str());
                object.field("tool_input", input);
            }
            BlockBody::ToolResult { id, content } => {
                begin(&mut object, "tool_result");
                object.field("tool_id", id.as_str());
                object.field("tool_content", content);
            }
            BlockBody::Command(text) => {
                begin(&mut object, "command");
                object.field("command", text);
            }
            BlockBody::Stream(text) => {
                begin(&mut object, "stream");
                object.field("text", text);
            }
            BlockBody::Unknown { .. } => {}
        }
        object.end();
    }
}

//! What a line of the transcript holds.

use interlinear_schema::{Json, Text};

/// One line: the envelope around its payload.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// Number of the line within its file: starts at 1 and rises.
    pub seq: u64,
    /// The run it belongs to: a UUID.
    pub run_id: String,
    /// The run that called this one.
    pub parent_run_id: Option<String>,
    /// The run that is called, on `step.call_workflow.*`.
    pub child_run_id: Option<String>,
    /// What happened.
    pub r#type: EventType,
    /// The step within the workflow, its names joined by dots; empty for the run itself.
    pub path: String,
    /// Which round of a loop, from 0.
    pub iteration: i64,
    /// RFC 3339 with a zone.
    pub timestamp: String,
    /// More about it.
    pub payload: Payload,
}

/// Declares a closed vocabulary that still holds a word it does not know.
macro_rules! vocabulary {
    ($(#[$meta:meta])* pub enum $name:ident { $( $(#[$vmeta:meta])* $variant:ident = $word:literal, )* }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum $name {
            $( $(#[$vmeta])* $variant, )*
            /// A word of a later version: read, never written.
            Unknown(String),
        }

        impl $name {
            /// The word.
            pub fn as_str(&self) -> &str {
                match self {
                    $( Self::$variant => $word, )*
                    Self::Unknown(word) => word,
                }
            }
        }

        impl From<&str> for $name {
            fn from(word: &str) -> Self {
                match word {
                    $( $word => Self::$variant, )*
                    _ => Self::Unknown(word.to_owned()),
                }
            }
        }
    };
}

vocabulary! {
    /// What happened.
    pub enum EventType {
        /// A run begins.
        RunStarted = "run.started",
        /// A run ends.
        RunCompleted = "run.completed",
        /// A step begins.
        StepStarted = "step.started",
        /// A step ends.
        StepCompleted = "step.completed",
        /// Another run is called.
        CallStarted = "step.call_workflow.started",
        /// A run that was called is over.
        CallCompleted = "step.call_workflow.completed",
        /// A prompt.
        UserMessage = "message.user",
        /// The agent's answer.
        AssistantMessage = "message.assistant",
        /// A tool is called.
        ToolCall = "tool.call",
        /// A tool has answered.
        ToolResult = "tool.result",
    }
}

vocabulary! {
    /// Who says so.
    pub enum Fidelity {
        /// It was seen where the tool was called.
        Router = "router",
        /// The agent reported it.
        AgentEmitted = "agent_emitted",
    }
}

vocabulary! {
    /// Who speaks.
    pub enum Role {
        /// The user.
        User = "user",
        /// The agent.
        Assistant = "assistant",
    }
}

/// What an event carries, told by its shape.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Payload {
    /// `null`, or nothing.
    #[default]
    Null,
    /// A list of blocks.
    Blocks(Vec<Block>),
    /// An object with `role`.
    Message(Message),
    /// An object with `call_id`.
    Tool(Tool),
    /// An object with `kind`.
    Step(Step),
    /// Anything else, as it stood there.
    Other(Json<'static>),
}

/// What is said.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said, in order.
    pub blocks: Vec<Block>,
}

/// A tool's invocation or its result.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    /// The tool's name.
    pub name: String,
    /// What links a call to its result.
    pub call_id: String,
    /// The arguments.
    pub input: Json<'static>,
    /// What it returned.
    pub output: Json<'static>,
    /// Why it failed.
    pub error: Option<Text<'static>>,
    /// Who says so.
    pub fidelity: Fidelity,
}

/// A step or a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Step {
    /// Its name.
    pub name: Text<'static>,
    /// What kind of step it is; custom kinds are allowed.
    pub kind: String,
    /// Why it failed.
    pub error: Option<Text<'static>>,
    /// What came of it.
    pub result: Option<Json<'static>>,
}

/// A block of a message.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// Who says so.
    pub fidelity: Fidelity,
    /// What it holds.
    pub body: BlockBody,
}

/// What a block holds: the six types.
#[derive(Debug, Clone, PartialEq)]
pub enum BlockBody {
    /// Plain text.
    Text(Text<'static>),
    /// Reasoning.
    Thinking(Text<'static>),
    /// A tool is called.
    ToolUse {
        /// Its name.
        name: String,
        /// What links it to its result.
        id: String,
        /// The arguments.
        input: Json<'static>,
    },
    /// A tool has answered.
    ToolResult {
        /// The call's identifier.
        id: String,
        /// What it returned.
        content: Json<'static>,
    },
    /// A shell command that a step ran.
    Command(Text<'static>),
    /// A chunk of a stream.
    Stream(Text<'static>),
    /// A block of a later version: read and kept, never written.
    Unknown {
        /// Its type.
        r#type: String,
        /// All of it.
        json: Json<'static>,
    },
}

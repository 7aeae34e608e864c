//! Items: the discrete units of a session, and the parts of their content.

use std::borrow::Cow;

use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};

use crate::json::{IntoOwned, Json, ToJson};
use crate::macros::{Extra, object, words};
use crate::packed::{PART_BITS, Pack, Packer};
use crate::read::{self, FromJson, Mismatch};
use crate::tape::Value;
use crate::text::Text;

object! {
    /// A discrete unit of content within a session: a message, a tool call, a tool's result, a status.
    pub struct UniversalItem {
        required {
            /// The item's identifier, derived from the native one where there is one.
            item_id: Cow<'a, str>,
            /// What it is.
            kind: ItemKind<'a>,
            /// How far it is.
            status: ItemStatus<'a>,
            /// What it holds, in order.
            content: Vec<ContentPart<'a>>,
        }
        optional {
            /// The agent's own identifier of the message, call or entry.
            native_item_id: Cow<'a, str>,
            /// The item it belongs to: a call's message, a subagent's tool call.
            parent_id: Cow<'a, str>,
            /// Who speaks; of a call the assistant, of a result the tool.
            role: ItemRole<'a>,
            /// The turn it belongs to.
            turn_id: Cow<'a, str>,
            /// The subagent it belongs to; absent: the main agent.
            agent_id: Cow<'a, str>,
        }
    }
}

words! {
    /// The category of an item.
    pub enum ItemKind {
        /// A message of the user or the assistant.
        Message = "message",
        /// A tool invocation.
        ToolCall = "tool_call",
        /// The result of a tool invocation.
        ToolResult = "tool_result",
        /// Text that the agent put into the conversation by itself.
        System = "system",
        /// Something a person would want to know.
        Status = "status",
        /// A native line of a kind that is not known yet.
        Unknown = "unknown",
    }
}

words! {
    /// Who speaks.
    pub enum ItemRole {
        /// The user.
        User = "user",
        /// The agent.
        Assistant = "assistant",
        /// The system prompt, or text that the agent put into the conversation.
        System = "system",
        /// A tool.
        Tool = "tool",
    }
}

words! {
    /// How far an item is.
    pub enum ItemStatus {
        /// Streaming or pending.
        InProgress = "in_progress",
        /// Final.
        Completed = "completed",
        /// It failed, or was never finished.
        Failed = "failed",
    }
}

/// One part of an item's content. The variant is the part's `type`.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(any(feature = "tsify", feature = "schemars"), serde(tag = "type", rename_all = "snake_case"))]
pub enum ContentPart<'a> {
    /// Plain text.
    Text(TextPart<'a>),
    /// Structured content.
    Json(JsonPart<'a>),
    /// A tool invocation.
    ToolCall(ToolCallPart<'a>),
    /// A tool's result.
    ToolResult(ToolResultPart<'a>),
    /// A file that was read, written or patched.
    FileRef(FileRefPart<'a>),
    /// An image.
    Image(ImagePart<'a>),
    /// What the model thought.
    Reasoning(ReasoningPart<'a>),
    /// A status.
    Status(StatusPart<'a>),
    /// A part of a type that this version does not know, whole.
    #[cfg_attr(any(feature = "tsify", feature = "schemars"), serde(skip))]
    Unknown(Json<'a>),
}

macro_rules! parts {
    ($($variant:ident = $tag:literal),* $(,)?) => {
        impl ContentPart<'_> {
            /// The part's `type`; empty for a part that this version does not know.
            pub fn type_name(&self) -> &'static str {
                match self {
                    $( Self::$variant(_) => $tag, )*
                    Self::Unknown(_) => "",
                }
            }
        }

        impl ToJson for ContentPart<'_> {
            fn write_json(&self, out: &mut Vec<u8>) {
                match self {
                    $(
                        Self::$variant(part) => {
                            out.extend_from_slice(concat!("{\"type\":\"", $tag, "\"").as_bytes());
                            part.write_members(out);
                            out.push(b'}');
                        }
                    )*
                    Self::Unknown(json) => json.write_json(out),
                }
            }
        }

        impl Pack for ContentPart<'_> {
            fn pack(&self, packer: &mut Packer) {
                enum Place { $( $variant, )* Unknown }
                match self {
                    $(
                        Self::$variant(part) => {
                            packer.number(u64::from(Place::$variant as u32 | part.mask() << PART_BITS));
                            part.pack_members(packer);
                        }
                    )*
                    Self::Unknown(json) => {
                        packer.number(Place::Unknown as u64);
                        json.pack(packer);
                    }
                }
            }
        }

        #[cfg(feature = "layout")]
        impl crate::layout::Described for ContentPart<'_> {
            fn describe(types: &mut crate::layout::Types) -> crate::layout::Kind {
                let variants = vec![$( ($tag, crate::layout::of_variant(ContentPart::$variant, types)), )*];
                types.tagged("ContentPart", variants)
            }
        }

        impl<'a> FromJson<'a> for ContentPart<'a> {
            fn from_json(value: Value<'a>) -> Result<Self, Mismatch> {
                let tag = value.get("type").and_then(Value::str).unwrap_or_default();
                Ok(match tag.as_ref() {
                    $(
                        $tag => match FromJson::from_json(value) {
                            Ok(part) => Self::$variant(without_tag(part, |part| &mut part.extra)),
                            // A known type that does not fit is kept like an unknown one: nothing is lost.
                            Err(_) => Self::Unknown(value.json()),
                        },
                    )*
                    _ => Self::Unknown(value.json()),
                })
            }
        }

        impl IntoOwned for ContentPart<'_> {
            type Owned = ContentPart<'static>;
            fn into_owned(self) -> ContentPart<'static> {
                match self {
                    $( Self::$variant(part) => ContentPart::$variant(part.into_owned()), )*
                    Self::Unknown(json) => ContentPart::Unknown(json.into_owned()),
                }
            }
        }
    };
}

/// The tag was read as an unknown field of the part: it is written from the variant.
fn without_tag<'a, P>(mut part: P, extra: impl Fn(&mut P) -> &mut Extra<'a>) -> P {
    extra(&mut part).remove("type");
    part
}

parts! {
    Text = "text",
    Json = "json",
    ToolCall = "tool_call",
    ToolResult = "tool_result",
    FileRef = "file_ref",
    Image = "image",
    Reasoning = "reasoning",
    Status = "status",
}

impl<'a> ContentPart<'a> {
    /// Plain text.
    pub fn text(text: Text<'a>) -> Self {
        Self::Text(TextPart { text, ..TextPart::default() })
    }

    /// Structured content.
    pub fn json(json: Json<'a>) -> Self {
        Self::Json(JsonPart { json, ..JsonPart::default() })
    }

    /// Reasoning. What the model hides has no text.
    pub fn reasoning(text: Text<'a>) -> Self {
        let visibility = if text.is_empty() { Visibility::Private } else { Visibility::Public };
        Self::Reasoning(ReasoningPart { text, visibility, ..ReasoningPart::default() })
    }
}

impl Default for ContentPart<'_> {
    fn default() -> Self {
        Self::Text(TextPart::default())
    }
}

impl<'de> Deserialize<'de> for ContentPart<'static> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read::deserialize(deserializer, |value| ContentPart::from_json(value).map(ContentPart::into_owned))
    }
}

impl Serialize for ContentPart<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Json::of(self).serialize(serializer)
    }
}

object! {
    /// Plain text.
    pub struct TextPart {
        required {
            /// The text.
            #[cfg_attr(feature = "tsify", tsify(type = "string"))]
            text: Text<'a>,
        }
        optional {}
    }
}

object! {
    /// Structured content.
    pub struct JsonPart {
        required {
            /// The value.
            #[cfg_attr(feature = "tsify", tsify(type = "unknown"))]
            json: Json<'a>,
        }
        optional {}
    }
}

object! {
    /// A tool invocation.
    pub struct ToolCallPart {
        required {
            /// The tool's name, in the agent's words.
            name: Cow<'a, str>,
            /// The arguments, JSON-encoded; empty while they stream.
            #[cfg_attr(feature = "tsify", tsify(type = "string"))]
            arguments: Text<'a>,
            /// The identifier that the result repeats.
            call_id: Cow<'a, str>,
        }
        optional {
            /// What kind of tool it is, in words common to all agents.
            tool_kind: ToolKind<'a>,
            /// What a person reads: the command line, the path, the query.
            #[cfg_attr(feature = "tsify", tsify(type = "string"))]
            title: Text<'a>,
            /// The directory it runs in.
            cwd: Cow<'a, str>,
            /// The MCP server and tool that are called.
            mcp: McpTool<'a>,
            /// The subagent that it starts.
            agent: Subagent<'a>,
        }
    }
}

words! {
    /// What kind of tool it is, in words common to all agents.
    pub enum ToolKind {
        /// Anything else.
        Other_ = "other",
        /// A command line.
        Command = "command",
        /// A file is read.
        FileRead = "file_read",
        /// A file is written as a whole.
        FileWrite = "file_write",
        /// A file is changed.
        FileEdit = "file_edit",
        /// Files or their content are searched.
        Search = "search",
        /// A page is fetched.
        WebFetch = "web_fetch",
        /// The web is searched.
        WebSearch = "web_search",
        /// The list of things to do.
        Todo = "todo",
        /// A subagent.
        Task = "task",
        /// A tool of an MCP server.
        Mcp = "mcp",
        /// A question to the user.
        Question = "question",
        /// A plan to be approved.
        Plan = "plan",
    }
}

object! {
    /// A tool of an MCP server.
    pub struct McpTool {
        required {
            /// The tool's own name.
            tool: Cow<'a, str>,
        }
        optional {
            /// The server's name.
            server: Cow<'a, str>,
        }
    }
}

object! {
    /// A subagent that a tool call starts.
    pub struct Subagent {
        required {}
        optional {
            /// Its type, as the agent calls it.
            r#type: Cow<'a, str>,
            /// What it is for, or its name.
            name: Cow<'a, str>,
        }
    }
}

object! {
    /// A tool's result.
    pub struct ToolResultPart {
        required {
            /// The identifier of the call.
            call_id: Cow<'a, str>,
            /// The output, as a person would read it.
            #[cfg_attr(feature = "tsify", tsify(type = "string"))]
            output: Text<'a>,
        }
        optional {
            /// The exit code of a command.
            exit_code: i64,
            /// How long it took.
            duration_ms: u64,
            /// The list of things to do after it.
            todos: Vec<Todo<'a>>,
        }
    }
}

object! {
    /// One thing to do.
    pub struct Todo {
        required {
            /// What is to be done.
            #[cfg_attr(feature = "tsify", tsify(type = "string"))]
            text: Text<'a>,
            /// How far it is.
            status: TodoStatus<'a>,
        }
        optional {}
    }
}

words! {
    /// How far a thing to do is.
    pub enum TodoStatus {
        /// Not begun.
        Pending = "pending",
        /// Being done.
        InProgress = "in_progress",
        /// Done.
        Completed = "completed",
        /// Given up.
        Cancelled = "cancelled" | "deleted",
    }
}

object! {
    /// A file that was read, written or patched.
    pub struct FileRefPart {
        required {
            /// The file's path.
            path: Cow<'a, str>,
            /// What happened to it.
            action: FileAction<'a>,
        }
        optional {
            /// The change, as a unified diff.
            #[cfg_attr(feature = "tsify", tsify(type = "string"))]
            diff: Text<'a>,
        }
    }
}

words! {
    /// What happened to a file.
    pub enum FileAction {
        /// It was read, or attached.
        Read = "read",
        /// It was written as a whole.
        Write = "write",
        /// It was changed.
        Patch = "patch",
    }
}

object! {
    /// An image.
    pub struct ImagePart {
        required {
            /// The image's path, or a `data:` URL where there is none.
            #[cfg_attr(feature = "tsify", tsify(type = "string"))]
            path: Text<'a>,
        }
        optional {
            /// The MIME type.
            mime: Cow<'a, str>,
        }
    }
}

object! {
    /// What the model thought.
    pub struct ReasoningPart {
        required {
            /// The text; empty where the model hides it.
            #[cfg_attr(feature = "tsify", tsify(type = "string"))]
            text: Text<'a>,
            /// Whether a user may read it.
            visibility: Visibility<'a>,
        }
        optional {}
    }
}

words! {
    /// Whether a user may read it.
    pub enum Visibility {
        /// It may be shown.
        Public = "public",
        /// It is hidden.
        Private = "private",
    }
}

object! {
    /// A status.
    pub struct StatusPart {
        required {
            /// What it is about.
            label: StatusLabel<'a>,
        }
        optional {
            /// The agent's own words.
            #[cfg_attr(feature = "tsify", tsify(type = "string"))]
            detail: Text<'a>,
            /// The list of things to do, where no tool call shows it.
            todos: Vec<Todo<'a>>,
            /// The items that are taken back (`label: retracted`).
            retracts: Vec<Cow<'a, str>>,
        }
    }
}

words! {
    /// What a status is about.
    pub enum StatusLabel {
        /// Anything else a person would want to know.
        Notice = "notice",
        /// Facts about the session, in a `json` part.
        Session = "session",
        /// A request is repeated.
        Retry = "retry",
        /// The conversation is summarised to make room.
        Compaction = "compaction",
        /// The model changed.
        Model = "model",
        /// The permission mode changed.
        Mode = "mode",
        /// A limit of the service.
        RateLimit = "rate_limit",
        /// A hook ran.
        Hook = "hook",
        /// The session's title.
        Title = "title",
        /// The conversation was cleared.
        Cleared = "cleared",
        /// Items are taken back.
        Retracted = "retracted",
        /// Text that is not JSON.
        Output = "output",
    }
}

words! {
    /// Which part of an item a delta belongs to; absent: text.
    pub enum DeltaPart {
        /// Text of a message.
        Text = "text",
        /// Reasoning.
        Reasoning = "reasoning",
        /// Arguments of a tool call.
        ToolCall = "tool_call",
        /// Output of a tool.
        ToolResult = "tool_result",
    }
}

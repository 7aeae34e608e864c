//! The envelope and the thirteen event types.

mod data;

use std::borrow::Cow;

use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};

pub use data::{
    EndReason, ErrorData, ItemData, ItemDeltaData, PermissionData, PermissionStatus, Question, QuestionData,
    QuestionKind, QuestionOption, QuestionStatus, SessionEndedData, SessionStartedData, StderrOutput, TerminatedBy,
    TurnData, TurnPhase, UnparsedData,
};

use crate::json::{IntoOwned, Json, ToJson};
use crate::macros::{Extra, words};
use crate::packed::Packer;
use crate::read::{self, Fields, FromJson, Mismatch};
use crate::table::{Key, Table, keys};
use crate::tape::Value;

/// One event of a session: the envelope around [`EventData`]. In JSON, the data's variant is the field `type`.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(any(feature = "tsify", feature = "schemars"), serde(rename = "EventEnvelope"))]
pub struct UniversalEvent<'a> {
    /// Unique identifier of the event.
    pub event_id: Cow<'a, str>,
    /// Number of the event within its session: starts at 1 and rises by 1.
    pub sequence: u64,
    /// RFC 3339 timestamp; never goes backwards.
    pub time: Cow<'a, str>,
    /// The session's identifier, given by the host.
    pub session_id: Cow<'a, str>,
    /// The agent's own identifier of the session, thread or run.
    #[cfg_attr(feature = "tsify", tsify(optional))]
    pub native_session_id: Option<Cow<'a, str>>,
    /// `agent` for what the agent said, `daemon` for what was added to fill a gap.
    pub source: EventSource<'a>,
    /// Whether it was added to fill a gap: true exactly when `source` is `daemon`.
    pub synthetic: bool,
    /// The event's `type` and `data`.
    #[cfg_attr(any(feature = "tsify", feature = "schemars"), serde(skip))]
    pub data: EventData<'a>,
    /// The native object that caused the event; `null` unless asked for.
    #[cfg_attr(feature = "tsify", tsify(type = "unknown"))]
    pub raw: Json<'a>,
    /// Fields that this version does not know.
    #[cfg_attr(any(feature = "tsify", feature = "schemars"), serde(skip))]
    pub extra: Extra<'a>,
}

words! {
    /// Who emitted the event.
    pub enum EventSource {
        /// The agent.
        Agent = "agent",
        /// The host, to fill a gap.
        Daemon = "daemon",
    }
}

/// What happened. The variant is the event's `type`.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(any(feature = "tsify", feature = "schemars"), serde(tag = "type", content = "data"))]
pub enum EventData<'a> {
    /// The session has started: its first event.
    #[cfg_attr(any(feature = "tsify", feature = "schemars"), serde(rename = "session.started"))]
    SessionStarted(SessionStartedData<'a>),
    /// The session has ended: its last event.
    #[cfg_attr(any(feature = "tsify", feature = "schemars"), serde(rename = "session.ended"))]
    SessionEnded(SessionEndedData<'a>),
    /// A turn has started.
    #[cfg_attr(any(feature = "tsify", feature = "schemars"), serde(rename = "turn.started"))]
    TurnStarted(TurnData<'a>),
    /// A turn has ended: the agent is idle again.
    #[cfg_attr(any(feature = "tsify", feature = "schemars"), serde(rename = "turn.ended"))]
    TurnEnded(TurnData<'a>),
    /// An item begins.
    #[cfg_attr(any(feature = "tsify", feature = "schemars"), serde(rename = "item.started"))]
    ItemStarted(ItemData<'a>),
    /// An item's content grows.
    #[cfg_attr(any(feature = "tsify", feature = "schemars"), serde(rename = "item.delta"))]
    ItemDelta(ItemDeltaData<'a>),
    /// An item is final.
    #[cfg_attr(any(feature = "tsify", feature = "schemars"), serde(rename = "item.completed"))]
    ItemCompleted(ItemData<'a>),
    /// The agent asks for permission.
    #[cfg_attr(any(feature = "tsify", feature = "schemars"), serde(rename = "permission.requested"))]
    PermissionRequested(PermissionData<'a>),
    /// A permission was given or refused.
    #[cfg_attr(any(feature = "tsify", feature = "schemars"), serde(rename = "permission.resolved"))]
    PermissionResolved(PermissionData<'a>),
    /// The agent asks the user.
    #[cfg_attr(any(feature = "tsify", feature = "schemars"), serde(rename = "question.requested"))]
    QuestionRequested(QuestionData<'a>),
    /// A question was answered or rejected.
    #[cfg_attr(any(feature = "tsify", feature = "schemars"), serde(rename = "question.resolved"))]
    QuestionResolved(QuestionData<'a>),
    /// Something failed.
    #[cfg_attr(any(feature = "tsify", feature = "schemars"), serde(rename = "error"))]
    Error(ErrorData<'a>),
    /// A native line could not be read. To be treated as a bug.
    #[cfg_attr(any(feature = "tsify", feature = "schemars"), serde(rename = "agent.unparsed"))]
    Unparsed(UnparsedData<'a>),
    /// An event of a type that this version does not know.
    #[cfg_attr(any(feature = "tsify", feature = "schemars"), serde(skip))]
    Unknown {
        /// Its `type`.
        r#type: Cow<'a, str>,
        /// Its `data`.
        data: Json<'a>,
    },
}

macro_rules! event_types {
    ($($variant:ident = $tag:literal),* $(,)?) => {
        impl EventData<'_> {
            /// The event's `type`.
            pub fn type_name(&self) -> &str {
                match self {
                    $( Self::$variant(_) => $tag, )*
                    Self::Unknown { r#type, .. } => r#type,
                }
            }
        }

        impl EventData<'_> {
            /// Writes the fields `type` and `data`, each with a comma before it.
            fn write_typed(&self, out: &mut Vec<u8>) {
                match self {
                    $( Self::$variant(data) => {
                        out.extend_from_slice(concat!(",\"type\":\"", $tag, "\",\"data\":").as_bytes());
                        data.write_json(out);
                    } )*
                    Self::Unknown { r#type, data } => {
                        out.extend_from_slice(b",\"type\":");
                        r#type.write_json(out);
                        out.extend_from_slice(b",\"data\":");
                        data.write_json(out);
                    }
                }
            }
        }

        enum Place { $( $variant, )* }

        impl EventData<'_> {
            /// The place of `item.delta` in the list of types.
            pub const DELTA: usize = Place::ItemDelta as usize;

            /// The types that this version knows.
            pub const TYPES: &'static [&'static str] = &[$( $tag, )*];

            /// The type's place in the list; nothing for an unknown type.
            pub fn place(&self) -> Option<usize> {
                match self {
                    $( Self::$variant(_) => Some(Place::$variant as usize), )*
                    Self::Unknown { .. } => None,
                }
            }

            /// Which optional fields of the data are there.
            pub(crate) fn mask(&self) -> u32 {
                match self {
                    $( Self::$variant(data) => data.mask(), )*
                    Self::Unknown { .. } => 0,
                }
            }

            /// Packs the fields of the data.
            pub(crate) fn pack_members(&self, packer: &mut Packer) {
                match self {
                    $( Self::$variant(data) => data.pack_members(packer), )*
                    Self::Unknown { .. } => {}
                }
            }
        }

        #[cfg(feature = "layout")]
        impl crate::layout::Described for EventData<'_> {
            fn describe(types: &mut crate::layout::Types) -> crate::layout::Kind {
                let variants = vec![$( ($tag, crate::layout::of_variant(EventData::$variant, types)), )*];
                types.tagged("EventData", variants)
            }
        }

        impl IntoOwned for EventData<'_> {
            type Owned = EventData<'static>;
            fn into_owned(self) -> EventData<'static> {
                match self {
                    $( Self::$variant(data) => EventData::$variant(data.into_owned()), )*
                    Self::Unknown { r#type, data } => {
                        EventData::Unknown { r#type: IntoOwned::into_owned(r#type), data: data.into_owned() }
                    }
                }
            }
        }

        fn data_of<'a>(tag: Cow<'a, str>, data: Value<'a>) -> Result<EventData<'a>, Mismatch> {
            Ok(match tag.as_ref() {
                $(
                    $tag => {
                        EventData::$variant(FromJson::from_json(data).map_err(|mismatch| mismatch.within($tag))?)
                    }
                )*
                _ => EventData::Unknown { r#type: tag, data: data.json() },
            })
        }
    };
}

event_types! {
    SessionStarted = "session.started",
    SessionEnded = "session.ended",
    TurnStarted = "turn.started",
    TurnEnded = "turn.ended",
    ItemStarted = "item.started",
    ItemDelta = "item.delta",
    ItemCompleted = "item.completed",
    PermissionRequested = "permission.requested",
    PermissionResolved = "permission.resolved",
    QuestionRequested = "question.requested",
    QuestionResolved = "question.resolved",
    Error = "error",
    Unparsed = "agent.unparsed",
}

impl Default for EventData<'_> {
    fn default() -> Self {
        Self::SessionStarted(SessionStartedData::default())
    }
}

impl UniversalEvent<'_> {
    /// Writes the beginning: what differs between any two events of a session.
    pub(crate) fn write_number(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{\"event_id\":");
        self.event_id.write_json(out);
        out.extend_from_slice(b",\"sequence\":");
        self.sequence.write_json(out);
    }

    /// Goes on with what neighbours have in common: when it was, and in which session.
    pub(crate) fn write_origin(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b",\"time\":");
        self.time.write_json(out);
        out.extend_from_slice(b",\"session_id\":");
        self.session_id.write_json(out);
        if let Some(native) = &self.native_session_id {
            out.extend_from_slice(b",\"native_session_id\":");
            native.write_json(out);
        }
    }

    /// Goes on with what is left.
    pub(crate) fn write_rest(&self, out: &mut Vec<u8>) {
        match (&self.source, self.synthetic) {
            (EventSource::Agent, false) => out.extend_from_slice(b",\"source\":\"agent\",\"synthetic\":false"),
            (EventSource::Daemon, true) => out.extend_from_slice(b",\"source\":\"daemon\",\"synthetic\":true"),
            (source, synthetic) => {
                out.extend_from_slice(b",\"source\":");
                source.write_json(out);
                out.extend_from_slice(b",\"synthetic\":");
                synthetic.write_json(out);
            }
        }
        self.data.write_typed(out);
        out.extend_from_slice(b",\"raw\":");
        self.raw.write_json(out);
        self.extra.write_members(out);
        out.push(b'}');
    }
}

impl ToJson for UniversalEvent<'_> {
    fn write_json(&self, out: &mut Vec<u8>) {
        self.write_number(out);
        self.write_origin(out);
        self.write_rest(out);
    }
}

impl Serialize for UniversalEvent<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Json::of(self).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for UniversalEvent<'static> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read::deserialize(deserializer, |value| UniversalEvent::from_json(value).map(UniversalEvent::into_owned))
    }
}

impl<'a> FromJson<'a> for UniversalEvent<'a> {
    fn from_json(value: Value<'a>) -> Result<Self, Mismatch> {
        const TEXT: &str = "event_id\nsequence\ntime\nsession_id\nsource\nsynthetic\ntype\ndata\n\
            native_session_id\nraw\n";
        const REQUIRED: usize = 8;
        static KEYS: &[Key] = &keys::<{ keys::<0>(TEXT, 10).0 }>(TEXT, 10).1;
        static TABLE: Table = Table::new(TEXT, KEYS);
        let fields = Fields::find(&TABLE, REQUIRED, value);
        let mut fields = fields.map_err(|_| Mismatch::expected("a universal event"))?;
        let mut event = UniversalEvent {
            event_id: fields.required()?,
            sequence: fields.required()?,
            time: fields.required()?,
            session_id: fields.required()?,
            source: fields.required()?,
            synthetic: fields.required()?,
            ..UniversalEvent::default()
        };
        event.data = data_of(fields.required()?, fields.required()?)?;
        event.native_session_id = fields.optional()?;
        event.raw = fields.optional()?.unwrap_or_default();
        event.extra = fields.extra;
        event.extra.remove("raw");
        Ok(event)
    }
}

impl IntoOwned for UniversalEvent<'_> {
    type Owned = UniversalEvent<'static>;
    fn into_owned(self) -> UniversalEvent<'static> {
        UniversalEvent {
            event_id: IntoOwned::into_owned(self.event_id),
            sequence: self.sequence,
            time: IntoOwned::into_owned(self.time),
            session_id: IntoOwned::into_owned(self.session_id),
            native_session_id: self.native_session_id.into_owned(),
            source: self.source.into_owned(),
            synthetic: self.synthetic,
            data: self.data.into_owned(),
            raw: self.raw.into_owned(),
            extra: self.extra.into_owned(),
        }
    }
}

//! Bytes and commands in, universal events and bytes out.
//!
//! The core reads what a coding agent writes, live ([`Connection`]) or from the files it leaves ([`Converter`]), and
//! gives one stream of [`schema::UniversalEvent`]s; it also encodes what a host wants to tell the agent. It reads no
//! clock, no file and no network, and it is total: any input gives an answer, never a panic or an error.
//!
//! ```
//! use interlinear_core::{Agent, Channel, Connection, OpenOptions, schema::UniversalEvent};
//!
//! let options = OpenOptions {
//!     agent: Agent::Claude,
//!     session_id: "demo".into(),
//!     include_raw: false,
//!     connection: false,
//!     metadata: None,
//!     max_line: None,
//! };
//! let mut session = Connection::open(&options)?;
//! let mut events: Vec<UniversalEvent<'static>> = Vec::new();
//! let line = br#"{"type":"assistant","message":{"id":"msg_1","content":[{"type":"text","text":"Hello."}]}}"#;
//! session.receive(line, &Channel::Stdout, 0.0, &mut events);
//! session.receive(b"\n", &Channel::Stdout, 0.0, &mut events);
//! session.end(0.0, &mut events);
//! assert!(events.iter().any(|event| event.data.type_name() == "item.delta"));
//! # Ok::<(), interlinear_core::Failure>(())
//! ```

mod agents;
mod api;
mod book;
mod check;
mod connection;
mod convert;
mod diff;
mod emit;
pub mod hash;
mod json;
mod lines;
mod map;
mod mcp;
mod recording;
mod repeat;
mod sink;
mod state;
mod stderr;
mod stored;
pub mod time;
mod title;
mod uri;
mod wire;

pub use api::*;
pub use check::Checker;
pub use connection::Connection;
pub use convert::{Converter, detect};
pub use interlinear_schema as schema;
pub use map::Map;
pub use sink::{Encoding, LineReport, Outcome, Output, Sink};

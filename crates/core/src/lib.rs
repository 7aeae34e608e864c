//! Bytes and commands in, universal events and bytes out.

mod api;
mod check;
mod connection;
mod convert;
mod sink;

pub use api::*;
pub use check::Checker;
pub use connection::Connection;
pub use convert::{Converter, detect};
pub use interlinear_schema as schema;
pub use sink::{Encoding, LineReport, Outcome, Output, Sink};

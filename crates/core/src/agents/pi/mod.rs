//! Pi: its RPC mode in both directions, its JSON mode, and its session files.

mod content;
mod control;
mod dialogs;
mod execution;
mod map;
mod messages;
mod runs;
mod said;
mod state;
mod stored;
mod talk;
mod tools;
mod updates;
mod wire;

pub(crate) use state::State;
pub(crate) use stored::{Index, recognise, recognise_header};

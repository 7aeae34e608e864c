//! Claude Code: its stream in both directions, and its session files.

mod blocks;
mod control;
mod map;
mod messages;
mod order;
mod results;
mod state;
mod stored;
mod system;
mod talk;
mod tools;
mod wire;

pub(crate) use order::Index;
pub(crate) use state::State;
pub(crate) use stored::recognise;

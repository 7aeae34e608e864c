//! Amp: its stream in both directions, the stream of older versions, and its threads.

mod map;
mod messages;
mod older;
mod output;
mod prompts;
mod state;
mod talk;
mod threads;
mod tools;
mod wire;

pub(crate) use map::{recognise, recognise_older};
pub(crate) use state::State;
pub(crate) use threads::recognise_document;

//! Amp: its stream in both directions, the stream of older versions, and its threads.

mod map;
mod messages;
mod older;
mod output;
mod prompts;
mod state;
mod stored;
mod talk;
mod tools;
mod wire;

pub(crate) use map::{recognise, recognise_older};
pub(crate) use state::State;
pub(crate) use stored::recognise_document;

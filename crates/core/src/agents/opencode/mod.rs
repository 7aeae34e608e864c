//! OpenCode: the events of its server with the bodies of requests and responses, `run --format json`, the Agent
//! Client Protocol, exports and the stored forms.

mod acp;
mod exec;
mod http;
mod map;
mod messages;
mod next;
mod parts;
mod requests;
mod sessions;
mod state;
mod stored;
mod streams;
mod talk;
mod text;
mod tools;
mod turns;
mod wire;

pub(crate) use state::State;
pub(crate) use stored::{arrange, recognise, recognise_document};

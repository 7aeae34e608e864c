//! Codex: its app server in both directions, `exec --json`, and its rollout files.

mod argv;
mod calls;
mod exec;
mod items;
mod legacy;
mod map;
mod messages;
mod notes;
mod older;
mod patch;
mod requests;
mod state;
mod stored;
mod talk;
mod threads;
mod told;
mod tools;
mod turns;
mod wire;

pub(crate) use state::State;
pub(crate) use stored::recognise;

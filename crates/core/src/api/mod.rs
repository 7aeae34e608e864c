//! What a host hands in and gets back, besides events.

mod commands;
mod options;
mod read;
mod reports;
mod write;

pub use commands::*;
pub use options::*;
pub use reports::*;

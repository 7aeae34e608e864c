//! The contract, as a function.
use interlinear_schema::UniversalEvent;

use crate::api::Break;

/// Checks a stream of events, event by event, of one or several sessions.
#[derive(Debug, Default)]
pub struct Checker {}

impl Checker {
    /// A checker that has seen nothing yet.
    pub fn new() -> Self {
        Self::default()
    }
    /// The next event.
    pub fn event(&mut self, _event: &UniversalEvent<'_>) {}
    /// The next event as JSON; what is no event at all is a break too.
    pub fn json(&mut self, _event: &str) {}
    /// The breaks found since the last call.
    pub fn breaks(&mut self) -> Vec<Break> {
        Vec::new()
    }
    /// The stream is over.
    pub fn finish(&mut self) -> Vec<Break> {
        Vec::new()
    }
}

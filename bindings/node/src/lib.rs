//! The core for Node.js: the same names and shapes as the WASM binding.
//!
//! A façade: values are handed over, events cross as bytes, and nothing is decided about them here.
#![expect(clippy::needless_pass_by_value, reason = "arguments come from JavaScript, owned")]

mod machine;
mod transcript;
mod value;

use interlinear_core::Checker;
use napi_derive::napi;

use crate::value::{Result, json, thrown};

/// Events are made of many small pieces of memory that live for a moment.
#[global_allocator]
static MEMORY: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Checks a stream of events against the contract.
#[napi]
#[derive(Debug, Default)]
pub struct ContractChecker(Checker);

#[napi]
impl ContractChecker {
    /// A checker that has seen nothing yet.
    #[napi(constructor, catch_unwind)]
    pub fn new() -> Self {
        Self(Checker::new())
    }

    /// The next event, as JSON.
    #[napi(catch_unwind)]
    pub fn json(&mut self, event: String) {
        self.0.json(&event);
    }

    /// The breaks found since the last call: a JSON array.
    #[napi(catch_unwind)]
    pub fn breaks(&mut self) -> String {
        json(&self.0.breaks())
    }
}

/// What a transcript is, from its beginning: JSON.
#[napi(catch_unwind)]
pub fn detect(name: String, head: &[u8]) -> Result<String> {
    interlinear_core::detect(&name, head).map(|detection| json(&detection)).map_err(thrown)
}

/// The agents that can be read: JSON.
#[napi(catch_unwind)]
pub fn agents() -> String {
    json(interlinear_core::Agent::ALL)
}

/// The version of this build.
#[napi(catch_unwind)]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

//! The core for browsers, workers and edge runtimes: the same names and shapes as the Node.js binding.
//!
//! A façade: values are handed over, events cross as bytes, and nothing is decided about them here.
#![expect(clippy::needless_pass_by_value, reason = "arguments come from JavaScript, owned")]

mod machine;
#[cfg(target_family = "wasm")]
mod memory;
mod transcript;
mod value;

use interlinear_core::Checker;
use wasm_bindgen::prelude::*;

use crate::value::{json, thrown};

/// Events are made of many small pieces of memory that live for a moment.
#[cfg(target_family = "wasm")]
#[global_allocator]
static MEMORY: memory::Memory = memory::Memory::new();

/// Checks a stream of events against the contract.
#[wasm_bindgen]
#[derive(Debug, Default)]
pub struct ContractChecker(Checker);

#[wasm_bindgen]
impl ContractChecker {
    /// A checker that has seen nothing yet.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self(Checker::new())
    }

    /// The next event, as JSON.
    pub fn json(&mut self, event: &str) {
        self.0.json(event);
    }

    /// The breaks found since the last call: a JSON array.
    pub fn breaks(&mut self) -> String {
        json(&self.0.breaks())
    }
}

/// What a transcript is, from its beginning: JSON.
#[wasm_bindgen]
pub fn detect(name: &str, head: &[u8]) -> Result<String, JsValue> {
    interlinear_core::detect(name, head).map(|detection| json(&detection)).map_err(thrown)
}

/// The agents that can be read: JSON.
#[wasm_bindgen]
pub fn agents() -> String {
    json(interlinear_core::Agent::ALL)
}

/// The version of this build.
#[wasm_bindgen]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

/// Keeps the text of a panic, which the trap that follows does not carry.
#[wasm_bindgen(start)]
pub fn start() {
    std::panic::set_hook(Box::new(|panic| value::keep_panic(&panic.to_string())));
}

/// The text of the panic that ended this instance, if one did.
#[wasm_bindgen(js_name = panicText)]
pub fn panic_text() -> Option<String> {
    value::kept_panic()
}

//! What is generated from the Rust types: the TypeScript declarations and the JSON Schema of universal events, and the
//! decoder of their packed form.

mod decoder;
mod schema;
mod typescript;

use std::path::PathBuf;

/// The command that brings the generated files up to date.
pub const COMMAND: &str = "cargo run -p interlinear-typegen";

/// Every generated file: where it belongs and what it must hold.
pub fn files() -> Vec<(PathBuf, String)> {
    let package = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../npm/interlinear"));
    vec![
        (package.join("types/index.d.ts"), typescript::declarations()),
        (package.join("src/packed/operations.ts"), decoder::operations()),
        (package.join("src/packed/objects.ts"), decoder::objects()),
        (package.join("schema/universal-event.schema.json"), schema::universal_event()),
    ]
}

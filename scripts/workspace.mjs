/** What has no tests in Rust: it is tested as what it is built into. */
const untested = ["interlinear-node", "interlinear-wasm", "interlinear-exchange-wasm", "interlinear-bindgen"];

/** Tells cargo what is tested. Asked for a part of it by another name, it would compile the core anew, with other features. */
export const testedCrates = ["--workspace", ...untested.flatMap((crate) => ["--exclude", crate])];

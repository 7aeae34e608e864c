/** What has tests that run without a host; compiling the rest for them would take long and prove nothing. */
const untested = ["interlinear-node", "interlinear-wasm", "interlinear-exchange-wasm", "interlinear-bindgen"];

/** Tells cargo to compile all that is tested; who asks for a part of it in another way gets another compilation of it. */
export const testedCrates = ["--workspace", ...untested.flatMap((crate) => ["--exclude", crate])];

// Writes the files that are made from the Rust types: the TypeScript declarations, the JSON Schema and the decoder of
// packed events. They are committed, and a test fails when they are stale.
import { heading, main, run } from "./shell.mjs";

main(async () => {
  heading("Generated files");
  await run("cargo", ["run", "--quiet", "--package", "interlinear-typegen"]);
});

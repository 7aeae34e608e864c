// What crosses packed is what the full JSON says: the same values, the same keys, in the same order.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { root } from "../fixtures.mjs";

/** Runs a script of this folder with one build; gives the number of events that it compared. */
function compared(script, backend) {
  const env = { ...process.env, INTERLINEAR_BACKEND: backend };
  const path = fileURLToPath(new URL(script, import.meta.url));
  return JSON.parse(execFileSync(process.execPath, [path], { cwd: root, env, encoding: "utf8" }));
}

for (const backend of ["native", "wasm"]) {
  test(`packed events are those of the full JSON, on every fixture: ${backend}`, () => {
    assert.ok(compared("packed.mjs", backend) > 0);
  });

  test(`packed events are those of the full JSON, whatever a string holds: ${backend}`, () => {
    assert.ok(compared("odd-text.mjs", backend) > 0);
  });
}

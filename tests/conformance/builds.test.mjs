// Rule 7 of the contract: native Rust, the module for Node and WebAssembly give the same bytes.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { root, transcripts } from "../fixtures.mjs";
import { compiled } from "../rust.mjs";

const script = fileURLToPath(new URL("convert.mjs", import.meta.url));
const all = transcripts();

/** The events of every fixture, by a build of the npm package: hashes and sizes. */
function byPackage(backend, raw) {
  const env = { ...process.env, INTERLINEAR_BACKEND: backend };
  const args = [script, ...(raw ? ["--raw"] : [])];
  return JSON.parse(execFileSync(process.execPath, args, { cwd: root, env, maxBuffer: 1 << 28 }));
}

/** The same, by Rust itself. */
function byRust(raw) {
  const convert = compiled("example", "convert");
  const results = all.map(({ name, files }) => {
    const output = execFileSync(convert, [...(raw ? ["--raw"] : []), ...files], { cwd: root, maxBuffer: 1 << 30 });
    return [name, { bytes: output.length, hash: createHash("sha256").update(output).digest("hex") }];
  });
  return Object.fromEntries(results);
}

for (const raw of [false, true]) {
  test(`all builds give the same bytes for every fixture${raw ? ", native objects included" : ""}`, () => {
    const rust = byRust(raw);
    assert.ok(Object.keys(rust).length > 0, "there are no fixtures");
    assert.ok(
      Object.values(rust).every(({ bytes }) => bytes > 0),
      "a fixture has no events",
    );
    assert.deepEqual(byPackage("native", raw), rust);
    assert.deepEqual(byPackage("wasm", raw), rust);
  });
}

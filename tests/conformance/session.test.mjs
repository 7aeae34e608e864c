// A live session gives the same in both builds, and goes on in the other one from a snapshot.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { root } from "../fixtures.mjs";

const script = fileURLToPath(new URL("session.mjs", import.meta.url));

/** Plays the recording with one build, from a snapshot or from the beginning. */
function play(backend, job) {
  const env = { ...process.env, INTERLINEAR_BACKEND: backend };
  const output = execFileSync(process.execPath, [script], {
    cwd: root,
    env,
    input: JSON.stringify(job),
    maxBuffer: 1 << 28,
  });
  return JSON.parse(output);
}

test("a session gives the same events, bytes to send, statistics and snapshot in both builds", () => {
  const native = play("native", { from: 0 });
  assert.ok(native.events.length > 0);
  assert.deepEqual(play("wasm", { from: 0 }), native);
});

for (const [first, second] of [
  ["native", "wasm"],
  ["wasm", "native"],
]) {
  test(`a session that ${first} began goes on with ${second}`, () => {
    const whole = play(first, { from: 0 });
    const half = Math.floor(whole.steps / 2);
    const begun = play(first, { from: 0, to: half });
    const rest = play(second, { from: half, snapshot: begun.snapshot });
    assert.deepEqual([...begun.events, ...rest.events], whole.events);
    assert.equal(rest.snapshot, whole.snapshot);
  });
}

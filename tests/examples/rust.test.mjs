import assert from "node:assert/strict";
import { test } from "node:test";
import { shell } from "../cli/run.mjs";
import { compiled } from "../rust.mjs";

const run = (file) => shell(`"${compiled("bin", "what-was-done")}" ${file}`);

test("the example in Rust says what was done", async () => {
  const { code, stdout, stderr } = await run("tests/fixtures/claude/recordings/edit_file.jsonl");
  assert.equal(code, 0, stderr);
  assert.equal(
    stdout,
    "Read  /workspace/demo/src/math.js\nEdit  /workspace/demo/src/math.js\nClaude: 1 turns, 2 calls, 0 failed\n",
  );
});

test("the example in Rust reads a stored session, whose lines are read again in order", async () => {
  const { code, stdout, stderr } = await run("tests/fixtures/pi/stored/compaction-manual/compaction-manual.jsonl");
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^Pi: [1-9]\d* turns, [1-9]\d* calls/m);
});

test("the example in Rust says so when there is no such file", async () => {
  const { code, stderr } = await run("no-such-file.jsonl");
  assert.equal(code, 1);
  assert.match(stderr, /^no-such-file\.jsonl: /m);
});

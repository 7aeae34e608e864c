import assert from "node:assert/strict";
import { test } from "node:test";
import { shell } from "../cli/run.mjs";

test("the example for Node converts a session while it runs", async () => {
  const { code, stdout, stderr } = await shell("node examples/node/main.mjs");
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^\[Agent .*\]$/m);
  assert.match(stdout, /: 1 turn\(s\), 2 tool call\(s\), \d+ tokens written; ended: completed\n$/);
});

test("the example for Node says so when the program is not there", async () => {
  const { code, stderr } = await shell("node examples/node/main.mjs no-such-program");
  assert.equal(code, 1);
  assert.match(stderr, /no-such-program cannot be started/);
});

// The command that the example tells, without another compilation of the core: the package's one program is what it runs.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { before, test } from "node:test";
import { root, shell } from "../cli/run.mjs";
import { compiled } from "../rust.mjs";

const source = readFileSync(new URL("../../examples/rust/main.rs", import.meta.url), "utf8");
const [, name, told] = /^\/\/! cargo run --package (\S+) -- (\S+)$/m.exec(source);
let program;

before(() => {
  const metadata = execFileSync("cargo", ["metadata", "--no-deps", "--format-version", "1"], { cwd: root });
  const { targets } = JSON.parse(metadata).packages.find((member) => member.name === name);
  assert.deepEqual(
    targets.map(({ kind }) => kind),
    [["bin"]],
  );
  program = compiled("bin", targets[0].name);
});

const run = (file) => shell(`"${program}" ${file}`);

test("the example in Rust says what was done", async () => {
  const { code, stdout, stderr } = await run(told);
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

import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { interlinear, recording, stored } from "./run.mjs";

describe("check", () => {
  let events = [];
  before(async () => {
    const { stdout } = await interlinear(["convert", "-q", recording("parallel_tools")]);
    events = stdout.split("\n").filter(Boolean);
  });
  const checked = (lines, ...options) => interlinear(["check", ...options], { input: lines.join("\n") });

  test("events that keep the contract are exit code 0", async () => {
    const { code, stdout } = await checked(events);
    assert.equal(code, 0, stdout);
    assert.match(stdout, new RegExp(`stdin: ${events.length} events, the contract is kept`));
  });

  test("a lost event is exit code 1, and the rule is named", async () => {
    const { code, stdout } = await checked(events.filter((_, at) => at !== 4));
    assert.equal(code, 1);
    assert.match(stdout, /stdin: event 6 of session .* breaks rule 1: /);
    assert.match(stdout, /\d+ breaks?\n$/);
  });

  test("a stream that stops in the middle of an item is exit code 1", async () => {
    const at = events.findIndex((line) => line.includes('"item.started"'));
    const { code } = await checked([
      ...events.slice(0, at + 1),
      events.at(-1).replace(/"sequence":\d+/, `"sequence":${at + 2}`),
    ]);
    assert.equal(code, 1);
  });

  test("--json gives each break as an object", async () => {
    const { stdout } = await checked(
      events.filter((_, at) => at !== 4),
      "--json",
    );
    const [first] = stdout
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    assert.deepEqual([first.file, first.rule, first.sequence], ["stdin", 1, 6]);
  });

  test("a line that is no event is a break", async () => {
    const { code } = await checked([...events.slice(0, 3), "{oops", ...events.slice(3)]);
    assert.equal(code, 1);
  });

  test("transcripts are converted first", async () => {
    const { code, stdout } = await interlinear(["check", recording("subagent"), stored("subagent")]);
    assert.equal(code, 0, stdout);
    assert.equal(stdout.match(/the contract is kept/g).length, 2);
  });

  test("a file that is neither is exit code 2", async () => {
    const { code, stderr } = await interlinear(["check"], { input: '{"milk":2}\n' });
    assert.equal(code, 2);
    assert.match(stderr, /--agent/);
  });
});

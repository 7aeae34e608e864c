import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { interlinear, recording, shell, streamOf } from "./run.mjs";

const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");

/** The code blocks of a language. */
function blocks(language) {
  return [...readme.matchAll(/^```(\w+)\n(.*?)^```$/gms)]
    .filter(([, name]) => name === language)
    .map(([, , code]) => code);
}

describe("the README", () => {
  const commands = blocks("sh").flatMap((block) => block.split("\n").filter(Boolean));

  test("has commands to run", () => assert.ok(commands.length > 5));
  for (const command of commands) {
    test(`runs as written: ${command}`, async () => {
      const { code, stdout, stderr } = await shell(`set -o pipefail; ${command}`);
      assert.equal(code, 0, stderr);
      assert.notEqual(stdout, "");
    });
  }

  test("shows what show really shows", async () => {
    const [block] = blocks("console");
    const [command, ...rows] = block.split("\n");
    const { stdout } = await shell(command.replace(/^\$ /, ""));
    assert.equal(stdout, rows.join("\n"));
  });

  test("has a native line of a real recording, and the event that it really becomes", async () => {
    const [native, event] = blocks("json");
    assert.ok(streamOf(recording("hello_partial")).includes(native));
    const { stdout } = await interlinear(["convert", "-q", recording("hello_partial")]);
    assert.ok(stdout.includes(event), event);
  });
});

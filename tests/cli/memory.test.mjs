import assert from "node:assert/strict";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { bytesOf, recording, root, start, stored, streamOf } from "./run.mjs";

const report = fileURLToPath(new URL("report-peak.mjs", import.meta.url));
const LONG_TEXT = "All work and no play. ".repeat(500);

/** A live session of so many megabytes: real lines, and answers with ids of their own. */
function* longStream(megabytes) {
  const lines = streamOf(recording("hello"));
  const init = lines.find((line) => line.includes('"subtype":"init"'));
  const answer = JSON.parse(lines.find((line) => line.startsWith('{"type":"assistant"')));
  const result = lines.find((line) => line.startsWith('{"type":"result"'));
  const content = [{ type: "text", text: LONG_TEXT }];
  for (let turn = 0, written = 0; written < megabytes * 1e6; turn += 1) {
    const answers = Array.from({ length: 20 }, (_, n) => {
      const message = { ...answer.message, id: `msg-${turn}-${n}`, content };
      return `${JSON.stringify({ ...answer, uuid: `u-${turn}-${n}`, message })}\n`;
    });
    const chunk = [init, ...answers, result].join("");
    written += chunk.length;
    yield chunk;
  }
}

/** A stored session of so many megabytes: each entry hangs on the one before. */
function* longSession(megabytes) {
  const [name] = readdirSync(`${root}/${stored("hello")}`);
  const entries = bytesOf(`${stored("hello")}/${name}`)
    .toString()
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  const prompt = entries.find((entry) => entry.type === "user");
  const answer = entries.find((entry) => entry.type === "assistant");
  const content = [{ type: "text", text: LONG_TEXT }];
  yield `${JSON.stringify(prompt)}\n`;
  for (let n = 0, parentUuid = prompt.uuid, written = 0; written < megabytes * 1e6; n += 1) {
    const uuid = `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
    const line = `${JSON.stringify({ ...answer, uuid, parentUuid, message: { ...answer.message, id: `msg-${n}`, content } })}\n`;
    parentUuid = uuid;
    written += line.length;
    yield line;
  }
}

/** The most memory that converting these lines took, in megabytes. */
async function peakOf(lines, megabytes) {
  const child = start(["convert"], { node: ["--import", report], stdio: ["pipe", "pipe", "pipe", "pipe"] });
  let bytes = 0;
  let peak = "";
  child.stdout.on("data", (chunk) => {
    bytes += chunk.length;
  });
  child.stderr.resume();
  child.stdio[3].on("data", (chunk) => {
    peak += chunk;
  });
  const closed = once(child, "close");
  for (const line of lines(megabytes)) if (!child.stdin.write(line)) await once(child.stdin, "drain");
  child.stdin.end();
  assert.equal((await closed)[0], 0);
  assert.ok(bytes > megabytes * 1e6, `only ${bytes} bytes of events`);
  return Number(peak) / 1024;
}

describe("memory", () => {
  const cases = {
    "does not grow with a stream: 200 MB take what 20 MB take": [longStream, 20, 200],
    "does not grow with a stored session: 200 MB take what 60 MB take": [longSession, 60, 200],
  };
  for (const [name, [lines, little, much]] of Object.entries(cases)) {
    test(name, async () => {
      const small = await peakOf(lines, little);
      const large = await peakOf(lines, much);
      assert.ok(large < small + 40, `${little} MB took ${small.toFixed(0)} MB, ${much} MB took ${large.toFixed(0)} MB`);
    });
  }
});

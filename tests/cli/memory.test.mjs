import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { recording, start, streamOf } from "./run.mjs";

const report = fileURLToPath(new URL("report-peak.mjs", import.meta.url));

/** A session of so many megabytes: real lines, and answers with ids of their own. */
function* longStream(megabytes) {
  const lines = streamOf(recording("hello"));
  const init = lines.find((line) => line.includes('"subtype":"init"'));
  const answer = JSON.parse(lines.find((line) => line.startsWith('{"type":"assistant"')));
  const result = lines.find((line) => line.startsWith('{"type":"result"'));
  answer.message.content[0].text = "All work and no play. ".repeat(500);
  let written = 0;
  for (let turn = 0; written < megabytes * 1e6; turn += 1) {
    const lines = [init];
    for (let n = 0; n < 20; n += 1) {
      lines.push(
        `${JSON.stringify({ ...answer, uuid: `u-${turn}-${n}`, message: { ...answer.message, id: `msg-${turn}-${n}` } })}\n`,
      );
    }
    const chunk = [...lines, result].join("");
    written += chunk.length;
    yield chunk;
  }
}

/** The most memory that converting such a stream took, in megabytes. */
async function peakOf(megabytes) {
  const child = start(["convert"], { node: ["--import", report], stdio: ["pipe", "pipe", "pipe", "pipe"] });
  let events = 0;
  let peak = "";
  child.stdout.on("data", (chunk) => {
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) events += 1;
  });
  child.stderr.resume();
  child.stdio[3].on("data", (chunk) => {
    peak += chunk;
  });
  const closed = once(child, "close");
  for (const chunk of longStream(megabytes)) if (!child.stdin.write(chunk)) await once(child.stdin, "drain");
  child.stdin.end();
  assert.equal((await closed)[0], 0);
  assert.ok(events > megabytes * 100, `${events} events`);
  return Number(peak) / 1024;
}

test("memory does not grow with the stream: 200 MB take what 20 MB take", async () => {
  const small = await peakOf(20);
  const large = await peakOf(200);
  assert.ok(large < small + 40, `20 MB took ${small.toFixed(0)} MB, 200 MB took ${large.toFixed(0)} MB`);
});

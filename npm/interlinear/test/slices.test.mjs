// However much is handed in at once, the same comes out: big input is cut into slices on its way.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openSession } from "interlinear";

const answer = (id, text) =>
  `${JSON.stringify({ type: "assistant", message: { id, role: "assistant", content: [{ type: "text", text }] } })}\n`;
// Short lines, a line that is longer than a slice, and one without an end.
const lines = [
  ...Array.from({ length: 500 }, (_, index) => answer(`msg_${index}`, `é ${"x".repeat(index)}`)),
  answer("msg_long", "漢".repeat(100_000)),
  answer("msg_last", "bye").trimEnd(),
];
const open = () => openSession({ agent: "claude", sessionId: "s", includeRaw: true, now: () => 0 });
const texts = (events) => events.map((event) => JSON.stringify(event));

test("a stream that is handed in at once gives the events of its lines, as objects and as bytes", () => {
  const [whole, bytes, single, relayed] = [open(), open(), open(), open()];
  const stream = lines.join("");
  assert.ok(stream.length > 4 * 64 * 1024);
  const expected = texts([...lines.flatMap((line) => single.receive(line)), ...single.end()]);
  assert.deepEqual(texts([...whole.receive(stream), ...whole.end()]), expected);
  assert.deepEqual(texts([...bytes.receive(Buffer.from(stream)), ...bytes.end()]), expected);
  const relayedLines = new TextDecoder().decode(relayed.relay(stream)).split("\n").slice(0, -1);
  assert.deepEqual([...texts(relayedLines.map((line) => JSON.parse(line))), ...texts(relayed.end())], expected);
});

test("the body of a request is one unit, however big", () => {
  const session = openSession({ agent: "opencode", sessionId: "s", now: () => 0 });
  const body = JSON.stringify({ parts: [{ type: "text", text: "x".repeat(200_000) }] });
  session.sent(body, { http: "POST /session/ses_1/message" });
  assert.equal(session.stats().lines, 1);
});

// The memory of a WebAssembly instance never shrinks: what one outlier took must be given back all the same.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as wasm from "@interlinear/wasm";
import { convert, init, openSession } from "interlinear";

const module = new WebAssembly.Module(await (await import("node:fs/promises")).readFile(wasm.moduleUrl()));
await init(module);

const memory = () => wasm.initSync({ module }).memory.buffer.byteLength;
const ample = 32 * 1024 * 1024;
const answer = (id, text) =>
  `${JSON.stringify({ type: "assistant", message: { id, role: "assistant", content: [{ type: "text", text }] } })}\n`;
const outlier = answer("msg_1", "x".repeat(24 * 1024 * 1024));
const open = () => openSession({ agent: "claude", sessionId: "s", now: () => 0 });

/** The events of a line that is not special, after those of an outlier. */
function after(session) {
  session.receive(outlier);
  const events = session.receive(answer("msg_2", "good day"));
  return [...events, ...session.receive(answer("msg_3", "good night")), ...session.receive(answer("msg_4", "hello"))];
}

test("a session that is alone moves to a fresh memory after an outlier, and goes on as if nothing had been", () => {
  const [first, second] = [open(), open()];
  const expected = after(first);
  assert.ok(memory() > ample, "two sessions live here: it is not given back");
  first.free();
  assert.deepEqual(after(second), expected);
  assert.ok(memory() <= ample);
  assert.deepEqual(second.end().at(-1).type, "session.ended");
  second.free();
});

test("nothing that lives here: the memory is given back", () => {
  assert.ok(convert(outlier, { agent: "claude" }).length > 0);
  assert.ok(memory() <= ample);
});

test("what was opened before a fresh memory was made is not freed in it", () => {
  const session = open();
  after(session);
  session.free();
  session.free();
  const next = open();
  assert.ok(next.receive(answer("msg_3", "good day")).length > 0);
  next.free();
});

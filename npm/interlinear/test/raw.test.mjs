import assert from "node:assert/strict";
import { test } from "node:test";
import { convert, openSession } from "interlinear";

const answer = (text) => ({
  type: "assistant",
  session_id: "native",
  message: { id: "msg_1", role: "assistant", model: "m", content: [{ type: "text", text }] },
});
const line = (value) => `${JSON.stringify(value)}\n`;

/** A delta of a session that keeps native objects, and the object that caused it. */
function delta(text = "good day") {
  const session = openSession({ agent: "claude", includeRaw: true });
  const events = session.receive(line(answer(text)));
  return { event: events.find(({ type }) => type === "item.delta"), native: answer(text), events };
}

test("raw is a property of the event like any other to see, though it is parsed only when looked at", () => {
  const { event, native } = delta();
  const { get, enumerable, configurable } = Object.getOwnPropertyDescriptor(event, "raw");
  assert.deepEqual([typeof get, enumerable, configurable], ["function", true, true]);
  assert.equal(Object.keys(event).at(-1), "raw");
  assert.deepEqual(event.raw, native);
  assert.equal(event.raw, event.raw);
});

test("raw survives JSON, structuredClone, a spread, a Proxy and a frozen event", () => {
  const { native } = delta();
  assert.deepEqual(JSON.parse(JSON.stringify(delta().event)).raw, native);
  assert.deepEqual(structuredClone(delta().event).raw, native);
  assert.deepEqual({ ...delta().event }.raw, native);
  assert.deepEqual(Object.getOwnPropertyDescriptor({ ...delta().event }, "raw").value, native);
  const reactive = { get: (target, key, receiver) => Reflect.get(target, key, receiver) };
  assert.deepEqual(new Proxy(delta().event, reactive).raw, native);
  assert.deepEqual(Object.freeze(delta().event).raw, native);
});

test("raw can be taken off an event", () => {
  const { event } = delta();
  event.raw = null;
  assert.equal(event.raw, null);
  assert.equal(JSON.parse(JSON.stringify(event)).raw, null);
  const frozen = Object.freeze(delta().event);
  assert.throws(() => {
    frozen.raw = null;
  }, TypeError);
});

test("events of one line do not share what they give out", () => {
  const { events, native } = delta();
  const [first, second] = events.filter(({ type }) => type.startsWith("item."));
  first.raw.type = "changed";
  assert.deepEqual(second.raw, native);
});

test("raw is kept when the host uses its buffer again", () => {
  for (const make of [(text) => new TextEncoder().encode(text), (text) => Buffer.from(text)]) {
    const session = openSession({ agent: "claude", includeRaw: true });
    const bytes = make(line(answer("good day")));
    const events = session.receive(bytes);
    bytes.fill(0);
    assert.deepEqual(events.at(-1).raw, answer("good day"));
  }
});

test("raw is whole wherever a chunk was cut, and whatever the line holds", () => {
  const native = answer('é 漢 🎉 " \\ \u0000 \ud83d');
  const bytes = new TextEncoder().encode(line(native));
  const whole = convert(bytes, { agent: "claude", includeRaw: true });
  assert.deepEqual(whole.find(({ type }) => type === "item.delta").raw, native);
  for (const cut of [1, 40, bytes.length - 2]) {
    const session = openSession({ agent: "claude", includeRaw: true });
    const events = [...session.receive(bytes.subarray(0, cut)), ...session.receive(bytes.subarray(cut))];
    assert.deepEqual(events.find(({ type }) => type === "item.delta").raw, native);
  }
});

test("raw is null unless asked for", () => {
  const session = openSession({ agent: "claude" });
  const events = session.receive(line(answer("good day")));
  assert.ok(events.every((event) => Object.getOwnPropertyDescriptor(event, "raw").value === null));
});

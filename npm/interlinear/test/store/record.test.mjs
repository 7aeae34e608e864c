import assert from "node:assert/strict";
import { test } from "node:test";
import { openSession } from "interlinear";
import { decode, encode, only } from "../../dist/store/record.js";

// A number that JavaScript cannot hold, one that it would write differently, and a key that comes twice.
const line =
  '{"type":"system","subtype":"new_thing","session_id":"s","big":12345678901234567890,"one":1.0,"a":1,"a":2}';

function read() {
  const session = openSession({ agent: "claude", sessionId: "s", includeRaw: true });
  const events = session.receive(`${line}\n`);
  session.free();
  return events.at(-1);
}

test("a native object is stored as the agent wrote it", () => {
  assert.equal(encode(read()).raw, line);
  const withLines = { ...only(read(), { includeRaw: false }), dir: "in" };
  assert.equal(
    encode(Object.defineProperty(withLines, "raw", { value: { one: 1 } })).raw.includes('"raw":{"one":1}'),
    true,
  );
});

test("what has changed it is stored, and what has only looked at it changes nothing that JavaScript can see", () => {
  const seen = read();
  assert.equal(seen.raw.a, 2);
  assert.deepEqual(JSON.parse(encode(seen).raw), JSON.parse(line));
  const changed = read();
  changed.raw = { other: true };
  assert.equal(encode(changed).raw, '{"other":true}');
});

test("an event is stored without parsing its native object, and comes back whole", () => {
  const event = read();
  const { text, raw } = encode(event);
  assert.equal(JSON.parse(text).raw, null);
  assert.deepEqual(decode(text, raw, { includeRaw: true }), JSON.parse(JSON.stringify(event)));
  assert.deepEqual(Object.keys(JSON.parse(text)), Object.keys(event));
});

test("what looks like a wrapped object comes back as it was", () => {
  const event = { ...read(), raw: { "interlinear:silent": [], raw: 1 } };
  const { text, raw } = encode(event);
  assert.deepEqual(decode(text, raw, { includeRaw: true }).raw, event.raw);
});

// Sends whatever a JSON string can hold through a session of the build that INTERLINEAR_BACKEND names, in chunks cut
// anywhere, and compares the packed events with those of the full JSON; prints how many there were.
import assert from "node:assert/strict";
import { backend, openSession } from "interlinear";

let state = 1;
/** A number below the limit: the same ones in every run. */
function random(limit) {
  state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
  return (state >>> 8) % limit;
}

const pick = (list) => list[random(list.length)];
const unit = (from, to) => String.fromCharCode(from + random(to - from));
const kinds = [
  () => unit(0x20, 0x7f),
  () => pick(["word ", "several words at once ", "0123456789abcdef", "{}[],:"]),
  () => pick(['"', "\\", "/", "\n", "\r\n", "\t", "\b", "\f", "\u0000", "\u007f", "\u2028", "\ufeff", "\ufffd"]),
  () => unit(0x00, 0x20),
  () => unit(0x80, 0x800),
  () => unit(0x800, 0xd800),
  () => unit(0xd800, 0xe000),
  () => String.fromCodePoint(0x10000 + random(0x100000)),
];

function text() {
  const usual = pick(kinds);
  return Array.from({ length: random(40) }, () => (random(4) === 0 ? pick(kinds) : usual)()).join("");
}

/** Any JSON, with keys that objects treat in ways of their own. */
function value(depth) {
  const key = () => pick(["a", "7", "__proto__", "constructor", "raw", text()]);
  const simple = [text, () => random(1e9) / 7, () => -random(99), () => null, () => true];
  const nested = [
    () => Array.from({ length: random(4) }, () => value(depth - 1)),
    () =>
      JSON.parse(
        `{${Array.from({ length: random(4) }, () => `${JSON.stringify(key())}:${JSON.stringify(value(depth - 1))}`)}}`,
      ),
  ];
  return pick(depth > 0 ? [...simple, ...nested] : simple)();
}

const lines = [
  (id) => ({ type: "assistant", message: { id, role: "assistant", content: [{ type: "text", text: text() }] } }),
  (id) => ({
    type: "assistant",
    message: { id, role: "assistant", content: [{ type: "tool_use", id: text(), name: text(), input: value(3) }] },
  }),
  () => ({ type: text(), anything: value(3) }),
  () => ({ type: "system", subtype: "init", session_id: text(), cwd: text(), model: text(), tools: [] }),
];

/** JSON text may escape what it need not. */
function written(line) {
  const json = JSON.stringify(line);
  return random(3) > 0
    ? json
    : json.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The stream in chunks, cut anywhere. */
function* chunks(bytes) {
  for (let at = 0; at < bytes.length; ) {
    const end = at + 1 + random(random(2) === 0 ? 200 : 20_000);
    yield bytes.subarray(at, end);
    at = end;
  }
}

let events = 0;
for (const includeRaw of [false, true]) {
  for (let round = 0; round < 20; round++) {
    const stream = Array.from({ length: 100 }, (_, index) => `${written(pick(lines)(`msg_${index}`))}\n`).join("");
    const options = { agent: "claude", sessionId: text().toWellFormed(), includeRaw, now: () => 0 };
    const [packed, plain] = [openSession(options), openSession(options)];
    for (const chunk of chunks(new TextEncoder().encode(stream))) {
      const expected = new TextDecoder().decode(plain.relay(chunk)).split("\n").slice(0, -1);
      const unpacked = packed.receive(chunk);
      assert.deepStrictEqual(
        unpacked,
        expected.map((line) => JSON.parse(line)),
      );
      assert.deepEqual(
        unpacked.map((event) => JSON.stringify(event)),
        expected.map((line) => JSON.stringify(JSON.parse(line))),
      );
      events += unpacked.length;
    }
  }
}
if (backend() !== process.env.INTERLINEAR_BACKEND) throw new Error(`this is ${backend()}`);
process.stdout.write(JSON.stringify(events));

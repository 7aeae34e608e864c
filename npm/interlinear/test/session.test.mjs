import assert from "node:assert/strict";
import { test } from "node:test";
import { InterlinearError, openConnection, openSession, restore } from "interlinear";

const line = (value) => `${JSON.stringify(value)}\n`;
const prompt = { type: "prompt", parts: [{ type: "text", text: "hello" }] };
const init = line({ type: "system", subtype: "init", session_id: "native", cwd: "/", model: "m", tools: [] });
const answer = line({
  type: "assistant",
  session_id: "native",
  message: { id: "msg_1", role: "assistant", model: "m", content: [{ type: "text", text: "good day" }] },
});

/** Errors with a code and something to read. */
const failure = (code) => (error) => error instanceof InterlinearError && error.code === code && error.cure !== "";

test("a session says hello, asks, and hears the answer", () => {
  let time = Date.UTC(2026, 0, 1);
  const session = openSession({ agent: "claude", sessionId: "mine", now: () => time++ });
  const asked = session.command(prompt);
  assert.match(
    session
      .outgoing()
      .map(({ stdin }) => stdin)
      .join(""),
    /hello/,
  );
  assert.deepEqual(session.outgoing(), []);
  const heard = [...session.receive(init), ...session.receive(new TextEncoder().encode(answer))];
  const ended = session.exited({ code: 0 });
  const events = [...asked, ...heard, ...ended];
  assert.deepEqual(
    events.map(({ sequence }) => sequence),
    events.map((_, index) => index + 1),
  );
  assert.ok(events.every(({ session_id }) => session_id === "mine"));
  assert.equal(events[0].time, "2026-01-01T00:00:00.000Z");
  assert.ok(events.some(({ type, data }) => type === "item.delta" && data.delta === "good day"));
  assert.deepEqual(events.at(-1).type, "session.ended");
  assert.ok(session.stats().lines >= 2);
});

test("who wants to sees each native line with its events, and why it has none", () => {
  const seen = [];
  const options = { agent: "claude", sessionId: "mine", now: () => 0 };
  const session = openSession({ ...options, onLine: (line) => seen.push(line) });
  const beat = line({ type: "stream_event", event: { type: "ping" }, session_id: "native" });
  const chunk = `${init}${beat}\nnot json\n{"type":"assis`;
  const given = [...session.command(prompt), ...session.receive(chunk), ...session.exited({ code: 0 })];
  assert.deepEqual(
    seen.map(({ line, dir, kind, outcome, reason }) => [line, dir, kind, outcome, reason]),
    [
      [1, "in", "user", "mapped", undefined],
      [2, "out", "system/init", "mapped", undefined],
      [3, "out", "stream_event", "ignored", "heartbeat"],
      [4, "out", "blank", "ignored", "blank"],
      [5, "out", "text", "mapped", undefined],
      [6, "out", "cut", "cut", undefined],
      [undefined, undefined, undefined, undefined, undefined],
    ],
  );
  assert.equal(seen[2].text, beat.trimEnd());
  assert.deepEqual(
    seen.flatMap(({ events }) => events),
    given,
  );
  const quiet = openSession(options);
  assert.deepEqual([...quiet.command(prompt), ...quiet.receive(chunk), ...quiet.exited({ code: 0 })], given);

  const begun = openSession(options);
  const later = [];
  restore(begun.snapshot(), { now: () => 0, onLine: ({ kind }) => later.push(kind) }).receive(beat);
  assert.deepEqual(later, ["stream_event"]);
});

test("a session without an identifier gets one of its own", () => {
  const [first, second] = [openSession({ agent: "claude" }), openSession({ agent: "claude" })];
  assert.notEqual(first.sessionId, second.sessionId);
  const [event] = first.receive(init);
  assert.equal(event.session_id, first.sessionId);
});

test("a session refuses a second one, which a connection carries", () => {
  const error = (sessionID) => {
    const event = {
      type: "session.error",
      properties: { sessionID, error: { name: "Broken", data: { message: "no" } } },
    };
    return `data: ${line(event)}\n`;
  };
  const both = error("ses_1") + error("ses_2") + error("ses_2");
  const session = openSession({ agent: "opencode", sessionId: "mine" });
  const events = session.receive(both, "sse");
  assert.deepEqual(
    events.map(({ session_id, type, data }) => [session_id, type, data.code]),
    [
      ["mine", "session.started", undefined],
      ["mine", "error", "Broken"],
      ["mine", "error", "second_session"],
    ],
  );
  assert.match(events[2].data.message, /Open a connection/);
  const [kind] = session.stats().kinds.filter(({ kind }) => kind.includes("session.error"));
  assert.deepEqual([kind.lines, kind.ignored], [3, { "second session": 1 }]);

  const connection = openConnection({ agent: "opencode", sessionPrefix: "p" });
  const sessions = connection.receive(both, "sse").map(({ session_id }) => session_id);
  assert.deepEqual([...new Set(sessions)], ["p_1", "p_2"]);
});

test("a session goes on from its snapshot", () => {
  const options = { agent: "claude", sessionId: "s", now: () => 0 };
  const [whole, begun] = [openSession(options), openSession(options)];
  whole.receive(init);
  begun.receive(init);
  const again = restore(begun.snapshot(), { now: () => 0 });
  assert.deepEqual([...again.receive(answer), ...again.end()], [...whole.receive(answer), ...whole.end()]);
});

test("a session says how many events it has given, whichever way", () => {
  const session = openSession({ agent: "claude" });
  assert.equal(session.lastSequence, 0);
  const events = session.receive(init);
  assert.equal(session.lastSequence, events.at(-1).sequence);
  const lines = new TextDecoder().decode(session.relay(answer)).trimEnd().split("\n");
  assert.equal(session.lastSequence, events.length + lines.length);
});

test("relay gives the bytes of the same events, one a line", () => {
  const options = { agent: "claude", sessionId: "s", now: () => 0 };
  const bytes = openSession(options).relay(init + answer);
  const events = new TextDecoder()
    .decode(bytes)
    .trimEnd()
    .split("\n")
    .map((text) => JSON.parse(text));
  assert.deepEqual(events, openSession(options).receive(init + answer));
});

test("a line that is cut between two chunks is one line", () => {
  const options = { agent: "claude", sessionId: "s", now: () => 0 };
  const session = openSession(options);
  const pieces = Array.from(new TextEncoder().encode(init + answer), (byte) => Uint8Array.of(byte));
  assert.deepEqual(
    pieces.flatMap((piece) => session.receive(piece)),
    openSession(options).receive(init + answer),
  );
});

test("includeRaw puts the native object beside each event", () => {
  const events = openSession({ agent: "claude", includeRaw: true }).receive(init + answer);
  assert.ok(events.some(({ raw }) => raw?.type === "assistant"));
});

test("what the host knows is in session.started", () => {
  const events = openSession({ agent: "claude", metadata: { ticket: 7 } }).receive(init);
  assert.equal(events[0].data.metadata.ticket, 7);
});

test("a connection begins the identifiers of its sessions as it is told", () => {
  const events = openConnection({ agent: "claude", sessionPrefix: "host-1" }).receive(init);
  assert.ok(events.length > 0 && events.every(({ session_id }) => session_id.startsWith("host-1")));
});

test("a wrong agent, command or snapshot is refused with a code and a cure", () => {
  assert.throws(() => openSession({ agent: "nobody" }), failure("bad_options"));
  assert.throws(() => openSession({ agent: "claude" }).command({ type: "dance" }), failure("bad_command"));
  assert.throws(() => restore(new Uint8Array([1, 2, 3])), failure("bad_snapshot"));
});

test("a session that was disposed of says so", () => {
  const session = openSession({ agent: "claude" });
  session[Symbol.dispose]();
  session.free();
  assert.throws(() => session.end(), failure("disposed"));
});

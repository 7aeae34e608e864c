// Native lines that give no event: they are kept with the event after them.
import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { silentLines } from "interlinear";
import { JsonlStore } from "interlinear/store";
import { SilentLines } from "../../dist/host/silent.js";
import { all, cwd, hostFor, program } from "./setting.mjs";

/** The silent lines of a session: which event they came before, and what is said of them. */
async function silentOf(store, sessionId, options = { includeSilent: true }) {
  const found = [];
  for await (const events of store.read(sessionId, options)) {
    for (const event of events) for (const line of silentLines(event)) found.push({ before: event.type, ...line });
  }
  return found;
}

test("a line that gives no event goes with the next one, says why, and tells no secret", async (t) => {
  const folder = mkdtempSync(join(cwd, "silent-"));
  const store = new JsonlStore(folder, { sync: "never" });
  t.after(() => store.close());
  const host = hostFor(t, { store, env: { MY_TOKEN: "hunter2-hunter2" } });
  const session = await host.start({ agent: "claude", cwd, sessionId: "mine" });
  await all(session.prompt("beat"));
  await session.terminate();
  const beats = (await silentOf(store, "mine")).filter(({ reason }) => reason === "heartbeat");
  const text = JSON.stringify({
    type: "stream_event",
    event: { type: "ping", seen: "[secret]" },
    session_id: session.nativeSessionId,
  });
  const [{ line }] = beats;
  const kind = "stream_event";
  const [beat] = [{ before: "item.started", line, dir: "out", kind, text, outcome: "ignored", reason: "heartbeat" }];
  assert.deepEqual(beats, [beat]);
  assert.ok(line > 1);
  assert.deepEqual(await silentOf(store, "mine", { includeRaw: true }), []);
  const another = new JsonlStore(folder);
  assert.deepEqual((await silentOf(another, "mine")).length, (await silentOf(store, "mine")).length);
  await another.close();
});

test("which way a line went is known of the first of its events", async (t) => {
  const host = hostFor(t, { env: { MY_TOKEN: "hunter2-hunter2" } });
  const session = await host.start({ agent: "claude", cwd, sessionId: "mine" });
  await all(session.prompt("complain"));
  await session.terminate();
  const shown = await all(session.events({ includeSilent: true }));
  assert.deepEqual(
    shown.filter(({ dir }) => dir !== undefined).map(({ type, dir }) => [type, dir]),
    [
      ["session.started", "in"],
      ["item.started", "err"],
    ],
  );
  assert.ok((await all(session.events())).every((event) => !("dir" in event)));
});

test("what the host says and gives no event is there too", async (t) => {
  const host = hostFor(t);
  const session = await host.start({ agent: "claude", cwd, sessionId: "mine" });
  await all(session.prompt("hello"));
  const said = (await silentOf(host.store, "mine")).filter(({ dir }) => dir === "in");
  assert.deepEqual(
    said.map(({ kind, outcome }) => [kind, outcome]),
    [["control_request/initialize", "ignored"]],
  );
});

test("where sessions share a server, each has the lines that name it, and those of its own requests", async (t) => {
  const env = { FAKE_LOG: join(cwd, "log-silent") };
  const host = hostFor(t, { env, agents: { codex: { command: program("codex.mjs") } } });
  const sessions = [];
  for (const sessionId of ["first", "second"]) sessions.push(await host.start({ agent: "codex", cwd, sessionId }));
  await Promise.all(sessions.map((session) => all(session.prompt("hello"))));
  const [first, second] = await Promise.all(["first", "second"].map((id) => silentOf(host.store, id)));
  const [one, other] = sessions.map(({ nativeSessionId }) => nativeSessionId);
  assert.ok(
    first.some(({ text }) => text.includes('"initialize"')),
    "the first has the server for itself",
  );
  assert.ok(second.some(({ dir, text }) => dir === "in" && text.includes('"thread/start"')));
  assert.ok(first.every(({ text }) => !text.includes(other)));
  assert.ok(second.every(({ text }) => !text.includes(one)));
});

test("what waits has an end: the oldest lines are left out and counted, a long one is cut", () => {
  const lines = new SilentLines();
  const event = {};
  lines.giveTo(event);
  assert.deepEqual(event, {});
  const line = (number, length) => ({ line: number, dir: "out", kind: "x", text: "x".repeat(length), outcome: "cut" });
  lines.add(line(1, 1_000_000));
  for (let number = 2; number <= 100_000; number += 1) lines.add(line(number, 100));
  lines.giveTo(event);
  const [oldest] = event.silent;
  assert.equal(oldest.omitted, oldest.line - 1);
  assert.equal(event.silent.at(-1).line, 100_000);
  assert.ok(JSON.stringify(event).length < 2 << 20);
  lines.add(line(1, 1_000_000));
  lines.giveTo(event);
  assert.equal(event.silent[0].text.length, (1 << 16) + 1);
  assert.equal(event.silent[0].omitted, undefined);
});

import assert from "node:assert/strict";
import { mkdtempSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { AgentHost } from "interlinear/node";
import { MemoryStore } from "interlinear/store";
import { all, breaks, cwd, eventually, hostFor, program, stored, text } from "./setting.mjs";

test("a prompt gives the events of its turn and ends with it", async (t) => {
  const host = hostFor(t);
  const session = await host.start({ agent: "claude", cwd, sessionId: "mine" });
  assert.equal(session.status, "idle");
  const first = await all(session.prompt("hello"));
  assert.equal(text(first), "Good day.");
  assert.equal(first[0].type, "session.started");
  assert.equal(first.at(-1).type, "turn.ended");
  const second = await all(session.prompt([{ type: "text", text: "once more" }]));
  assert.equal(text(second), "You said once more.");
  assert.equal(second[0].sequence, first.at(-1).sequence + 1);
  assert.ok([...first, ...second].every((event) => event.session_id === "mine" && event.raw === null));
  assert.match(session.nativeSessionId, /^native-/);
  assert.equal(host.session("mine"), session);
  await session.terminate();
  assert.equal(host.session("mine"), undefined);
  assert.deepEqual(await breaks(host, "mine"), []);
});

test("every reader has its own place and its own pace", async (t) => {
  const host = hostFor(t);
  const session = await host.start({ agent: "claude", cwd });
  const slow = session.events({ includeRaw: true })[Symbol.asyncIterator]();
  const reading = slow.next();
  const turn = await all(session.prompt("flood 2000"));
  const first = await reading;
  const from = turn[100].sequence;
  const later = session.events({ from })[Symbol.asyncIterator]();
  assert.equal((await later.next()).value.sequence, from + 1);
  await session.terminate();
  const rest = [first.value];
  for (let next = await slow.next(); !next.done; next = await slow.next()) rest.push(next.value);
  assert.deepEqual(
    rest.map(({ sequence }) => sequence),
    rest.map((_, index) => index + 1),
  );
  assert.equal(rest.at(-1).type, "session.ended");
  assert.ok(rest.some(({ raw }) => raw !== null));
});

test("a permission is accepted or refused, with words", async (t) => {
  const host = hostFor(t);
  const session = await host.start({ agent: "claude", cwd });
  const results = [];
  for (const [reply, message] of [["accept"], ["reject", "not now"]]) {
    for await (const { type, data } of session.prompt("permission")) {
      if (type === "permission.requested") {
        assert.deepEqual([...session.pending.permissions], [data.permission_id]);
        await session.replyPermission(data.permission_id, reply, message);
      }
      if (type === "item.completed" && data.item.kind === "tool_result") results.push(data.item.content[0].output);
    }
  }
  assert.deepEqual(results, ["removed", "refused: not now"]);
  assert.equal(session.pending.permissions.size, 0);
  await assert.rejects(session.replyPermission("nobody", "accept"), { code: "unsupported" });
});

test("a question is answered by one text, by a list, or dismissed", async (t) => {
  const host = hostFor(t);
  const session = await host.start({ agent: "claude", cwd });
  const results = [];
  const replies = [
    (id) => session.replyQuestion(id, "Blue"),
    (id) => session.replyQuestion(id, ["Red"]),
    (id) => session.replyQuestion(id, [["Red", "Blue"]]),
    (id) => session.rejectQuestion(id),
  ];
  for (const reply of replies) {
    for await (const { type, data } of session.prompt("question")) {
      if (type === "question.requested") await reply(data.question_id);
      if (type === "item.completed" && data.item.kind === "tool_result") results.push(data.item.content[0].output);
    }
  }
  assert.deepEqual(results, ['{"Which?":"Blue"}', '{"Which?":"Red"}', '{"Which?":"Red, Blue"}', '"none"']);
});

test("an interrupt ends the turn, and the session goes on", async (t) => {
  const host = hostFor(t);
  const session = await host.start({ agent: "claude", cwd });
  const turn = session.prompt("wait");
  await turn.sent;
  await eventually(() => session.status === "running", "the turn runs");
  await session.interrupt();
  assert.equal((await all(turn)).at(-1).data.metadata.status, "interrupted");
  assert.equal(text(await all(session.prompt("hello"))), "Good day.");
  await session.interrupt();
  assert.equal(session.status, "idle", "with no turn there is nothing to interrupt");
});

test("a signal interrupts a turn, ends a session, or stops a start", async (t) => {
  const host = hostFor(t);
  const ended = new AbortController();
  const session = await host.start({ agent: "claude", cwd, signal: ended.signal });
  const stopped = new AbortController();
  const turn = all(session.prompt("wait", { signal: stopped.signal }));
  await eventually(() => session.status === "running", "the turn runs");
  stopped.abort(new Error("enough"));
  await assert.rejects(turn, /enough/);
  await eventually(() => session.status === "idle", "the turn is interrupted");
  ended.abort();
  await eventually(() => session.status === "ended", "the session is over");
  const silent = hostFor(t, { agents: { claude: { command: program("claude.mjs"), env: { FAKE_SILENT: "1" } } } });
  const early = AbortSignal.timeout(300);
  await assert.rejects(silent.start({ agent: "claude", cwd, signal: early }), { name: "TimeoutError" });
  assert.equal(silent.sessions().length, 0);
});

test("a signal interrupts its own turn and no later one, whether or not the turn is read", async (t) => {
  const host = hostFor(t);
  const session = await host.start({ agent: "claude", cwd });
  const first = new AbortController();
  await session.prompt("hello", { signal: first.signal }).sent;
  await eventually(() => session.status === "idle", "the turn is over");
  const turn = session.prompt("permission");
  await turn.sent;
  await eventually(() => session.pending.permissions.size > 0, "the next turn runs");
  first.abort();
  const [permission] = session.pending.permissions;
  await session.replyPermission(permission, "accept");
  assert.equal((await all(turn)).at(-1).data.metadata.status, "completed");
  const second = new AbortController();
  await session.prompt("wait", { signal: second.signal }).sent;
  await eventually(() => session.status === "running", "the turn runs");
  second.abort();
  await eventually(() => session.status === "idle", "it is interrupted, though nobody reads it");
});

test("one signal stops any number of sessions and readers, and Node warns of nothing", async (t) => {
  const warnings = [];
  const listen = (warning) => warnings.push(warning);
  process.on("warning", listen);
  t.after(() => process.off("warning", listen));
  const host = hostFor(t);
  const stop = new AbortController();
  const { signal } = stop;
  const sessions = await Promise.all(Array.from({ length: 12 }, () => host.start({ agent: "claude", cwd, signal })));
  const readers = Array.from({ length: 12 }, () => all(sessions[0].events({ signal })));
  await Promise.all(sessions.map((session) => all(session.prompt("hello", { signal }))));
  stop.abort(new Error("enough"));
  for (const reader of readers) await assert.rejects(reader, /enough/);
  await eventually(() => sessions.every(({ status }) => status === "ended"), "all sessions are over");
  assert.deepEqual(warnings, []);
});

test("a store that fails as a signal ends its session does not end the process", async (t) => {
  class Failing extends MemoryStore {
    async open(...given) {
      const writer = await super.open(...given);
      return Object.assign(writer, { close: () => Promise.reject(new Error("the disk is gone")) });
    }
  }
  const unhandled = [];
  const listen = (reason) => unhandled.push(reason);
  process.on("unhandledRejection", listen);
  t.after(() => process.off("unhandledRejection", listen));
  const ended = new AbortController();
  const session = await hostFor(t, { store: new Failing() }).start({ agent: "claude", cwd, signal: ended.signal });
  ended.abort();
  await eventually(() => session.status === "ended", "the session is over");
  await new Promise((resolve) => setTimeout(resolve, 200));
  assert.deepEqual(unhandled, []);
});

test("a signal that fires before the agent was told keeps the prompt from it", async (t) => {
  const host = hostFor(t);
  const session = await host.start({ agent: "claude", cwd });
  await all(session.prompt("hello"));
  await session.setVariant("high");
  const early = new AbortController();
  const unsaid = session.prompt("wait", { signal: early.signal });
  // Another process is being started for it.
  setTimeout(() => early.abort(new Error("enough")), 5);
  await assert.rejects(unsaid.sent, /enough/);
  assert.equal(session.status, "idle");
  assert.equal(text(await all(session.prompt("hello"))), "Good day.");
});

test("what only another process can change lets another one go on with the session", async (t) => {
  const host = hostFor(t);
  const session = await host.start({ agent: "claude", cwd, model: "one" });
  await all(session.prompt("hello"));
  const { pid, nativeSessionId } = session;
  await session.setVariant("high");
  const args = JSON.parse(text(await all(session.prompt("arguments"))));
  assert.notEqual(session.pid, pid);
  assert.equal(session.nativeSessionId, nativeSessionId);
  assert.deepEqual(args.slice(args.indexOf("--effort"), args.indexOf("--effort") + 2), ["--effort", "high"]);
  assert.deepEqual(args.slice(-2), ["--resume", nativeSessionId]);
  await session.terminate();
  assert.equal((await stored(host, session.id)).filter(({ type }) => type === "session.ended").length, 1);
  assert.deepEqual(await breaks(host, session.id), []);
});

test("what only another process can change leaves the running turn alone, and holds for the next", async (t) => {
  const host = hostFor(t);
  const session = await host.start({ agent: "claude", cwd });
  const turn = session.prompt("permission");
  await turn.sent;
  await eventually(() => session.pending.permissions.size > 0, "the turn runs");
  const { pid } = session;
  await session.setVariant("high");
  assert.equal(session.pid, pid);
  const [permission] = session.pending.permissions;
  await session.replyPermission(permission, "accept");
  assert.equal((await all(turn)).at(-1).data.metadata.status, "completed");
  const args = JSON.parse(text(await all(session.prompt("arguments"))));
  assert.deepEqual(args.slice(args.indexOf("--effort"), args.indexOf("--effort") + 2), ["--effort", "high"]);
  assert.notEqual(session.pid, pid);
  await session.terminate();
  assert.deepEqual(await breaks(host, session.id), []);
});

test("a setting that the agent refuses at its start is taken back, and the session goes on", async (t) => {
  const host = hostFor(t);
  const session = await host.start({ agent: "claude", cwd, variant: "low" });
  await all(session.prompt("hello"));
  const { nativeSessionId } = session;
  await session.setVariant("nonsense");
  const failure = { code: "agent_refused", message: /argument 'nonsense' is invalid/, cure: /variant is as it was/ };
  await assert.rejects(all(session.prompt("hello")), failure);
  assert.equal(session.status, "idle");
  const args = JSON.parse(text(await all(session.prompt("arguments"))));
  assert.deepEqual(args.slice(args.indexOf("--effort"), args.indexOf("--effort") + 2), ["--effort", "low"]);
  assert.deepEqual(args.slice(-2), ["--resume", nativeSessionId]);
  await session.setVariant("nonsense");
  await assert.rejects(all(session.prompt("hello")), failure);
  await session.terminate();
  const events = await stored(host, session.id);
  assert.deepEqual(events.at(-1).data, { reason: "terminated", terminated_by: "daemon" });
  assert.deepEqual(await breaks(host, session.id), []);
});

test("a mode that a process takes only at its start is another process's, and none that was refused comes later", async (t) => {
  const host = hostFor(t);
  const session = await host.start({ agent: "claude", cwd });
  const { pid } = session;
  await session.setPermissionMode("bypassPermissions");
  const args = JSON.parse(text(await all(session.prompt("arguments"))));
  assert.notEqual(session.pid, pid);
  assert.ok(args.includes("--dangerously-skip-permissions"));
  const { pid: second } = session;
  await session.setPermissionMode("plan");
  await all(session.prompt("hello"));
  assert.equal(session.pid, second, "other modes need none");
});

test("what is no name is refused in a running session as at its start", async (t) => {
  const host = hostFor(t);
  const session = await host.start({ agent: "claude", cwd });
  for (const value of ["", "-x", "--dangerously-skip-permissions", "a\nb"]) {
    await assert.rejects(session.setVariant(value), { code: "bad_options", message: /variant/ });
    await assert.rejects(session.setModel(value), { code: "bad_options", message: /model/ });
    await assert.rejects(session.setPermissionMode(value), { code: "bad_options", message: /permissionMode/ });
  }
  const args = JSON.parse(text(await all(session.prompt("arguments"))));
  assert.equal(args.includes("--effort"), false);
});

test("what is no prompt and no answer is refused with words that help, and the session goes on", async (t) => {
  const host = hostFor(t);
  const session = await host.start({ agent: "claude", cwd });
  for (const input of [undefined, null, 5, {}, [null], ["text"], [{ type: "text" }]]) {
    const turn = session.prompt(input);
    await assert.rejects(
      turn.sent,
      { code: "bad_command", message: /`?parts|type|text|object/ },
      JSON.stringify(input),
    );
    await assert.rejects(all(turn), { code: "bad_command" });
  }
  for (const answers of [undefined, null, 5, {}, [5], [null]]) {
    await assert.rejects(session.replyQuestion("nobody", answers), { code: "bad_command" }, JSON.stringify(answers));
  }
  assert.equal((await all(session.prompt("arguments"))).at(-1).type, "turn.ended");
});

test("a session that the store has already is not written over", async (t) => {
  const host = hostFor(t);
  const session = await host.start({ agent: "claude", cwd, sessionId: "twice" });
  await all(session.prompt("hello"));
  await assert.rejects(host.start({ agent: "claude", cwd, sessionId: "twice" }), { code: "session_busy" });
  await session.terminate();
  await assert.rejects(host.start({ agent: "claude", cwd, sessionId: "twice" }), { code: "session_exists" });
});

/** A store whose disk is full for a while, or for good. */
class FullStore extends MemoryStore {
  full = 0;
  code = "store_full";

  async open(sessionId, meta) {
    const writer = await super.open(sessionId, meta);
    const append = (events) => {
      if (this.full <= 0) return writer.append(events);
      this.full -= 1;
      return Promise.reject(Object.assign(new Error("no space"), { code: this.code }));
    };
    return {
      ...writer,
      sessionId,
      lastSequence: writer.lastSequence,
      append,
      describe: (facts) => writer.describe(facts),
      close: () => writer.close(),
    };
  }
}

test("a store that is full for a moment costs no event, and one that fails for good ends the session", async (t) => {
  const store = new FullStore();
  const host = hostFor(t, { store });
  const session = await host.start({ agent: "claude", cwd });
  store.full = 1;
  assert.equal(text(await all(session.prompt("hello"))), "Good day.");
  Object.assign(store, { full: Number.POSITIVE_INFINITY, code: "broken" });
  session.prompt("hello").sent.catch(() => {});
  await eventually(() => host.sessions().length === 0, "the session is given up");
  await assert.rejects(all(session.prompt("hello")), /no space|over/);
});

test("who reads a turn or a session hears that the store has failed, and does not wait for ever", async (t) => {
  const store = new FullStore();
  const host = hostFor(t, { store });
  const session = await host.start({ agent: "claude", cwd });
  const following = all(session.events());
  following.catch(() => {});
  const turn = session.prompt("permission");
  const reading = turn[Symbol.asyncIterator]();
  await reading.next();
  await eventually(() => session.pending.permissions.size > 0, "the turn runs");
  Object.assign(store, { full: Number.POSITIVE_INFINITY, code: "broken" });
  const [permission] = session.pending.permissions;
  await session.replyPermission(permission, "accept");
  const rest = async () => {
    for (let next = await reading.next(); !next.done; next = await reading.next());
  };
  await assert.rejects(rest(), /no space/);
  await assert.rejects(following, /no space/);
  await eventually(() => host.sessions().length === 0, "the session is given up");
});

test("a store that stays full holds up no end, and whoever runs the host is told", async (t) => {
  const warnings = [];
  const hear = ({ code, message }) => warnings.push([code, message]);
  process.on("warning", hear);
  t.after(() => process.off("warning", hear));
  const store = new FullStore();
  const host = hostFor(t, { store });
  const [first, second] = [
    await host.start({ agent: "claude", cwd, sessionId: "first" }),
    await host.start({ agent: "claude", cwd, sessionId: "second" }),
  ];
  store.full = Number.POSITIVE_INFINITY;
  await first.prompt("hello").sent;
  await eventually(() => warnings.length > 0, "it is told at once");
  const began = Date.now();
  await first.terminate();
  await second.prompt("hello").sent;
  await host.close();
  assert.ok(Date.now() - began < 15_000, "soon");
  const told = (id) => [
    ["INTERLINEAR_STORE", `session ${id} cannot be written now, and is tried again: no space`],
    ["INTERLINEAR_STORE", `session ${id} is not written any more: no space`],
  ];
  assert.deepEqual(warnings, [...told("first"), ...told("second")]);
});

test("without a store the sessions lie in a temporary folder that goes with the host", async (t) => {
  const [before, temporary] = [process.env.TMPDIR, mkdtempSync(join(cwd, "temporary-"))];
  process.env.TMPDIR = temporary;
  t.after(() => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  });
  const host = new AgentHost({ agents: { claude: { command: program("claude.mjs") } } });
  t.after(() => host.close());
  const session = await host.start({ agent: "claude", cwd, mcpServers: { tools: { command: "tools" } } });
  assert.equal(text(await all(session.prompt("hello"))), "Good day.");
  const info = await host.store.info(session.id);
  assert.deepEqual(
    [info.agent, info.metadata.cwd, info.metadata.native_session_id],
    ["claude", cwd, session.nativeSessionId],
  );
  assert.equal(readdirSync(temporary).length, 1);
  await session[Symbol.asyncDispose]();
  await host[Symbol.asyncDispose]();
  assert.equal(session.status, "ended");
  assert.deepEqual(readdirSync(temporary), []);
  await assert.rejects(host.start({ agent: "claude", cwd }), { code: "host_closed" });
});

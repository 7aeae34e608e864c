import assert from "node:assert/strict";
import { mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { all, breaks, cwd, eventually, hostFor, program, runs, stored, text } from "./setting.mjs";

let logs = 0;

/** A host with one agent that serves all sessions by one process, and what that process has done. */
function shared(t, agent, options = {}) {
  logs += 1;
  const file = join(cwd, `log-${logs}`);
  const env = { FAKE_LOG: file, ...options.env };
  const host = hostFor(t, { ...options, env, agents: { [agent]: { command: program(`${agent}.mjs`) } } });
  const done = (what) =>
    readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => line === what).length;
  const open = (more = {}) => host.start({ agent, cwd: mkdtempSync(join(cwd, "work-")), ...more });
  return { host, done, open };
}

test("a turn that has not begun yet is interrupted as soon as it does", async (t) => {
  const { host, open } = shared(t, "codex");
  const session = await open();
  const stopped = new AbortController();
  const first = session.prompt("slow wait", { signal: stopped.signal });
  await first.sent;
  assert.equal(session.status, "idle", "the agent has not answered yet");
  stopped.abort();
  await assert.rejects(all(first), { name: "AbortError" });
  const ends = async () => (await stored(host, session.id)).filter(({ type }) => type === "turn.ended");
  await eventually(async () => (await ends()).length === 1, "the turn has begun and is over");
  assert.equal((await ends())[0].data.metadata.status, "interrupted");
  const second = all(session.prompt("slow wait"));
  await session.interrupt();
  assert.equal((await second).at(-1).data.metadata.status, "interrupted");
  assert.match(text(await all(session.prompt("hello"))), /heard hello/);
  assert.deepEqual(await breaks(host, session.id), []);
});

for (const agent of ["codex", "opencode"]) {
  test(`${agent}: sessions that start at once share one server, and each has its own conversation`, async (t) => {
    const { host, done, open } = shared(t, agent);
    const sessions = await Promise.all(Array.from({ length: 10 }, () => open()));
    assert.equal(done("started"), 1);
    assert.equal(new Set(sessions.map(({ pid }) => pid)).size, 1);
    assert.equal(new Set(sessions.map(({ nativeSessionId }) => nativeSessionId)).size, 10);
    const answers = await Promise.all(sessions.map((session, number) => all(session.prompt(`number ${number}`))));
    assert.deepEqual(
      answers.map(text),
      sessions.map(({ nativeSessionId }, number) => `${nativeSessionId} heard number ${number}`),
    );
    await sessions[0].terminate();
    assert.equal(
      text(await all(sessions[1].prompt("still there"))),
      `${sessions[1].nativeSessionId} heard still there`,
    );
    const { pid } = sessions[1];
    await host.close();
    assert.equal(runs(pid), false);
    for (const { id } of sessions) {
      assert.deepEqual(await breaks(host, id), []);
      assert.equal((await stored(host, id)).at(-1).data.reason, "terminated");
    }
  });

  test(`${agent}: a server that crashes is started again, and its sessions go on`, async (t) => {
    const { host, done, open } = shared(t, agent);
    const [first, second] = [await open(), await open()];
    const { nativeSessionId, pid } = first;
    const crashed = await all(first.prompt("crash"));
    assert.notEqual(crashed.at(-1).data.metadata?.status, "completed");
    assert.ok(crashed.some(({ type, data }) => type === "error" && data.code === "agent_exited"));
    assert.equal(text(await all(first.prompt("and now"))), `${nativeSessionId} heard and now`);
    assert.match(text(await all(second.prompt("you too"))), /heard you too/);
    assert.notEqual(first.pid, pid);
    assert.equal(done("started"), 2);
    await host.close();
    for (const { id } of [first, second]) assert.deepEqual(await breaks(host, id), []);
    const shown = (await stored(host, first.id)).filter(
      ({ type, data }) => type === "item.completed" && data.item.content[0]?.text === "and now",
    );
    assert.equal(shown.length, 1, "no prompt is shown twice");
  });

  test(`${agent}: a session is resumed under a name of its own`, async (t) => {
    const { open } = shared(t, agent);
    const first = await open();
    const { nativeSessionId } = first;
    await all(first.prompt("hello"));
    await first.terminate();
    const again = await open({ resume: nativeSessionId, sessionId: `again-${agent}` });
    assert.equal(again.nativeSessionId, nativeSessionId);
    assert.equal(text(await all(again.prompt("once more"))), `${nativeSessionId} heard once more`);
  });

  test(`${agent}: a server without sessions stops, and the next session starts another`, async (t) => {
    const { done, open } = shared(t, agent, { idleMs: 100 });
    const session = await open();
    const { pid } = session;
    await session.terminate();
    await eventually(() => !runs(pid), "the server has stopped");
    const next = await open();
    assert.equal(done("started"), 2);
    assert.match(text(await all(next.prompt("hello"))), /heard hello/);
  });

  test(`${agent}: sessions with another environment have a server of their own`, async (t) => {
    const { done, open } = shared(t, agent);
    const [first, second] = await Promise.all([open(), open({ env: { SOMETHING: "else" } })]);
    assert.notEqual(first.pid, second.pid);
    assert.equal(done("started"), 2);
  });
}

test("codex: a server that was killed while it was idle is replaced by a fresh one", async (t) => {
  const { done, open } = shared(t, "codex");
  const session = await open();
  const { pid } = session;
  await session.terminate();
  process.kill(pid, "SIGKILL");
  await eventually(() => !runs(pid), "the server is gone");
  const next = await open();
  assert.match(text(await all(next.prompt("hello"))), /heard hello/);
  assert.equal(done("initialize"), 2);
});

test("codex: a server that crashes again and again is given up, and its sessions end", async (t) => {
  const { host, open } = shared(t, "codex");
  const session = await open();
  for (let times = 0; session.status !== "ended" && times < 10; times += 1) {
    await all(session.prompt("crash")).catch(() => {});
  }
  await eventually(() => session.status === "ended", "the session is over");
  assert.deepEqual(await breaks(host, session.id), []);
});

test("codex: a session that the server does not know is refused in the server's words", async (t) => {
  const { host, open } = shared(t, "codex");
  const refused = open({ resume: "unknown", sessionId: "refused" });
  await assert.rejects(refused, { code: "agent_refused", message: /no rollout found/ });
  assert.equal(host.sessions().length, 0);
  assert.equal((await stored(host, "refused")).at(-1).type, "session.ended", "who follows it comes to an end");
  assert.match(text(await all((await open()).prompt("hello"))), /heard hello/);
});

test("codex: a server that does not start says why", async (t) => {
  const { open } = shared(t, "codex", { env: { FAKE_REFUSES: "error loading config.toml" } });
  await assert.rejects(open(), { code: "agent_refused", message: /error loading config\.toml/ });
});

test("codex: the end of a session stops what it was doing, and the server goes on", async (t) => {
  const { done, open } = shared(t, "codex");
  const [first, second] = [await open(), await open()];
  await first.prompt("wait").sent;
  await eventually(() => first.status === "running", "the turn runs");
  await first.terminate();
  assert.match(text(await all(second.prompt("hello"))), /heard hello/);
  assert.deepEqual([done("turn/interrupt"), done("thread/unsubscribe")], [1, 1]);
});

for (const silent of ["start", "events"]) {
  test(`opencode: a server that says nothing at its ${silent} holds up neither who gives up nor who closes`, async (t) => {
    const { host, done, open } = shared(t, "opencode", { env: { FAKE_SILENT: silent }, startMs: 60_000 });
    const began = Date.now();
    await assert.rejects(open({ signal: AbortSignal.timeout(1000) }), { name: "TimeoutError" });
    const refused = assert.rejects(open(), { code: "host_closed" });
    await sleep(500);
    assert.equal(done("started"), 1);
    await host.close();
    await refused;
    assert.ok(Date.now() - began < 20_000, "at once");
  });
}

test("opencode: a server whose events do not come is given up after the time that a start may take", async (t) => {
  const { open } = shared(t, "opencode", { env: { FAKE_SILENT: "events" }, startMs: 2000 });
  await assert.rejects(open(), { code: "start_timeout" });
});

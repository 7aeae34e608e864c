import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { all, breaks, cwd, eventually, hostFor, program, runs, stored, text, withVariable } from "./setting.mjs";

test("nothing that an agent has started survives its end", async (t) => {
  const host = hostFor(t);
  const session = await host.start({ agent: "claude", cwd });
  const children = JSON.parse(text(await all(session.prompt("children"))));
  assert.deepEqual(children.map(runs), [true, true, true]);
  const { pid } = session;
  await session.terminate();
  assert.deepEqual([pid, ...children].filter(runs), []);
  assert.equal(session.status, "ended");
  assert.deepEqual((await stored(host, session.id)).at(-1).data, { reason: "terminated", terminated_by: "daemon" });
  assert.deepEqual(await breaks(host, session.id), []);
});

test("a grandchild whose parent is gone is found too", async (t) => {
  const host = hostFor(t);
  const env = { FAKE_MARK: `orphans-${process.pid}` };
  const session = await host.start({ agent: "claude", cwd, env });
  await all(session.prompt("orphans"));
  await session.terminate();
  assert.deepEqual(withVariable(`FAKE_MARK=${env.FAKE_MARK}`), []);
});

test("an agent that does not want to end is made to, after the grace time", async (t) => {
  const host = hostFor(t, { graceMs: 300 });
  const session = await host.start({ agent: "claude", cwd });
  await all(session.prompt("stubborn"));
  const { pid } = session;
  const began = Date.now();
  await session.terminate();
  assert.ok(Date.now() - began >= 250, "it was given its time");
  assert.equal(runs(pid), false);
  assert.equal((await stored(host, session.id)).at(-1).data.reason, "terminated");
});

test("an agent that is killed in the middle of its output ends the session as what it is: a failure", async (t) => {
  const host = hostFor(t);
  const session = await host.start({ agent: "claude", cwd });
  const turn = session.prompt("flood 100000");
  let seen = 0;
  for await (const { type } of turn) {
    seen += 1;
    if (seen === 50) process.kill(session.pid, "SIGKILL");
    if (type === "turn.ended") break;
  }
  await eventually(() => session.status === "ended", "the session is over");
  const events = await stored(host, session.id);
  assert.equal(events.at(-1).data.message, "the agent was ended by SIGKILL");
  assert.equal(events.at(-2).data.metadata.status, "failed");
  assert.deepEqual(await breaks(host, session.id), []);
  await assert.rejects(all(session.prompt("hello")), { code: "session_ended" });
});

test("an agent that ends by itself leaves its exit code and the first and last lines of its standard error", async (t) => {
  const host = hostFor(t);
  const session = await host.start({ agent: "claude", cwd });
  await all(session.prompt("exit"));
  await eventually(() => session.status === "ended", "the session is over");
  const { reason, exit_code, stderr } = (await stored(host, session.id)).at(-1).data;
  assert.deepEqual({ reason, exit_code }, { reason: "error", exit_code: 3 });
  assert.equal(stderr.total_lines, 100);
  assert.deepEqual(stderr.head.split("\n").slice(0, 20).at(-1), "line 20");
  assert.deepEqual(stderr.tail.trimEnd().split("\n").at(0), "line 51");
});

/** A program that runs agents, to be killed. */
async function hostInItsOwnProcess(t, mark, temporary) {
  const script = fileURLToPath(new URL("victim.mjs", import.meta.url));
  const victim = spawn(process.execPath, [script, program("claude.mjs"), cwd, mark], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, TMPDIR: temporary },
  });
  t.after(() => victim.kill("SIGKILL"));
  for await (const line of createInterface({ input: victim.stdout })) return { victim, pids: JSON.parse(line) };
  throw new Error("it ended too early");
}

for (const signal of ["SIGKILL", "SIGTERM"]) {
  test(`nothing is left when the host itself is ended by ${signal}`, async (t) => {
    const mark = `victim-${signal}-${process.pid}`;
    const temporary = mkdtempSync(join(cwd, "temporary-"));
    const { victim, pids } = await hostInItsOwnProcess(t, mark, temporary);
    assert.ok(pids.every(runs), "all of it runs");
    victim.kill(signal);
    await eventually(() => !pids.some(runs) && withVariable(`FAKE_MARK=${mark}`).length === 0, "all of it is gone");
    await eventually(() => readdirSync(temporary).length === 0, "its files are gone too");
  });
}

test("fifty sessions run at once, and all of them are gone when the host closes", async (t) => {
  const host = hostFor(t, { startMs: 120_000 });
  const sessions = await Promise.all(Array.from({ length: 50 }, () => host.start({ agent: "claude", cwd })));
  const turns = await Promise.all(sessions.map((session, index) => all(session.prompt(`number ${index}`))));
  assert.deepEqual(
    turns.map(text),
    sessions.map((_, index) => `You said number ${index}.`),
  );
  const pids = sessions.map(({ pid }) => pid);
  assert.equal(new Set(pids).size, 50);
  await host.close();
  assert.deepEqual(pids.filter(runs), []);
  assert.equal(host.sessions().length, 0);
});

for (const [agent, env] of Object.entries({
  claude: {},
  "claude that says nothing": { FAKE_SILENT: "1" },
  codex: {},
})) {
  test(`a start that the end of the host overtakes is refused, and nothing of it is left: ${agent}`, async (t) => {
    const mark = `overtaken-${agent}-${process.pid}`;
    const agents = { codex: { command: program("codex.mjs") } };
    // Before, while and after the program is found and started.
    for (const wait of [0, 40, 80, 120, 200, 400]) {
      const host = hostFor(t, { agents, env: { FAKE_MARK: mark, FAKE_LOG: join(cwd, "log-overtaken"), ...env } });
      const [word] = agent.split(" ");
      const starting = host.start({ agent: word, cwd }).then(
        () => "started",
        ({ code }) => code,
      );
      let outcome = "under way";
      starting.then((said) => {
        outcome = said;
      });
      await sleep(wait);
      const before = outcome;
      await host.close();
      assert.notEqual(outcome, "under way", "the host waits for it");
      assert.equal(outcome, before === "started" ? "started" : "host_closed");
      await eventually(() => withVariable(`FAKE_MARK=${mark}`).length === 0, "nothing is left");
      assert.equal(host.sessions().length, 0);
    }
  });
}

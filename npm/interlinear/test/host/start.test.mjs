import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { closeSync, openSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { convert } from "interlinear";
import { AgentHost } from "interlinear/node";
import { all, breaks, cwd, hostFor, program, stored, text } from "./setting.mjs";

const claude = (env) => ({ agents: { claude: { command: program("claude.mjs"), env } } });
const start = (host, options = {}) => host.start({ agent: "claude", cwd, ...options });

test("an agent that is not installed is named with the command that installs it", async (t) => {
  const host = hostFor(t, { env: { PATH: "/nowhere" }, agents: { claude: {} } });
  const failure = { code: "not_installed", cure: /npm install -g @anthropic-ai\/claude-code/ };
  await assert.rejects(start(host), failure);
  const [info] = await host.agents();
  assert.equal(info.id, "claude");
  assert.equal(info.installed, false);
  assert.match(info.problem, /no `claude` on the path/);
});

test("what is installed is told with its version and what it can do", async (t) => {
  const host = hostFor(t);
  const [info] = await host.agents();
  const { name, installed, version, path, features } = info;
  assert.deepEqual(
    { name, installed, version, path },
    {
      name: "Claude Code",
      installed: true,
      version: "2.1.197",
      path: program("claude.mjs"),
    },
  );
  assert.ok(features.includes("permissions"));
});

test("an agent that is too old, refuses, needs a login or says nothing is refused with the reason", async (t) => {
  const cases = [
    [{ FAKE_VERSION: "1.0.3" }, { code: "too_old", message: /1\.0\.3 is too old/ }],
    [{ FAKE_REFUSES: "error: unknown option '--verbose'" }, { code: "agent_refused", message: /unknown option/ }],
    [{ FAKE_REFUSES: "Not logged in. Please run /login" }, { code: "needs_login", cure: /ANTHROPIC_API_KEY/ }],
    [{ FAKE_SILENT: "1" }, { code: "start_timeout" }],
  ];
  for (const [env, failure] of cases) {
    const host = hostFor(t, { ...claude(env), startMs: env.FAKE_SILENT ? 1000 : 30_000 });
    await assert.rejects(start(host), failure);
    assert.equal(host.sessions().length, 0);
  }
  const file = join(cwd, "no-program");
  writeFileSync(file, "#!/nowhere/at/all\n", { mode: 0o755 });
  await assert.rejects(start(hostFor(t, { agents: { claude: { command: ["/bin/sh", file] } } })), {
    code: "agent_refused",
  });
});

test("who waits for ever does, and a time that is no number is refused", async (t) => {
  const host = hostFor(t, { startMs: Number.POSITIVE_INFINITY, idleMs: Number.POSITIVE_INFINITY });
  assert.equal((await start(host, {})).status, "idle");
  for (const name of ["startMs", "idleMs", "graceMs"]) {
    for (const time of [Number.NaN, -1, "7"]) {
      assert.throws(() => new AgentHost({ [name]: time }), { code: "bad_options", message: new RegExp(name) });
    }
  }
});

test("options that are not names, and folders that are none, are refused before anything starts", async (t) => {
  const host = hostFor(t);
  await assert.rejects(start(host, { model: "--dangerously-skip-permissions" }), { code: "bad_options" });
  await assert.rejects(start(host, { resume: "-x" }), { code: "bad_options" });
  await assert.rejects(start(host, { variant: "" }), { code: "bad_options" });
  await assert.rejects(start(host, { cwd: undefined }), { name: "InterlinearError", code: "bad_cwd" });
  // The core has no lone surrogates: its events would be another session's.
  for (const sessionId of ["", "\ud800", 7, null])
    await assert.rejects(start(host, { sessionId }), { code: "bad_options" });
  const loop = join(cwd, "loop");
  symlinkSync(loop, loop);
  for (const folder of [join(cwd, "nowhere"), `${cwd}\0`, loop, join(cwd, "x".repeat(300)), program("claude.mjs")]) {
    await assert.rejects(start(host, { cwd: folder }), { name: "InterlinearError", code: "bad_cwd", cure: /`cwd`/ });
  }
  const record = join(cwd, "nowhere", "recording.jsonl");
  await assert.rejects(start(host, { record }), { name: "InterlinearError", code: "bad_options", cure: /`record`/ });
  for (const server of [{}, { command: "" }, { command: ["a"] }, 1, null]) {
    const expected = { code: "bad_options", message: /tools `a`/, cure: /command/ };
    await assert.rejects(start(host, { mcpServers: { a: server } }), expected);
  }
  await assert.rejects(start(host, { agent: "nobody" }), { code: "unknown_agent" });
  await assert.rejects(start(host, { agent: "pi", permissionMode: "plan" }), { code: "unsupported" });
});

test("an agent sees of the environment what it needs and what it was given, and nothing else", async (t) => {
  process.env.SOMEBODY_ELSES_SECRET = "hidden from agents";
  process.env.ANTHROPIC_CUSTOM_HEADERS = "a: b";
  t.after(() => {
    delete process.env.SOMEBODY_ELSES_SECRET;
    delete process.env.ANTHROPIC_CUSTOM_HEADERS;
  });
  const session = await start(hostFor(t, { env: { FROM_HOST: "1" } }), { env: { FROM_SESSION: "2" } });
  const seen = JSON.parse(text(await all(session.prompt("environment"))));
  assert.equal(seen.SOMEBODY_ELSES_SECRET, undefined);
  assert.deepEqual(
    [seen.PATH, seen.FROM_HOST, seen.FROM_SESSION, seen.ANTHROPIC_CUSTOM_HEADERS],
    [process.env.PATH, "1", "2", "a: b"],
  );
});

test("secrets are in no event, no error and no recording, wherever the agent repeats them", async (t) => {
  const secret = 's3cr3t-"quoted"-value';
  const record = join(cwd, "secret.jsonl");
  const host = hostFor(t);
  const session = await start(host, { env: { MY_TOKEN: secret }, record });
  await all(session.prompt("complain"));
  await all(session.prompt(`what is ${secret}?`));
  await session.terminate();
  const everything = JSON.stringify(await stored(host, session.id)) + readFileSync(record, "utf8");
  assert.match(everything, /\[secret\]/);
  assert.ok(!everything.includes("s3cr3t"), "it is hidden");
  const refusing = hostFor(t, claude({ FAKE_REFUSES: `the key ${secret} is wrong`, MY_KEY: secret }));
  await assert.rejects(start(refusing), (error) => /the key \[secret\] is wrong/.test(error.message));
});

test("a secret that the agent spells in pieces is in no event, and what it says is said once", async (t) => {
  const secret = 's3cr3t-"quoted"-value';
  const host = hostFor(t);
  const session = await start(host, { env: { MY_TOKEN: secret } });
  for (let length = 1; length <= secret.length + 10; length += 1) {
    const said = await all(session.prompt(`spell ${length}`));
    assert.equal(text(said), "It is [secret], and no s3c");
    const deltas = said.filter(({ type, data }) => type === "item.delta" && !data.delta.startsWith("spell"));
    assert.equal(deltas.map(({ data }) => data.delta).join(""), "It is [secret], and no s3c");
  }
  await session.terminate();
  const events = await all(session.events({ includeRaw: true, includeSilent: true }));
  assert.ok(events.some(({ raw }) => JSON.stringify(raw).includes("[secret]")));
  for (const event of events) assert.ok(!JSON.stringify(event).includes(JSON.stringify(secret).slice(1, -1)));
  assert.deepEqual(await breaks(host, session.id), []);
});

test("servers of tools are handed over in a file that only the user can read", async (t) => {
  const mcpServers = {
    tools: { command: "tools", env: { API_KEY: "k-123456789" } },
    web: { url: "http://127.0.0.1:9" },
  };
  const host = hostFor(t);
  const session = await start(host, { mcpServers });
  const args = JSON.parse(text(await all(session.prompt("arguments"))));
  assert.ok(!args.join(" ").includes("k-123456789"));
  const file = args[args.indexOf("--mcp-config") + 1];
  const written = JSON.parse(readFileSync(file, "utf8"));
  assert.deepEqual(written.mcpServers.web, { type: "http", url: "http://127.0.0.1:9" });
  await session.terminate();
  assert.throws(() => readFileSync(file), { code: "ENOENT" });
});

test("a recording of a session gives the same events again", async (t) => {
  const record = join(cwd, "recording.jsonl");
  const host = hostFor(t);
  const session = await start(host, { record, sessionId: "recorded" });
  await all(session.prompt("hello"));
  for await (const { type, data } of session.prompt("permission")) {
    if (type === "permission.requested") await session.replyPermission(data.permission_id, "accept");
  }
  await session.terminate();
  const told = ({ type, data }) => ({ type, data: type === "session.started" ? {} : data });
  const again = convert(readFileSync(record), { agent: "auto", sessionId: "recorded" });
  assert.deepEqual(again.map(told), (await stored(host, "recorded")).map(told));
});

test("a recording that cannot be written any more is told of once, and the session goes on", async (t) => {
  const warnings = [];
  const hear = ({ code, message }) => warnings.push([code, message]);
  process.on("warning", hear);
  t.after(() => process.off("warning", hear));
  const record = join(cwd, "pipe");
  execFileSync("mkfifo", [record]);
  const reader = openSync(record, "r+");
  const host = hostFor(t);
  const other = await start(host);
  const session = await start(host, { record });
  // Who writes from here on gets an error, as on a full disk.
  closeSync(reader);
  for (const each of [session, session, other]) assert.equal(text(await all(each.prompt("hello"))), "Good day.");
  await session.terminate();
  assert.equal((await stored(host, session.id)).at(-1).data.reason, "terminated");
  const message = `the recording ${record} is not complete: EPIPE: broken pipe, write`;
  assert.deepEqual(warnings, [["INTERLINEAR_RECORDING", message]]);
});

test("a recording that another session writes is not written over, and is free when that one is over", async (t) => {
  const host = hostFor(t);
  const record = join(cwd, "of-one.jsonl");
  const first = await start(host, { record });
  await all(first.prompt("hello"));
  const again = start(host, { record: join(cwd, ".", "of-one.jsonl") });
  await assert.rejects(again, { code: "bad_options", message: /of-one\.jsonl is another session's/ });
  await all(first.prompt("hello"));
  await first.terminate();
  assert.equal(text(convert(readFileSync(record))), "Good day.Good day.");
  const broken = hostFor(t, { agents: { claude: { command: ["/bin/sh", "-c", "exit 1"] } }, env: { A: "\0" } });
  await assert.rejects(start(broken, { record }), { code: "agent_refused" });
  const second = await start(host, { record });
  await all(second.prompt("hello"));
  await second.terminate();
  assert.equal(text(convert(readFileSync(record))), "Good day.");
  const nowhere = await Promise.all([start(host, { record: "/dev/null" }), start(host, { record: "/dev/null" })]);
  assert.equal(nowhere.length, 2);
});

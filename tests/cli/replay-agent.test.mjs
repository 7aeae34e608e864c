// An agent is played from a recording: what was said is said again, to whoever says the host's part.
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { dialectOf } from "../../npm/interlinear/dist/cli/replay/dialects.js";
import { readRecording } from "../../npm/interlinear/dist/cli/replay/recording.js";
import { Replay } from "../../npm/interlinear/dist/cli/replay/replay.js";
import { finish, interlinear, root, start } from "./run.mjs";

const fixture = (name) => `tests/fixtures/${name}.jsonl`;
const fixtures = join(root, "tests", "fixtures");
const recordings = readdirSync(fixtures, { recursive: true })
  .filter((path) => /^[a-z]+\/(recordings|other-versions)\/.*\.jsonl$/.test(path))
  .sort();

/** What came out of a process, in lines. */
const lines = (text) => text.split("\n").filter(Boolean);

/** The lines of a recording that went one way, up to where its process ended. */
function recorded(records, ...directions) {
  const end = records.findIndex(({ dir }) => dir === "exit");
  return records.slice(0, end < 0 ? records.length : end).filter(({ dir }) => directions.includes(dir));
}

/** Lets a replay say all that it can say now. */
async function settle(said) {
  for (let before = -1; before < said.length; ) {
    before = said.length;
    await turn();
  }
}

for (const agent of new Set(recordings.map((path) => path.split("/")[0]))) {
  test(`every recording of ${agent}, told what its host said, says again what was recorded`, async () => {
    for (const path of recordings.filter((path) => path.startsWith(`${agent}/`))) {
      const recording = await readRecording(join(fixtures, path));
      const { records } = recording;
      const said = [];
      const ended = withResolvers();
      const replay = new Replay({
        records,
        dialect: dialectOf(recording),
        speed: Number.POSITIVE_INFINITY,
        verbose: false,
        say: async (line, { channel }) => void said.push(JSON.stringify([channel, line])),
        exit: async (end) => {
          ended.resolve(end);
          await new Promise(() => {});
        },
      });
      for (const { line, ch } of recorded(records, "in").filter(({ ch }) => ch !== "argv")) {
        await settle(said);
        replay.hear(line, ch, ch?.startsWith("http ") ? `${ch} ${said.length}` : undefined);
      }
      replay.close();
      const { code, signal } = await ended.promise;
      const expected = recorded(records, "out", "err").map(({ dir, ch, line }) =>
        JSON.stringify([dir === "err" ? "stderr" : ch, line]),
      );
      // Conversations side by side are each in order.
      assert.deepEqual(said.sort(), expected.sort(), path);
      const { code: expectedCode, signal: expectedSignal } = records.find(({ dir }) => dir === "exit");
      assert.deepEqual([code, signal ?? null], [expectedCode, expectedSignal ?? null], path);
    }
  });
}

function withResolvers() {
  const held = {};
  held.promise = new Promise((resolve) => {
    held.resolve = resolve;
  });
  return held;
}

test("a host's own identifiers are in the answers, and what was not recorded is answered too", async () => {
  const input = [
    { type: "control_request", request_id: "mine", request: { subtype: "initialize" } },
    { type: "user", message: { role: "user", content: "anything" } },
  ];
  const { code, stdout, stderr } = await interlinear(
    ["replay-agent", "--speed", "max", fixture("claude/recordings/hello")],
    { input: input.map((line) => `${JSON.stringify(line)}\n`).join("") },
  );
  const [answer, ...rest] = lines(stdout).map((line) => JSON.parse(line));
  assert.deepEqual(answer, {
    type: "control_response",
    response: { subtype: "success", request_id: "mine", response: {} },
  });
  assert.deepEqual(
    rest.map(({ type }) => type),
    ["system", "assistant", "result"],
  );
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
});

test("it waits as long as the agent took, divided by the speed", async () => {
  const recording = await readRecording(join(root, fixture("claude/recordings/hello")));
  const times = [];
  const said = withResolvers();
  const say = async () => {
    times.push(performance.now());
    if (times.length === 3) said.resolve();
  };
  const exit = async () => {};
  const replay = new Replay({ ...recording, dialect: dialectOf(recording), speed: 4, verbose: false, say, exit });
  replay.hear('{"type":"user","message":{"role":"user","content":"hi"}}');
  const asked = performance.now();
  await said.promise;
  // Recorded: the prompt at 3 ms, the lines of the answer at 1635, 1739 and 1755.
  const took = times[0] - asked;
  assert.ok(took > 400 && took < 1600, `the first line after ${took} ms`);
  assert.ok(times[2] - times[0] > 25, "and the last one after the first");
});

test("a prompt that the recording has no answer for ends it, with a reason", async () => {
  const prompt = '{"type":"user","message":{"role":"user","content":"hi"}}\n';
  const child = start(["replay-agent", "--speed", "max", fixture("claude/recordings/hello")]);
  child.stdin.write(prompt + prompt);
  const { code, stderr } = await finish(child);
  assert.deepEqual(
    { code, stderr },
    { code: 1, stderr: "replay-agent: the recording has no place for a prompt any more\n" },
  );
});

test("what is no line of the agent's protocol is named on standard error", async () => {
  const args = ["replay-agent", "--speed", "max", fixture("pi/recordings/hello")];
  const { stderr } = await interlinear(args, { input: "good morning\n" });
  assert.equal(stderr, "replay-agent: no line that this agent understands: good morning\n");
});

test("it ends as the recorded process ended", async () => {
  const prompt = '{"type":"user","message":{"role":"user","content":"hi"}}\n';
  const killed = start(["replay-agent", "--speed", "max", fixture("claude/recordings/kill9_mid_turn")]);
  killed.stdin.write(prompt);
  assert.equal((await finish(killed)).signal, "SIGKILL");
  const bad = await interlinear(["replay-agent", "--speed", "max", fixture("claude/recordings/bad_argument")]);
  assert.equal(bad.code, 1);
});

test("Codex: threads beyond those of the recording are played again under other names", async () => {
  const child = start([
    "replay-agent",
    "--speed",
    "20",
    fixture("codex/recordings/permission-accept"),
    "--",
    "app-server",
  ]);
  const said = [];
  const asked = new Map();
  const reader = createInterface({ input: child.stdout });
  const write = (message) => child.stdin.write(`${JSON.stringify(message)}\n`);
  const done = new Set();
  reader.on("line", (line) => {
    const message = JSON.parse(line);
    said.push(message);
    if (message.result?.thread)
      write({
        id: `turn ${message.id}`,
        method: "turn/start",
        params: { threadId: message.result.thread.id, input: [] },
      });
    if (message.method?.endsWith("requestApproval")) {
      asked.set(message.id, message.params.threadId);
      write({ id: message.id, result: { decision: "accept" } });
    }
    if (message.method === "turn/completed") done.add(message.params.threadId);
    if (done.size === 3) child.stdin.end();
  });
  write({ id: "hello", method: "initialize", params: {} });
  write({ method: "initialized" });
  for (const id of ["a", "b", "c"]) write({ id, method: "thread/start", params: {} });
  const [code] = await once(child, "exit");
  const threads = ["a", "b", "c"].map((id) => said.find((message) => message.id === id).result.thread.id);
  assert.equal(new Set(threads).size, 3);
  assert.deepEqual(
    [...asked.values()].sort(),
    [...threads].sort(),
    "one request of each thread, each with its own number",
  );
  assert.deepEqual([...done].sort(), [...threads].sort());
  assert.equal(code, 0);
});

test("OpenCode: its server answers requests and streams the events of every session", async () => {
  const child = start([
    "replay-agent",
    "--speed",
    "50",
    fixture("opencode/recordings/permission-once"),
    "--",
    "serve",
    "--port",
    "0",
  ]);
  const reader = createInterface({ input: child.stdout });
  const { value: url } = await reader[Symbol.asyncIterator]()
    .next()
    .then(async (first) => (/listening/.test(first.value) ? first : { value: (await once(reader, "line"))[0] }))
    .then(({ value }) => ({ value: /http:\S+/.exec(value)[0] }));
  const post = (path, body = {}) => fetch(url + path, { method: "POST", body: JSON.stringify(body) });
  const types = [];
  const stream = await fetch(`${url}/event`);
  const sessions = await Promise.all([1, 2].map(async () => (await (await post("/session")).json()).id));
  assert.notEqual(sessions[0], sessions[1]);
  for (const id of sessions) assert.equal((await post(`/session/${id}/prompt_async`, { parts: [] })).status, 204);
  const idle = new Set();
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stream.body) {
    const frames = (rest + decoder.decode(chunk, { stream: true })).split("\n\n");
    rest = frames.pop();
    for (const frame of frames) {
      const { type, properties } = JSON.parse(frame.replace(/^data: /, ""));
      types.push(type);
      if (type === "permission.asked") {
        const reply = await post(`/permission/${properties.id}/reply`, { reply: "once" });
        assert.deepEqual([reply.status, await reply.json()], [200, true]);
      }
      if (type === "session.idle") idle.add(properties.sessionID);
    }
    if (idle.size === 2) break;
  }
  assert.equal(types[0], "server.connected");
  assert.deepEqual([...idle].sort(), [...sessions].sort());
  const missing = await fetch(`${url}/no/such/thing`);
  assert.deepEqual([missing.status, (await missing.json()).name], [404, "NotFoundError"]);
  child.kill("SIGTERM");
  const [, signal] = await once(child, "exit");
  assert.equal(signal, "SIGTERM");
});

const folder = mkdtempSync(join(tmpdir(), "interlinear-test-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** A recording whose second line is this one. */
function written(number, line) {
  const path = join(folder, `odd-${number}.jsonl`);
  writeFileSync(path, `{"recording":1,"agent":"claude"}\n${line}\n{"t":2,"dir":"out","line":"{}"}\n`);
  return path;
}

test("it knows the version that was recorded, and refuses what is no recording", async () => {
  const version = await interlinear(["replay-agent", fixture("codex/recordings/hello"), "--", "--version"]);
  assert.deepEqual([version.code, version.stdout], [0, "0.166.0\n"]);
  const cases = [
    [["replay-agent"], /which recording\?/],
    [["replay-agent", "no-such-file"], /there is no such file/],
    [["replay-agent", "package.json"], /line 1 is not a record of a recording/],
    ...[
      '{"t":1,"dir":"out","line":5}',
      '{"t":1,"dir":"out","ch":7,"line":"{}"}',
      '{"t":1,"dir":"exit","code":"a"}',
      '{"t":1,"dir":"exit","code":null,"signal":"SIGNOPE"}',
      "[1]",
    ].map((line, number) => [["replay-agent", written(number, line)], /odd-\d\.jsonl: line 2 is not a record/]),
    [["replay-agent", "--speed", "0", fixture("codex/recordings/hello")], /it takes a number above 0, or max/],
  ];
  for (const [args, message] of cases) {
    const { code, stderr } = await interlinear(args);
    assert.equal(code, 2);
    assert.match(stderr, message);
  }
});

test("a line that is no record is named by its number in the file, blank ones counted", async () => {
  const { code, stderr } = await interlinear(["replay-agent", written(9, '\n{"t":1,"dir":"out","line":"{}"}\n\nnone')]);
  assert.equal(code, 2);
  assert.match(stderr, /line 5 is not a record/);
});

test("OpenCode: a server that cannot listen says why, and that it is no bug", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const { port } = taken.address();
  const cases = [
    [["--port", `${port}`], new RegExp(`port ${port} is taken\\. Choose another: --port P`)],
    [["--port", "soon"], /--port soon: it takes a number from 0 to 65535/],
    [["--port=70000"], /--port 70000: it takes a number from 0 to 65535/],
    [["--hostname", "192.0.2.1"], /192\.0\.2\.1 is no address of this machine/],
  ];
  for (const [args, message] of cases) {
    const { code, stderr } = await interlinear([
      "replay-agent",
      fixture("opencode/recordings/hello"),
      "--",
      "serve",
      ...args,
    ]);
    assert.equal(code, 2, stderr);
    assert.match(stderr, message);
  }
  taken.close();
});

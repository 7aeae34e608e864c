// `interlinear serve`, as a person starts it.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Client } from "interlinear/client";
import { JsonlStore } from "interlinear/store";
import { here, makeFolder, start, startServe } from "../faults/program.mjs";
import { events } from "../store/story.mjs";
import { until } from "./running.mjs";

let place;

before(() => {
  place = makeFolder();
});
after(() => place.remove());

function serve(...args) {
  const options = { encoding: "utf8", timeout: 20_000, env: { PATH: process.env.PATH, HOME: place.folder } };
  return spawnSync(process.execPath, [here("../../bin/interlinear.js"), "serve", ...args], options);
}

test("it prints its address and a token, runs an agent, and ends in order", async () => {
  const served = await startServe(place.folder, []);
  assert.match(served.baseUrl, /^http:\/\/127\.0\.0\.1:\d+$/);
  assert.ok(served.token.length >= 32);
  await served.client.createSession("../out", { agent: "claude" });
  const turn = await until(served.client.streamTurn("../out", "hello"), () => false);
  assert.equal(turn.at(-1).type, "turn.ended");
  const stranger = new Client({ baseUrl: served.baseUrl });
  await assert.rejects(stranger.listSessions(), { status: 401 });
  assert.deepEqual(await served.end("SIGTERM"), [0, null]);
  const sessions = join(place.folder, ".local", "share", "interlinear", "sessions");
  assert.deepEqual(
    readdirSync(sessions).filter((name) => name.endsWith(".jsonl")),
    ["%002e%002e%002fout.jsonl"],
  );
  assert.equal(statSync(sessions).mode & 0o777, 0o700);
  assert.ok(!existsSync(join(sessions, "..", "out.jsonl")));
});

function startCli(args, variables = {}) {
  const env = { PATH: process.env.PATH, HOME: place.folder, ...variables };
  const options = { env, stdio: ["pipe", "pipe", "pipe"], timeout: 10_000 };
  return start(process.execPath, [here("../../bin/interlinear.js"), "serve", "--port", "0", ...args], options);
}

/** Serves a folder until its log says this; gives the log. */
async function logOf(folder, enough, ...args) {
  const served = startCli(["--store", folder, ...args]);
  let log = "";
  for await (const chunk of served.child.stderr) {
    log += chunk;
    if (enough(log)) break;
  }
  assert.deepEqual(await served.end("SIGTERM"), [0, null]);
  return log;
}

/** Every file below a folder, with what is in it. */
function filesIn(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => join(entry.parentPath ?? entry.path, entry.name));
  return Object.fromEntries(paths.sort().map((path) => [path, readFileSync(path, "utf8")]));
}

test("what is no transcript of the store, or a damaged one, is left alone, and the log says so", async () => {
  const folder = join(place.folder, "mixed");
  cpSync(here("../../../../tests/fixtures/claude/stored/subagent"), folder, { recursive: true });
  const lines = events("damaged", 1, 5).map((event) => JSON.stringify(event));
  writeFileSync(join(folder, "damaged.jsonl"), `${lines.with(2, "?").join("\n")}\n`);
  const before = filesIn(folder);
  const longAgo = new Date(Date.now() - 3 * 24 * 60 * 60 * 1000);
  for (const path of Object.keys(before)) if (!path.endsWith("damaged.jsonl")) utimesSync(path, longAgo, longAgo);
  const log = await logOf(folder, (text) => /Restore/.test(text), "--keep", "1");
  assert.match(log, /^left alone, no transcript of this store: .*\.jsonl$/m);
  assert.match(log, /^.*damaged\.jsonl: line 3 is not event 3\nRestore/m);
  assert.deepEqual(filesIn(folder), before);
});

test("old sessions are let go, and those of a dead server are ended, one after the other", async () => {
  const folder = join(place.folder, "kept");
  mkdirSync(folder);
  const store = new JsonlStore(folder);
  for (const name of ["old", "new"]) {
    const writer = await store.open(name);
    await writer.append(events(name, 1, 5));
    await writer.close();
  }
  const longAgo = new Date(Date.now() - 3 * 24 * 60 * 60 * 1000);
  utimesSync(join(folder, "old.jsonl"), longAgo, longAgo);
  // The last that is looked at: when its damage is told, the others are done.
  writeFileSync(join(folder, "z.jsonl"), `${JSON.stringify(events("z", 1, 1)[0])}\n?\n?\n`);
  const before = new Date(Date.now() - 60 * 60 * 1000);
  utimesSync(join(folder, "z.jsonl"), before, before);
  const log = await logOf(folder, (text) => /Restore/.test(text), "--keep", "1");
  assert.doesNotMatch(log, /ENOTEMPTY/);
  const sessions = await store.list();
  assert.deepEqual(sessions.map(({ sessionId, ended }) => [sessionId, ended]).sort(), [
    ["new", true],
    ["z", false],
  ]);
  assert.ok(!existsSync(join(folder, "old.d")));
});

test("tokens are not made up for addresses that others can reach", () => {
  for (const host of ["0.0.0.0", "::", "192.0.2.1"]) {
    const { status, stderr } = serve("--host", host);
    assert.equal(status, 2);
    assert.match(stderr, /--token/);
  }
});

test("an empty token is none: one is made up and printed", async () => {
  for (const [args, variables] of [
    [["--token", ""], {}],
    [[], { INTERLINEAR_TOKEN: "" }],
  ]) {
    const served = startCli(args, variables);
    await served.line();
    const [, token] = /^token: (.{32,})$/.exec(await served.line()) ?? [];
    assert.ok((await served.line()).endsWith(`#token=${token}`));
    assert.deepEqual(await served.end("SIGTERM"), [0, null]);
  }
});

test("origins may have spaces around them and a slash behind", async () => {
  const served = startCli(["--token", "t", "--cors", "https://a.example, https://b.example/ ,"]);
  const [, url] = /listens on (.*)$/.exec(await served.line());
  for (const [origin, status] of [
    ["https://a.example", 200],
    ["https://b.example", 200],
    ["https://c.example", 403],
  ]) {
    const answer = await fetch(`${url}/v1/sessions`, { headers: { origin, authorization: "Bearer t" } });
    assert.equal(answer.status, status, origin);
  }
  assert.deepEqual(await served.end("SIGTERM"), [0, null]);
});

test("a port that is taken, a wrong port and two stores are refused with a cure", async () => {
  const taken = createServer();
  await new Promise((resolve) => taken.listen(0, "127.0.0.1", resolve));
  const { port } = taken.address();
  const busy = serve("--port", String(port), "--store", place.folder);
  taken.close();
  assert.deepEqual([busy.status, /is taken.*--port/.test(busy.stderr)], [2, true], busy.stderr);
  const wrong = serve("--port", "many");
  assert.deepEqual([wrong.status, /--port many/.test(wrong.stderr)], [2, true], wrong.stderr);
  const both = serve("--store", "x", "--postgres", "postgres://x");
  assert.deepEqual([both.status, /not both/.test(both.stderr)], [2, true], both.stderr);
});

test("a store that cannot be a folder is refused at the start", () => {
  const file = join(place.folder, "file");
  writeFileSync(file, "x");
  for (const path of [file, join(file, "below")]) {
    const { status, stdout, stderr } = serve("--port", "0", "--store", path);
    assert.deepEqual([status, stdout], [2, ""], stderr);
    assert.ok(stderr.includes(`${path} cannot be the folder of the transcripts`), stderr);
    assert.match(stderr, /--store DIR/);
  }
});

test("what is no origin of pages is refused: it would never be one that calls", () => {
  for (const origin of ["example.org", "localhost:5173", "https://example.org/app"]) {
    const { status, stderr } = serve("--port", "0", "--cors", `https://a.example,${origin}`);
    assert.equal(status, 2);
    assert.ok(stderr.startsWith(`interlinear: --cors ${origin}: `) && stderr.includes("http://"), stderr);
  }
});

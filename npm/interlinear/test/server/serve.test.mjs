// `interlinear serve`, as a person starts it.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Client } from "interlinear/client";
import { here, makeFolder, startServe } from "../faults/program.mjs";
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

test("tokens are not made up for addresses that others can reach", () => {
  for (const host of ["0.0.0.0", "::", "192.0.2.1"]) {
    const { status, stderr } = serve("--host", host);
    assert.equal(status, 2);
    assert.match(stderr, /--token/);
  }
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

// What a newcomer does first.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { root } from "../fixtures.mjs";

const home = mkdtempSync(join(tmpdir(), "interlinear-start-"));
after(() => rmSync(home, { recursive: true, force: true }));

/** `npm start`, whose sessions go into a folder of their own. */
function start(...args) {
  const child = spawn(process.execPath, [join(root, "scripts", "start.mjs"), ...args], {
    cwd: root,
    env: { ...process.env, XDG_DATA_HOME: home, CI: "true" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = { text: "" };
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      output.text += chunk;
    });
  }
  return { child, output, ended: once(child, "exit") };
}

test("npm start -- --once shows a session, finds the inspector answering, and ends", async () => {
  const { output, ended } = start("--once");
  const [code] = await ended;
  assert.equal(code, 0, output.text);
  assert.match(output.text, /session\.started {6}agent claude · form live/);
  assert.match(output.text, /http:\/\/127\.0\.0\.1:\d+\/#token=/);
  assert.match(output.text, /The inspector answers, with real sessions of five agents in it\./);
});

test("npm start takes another port where the usual one is taken", async () => {
  const other = createServer().listen(2468, "127.0.0.1");
  // Where somebody else has it, it is taken as well.
  await once(other, "listening").catch(() => {});
  try {
    const { output, ended } = start("--once");
    const [code] = await ended;
    assert.equal(code, 0, output.text);
    assert.doesNotMatch(output.text, /127\.0\.0\.1:2468/);
  } finally {
    other.close();
  }
});

test("npm start prints an address that answers, and Ctrl-C ends it", async () => {
  const { child, output, ended } = start();
  let address;
  while (address === undefined) {
    await Promise.race([once(child.stdout, "data"), ended]);
    assert.equal(child.exitCode, null, output.text);
    [, address] = /(http:\/\/127\.0\.0\.1:\d+\/)#token/.exec(output.text) ?? [];
  }
  assert.match(await (await fetch(address)).text(), /<html data-server/);
  child.kill("SIGINT");
  const [code] = await ended;
  assert.equal(code, 0, output.text);
  await assert.rejects(fetch(address));
});

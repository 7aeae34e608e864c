// Universal events that were saved are an input too: what `convert` wrote, and the sessions of a store.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { convert } from "interlinear";
import { JsonlStore } from "interlinear/store";
import { bytesOf, eventsOf, interlinear, recording } from "./run.mjs";

const folder = mkdtempSync(join(tmpdir(), "interlinear-saved-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const events = convert(bytesOf(recording("edit_file")), { sessionId: "mine" });
const lines = events.map((event) => `${JSON.stringify(event)}\n`).join("");

before(async () => {
  const store = new JsonlStore(folder);
  const writer = await store.open("mine");
  await writer.append(convert(bytesOf(recording("edit_file")), { sessionId: "mine", includeRaw: true }));
  await store.close();
});

test("a store's folder is checked, and becomes events, exchange events and documents", async () => {
  const checked = await interlinear(["check", folder]);
  assert.match(checked.stdout, /mine\.jsonl: \d+ events, the contract is kept\n$/);
  assert.deepEqual(eventsOf((await interlinear(["convert", folder])).stdout), events);
  for (const to of ["markdown", "html", "exchange"]) {
    const { code, stdout, stderr } = await interlinear(["convert", "--to", to, folder]);
    const direct = await interlinear(["convert", "--to", to], { input: bytesOf(recording("edit_file")) });
    assert.equal(code, 0, stderr);
    if (to === "exchange") assert.equal(eventsOf(stdout).length, eventsOf(direct.stdout).length);
    else assert.equal(stdout, direct.stdout);
  }
});

test("they are told by their first line, from a file and through a pipe", async () => {
  assert.match((await interlinear(["detect", folder])).stdout, /mine\.jsonl: universal events\n$/);
  const { stdout, stderr } = await interlinear(["convert"], { input: lines });
  assert.deepEqual(eventsOf(stdout), events);
  assert.equal(stderr, `stdin: ${events.length} universal events\n`);
});

test("an exchange transcript becomes a document too", async () => {
  const { stdout } = await interlinear(["convert", "--to", "exchange", folder]);
  const { code, stdout: markdown } = await interlinear(["convert", "--to", "markdown"], { input: stdout });
  assert.equal(code, 0);
  assert.match(markdown, /div now throws on zero\./);
});

test("of events that are still being written the last is not whole; another line that is none is named", async () => {
  const cut = await interlinear(["convert"], { input: lines.slice(0, -20) });
  assert.deepEqual(eventsOf(cut.stdout), events.slice(0, -1));
  assert.match(cut.stderr, /1 cut off/);
  const file = join(folder, "broken.txt");
  writeFileSync(file, lines.replace("\n", "\n\nnot an event\n"));
  const { code, stderr } = await interlinear(["convert", "--to", "html", file]);
  assert.equal(code, 2);
  assert.match(stderr, /broken\.txt: line 3 is no universal event: /);
});

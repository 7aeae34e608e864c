// The core parts in Firefox: WebAssembly in a Worker under the strict policy, a file of every agent, lines and events.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launchFirefox } from "../firefox.mjs";
import { root } from "../fixtures.mjs";
import { serve } from "../serve.mjs";

const artefacts = join(root, "artefacts", "inspector");
let server;
let firefox;
let page;

before(async () => {
  mkdirSync(artefacts, { recursive: true });
  server = await serve({ "/": join(root, "npm", "interlinear", "inspector") });
  firefox = await launchFirefox();
  page = firefox.page;
  await page.goto(`${server.origin}/`);
});

after(async () => {
  await firefox?.close();
  await server?.close();
});

const textOf = (selector) => page.evaluate((wanted) => document.querySelector(wanted)?.textContent, selector);

test("a session that is shipped is drawn", async () => {
  await page.click('a[href="#/demo/claude-plan"]');
  await page.until(() => document.querySelector(".il-transcript")?.textContent.includes("The plan is carried out."));
  await page.until(() => document.querySelectorAll(".fixed-row").length > 10);
});

test("a click on an event shows its native line, a click on a line its events", async () => {
  await page.click(".event-row");
  await page.until(() => document.querySelector(".detail")?.textContent.includes("session.started"));
  assert.match(await textOf(".detail-line"), /"type": "user"/);
  await page.screenshot(join(artefacts, "firefox-event.png"));
  await page.click(".line-row");
  assert.equal(await page.evaluate(() => document.querySelectorAll(".event-detail").length), 5);
});

const files = {
  claude: "claude/recordings/multi_turn.jsonl",
  codex: "codex/recordings/file-edit.jsonl",
  opencode: "opencode/recordings/todo.jsonl",
  amp: "amp/recordings/edit-file.jsonl",
  pi: "pi/stored/compaction-manual/compaction-manual.jsonl",
};

for (const [agent, file] of Object.entries(files)) {
  test(`a file of ${agent} is opened, told and drawn`, async () => {
    await page.type('input[type="file"]', join(root, "tests", "fixtures", file));
    await page.until((name) => document.querySelector(".session-head .mark")?.dataset.agent === name, agent);
    await page.until(() => document.querySelectorAll(".il-row").length > 2);
  });
}

test("it is searched", async () => {
  await page.type('input[type="search"]', "compact");
  await page.until(() => /^[1-9]\d* found$/.test(document.querySelector(".count")?.textContent));
});

test("a long session scrolls, and only what is seen is drawn", async () => {
  await page.click('a[href="#/demo/pi-plan"]');
  await page.until(() => document.querySelector(".il-transcript")?.textContent.includes("Plan the quantity feature."));
  await page.until(() => {
    document.querySelector(".il-transcript")?.scrollTo(0, 1e9);
    return document.querySelector(".il-end") !== null;
  });
  await page.screenshot(join(artefacts, "firefox-end.png"));
});

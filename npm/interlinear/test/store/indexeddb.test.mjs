// The stores of a browser, in a real one.
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { launchChromium } from "../../../../tests/chromium.mjs";
import { serve } from "../../../../tests/serve.mjs";
import { cases } from "./conformance.mjs";
import { bare, events, range } from "./story.mjs";

const here = dirname(fileURLToPath(import.meta.url));

let browser;
let server;
let context;
let page;

before(async () => {
  server = await serve({ "/page/": here, "/interlinear/": join(here, "..", "..") });
  browser = await launchChromium();
  context = await browser.newContext();
  page = await newPage();
});

after(async () => {
  await browser?.close();
  await server?.close();
});

async function newPage() {
  const opened = await context.newPage();
  await opened.goto(`${server.origin}/page/page.html`);
  await opened.waitForFunction(() => "runCase" in globalThis);
  return opened;
}

for (const sentence of Object.keys(cases)) {
  test(`IndexedDbStore: ${sentence}`, { timeout: 60_000 }, () =>
    page.evaluate((name) => globalThis.runCase(name), sentence),
  );
}

test("a session is kept in memory", async () => {
  assert.deepEqual(await page.evaluate(() => globalThis.inMemory()), bare(events("s", 1, 3)));
});

test("a store that is closed says so", async () => {
  assert.deepEqual(await page.evaluate(() => globalThis.afterClose()), Array(5).fill("store_closed"));
});

test("one tab writes, another follows; a tab that is closed sets its session free", async () => {
  const [writing, following] = [await newPage(), await newPage()];
  await writing.evaluate(() => globalThis.hold());
  assert.equal(await following.evaluate(() => globalThis.tryToOpen()), "session_busy");
  await following.evaluate(() => globalThis.follow());
  for (let from = 6; from <= 400; from += 79) {
    await writing.evaluate(([first, last]) => globalThis.write(first, last), [from, Math.min(from + 78, 400)]);
  }
  assert.deepEqual(await following.evaluate(() => globalThis.followed), range(3, 400));
  await writing.close();
  let opened = "session_busy";
  for (let attempt = 0; attempt < 50 && opened === "session_busy"; attempt += 1) {
    opened = await following.evaluate(() => globalThis.tryToOpen());
  }
  assert.equal(opened, 400);
});

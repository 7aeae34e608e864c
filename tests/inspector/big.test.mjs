// A session of 100 MB: it opens, and the page answers all the while.
import assert from "node:assert/strict";
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, statSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { root } from "../fixtures.mjs";
import { openInspector } from "./page.mjs";

const size = 100_000_000;
let folder;
let file;
let inspector;

/** A real session again and again, one conversation after the other, until it is big. */
function writeBigSession(path) {
  const source = join(root, "tests", "fixtures", "claude", "stored", "edit_file");
  const [name] = readdirSync(source).filter((entry) => entry.endsWith(".jsonl"));
  const lines = readFileSync(join(source, name), "utf8").trimEnd().split("\n");
  const entries = lines.map((line) => JSON.parse(line)).filter(({ uuid }) => uuid !== undefined);
  const rest = "All work and no play makes a dull transcript. ".repeat(60);
  const output = openSync(path, "w");
  let written = 0;
  let parentUuid = null;
  for (let round = 0; written < size; round += 1) {
    for (const entry of entries) {
      const text = JSON.stringify({ ...entry, parentUuid, uuid: `${entry.uuid}-${round}` })
        .replaceAll(/"(toolu_|msg_)(\w+)"/g, `"$1$2${round}"`)
        .replace(/div now throws on zero\./, `Round ${round}. ${rest}`);
      parentUuid = `${entry.uuid}-${round}`;
      written += writeSync(output, `${text}\n`);
    }
  }
  closeSync(output);
}

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "interlinear-big-"));
  file = join(folder, "big.jsonl");
  writeBigSession(file);
  inspector = await openInspector();
});

after(async () => {
  await inspector?.close();
  rmSync(folder, { recursive: true, force: true });
});

test("100 MB open with a progress bar, without freezing, and are there to the last line", {
  timeout: 280_000,
}, async () => {
  const { page } = inspector;
  assert.ok(statSync(file).size >= size);
  // From now on, the longest time in which the page did nothing but one thing.
  await page.evaluate(() => {
    globalThis.longest = 0;
    let last = performance.now();
    setInterval(() => {
      const now = performance.now();
      globalThis.longest = Math.max(globalThis.longest, now - last);
      last = now;
    }, 10);
    // And all that was said of how far it is: it may be gone before anyone asks for it.
    globalThis.told = { texts: [], parts: [] };
    new MutationObserver(() => {
      const { value, max } = document.querySelector("progress") ?? {};
      if (value > 0 && value < max && !globalThis.told.parts.includes(value)) globalThis.told.parts.push(value);
      const text = document.querySelector("[role=status] progress + p")?.textContent;
      if (text !== undefined) globalThis.told.texts.push(text);
    }).observe(document.body, { subtree: true, childList: true, characterData: true, attributeFilter: ["value"] });
  });
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Open", exact: true }).click();
  const began = performance.now();
  await (await chooser).setFiles(file);
  await page.locator("progress").first().waitFor({ timeout: 60_000 });
  await inspector.shot("big-reading");
  await page.locator(".fixed-row").first().waitFor({ timeout: 240_000 });
  // It can be used while it is still being read.
  await page.locator(".fixed-row").nth(3).click();
  await page.locator(".detail").waitFor();
  await page.waitForFunction(() => document.querySelector("progress") === null, undefined, { timeout: 240_000 });
  const took = Math.round((performance.now() - began) / 1000);
  const { longest, told } = await page.evaluate(() => ({ longest: globalThis.longest, told: globalThis.told }));
  assert.ok(
    told.texts.some((text) => /^[1-9]\d* MB of \d+ MB$/.test(text)),
    `texts: ${told.texts}`,
  );
  assert.ok(told.parts.length > 3, `the bar stood at ${told.parts}`);
  await page.getByRole("listbox").focus();
  await page.keyboard.press("End");
  await page.locator(".event-row", { hasText: "session.ended" }).waitFor({ timeout: 60_000 });
  await inspector.shot("big-end");
  const heap = await page.evaluate(() => Math.round(performance.memory.usedJSHeapSize / 1e6));
  console.log(
    `${told.texts[0]}, ${told.texts.at(-1)}, ${told.parts.length} steps; ${took} s, longest pause ${Math.round(longest)} ms, heap ${heap} MB`,
  );
  assert.ok(longest < 2000, `the page stood still for ${Math.round(longest)} ms`);
  assert.deepEqual(inspector.complaints, []);
});

// The built package in a real browser, in a page with a strict content security policy, compared with Node.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { agents, convert, openSession, relay } from "interlinear";
import { launchChromium } from "../chromium.mjs";
import { read, recording, root, transcripts } from "../fixtures.mjs";
import { serve } from "../serve.mjs";

const policy =
  "default-src 'none'; script-src 'self' 'nonce-test' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; base-uri 'none'";
const url = `/project/${recording}`;
const bytes = readFileSync(join(root, recording));

let browser;
let server;
let page;
const complaints = [];

before(async () => {
  const folders = {
    "/page/": dirname(fileURLToPath(import.meta.url)),
    "/interlinear/": join(root, "npm", "interlinear"),
    "/wasm/": join(root, "npm", "wasm"),
    "/project/": root,
  };
  server = await serve(folders, { "content-security-policy": policy });
  browser = await launchChromium();
  page = await browser.newPage();
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  await page.goto(`${server.origin}/page/page.html`);
  await page.waitForFunction(() => "load" in globalThis);
});

after(async () => {
  await browser?.close();
  await server?.close();
});

test("what is called before init() says so and how to mend it", async () => {
  const thrown = await page.evaluate(() => globalThis.beforeInit());
  assert.equal(thrown.name, "InterlinearError");
  assert.equal(thrown.code, "not_initialized");
  assert.match(thrown.cure, /init\(\)/);
});

test("the package loads as WebAssembly", async () => {
  assert.deepEqual(await page.evaluate(() => globalThis.load()), { backend: "wasm", agents: agents() });
});

test("a recording gives the same bytes as in Node", async () => {
  const here = new TextDecoder().decode(relay([{ name: "", bytes }]));
  assert.ok(here.length > 0);
  assert.equal(await page.evaluate((from) => globalThis.relay(from), url), here);
});

test("a session gives the same events as in Node", async () => {
  const session = openSession({ agent: "claude", sessionId: "s", now: () => 0 });
  const records = bytes
    .toString()
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  const here = records.filter(({ dir }) => dir === "out").flatMap(({ line }) => session.receive(`${line}\n`));
  assert.deepEqual(await page.evaluate((from) => globalThis.session(from), url), [...here, ...session.end()]);
});

test("a Worker gives the same events, with progress to the end", async () => {
  const { events, detection, stats, progress } = await page.evaluate((from) => globalThis.inWorker(from), url);
  assert.deepEqual(events, convert(bytes));
  assert.equal(detection.agent, "claude");
  assert.ok(stats.lines > 0);
  const { read, total } = progress.at(-1);
  assert.equal(read, total);
});

test("a Worker reads a stored session of several files, and reads again what is not in order", async () => {
  const stored = transcripts().find(({ name, files }) => name.includes("/stored/subagent/") && files.length > 1);
  const { events, detection, progress } = await page.evaluate(
    (names) => globalThis.storedInWorker(names),
    stored.files,
  );
  assert.deepEqual(events, convert(read(stored)));
  assert.equal(detection.form, "stored");
  const bytes = read(stored).reduce((sum, file) => sum + file.bytes.length, 0);
  assert.ok(progress.at(-1).total > bytes, "nothing was read again");
  assert.equal(progress.at(-1).read, progress.at(-1).total);
});

test("a Worker hands events on as they come, native objects included, and keeps none", async () => {
  const { pieces, events } = await page.evaluate((from) => globalThis.inWorkerByPieces(from), url);
  assert.deepEqual(pieces, convert(bytes, { includeRaw: true }));
  assert.deepEqual(events, []);
});

test("a Worker's failure has its code and cure", async () => {
  const thrown = await page.evaluate(() => globalThis.unknownInWorker());
  assert.equal(thrown.code, "unknown_format");
  assert.match(thrown.cure, /agent/);
});

test("a Worker's work can be stopped", async () => {
  const thrown = await page.evaluate((from) => globalThis.aborted(from), url);
  assert.equal(thrown.name, "AbortError");
});

test("the page had nothing to complain about", () => {
  assert.deepEqual(complaints, []);
});

// The packed packages in a Vite build, opened in a real browser.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { convert } from "interlinear";
import { build } from "vite";
import { bundle } from "../../scripts/bundle.mjs";
import { launchChromium } from "../chromium.mjs";
import { recording, root } from "../fixtures.mjs";
import { serve } from "../serve.mjs";
import { installedProject, write } from "./project.mjs";

let project;
let remove;
let browser;
let server;

before(async () => {
  ({ project, remove } = installedProject());
  write(project, "index.html", `<!doctype html><title>page</title><script type="module" src="/page.js"></script>`);
  write(
    project,
    "page.js",
    `import { convert, init } from "interlinear";
     import { convertInWorker } from "interlinear/worker";
     globalThis.run = async (text) => {
       await init();
       const bytes = new TextEncoder().encode(text);
       return { here: convert(text), worker: (await convertInWorker(bytes)).events };
     };`,
  );
  await build({ root: project, logLevel: "error", configFile: false });
  server = await serve({ "/": join(project, "dist") });
  browser = await launchChromium();
});

after(async () => {
  await browser?.close();
  await server?.close();
  remove?.();
});

test("the page converts, by itself and in a Worker", async () => {
  const text = readFileSync(join(root, recording), "utf8");
  const page = await browser.newPage();
  await page.goto(`${server.origin}/`);
  await page.waitForFunction(() => "run" in globalThis);
  const { here, worker } = await page.evaluate((input) => globalThis.run(input), text);
  assert.deepEqual(here, convert(text));
  assert.deepEqual(worker, convert(text));
});

test("the module is shipped once, as a file of its own", () => {
  const files = readdirSync(join(project, "dist", "assets"));
  assert.equal(files.filter((name) => name.endsWith(".wasm")).length, 1);
});

test("the entry in a browser, without the WebAssembly, is at most 15 KB", async () => {
  const code = await bundle(join(root, "npm", "interlinear", "dist", "index.js"));
  assert.ok(gzipSync(code, { level: 9 }).length <= 15 * 1024);
});

// The packed packages in a Vite build, opened in a real browser.
import assert from "node:assert/strict";
import { readdirSync, readFileSync, symlinkSync } from "node:fs";
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
  // An application brings its own React.
  for (const name of ["react", "react-dom", "scheduler"]) {
    symlinkSync(join(root, "node_modules", name), join(project, "node_modules", name));
  }
  write(
    project,
    "react.html",
    `<!doctype html><title>page</title><div id="root"></div><script type="module" src="/react.jsx"></script>`,
  );
  write(
    project,
    "react.jsx",
    `import { Transcript, useTranscript } from "interlinear/react";
     import "interlinear/react/style.css";
     import { createRoot } from "react-dom/client";
     function Page({ file }) {
       return <Transcript transcript={useTranscript(file).transcript} />;
     }
     globalThis.run = (text) => createRoot(document.querySelector("#root")).render(<Page file={new Blob([text])} />);`,
  );
  const input = [join(project, "index.html"), join(project, "react.html")];
  await build({ root: project, logLevel: "error", configFile: false, build: { rolldownOptions: { input } } });
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

test("a React application converts a file in a Worker and draws it", async () => {
  const page = await browser.newPage();
  await page.goto(`${server.origin}/react.html`);
  await page.waitForFunction(() => "run" in globalThis);
  await page.evaluate((input) => globalThis.run(input), readFileSync(join(root, recording), "utf8"));
  await page.getByText("div now throws on zero.").waitFor();
  assert.equal(await page.locator(".il-transcript").evaluate((box) => getComputedStyle(box).overflowY), "auto");
});

test("the inspector is in the package", () => {
  const shipped = join(project, "node_modules", "interlinear", "inspector");
  assert.match(readFileSync(join(shipped, "index.html"), "utf8"), /<title>Interlinear<\/title>/);
  assert.equal(readdirSync(join(shipped, "demo")).length, 10);
});

test("the module is shipped once, as a file of its own", () => {
  const files = readdirSync(join(project, "dist", "assets"));
  assert.equal(files.filter((name) => name.endsWith(".wasm")).length, 1);
});

test("the entry in a browser, without the WebAssembly, is at most 15 KB", async () => {
  const code = await bundle(join(root, "npm", "interlinear", "dist", "index.js"));
  assert.ok(gzipSync(code, { level: 9 }).length <= 15 * 1024);
});

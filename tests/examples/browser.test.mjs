import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { launchChromium } from "../chromium.mjs";
import { recording, root } from "../cli/run.mjs";

describe("the example for the browser", () => {
  let server;
  let address;
  let browser;
  let page;
  const problems = [];

  before(async () => {
    server = spawn(process.execPath, ["examples/browser/serve.mjs", "0"], {
      cwd: root,
      stdio: ["ignore", "pipe", "inherit"],
    });
    [address] = (await once(server.stdout, "data")).map((chunk) => chunk.toString().trim());
    browser = await launchChromium();
    page = await browser.newPage();
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
    await page.goto(address);
  });
  after(async () => {
    await browser?.close();
    server?.kill();
  });

  test("loads the core under a strict content security policy", async () => {
    const response = await page.request.get(address);
    assert.match(response.headers()["content-security-policy"], /script-src 'self' 'wasm-unsafe-eval' 'sha256-[^']+';/);
    await page.getByText("Ready.").waitFor();
  });

  test("draws a file that is chosen", async () => {
    await page.locator("#files").setInputFiles(join(root, recording("edit_file")));
    await page.getByText("edit_file.jsonl:", { exact: false }).waitFor();
    assert.equal(await page.locator(".message.user").count(), 1);
    assert.ok((await page.locator(".tool_call").count()) > 0);
    assert.ok((await page.locator(".tool_call .tool_result").count()) > 0);
    assert.match(await page.locator(".turn footer").last().textContent(), /completed/);
  });

  test("draws subagents below the call that started them", async () => {
    await page.getByRole("button", { name: "Show a real one" }).click();
    await page.getByText("subagent_parallel.jsonl:", { exact: false }).waitFor();
    assert.ok((await page.locator(".tool_call > .children .tool_call").count()) > 0);
  });

  test("says what is wrong with a file that nobody knows, and how to mend it", async () => {
    await page
      .locator("#files")
      .setInputFiles({ name: "shopping.jsonl", mimeType: "application/json", buffer: Buffer.from('{"milk":2}\n') });
    await page.getByText("shopping.jsonl:", { exact: false }).waitFor();
    assert.match(await page.locator("#status").textContent(), /Name the agent/);
  });

  test("nothing went wrong in the page", () => {
    assert.deepEqual(problems, []);
  });
});

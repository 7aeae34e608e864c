import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { after, before, test } from "node:test";
import { launchChromium } from "../chromium.mjs";
import { root } from "../fixtures.mjs";

let browser;
let server;
let page;
let address;
const complaints = [];

before(async () => {
  server = spawn(process.execPath, ["examples/react/server.mjs"], { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(server.stdout, "data");
  address = line.toString().trim();
  browser = await launchChromium();
  page = await browser.newPage();
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
});

after(async () => {
  await browser?.close();
  server?.kill("SIGTERM");
});

test("the chat sends a prompt, answers a permission, and shows what came of it", async () => {
  await page.goto(address);
  await page.getByText("Say something.").waitFor();
  await page.getByRole("textbox", { name: "Prompt" }).fill("Please do it.");
  await page.keyboard.press("Enter");
  await page.getByText("The agent is at work…").waitFor();
  await page.getByRole("button", { name: "Allow", exact: true }).click();
  await page.getByRole("button", { name: "Send" }).waitFor();
  assert.equal(await page.locator('.il-request[data-status="accept"]').count(), 1);
  assert.equal(await page.getByText("The agent is at work…").count(), 0);
});

test("the page had nothing to complain about", () => {
  assert.deepEqual(complaints, []);
});

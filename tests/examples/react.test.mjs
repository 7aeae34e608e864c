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

test("what cannot be sent is said, and stays to be sent again", async () => {
  const prompt = page.getByRole("textbox", { name: "Prompt" });
  const message = { code: "session_busy", title: "the agent is busy", status: 409 };
  await page.route("**/messages", (route) =>
    route.fulfill({ status: 409, contentType: "application/problem+json", body: JSON.stringify(message) }),
  );
  await prompt.fill("Once more.");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").getByText("the agent is busy").waitFor();
  assert.equal(await prompt.inputValue(), "Once more.");
  await page.unroute("**/messages");
  // The browser itself tells of the answer; nothing else is to be complained about.
  assert.deepEqual(
    complaints.splice(0).filter((complaint) => !complaint.includes("409")),
    [],
  );
});

test("the page had nothing to complain about", () => {
  assert.deepEqual(complaints, []);
});

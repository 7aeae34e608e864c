// The built inspector in a real browser, as anybody would serve it.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { launchChromium } from "../chromium.mjs";
import { root } from "../fixtures.mjs";
import { serve } from "../serve.mjs";

/** What is seen is kept, to be looked at. */
const artefacts = join(root, "artefacts", "inspector");

/** Serves the inspector without a server of agents, and opens it. */
export async function openInspector(options = {}) {
  const server = await serve({ "/": join(root, "npm", "interlinear", "inspector") });
  const opened = await openAt(server.origin, options);
  return { ...opened, origin: server.origin, close: () => opened.close().then(server.close) };
}

/** Opens the inspector that is served at an address. */
export async function openAt(address, options = {}) {
  const browser = await launchChromium();
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    acceptDownloads: true,
    ...options,
  });
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const complaints = [];
  const requests = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && complaints.push(message.text()));
  page.on("request", (request) => requests.push(request.url()));
  await page.goto(address);
  await page.getByRole("heading", { level: 1 }).waitFor();
  mkdirSync(artefacts, { recursive: true });
  const shot = (name) => page.screenshot({ path: join(artefacts, `${name}.png`) });
  return { page, complaints, requests, shot, close: () => browser.close() };
}

/** Drops files on the page, as a person would from another window. */
export async function drop(page, files) {
  const transfer = await page.evaluateHandle((list) => {
    const given = new DataTransfer();
    for (const { name, text } of list) given.items.add(new File([text], name));
    return given;
  }, files);
  await page.dispatchEvent(".app", "dragover", { dataTransfer: transfer });
  await page.dispatchEvent(".app", "drop", { dataTransfer: transfer });
}

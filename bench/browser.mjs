// WebAssembly in Chromium: the same comparison as in Node, and the time to the first event in a browser that has
// nothing in its caches.
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { at } from "../scripts/shell.mjs";
import { launchChromium } from "../tests/chromium.mjs";
import { serve } from "../tests/serve.mjs";
import { channelOf } from "./corpus.mjs";
import { medians } from "./measure.mjs";

// A page that is isolated has a clock of a few microseconds.
const isolated = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
};

/**
 * @param {{agent: string, kind: string, file: string, first: string}[]} corpora
 * @param {{starts: number, times: number}} counts so many times a page is opened for an agent's first event, and for each session
 */
export async function measureBrowser(corpora, { starts, times }) {
  const folders = {
    "/bench/": dirname(fileURLToPath(import.meta.url)),
    "/interlinear/": at("npm", "interlinear"),
    "/wasm/": at("npm", "wasm"),
    "/corpora/": at("target", "bench"),
  };
  const server = await serve(folders, isolated);
  const browser = await launchChromium();
  try {
    const firsts = [];
    for (const corpus of corpora.filter(({ kind }) => kind === "bulk")) {
      const times = [];
      for (let count = 0; count < starts; count += 1) times.push(await coldStart(browser, server.origin, corpus));
      firsts.push({ agent: corpus.agent, init: least(times, "init"), event: least(times, "event") });
    }
    const results = [];
    for (const corpus of corpora) {
      const measured = [];
      for (let count = 0; count < times; count += 1) measured.push(await ratios(browser, server.origin, corpus));
      results.push(medians(measured));
    }
    return { results, firsts };
  } finally {
    await browser.close();
    await server.close();
  }
}

const least = (times, part) => Math.min(...times.map((time) => time[part]));

/** A context of its own has caches of its own. */
async function openPage(browser, origin) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${origin}/bench/browser/page.html`);
  await page.waitForFunction(() => "measure" in globalThis);
  return page;
}

async function ratios(browser, origin, { agent, file }) {
  const page = await openPage(browser, origin);
  const run = ([agent, channel, url]) => globalThis.measure(agent, channel, url);
  const measured = await page.evaluate(run, [agent, channelOf(agent), `/corpora/${file}`]);
  await page.context().close();
  return measured;
}

async function coldStart(browser, origin, { agent, first }) {
  const page = await openPage(browser, origin);
  const run = ([agent, channel, line]) => globalThis.first(agent, channel, line);
  const times = await page.evaluate(run, [agent, channelOf(agent), `${first}\n`]);
  await page.context().close();
  return times;
}

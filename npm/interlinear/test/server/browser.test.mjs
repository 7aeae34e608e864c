// The client in a real browser, in a page of another origin.
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { launchChromium } from "../../../../tests/chromium.mjs";
import { serve } from "../../../../tests/serve.mjs";
import { range } from "../store/story.mjs";
import { startServer, token } from "./running.mjs";

const here = dirname(fileURLToPath(import.meta.url));

let pages;
let server;
let browser;
let page;

before(async () => {
  pages = await serve({ "/page/": here, "/interlinear/": join(here, "..", "..") });
  server = await startServer({ cors: [pages.origin] });
  browser = await launchChromium();
  page = await browser.newPage();
  await page.goto(`${pages.origin}/page/page.html`);
  await page.waitForFunction(() => "Client" in globalThis);
});

after(async () => {
  await browser?.close();
  await server?.stop();
  await pages?.close();
});

test("a page starts a session, talks, and follows it to its end", async () => {
  const { turn, all, failure } = await page.evaluate(
    async (options) => {
      const client = new globalThis.Client(options);
      await client.createSession("from a page", { agent: "claude" });
      const following = (async () => {
        const sequences = [];
        for await (const { sequence } of client.streamEvents("from a page")) sequences.push(sequence);
        return sequences;
      })();
      let turn = "";
      for await (const event of client.streamTurn("from a page", "flood 500")) turn = event.type;
      await client.terminate("from a page");
      const failure = await client.getSession("nowhere").catch(({ code, status }) => ({ code, status }));
      return { turn, all: await following, failure };
    },
    { baseUrl: server.url, token },
  );
  assert.equal(turn, "turn.ended");
  assert.ok(all.length > 500);
  assert.deepEqual(all, range(1, all.length));
  assert.deepEqual(failure, { code: "unknown_session", status: 404 });
});

test("an EventSource comes back where it was, and stops at the end", async () => {
  // It cannot send a token: a server without one, behind something that asks for it.
  const open = await startServer({ cors: ["*"], token: undefined });
  await open.client.createSession("s", { agent: "claude" });
  const seen = page.evaluate((url) => {
    const source = new EventSource(`${url}/v1/sessions/s/events/sse`);
    const ids = [];
    return new Promise((resolve) => {
      source.onmessage = ({ lastEventId }) => ids.push(Number(lastEventId));
      source.onerror = () => source.readyState === EventSource.CLOSED && resolve(ids);
    });
  }, open.url);
  await open.client.sendMessage("s", "hello");
  await new Promise((resolve) => setTimeout(resolve, 500));
  await open.client.terminate("s");
  const { eventCount } = await open.client.getSession("s");
  assert.deepEqual(await seen, range(1, eventCount));
  await open.stop();
});

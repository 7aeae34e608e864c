// The inspector on a server that runs agents: one that does as it is told, and one that says what a real one said.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import axe from "axe-core";
import { Client } from "interlinear/client";
import { AgentHost } from "interlinear/node";
import { createServer, listen, withInspector } from "interlinear/server";
import { JsonlStore } from "interlinear/store";
import { root } from "../fixtures.mjs";
import { openAt } from "./page.mjs";

const token = "a token for tests";
const scripted = [process.execPath, join(root, "npm/interlinear/test/server/agent.mjs")];
const replay = (name) => [
  process.execPath,
  join(root, "examples/replay-agent.mjs"),
  join(root, "tests/fixtures/claude/recordings", name),
];

const folder = mkdtempSync(join(tmpdir(), "interlinear-inspector-"));
const started = [];
let inspector;
let page;

/** A server with the inspector, whose Claude Code (or another agent) is another program. */
async function start(command, agent = "claude") {
  const store = new JsonlStore(join(folder, `${started.length}`), { sync: "never" });
  const host = new AgentHost({ store, agents: { [agent]: { command } } });
  const server = await listen(withInspector(createServer({ host, store, token, directory: folder })));
  started.push(async () => {
    await host.close();
    await server.close();
    await store.close();
  });
  return server.url;
}

before(async () => {
  inspector = await openAt(`${await start(scripted)}/#token=${encodeURIComponent(token)}`);
  page = inspector.page;
});

after(async () => {
  await inspector?.close();
  for (const stop of started) await stop();
  rmSync(folder, { recursive: true, force: true });
});

const transcript = () => page.locator(".il-transcript");
const prompt = async (text) => {
  await page.getByRole("textbox", { name: "Prompt" }).fill(text);
  await page.keyboard.press("Enter");
};
const newSession = async () => {
  await page.getByRole("link", { name: "New session" }).click();
  await page.getByRole("radio", { name: /Claude Code/ }).waitFor();
  await page.getByRole("radio", { name: /Claude Code/ }).check({ force: true });
};

test("the token is taken out of the address", async () => {
  await page.getByRole("link", { name: "New session" }).waitFor();
  assert.doesNotMatch(page.url(), /token/);
});

test("a session is started with an agent, a model and a variant of one's choice", async () => {
  await newSession();
  assert.equal(await page.locator(".agents label").count(), 5);
  await page.getByLabel("Model").fill("test-model");
  await inspector.shot("new-session");
  await page.getByRole("button", { name: "Start" }).click();
  await page.getByRole("textbox", { name: "Prompt" }).waitFor();
  await inspector.shot("live-empty");
});

test("what is said is answered, word by word", async () => {
  await prompt("flood 300 400");
  await transcript().getByText("word 3").waitFor();
  await page.getByRole("button", { name: "Interrupt" }).waitFor();
  await inspector.shot("live-streaming");
  await transcript().getByText("word 299").waitFor();
  await page.getByRole("button", { name: "Interrupt" }).waitFor({ state: "detached" });
});

test("each event stands below the native object that caused it", async () => {
  await page.locator(".line-row").getByText("stream_event").first().waitFor();
  // The end is followed; the beginning is one key away.
  await page.getByRole("listbox").focus();
  await page.keyboard.press("Home");
  await page.locator(".event-row", { hasText: "session.started" }).waitFor();
  // What went to the agent is told from what it wrote.
  await page.locator(".line-row", { hasText: "user" }).locator('.arrow[data-dir="in"]').first().waitFor();
  await page.getByRole("button", { name: "Close the line" }).click();
});

test("a permission is asked for and given", async () => {
  await prompt("permission");
  await page.getByRole("region", { name: "Waiting for permission" }).getByText("ls", { exact: true }).waitFor();
  await inspector.shot("live-permission");
  await page.getByRole("button", { name: "Allow", exact: true }).click();
  await transcript().locator('.il-request[data-status="accept"]').waitFor();
});

test("a permission is refused", async () => {
  await prompt("permission");
  await page.getByRole("button", { name: "Refuse" }).click();
  await transcript().locator('.il-request[data-status="reject"]').waitFor();
});

test("what could not be sent is said, and stays to be sent again", async () => {
  await page.route("**/messages", (route) => route.abort());
  await prompt("say this");
  await page.getByRole("alert").waitFor();
  await page.unroute("**/messages");
  const box = page.getByRole("textbox", { name: "Prompt" });
  assert.equal(await box.inputValue(), "say this");
  await box.press("Enter");
  await transcript().getByText("say this").first().waitFor();
  assert.equal(await box.inputValue(), "");
  assert.equal(await page.getByRole("alert").count(), 0);
  // The browser's own, of the request that was cut off.
  const others = inspector.complaints.filter((complaint) => !complaint.includes("ERR_FAILED"));
  inspector.complaints.splice(0, inspector.complaints.length, ...others);
});

test("a question is asked and answered", async () => {
  await prompt("question");
  await page.getByRole("form", { name: "The agent asks" }).waitFor();
  await page.getByLabel("blue").check();
  await inspector.shot("live-question");
  await page.getByRole("button", { name: "Answer" }).click();
  await transcript().locator("dt", { hasText: "Which colour?" }).waitFor();
  await transcript().locator("dd", { hasText: "blue" }).waitFor();
});

test("a turn is interrupted, and the session goes on", async () => {
  await prompt("wait");
  await page.getByRole("button", { name: "Interrupt" }).click();
  await page.getByRole("button", { name: "Interrupt" }).waitFor({ state: "detached" });
  await prompt("hello");
  await transcript().getByText("Hello.").waitFor();
});

test("axe has nothing to say to a running session, nor to a new one", async () => {
  await page.evaluate(axe.source);
  const look = async () =>
    (await page.evaluate(() => globalThis.axe.run())).violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`);
  assert.deepEqual(await look(), []);
  await page.getByRole("link", { name: "New session" }).click();
  await page.getByRole("heading", { name: "New session" }).waitFor();
  assert.deepEqual(await look(), []);
  await page.goBack();
});

test("a page that is loaded anew shows the session again", async () => {
  await page.reload();
  // The address leads to an event at the beginning; what is far from there is not drawn.
  await transcript().getByText("word 3").waitFor();
  await transcript().evaluate((box) => box.scrollTo(0, 1e9));
  await transcript().getByText("Hello.").waitFor();
});

test("a link to a session that is not there says so", async () => {
  const { href } = new URL(page.url());
  await page.evaluate(() => {
    location.hash = "#/live/nobody";
  });
  await page.getByRole("heading", { name: "There is no such session" }).waitFor();
  await page.goto(href);
  await transcript().waitFor();
});

test("a session is terminated, and stays to be looked at", async () => {
  // The address led to an event at the beginning.
  await transcript().evaluate((box) => box.scrollTo(0, 1e9));
  await page.getByRole("button", { name: "Terminate" }).click();
  await transcript().getByText("The session was terminated").waitFor();
  assert.equal(await page.getByRole("textbox", { name: "Prompt" }).count(), 0);
  await page
    .getByRole("navigation")
    .getByText(/Claude Code · ended/)
    .first()
    .waitFor();
  await inspector.shot("live-terminated");
});

test("without the token, the page asks for it", async () => {
  const other = await openAt(started.length > 0 ? new URL("/", page.url()).href : "");
  try {
    await other.page.getByLabel("The server wants its token").fill(token);
    await other.page.keyboard.press("Enter");
    await other.page.getByRole("link", { name: "New session" }).waitFor();
    await other.shot("unlocked");
  } finally {
    await other.close();
  }
});

test("a real session with subagents and permissions is followed live", async () => {
  const url = await start(replay("subagent_permission.jsonl"));
  await page.goto(`${url}/#token=${encodeURIComponent(token)}`);
  await newSession();
  await page.getByRole("button", { name: "Start" }).click();
  await prompt("Go.");
  for (const answered of [1, 2]) {
    await page.getByRole("button", { name: "Allow", exact: true }).click();
    await transcript()
      .locator('.il-request[data-status="accept"]')
      .nth(answered - 1)
      .waitFor();
  }
  await page.locator(".il-row[data-depth]").first().waitFor();
  await page.locator('.il-turn:not([data-status="running"])').waitFor();
  await inspector.shot("live-subagent");
});

/** A recording for each feature, and what shows that it was drawn. */
const features = {
  "streaming deltas": ["hello_partial.jsonl", '.il-message[data-role="assistant"]'],
  reasoning: ["thinking_partial.jsonl", ".il-reasoning"],
  "a diff": ["edit_file.jsonl", '.il-line[data-kind="added"]'],
  "an image": ["image_tool_result.jsonl", '.il-tool[data-kind="file_read"]'],
  "a command that fails": ["bash_fail.jsonl", '.il-tool[data-kind="command"][data-state="failed"]'],
  "a todo list": ["todo_write.jsonl", ".il-todos li[data-status]"],
  "two subagents": ["subagent_parallel.jsonl", ".il-row[data-depth]"],
  "an error": ["error_401.jsonl", ".il-error"],
  "a process that is killed": ["kill9_mid_tool.jsonl", '.il-end[data-reason="error"]'],
};

for (const [feature, [recording, selector]] of Object.entries(features)) {
  test(`live, as a real agent said it: ${feature}`, async () => {
    const url = await start(replay(recording));
    const client = new Client({ baseUrl: url, token });
    await client.createSession("replayed", { agent: "claude" });
    await page.goto(`${url}/#token=${encodeURIComponent(token)}`);
    await page.getByRole("link", { name: /Claude Code · idle/ }).click();
    await prompt("Go.");
    await transcript().locator(selector).first().waitFor({ state: "attached" });
  });
}

/** The command that plays any agent from a recording. */
const played = (agent, name) => [
  process.execPath,
  join(root, "npm/interlinear/bin/interlinear.js"),
  ...["replay-agent", "--speed", "max", join(root, "tests/fixtures", agent, "recordings", name), "--"],
];

/** Recordings, and why one of their lines is no event. Of Amp there is only the last line of a process. */
const silent = {
  claude: ["hello_partial.jsonl", "start of a message"],
  codex: ["file-edit.jsonl", "request of the host"],
  opencode: ["edit-file.jsonl", "end of a step"],
  pi: ["edit-file-diff.jsonl", "answer to the host"],
};

for (const [agent, [recording, reason]] of Object.entries(silent)) {
  test(`live, ignored lines say why, and still do when the page is loaded anew: ${agent}`, async () => {
    const url = await start(played(agent, recording), agent);
    const client = new Client({ baseUrl: url, token });
    await client.createSession("replayed", { agent });
    await page.goto(`${url}/#token=${encodeURIComponent(token)}`);
    await page.getByRole("link", { name: /· idle/ }).click();
    await prompt("Go.");
    await page.locator('.il-turn:not([data-status="running"])').first().waitFor();
    for (const loaded of ["first", "anew"]) {
      if (loaded === "anew") await page.reload();
      const chip = page.getByRole("button", { name: /^\d+ ignored$/ });
      await chip.waitFor();
      if (loaded === "anew") await inspector.shot(`live-silent-${agent}`);
      await chip.click();
      await page.waitForFunction(() => document.querySelectorAll(".event-row").length === 0);
      await page
        .locator(".line-row", { hasText: `ignored: ${reason}` })
        .first()
        .waitFor();
      const fates = await page.locator(".line-row .fate").allTextContents();
      assert.equal(fates.length, await page.locator(".line-row").count());
      assert.ok(fates.every((fate) => /^ignored: \w/.test(fate)));
    }
  });
}

test("nothing was complained about", () => {
  // Only that a page without a token was refused, and a session that is not there.
  assert.deepEqual(
    inspector.complaints.filter((text) => !/40[14]/.test(text)),
    [],
  );
});

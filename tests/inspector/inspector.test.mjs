// Every feature of the inspector that needs no agent.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import axe from "axe-core";
import { convert } from "interlinear";
import { root } from "../fixtures.mjs";
import { attacks } from "../react/attacks.mjs";
import { drop, openInspector } from "./page.mjs";

let inspector;
let page;

before(async () => {
  inspector = await openInspector();
  page = inspector.page;
});

after(() => inspector?.close());

const home = () => page.goto(`${inspector.origin}/#/`);
const demo = async (id) => {
  await page.goto(`${inspector.origin}/#/demo/${id}`);
  await page.locator(".il-row").first().waitFor();
  await page.locator(".fixed-row").first().waitFor();
};
const fixture = (name) => readFileSync(join(root, "tests", "fixtures", name), "utf8");
const lines = () => page.getByRole("listbox");

/** What was asked of anybody, but for the parts of the page itself. */
const askedSince = (before) =>
  inspector.requests
    .slice(before)
    .filter(
      (url) => !url.startsWith("data:") && !url.startsWith(`${inspector.origin}/assets/`) && !url.endsWith("/icon.svg"),
    );

beforeEach(home);

test("the first page says what it is, and lists real sessions of five agents", async () => {
  await page.getByRole("heading", { name: "What did the agent really do?" }).waitFor();
  const items = page.getByRole("navigation").locator(".item-detail");
  assert.deepEqual([...new Set(await items.allTextContents())].sort(), [
    "Amp",
    "Claude Code",
    "Codex",
    "OpenCode",
    "Pi",
  ]);
  await inspector.shot("home");
});

test("every session that is shipped opens", async () => {
  const links = page.getByRole("navigation").locator("a.item");
  const count = await links.count();
  assert.ok(count >= 10);
  for (let index = 0; index < count; index += 1) {
    await links.nth(index).click();
    await page.locator(".il-row").first().waitFor();
    await page.locator(".fixed-row").first().waitFor();
    await inspector.shot(`demo-${(await links.nth(index).getAttribute("href")).split("/").at(-1)}`);
  }
});

test("a click on an event shows its native line, and marks what it belongs to", async () => {
  await demo("claude-plan");
  await lines().getByText("Let me look around first.").first().click();
  const detail = page.getByRole("region", { name: "The chosen line with its events" });
  await detail.getByRole("heading", { name: /^Line 3/ }).waitFor();
  assert.match(await detail.locator(".detail-line").textContent(), /"type": "assistant"/);
  assert.match(await page.locator(".il-row[data-selected]").textContent(), /Let me look around first\./);
  await inspector.shot("event-chosen");
});

test("a click on a native line shows its events", async () => {
  await demo("claude-plan");
  await page.locator(".line-row").first().click();
  const detail = page.getByRole("region", { name: "The chosen line with its events" });
  assert.deepEqual(await detail.locator(".event-type").allTextContents(), [
    "session.started",
    "turn.started",
    "item.started",
    "item.delta",
    "item.completed",
  ]);
  await detail.getByRole("button", { name: /turn\.started/ }).click();
  assert.match(await detail.locator(".event-detail[data-open]").textContent(), /"phase": "started"/);
  await detail.getByRole("button", { name: "Close the line" }).click();
  assert.equal(await detail.count(), 0);
});

test("a click on the transcript shows the native line", async () => {
  await demo("claude-plan");
  await page.locator(".il-transcript").getByText("The plan is carried out.").click();
  const detail = page.getByRole("region", { name: "The chosen line with its events" });
  await detail.waitFor();
  assert.match(await detail.textContent(), /The plan is carried out\./);
  assert.equal(await page.locator('.fixed-row[aria-selected="true"]').count(), 1);
});

test("ignored lines say why, and can be looked at alone", async () => {
  await demo("codex-everything");
  await page.getByRole("button", { name: /^34 ignored$/ }).click();
  const rows = page.locator(".line-row");
  await page.waitForFunction(() => document.querySelectorAll(".event-row").length === 0);
  const fates = await rows.locator(".fate").allTextContents();
  assert.equal(fates.length, await rows.count());
  assert.ok(fates.every((fate) => /^ignored: \w/.test(fate)));
  await inspector.shot("ignored");
});

test("lines that are not known, not readable or cut off are marked", async () => {
  const known = fixture("claude/recordings/hello.jsonl").trimEnd().split("\n");
  const recorded = (line) => JSON.stringify({ t: 5000, dir: "out", line });
  const odd = [
    ...known.slice(0, 3),
    recorded('{"type":"of_tomorrow","x":1}'),
    recorded('{"type":"assist'),
    ...known.slice(3),
  ];
  await drop(page, [{ name: "odd.jsonl", text: odd.join("\n") }]);
  await page.getByRole("button", { name: "1 unknown" }).click();
  assert.match(
    await page.locator('.line-row[data-fate="unknown"]').textContent(),
    /of_tomorrow.*unknown to this version/,
  );
  await page.getByRole("button", { name: "1 unknown" }).click();
  await page.getByRole("button", { name: "1 unreadable" }).click();
  assert.match(await page.locator('.line-row[data-fate="unparsed"]').textContent(), /could not be read/);
  await inspector.shot("unreadable");
});

test("types and texts are sieved", async () => {
  await demo("claude-plan");
  await page.getByLabel("Which events to show").selectOption("question.resolved");
  await page.waitForFunction(() => document.querySelectorAll(".fixed-row").length === 1);
  await page.getByLabel("Which events to show").selectOption("");
  await page.getByRole("searchbox").fill("RangeError");
  await page.getByText("0 found").waitFor();
  await page.getByText("No line or event fits").waitFor();
  await page.getByRole("searchbox").fill("guard DIV");
  await page.getByText(/^[1-9]\d* found$/).waitFor();
  await page.getByLabel("What to show").selectOption("events");
  await page.waitForFunction(() => document.querySelectorAll(".line-row").length === 0);
  await inspector.shot("search");
});

test("a link leads to its event", async () => {
  await demo("claude-plan");
  await lines().getByText("item.completed").nth(2).click();
  const { href } = new URL(page.url());
  assert.equal(await page.title(), "Plan how to guard div against zero. · Interlinear");
  assert.match(href, /#\/demo\/claude-plan\?session=\w+&event=\d+$/);
  const wanted = await page.locator('.fixed-row[aria-selected="true"]').textContent();
  await page.goto("about:blank");
  await page.goto(href);
  await page.locator('.fixed-row[aria-selected="true"]').waitFor();
  assert.equal(await page.locator('.fixed-row[aria-selected="true"]').textContent(), wanted);
  assert.equal(await page.locator(".il-row[data-selected]").count(), 1);
  await page.getByRole("button", { name: "Copy link" }).first().click();
  assert.match(await page.evaluate(() => navigator.clipboard.readText()), /#\/demo\/claude-plan\?session=/);
});

const dropped = {
  claude: ["claude/recordings/multi_turn.jsonl"],
  codex: ["codex/recordings/file-edit.jsonl"],
  opencode: ["opencode/recordings/todo.jsonl"],
  amp: ["amp/recordings/edit-file.jsonl"],
  pi: ["pi/stored/compaction-manual/compaction-manual.jsonl"],
};

for (const [agent, [name]] of Object.entries(dropped)) {
  test(`a dropped file of ${agent} is told and drawn, and goes nowhere`, async () => {
    const text = fixture(name);
    const before = inspector.requests.length;
    await drop(page, [{ name: name.split("/").at(-1), text }]);
    await page.locator(".il-row").first().waitFor();
    await page.locator(`.session-head .mark[data-agent="${agent}"]`).waitFor();
    const events = convert(text).length;
    await page.getByText(new RegExp(`\\b${events} events`)).waitFor();
    assert.deepEqual(askedSince(before), []);
    await inspector.shot(`dropped-${agent}`);
  });
}

test("a stored session with the files of its subagents is one session", async () => {
  const folder = join(root, "tests", "fixtures", "claude", "stored", "subagent");
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ name: path.slice(folder.length + 1), text: readFileSync(path, "utf8") }));
  assert.ok(files.length > 1);
  const opened = page.getByRole("navigation").locator('a[href^="#/file/"]');
  const before = await opened.count();
  await drop(page, files);
  await page.locator(".il-row[data-depth]").first().waitFor();
  assert.equal(await opened.count(), before + 1);
  await inspector.shot("subagent-files");
});

test("pasted lines are drawn", async () => {
  await page.getByRole("button", { name: "Paste lines" }).click();
  await inspector.shot("paste");
  await page.getByRole("textbox", { name: "Lines" }).fill(fixture("claude/recordings/hello.jsonl"));
  await page.getByRole("button", { name: "Show" }).click();
  await page.locator(".il-transcript").getByText("Hello! I am ready to help").waitFor();
});

test("lines are pasted anywhere on the page", async () => {
  await page.evaluate((text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text", text);
    const event = new ClipboardEvent("paste", { clipboardData, bubbles: true });
    document.querySelector("main h1").dispatchEvent(event);
  }, fixture("codex/recordings/hello.jsonl"));
  await page.locator('.session-head .mark[data-agent="codex"]').waitFor();
});

test("what cannot be told apart is asked about, and read as what one says", async () => {
  await page.getByRole("button", { name: "Paste lines" }).click();
  await page.getByRole("textbox", { name: "Lines" }).fill('{"nothing":"known"}\n');
  await page.getByRole("button", { name: "Show" }).click();
  await page.getByRole("heading", { name: "Whose session is pasted lines?" }).waitFor();
  await inspector.shot("whose");
  await page.getByRole("main").getByRole("button", { name: "Codex" }).click();
  await page.getByRole("button", { name: "1 unknown" }).waitFor();
});

/** What is no session, and what is said of it. */
const noSessions = {
  "empty.jsonl": ["", "There is nothing in it."],
  "image.png": ["\u0089PNG\r\n\u001a\n\u0000", "It is no text. Sessions are JSON, or lines of JSON."],
  "opencode.db": ["SQLite format 3\u0000\u0010", "It is a database. OpenCode keeps its sessions in one."],
};

for (const [name, [text, why]] of Object.entries(noSessions)) {
  test(`what is no session says why: ${name}`, async () => {
    await drop(page, [{ name, text }]);
    await page
      .getByRole("alert")
      .getByRole("heading", { name: `${name} cannot be read` })
      .waitFor();
    await page.getByText(why).waitFor();
  });
}

test("a link into a file that is no longer open says so", async () => {
  await page.goto(`${inspector.origin}/#/file/99?event=12`);
  await page.getByRole("heading", { name: "This file is no longer open" }).waitFor();
  await page.getByText("leads to event 12").waitFor();
  await inspector.shot("closed-file");
});

test("a session is saved as Markdown, HTML and events", async () => {
  await demo("claude-plan");
  const saved = {};
  for (const name of ["Markdown", "HTML", "Events"]) {
    await page.getByRole("button", { name: "Export", exact: true }).click();
    if (name === "Markdown") await inspector.shot("export");
    const download = page.waitForEvent("download");
    await page.getByRole("menuitem", { name }).click();
    const file = await download;
    saved[name] = { name: file.suggestedFilename(), text: readFileSync(await file.path(), "utf8") };
  }
  assert.equal(saved.Markdown.name, "plan-how-to-guard-div-against-zero.md");
  assert.match(saved.Markdown.text, /^# Plan how to guard div against zero\./);
  assert.match(saved.HTML.text, /^<!doctype html>[\s\S]*\.il-transcript/);
  const events = saved.Events.text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.deepEqual(events, convert([{ name: "", bytes: fixture("claude/recordings/plan_approved.jsonl") }]));
});

test("events that were saved are opened again", async () => {
  const events = convert(fixture("claude/recordings/plan_approved.jsonl"), { includeRaw: true });
  const text = events.map((event) => `${JSON.stringify(event)}\n`).join("");
  await drop(page, [{ name: "saved.jsonl", text }]);
  await page.locator(".il-transcript").getByText("The plan is carried out.").waitFor();
  await page.getByText(new RegExp(`\\b${events.length} events`)).waitFor();
  await page.locator(".line-row", { hasText: "system/init" }).waitFor();
});

test("what is damaged costs its place and not the page", async () => {
  const [first, ...rest] = convert(fixture("claude/recordings/hello.jsonl"));
  const file = (...events) => events.map((event) => JSON.stringify(event)).join("\n");
  const broken = rest.map((event) => ({ ...event, data: { ...event.data, item: { kind: "message", content: 7 } } }));
  const damaged = {
    "lines.jsonl": file(first, { event_id: "evt" }),
    "items.jsonl": file(first, ...broken),
  };
  for (const [name, text] of Object.entries(damaged)) {
    await drop(page, [{ name, text }]);
    await page.getByRole("alert").waitFor();
    await home();
    await page.getByRole("heading", { name: "What did the agent really do?" }).waitFor();
  }
  inspector.complaints.length = 0;
});

test("it is used with the keyboard alone", async () => {
  await demo("claude-plan");
  await lines().focus();
  for (const key of ["ArrowDown", "ArrowDown", "End", "Home", "PageDown", "ArrowUp"]) await page.keyboard.press(key);
  const chosen = page.locator('.fixed-row[aria-selected="true"]');
  assert.equal(await chosen.count(), 1);
  assert.equal(await lines().getAttribute("aria-activedescendant"), await chosen.getAttribute("id"));
  assert.equal(await page.locator(".detail").count(), 1);
  await page.keyboard.press("Escape");
  assert.equal(await page.locator(".detail").count(), 0);
  await page.getByRole("button", { name: "Export", exact: true }).focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("ArrowDown");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "HTML, one file.html");
  await page.keyboard.press("Escape");
  assert.equal(await page.getByRole("menu").count(), 0);
  await page.getByRole("radio", { name: "Transcript" }).focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.getByRole("radio", { name: "Lines" }).isChecked(), true);
  await page.keyboard.press("ArrowLeft");
});

test("axe has nothing to say: first page, session, chosen event, paste, failure; light and dark", async () => {
  await page.evaluate(axe.source);
  const found = [];
  const look = async (what) => {
    const { violations } = await page.evaluate(() => globalThis.axe.run());
    found.push(
      ...violations.map(({ id, nodes }) => `${what}: ${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(" ")}`),
    );
  };
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    await page.evaluate(() => {
      location.hash = "#/";
    });
    await page.getByRole("heading", { name: "What did the agent really do?" }).waitFor();
    await look(`${colorScheme} home`);
    await page.evaluate(() => {
      location.hash = "#/demo/codex-everything";
    });
    await page.locator(".event-row").nth(5).click();
    await page.locator(".detail").waitFor();
    await look(`${colorScheme} session`);
    await inspector.shot(`session-${colorScheme}`);
    await page.getByRole("button", { name: "Paste", exact: true }).click();
    await look(`${colorScheme} paste`);
    await page.keyboard.press("Escape");
  }
  await page.emulateMedia({ colorScheme: null });
  assert.deepEqual(found, []);
});

test("a narrow screen has one thing at a time", async () => {
  await page.setViewportSize({ width: 420, height: 860 });
  try {
    await page.reload();
    await inspector.shot("narrow-home");
    await page.getByRole("button", { name: "Sessions" }).click();
    await page.getByRole("navigation").getByText("A bit of everything").click();
    await page.locator(".il-row").first().waitFor();
    assert.equal(await page.getByRole("button", { name: "Sessions" }).getAttribute("aria-expanded"), "false");
    for (const pane of ["Transcript", "Both", "Lines"]) {
      await page.getByText(pane, { exact: true }).click();
      await page
        .locator(pane === "Lines" ? ".fixed-row" : ".il-row")
        .first()
        .waitFor();
      await inspector.shot(`narrow-${pane.toLowerCase()}`);
      // What stands further right than the screen is wide would be cut off.
      const wide = await page.evaluate(() =>
        [...document.querySelectorAll("main, .session-head, .il-row, .fixed-list, .sieve")]
          .map((element) => element.getBoundingClientRect().right)
          .reduce((most, right) => Math.max(most, right), document.documentElement.scrollWidth),
      );
      assert.ok(wide <= 420, `${pane}: the page is ${wide} wide`);
    }
    await page.getByText("Both", { exact: true }).click();
  } finally {
    await page.setViewportSize({ width: 1440, height: 900 });
  }
});

test("hostile transcripts run nothing and ask nobody", async () => {
  const before = inspector.requests.length;
  for (const attack of attacks.filter((_, index) => index % 4 === 0)) {
    const recording = hostileLines(attack);
    await drop(page, [{ name: `${attack.slice(0, 40).replaceAll("/", "")}.jsonl`, text: recording }]);
    await page.locator(".il-row").first().waitFor();
    await page.locator(".fixed-row").last().click();
    await page.locator(".detail").waitFor();
  }
  assert.equal(await page.evaluate(() => globalThis.pwned), undefined);
  assert.deepEqual(askedSince(before), []);
});

/** A Claude Code session whose every text is the attack. */
function hostileLines(attack) {
  const message = (role, content) => ({ type: role, message: { id: "m", role, content }, session_id: attack });
  return [
    { type: "system", subtype: "init", session_id: attack, cwd: attack, model: attack, tools: [attack] },
    message("user", [{ type: "text", text: attack }]),
    message("assistant", [
      { type: "text", text: attack },
      { type: "tool_use", id: "t", name: attack, input: { command: attack, file_path: attack } },
    ]),
    message("user", [{ type: "tool_result", tool_use_id: "t", content: attack, is_error: true }]),
    { type: attack, [attack]: attack },
    { type: "result", subtype: "error", is_error: true, result: attack, session_id: attack },
  ]
    .map((line) => JSON.stringify(line))
    .join("\n");
}

test("nothing was complained about", () => {
  assert.deepEqual(inspector.complaints, []);
});

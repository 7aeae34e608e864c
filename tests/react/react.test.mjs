import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import axe from "axe-core";
import { read, root, transcripts } from "../fixtures.mjs";
import { attacks, heavy, hostileSession } from "./attacks.mjs";
import { openPage } from "./page.mjs";
import { longSession, session } from "./story.mjs";

let opened;
let page;

before(async () => {
  opened = await openPage();
  page = opened.page;
});

after(() => opened?.close());

const show = (events, options) => page.evaluate(([given, more]) => globalThis.show(given, more), [events, options]);
const settled = () => page.waitForFunction(() => globalThis.page?.status !== "reading");
const feed = () => page.locator(".il-feed");
const frames = (count = 3) =>
  page.evaluate(async (many) => {
    for (let index = 0; index < many; index += 1) await new Promise(requestAnimationFrame);
  }, count);

/** Shows a fixture, converted in the page. */
async function showFixture(name) {
  const text = readFileSync(join(root, "tests", "fixtures", name), "utf8");
  await page.evaluate(
    ([bytes, file]) => globalThis.show(globalThis.convert([{ name: file, bytes }]), { answering: true }),
    [text, name],
  );
  await frames();
}

test("messages, a diff and the usage of a turn are drawn", async () => {
  await showFixture("claude/recordings/edit_file.jsonl");
  await feed().getByText("div now throws on zero.").waitFor();
  assert.equal(await page.locator('.il-line[data-kind="added"]').count(), 1);
  assert.match(await page.locator(".il-turn").textContent(), /36 tokens in · 10\.4k cached · 96 out · \$0\.0078/);
});

test("a command is drawn with what it printed and its exit code", async () => {
  await showFixture("claude/recordings/bash_fail.jsonl");
  const command = page.locator('.il-tool[data-kind="command"]').first();
  assert.match(await command.textContent(), /exit \d+/);
  assert.equal(await command.getAttribute("data-state"), "failed");
});

test("a subagent's items stand below its call, and its answer after them", async () => {
  await showFixture("claude/recordings/subagent.jsonl");
  const rows = await page
    .locator(".il-row")
    .evaluateAll((all) => all.map(({ dataset }) => `${dataset.type}${dataset.depth ?? 0}`));
  const call = rows.indexOf("entry1") - 1;
  assert.ok(call >= 0);
  assert.deepEqual(rows.slice(call, rows.indexOf("result0") + 1), ["entry0", "entry1", "entry1", "result0"]);
});

test("images, todos, reasoning, questions, errors and terminations are drawn", async () => {
  const cases = {
    "opencode/recordings/image-attachment.jsonl": ".il-image",
    "claude/recordings/todo_write.jsonl": ".il-todos li[data-status]",
    "claude/recordings/thinking.jsonl": ".il-reasoning",
    "claude/recordings/question_multi.jsonl": 'dl.il-request[data-status="answered"]',
    "claude/recordings/permission_reject.jsonl": 'p.il-request[data-status="reject"]',
    "codex/recordings/error-401.jsonl": ".il-error",
    "claude/recordings/kill9_mid_tool.jsonl": '.il-end[data-reason="error"]',
    "claude/recordings/compact_manual.jsonl": '.il-status [data-label="compaction"]',
    "claude/recordings/interrupt_text.jsonl": '.il-turn[data-status="interrupted"]',
    "pi/recordings/todo-list.jsonl": ".il-tool",
    "amp/recordings/subagent-task.jsonl": '.il-tool[data-kind="task"]',
  };
  for (const [name, selector] of Object.entries(cases)) {
    await showFixture(name);
    assert.ok((await page.locator(selector).count()) > 0, `${name}: no ${selector}`);
  }
});

test("every kind of fixture is drawn without a complaint", async () => {
  const all = transcripts();
  for (let index = 0; index < all.length; index += 16) {
    const files = read(all[index]).map(({ name, bytes }) => ({ name, bytes: bytes.toString("latin1") }));
    await page.evaluate((list) => {
      const bytes = (text) => Uint8Array.from(text, (character) => character.charCodeAt(0));
      globalThis.show(globalThis.convert(list.map((file) => ({ name: file.name, bytes: bytes(file.bytes) }))));
    }, files);
    await frames(1);
  }
  assert.deepEqual(opened.complaints, []);
});

test("a live stream does not draw again what is done", async () => {
  const { start, say, begin, grow, command } = session();
  const done = [
    ...start(),
    ...say("one", "user", "Hello"),
    ...say("two", "assistant", "Hi"),
    ...command("three", "ls", "a\nb"),
  ];
  await page.evaluate((events) => {
    globalThis.stream = globalThis.channel();
    globalThis.show(globalThis.stream, { parts: globalThis.counted });
    globalThis.stream.push(...events);
  }, done);
  await feed().getByText("Hi", { exact: true }).waitFor();
  const before = await page.evaluate(() => ({ ...globalThis.draws }));
  await page.evaluate((events) => globalThis.stream.push(...events), begin("four"));
  for (let index = 0; index < 40; index += 1) {
    await page.evaluate((event) => globalThis.stream.push(event), grow("four", `word ${index} `));
    await frames(1);
  }
  await feed().getByText("word 39").waitFor();
  const { "item:four": growing, ...others } = await page.evaluate(() => ({ ...globalThis.draws }));
  assert.deepEqual(others, before);
  assert.ok(growing > 5, `the growing message was drawn ${growing} times`);
});

test("events that come at once are drawn at once", async () => {
  const { start, begin, grow } = session();
  const events = [...start(), ...begin("m"), ...Array.from({ length: 500 }, (_, index) => grow("m", `${index} `))];
  await page.evaluate((all) => {
    globalThis.stream = globalThis.channel();
    globalThis.show(globalThis.stream, { parts: globalThis.counted });
    globalThis.stream.push(...all);
  }, events);
  await feed().getByText("499").waitFor();
  assert.ok((await page.evaluate(() => globalThis.draws["item:m"])) < 20);
});

test("of 100,000 events only what can be seen is in the page, and scrolling finds it drawn", async () => {
  await page.evaluate(() => globalThis.show(globalThis.longSession(100_000)));
  await frames();
  assert.ok((await page.locator(".il-row").count()) < 60);
  const { blank, slowest } = await page.evaluate(async () => {
    const box = document.querySelector(".il-transcript");
    const result = { blank: 0, slowest: 0 };
    let last = performance.now();
    for (let step = 0; step < 120; step += 1) {
      box.scrollTop += step < 60 ? 180 : (box.scrollHeight - box.scrollTop) / 50;
      await new Promise(requestAnimationFrame);
      const now = performance.now();
      result.slowest = Math.max(result.slowest, now - last);
      last = now;
      const { top, height, left, width } = box.getBoundingClientRect();
      if (step < 60 && !document.elementFromPoint(left + width / 2, top + height / 2)?.closest(".il-row"))
        result.blank += 1;
    }
    return result;
  });
  assert.equal(blank, 0);
  assert.ok(slowest < 500, `a frame took ${slowest} ms`);
  assert.ok((await page.locator(".il-row").count()) < 60);
});

test("an event in the middle of a long session is found", async () => {
  const { sequence } = longSession(20_000).find(({ data }) => data.item?.item_id === "m3333");
  await page.evaluate(() => globalThis.show(globalThis.longSession(20_000)));
  await frames();
  await page.evaluate((number) => globalThis.page.handle.current.scrollToEvent(number), sequence);
  await frames(12);
  const row = await page.locator('[data-key="item:m3333"]').boundingBox();
  assert.ok(row.y > 0 && row.y + row.height < 700, JSON.stringify(row));
});

test("the end is followed, and left alone once the reader scrolled up", async () => {
  const { start, say } = session();
  await page.evaluate((events) => {
    globalThis.stream = globalThis.channel();
    globalThis.show(globalThis.stream);
    globalThis.stream.push(...events);
  }, start());
  const push = async (from, to) => {
    for (let index = from; index < to; index += 1) {
      await page.evaluate(
        (events) => globalThis.stream.push(...events),
        say(`m${index}`, "assistant", `Message ${index}`),
      );
    }
    await frames(6);
  };
  const distance = () =>
    page.evaluate(() => {
      const box = document.querySelector(".il-transcript");
      return box.scrollHeight - box.clientHeight - box.scrollTop;
    });
  await push(0, 60);
  await feed().getByText("Message 59").waitFor();
  assert.ok((await distance()) < 2);
  await page.mouse.move(400, 300);
  await page.mouse.wheel(0, -800);
  await frames(10);
  const top = await page.evaluate(() => document.querySelector(".il-transcript").scrollTop);
  await push(60, 80);
  assert.equal(await page.evaluate(() => document.querySelector(".il-transcript").scrollTop), top);
});

test("the end stays in view when the place for it becomes smaller, and a larger one is filled", async () => {
  const { start, say } = session();
  const begun = start();
  const many = Array.from({ length: 200 }, (_, index) => say(`m${index}`, "assistant", `Message ${index}`)).flat();
  await show([...begun, ...many]);
  await frames(6);
  const resized = async (height) => {
    await page.locator(".il-transcript").evaluate((one, pixels) => {
      one.style.height = pixels;
    }, height);
    await frames(6);
  };
  const lastSeen = () =>
    page.locator(".il-transcript").evaluate((frame) => {
      const { bottom } = frame.getBoundingClientRect();
      const rows = Array.from(frame.querySelectorAll(".il-row"));
      return {
        gap: frame.scrollHeight - frame.clientHeight - frame.scrollTop,
        below: rows.at(-1).getBoundingClientRect().bottom - bottom,
      };
    });
  await resized("300px");
  assert.ok((await lastSeen()).gap < 2, "the end was left");
  await page.locator(".il-transcript").evaluate((one) => one.scrollTo(0, 0));
  await frames(6);
  await page.setViewportSize({ width: 900, height: 1600 });
  await resized("1500px");
  assert.ok((await lastSeen()).below > 0, "rows are missing below");
  await page.setViewportSize({ width: 900, height: 700 });
});

test("another session in the same place begins at its own end, with nothing opened", async () => {
  const one = (id, title) => {
    const { start, say, command } = session(id);
    const begun = start();
    const ran = Array.from({ length: 60 }, (_, index) => command(`c${index}`, title, "line\n".repeat(30))).flat();
    return [...begun, ...ran, ...say("last", "assistant", `The end of ${id}`)];
  };
  await page.evaluate((events) => globalThis.showInPlace(events), one("first", "a"));
  await feed().getByText("The end of first").waitFor();
  const transcript = page.locator(".il-transcript");
  await transcript.evaluate((frame) => frame.scrollTo(0, 0));
  await frames(6);
  await page.getByRole("button", { name: "Show all 30 lines" }).first().click();
  await transcript.evaluate((frame) => frame.scrollTo(0, 2000));
  await frames(6);
  await page.evaluate((events) => globalThis.showInPlace(events), one("second", "b"));
  await feed().getByText("The end of second").waitFor({ timeout: 3000 });
  await transcript.evaluate((frame) => frame.scrollTo(0, 0));
  await frames(6);
  assert.equal(await page.getByRole("button", { name: "Show less" }).count(), 0);
});

test("every source gives the same transcript", async () => {
  const { start, say, end } = session();
  const events = [...start(), ...say("m", "assistant", "The same"), ...end()];
  const ways = {
    array: (given) => globalThis.show(given),
    "an iterable, under strict mode": (given) => {
      const stream = globalThis.channel();
      stream.push(...given);
      stream.end();
      globalThis.show(stream, { strict: true });
    },
    "a generator of batches, which can be read once": (given) => {
      async function* generate() {
        yield given.slice(0, 2);
        yield given.slice(2);
      }
      globalThis.show(generate(), { strict: true });
    },
    "a function": (given) =>
      globalThis.show(async function* open() {
        yield* given;
      }),
    "a port": (given) => {
      const { port1, port2 } = new MessageChannel();
      globalThis.show(port1);
      port2.postMessage(given);
    },
  };
  for (const [name, way] of Object.entries(ways)) {
    await page.evaluate(way, events);
    await feed().getByText("The same").waitFor({ timeout: 5000 });
    await page.waitForFunction(() => globalThis.page.transcript.session.status === "ended");
    assert.equal(await page.evaluate(() => globalThis.page.transcript.sequence), events.length, name);
  }
});

test("a file is converted in a Worker, with progress", async () => {
  const text = readFileSync(join(root, "tests/fixtures/codex/recordings/stored-rich.jsonl"), "utf8");
  await page.evaluate((bytes) => globalThis.show(new File([bytes], "a.jsonl")), text);
  await feed().getByText("All done.").waitFor();
  await settled();
  const { status, progress } = await page.evaluate(() => globalThis.page);
  assert.equal(status, "done");
  assert.equal(progress.read, progress.total);
});

test("a source that fails says why, and what came before stays", async () => {
  const { start, say } = session();
  await page.evaluate(
    (given) => {
      globalThis.show(async function* open() {
        yield* given;
        throw new Error("the line went dead");
      });
    },
    [...start(), ...say("m", "assistant", "Before")],
  );
  await page.waitForFunction(() => globalThis.page.status === "failed");
  assert.equal(await page.evaluate(() => globalThis.page.error), "the line went dead");
  await feed().getByText("Before").waitFor();
});

test("a source may be made where it is used, if it is said what it depends on; if not, that is complained about", async () => {
  const { start, say } = session();
  const events = (text) => [...start(), ...say("m", "assistant", text)];
  const hasty = (text, dependencies) =>
    page.evaluate(([given, needs]) => globalThis.showHasty(given, needs), [events(text), dependencies]);
  for (const text of ["One", "Two"]) {
    await hasty(text, [text]);
    await feed().getByText(text).waitFor();
  }
  await hasty("Two", ["Two"]);
  assert.deepEqual(opened.complaints, []);
  await hasty("Three");
  const isIt = (text) => text.includes("this source is another one each time");
  for (let waited = 0; waited < 5000 && !opened.complaints.some(isIt); waited += 50) await page.waitForTimeout(50);
  assert.ok(opened.complaints.length > 0 && opened.complaints.every(isIt), opened.complaints.join());
  await show([]);
  opened.complaints.length = 0;
});

test("permissions and questions are answered by their buttons", async () => {
  const { start, event } = session();
  await show(
    [
      ...start(),
      event("permission.requested", { permission_id: "p", action: "Bash", title: "rm -rf build", status: "requested" }),
      event("question.requested", {
        question_id: "q",
        prompt: "Which?",
        options: ["A", "B"],
        status: "requested",
        questions: [
          { text: "Which?", options: [{ label: "A" }, { label: "B", description: "the second" }], multi_select: true },
          { text: "And why?", options: [], free_text: true },
        ],
      }),
    ],
    { answering: true },
  );
  await page.getByRole("button", { name: "Allow for this session" }).click();
  assert.equal(await page.getByRole("button", { name: "Answer" }).isDisabled(), true);
  await page.getByLabel("B").check();
  await page.getByLabel("A", { exact: true }).check();
  await page.getByPlaceholder("Your own answer").fill("Because");
  await page.getByRole("button", { name: "Answer" }).click();
  assert.deepEqual(await page.evaluate(() => globalThis.answers), [
    ["permission", "p", "accept_for_session"],
    ["question", "q", [["B", "A"], ["Because"]]],
  ]);
});

test("where one answer is asked for, an own one takes the place of what was chosen, and the other way round", async () => {
  const { start, event } = session();
  const options = [{ label: "Red" }, { label: "Blue" }];
  const question = { prompt: "Which?", options: ["Red", "Blue"], status: "requested" };
  await show(
    [
      ...start(),
      event("question.requested", {
        ...question,
        question_id: "colour",
        questions: [
          { text: "Walls?", options, free_text: true },
          { text: "Doors?", options, free_text: true },
          { text: "Both?", options, free_text: true, multi_select: true },
        ],
      }),
    ],
    { answering: true },
  );
  const at = (index) => page.locator("fieldset").nth(index);
  for (const index of [0, 2]) {
    await at(index).getByLabel("Red").check();
    await at(index).getByPlaceholder("Your own answer").fill("Green");
  }
  assert.equal(await at(0).getByLabel("Red").isChecked(), false);
  await at(1).getByPlaceholder("Your own answer").fill("Green");
  await at(1).getByLabel("Blue").check();
  assert.equal(await at(1).getByPlaceholder("Your own answer").inputValue(), "");
  await page.getByRole("button", { name: "Answer" }).click();
  assert.deepEqual((await page.evaluate(() => globalThis.answers)).at(-1), [
    "question",
    "colour",
    [["Green"], ["Blue"], ["Red", "Green"]],
  ]);
});

test("an answer that is not sent yet is still there when its question was scrolled away", async () => {
  const { start, say, event } = session();
  const questions = [{ text: "Walls?", options: [{ label: "Red" }], free_text: true, multi_select: true }];
  await show(
    [
      ...start(),
      ...Array.from({ length: 100 }, (_, index) => say(`m${index}`, "assistant", `Message ${index}`)).flat(),
      event("question.requested", { question_id: "q", prompt: "", options: [], status: "requested", questions }),
    ],
    { answering: true },
  );
  await page.getByLabel("Red").check();
  await page.getByPlaceholder("Your own answer").fill("Green");
  await page.evaluate(() => globalThis.page.handle.current.scrollToEvent(3));
  await page.getByLabel("Red").waitFor({ state: "detached" });
  await page.evaluate(() => globalThis.page.handle.current.scrollToEnd());
  assert.equal(await page.getByLabel("Red").isChecked(), true);
  assert.equal(await page.getByPlaceholder("Your own answer").inputValue(), "Green");
});

test("without a way to answer there are no buttons", async () => {
  const { start, event } = session();
  await show([...start(), event("permission.requested", { permission_id: "p", action: "Bash", status: "requested" })]);
  await feed().getByText("Waiting for permission").waitFor();
  assert.equal(await page.getByRole("button").count(), 0);
});

test("Page Down and Page Up go from row to row", async () => {
  const { start, say } = session();
  await show([
    ...start(),
    ...Array.from({ length: 50 }, (_, index) => say(`m${index}`, "assistant", `Message ${index}`)).flat(),
  ]);
  await page.evaluate(() => globalThis.page.handle.current.scrollToEvent(3));
  await frames(6);
  await page.locator('[data-key="item:m0"]').focus();
  for (let index = 0; index < 30; index += 1) {
    await page.keyboard.press("PageDown");
    await frames(2);
  }
  assert.equal(await page.evaluate(() => document.activeElement.dataset.key), "item:m30");
  await page.keyboard.press("PageUp");
  await frames(2);
  assert.equal(await page.evaluate(() => document.activeElement.dataset.key), "item:m29");
});

test("requests and the end of a turn are told to a screen reader", async () => {
  const { start, event, end } = session();
  await page.evaluate((events) => {
    globalThis.stream = globalThis.channel();
    globalThis.show(globalThis.stream);
    globalThis.stream.push(...events);
  }, start());
  await frames(4);
  const push = (...events) => page.evaluate((all) => globalThis.stream.push(...all), events);
  const said = (text) => page.getByRole("status").filter({ hasText: text }).waitFor({ state: "attached" });
  await push(event("permission.requested", { permission_id: "p", action: "Bash", title: "ls", status: "requested" }));
  await said("Waiting for permission: ls");
  await push(...end().slice(0, 1));
  await said("The agent is done");
});

test("hostile transcripts run nothing, load nothing and leave nothing to click that does", async () => {
  const requests = [];
  page.on("request", (request) => requests.push(request.url()));
  page.on("dialog", (dialog) => requests.push(`dialog ${dialog.message()}`));
  const findings = [];
  for (const attack of attacks) {
    await show(hostileSession(attack), { answering: true });
    await frames(1);
    // What is folded away is opened, what is beyond the end is scrolled to.
    const found = await page.evaluate(async () => {
      const ALLOWED =
        /^(div|article|section|p|pre|code|span|button|a|img|figure|figcaption|ul|ol|li|dl|dt|dd|form|fieldset|legend|input|label|h[3-6]|table|thead|tbody|tr|th|td|em|strong|del|blockquote|br|hr)$/;
      const bad = [];
      for (let round = 0; round < 3; round += 1) {
        for (const button of document.querySelectorAll(".il-transcript [aria-expanded=false]")) button.click();
        await new Promise(requestAnimationFrame);
        for (const element of document.querySelectorAll("#root *")) {
          if (!ALLOWED.test(element.localName)) bad.push(`<${element.localName}>`);
          for (const { name, value } of element.attributes) {
            if (/^on|^srcdoc$|^action$|^formaction$|^data$/i.test(name)) bad.push(`${name}=${value}`);
            if (name === "href" && !/^(https?|mailto):/.test(value)) bad.push(`href=${value}`);
            if (name === "src" && !/^data:image\/(png|jpeg|gif|webp);base64,/.test(value)) bad.push(`src=${value}`);
          }
        }
        document.querySelector(".il-transcript").scrollBy(0, 600);
        await new Promise(requestAnimationFrame);
      }
      if (globalThis.pwned) bad.push("it ran");
      return bad;
    });
    findings.push(...found.map((finding) => `${attack}: ${finding}`));
  }
  assert.deepEqual(findings, []);
  assert.deepEqual(
    requests.filter((url) => !url.startsWith("data:image/png")),
    [],
  );
});

test("texts that try the parser are drawn all the same", async () => {
  for (const text of heavy) {
    const { start, say } = session();
    const began = performance.now();
    await show([...start(), ...say("m", "assistant", text)]);
    await frames(2);
    const took = performance.now() - began;
    assert.ok(took < 5000, `${text.slice(0, 10)}… took ${Math.round(took)} ms`);
    assert.ok((await page.locator(".il-row").count()) > 0);
  }
});

test("what is written from right to left begins at the right, with its lists; code does not", async () => {
  const { start, say } = session();
  await show([...start(), ...say("m", "assistant", "שלום `a/b`.\n\n- אחד\n\n  ```\n  code\n  ```\n\nLeft")]);
  const directions = await page
    .locator(".il-markdown :is(p, li, pre)")
    .evaluateAll((all) => all.map((one) => `${one.localName} ${getComputedStyle(one).direction}`));
  assert.deepEqual(directions, ["p rtl", "li rtl", "p rtl", "pre ltr", "p ltr"]);
});

test("words in a table stay whole: a table that is too wide scrolls", async () => {
  const { start, say } = session();
  const columns = Array.from({ length: 14 }, () => "ordinary");
  const row = (cells) => `|${cells.join("|")}|\n`;
  const table = row(columns) + row(columns.map(() => "-")) + row([...columns.slice(1), "many words ".repeat(40)]);
  await show([...start(), ...say("m", "assistant", table)]);
  const heights = await page
    .locator(".il-markdown th")
    .evaluateAll((all) => all.map((cell) => cell.getBoundingClientRect().height));
  assert.ok(Math.max(...heights) < 40, `a line each: ${heights}`);
  assert.ok(await page.locator(".il-table").evaluate((frame) => frame.scrollWidth > frame.clientWidth));
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
});

test("the same with React 18", async () => {
  const folder = fileURLToPath(new URL("react-18/node_modules/", import.meta.url));
  const older = await openPage({ react: `${folder}react`, "react-dom": `${folder}react-dom` });
  try {
    const { start, say, command, end } = session();
    const events = [...start(), ...say("m", "assistant", "Of **old**"), ...command("c", "ls", "a"), ...end()];
    await older.page.evaluate((given) => {
      const stream = globalThis.channel();
      stream.push(...given);
      stream.end();
      globalThis.show(stream, { strict: true });
    }, events);
    await older.page.getByText("Of old").waitFor();
    await older.page.locator(".il-end").waitFor();
    assert.match(await older.page.evaluate(() => globalThis.react), /^18\./);
    assert.deepEqual(older.complaints, []);
  } finally {
    await older.close();
  }
});

test("axe has nothing to say, in light and in dark", async () => {
  await page.evaluate(axe.source);
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    for (const name of [
      "claude/recordings/edit_file.jsonl",
      "codex/recordings/stored-rich.jsonl",
      "claude/recordings/todo_write.jsonl",
    ]) {
      await showFixture(name);
      const { violations } = await page.evaluate(() => globalThis.axe.run("#root"));
      assert.deepEqual(
        violations.map(({ id, nodes }) => `${colorScheme} ${name}: ${id}: ${nodes.map(({ html }) => html).join(" ")}`),
        [],
      );
    }
  }
  await page.emulateMedia({ colorScheme: null });
});

test("nothing was complained about", () => {
  assert.deepEqual(opened.complaints, []);
});

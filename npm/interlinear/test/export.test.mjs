// What is exported must say what happened, whatever was said and however much of it there is.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fold } from "interlinear";
import { toHtml, toMarkdown } from "interlinear/export";
import { Lexer, walkTokens } from "marked";

/** A session of events, of which only type and data are given. */
function sessionOf(happenings) {
  const events = [["session.started", {}], ...happenings].map(([type, data], index) => ({
    event_id: `e${index + 1}`,
    sequence: index + 1,
    time: "2026-01-01T00:00:00.000Z",
    session_id: "s",
    source: "agent",
    synthetic: false,
    type,
    data,
    raw: null,
  }));
  return fold(undefined, events);
}

/** A session of whole items. */
const transcriptOf = (items) =>
  sessionOf(
    items.map((item, index) => ["item.completed", { item: { item_id: `i${index}`, status: "completed", ...item } }]),
  );

const message = (role, text) => ({ kind: "message", role, content: [{ type: "text", text }] });
const result = (content) => ({ kind: "tool_result", role: "tool", content });

const written = (role, text) => toMarkdown(transcriptOf([message(role, text), message("user", "Next")]));

test("what a text leaves open does not swallow what comes after it", () => {
  for (const text of [
    "Cut:\n\n```js\nconst x = 1",
    "~~~~\n```\n~~~",
    "- a\n  ```\n  x",
    "- ```js\n  x",
    "> ```\n> x",
    "1. a\n   ~~~\n   x\nand out of the list",
    "> ```\nout of the quote",
    "  ```\n  x",
    "<!-- note",
    "<script>",
    "a <pre> and <textarea",
    "<?php",
    "<![CDATA[ x",
    "<div>\nx",
  ]) {
    const tokens = new Lexer().lex(written("assistant", text));
    const headings = tokens.filter(({ type }) => type === "heading").map((token) => token.text);
    assert.deepEqual(headings.slice(1), ["Assistant", "User"], text);
    const all = [];
    walkTokens(tokens, ({ type }) => all.push(type));
    assert.ok(!all.includes("html"), text);
  }
});

test("what is closed, and code, is written as it was", () => {
  for (const text of [
    "```html\n<b>\n```\n\n`<Foo>` and ``<`> ``",
    "- a\n  ```\n  <b>\n  ```\n- b",
    "> ```\n> <b>\n> ```",
    "    <indented>\n\ntext",
    "1 < 2, a<=b, <- and <https://a.invalid> <a@b.invalid> \\<b>",
  ]) {
    assert.ok(written("assistant", text).includes(`## Assistant\n\n${text}\n\n## User`), written("assistant", text));
  }
});

test("HTML stays text in Markdown too, wherever it stands", () => {
  const markdown = written("user", "Why does <Foo a='b'> not \\\\<render/>? `a` <!-- b -->");
  assert.ok(markdown.startsWith("# Why does \\<Foo"), markdown);
  assert.ok(markdown.includes("\n\nWhy does \\<Foo a='b'> not \\\\\\<render/>? `a` \\<!-- b -->\n"), markdown);
});

test("a thought that begins with a block is written as one", () => {
  const thought = (text) => ({
    kind: "message",
    role: "assistant",
    content: [{ type: "reasoning", visibility: "public", text }],
  });
  assert.match(toMarkdown(transcriptOf([thought("- a\n- b")])), /> \*Thought:\*\n>\n> - a\n> - b\n/);
  assert.match(toMarkdown(transcriptOf([thought("**Looking**\n\nx")])), /> \*Thought:\* \*\*Looking\*\*\n>\n> x\n/);
});

test("texts that try the writer are written all the same", () => {
  for (const part of ["`", "\\", "<", "<a", "<a@", "<a:", "~", ">", "- ", "1. ", "```\n", "a\n", "\n", " ", "`a"]) {
    const began = performance.now();
    written("assistant", part.repeat(1_000_000));
    assert.ok(performance.now() - began < 5000, `${JSON.stringify(part)} took ${performance.now() - began} ms`);
  }
});

test("an output of any length is exported, whatever it is made of", () => {
  const output = "`a`\n".repeat(200_000);
  const transcript = transcriptOf([result([{ type: "tool_result", call_id: "c", output }])]);
  assert.ok(toMarkdown(transcript).includes(`\`\`\`\n${output}\`\`\``));
  assert.ok(toHtml(transcript, { style: "" }).includes(output.trimEnd()));
});

test("an output that is mostly space is exported as fast as another", () => {
  const output = `a${"\n".repeat(200_000)}b\n\n`;
  const began = performance.now();
  const written = toMarkdown(transcriptOf([result([{ type: "tool_result", call_id: "c", output }])]));
  assert.ok(performance.now() - began < 5000, `it took ${performance.now() - began} ms`);
  assert.ok(written.includes(`\`\`\`\n${output.trimEnd()}\n\`\`\``));
});

test("a title that is mostly space is exported as fast as another", () => {
  const title = `a${" ".repeat(200_000)}b \n\n \n c`;
  const began = performance.now();
  const permission = { permission_id: "p", action: "x", title, status: "requested" };
  const written = toMarkdown(sessionOf([["permission.requested", permission]]));
  assert.ok(performance.now() - began < 5000, `it took ${performance.now() - began} ms`);
  assert.match(written, /`a {200000}b c`/);
});

test("a change of any number of lines is exported", () => {
  const diff = `@@ -0,0 +1,200000 @@\n${"+x\n".repeat(200_000)}`;
  const html = toHtml(transcriptOf([result([{ type: "file_ref", path: "a", action: "patch", diff }])]), { style: "" });
  assert.equal(html.split('data-kind="added"').length - 1, 200_000);
});

test("a session of any number of rows is exported", () => {
  const many = Array.from({ length: 150_000 }, () => message("user", "x"));
  assert.equal(toHtml(transcriptOf(many), { style: "" }).split('data-role="user"').length - 1, 150_000);
});

test("every question of a request stands with its answer", () => {
  const asked = {
    question_id: "q",
    prompt: "Which?",
    options: ["a", "b"],
    questions: [
      { text: "Which?", options: [{ label: "a" }, { label: "b" }] },
      { text: "And which?", options: [{ label: "c" }, { label: "d" }], multi_select: true },
    ],
    status: "requested",
  };
  const open = sessionOf([["question.requested", asked]]);
  assert.match(toMarkdown(open), /\*\*Which\?\*\* \*Waiting for an answer\*\n\n\*\*And which\?\*\* \*Waiting/);
  const answers = [["a"], ["c", "d"]];
  const answered = sessionOf([
    ["question.requested", asked],
    ["question.resolved", { ...asked, status: "answered", response: "a", answers }],
  ]);
  assert.match(toMarkdown(answered), /\*\*Which\?\*\* a\n\n\*\*And which\?\*\* c, d\n/);
  const rejected = sessionOf([["question.resolved", { ...asked, status: "rejected", answers: [] }]]);
  assert.match(toMarkdown(rejected), /\*\*Which\?\*\* \*Dismissed\*\n\n\*\*And which\?\*\* \*Dismissed\*\n/);
  assert.equal(toHtml(rejected, { style: "" }).split("<dd>Dismissed</dd>").length - 1, 2);
});

test("JSON is written as JSON, whatever it is", () => {
  for (const json of [["a", 1], "text", 5, null, { a: { b: 1 } }]) {
    const fenced = `\`\`\`json\n${JSON.stringify(json, null, 2)}\n\`\`\`\n`;
    const unknown = toMarkdown(transcriptOf([{ kind: "unknown", content: [{ type: "json", json }] }]));
    assert.ok(unknown.includes(`*Not known to this version:*\n\n${fenced}`), unknown);
    const said = toMarkdown(transcriptOf([{ kind: "message", role: "user", content: [{ type: "json", json }] }]));
    assert.ok(said.includes(`## User\n\n${fenced}`), said);
  }
});

test("what a program printed and what a tool gave besides are written as they are", () => {
  const printed = {
    kind: "status",
    content: [
      { type: "status", label: "output" },
      { type: "text", text: "# a <b>" },
    ],
  };
  assert.match(toMarkdown(transcriptOf([printed])), /\*Output\*\n\n```\n# a <b>\n```\n/);
  assert.match(toHtml(transcriptOf([printed]), { style: "" }), /<pre># a &lt;b&gt;<\/pre>/);
  const more = result([
    { type: "tool_result", call_id: "c", output: "x" },
    { type: "json", json: { found: 1 } },
  ]);
  assert.match(toMarkdown(transcriptOf([more])), /```json\n\{\n {2}"type": "json",\n {2}"json": \{\n {4}"found": 1/);
});

test("how a session failed is written with what it printed, errors with their code", () => {
  const stderr = { head: "panic: <oh>", tail: "at line 7", truncated: true };
  const failed = sessionOf([
    ["error", { message: "overloaded", code: "529", will_retry: true }],
    ["session.ended", { reason: "error", terminated_by: "agent", exit_code: 1, message: "died", stderr }],
  ]);
  assert.match(toMarkdown(failed), /\*\*Error, trying again:\*\* `529` overloaded\n/);
  assert.match(toMarkdown(failed), /exit code 1: died\*\n\n```\npanic: <oh>\n…\nat line 7\n```\n$/);
  const html = toHtml(failed, { style: "" });
  assert.match(html, /Error, trying again<\/span><code>529<\/code>/);
  assert.match(html, /<pre>panic: &lt;oh&gt;\n…\nat line 7<\/pre>/);
});

test("what was taken back is marked as in a page", () => {
  const taken = sessionOf([
    ["item.completed", { item: { item_id: "a", status: "completed", ...message("assistant", "x") } }],
    [
      "item.completed",
      {
        item: {
          item_id: "b",
          kind: "status",
          status: "completed",
          content: [{ type: "status", label: "retracted", retracts: ["a"] }],
        },
      },
    ],
  ]);
  assert.match(toMarkdown(taken), /## Assistant \(taken back\)/);
  assert.match(toHtml(taken, { style: "" }), /data-retracted="true"><p class="il-note">Taken back: no longer part/);
});

test("what scrolls in an HTML export is reached by the keyboard, and boxes to tick are named", () => {
  const html = toHtml(
    transcriptOf([
      message("assistant", "```\ncode\n```\n\n|a|\n|-|\n|b|\n\n- [x] one\n- [ ] two"),
      result([{ type: "file_ref", path: "a", action: "patch", diff: "@@ -1 +1 @@\n-a\n+b\n" }]),
    ]),
    { style: "" },
  );
  assert.match(html, /<pre tabindex="0"><code>code/);
  assert.match(html, /<div class="il-table" tabindex="0"/);
  assert.match(html, /<div class="il-lines" tabindex="0">/);
  assert.match(html, /checked disabled aria-label="done">one/);
  assert.match(html, /disabled aria-label="to do">two/);
});

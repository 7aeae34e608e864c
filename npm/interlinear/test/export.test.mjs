// What is exported must say what happened, whatever was said and however much of it there is.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fold } from "interlinear";
import { toHtml, toMarkdown } from "interlinear/export";
import { Lexer, walkTokens } from "marked";

/** A session of whole items. */
function transcriptOf(items) {
  const event = (sequence, type, data) => ({
    event_id: `e${sequence}`,
    sequence,
    time: "2026-01-01T00:00:00.000Z",
    session_id: "s",
    source: "agent",
    synthetic: false,
    type,
    data,
    raw: null,
  });
  const completed = items.map((item, index) =>
    event(index + 2, "item.completed", { item: { item_id: `i${index}`, status: "completed", ...item } }),
  );
  return fold(undefined, [event(1, "session.started", {}), ...completed]);
}

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

test("a change of any number of lines is exported", () => {
  const diff = `@@ -0,0 +1,200000 @@\n${"+x\n".repeat(200_000)}`;
  const html = toHtml(transcriptOf([result([{ type: "file_ref", path: "a", action: "patch", diff }])]), { style: "" });
  assert.equal(html.split('data-kind="added"').length - 1, 200_000);
});

test("a session of any number of rows is exported", () => {
  const many = Array.from({ length: 150_000 }, () => message("user", "x"));
  assert.equal(toHtml(transcriptOf(many), { style: "" }).split('data-role="user"').length - 1, 150_000);
});

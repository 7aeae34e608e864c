import assert from "node:assert/strict";
import { test } from "node:test";
import { fold } from "interlinear";
import { TurnPrinter } from "../dist/cli/run/printer.js";
import { eventRow } from "../dist/cli/show/event.js";
import { ItemNumbers } from "../dist/cli/show/numbers.js";
import { styleFor } from "../dist/cli/show/style.js";
import { Heights } from "../dist/react/virtual/heights.js";
import { diffCounts, diffLines } from "../dist/view/diff.js";
import { markdown } from "../dist/view/markdown.js";
import { Rows } from "../dist/view/rows.js";
import { safeImage, safeLink, visible } from "../dist/view/safe.js";
import { amount, duration } from "../dist/view/words.js";

/** A tree as text, to be compared. */
function text(node) {
  if (typeof node === "string") return node;
  const attributes = Object.entries(node.attributes).map(([name, value]) => ` ${name}=${value}`);
  return `<${node.tag}${attributes.join("")}>${node.children.map(text).join("")}</>`;
}

const rendered = (source) =>
  markdown(source)
    .flatMap(({ nodes }) => nodes)
    .map(text)
    .join("");

test("Markdown becomes elements", () => {
  assert.equal(rendered("# A *b*"), "<h3 dir=auto>A <em>b</></>");
  assert.equal(
    rendered("a `<b>` **c** ~~d~~ &lt;e&gt; \\*"),
    "<p dir=auto>a <code><b></> <strong>c</> <del>d</> <e> *</>",
  );
  assert.equal(
    rendered("- a\n- [x] b"),
    "<ul dir=auto><li>a</><li className=il-task><input type=checkbox checked=true disabled=true aria-label=done></>b</></>",
  );
  assert.equal(rendered("3. a\n4. b"), "<ol start=3 dir=auto><li>a</><li>b</></>");
  assert.equal(rendered("```js\nx<1\n```"), "<pre tabIndex=0><code className=language-js>x<1</></>");
  assert.equal(
    rendered("[a](https://b.invalid/c)"),
    "<p dir=auto><a href=https://b.invalid/c rel=noopener noreferrer nofollow target=_blank>a</></>",
  );
});

test("each block runs the way its language does, code from left to right", () => {
  assert.equal(
    rendered("שלום\n\n- مرحبا\n  - b\n\n> c\n\n```\nd\n```\n\n|e|\n|-|\n"),
    "<p dir=auto>שלום</><ul dir=auto><li>مرحبا<ul><li>b</></></></><blockquote dir=auto><p>c</></>" +
      "<pre tabIndex=0><code>d</></>" +
      "<div className=il-table tabIndex=0 dir=auto><table><thead><tr><th scope=col>e</></></><tbody></></></>",
  );
});

test("the columns of a table are aligned as it says", () => {
  assert.equal(
    rendered("|a|b|c|\n|:-|:-:|-:|\n|1|2|3|\n"),
    "<div className=il-table tabIndex=0 dir=auto><table>" +
      "<thead><tr><th scope=col className=il-left>a</><th scope=col className=il-center>b</>" +
      "<th scope=col className=il-right>c</></></>" +
      "<tbody><tr><td className=il-left>1</><td className=il-center>2</><td className=il-right>3</></></></></>",
  );
});

test("quotes and lists are nested as deep as a person can see, and no deeper", () => {
  const depth = (node) => (typeof node === "string" ? 0 : 1 + Math.max(0, ...node.children.map(depth)));
  for (const source of [`${">".repeat(120_000)} a`, `${"1. ".repeat(40_000)} a`, `${"> - ".repeat(30_000)} a`]) {
    const nodes = markdown(source).flatMap((block) => block.nodes);
    assert.ok(Math.max(...nodes.map(depth)) <= 70);
    assert.match(nodes.map(text).join(""), /^<(blockquote|ol).* a<\/>/s);
  }
  assert.equal(rendered(">> a\n>> b"), "<blockquote dir=auto><blockquote><p>a\nb</></></>");
});

test("a heading is one by the line beneath it, in a list too", () => {
  assert.equal(rendered("a\nb\n==="), "<h3 dir=auto>a\nb</>");
  assert.equal(rendered("- a\n  ===\n  b"), "<ul dir=auto><li><h3>a</>b</></>");
});

test("a list item of many lines costs no more than other text", () => {
  const took = (source) => {
    const began = process.cpuUsage().user;
    markdown(source);
    return process.cpuUsage().user - began;
  };
  took("a\n\n".repeat(40_000));
  const [other, item] = [took("a\n\n".repeat(40_000)), took(`- a\n${"  a\n".repeat(30_000)}`)];
  assert.ok(item < other * 10, `${other} µs for other text, ${item} µs for an item`);
});

test("a subagent may have done any number of things", () => {
  const item = (key, kind, children) => {
    const item = { item_id: key, kind, status: "completed", content: [{ type: "text", text: key }] };
    return { key, time: "", first: 1, last: 1, children, type: "item", item, completed_at: "", retracted: false };
  };
  const done = Array.from({ length: 200_000 }, (_, at) => item(`done-${at}`, "message", []));
  const message = item("message", "message", [item("call", "tool_call", done)]);
  const transcript = fold(undefined, []);
  const rows = new Rows().of({
    ...transcript,
    turns: [{ key: "t", status: "running", metadata: {}, entries: [message] }],
  });
  assert.equal(rows.length, 200_003);
});

test("HTML in Markdown stays text", () => {
  assert.equal(rendered("a <b>c</b>"), "<p dir=auto>a <b>c</b></>");
  assert.equal(rendered("<script>x</script>"), "<script>x</script>");
});

test("a growing text keeps the blocks that are done", () => {
  const before = markdown("One.\n\nTwo");
  const after = markdown("One.\n\nTwo and more");
  assert.equal(after[0].source, before[0].source);
});

test("a text that is too long for Markdown comes in pieces, of which only the last one grows", () => {
  const line = `# ${"x".repeat(77)}\n`;
  for (const text of [line.repeat(50_000), "x".repeat(1_000_000), `a${"😀".repeat(300_000)}`]) {
    const before = markdown(text);
    assert.equal(before.map(({ source }) => source).join(""), text);
    assert.ok(before.every(({ nodes }) => nodes[0].tag === "pre" && nodes[0].children[0].isWellFormed?.() !== false));
    const after = markdown(`${text}and more`);
    const changed = after.filter(({ source }, index) => source !== before[index]?.source);
    assert.ok(changed.length <= 2, `${changed.length} of ${after.length} changed`);
    assert.ok(changed.every(({ source }) => source.length <= 16 * 1024));
  }
  const [first] = markdown(line.repeat(50_000));
  assert.ok(first.source.endsWith("x\n") && first.nodes[0].children[0].endsWith("x"), "a piece ends with a line");
});

test("links lead to the web or to a mailbox, images are those that came along", () => {
  assert.equal(safeLink("https://a.invalid"), "https://a.invalid/");
  assert.equal(safeLink("mailto:a@b.invalid"), "mailto:a@b.invalid");
  for (const href of [
    "javascript:1",
    "JAVASCRIPT:1",
    " java\nscript:1",
    "data:text/html,x",
    "file:///a",
    "a/b",
    "//a",
    "#a",
    "",
  ]) {
    assert.equal(safeLink(href), undefined, href);
  }
  assert.equal(safeImage("data:image/png;base64,AAAA"), "data:image/png;base64,AAAA");
  for (const path of [
    "data:image/svg+xml;base64,AAAA",
    "https://a.invalid/b.png",
    "data:image/png;base64,<x>",
    "/a.png",
  ]) {
    assert.equal(safeImage(path), undefined, path);
  }
});

test("what would be hidden is shown", () => {
  assert.equal(visible("a\u202eb\u0007c\u001b[31md\r\n\te"), "a\ufffdb␇cd\n\te");
});

test("what a program wrote over its own line is shown line by line", () => {
  assert.equal(visible("1%\r50%\r100%\r\ndone\r"), "1%\n50%\n100%\ndone");
  assert.equal(visible("a\r\r\nb"), "a\nb");
  assert.ok(visible(`${"\r".repeat(1_000_000)}x`) === "\nx");
});

test("a diff has numbered lines, whatever stands around it", () => {
  const diff = "--- a/x\n+++ b/x\n@@ -3,2 +3,2 @@ f()\n same\n-old\n+new\n\\ No newline at end of file\n";
  assert.deepEqual(diffLines(diff), [
    { kind: "hunk", text: "@@ -3,2 +3,2 @@ f()" },
    { kind: "same", text: "same", before: 3, after: 3 },
    { kind: "removed", text: "old", before: 4 },
    { kind: "added", text: "new", after: 4 },
    { kind: "note", text: "\\ No newline at end of file" },
  ]);
  assert.deepEqual(diffLines("not a diff"), [{ kind: "note", text: "not a diff" }]);
});

test("lines are counted by where they stand, not by how they look", () => {
  const diff = "--- a/x\n+++ b/x\n@@ -1,3 +1,4 @@\n same\n--- old\n---\n+++ new\n+++i;\n+plain\n";
  assert.deepEqual(diffCounts(diff), { added: 3, removed: 2 });
  const item = { item_id: "i", kind: "tool_result", status: "completed" };
  const content = [{ type: "file_ref", action: "patch", path: "x", diff }];
  const event = { type: "item.completed", data: { item: { ...item, content } } };
  assert.equal(eventRow(event, styleFor(false), new ItemNumbers()).text, "patch x (+3 −2)");
  assert.equal(
    new TurnPrinter(styleFor(false), 80).print(event),
    "  patch x\n  --- old\n  ---\n  +++ new\n  +++i;\n  +plain\n",
  );
});

test("amounts and times read well", () => {
  assert.deepEqual([0, 999, 1000, 12_345, 99_999, 1_234_567].map(amount), [
    "0",
    "999",
    "1.0k",
    "12.3k",
    "100k",
    "1.2M",
  ]);
  assert.deepEqual([5, 999, 1000, 59_900, 60_000, 3_725_000].map(duration), [
    "5 ms",
    "999 ms",
    "1.0 s",
    "59.9 s",
    "1 min 0 s",
    "1 h 2 min",
  ]);
});

test("heights add up as rows come, move and are measured", () => {
  const heights = new Heights(() => 10);
  const model = [];
  let seed = 7;
  const random = (below) => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return seed % below;
  };
  for (let round = 0; round < 300; round += 1) {
    const at = round % 5 === 0 ? random(model.length + 1) : model.length;
    model.splice(at, 0, ...Array.from({ length: random(8) }, (_, index) => ({ key: `${round}-${index}`, height: 10 })));
    heights.setKeys(model.map(({ key }) => key));
    if (model.length > 0) {
      const measured = random(model.length);
      model[measured].height = random(50);
      heights.measure(measured, model[measured].height);
    }
    const offset = (index) => model.slice(0, index).reduce((sum, { height }) => sum + height, 0);
    const index = random(model.length + 1);
    assert.equal(heights.offset(index), offset(index));
    assert.equal(heights.total, offset(model.length));
    const place = random(heights.total + 1);
    const expected = model.findIndex((_, row) => offset(row + 1) > place);
    assert.equal(heights.at(place), expected < 0 ? Math.max(0, model.length - 1) : expected);
  }
});

test("a row is the same object as long as it draws the same", () => {
  let sequence = 0;
  const event = (type, data) => {
    sequence += 1;
    return {
      event_id: `e${sequence}`,
      sequence,
      time: "2026-01-01T00:00:00.000Z",
      session_id: "s",
      source: "agent",
      synthetic: false,
      type,
      data,
      raw: null,
    };
  };
  const item = (item_id, kind, more) => ({ item_id, kind, status: "in_progress", content: [], ...more });
  const rows = new Rows();
  let transcript = fold(undefined, [
    event("session.started", {}),
    event("turn.started", { phase: "started" }),
    event("item.completed", {
      item: item("a", "message", { role: "user", status: "completed", content: [{ type: "text", text: "x" }] }),
    }),
    event("item.started", {
      item: item("b", "message", { role: "assistant", content: [{ type: "text", text: "y" }] }),
    }),
  ]);
  const before = rows.of(transcript);
  // A call below the message changes the message's entry, not what its row draws.
  const call = { type: "tool_call", name: "t", arguments: "", call_id: "c" };
  transcript = fold(transcript, [
    event("item.started", { item: item("c", "tool_call", { parent_id: "b", content: [call] }) }),
  ]);
  const after = rows.of(transcript);
  assert.deepEqual(
    after.map(({ key, depth }) => [key, depth]),
    [
      ["item:a", 0],
      ["item:b", 0],
      ["item:c", 0],
      ["turn:e2", 0],
    ],
  );
  assert.equal(after[0], before[0]);
  assert.equal(after[1], before[1]);
  assert.equal(after[3], before[2]);
});

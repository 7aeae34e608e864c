import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { convert, fold } from "interlinear";
import { Transcript } from "interlinear/react";
import { createElement } from "react";
import { renderToString } from "react-dom/server";
import { recording, root } from "../fixtures.mjs";
import { session } from "./story.mjs";

test("a transcript is drawn on a server too", () => {
  const transcript = fold(undefined, convert(readFileSync(join(root, recording))));
  const html = renderToString(createElement(Transcript, { transcript }));
  assert.match(html, /Guard div against zero\./);
  assert.match(html, /div now throws on zero\./);
});

test("an output that is mostly space is drawn as fast as another", () => {
  const { start, event } = session();
  const call = { type: "tool_call", name: "Bash", arguments: "{}", call_id: "c", tool_kind: "command", title: "ls" };
  const result = { type: "tool_result", call_id: "c", output: `${" ".repeat(300_000)}end\n \n` };
  const item = (item_id, kind, part) =>
    event("item.completed", { item: { item_id, kind, status: "completed", content: [part] } });
  const transcript = fold(undefined, [...start(), item("c", "tool_call", call), item("r", "tool_result", result)]);
  const began = performance.now();
  const html = renderToString(createElement(Transcript, { transcript }));
  assert.ok(performance.now() - began < 5000, `it took ${performance.now() - began} ms`);
  assert.match(html, / end<\/pre>/);
});

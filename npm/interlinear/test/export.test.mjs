// What is exported must say what happened, whatever was said and however much of it there is.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fold } from "interlinear";
import { toHtml, toMarkdown } from "interlinear/export";

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
  const many = Array.from({ length: 200_000 }, () => message("user", "x"));
  assert.equal(toHtml(transcriptOf(many), { style: "" }).split('data-role="user"').length - 1, 200_000);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { fold } from "interlinear";
import { toHtml, toMarkdown } from "interlinear/export";
import { attacks, hostileSession } from "../react/attacks.mjs";
import { shell } from "./run.mjs";

const file = "tests/fixtures/claude/recordings/edit_file.jsonl";

test("convert --to markdown writes what was said and done", async () => {
  const { code, stdout, stderr } = await shell(`npx interlinear convert --to markdown ${file}`);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^# Guard div against zero\.\n/);
  assert.match(stdout, /\*\*Edit\*\* `\/workspace\/demo\/src\/math\.js`\n\n```diff\n/);
  assert.match(stdout, /## Assistant\n\ndiv now throws on zero\./);
});

test("convert --to html writes one file that needs nothing else", async () => {
  const { code, stdout, stderr } = await shell(
    `npx interlinear convert --to html ${file} tests/fixtures/pi/stored/multi-turn`,
  );
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^<!doctype html>/);
  assert.match(stdout, /div now throws on zero\./);
  assert.match(stdout, /\.il-transcript \{/);
  assert.doesNotMatch(stdout, /<script|<link|src="(?!data:)|url\(/);
});

test("fences hold whatever is between them", () => {
  const [event] = hostileSession("````\n```\n# no heading");
  const markdown = toMarkdown(fold(undefined, [event, ...hostileSession("````\n```\n# no heading").slice(1)]));
  assert.match(markdown, /\n`{5}\n````\n```\n# no heading\n`{5}\n/);
});

test("hostile transcripts put nothing into the HTML but text", () => {
  for (const attack of attacks) {
    const html = toHtml(fold(undefined, hostileSession(attack)), { style: "" });
    const tags = Array.from(html.matchAll(/<([a-z]+\d?)[\s>]/g), ([, name]) => name);
    const allowed =
      /^(html|head|meta|title|style|body|main|header|h[1-6]|div|article|section|p|pre|code|span|a|img|figure|figcaption|ul|ol|li|dl|dt|dd|details|summary|input|table|thead|tbody|tr|th|td|em|strong|del|blockquote|br|hr)$/;
    assert.deepEqual(
      tags.filter((tag) => !allowed.test(tag)),
      [],
      attack,
    );
    assert.doesNotMatch(html.replaceAll(/"[^"]*"/g, '""'), /<[^>]*\son\w+=/, attack);
    for (const [, href] of html.matchAll(/<a [^>]*href="([^"]*)"/g)) assert.match(href, /^(https?|mailto):/);
    for (const [, src] of html.matchAll(/<img [^>]*src="([^"]*)"/g))
      assert.match(src, /^data:image\/\w+;base64,[\w+/=]+$/);
  }
});

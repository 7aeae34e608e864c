import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { convert, fold } from "interlinear";
import { Transcript } from "interlinear/react";
import { createElement } from "react";
import { renderToString } from "react-dom/server";
import { recording, root } from "../fixtures.mjs";

test("a transcript is drawn on a server too", () => {
  const transcript = fold(undefined, convert(readFileSync(join(root, recording))));
  const html = renderToString(createElement(Transcript, { transcript }));
  assert.match(html, /Guard div against zero\./);
  assert.match(html, /div now throws on zero\./);
});

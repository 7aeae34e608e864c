// What people download does not grow unseen.
import assert from "node:assert/strict";
import { test } from "node:test";
import { limits, measure } from "../../scripts/size.mjs";

const measured = await measure();
const cure = "if it is worth it: npm run size -- --accept, and commit tests/size/limits.json";

test("everything that is measured has a limit", () => {
  assert.deepEqual(Object.keys(limits()), Object.keys(measured), cure);
});

for (const [name, limit] of Object.entries(limits())) {
  test(`${name} keeps its limit`, () => {
    for (const [kind, most] of Object.entries(limit)) {
      const found = measured[name]?.[kind];
      assert.ok(found <= most, `${kind}: ${found} KB, the limit is ${most} KB; ${cure}`);
    }
  });
}

test("the entry in a browser stays a small part of the page", () => {
  assert.ok(measured["entry in a browser, without the WASM"].gzip <= 15, "the target is 15 KB gzip");
});

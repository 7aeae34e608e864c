// The core has not become dearer than it may.
import assert from "node:assert/strict";
import { test } from "node:test";
import { count, cure, dearer } from "../../bench/instructions.mjs";

test("the core takes no more instructions than were accepted", async () => {
  assert.deepEqual(dearer(await count()), [], cure);
});

test("what is dearer by a tenth is found, and what is not known yet", () => {
  const known = { "claude bulk": 1, "claude delta": 0.3 };
  assert.deepEqual(dearer({ "claude bulk": 1.09, "claude delta": 0.34 }, known), ["claude delta: 0.3 → 0.34"]);
  assert.deepEqual(dearer({ "amp bulk": 1 }, known), ["amp bulk: not known yet → 1"]);
});

// A source that components look at, leave, and come back to.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import * as wasm from "@interlinear/wasm";
import { Reader } from "../dist/react/reader.js";

const bytes = readFileSync(wasm.moduleUrl());

test("who comes back to a file while the one who left still loads the module sees it all the same", async () => {
  let load;
  globalThis.fetch = () => new Promise((resolve) => (load = () => resolve(new Response(bytes))));
  /** In place of a Worker: the end, at once. */
  globalThis.Worker = class {
    postMessage({ type }) {
      if (type === "next") setImmediate(() => this.onmessage({ data: { type: "end", stats: {} } }));
    }
    terminate() {}
  };
  const reader = new Reader(new Blob(["{}\n"]));
  reader.subscribe(() => {})();
  // Longer than a source is kept open without anyone.
  await new Promise((resolve) => setTimeout(resolve, 200));
  const done = new Promise((resolve, reject) => {
    const tooLong = setTimeout(() => reject(new Error(`it is still ${reader.current().status}`)), 3000);
    reader.subscribe(() => {
      clearTimeout(tooLong);
      resolve(reader.current().status);
    });
  });
  load();
  assert.equal(await done, "done");
});

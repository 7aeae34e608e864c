// What was handed on is kept by nobody: a file of any size, a stream of any length must not fill the memory.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import * as wasm from "@interlinear/wasm";
import { init, openTranscript } from "interlinear";
import { convertInWorker, traceInWorker } from "interlinear/worker";
import { batches } from "../dist/react/source.js";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc");
await init(new WebAssembly.Module(readFileSync(wasm.moduleUrl())));

/** Watches how many of many things are still there. */
function watch() {
  const things = [];
  return {
    add(thing) {
      things.push(new WeakRef(thing));
      return thing;
    },
    async alive() {
      await new Promise((resolve) => setTimeout(resolve, 10));
      collectGarbage();
      return things.filter((thing) => thing.deref() !== undefined).length;
    },
  };
}

test("the pieces that a Worker gave are let go of while it works, not at its end", async () => {
  const pieces = watch();
  let left = 100;
  let alive;
  /** In place of a Worker: a hundred pieces, then the end. */
  globalThis.Worker = class {
    async postMessage({ type }) {
      if (type !== "next") return;
      left -= 1;
      if (left === 0) alive = await pieces.alive();
      else await new Promise(setImmediate);
      this.onmessage({
        data:
          left === 0
            ? { type: "end", detection: undefined, stats: {} }
            : { type: "piece", output: [pieces.add(new Uint8Array(1000))], read: 1, total: 1 },
      });
    }
    terminate() {}
  };
  await traceInWorker(new Uint8Array(1), { onPiece() {} });
  assert.ok(alive < 5, `${alive} of 99 pieces are still there`);
});

test("a Worker is stopped while it is waited for, and by who takes what it gave", async () => {
  globalThis.Worker = class {
    postMessage({ type }) {
      const data = { type: "piece", output: [new Uint8Array(1)], read: 1, total: 1 };
      if (type === "next" && !silent) setImmediate(() => this.onmessage({ data }));
    }
    terminate() {
      terminated += 1;
    }
  };
  let silent = true;
  let terminated = 0;
  const soon = new AbortController();
  setTimeout(() => soon.abort(), 20);
  await assert.rejects(traceInWorker(new Uint8Array(1), { signal: soon.signal, onPiece() {} }), { name: "AbortError" });
  silent = false;
  const stop = new AbortController();
  const taking = traceInWorker(new Uint8Array(1), { signal: stop.signal, onPiece: () => stop.abort() });
  await assert.rejects(taking, { name: "AbortError" });
  assert.equal(terminated, 2);
});

test("the events that a source gave are let go of while it goes on", async () => {
  const events = watch();
  async function* source() {
    for (let sequence = 1; sequence < 100; sequence += 1) {
      await new Promise(setImmediate);
      yield events.add({ sequence });
    }
    yield await events.alive();
  }
  let last;
  for await (const [event] of batches(source(), { signal: new AbortController().signal, onProgress() {} }))
    last = event;
  assert.ok(last < 5, `${last} of 99 events are still there`);
});

test("a Worker's piece may hold any number of events", async () => {
  const line = (uuid) =>
    `${JSON.stringify({ type: "user", uuid, message: { role: "user", content: [{ type: "text", text: "x" }] } })}\n`;
  const transcript = openTranscript("encoded", { agent: "claude" });
  const lines = Array.from({ length: 60_000 }, (_, index) => line(`${index}`)).join("");
  const output = [transcript.push("", new TextEncoder().encode(lines)), transcript.plan().output, transcript.end()];
  const replies = [{ type: "piece", output, read: 1, total: 1 }, { type: "end" }];
  globalThis.Worker = class {
    postMessage({ type }) {
      if (type === "next") setImmediate(() => this.onmessage({ data: replies.shift() }));
    }
    terminate() {}
  };
  const { events } = await convertInWorker(new Uint8Array(1));
  assert.ok(events.length > 150_000, `${events.length} events`);
});

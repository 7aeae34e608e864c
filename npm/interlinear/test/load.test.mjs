// How the core is found and loaded, each time in a process of its own.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const cwd = fileURLToPath(new URL(".", import.meta.url));

/** Runs a module; gives what it prints as JSON. */
function run(code, env = {}) {
  const script = `import * as interlinear from "interlinear";
    const thrown = (run) => { try { run(); } catch ({ code, cure }) { return { code, cure }; } };
    ${code}`;
  const args = ["--input-type=module", "--eval", script];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, env: { ...process.env, ...env } });
  assert.equal(status, 0, stderr.toString());
  return JSON.parse(stdout);
}

const print = (value) => `process.stdout.write(JSON.stringify(${value}));`;

for (const backend of ["native", "wasm"]) {
  test(`INTERLINEAR_BACKEND=${backend} loads ${backend}, without init()`, () => {
    const result = run(`interlinear.agents(); ${print("interlinear.backend()")}`, { INTERLINEAR_BACKEND: backend });
    assert.equal(result, backend);
  });
}

test("another value of INTERLINEAR_BACKEND is refused with the values that there are", () => {
  const { code, cure } = run(print("thrown(() => interlinear.agents())"), { INTERLINEAR_BACKEND: "java" });
  assert.equal(code, "bad_backend");
  assert.match(cure, /`native` or `wasm`/);
});

test("nothing is loaded before it is needed", () => {
  assert.equal(run(print("interlinear.backend() ?? null")), null);
});

for (const [name, source] of [
  ["compiled", "new WebAssembly.Module(bytes)"],
  ["as bytes", "bytes"],
  ["as a response", 'new Response(bytes, { headers: { "content-type": "application/wasm" } })'],
  ["as a response without a type", "new Response(bytes)"],
]) {
  test(`init() takes the WebAssembly module ${name}`, () => {
    const result = run(
      `import { readFileSync } from "node:fs";
       import { moduleUrl } from "@interlinear/wasm";
       const bytes = readFileSync(moduleUrl());
       await interlinear.init(${source});
       ${print("[interlinear.backend(), interlinear.agents().length > 0]")}`,
    );
    assert.deepEqual(result, ["wasm", true]);
  });
}

test("init() that failed can be called again", () => {
  const result = run(
    `const first = await interlinear.init(new Uint8Array(8)).catch(({ code }) => code);
     await interlinear.init();
     ${print("[first, interlinear.agents().length > 0]")}`,
  );
  assert.deepEqual(result, ["wasm_unavailable", true]);
});

test("a runtime without Node's modules must call init() first", () => {
  const result = run(
    `process.getBuiltinModule = undefined;
     ${print("thrown(() => interlinear.agents())")}`,
  );
  assert.equal(result.code, "not_initialized");
  assert.match(result.cure, /await init\(\)/);
});

test("a crash of WebAssembly loses its sessions, says so, and leaves the package usable", () => {
  const result = run(
    `import { Machine } from "@interlinear/wasm";
     const open = () => interlinear.openSession({ agent: "claude", sessionId: "s" });
     const [first, second] = [open(), open()];
     const { tick } = Machine.prototype;
     // An address outside of the module's memory: the trap is real.
     Machine.prototype.tick = function (now) { this.__wbg_ptr = 0xfffffff0; return tick.call(this, now); };
     const crashed = thrown(() => first.tick());
     Machine.prototype.tick = tick;
     const lost = thrown(() => second.tick());
     ${print("{ crashed, lost, next: open().tick() }")}`,
    { INTERLINEAR_BACKEND: "wasm" },
  );
  assert.equal(result.crashed.code, "crashed");
  assert.equal(result.lost.code, "crashed");
  assert.ok(Array.isArray(result.next));
});

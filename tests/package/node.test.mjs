// The packed packages in an empty project, in Node.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { after, before, test } from "node:test";
import { relay } from "interlinear";
import { publint } from "publint";
import { recording, root } from "../fixtures.mjs";
import { installedProject, packages, write } from "./project.mjs";

const input = join(root, recording);
const expected = Buffer.from(relay(readFileSync(input)));

let project;
let remove;

before(() => {
  ({ project, remove } = installedProject());
  write(
    project,
    "convert.js",
    `import { readFileSync } from "node:fs";
     import { backend, relay } from "interlinear";
     process.stdout.write(relay(readFileSync(process.argv[2])));
     if (backend() !== process.argv[3]) throw new Error(backend());`,
  );
});

after(() => remove?.());

/** Runs a script of the project. */
function node(args, env = {}) {
  return spawnSync(process.execPath, args, { cwd: project, env: { ...process.env, INTERLINEAR_BACKEND: "", ...env } });
}

test("the native build is used where it is installed", () => {
  const { status, stdout, stderr } = node(["convert.js", input, "native"]);
  assert.equal(stderr.toString(), "");
  assert.equal(status, 0);
  assert.deepEqual(stdout, expected);
});

test("INTERLINEAR_BACKEND=wasm uses WebAssembly", () => {
  const { status, stdout, stderr } = node(["convert.js", input, "wasm"], { INTERLINEAR_BACKEND: "wasm" });
  assert.equal(stderr.toString(), "");
  assert.equal(status, 0);
  assert.deepEqual(stdout, expected);
});

test("the WebAssembly module says which of its branches are taken", () => {
  const file = join(project, "node_modules", "@interlinear", "wasm", "dist", "interlinear.wasm");
  const [hints] = WebAssembly.Module.customSections(
    new WebAssembly.Module(readFileSync(file)),
    "metadata.code.branch_hint",
  );
  assert.ok(hints?.byteLength > 1000, `${hints?.byteLength} bytes of hints`);
});

test("the command line tool runs", () => {
  const tool = join(project, "node_modules", ".bin", "interlinear");
  const output = execFileSync(tool, ["convert", input], { stdio: ["ignore", "pipe", "ignore"] });
  assert.deepEqual(output, expected);
});

for (const module of ["nodenext", "preserve"]) {
  test(`TypeScript finds the types (module: ${module})`, () => {
    write(
      project,
      "typed.ts",
      `import { convert, type UniversalEvent } from "interlinear";
       import { convertInWorker } from "interlinear/worker";
       export const events: UniversalEvent[] = convert("");
       export const text: string[] = events.map((event) => (event.type === "item.delta" ? event.data.delta : ""));
       export const result = convertInWorker(new Uint8Array());`,
    );
    const options = ["--noEmit", "--strict", "--target", "es2022", "--module", module, "--types", ""];
    const tsc = join(root, "node_modules", ".bin", "tsc");
    const { status, stdout } = spawnSync(tsc, [...options, "typed.ts"], { cwd: project });
    assert.equal(stdout.toString(), "");
    assert.equal(status, 0);
  });
}

test("every file that a bundler is told to ship is in its package", () => {
  const modules = readdirSync(join(project, "node_modules"), { recursive: true })
    .filter((name) => /^@?interlinear/.test(name) && /(?<!\.test)\.js$/.test(name))
    .map((name) => join(project, "node_modules", name));
  const named = modules.flatMap((file) =>
    Array.from(
      readFileSync(file, "utf8").matchAll(/new URL\(["'`]([^"'`]+)["'`], ?import\.meta\.url\)/g),
      ([, name]) => [relative(project, file), relative(project, join(dirname(file), name))],
    ),
  );
  assert.ok(named.length >= 4, `${named.length} files are named`);
  const missing = named.filter(([, file]) => !existsSync(join(project, file)));
  assert.deepEqual(missing, []);
});

test("a program for Node alone needs none of a browser's types", () => {
  const names = ["node", "store", "server", "client", "exchange", "export", "worker"];
  const entries = ["interlinear", ...names.map((name) => `interlinear/${name}`)];
  write(project, "node-only.ts", entries.map((entry) => `export type {} from "${entry}";\n`).join(""));
  const types = join(root, "node_modules", "@types");
  const options = ["--noEmit", "--strict", "--target", "es2022", "--lib", "es2022", "--module", "nodenext"];
  const tsc = join(root, "node_modules", ".bin", "tsc");
  const node = ["--types", "node", "--typeRoots", types];
  const { status, stdout } = spawnSync(tsc, [...options, ...node, "node-only.ts"], { cwd: project });
  assert.equal(stdout.toString(), "");
  assert.equal(status, 0);
});

test("publint has nothing to say", async () => {
  for (const pkgDir of packages) {
    const { messages } = await publint({ pkgDir, strict: true, pack: "npm" });
    assert.deepEqual(messages, [], pkgDir);
  }
});

// Last: it takes the native build away.
test("without the native build WebAssembly is used, and a warning says why, once", () => {
  for (const name of packages.map((folder) => folder.split("/").at(-1)).filter((name) => name.startsWith("native-"))) {
    rmSync(join(project, "node_modules", "@interlinear", name), { recursive: true });
  }
  const { status, stdout, stderr } = node(["convert.js", input, "wasm"]);
  assert.equal(status, 0);
  assert.deepEqual(stdout, expected);
  assert.equal(stderr.toString().match(/interlinear uses WebAssembly: @interlinear\/native-/g)?.length, 1);
});

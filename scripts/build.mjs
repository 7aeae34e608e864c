// Builds what is published: the WASM module with its glue, the module for Node on this platform, the TypeScript.
// What is newer than everything that it is made of is left alone.
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { compileNative, libraryIn } from "./native.mjs";
import { setupBuild } from "./setup.mjs";
import { at, heading, main, run, say } from "./shell.mjs";
import { shown, sizes } from "./size.mjs";
import { wasmToolchain } from "./toolchain.mjs";

const rust = ["Cargo.toml", "Cargo.lock", "crates"];
const bin = (name) => at("node_modules", ".bin", name);
const tool = (name) => at("target-wasm", "debug", name);

/** The time of the last change in a file or a folder. */
function changed(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return readdirSync(path).reduce((latest, name) => Math.max(latest, changed(join(path, name))), 0);
}

/** Whether the output is newer than all of its sources. */
function upToDate(output, sources) {
  return existsSync(output) && sources.every((source) => changed(at(source)) <= statSync(output).mtimeMs);
}

/** What makes the modules of it. */
const makers = ["tools/bindgen", "tools/hints", "bench/sessions.mjs", "scripts/build.mjs", "scripts/toolchain.mjs"];

/** What is compiled to WebAssembly. What few need is a module of its own. */
const modules = [
  { crate: "wasm", name: "interlinear", output: at("npm", "wasm", "dist", "interlinear.wasm") },
  { crate: "exchange", name: "exchange", output: at("npm", "wasm", "dist", "exchange", "exchange.wasm") },
].map((module) => ({
  ...module,
  sources: [...rust, `bindings/${module.crate}`, ...makers],
}));

const crateName = (crate) => (crate === "wasm" ? "interlinear-wasm" : `interlinear-${crate}-wasm`);

/**
 * bindings/* → target-wasm → npm/wasm/dist. In a folder of its own: it may be another compiler's, and cargo does one thing
 * at a time in a folder.
 */
async function wasm() {
  const stale = modules.filter(({ output, sources }) => !upToDate(output, sources));
  if (stale.length === 0) return;
  say("WebAssembly: compiling (a minute or two the first time)");
  const { cargo, args, env } = wasmToolchain();
  const where = ["--target-dir", "target-wasm"];
  const packages = stale.flatMap(({ crate }) => ["--package", crateName(crate)]);
  const build = ["build", "--profile", "wasm", ...packages, "--target", "wasm32-unknown-unknown", ...where, ...args];
  await run(cargo, build, { env, echo: false, name: "compiling for WebAssembly" });
  say("WebAssembly: glue and optimisation");
  // Together, so that what both are made of is compiled once.
  const tools = ["build", "--quiet", "--package", "interlinear-bindgen", "--package", "interlinear-hints", ...where];
  await run("cargo", tools, { echo: false, name: "compiling tools" });
  for (const { crate, name, output } of stale) {
    const folder = dirname(output);
    const file = `${crateName(crate).replaceAll("-", "_")}.wasm`;
    const compiled = at("target-wasm", "wasm32-unknown-unknown", "wasm", file);
    await run(tool("interlinear-bindgen"), [compiled, folder, name], { echo: false, name: "writing the glue" });
    nameModule(join(folder, `${name}.js`), name);
    const optimised = at("target-wasm", `${name}.wasm`);
    await optimise(join(folder, `${name}_bg.wasm`), optimised);
    if (crate === "wasm") await hint(optimised, join(folder, `${name}.js`), output);
    else cpSync(optimised, output);
  }
  for (const { name, output } of stale) report(`WebAssembly (${name})`, output);
}

/**
 * The glue names the file of its module, to load it where nobody hands it in. Nobody asks it to, but bundlers (webpack) want
 * every file that is named: it must be the one that is shipped.
 */
function nameModule(glue, name) {
  const code = readFileSync(glue, "utf8");
  writeFileSync(glue, code.replaceAll(`'${name}_bg.wasm'`, `'./${name}.wasm'`));
}

/** wasm-opt, with the features that the compiler was told to use. */
async function optimise(input, output) {
  const features = ["bulk-memory", "mutable-globals", "nontrapping-float-to-int", "sign-ext", "simd"].map(
    (name) => `--enable-${name}`,
  );
  const strip = ["--strip-debug", "--strip-producers", "--strip-target-features"];
  // What is rarely needed stays apart from what calls it: engines compile a function when it is first called.
  const apart = "--one-caller-inline-max-function-size=0";
  const args = [apart, "-O3", ...features, ...strip, input, "-o", output];
  await run(bin("wasm-opt"), args, { echo: false, name: "wasm-opt" });
  rmSync(input);
  rmSync(`${input}.d.ts`);
}

/**
 * Tells engines which branches are taken: the module counts them while it reads the recordings. It is the last step, for
 * hints name places in the code.
 */
async function hint(module, glue, hinted) {
  const [counting, counts] = ["counting.wasm", "counts"].map((name) => at("target-wasm", name));
  const hints = tool("interlinear-hints");
  const quietly = (name) => ({ echo: false, name });
  const { output } = await run(hints, ["count", module, counting], quietly("preparing to count branches"));
  const [, start, length] = /(\d+) (\d+)\s*$/.exec(output) ?? [];
  const sessions = [at("bench", "sessions.mjs"), "wasm", glue, counting, start, length, counts];
  await run(process.execPath, sessions, quietly("counting branches"));
  await run(hints, ["write", module, counts, hinted], quietly("writing hints"));
}

/** bindings/node → npm/native-<platform>/interlinear.node */
async function native() {
  const platform = nativePlatform();
  const folder = at("npm", `native-${platform}`);
  if (!existsSync(folder)) {
    say(`Node: no package for ${platform} yet; Node will use WebAssembly`);
    return;
  }
  const output = join(folder, "interlinear.node");
  const name = `Node (${platform})`;
  if (upToDate(output, [...rust, "bindings/node", "scripts/native.mjs"])) return;
  say(`${name}: compiling`);
  const library = libraryIn(await compileNative());
  // A fresh file: a process that has the old one loaded keeps it.
  rmSync(output, { force: true });
  cpSync(library, output);
  report(name, output);
}

/** The name of this platform in the names of packages, as `npm/interlinear/src/node.ts` looks for it. */
function nativePlatform() {
  const { platform, arch } = process;
  if (platform !== "linux") return `${platform}-${arch}`;
  const glibc = process.report.getReport().header.glibcVersionRuntime;
  return `${platform}-${arch}-${glibc === undefined ? "musl" : "gnu"}`;
}

/** npm/interlinear/src → npm/interlinear/dist */
async function typescript() {
  const output = at("npm", "interlinear", "dist", "index.js");
  const sources = ["src", "types", "tsconfig.json"].map((name) => join("npm", "interlinear", name));
  if (upToDate(output, [...sources, "tsconfig.json", "npm/wasm/dist", "npm/wasm/index.d.ts"])) return;
  say("TypeScript: compiling");
  rmSync(at("npm", "interlinear", "dist"), { recursive: true, force: true });
  await run(bin("tsc"), ["--project", at("npm", "interlinear")], { echo: false, name: "tsc" });
  await worker();
  const { bundle } = await import("./bundle.mjs");
  const code = await bundle(output);
  say(`entry in a browser, without the WASM: ${shown(sizes(Buffer.from(code)))}`);
}

/** A Worker has no import map: its file must stand alone. */
async function worker() {
  const { bundle } = await import("./bundle.mjs");
  const file = at("npm", "interlinear", "dist", "worker-main.js");
  await bundle(file, file);
}

function report(name, file) {
  say(`${name}: ${shown(sizes(readFileSync(file)))}`);
}

/** npm/inspector → npm/interlinear/inspector */
async function inspector() {
  const sources = ["npm/inspector", "npm/interlinear/dist", "npm/interlinear/react", "npm/wasm/dist"];
  if (upToDate(at("npm", "interlinear", "inspector", "index.html"), sources)) return;
  say("inspector: bundling");
  await run(bin("vite"), ["build", at("npm", "inspector"), "--logLevel", "error"], { echo: false, name: "vite" });
}

/** Everything, in the order in which one needs the other. */
export async function build() {
  await setupBuild();
  heading("Build");
  // Both have long steps that use one processor only.
  await Promise.all([wasm(), native()]);
  await typescript();
  await inspector();
}

if (process.argv[1] === at("scripts", "build.mjs")) main(build);

// Finds or installs everything that the build and the tests need, and says what it does.
import { existsSync, statSync } from "node:fs";
import { ask, at, has, heading, main, Problem, run, say } from "./shell.mjs";
import { chromium, firefox, installPackages, installWasmToolchain, postgres, wasmToolchain } from "./toolchain.mjs";

/** Rust and Node themselves: these a person installs. */
function languages() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major < 20 || (major === 20 && minor < 16)) {
    throw new Problem(`Node ${process.versions.node} is too old. Install Node 20.16 or newer.`);
  }
  const cargo = ask("cargo", ["--version"]);
  if (cargo === undefined)
    throw new Problem("There is no Rust. Install it from https://rustup.rs, then run this again.");
  say(`Node ${process.versions.node}, ${cargo}`);
}

/** The formatter and the linter, which small installations of Rust lack. */
async function rustComponents() {
  const missing = ["fmt", "clippy"].filter((command) => ask("cargo", [command, "--version"]) === undefined);
  if (missing.length === 0) return;
  const names = missing.map((command) => (command === "fmt" ? "rustfmt" : command));
  if (!has("rustup")) throw new Problem(`Rust lacks ${names.join(" and ")}. Install them beside your cargo.`);
  await run("rustup", ["component", "add", ...names], { echo: false });
}

/** The npm packages of package-lock.json. */
async function npmPackages() {
  const lock = at("package-lock.json");
  const installed = at("node_modules", ".package-lock.json");
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) {
    say("npm packages are there");
    return;
  }
  say("npm install");
  // Not `npm ci`: it refuses a lockfile that lacks the optional packages of other platforms, as npm often writes it.
  await run("npm", ["install", "--no-save", "--no-audit", "--no-fund"], { echo: false, name: "npm install" });
}

async function wasm() {
  if (wasmToolchain() === undefined) await installWasmToolchain();
  say(`WebAssembly: ${wasmToolchain().name}`);
}

async function browser() {
  if (chromium() === undefined) await installPackages(["chromium"], "a browser for the tests");
  if (firefox() === undefined) await installPackages(["firefox-esr"], "another browser for the tests");
  say(`browsers: ${chromium()}, ${firefox()}`);
}

/** What counts instructions. */
async function counter() {
  if (!has("valgrind")) await installPackages(["valgrind"], "a counter of instructions");
  say("valgrind is there");
}

/** jq, with which the examples of the exchange transcript's reference are run. */
async function jq() {
  if (!has("jq")) await installPackages(["jq"], "jq for the tests");
}

async function database() {
  if (postgres() === undefined) await installPackages(["postgresql"], "a database for the tests");
  say(`database: ${postgres()}/postgres`);
}

/** What the build needs. */
export async function setupBuild() {
  heading("Set-up");
  languages();
  await npmPackages();
  await wasm();
}

/** What the tests need besides. */
export async function setupTests() {
  await rustComponents();
  await browser();
  await counter();
  await jq();
  await database();
}

if (process.argv[1] === at("scripts", "setup.mjs")) {
  main(async () => {
    await setupBuild();
    await setupTests();
  });
}

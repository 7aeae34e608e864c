// Everything that must hold, under headings; ends with how many passed and failed.
import { existsSync, readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join, relative } from "node:path";
import { build } from "./build.mjs";
import { checks } from "./lint.mjs";
import { setupTests } from "./setup.mjs";
import { at, attempt, heading, main, root, say, sum } from "./shell.mjs";
import { testedCrates } from "./workspace.mjs";

const bin = (name) => at("node_modules", ".bin", name);

const total = { passed: 0, failed: 0 };
const broken = [];

/** Counts a section; one that failed without a failed test counts as one. */
function count(name, ok, passed, failed) {
  total.passed += passed;
  total.failed += ok ? failed : Math.max(failed, 1);
  if (!ok) broken.push(name);
}

/** A check that holds or does not. */
async function holds(name, program, args) {
  heading(name);
  const { ok, seconds } = await attempt(program, args);
  say(`${ok ? "yes" : "NO"} (${seconds} s)`);
  count(name, ok, ok ? 1 : 0, ok ? 0 : 1);
}

async function rustTests() {
  const name = "Rust tests";
  heading(name);
  const { ok, output } = await attempt("cargo", ["test", "--quiet", "--no-fail-fast", ...testedCrates]);
  count(name, ok, sum(output, /^test result: .*? (\d+) passed/gm), sum(output, /^test result: .*? (\d+) failed/gm));
}

/** The test files in a folder, wherever they are. */
function testFiles(folder) {
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return ["node_modules", "dist", "fixtures"].includes(entry.name) ? [] : testFiles(path);
    return entry.name.endsWith(".test.mjs") ? [relative(root, path)] : [];
  });
}

/** The folders with a TypeScript project. */
function typescriptProjects() {
  const projects = ["npm", "tests"].flatMap((folder) => readdirSync(at(folder)).map((name) => join(folder, name)));
  return projects.filter((project) => existsSync(at(project, "tsconfig.json")));
}

/** One section for each folder of tests, so that it is clear what is slow and what fails. */
async function nodeTests() {
  const files = ["tests", "npm"].flatMap((folder) => testFiles(at(folder))).sort();
  for (const folder of new Set(files.map(dirname))) {
    const members = files.filter((file) => dirname(file) === folder);
    const name = `Node tests: ${folder}`;
    heading(name);
    // Where time is measured, nothing else runs; elsewhere a file for each processor, not one less.
    const atOnce = folder === "tests/bench" ? 1 : availableParallelism();
    const { ok, output } = await attempt(process.execPath, [
      "--test",
      `--test-concurrency=${atOnce}`,
      "--test-timeout=300000",
      "--test-reporter=spec",
      ...members,
    ]);
    count(name, ok, sum(output, /^ℹ pass (\d+)/gm), sum(output, /^ℹ fail (\d+)/gm));
  }
}

main(async () => {
  await build();
  await setupTests();
  // What tests/bench measures, compiled beside the checks: it ends in a long step that uses one processor only.
  const measured = ["build", "--release", "--package", "interlinear-bench"];
  const compiled = attempt("cargo", measured, { echo: false, name: "compiling what is measured" });
  for (const { name, program, args } of checks) await holds(name, program, args);
  for (const project of typescriptProjects()) {
    await holds(`TypeScript agrees: ${project}`, bin("tsc"), ["--project", at(project), "--noEmit"]);
  }
  await rustTests();
  await compiled;
  await nodeTests();
  heading(broken.length === 0 ? "All is well" : `Failed: ${broken.join("; ")}`);
  console.log(`${total.passed} passed, ${total.failed} failed`);
  process.exitCode = broken.length === 0 ? 0 : 1;
});

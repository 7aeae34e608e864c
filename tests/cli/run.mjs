// Runs the command line as a person does: as a process of its own.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The folder of the project. */
export const root = fileURLToPath(new URL("../../", import.meta.url));
/** The built command. */
export const command = fileURLToPath(new URL("../../npm/interlinear/bin/interlinear.js", import.meta.url));
/** A real recording of Claude Code. */
export const recording = (name) => `tests/fixtures/claude/recordings/${name}.jsonl`;
/** A folder with a real stored session of Claude Code. */
export const stored = (name) => `tests/fixtures/claude/stored/${name}`;

/** The variables that decide about colour are the test's own. */
function environment(env = {}) {
  const { FORCE_COLOR: _, NO_COLOR: __, NODE_TEST_CONTEXT: ___, ...rest } = process.env;
  return { ...rest, ...env };
}

/** Starts `interlinear` with these arguments. */
export function start(args, { env, node = [], stdio = ["pipe", "pipe", "pipe"] } = {}) {
  return spawn(process.execPath, [...node, command, ...args], { cwd: root, env: environment(env), stdio });
}

/** Runs any program to its end, with something on its standard input. */
export function finish(child, input) {
  return new Promise((resolve, reject) => {
    const output = { stdout: [], stderr: [] };
    child.stdout.on("data", (chunk) => output.stdout.push(chunk));
    child.stderr.on("data", (chunk) => output.stderr.push(chunk));
    child.on("error", reject);
    child.on("close", (code, signal) => {
      const [stdout, stderr] = [output.stdout, output.stderr].map((chunks) => Buffer.concat(chunks).toString());
      resolve({ code, signal, stdout, stderr });
    });
    // A program that ends before it has read everything is for the test to judge.
    child.stdin.on("error", () => {});
    child.stdin.end(input);
  });
}

/** Runs `interlinear` to its end. */
export function interlinear(args, { input, ...options } = {}) {
  return finish(start(args, options), input);
}

/** Runs a command of the shell, in the folder of the project; `$interlinear` is the command. */
export function shell(script, { env } = {}) {
  const interlinear = `${process.execPath} ${command}`;
  return finish(spawn("bash", ["-c", script], { cwd: root, env: environment({ interlinear, ...env }) }));
}

/** The events that were written, one a line. */
export function eventsOf(stdout) {
  return stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

/** The bytes of a file of the project. */
export function bytesOf(path) {
  return readFileSync(new URL(path, `file://${root}`));
}

/** What the agent wrote in a recording: the stream as it came out of the program. */
export function streamOf(path) {
  const records = bytesOf(path)
    .toString()
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  return records.filter((record) => record.dir === "out").map((record) => `${record.line}\n`);
}

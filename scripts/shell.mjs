// How the scripts run other programs and speak to the person who waits. Plain Node, because they run before
// `npm install` does.
import { spawn, spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the project. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** A problem that a person can mend: shown without a stack. */
export class Problem extends Error {}

const colour = process.stdout.isTTY && !process.env.NO_COLOR;
const bold = (text) => (colour ? `\u001b[1m${text}\u001b[0m` : text);

/** The title of a step. */
export function heading(text) {
  console.log(`\n${bold(`── ${text}`)}`);
}

/** One line about what is happening. */
export function say(text) {
  console.log(`   ${text}`);
}

/** Whether a program is on the path. */
export function has(program) {
  return spawnSync(program, ["--version"], { stdio: "ignore" }).error === undefined;
}

/** What a program prints, or `undefined` if it fails. */
export function ask(program, args, options = {}) {
  const { status, stdout } = spawnSync(program, args, { cwd: root, encoding: "utf8", ...options });
  return status === 0 ? stdout.trim() : undefined;
}

/**
 * Runs a program to its end, its output going where ours goes. `echo: false` keeps the output back unless the program
 * fails; a line is then shown every fifteen seconds, so that a long step is not taken for a dead one.
 *
 * @returns {Promise<{ok: boolean, output: string, seconds: number}>}
 */
export function attempt(program, args, { cwd = root, env = {}, echo = true, name = program, timeout } = {}) {
  return new Promise((resolve) => {
    const started = Date.now();
    const seconds = () => Math.round((Date.now() - started) / 1000);
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
      timeout,
    });
    const progress = echo ? undefined : setInterval(() => say(`… ${name}, ${seconds()} s`), 15_000);
    const pieces = [];
    for (const [stream, target] of [
      [child.stdout, process.stdout],
      [child.stderr, process.stderr],
    ]) {
      stream.on("data", (piece) => {
        pieces.push(piece);
        if (echo) target.write(piece);
      });
    }
    const finish = (ok, extra = "") => {
      clearInterval(progress);
      resolve({ ok, output: Buffer.concat(pieces).toString() + extra, seconds: seconds() });
    };
    child.on("error", (error) => finish(false, `${program}: ${error.message}\n`));
    child.on("close", (code, signal) => finish(code === 0, signal === null ? "" : `${program}: ended by ${signal}\n`));
  });
}

/** The same, for a program that must succeed. */
export async function run(program, args, options = {}) {
  const result = await attempt(program, args, options);
  if (!result.ok) {
    if (options.echo === false) process.stderr.write(result.output);
    throw new Problem(`${[program, ...args].join(" ")} failed`);
  }
  return result;
}

/** Adds up the numbers that a pattern finds in what a program printed. */
export function sum(output, pattern) {
  return Array.from(output.matchAll(pattern), ([, number]) => Number(number)).reduce((a, b) => a + b, 0);
}

/** Runs a script's main function; a problem is one line, anything else is a bug and shows its stack. */
export function main(body) {
  body().catch((error) => {
    console.error(`\n${error instanceof Problem ? error.message : error.stack}`);
    process.exitCode = 1;
  });
}

/** A path inside the project. */
export const at = (...parts) => join(root, ...parts);

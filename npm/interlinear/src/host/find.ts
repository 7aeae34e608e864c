import { execFile } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import { InterlinearError } from "../errors.js";
import type { Recipe } from "./agents.js";

/** An agent's program. */
export interface Found {
  /** The program and what must come before its arguments. */
  readonly command: readonly string[];
  /** Where the program lies. */
  readonly path: string;
  /** What it says of its version; absent where it could not be asked. */
  readonly version?: string;
}

/** How long a program may take to say something of itself. */
const ASK_MS = 30_000;

/** Finds an agent's program: the one that the caller names, or the first on the path. */
export function locate(recipe: Recipe, given: string | readonly string[] | undefined, path: string): string[] {
  const command = typeof given === "string" ? [given] : [...(given ?? [recipe.program])];
  const [program = "", ...rest] = command;
  const found = candidates(program, path).find(isProgram);
  if (found !== undefined) return [found, ...rest];
  const where =
    given === undefined ? "is not installed: there is no" : "is not where it should be: there is no program";
  throw new InterlinearError(
    "not_installed",
    `${recipe.name} ${where} \`${program}\`${given === undefined ? " on the path" : ""}`,
    `Install it: \`${recipe.install}\`.`,
  );
}

/** Asks a program for its version. */
export async function askVersion(
  command: readonly string[],
  env: Record<string, string>,
  signal: AbortSignal,
): Promise<string | undefined> {
  return /\d+\.\d+\.\d+[\w.+-]*/.exec(await ask([...command, "--version"], env, signal))?.[0];
}

/** What a program says, on either of its outputs, in the time that it has, unless it is ended before. */
export function ask(command: readonly string[], env: Record<string, string>, signal: AbortSignal): Promise<string> {
  const [program = "", ...args] = command;
  return new Promise((done) => {
    const options = { env, signal, timeout: ASK_MS, killSignal: "SIGKILL" as const, maxBuffer: 1 << 25 };
    const child = execFile(program, args, options, (_error, out, err) => done(`${out}\n${err}`));
    child.stdin?.on("error", () => {});
    child.stdin?.end();
  });
}

/** Refuses a version that speaks another language. */
export function checkVersion(recipe: Recipe, version: string): void {
  if (compareVersions(version, recipe.oldest) >= 0) return;
  throw new InterlinearError(
    "too_old",
    `${recipe.name} ${version} is too old: ${recipe.oldest} is the oldest that can be run`,
    `Install a newer one: \`${recipe.install}\`.`,
  );
}

/** By their numbers; what follows them does not count. */
export function compareVersions(a: string, b: string): number {
  const numbers = (version: string) => (/^[\d.]+/.exec(version)?.[0] ?? "").split(".").map(Number);
  const [left, right] = [numbers(a), numbers(b)];
  for (let at = 0; at < Math.max(left.length, right.length); at += 1) {
    const difference = (left[at] ?? 0) - (right[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function candidates(program: string, path: string): string[] {
  if (program.includes("/") || isAbsolute(program)) return [resolve(program)];
  return path
    .split(delimiter)
    .filter(Boolean)
    .map((folder) => resolve(join(folder, program)));
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

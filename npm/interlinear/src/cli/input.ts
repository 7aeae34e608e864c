import type { Dirent } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { aboutInput, UsageError } from "./failure.js";

/** One transcript to be read: a stream, or the files that a session is stored in. */
export interface Input {
  /** What to call it in messages. */
  readonly label: string;
  /** Its files; the main one first. */
  readonly files: readonly InputFile[];
  /** How many bytes they have together; unknown for a stream. */
  readonly size?: number;
  /** What to call its session, where it does not say so itself and others are read with it. */
  readonly sessionId?: string;
}

/** One file of a transcript. */
export interface InputFile {
  /** What the core is told that it is called: names and folders tell whose file it is. */
  readonly name: string;
  /** Where it is; `-` for standard input. */
  readonly path: string;
  /** Whether it can be read only once: a pipe, standard input. */
  readonly once: boolean;
  /** Its bytes, where reading has begun already. */
  readonly begun?: AsyncIterable<Uint8Array>;
}

/** How the names of transcripts end. */
const ENDING = ".jsonl";

/** A transcript's path without its ending: the folder beside it, and what to call its session. */
export function stemOf(path: string): string {
  return path.endsWith(ENDING) ? path.slice(0, -ENDING.length) : path;
}

/** The transcripts that the arguments of a command name. */
export async function findInputs(paths: readonly string[]): Promise<Input[]> {
  if (paths.length === 0) {
    if (process.stdin.isTTY) throw new UsageError("nothing to read: name a file or a folder, or pipe a stream in");
    return [standardInput];
  }
  const found = await Promise.all(paths.map((path) => findInput(path)));
  return found.flat();
}

const standardInput: Input = { label: "stdin", files: [{ name: "stdin", path: "-", once: true }] };

async function findInput(path: string): Promise<Input[]> {
  if (path === "-") return [standardInput];
  try {
    const stats = await stat(path);
    if (!stats.isDirectory()) return [await oneFile(path, !stats.isFile())];
  } catch (error) {
    throw aboutInput(error, path);
  }
  // The folder of one session, whose main file lies beside it.
  const main = stemOf(path.replace(/[\\/]+$/, "")) + ENDING;
  if (await isFile(main)) return [await oneFile(main, false)];
  const inputs = await inFolder(path);
  if (inputs.length === 0) throw new UsageError(`${path}: there is no .jsonl file in this folder`);
  return inputs;
}

/** A file, with the folder of the same name beside it, where its agent has put the rest of the session. */
async function oneFile(path: string, once: boolean): Promise<Input> {
  const main: InputFile = { name: resolve(path), path, once };
  if (once) return { label: path, files: [main] };
  const files = path.endsWith(ENDING) ? [main, ...(await filesBelow(stemOf(path)))] : [main];
  const sizes = await Promise.all(files.map(async (file) => (await stat(file.path)).size));
  return { label: path, files, size: sizes.reduce((sum, size) => sum + size, 0) };
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isFile(),
    () => false,
  );
}

/** Each `.jsonl` file is a session; folders that belong to none of them are looked into. */
async function inFolder(folder: string): Promise<Input[]> {
  const entries = await list(folder);
  const sessions = entries.filter((entry) => entry.isFile() && entry.name.endsWith(ENDING));
  const taken = new Set(sessions.map((entry) => stemOf(entry.name)));
  const folders = entries.filter((entry) => entry.isDirectory() && !taken.has(entry.name));
  const found = await Promise.all([
    ...sessions.map(async (entry) => [await oneFile(join(folder, entry.name), false)]),
    ...folders.map((entry) => inFolder(join(folder, entry.name))),
  ]);
  return found.flat();
}

async function filesBelow(folder: string): Promise<InputFile[]> {
  const found: InputFile[] = [];
  for (const entry of await list(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) found.push(...(await filesBelow(path)));
    else if (entry.isFile()) found.push({ name: resolve(path), path, once: false });
  }
  return found;
}

/** What is in a folder, in an order that is the same everywhere; nothing if there is no such folder. */
async function list(folder: string): Promise<Dirent[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return [];
    throw aboutInput(error, folder);
  });
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

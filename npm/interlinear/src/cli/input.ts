import { open as openFile, readdir, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { DATABASE, exportsOf } from "./database.js";
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
  /** Its bytes, where it is made from something else. */
  readonly bytes?: Uint8Array;
}

/** How the names of transcripts end. */
const ENDING = ".jsonl";

/** A transcript's path without its ending: the folder beside it, and what to call its session. */
export function stemOf(path: string): string {
  return path.endsWith(ENDING) ? path.slice(0, -ENDING.length) : path;
}

/** Says what cannot be read in a folder, where there are others that can. */
type Tell = (error: unknown) => void;

/** The transcripts that the arguments of a command name. */
export async function findInputs(paths: readonly string[], tell: Tell): Promise<Input[]> {
  if (paths.length === 0) {
    if (process.stdin.isTTY) throw new UsageError("nothing to read: name a file or a folder, or pipe a stream in");
    return [standardInput];
  }
  const found = await Promise.all(paths.map((path) => findInput(path, tell)));
  return found.flat();
}

const standardInput: Input = { label: "stdin", files: [{ name: "stdin", path: "-", once: true }] };

async function findInput(path: string, tell: Tell): Promise<Input[]> {
  if (path === "-") return [standardInput];
  try {
    const stats = await stat(path);
    if (stats.isFile() && path.endsWith(DATABASE)) return [await database(path)];
    if (!stats.isDirectory()) return [await oneFile(path, !stats.isFile())];
  } catch (error) {
    throw aboutInput(error, path);
  }
  // The folder of one session, whose main file lies beside it.
  const main = stemOf(path.replace(/[\\/]+$/, "")) + ENDING;
  if (await isFile(main)) return [await oneFile(main, false)];
  const inputs = await inFolder(path, tell);
  if (inputs.length === 0) throw new UsageError(`${path}: there is no .jsonl or .json file in this folder`);
  return inputs;
}

/** A file, with what its agent has put beside it: the folder of the same name, and files of its subagents. */
async function oneFile(path: string, once: boolean): Promise<Input> {
  const main: InputFile = { name: resolve(path), path, once };
  if (once) return { label: path, files: [main] };
  if (!path.endsWith(ENDING)) return together(path, [main]);
  return together(path, [main, ...(await filesBelow(stemOf(path))), ...(await subagentsOf(path))]);
}

/** Files that are one transcript. */
async function together(label: string, files: readonly InputFile[]): Promise<Input> {
  const sizes = await Promise.all(files.map(async (file) => (await stat(file.path)).size));
  return { label, files, size: sizes.reduce((sum, size) => sum + size, 0) };
}

/** How the files of subagents are called that lie beside a session. */
const SUBAGENT = /^agent-.*\.jsonl$/;

/** The files of subagents beside a session that name it. */
async function subagentsOf(path: string): Promise<InputFile[]> {
  const folder = dirname(path);
  const known = subagents.get(folder) ?? subagentsIn(folder);
  subagents.set(folder, known);
  const found = (await known).get(JSON.stringify(basename(stemOf(path)))) ?? [];
  return found.filter((file) => file.path !== path);
}

/** For each folder that was looked into, the files of subagents by the sessions that they name: each is read once. */
const subagents = new Map<string, Promise<Map<string, InputFile[]>>>();

async function subagentsIn(folder: string): Promise<Map<string, InputFile[]>> {
  const found = new Map<string, InputFile[]>();
  for (const { name, isFile } of await list(folder)) {
    if (!SUBAGENT.test(name) || !isFile) continue;
    const path = join(folder, name);
    const beginning = await beginningOf(path).catch((error: unknown) => {
      throw aboutInput(error, path);
    });
    const sessions = new Set(Array.from(beginning.matchAll(SESSION), ([, session = ""]) => session));
    for (const session of sessions) {
      found.set(session, [...(found.get(session) ?? []), { name: resolve(path), path, once: false }]);
    }
  }
  return found;
}

/** The session that a line names, as JSON. */
const SESSION = /"sessionId":("(?:[^"\\]|\\.)*")/g;

async function beginningOf(path: string): Promise<string> {
  const file = await openFile(path);
  try {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(16 * 1024), position: 0 });
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Whether there is a file at a path. */
export async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isFile(),
    () => false,
  );
}

/** OpenCode: a database holds all its sessions. */
async function database(path: string): Promise<Input> {
  const files = (await exportsOf(path)).map(({ name, bytes }) => ({ name, path, once: false, bytes }));
  if (files.length === 0) throw new UsageError(`${path}: there is no session in this database`);
  return { label: path, files, size: files.reduce((sum, file) => sum + file.bytes.length, 0) };
}

/** Codex: a session and its subagents are rollouts that lie in one folder. */
const ROLLOUT = /^rollout-.*\.jsonl$/;

/** Amp: each thread is a document of its own. */
const THREAD = /^T-.*\.json$/;

/** OpenCode: older versions keep sessions and their messages apart, in folders beside each other. */
const TREE = ["session", "message"];

/** Each `.jsonl` file is a session; folders that belong to none of them are looked into. */
async function inFolder(folder: string, tell: Tell): Promise<Input[]> {
  const entries = await list(folder);
  if (TREE.every((name) => entries.some((entry) => entry.name === name && entry.isFolder))) {
    return documents(folder);
  }
  const names = entries.filter((entry) => entry.isFile).map((entry) => entry.name);
  const lines = names.filter((name) => name.endsWith(ENDING));
  const rollouts = lines.filter((name) => ROLLOUT.test(name));
  const mains = lines.filter((name) => !ROLLOUT.test(name) && !SUBAGENT.test(name));
  // Files of subagents alone are sessions too.
  const databases = names.filter((name) => name.endsWith(DATABASE));
  const sessions = mains.length > 0 ? mains : lines.filter((name) => !ROLLOUT.test(name));
  const threads = names.filter((name) => THREAD.test(name));
  // Beside a session lies the folder of its subagents; in a store, that of what is kept with it.
  const taken = new Set(sessions.map(stemOf).flatMap((stem) => [stem, `${stem}.d`]));
  const folders = entries.filter((entry) => entry.isFolder && !taken.has(entry.name));
  const found = await Promise.allSettled([
    ...[...sessions, ...threads].map((name) => inputOf(join(folder, name))),
    ...(rollouts.length > 0
      ? [together(join(folder, rollouts[0] ?? ""), at(folder, rollouts)).then((one) => [one])]
      : []),
    ...databases.map(async (name) => [await database(join(folder, name))]),
    ...folders.map((entry) => inFolder(join(folder, entry.name), tell)),
  ]);
  const inputs = found.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
  const failures = found.flatMap((one) => (one.status === "rejected" ? [one.reason as unknown] : []));
  if (inputs.length === 0 && failures.length > 0) throw failures[0];
  failures.forEach(tell);
  return inputs.length > 0 ? inputs : documents(folder);
}

/** A session's file in a folder; it may be gone since the folder was read. */
async function inputOf(path: string): Promise<Input[]> {
  try {
    return [await oneFile(path, false)];
  } catch (error) {
    throw aboutInput(error, path);
  }
}

const at = (folder: string, names: readonly string[]): InputFile[] =>
  names.map((name) => ({ name: resolve(folder, name), path: join(folder, name), once: false }));

/** OpenCode: all documents of a folder are one transcript. */
async function documents(folder: string): Promise<Input[]> {
  const files = (await filesBelow(folder)).filter((file) => file.path.endsWith(".json"));
  return files.length > 0 ? [await together(folder, files)] : [];
}

async function filesBelow(folder: string): Promise<InputFile[]> {
  const found = (await list(folder)).map(async ({ name, isFile, isFolder }): Promise<InputFile[]> => {
    const path = join(folder, name);
    if (isFolder) return filesBelow(path);
    return isFile ? [{ name: resolve(path), path, once: false }] : [];
  });
  return (await Promise.all(found)).flat();
}

/** What is in a folder, in an order that is the same everywhere; nothing if there is no such folder. */
async function list(folder: string): Promise<{ name: string; isFile: boolean; isFolder: boolean }[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return [];
    throw aboutInput(error, folder);
  });
  const seen = entries.map(async (entry) => {
    const { name } = entry;
    // A link to a file is as good as the file; one to a folder may lead round in a circle.
    const isLinked = entry.isSymbolicLink() && (await isFile(join(folder, name)));
    return { name, isFile: isLinked || entry.isFile(), isFolder: entry.isDirectory() };
  });
  return (await Promise.all(seen)).sort((a, b) => (a.name < b.name ? -1 : 1));
}

// Exchange transcripts on the command line: a run a file, `<run>.jsonl`, beside each other in a folder.
import { type FileHandle, mkdir, open, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { codeOf } from "../errors.js";
import { ExchangeReader, ExchangeWriter, initExchange, isExchange } from "../exchange.js";
import type { ConvertOptions } from "../transcript.js";
import { aboutInput, UsageError } from "./failure.js";
import { type Input, type InputFile, isFile } from "./input.js";
import { write as print } from "./output.js";
import { open as bytesOf, peekLine } from "./read.js";
import { isEvent } from "./saved.js";
import { plural } from "./words.js";

/** Takes the bytes of universal events, one a line. */
export type Write = (lines: Uint8Array) => Promise<void>;

/** What an input is: what an agent wrote, an exchange transcript, or universal events. */
export type Kind = "native" | "exchange" | "universal";

/** An input with nothing of it lost, and what it is. */
export async function lookAt(input: Input, { agent }: ConvertOptions): Promise<{ input: Input; kind: Kind }> {
  const [main, ...others] = input.files;
  if (main === undefined || main.bytes !== undefined || agent !== "auto") return { input, kind: "native" };
  try {
    const { line, file } = await peekLine(main);
    // Cheap to see, before a module is loaded for it.
    const exchange = line.includes('"run_id"') && (await isExchange(line));
    const same = main.once ? { ...input, files: [file, ...others] } : input;
    return { input: same, kind: exchange ? "exchange" : isEvent(line) ? "universal" : "native" };
  } catch (error) {
    throw aboutInput(error, input.label);
  }
}

/** Whether a run was called by one whose file lies beside it: then it is read with that. */
export async function isCalledBeside({ files: [main] }: Input): Promise<boolean> {
  if (main === undefined || main.once) return false;
  const { line } = await peekLine(main);
  const { parent_run_id: parent } = JSON.parse(line) as { parent_run_id?: unknown };
  return typeof parent === "string" && parent !== "" && (await isFile(fileOf(parent, dirname(main.path))));
}

/** Reads a run and the runs that it called; gives one line on what was read. */
export async function readRuns(input: Input, options: ConvertOptions, write: Write): Promise<string> {
  const { includeRaw = false } = options;
  const sessionId = input.sessionId ?? options.sessionId;
  const reader = new ExchangeReader({ includeRaw, ...(sessionId !== undefined && { sessionId }) });
  try {
    const [main] = input.files;
    if (main !== undefined) await push(reader, main);
    if (main !== undefined && !main.once) await pushCalled(reader, dirname(main.path));
    const events = reader.end();
    await write(events);
    const { lines, ignored, unknown, unparsed } = reader.counts();
    const sum = (counts: Record<string, number>) => Object.values(counts).reduce((a, b) => a + b, 0);
    const parts = [
      `${plural(lines, "line")} → ${plural(count(events, 10), "event")}`,
      sum(ignored) > 0 && `${sum(ignored)} ignored`,
      sum(unknown) > 0 && `unknown: ${Object.keys(unknown).join(", ")}`,
      unparsed > 0 && `${unparsed} unparsed`,
    ];
    return `${input.label}: exchange transcript: ${parts.filter(Boolean).join(", ")}`;
  } finally {
    reader.free();
  }
}

const count = (bytes: Uint8Array, byte: number) => bytes.reduce((sum, one) => sum + (one === byte ? 1 : 0), 0);

async function push(reader: ExchangeReader, file: InputFile): Promise<void> {
  for await (const chunk of bytesOf(file)) reader.push(file.name, chunk);
}

/** The files of runs that were called, and of those that these called. A file that is not there is not needed. */
async function pushCalled(reader: ExchangeReader, folder: string): Promise<void> {
  const tried = new Set<string>();
  for (;;) {
    const run = reader.missing().find((id) => !tried.has(id));
    if (run === undefined) return;
    tried.add(run);
    const path = fileOf(run, folder);
    if (await isFile(path)) await push(reader, { name: path, path, once: false });
  }
}

/** A run's file. Whatever it calls itself, its file lies in the folder. */
const fileOf = (run: string, folder: string) => join(folder, `${basename(run)}.jsonl`);

/** Where the events of one input go. */
export interface Output {
  write: Write;
  end(): Promise<void>;
  /** Takes back what can be taken back, because the input failed. */
  drop(): Promise<void>;
}

/** Writes in a format: universal events as they are, exchange events into one stream or a file a run. */
export async function outputsFor(format: string | undefined, folder: string | undefined): Promise<() => Output> {
  const drop = async () => {};
  if (format !== "exchange") return () => ({ write: print, end: async () => {}, drop });
  await initExchange();
  if (folder !== undefined) {
    await mkdir(folder, { recursive: true }).catch((cause: Error) => {
      throw new UsageError(`--out ${folder}: it cannot be made a folder (${cause.message}). Name another`, { cause });
    });
    return () => new RunFiles(folder);
  }
  // One for all: they are numbered in one row.
  const writer = new ExchangeWriter();
  return () => ({ write: (lines) => print(writer.push(lines)), end: () => print(writer.end()), drop });
}

/** Writes the runs of one input into files, none of which was there before: runs are never mixed. */
class RunFiles implements Output {
  readonly #folder: string;
  readonly #writer = new ExchangeWriter({ filePerRun: true });
  readonly #made = new Set<string>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  async write(lines: Uint8Array): Promise<void> {
    await this.#append(this.#writer.push(lines));
  }

  async end(): Promise<void> {
    await this.#append(this.#writer.end());
    this.#writer.free();
  }

  async drop(): Promise<void> {
    for (const path of this.#made) await rm(path, { force: true });
    this.#writer.free();
  }

  /** Appends each line to the file of its run. */
  async #append(lines: Uint8Array): Promise<void> {
    const files = new Map<string, string>();
    for (const line of Buffer.from(lines).toString("utf8").split("\n")) {
      if (line === "") continue;
      const { run_id: run } = JSON.parse(line) as { run_id: string };
      files.set(run, `${files.get(run) ?? ""}${line}\n`);
    }
    for (const [run, text] of files) {
      const file = await this.#open(fileOf(run, this.#folder));
      try {
        await file.writeFile(text).catch((cause: Error) => {
          const cure = "Make room, or choose another folder with --out";
          throw new UsageError(`${fileOf(run, this.#folder)}: it cannot be written (${cause.message}). ${cure}`, {
            cause,
          });
        });
      } finally {
        await file.close();
      }
    }
  }

  /** Only its owner may read it: prompts and outputs stand in it. */
  async #open(path: string): Promise<FileHandle> {
    if (this.#made.has(path)) return open(path, "a");
    const file = await open(path, "wx", 0o600).catch((error: unknown) => {
      if (codeOf(error) !== "EEXIST") throw error;
      throw new UsageError(`${path}: this run is there already. Choose another folder with --out, or remove the file`);
    });
    this.#made.add(path);
    return file;
  }
}

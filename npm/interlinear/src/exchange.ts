/// <reference lib="esnext.disposable" preserve="true" />
import * as wasm from "@interlinear/wasm/exchange";
import type { UniversalEvent } from "../types/index.js";
import { toBytes } from "./bytes.js";
import { decodeLines } from "./decode.js";
import { InterlinearError } from "./errors.js";
import type { WasmModule } from "./load.js";
import { isNode } from "./node.js";

/** How to write exchange transcripts. */
export interface ToExchangeOptions {
  /** Whether each run goes into a file of its own, with numbers of its own; else all go into one. */
  filePerRun?: boolean;
}

/** How to read exchange transcripts. */
export interface FromExchangeOptions {
  /** What to call the session; the run's identifier if not given. */
  sessionId?: string;
  /** Whether every event carries the line that caused it. */
  includeRaw?: boolean;
}

/** What became of the lines of an exchange transcript. */
export interface ExchangeCounts {
  lines: number;
  ignored: Record<string, number>;
  /** Event and block types of a later version. */
  unknown: Record<string, number>;
  unparsed: number;
}

/** The module, compiled or as bytes. */
type ExchangeSource = WasmModule | ArrayBuffer | ArrayBufferView;

let loading: Promise<void> | undefined;
let isLoaded = false;

/** Loads the module that reads and writes exchange transcripts: it is not part of the core. */
export function initExchange(source?: ExchangeSource): Promise<void> {
  loading ??= load(source).catch((cause: unknown) => {
    loading = undefined;
    throw new InterlinearError(
      "wasm_unavailable",
      `the module for exchange transcripts cannot be loaded: ${(cause as Error).message}`,
      "Serve the file that `@interlinear/wasm/exchange` names, or hand the module to `initExchange(module)`.",
      { cause },
    );
  });
  return loading;
}

async function load(source: ExchangeSource | undefined): Promise<void> {
  const module = source ?? (await bytesOfModule());
  wasm.initSync({ module });
  isLoaded = true;
}

/** The module, which must be loaded. */
function loaded(): typeof wasm {
  if (isLoaded) return wasm;
  const message = "the module for exchange transcripts is not loaded yet";
  throw new InterlinearError("not_initialized", message, "Call `await initExchange()` first.");
}

async function bytesOfModule(): Promise<ArrayBuffer | ArrayBufferView> {
  const url = wasm.moduleUrl();
  if (isNode()) return process.getBuiltinModule("node:fs").readFileSync(url);
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${response.url}: status ${response.status}`);
  return response.arrayBuffer();
}

/** Turns universal events, as NDJSON in any chunks, into exchange events. `initExchange` must have been awaited. */
export class ExchangeWriter {
  #exporter: wasm.Exporter | undefined;

  constructor({ filePerRun = false }: ToExchangeOptions = {}) {
    this.#exporter = new (loaded().Exporter)(filePerRun);
  }

  /** The next bytes; gives the lines that are known now. */
  push(chunk: string | Uint8Array): Uint8Array {
    const bytes = toBytes(chunk);
    const exporter = inUse(this.#exporter);
    return refused(() => exporter.push(bytes));
  }

  /** There are no more. */
  end(): Uint8Array {
    const exporter = inUse(this.#exporter);
    return refused(() => exporter.end());
  }

  /** Gives the memory back; nothing can be called after that. */
  free(): void {
    this.#exporter?.free();
    this.#exporter = undefined;
  }
}

/** Turns the files of runs into universal events. `initExchange` must have been awaited. */
export class ExchangeReader {
  #importer: wasm.Importer | undefined;

  constructor({ sessionId, includeRaw = false }: FromExchangeOptions = {}) {
    this.#importer = new (loaded().Importer)(sessionId, includeRaw);
  }

  /** The next bytes of a file. */
  push(file: string, chunk: string | Uint8Array): void {
    inUse(this.#importer).push(file, toBytes(chunk));
  }

  /** The runs that were called and are in none of the files so far: `<run>.jsonl` may be pushed too. */
  missing(): string[] {
    return inUse(this.#importer).missing();
  }

  /** All files were pushed: gives the events, as NDJSON. */
  end(): Uint8Array {
    return inUse(this.#importer).end();
  }

  /** What became of the lines that were read. */
  counts(): ExchangeCounts {
    return JSON.parse(inUse(this.#importer).counts()) as ExchangeCounts;
  }

  /** Gives the memory back; nothing can be called after that. */
  free(): void {
    this.#importer?.free();
    this.#importer = undefined;
  }
}

/** Whether a file is an exchange transcript, from its beginning. */
export async function isExchange(head: string): Promise<boolean> {
  await initExchange();
  return wasm.recognises(head);
}

/** Universal events → the bytes of exchange events, one a line. */
export async function toExchange(events: Iterable<UniversalEvent>, options?: ToExchangeOptions): Promise<Uint8Array> {
  await initExchange();
  const writer = new ExchangeWriter(options);
  try {
    const lines = Array.from(events, (event) => `${JSON.stringify(event)}\n`).join("");
    return writer.push(lines);
  } finally {
    writer.free();
  }
}

/** Exchange transcripts, a run a file → universal events. */
export async function fromExchange(
  files: string | Uint8Array | { name: string; bytes: string | Uint8Array }[],
  options?: FromExchangeOptions,
): Promise<UniversalEvent[]> {
  await initExchange();
  const reader = new ExchangeReader(options);
  try {
    for (const { name, bytes } of Array.isArray(files) ? files : [{ name: "", bytes: files }]) reader.push(name, bytes);
    return decodeLines(reader.end());
  } finally {
    reader.free();
  }
}

function inUse<T>(held: T | undefined): T {
  if (held !== undefined) return held;
  throw new InterlinearError("disposed", "the reader or writer of exchange transcripts was disposed of");
}

function refused<T>(run: () => T): T {
  try {
    return run();
  } catch (cause) {
    const { message } = cause as Error;
    throw new InterlinearError("bad_event", message, "Hand in universal events, one JSON object a line.", { cause });
  }
}

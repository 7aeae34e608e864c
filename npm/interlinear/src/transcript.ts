import type {
  Agent,
  ConvertOptions as CoreOptions,
  Detection,
  Stats,
  Stretch,
  UniversalEvent,
} from "../types/index.js";
import { toBytes } from "./bytes.js";
import { type Core, call, type Encoding, type Output, type RawTranscript } from "./core.js";
import { decodeEvents, decodeTrace } from "./decode.js";
import { InterlinearError } from "./errors.js";
import type { TraceLine } from "./trace.js";

/** How to convert a transcript. */
export interface ConvertOptions {
  /** The agent that spoke; by default it is found out from the first lines. */
  agent?: Agent | "auto";
  /** The session's identifier; taken from the transcript if not given. */
  sessionId?: string;
  /** Whether every event carries the native object that caused it. */
  includeRaw?: boolean;
  /** The longest line that is read, in bytes; 64 MiB if not given. */
  maxLine?: number;
  /**
   * Of a stored session that is a tree: the entry with which the branch ends that is to be read. The session's facts
   * name them (`branches`); the one that was used last if not given.
   */
  branch?: string;
}

/** What a transcript can be turned into. */
export interface Outputs {
  /** Events. */
  events: UniversalEvent[];
  /** The bytes of events, one a line. */
  ndjson: Uint8Array;
  /** Events that are still encoded, for another thread to decode. */
  encoded: Uint8Array;
  /** Native lines, each with its events. */
  trace: TraceLine[];
  /** The same, still encoded. */
  encodedTrace: Uint8Array;
}

/** Makes what the host gets out of what a call gave; `input` is what it read. */
type Decode<T> = (output: Output, input?: Uint8Array) => T;

const asBytes: Decode<Uint8Array> = (output) => output as Uint8Array;

const encodings: { [T in keyof Outputs]: { encoding: Encoding; decode: Decode<Outputs[T]> } } = {
  events: { encoding: "packed", decode: decodeEvents },
  ndjson: { encoding: "ndjson", decode: asBytes },
  encoded: { encoding: "sealed", decode: asBytes },
  trace: { encoding: "trace", decode: decodeTrace },
  encodedTrace: { encoding: "sealed-trace", decode: asBytes },
};

/**
 * A transcript that is converted chunk by chunk: `push` every file, one after the other; `plan`; read the `stretches`
 * again and `feed` them; `end`. Each gives the output that is known by then.
 */
export class Transcript<T extends keyof Outputs> {
  readonly #core: Core;
  readonly #raw: RawTranscript;
  readonly #decode: Decode<Outputs[T]>;
  readonly #instance: number;
  #freed = false;

  /** Use `openTranscript`. */
  constructor(core: Core, to: T, options: ConvertOptions = {}) {
    const { encoding, decode } = encodings[to];
    this.#core = core;
    this.#decode = decode;
    this.#raw = call(core, () => new core.raw.Transcript(coreOptions(options), encoding));
    this.#instance = core.hold();
  }

  /** The next chunk of a file. A file that is empty is pushed too. */
  push(file: string, chunk: Uint8Array): Outputs[T] {
    const bytes = toBytes(chunk);
    return this.#decode(
      this.#call((raw) => raw.push(file, bytes)),
      bytes,
    );
  }

  /** All files were pushed. Gives what must be read again, in this order, where files are not in the order of the conversation. */
  plan(): { output: Outputs[T]; stretches: Stretch[] } {
    const output = this.#decode(this.#call((raw) => raw.plan()));
    return { output, stretches: JSON.parse(this.#call((raw) => raw.stretches())) as Stretch[] };
  }

  /** The next bytes of the stretches. */
  feed(chunk: Uint8Array): Outputs[T] {
    const bytes = toBytes(chunk);
    return this.#decode(
      this.#call((raw) => raw.feed(bytes)),
      bytes,
    );
  }

  /** Everything was read. */
  end(): Outputs[T] {
    return this.#decode(this.#call((raw) => raw.end()));
  }

  /** What the transcript turned out to be, once that is known. */
  detection(): Detection | undefined {
    const detection = this.#call((raw) => raw.detection());
    return typeof detection === "string" ? (JSON.parse(detection) as Detection) : undefined;
  }

  /** What was read so far, and what became of it. */
  stats(): Stats {
    return JSON.parse(this.#call((raw) => raw.stats())) as Stats;
  }

  /** Gives the memory back; nothing can be called after that. */
  free(): void {
    if (this.#freed) return;
    this.#freed = true;
    call(this.#core, () => this.#core.release(this.#instance, () => this.#raw.free()));
  }

  #call<R>(run: (raw: RawTranscript) => R): R {
    if (this.#freed) throw new InterlinearError("disposed", "the transcript was disposed of");
    return call(this.#core, () => run(this.#raw));
  }
}

/** Properties that are `undefined` are left out: the core takes them for values. */
function coreOptions({ agent = "auto", ...rest }: ConvertOptions): CoreOptions {
  const options = { ...rest, ...(agent === "auto" ? {} : { agent }) };
  return Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined),
  ) as unknown as CoreOptions;
}

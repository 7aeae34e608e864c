import type { Agent, Break, Detection, UniversalEvent } from "../types/index.js";
import { joined, slices, toBytes } from "./bytes.js";
import { call } from "./core.js";
import { core } from "./load.js";
import type { TraceLine } from "./trace.js";
import { type ConvertOptions, type Outputs, Transcript } from "./transcript.js";

/** A file of a transcript. */
export interface TranscriptFile {
  /** Its name, with its folder where there are several: agents name files by session. */
  name: string;
  bytes: string | Uint8Array;
}

/** A whole transcript: its text or bytes, or its files. */
export type TranscriptInput = string | Uint8Array | TranscriptFile[];

/** Opens a transcript that is read chunk by chunk, for files that should not be in memory whole. */
export function openTranscript<T extends keyof Outputs>(to: T, options?: ConvertOptions): Transcript<T> {
  return new Transcript(core(), to, options);
}

/** Converts a whole transcript, live or stored, to events. */
export function convert(input: TranscriptInput, options?: ConvertOptions): UniversalEvent[] {
  return Array.from(outputs("events", input, options)).flat();
}

/** Converts a whole transcript to the bytes of events, one a line. */
export function relay(input: TranscriptInput, options?: ConvertOptions): Uint8Array {
  return joined(Array.from(outputs("ndjson", input, options)));
}

/** Shows a whole transcript line by line: each native line with its events. */
export function trace(input: TranscriptInput, options?: ConvertOptions): TraceLine[] {
  return Array.from(outputs("trace", input, options)).flat();
}

/** Reads a transcript in slices; gives the output of each. */
function* outputs<T extends keyof Outputs>(
  to: T,
  input: TranscriptInput,
  options?: ConvertOptions,
): Generator<Outputs[T]> {
  const files = Array.isArray(input) ? input : [{ name: "", bytes: input }];
  const contents = files.map(({ name = "", bytes }) => ({ name, bytes: toBytes(bytes) }));
  const transcript = openTranscript(to, options);
  try {
    for (const { name, bytes } of contents) {
      for (const slice of slices(bytes)) yield transcript.push(name, slice);
    }
    const { output, stretches } = transcript.plan();
    yield output;
    for (const { file, start, end } of stretches) {
      const stretch = contents[file]?.bytes.subarray(start, end) ?? new Uint8Array();
      for (const slice of slices(stretch)) yield transcript.feed(slice);
    }
    yield transcript.end();
  } finally {
    transcript.free();
  }
}

/** What a transcript is, from its beginning (64 KiB are enough as a rule). */
export function detect(head: string | Uint8Array, name = ""): Detection {
  const build = core();
  const bytes = toBytes(head);
  return JSON.parse(call(build, () => build.raw.detect(name, bytes))) as Detection;
}

/** Checks events, of one session or several, against the contract. Nothing comes out if they keep it. */
export function check(events: Iterable<UniversalEvent>): Break[] {
  const build = core();
  const checker = call(build, () => new build.raw.ContractChecker());
  const instance = build.hold();
  try {
    for (const event of events) {
      const json = JSON.stringify(event) ?? "null";
      call(build, () => checker.json(json));
    }
    return JSON.parse(call(build, () => checker.breaks())) as Break[];
  } finally {
    build.release(instance, () => checker.free?.());
  }
}

/** The agents that can be read. */
export function agents(): Agent[] {
  const build = core();
  return JSON.parse(call(build, () => build.raw.agents())) as Agent[];
}

/** The version of the core in use. */
export function version(): string {
  const build = core();
  return call(build, () => build.raw.version());
}

import type { FileHandle } from "node:fs/promises";
import type { UniversalEvent } from "../../../types/index.js";
import { InterlinearError } from "../../errors.js";
import { attach, decode, type Wanted, wantsNative } from "../record.js";
import type { ReadOptions } from "../store.js";
import { openIfThere, readLines } from "./lines.js";
import type { Paths } from "./names.js";
import { beginning, type Place, placeOf, readPlaces } from "./offsets.js";

/** The events of a transcript after an offset, to the end of what is written now. */
export async function* readEvents(
  file: FileHandle,
  paths: Paths,
  options: ReadOptions,
): AsyncGenerator<UniversalEvent[], void> {
  const { offset = 0, limit = Number.POSITIVE_INFINITY, signal } = options;
  const place = await checked(file, placeOf(await readPlaces(paths.index), offset + 1));
  const natives = wantsNative(options) ? await Natives.open(paths.raw, place.raw, options) : undefined;
  try {
    let sequence = place.sequence;
    for await (const lines of readLines(file, place.events)) {
      signal?.throwIfAborted();
      // Sequences have no hole: what is not wanted is counted, not parsed.
      const wanted = lines.slice(Math.max(0, offset + 1 - sequence), Math.max(0, offset + 1 + limit - sequence));
      const first = Math.max(sequence, offset + 1);
      const events = wanted.map((line, index) => parse(line, first + index, paths.events));
      await natives?.attach(events);
      if (events.length > 0) yield events;
      sequence += lines.length;
      if (sequence > offset + limit) return;
    }
  } finally {
    await natives?.close();
  }
}

/** The place, or the beginning if the index does not tell the truth. */
async function checked(file: FileHandle, place: Place): Promise<Place> {
  if (place.events === 0) return place;
  const { buffer, bytesRead } = await file.read(Buffer.alloc(4096), 0, 4096, place.events - 1);
  const head = buffer.toString("latin1", 0, bytesRead);
  return head.startsWith("\n") && head.includes(`"sequence":${place.sequence},`) ? place : beginning;
}

function parse(line: Buffer, sequence: number, path: string): UniversalEvent {
  const event = eventOf(line);
  if (event?.sequence === sequence) return event;
  throw damagedTranscript(path, sequence);
}

/** Refuses a transcript because of the line where an event must be. */
export function damagedTranscript(path: string, sequence: number): InterlinearError {
  const cure = "Restore the file, or remove the line and all after it; what is before it can be read.";
  return new InterlinearError("damaged_transcript", `${path}: line ${sequence} is not event ${sequence}`, cure);
}

/** The event in a line of a transcript, if it is one. */
export function eventOf(line: Buffer): UniversalEvent | undefined {
  try {
    return decode(line.toString());
  } catch {
    return undefined;
  }
}

/** The native objects beside a transcript: each line has the events that it caused. */
interface NativeLine {
  from: number;
  to: number;
  raw: unknown;
}

/** A line of native objects; `undefined` if it is damaged: then these events go without. */
export function nativeLine(line: Buffer | undefined): NativeLine | undefined {
  try {
    return JSON.parse(String(line)) as NativeLine;
  } catch {
    return undefined;
  }
}

/** Walks through the native objects as the events are read. */
class Natives {
  readonly #file: FileHandle | undefined;
  readonly #chunks: AsyncIterator<Buffer[]> | undefined;
  readonly #wanted: Wanted;
  #lines: readonly Buffer[] = [];
  #next = 0;
  #current: NativeLine | undefined;

  private constructor(file: FileHandle | undefined, from: number, wanted: Wanted) {
    this.#file = file;
    this.#wanted = wanted;
    this.#chunks = file === undefined ? undefined : readLines(file, from);
  }

  static async open(path: string, from: number, wanted: Wanted): Promise<Natives> {
    return new Natives(await openIfThere(path), from, wanted);
  }

  async attach(events: readonly UniversalEvent[]): Promise<void> {
    for (const event of events) {
      const { sequence } = event;
      while (this.#current === undefined || this.#current.to < sequence) {
        if (this.#next === this.#lines.length && !(await this.#refill())) return;
        this.#current = nativeLine(this.#lines[this.#next++]);
      }
      if (this.#current.from <= sequence) attach(event, this.#current.raw, this.#wanted);
    }
  }

  async close(): Promise<void> {
    await this.#file?.close();
  }

  async #refill(): Promise<boolean> {
    const { done, value } = (await this.#chunks?.next()) ?? { done: true };
    if (done === true) return false;
    this.#lines = value;
    this.#next = 0;
    return true;
  }
}

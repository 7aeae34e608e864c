import { appendFile, type FileHandle, stat } from "node:fs/promises";
import { codeOf } from "../../errors.js";
import { sessionLost } from "../failures.js";
import type { Stored } from "../record.js";
import type { Ledger } from "../writer.js";
import { changeAbout } from "./about.js";
import type { Claim } from "./claim.js";
import { storeFailure } from "./failure.js";
import { newline, openToAppend } from "./lines.js";
import type { Paths } from "./names.js";
import { distance, encodePlaces, type Place } from "./offsets.js";
import type { Tail } from "./repair.js";

/**
 * When the operating system must have put what is written onto the disk: before `append` resolves, at the latest so
 * many milliseconds later, or when it likes to. The death of this process loses nothing in any case; that of the
 * machine does.
 */
export type Sync = "always" | "never" | number;

/** How often a writer looks whether its file is still in its place, in milliseconds: each time would cost too much. */
const lookInterval = 500;

/** What a ledger is made of. */
export interface LedgerParts {
  readonly sessionId: string;
  readonly paths: Paths;
  readonly claim: Claim;
  readonly sync: Sync;
  readonly tail: Tail;
  /** Called when the session is another's. */
  readonly lost: () => void;
  /** Called when the session is free. */
  readonly closed: () => void;
}

/** Writes one session's files. */
export class JsonlLedger implements Ledger {
  readonly #parts: LedgerParts;
  readonly #events: FileHandle;
  readonly #raw: FileHandle;
  /** How long the files are as far as they are acknowledged. */
  #end: Place;
  #indexed: number;
  #torn = false;
  #timer: NodeJS.Timeout | undefined;
  #syncFailure: unknown;
  /** When the file was last seen in its place. */
  #seen = 0;

  private constructor(parts: LedgerParts, events: FileHandle, raw: FileHandle) {
    this.#parts = parts;
    this.#events = events;
    this.#raw = raw;
    this.#end = parts.tail.end;
    this.#indexed = parts.tail.indexed;
  }

  static async open(parts: LedgerParts): Promise<JsonlLedger> {
    const events = await openToAppend(parts.paths.events);
    try {
      return new JsonlLedger(parts, events, await openToAppend(parts.paths.raw));
    } catch (error) {
      await events.close();
      throw error;
    }
  }

  async write(records: readonly Stored[]): Promise<void> {
    await this.#append(compose(records, this.#end, this.#indexed));
  }

  async writeLines(lines: readonly Uint8Array[]): Promise<void> {
    await this.#append(composeLines(lines, this.#end, this.#indexed));
  }

  async #append({ events, raw, places, end }: Composed): Promise<void> {
    await this.#mustBeOurs();
    try {
      await this.#mend();
      this.#torn = true;
      // The native objects first: who sees an event finds what caused it.
      await writeAll(this.#raw, raw);
      await writeAll(this.#events, events);
      await this.#syncAsAsked();
      this.#torn = false;
    } catch (error) {
      await this.#mend().catch(() => undefined);
      throw storeFailure(error, this.#parts.paths.events, "written");
    }
    this.#end = end;
    await this.#note(places);
  }

  async describe(metadata: Record<string, unknown>): Promise<void> {
    const { about } = this.#parts.paths;
    await changeAbout(about, { metadata }).catch((error: unknown) => {
      throw storeFailure(error, about, "written");
    });
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    try {
      await this.#mend();
      if (this.#parts.sync !== "never") await this.#flush();
    } catch (error) {
      throw storeFailure(error, this.#parts.paths.events, "written");
    } finally {
      await Promise.allSettled([this.#events.close(), this.#raw.close()]);
      await this.#parts.claim.release();
      this.#parts.closed();
    }
  }

  async #mustBeOurs(): Promise<void> {
    try {
      await this.#parts.claim.check();
      await this.#mustBeThere();
    } catch (error) {
      if (codeOf(error) === "session_lost") this.#parts.lost();
      throw error;
    }
  }

  /** A file that was removed still takes what is written to it, and nobody will ever read it. */
  async #mustBeThere(): Promise<void> {
    if (Date.now() - this.#seen < lookInterval) return;
    const { sessionId, paths } = this.#parts;
    await stat(paths.events).catch((error: unknown) => {
      if (codeOf(error) !== "ENOENT") return;
      throw sessionLost(sessionId, `${paths.events} was removed while session ${sessionId} was written`);
    });
    this.#seen = Date.now();
  }

  /** Takes back what a failed write left. */
  async #mend(): Promise<void> {
    if (!this.#torn) return;
    await this.#parts.claim.check();
    await this.#events.truncate(this.#end.events);
    await this.#raw.truncate(this.#end.raw);
    this.#torn = false;
  }

  async #syncAsAsked(): Promise<void> {
    if (this.#syncFailure !== undefined) {
      const error = this.#syncFailure;
      this.#syncFailure = undefined;
      throw error;
    }
    const { sync } = this.#parts;
    if (sync === "always") await this.#flush();
    if (typeof sync !== "number" || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#flush().catch((error: unknown) => {
        this.#syncFailure = error;
      });
    }, sync);
    this.#timer.unref();
  }

  async #flush(): Promise<void> {
    await this.#raw.datasync();
    await this.#events.datasync();
  }

  /** The index may lack places: an error here is none, but half a place would put those after it wrong. */
  async #note(places: readonly Place[]): Promise<void> {
    const last = places.at(-1);
    if (last === undefined) return;
    try {
      await appendFile(this.#parts.paths.index, encodePlaces(places), { mode: 0o600 });
      this.#indexed = last.events;
    } catch {
      this.#indexed = Number.POSITIVE_INFINITY;
    }
  }
}

/** One call writes all of it, unless the disk is full. */
async function writeAll(file: FileHandle, bytes: Buffer): Promise<void> {
  for (let start = 0; start < bytes.length; ) start += (await file.write(bytes, start)).bytesWritten;
}

interface Composed {
  events: Buffer;
  raw: Buffer;
  places: Place[];
  end: Place;
}

/** The bytes of a batch, and the places that the index should have. */
function compose(records: readonly Stored[], begin: Place, indexed: number): Composed {
  const lines: string[] = [];
  const rawLines: string[] = [];
  const places: Place[] = [];
  let { sequence, events, raw: rawAt } = begin;
  let last = indexed;
  for (const group of sharingRaw(records)) {
    const { raw } = group[0];
    for (const { text } of group) {
      if (events - last >= distance) {
        places.push({ sequence, events, raw: rawAt });
        last = events;
      }
      lines.push(text);
      events += Buffer.byteLength(text) + 1;
      sequence += 1;
    }
    if (raw === null) continue;
    const line = `{"from":${group[0].sequence},"to":${sequence - 1},"raw":${raw}}`;
    rawLines.push(line);
    rawAt += Buffer.byteLength(line) + 1;
  }
  // Encoded at once: most lines are short.
  return { events: encoded(lines), raw: encoded(rawLines), places, end: { sequence, events, raw: rawAt } };
}

/** The same for lines as they are, of events without native objects. */
function composeLines(lines: readonly Uint8Array[], begin: Place, indexed: number): Composed {
  const events = Buffer.concat(lines);
  const places: Place[] = [];
  let { sequence } = begin;
  let last = indexed;
  for (let start = 0; start < events.length; start = events.indexOf(newline, start) + 1) {
    const place = { sequence, events: begin.events + start, raw: begin.raw };
    if (place.events - last >= distance) {
      places.push(place);
      last = place.events;
    }
    sequence += 1;
  }
  const end = { sequence, events: begin.events + events.length, raw: begin.raw };
  return { events, raw: Buffer.alloc(0), places, end };
}

function encoded(lines: readonly string[]): Buffer {
  return Buffer.from(lines.map((line) => `${line}\n`).join(""));
}

/** Neighbours that the same native object caused: it is written once. */
function sharingRaw(records: readonly Stored[]): [Stored, ...Stored[]][] {
  const groups: [Stored, ...Stored[]][] = [];
  for (const record of records) {
    const group = groups.at(-1);
    if (group !== undefined && group[0].raw === record.raw) group.push(record);
    else groups.push([record]);
  }
  return groups;
}

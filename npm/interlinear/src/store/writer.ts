import type { UniversalEvent } from "../../types/index.js";
import { InterlinearError } from "../errors.js";
import { type Batch, batchOf } from "./batch.js";
import type { Stored } from "./record.js";
import type { SessionWriter } from "./store.js";

/** What a store does for the one writer of a session. */
export interface Ledger {
  /** Writes all of them, or fails and leaves none. */
  write(records: readonly Stored[]): Promise<void>;
  /** The same for lines of events without native objects, where they are kept as they are. */
  writeLines?(lines: readonly Uint8Array[]): Promise<void>;
  describe(metadata: Record<string, unknown>): Promise<void>;
  /** Gives the session free. */
  close(): Promise<void>;
}

interface Waiting {
  batch: Batch;
  /** Nothing if its lines are written. */
  records: readonly Stored[] | undefined;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/** Tells what was written; the events are made if somebody wants to hear of them. */
type Tell = (events: () => readonly UniversalEvent[]) => void;

/** So much text is written at once, where more than one call waits. */
const groupLimit = 4 * 1024 * 1024;

/** The writer of every store: keeps the sequence, writes what waits together, and tells after it is written. */
export class Writer implements SessionWriter {
  readonly sessionId: string;
  readonly #ledger: Ledger;
  readonly #tell: Tell;
  readonly #waiting: Waiting[] = [];
  #written: number;
  #accepted: number;
  #flushing: Promise<void> | undefined;
  /** What the ledger was last asked to do. */
  #asked: Promise<void> = Promise.resolve();
  #closing: Promise<void> | undefined;

  constructor(sessionId: string, lastSequence: number, ledger: Ledger, tell: Tell) {
    this.sessionId = sessionId;
    this.#written = lastSequence;
    this.#accepted = lastSequence;
    this.#ledger = ledger;
    this.#tell = tell;
  }

  get lastSequence(): number {
    return this.#written;
  }

  async append(events: readonly UniversalEvent[] | Uint8Array): Promise<void> {
    this.#mustBeOpen();
    const batch = batchOf(events);
    if (batch.heads.length === 0) return;
    this.#check(batch.heads);
    const asLines = batch.lines !== undefined && this.#ledger.writeLines !== undefined;
    const records = asLines ? undefined : batch.records();
    this.#accepted += batch.count;
    const written = new Promise<void>((resolve, reject) => {
      this.#waiting.push({ batch, records, resolve, reject });
    });
    this.#flushing ??= this.#flush();
    await written;
  }

  async describe(metadata: Record<string, unknown>): Promise<void> {
    this.#mustBeOpen();
    const kept = asKept(metadata);
    await this.#ask(() => this.#ledger.describe(kept));
  }

  close(): Promise<void> {
    this.#closing ??= (async () => {
      await this.#flushing;
      await this.#ask(() => this.#ledger.close());
    })();
    return this.#closing;
  }

  #mustBeOpen(): void {
    if (this.#closing === undefined) return;
    throw new InterlinearError("writer_closed", `the writer of session ${this.sessionId} is closed`);
  }

  #check(heads: Batch["heads"]): void {
    let expected = this.#accepted;
    for (const { sequence, session_id } of heads) {
      expected += 1;
      if (session_id !== this.sessionId) {
        const message = `an event of session ${session_id} was handed to the writer of ${this.sessionId}`;
        throw new InterlinearError("wrong_session", message);
      }
      if (sequence === expected) continue;
      const message = `session ${this.sessionId}: event ${expected} comes next, but ${sequence} was handed in`;
      throw new InterlinearError("wrong_sequence", message);
    }
  }

  async #flush(): Promise<void> {
    // Calls of the same moment are written together.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const group = this.#nextGroup();
      try {
        await this.#ask(() => this.#write(group));
      } catch (error) {
        this.#fail([...group, ...this.#waiting.splice(0)], error);
        break;
      }
      this.#written += group.reduce((count, { batch }) => count + batch.count, 0);
      this.#tell(() => group.flatMap(({ batch }) => batch.events()));
      for (const { resolve } of group) resolve();
    }
    this.#flushing = undefined;
  }

  /** A ledger does one thing at a time: what it does goes on from what it did before. */
  #ask(run: () => Promise<void>): Promise<void> {
    const done = this.#asked.then(run);
    this.#asked = done.catch(() => undefined);
    return done;
  }

  /** What comes next and is written in the same way. */
  #nextGroup(): Waiting[] {
    let size = 0;
    const asLines = this.#waiting[0]?.records === undefined;
    const end = this.#waiting.findIndex((waiting, index) => {
      size += sizeOf(waiting);
      return index > 0 && (size > groupLimit || (waiting.records === undefined) !== asLines);
    });
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : end);
  }

  async #write(group: readonly Waiting[]): Promise<void> {
    const lines = group.flatMap(({ batch, records }) => (records === undefined ? (batch.lines ?? []) : []));
    if (lines.length > 0) await this.#ledger.writeLines?.(lines);
    else await this.#ledger.write(group.flatMap(({ records }) => records ?? []));
  }

  /** What waits behind a failed write goes on from it: it fails too. */
  #fail(waiting: readonly Waiting[], error: unknown): void {
    this.#accepted = this.#written;
    for (const { reject } of waiting) reject(error);
  }
}

function sizeOf({ batch, records }: Waiting): number {
  if (records === undefined) return batch.lines?.length ?? 0;
  return records.reduce((sum, { text, raw }) => sum + text.length + (raw?.length ?? 0), 0);
}

/** What is to be kept with a session as it is now, and as every store can keep it. */
function asKept(metadata: Record<string, unknown>): Record<string, unknown> {
  const cure = "Hand in an object with what JSON holds: texts, numbers, lists, objects.";
  try {
    const kept: unknown = JSON.parse(JSON.stringify(metadata));
    if (typeof kept === "object" && kept !== null) return kept as Record<string, unknown>;
  } catch (cause) {
    const message = `this cannot be kept with a session: ${(cause as Error).message}`;
    throw new InterlinearError("bad_input", message, cure, { cause });
  }
  throw new InterlinearError("bad_input", "only an object can be kept with a session", cure);
}

import type { UniversalEvent } from "../../types/index.js";
import { InterlinearError } from "../errors.js";
import { encode, type Stored } from "./record.js";
import type { SessionWriter } from "./store.js";

/** What a store does for the one writer of a session. */
export interface Ledger {
  /** Writes all of them, or fails and leaves none. */
  write(records: readonly Stored[]): Promise<void>;
  describe(metadata: Record<string, unknown>): Promise<void>;
  /** Gives the session free. */
  close(): Promise<void>;
}

interface Waiting {
  events: readonly UniversalEvent[];
  records: readonly Stored[];
  resolve: () => void;
  reject: (error: unknown) => void;
}

/** So much text is written at once, where more than one call waits. */
const groupLimit = 4 * 1024 * 1024;

/** The writer of every store: keeps the sequence, writes what waits together, and tells after it is written. */
export class Writer implements SessionWriter {
  readonly sessionId: string;
  readonly #ledger: Ledger;
  readonly #tell: (events: readonly UniversalEvent[]) => void;
  readonly #waiting: Waiting[] = [];
  #written: number;
  #accepted: number;
  #flushing: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(
    sessionId: string,
    lastSequence: number,
    ledger: Ledger,
    tell: (events: readonly UniversalEvent[]) => void,
  ) {
    this.sessionId = sessionId;
    this.#written = lastSequence;
    this.#accepted = lastSequence;
    this.#ledger = ledger;
    this.#tell = tell;
  }

  get lastSequence(): number {
    return this.#written;
  }

  async append(events: readonly UniversalEvent[]): Promise<void> {
    this.#mustBeOpen();
    if (events.length === 0) return;
    this.#check(events);
    const records = events.map(encode);
    this.#accepted += events.length;
    const written = new Promise<void>((resolve, reject) => {
      this.#waiting.push({ events, records, resolve, reject });
    });
    this.#flushing ??= this.#flush();
    await written;
  }

  async describe(metadata: Record<string, unknown>): Promise<void> {
    this.#mustBeOpen();
    await this.#ledger.describe(metadata);
  }

  close(): Promise<void> {
    this.#closing ??= (async () => {
      await this.#flushing;
      await this.#ledger.close();
    })();
    return this.#closing;
  }

  #mustBeOpen(): void {
    if (this.#closing === undefined) return;
    throw new InterlinearError("writer_closed", `the writer of session ${this.sessionId} is closed`);
  }

  #check(events: readonly UniversalEvent[]): void {
    let expected = this.#accepted;
    for (const { sequence, session_id } of events) {
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
        await this.#ledger.write(group.flatMap(({ records }) => records));
      } catch (error) {
        this.#fail([...group, ...this.#waiting.splice(0)], error);
        break;
      }
      const events = group.flatMap((waiting) => waiting.events);
      this.#written += events.length;
      this.#tell(events);
      for (const { resolve } of group) resolve();
    }
    this.#flushing = undefined;
  }

  #nextGroup(): Waiting[] {
    let size = 0;
    const end = this.#waiting.findIndex(({ records }, index) => {
      size += records.reduce((sum, { text, raw }) => sum + text.length + (raw?.length ?? 0), 0);
      return index > 0 && size > groupLimit;
    });
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : end);
  }

  /** What waits behind a failed write goes on from it: it fails too. */
  #fail(waiting: readonly Waiting[], error: unknown): void {
    this.#accepted = this.#written;
    for (const { reject } of waiting) reject(error);
  }
}

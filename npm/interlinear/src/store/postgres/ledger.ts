import { sessionLost } from "../failures.js";
import type { Stored } from "../record.js";
import type { Ledger } from "../writer.js";
import type { Database } from "./database.js";
import { noteOf } from "./listener.js";
import type { Statements } from "./tables.js";

/** Who may write a session: the holder of its lease. */
export interface Lease {
  readonly sessionId: string;
  readonly key: string;
  readonly holder: string;
  /** For how long it is held without a sign of life, in milliseconds. */
  readonly duration: number;
}

/** Stands for the native object of the event before: JSON text is never empty. */
export const sameRaw = "";

/** What a ledger is made of. */
export interface LedgerParts {
  readonly database: Database;
  readonly sql: Statements;
  /** Where others hear of what is written. */
  readonly channel: string;
  readonly lease: Lease;
  readonly lastSequence: number;
  readonly metadata: Record<string, unknown>;
  /** Called when the session is free. */
  readonly closed: () => void;
}

/** Writes one session's rows. */
export class PostgresLedger implements Ledger {
  readonly #parts: LedgerParts;
  #last: number;
  #metadata: Record<string, unknown>;

  constructor(parts: LedgerParts) {
    this.#parts = parts;
    this.#last = parts.lastSequence;
    this.#metadata = parts.metadata;
  }

  async write(records: readonly Stored[]): Promise<void> {
    const { database, sql, channel, lease } = this.#parts;
    const { key, holder, duration } = lease;
    const last = this.#last + records.length;
    const { rows } = await database.query(sql.append, [
      key,
      holder,
      this.#last,
      last,
      records.map(({ sequence }) => sequence),
      records.map(({ text }) => text),
      records.map(({ raw }, index) => (raw !== null && raw === records[index - 1]?.raw ? sameRaw : raw)),
      records.reduce((sum, { text, raw }) => sum + text.length + (raw?.length ?? 0), 0),
      records.at(-1)?.ended ?? false,
      Date.now(),
      duration,
      channel,
      noteOf(key),
    ]);
    if (rows.length === 0) await this.#mustBeWritten(last);
    this.#last = last;
  }

  async describe(metadata: Record<string, unknown>): Promise<void> {
    this.#metadata = { ...this.#metadata, ...metadata };
    const { database, sql, lease } = this.#parts;
    const values = [lease.key, lease.holder, JSON.stringify(this.#metadata)];
    if ((await database.query(sql.describe, values)).rows.length === 0) throw sessionLost(lease.sessionId);
  }

  async close(): Promise<void> {
    const { database, sql, lease, closed } = this.#parts;
    try {
      await database.query(sql.release, [lease.key, lease.holder]);
    } finally {
      closed();
    }
  }

  /** A connection that broke in the middle may have written all the same. Else the session is another's by now. */
  async #mustBeWritten(last: number): Promise<void> {
    const { database, sql, lease } = this.#parts;
    const { rows } = await database.query(sql.held, [lease.key, lease.holder]);
    if (Number(rows[0]?.["last_sequence"]) !== last) throw sessionLost(lease.sessionId);
  }
}

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

/** Writes one session's rows. */
export class PostgresLedger implements Ledger {
  readonly #database: Database;
  readonly #sql: Statements;
  readonly #channel: string;
  readonly #lease: Lease;
  readonly #closed: () => void;
  #last: number;
  #metadata: Record<string, unknown>;

  constructor(
    database: Database,
    sql: Statements,
    channel: string,
    lease: Lease,
    state: { last: number; metadata: Record<string, unknown> },
    closed: () => void,
  ) {
    this.#database = database;
    this.#sql = sql;
    this.#channel = channel;
    this.#lease = lease;
    this.#last = state.last;
    this.#metadata = state.metadata;
    this.#closed = closed;
  }

  async write(records: readonly Stored[]): Promise<void> {
    const { key, holder, duration } = this.#lease;
    const last = this.#last + records.length;
    const { rows } = await this.#database.query(this.#sql.append, [
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
      this.#channel,
      noteOf(key),
    ]);
    if (rows.length === 0) await this.#mustBeWritten(last);
    this.#last = last;
  }

  async describe(metadata: Record<string, unknown>): Promise<void> {
    this.#metadata = { ...this.#metadata, ...metadata };
    const { key, holder, sessionId } = this.#lease;
    const values = [key, holder, JSON.stringify(this.#metadata)];
    if ((await this.#database.query(this.#sql.describe, values)).rows.length === 0) throw sessionLost(sessionId);
  }

  async close(): Promise<void> {
    try {
      await this.#database.query(this.#sql.release, [this.#lease.key, this.#lease.holder]);
    } finally {
      this.#closed();
    }
  }

  /** A connection that broke in the middle may have written all the same. Else the session is another's by now. */
  async #mustBeWritten(last: number): Promise<void> {
    const { key, holder, sessionId } = this.#lease;
    const { rows } = await this.#database.query(this.#sql.held, [key, holder]);
    if (Number(rows[0]?.["last_sequence"]) !== last) throw sessionLost(sessionId);
  }
}

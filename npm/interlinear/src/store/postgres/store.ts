import { randomUUID } from "node:crypto";
import type { Agent, UniversalEvent } from "../../../types/index.js";
import { InterlinearError } from "../../errors.js";
import { checkPlace, sessionBusy, unknownSession } from "../failures.js";
import { Fanout } from "../fanout.js";
import { decode, wantsNative } from "../record.js";
import type { Gap, ReadOptions, SessionInfo, SessionMeta, SessionWriter, Store, SubscribeOptions } from "../store.js";
import { Writer } from "../writer.js";
import { connect, Database, type PgPool } from "./database.js";
import { PostgresLedger, sameRaw } from "./ledger.js";
import { Listener, noteOf } from "./listener.js";
import { keyOf, type Statements, sessionIdOf, statements } from "./tables.js";

/** How a `PostgresStore` is opened. */
export interface PostgresStoreOptions {
  /** Where the database is: `postgres://user:password@host/database`. Needs the package `pg`. */
  url?: string;
  /** A `Pool` of the package `pg`, instead; it is not ended when the store is closed. */
  pool?: PgPool;
  /** What the names of the tables begin with; `interlinear_` if not given. */
  prefix?: string;
  /** After so many milliseconds without a sign of life, another may write a session; 15,000 if not given. */
  lease?: number;
  /** For so many milliseconds a call waits for a database that is away; 30,000 if not given. */
  patience?: number;
}

/** Keeps sessions in Postgres, for any number of servers. */
export class PostgresStore implements Store {
  readonly #database: Database;
  readonly #ownPool: boolean;
  readonly #sql: Statements;
  readonly #channel: string;
  readonly #lease: number;
  readonly #listener: Listener;
  readonly #fanout: Fanout;
  readonly #writers = new Map<string, { writer: SessionWriter; holder: string }>();
  #renewing: NodeJS.Timeout | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: PostgresStoreOptions) {
    const { url = "", pool, prefix = "interlinear_", lease = 15_000, patience = 30_000 } = options;
    if (!/^[a-z_][a-z0-9_]{0,40}$/.test(prefix)) throw badPrefix(prefix);
    this.#sql = statements(prefix);
    this.#ownPool = pool === undefined;
    this.#database = new Database(async () => pool ?? (await connect(url)), patience, this.#sql.create);
    this.#lease = lease;
    this.#channel = `${prefix}events`;
    this.#listener = new Listener(this.#database, this.#channel);
    this.#fanout = new Fanout({
      read: (sessionId, where) => this.read(sessionId, where),
      info: (sessionId) => this.info(sessionId),
      watch: (sessionId, stir) => this.#watch(sessionId, stir),
    });
  }

  async open(sessionId: string, meta: SessionMeta = {}): Promise<SessionWriter> {
    const lease = { sessionId, key: keyOf(sessionId), holder: randomUUID(), duration: this.#lease };
    const values = [lease.key, meta.agent ?? null, Date.now(), lease.holder, lease.duration];
    const { rows } = await this.#database.query(this.#sql.open, values);
    const [row] = rows;
    if (row === undefined) throw sessionBusy(sessionId);
    const lastSequence = Number(row["last_sequence"]);
    const ledger = new PostgresLedger({
      database: this.#database,
      sql: this.#sql,
      channel: this.#channel,
      lease,
      lastSequence,
      metadata: JSON.parse(row["metadata"] as string),
      closed: () => {
        // It may have lost the session, and another been opened.
        if (this.#writers.get(sessionId)?.holder === lease.holder) this.#writers.delete(sessionId);
      },
    });
    await ledger.describe(meta.metadata ?? {}).catch(async (error: unknown) => {
      await ledger.close();
      throw error;
    });
    const writer = new Writer(sessionId, lastSequence, ledger, (events) => this.#fanout.publish(sessionId, events));
    this.#writers.set(sessionId, { writer, holder: lease.holder });
    // From here on what others write is not listened to: what they wrote until now is looked for once more.
    this.#fanout.stir(sessionId);
    this.#renew();
    return writer;
  }

  async list(options: { limit?: number; offset?: number } = {}): Promise<SessionInfo[]> {
    const { limit = null, offset = 0 } = options;
    return (await this.#database.query(this.#sql.list, [limit, offset])).rows.map(infoOf);
  }

  async info(sessionId: string): Promise<SessionInfo | undefined> {
    return (await this.#database.query(this.#sql.info, [keyOf(sessionId)])).rows.map(infoOf)[0];
  }

  async *read(sessionId: string, options: ReadOptions = {}): AsyncGenerator<UniversalEvent[], void> {
    checkPlace(options);
    const { offset = 0, limit = Number.POSITIVE_INFINITY, signal } = options;
    const native = wantsNative(options);
    const statement = native ? this.#sql.readWithRaw : this.#sql.read;
    let position = offset;
    let size = 64;
    for (let left = limit; left > 0; ) {
      signal?.throwIfAborted();
      const wanted = Math.min(size, left);
      const { rows } = await this.#database.query(statement, [keyOf(sessionId), position, wanted]);
      if (native) await this.#shareRaw(sessionId, position, rows as unknown as Row[]);
      const events = (rows as unknown as Row[]).map(({ event, raw }) => decode(event, raw ?? null, options));
      if (events.length > 0) yield events;
      else if (position === offset) break;
      if (events.length < wanted) return;
      left -= events.length;
      position += events.length;
      size = nextSize(rows as unknown as Row[]);
    }
    if ((await this.info(sessionId)) === undefined) throw unknownSession(sessionId);
  }

  subscribe(sessionId: string, options?: SubscribeOptions): AsyncGenerator<UniversalEvent | Gap, void> {
    return this.#fanout.subscribe(sessionId, options);
  }

  async delete(sessionId: string): Promise<void> {
    const key = keyOf(sessionId);
    const { rows } = await this.#database.query(this.#sql.delete, [key, this.#channel, noteOf(key)]);
    if (rows.length === 0) {
      throw (await this.info(sessionId)) === undefined ? unknownSession(sessionId) : sessionBusy(sessionId);
    }
    this.#fanout.finish(sessionId, unknownSession(sessionId));
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    clearInterval(this.#renewing);
    await Promise.allSettled(Array.from(this.#writers.values(), ({ writer }) => writer.close()));
    this.#fanout.finish();
    this.#listener.close();
    await this.#database.close(this.#ownPool);
  }

  /** Tells of what other servers write. */
  async #watch(sessionId: string, stir: () => void): Promise<() => void> {
    // The listener waits for a database that is away; one that is not there at all is found out here.
    await this.#database.query("select 1", []);
    return await this.#listener.watch(keyOf(sessionId), () => {
      if (!this.#writers.has(sessionId)) stir();
    });
  }

  /** A sign of life for all that is open here, while something is. */
  #renew(): void {
    this.#renewing ??= setInterval(() => {
      const holders = Array.from(this.#writers.values(), ({ holder }) => holder);
      if (holders.length > 0) void this.#database.query(this.#sql.renew, [holders, this.#lease]).catch(() => undefined);
    }, this.#lease / 3).unref();
  }

  /** Puts in what an event shares with the one before. */
  async #shareRaw(sessionId: string, position: number, rows: Row[]): Promise<void> {
    let before = rows[0]?.raw === sameRaw ? await this.#rawAt(sessionId, position) : null;
    for (const row of rows) {
      if (row.raw === sameRaw) row.raw = before;
      else before = row.raw ?? null;
    }
  }

  async #rawAt(sessionId: string, sequence: number): Promise<string | null> {
    const { rows } = await this.#database.query(this.#sql.sharedRaw, [keyOf(sessionId), sequence]);
    return (rows[0]?.["raw"] as string | undefined) ?? null;
  }
}

function badPrefix(prefix: string): InterlinearError {
  const cure = "Use small letters, digits and `_`, no digit in front, and no more than 41 of them.";
  return new InterlinearError("bad_options", `${JSON.stringify(prefix)} is no prefix of a table's name`, cure);
}

interface Row {
  event: string;
  raw?: string | null;
}

/** How many events to ask for next: about a megabyte. */
function nextSize(rows: readonly Row[]): number {
  const bytes = rows.reduce((sum, { event, raw }) => sum + event.length + (raw?.length ?? 0), 1);
  return Math.max(1, Math.min(2_000, Math.round((rows.length * 1_000_000) / bytes)));
}

function infoOf(row: Record<string, unknown>): SessionInfo {
  return {
    sessionId: sessionIdOf(row["session_id"] as string),
    agent: (row["agent"] as Agent | null) ?? undefined,
    createdAt: Number(row["created_at"]),
    updatedAt: Number(row["updated_at"]),
    lastSequence: Number(row["last_sequence"]),
    ended: row["ended"] as boolean,
    bytes: Number(row["bytes"]),
    metadata: JSON.parse(row["metadata"] as string) as Record<string, unknown>,
  };
}

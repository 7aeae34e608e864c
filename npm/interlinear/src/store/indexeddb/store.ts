import type { UniversalEvent } from "../../../types/index.js";
import { checkPlace, sessionBusy, unknownSession } from "../failures.js";
import { Fanout } from "../fanout.js";
import { decode, type Stored } from "../record.js";
import type { Gap, ReadOptions, SessionInfo, SessionMeta, SessionWriter, Store, SubscribeOptions } from "../store.js";
import { type Ledger, Writer } from "../writer.js";
import { begin, committed, events, openDatabase, result, sessions } from "./database.js";
import { tryLock } from "./lock.js";

/** How an `IndexedDbStore` is opened. */
export interface IndexedDbStoreOptions {
  /** The name of the database; `interlinear` if not given. */
  name?: string;
}

/** How many events are read at once. */
const batchSize = 256;

/** Keeps sessions in the browser. Any number of tabs may follow a session while one writes it. */
export class IndexedDbStore implements Store {
  readonly #name: string;
  readonly #database: Promise<IDBDatabase>;
  /** Tells other tabs which session was written. */
  readonly #channel: BroadcastChannel;
  readonly #watchers = new Map<string, Set<() => void>>();
  readonly #writers = new Map<string, SessionWriter>();
  readonly #fanout: Fanout;

  constructor(options: IndexedDbStoreOptions = {}) {
    this.#name = options.name ?? "interlinear";
    this.#database = openDatabase(this.#name);
    this.#channel = new BroadcastChannel(`interlinear store ${this.#name}`);
    this.#channel.onmessage = ({ data }) => {
      for (const stir of this.#watchers.get(data) ?? []) stir();
    };
    this.#fanout = new Fanout({
      read: (sessionId, where) => this.read(sessionId, where),
      info: (sessionId) => this.info(sessionId),
      watch: async (sessionId, stir) => this.#watch(sessionId, stir),
    });
  }

  async open(sessionId: string, meta: SessionMeta = {}): Promise<SessionWriter> {
    const release = await tryLock(this.#lockName(sessionId));
    if (release === undefined) throw sessionBusy(sessionId);
    try {
      const info = await this.#begin(sessionId, meta);
      const ledger = this.#ledger(info, async () => {
        this.#writers.delete(sessionId);
        await release();
      });
      const writer = new Writer(sessionId, info.lastSequence, ledger, (list) => this.#fanout.publish(sessionId, list));
      this.#writers.set(sessionId, writer);
      // From here on what others write is not listened to: what they wrote until now is looked for once more.
      this.#fanout.stir(sessionId);
      return writer;
    } catch (error) {
      await release();
      throw error;
    }
  }

  async list(options: { limit?: number; offset?: number } = {}): Promise<SessionInfo[]> {
    const { limit = Number.POSITIVE_INFINITY, offset = 0 } = options;
    const transaction = begin(await this.#database, sessions);
    const all: SessionInfo[] = await result(transaction.objectStore(sessions).getAll());
    return all.sort((a, b) => b.updatedAt - a.updatedAt).slice(offset, offset + limit);
  }

  async info(sessionId: string): Promise<SessionInfo | undefined> {
    const transaction = begin(await this.#database, sessions);
    return await result(transaction.objectStore(sessions).get(sessionId));
  }

  async *read(sessionId: string, options: ReadOptions = {}): AsyncGenerator<UniversalEvent[], void> {
    checkPlace(options);
    const { offset = 0, limit = Number.POSITIVE_INFINITY, signal } = options;
    if ((await this.info(sessionId)) === undefined) throw unknownSession(sessionId);
    for (let position = offset; ; ) {
      signal?.throwIfAborted();
      const wanted = Math.min(batchSize, offset + limit - position);
      if (wanted <= 0) return;
      const range = IDBKeyRange.bound([sessionId, position], [sessionId, Number.POSITIVE_INFINITY], true);
      const transaction = begin(await this.#database, events);
      const rows: Row[] = await result(transaction.objectStore(events).getAll(range, wanted));
      if (rows.length > 0) yield rows.map(({ text, raw }) => decode(text, raw, options));
      if (rows.length < wanted) return;
      position += rows.length;
    }
  }

  subscribe(sessionId: string, options?: SubscribeOptions): AsyncGenerator<UniversalEvent | Gap, void> {
    return this.#fanout.subscribe(sessionId, options);
  }

  async delete(sessionId: string): Promise<void> {
    if ((await this.info(sessionId)) === undefined) throw unknownSession(sessionId);
    const release = await tryLock(this.#lockName(sessionId));
    if (release === undefined) throw sessionBusy(sessionId);
    try {
      const transaction = begin(await this.#database, [sessions, events], "readwrite");
      transaction.objectStore(sessions).delete(sessionId);
      transaction.objectStore(events).delete(IDBKeyRange.bound([sessionId], [sessionId, []]));
      await committed(transaction);
    } finally {
      await release();
    }
    this.#channel.postMessage(sessionId);
    this.#fanout.finish(sessionId, unknownSession(sessionId));
  }

  async close(): Promise<void> {
    await Promise.all(Array.from(this.#writers.values(), (writer) => writer.close()));
    this.#fanout.finish();
    this.#channel.close();
    (await this.#database).close();
  }

  #lockName(sessionId: string): string {
    // Not the id itself: names of locks cannot hold every string.
    return `interlinear store ${this.#name} ${JSON.stringify(sessionId)}`;
  }

  async #begin(sessionId: string, meta: SessionMeta): Promise<SessionInfo> {
    const now = Date.now();
    const before = await this.info(sessionId);
    const info: SessionInfo = {
      sessionId,
      agent: before?.agent ?? meta.agent,
      createdAt: before?.createdAt ?? now,
      updatedAt: before?.updatedAt ?? now,
      lastSequence: before?.lastSequence ?? 0,
      ended: before?.ended ?? false,
      bytes: before?.bytes ?? 0,
      metadata: { ...before?.metadata, ...meta.metadata },
    };
    await this.#write(info, []);
    return info;
  }

  #ledger(begun: SessionInfo, close: () => Promise<void>): Ledger {
    let info = begun;
    return {
      write: async (records) => {
        const bytes = records.reduce((sum, { text, raw }) => sum + text.length + (raw?.length ?? 0), info.bytes);
        const lastSequence = info.lastSequence + records.length;
        const next = { ...info, bytes, lastSequence, ended: records.at(-1)?.ended ?? false, updatedAt: Date.now() };
        await this.#write(next, records);
        info = next;
        this.#channel.postMessage(info.sessionId);
      },
      describe: async (metadata) => {
        info = { ...info, metadata: { ...info.metadata, ...metadata } };
        await this.#write(info, []);
      },
      close,
    };
  }

  /** In one transaction: all of it, or nothing. */
  async #write(info: SessionInfo, records: readonly Stored[]): Promise<void> {
    const transaction = begin(await this.#database, [sessions, events], "readwrite");
    transaction.objectStore(sessions).put(info, info.sessionId);
    const table = transaction.objectStore(events);
    // `add`, not `put`: a sequence stands once.
    for (const { sequence, text, raw } of records) table.add({ text, raw }, [info.sessionId, sequence]);
    await committed(transaction);
  }

  #watch(sessionId: string, stir: () => void): () => void {
    const watchers = this.#watchers.get(sessionId) ?? new Set();
    const hear = () => {
      if (!this.#writers.has(sessionId)) stir();
    };
    this.#watchers.set(sessionId, watchers.add(hear));
    return () => {
      watchers.delete(hear);
      if (watchers.size === 0) this.#watchers.delete(sessionId);
    };
  }
}

interface Row {
  text: string;
  raw: string | null;
}

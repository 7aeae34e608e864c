import type { UniversalEvent } from "../../types/index.js";
import { checkPlace, sessionBusy, unknownSession } from "./failures.js";
import { Fanout } from "./fanout.js";
import { decode, type Stored } from "./record.js";
import type { Gap, ReadOptions, SessionInfo, SessionMeta, SessionWriter, Store, SubscribeOptions } from "./store.js";
import { Writer } from "./writer.js";

interface Shelf {
  info: SessionInfo;
  records: Stored[];
  writer: SessionWriter | undefined;
}

/** How many events a batch of `read` has. */
const batchSize = 256;

/** Keeps sessions as long as the program runs. */
export class MemoryStore implements Store {
  readonly #shelves = new Map<string, Shelf>();
  readonly #fanout = new Fanout(this);

  async open(sessionId: string, meta: SessionMeta = {}): Promise<SessionWriter> {
    const shelf = this.#shelves.get(sessionId) ?? newShelf(sessionId);
    if (shelf.writer !== undefined) throw sessionBusy(sessionId);
    shelf.info.agent ??= meta.agent;
    Object.assign(shelf.info.metadata, structuredClone(meta.metadata ?? {}));
    this.#shelves.set(sessionId, shelf);
    const ledger = {
      write: async (records: readonly Stored[]) => add(shelf, records),
      describe: async (metadata: Record<string, unknown>) => {
        Object.assign(shelf.info.metadata, structuredClone(metadata));
      },
      close: async () => {
        shelf.writer = undefined;
      },
    };
    shelf.writer = new Writer(sessionId, shelf.records.length, ledger, (events) =>
      this.#fanout.publish(sessionId, events),
    );
    return shelf.writer;
  }

  async list(options: { limit?: number; offset?: number } = {}): Promise<SessionInfo[]> {
    const { limit = Number.POSITIVE_INFINITY, offset = 0 } = options;
    const infos = Array.from(this.#shelves.values(), ({ info }) => structuredClone(info));
    return infos.sort((a, b) => b.updatedAt - a.updatedAt).slice(offset, offset + limit);
  }

  async info(sessionId: string): Promise<SessionInfo | undefined> {
    return structuredClone(this.#shelves.get(sessionId)?.info);
  }

  async *read(sessionId: string, options: ReadOptions = {}): AsyncGenerator<UniversalEvent[], void> {
    checkPlace(options);
    const { offset = 0, limit = Number.POSITIVE_INFINITY, signal } = options;
    const shelf = this.#shelves.get(sessionId);
    if (shelf === undefined) throw unknownSession(sessionId);
    const end = Math.min(shelf.records.length, offset + limit);
    for (let start = offset; start < end; start += batchSize) {
      signal?.throwIfAborted();
      const records = shelf.records.slice(start, Math.min(start + batchSize, end));
      yield records.map(({ text, raw }) => decode(text, raw, options));
    }
  }

  subscribe(sessionId: string, options?: SubscribeOptions): AsyncGenerator<UniversalEvent | Gap, void> {
    return this.#fanout.subscribe(sessionId, options);
  }

  async delete(sessionId: string): Promise<void> {
    const shelf = this.#shelves.get(sessionId);
    if (shelf === undefined) throw unknownSession(sessionId);
    if (shelf.writer !== undefined) throw sessionBusy(sessionId);
    this.#shelves.delete(sessionId);
    this.#fanout.finish(sessionId, unknownSession(sessionId));
  }

  async close(): Promise<void> {
    await Promise.all(Array.from(this.#shelves.values(), ({ writer }) => writer?.close()));
    this.#fanout.finish();
  }
}

function newShelf(sessionId: string): Shelf {
  const now = Date.now();
  const times = { createdAt: now, updatedAt: now };
  const info = { sessionId, agent: undefined, ...times, lastSequence: 0, ended: false, bytes: 0, metadata: {} };
  return { info, records: [], writer: undefined };
}

function add(shelf: Shelf, records: readonly Stored[]): void {
  const { info } = shelf;
  for (const record of records) {
    shelf.records.push(record);
    info.bytes += record.text.length + (record.raw?.length ?? 0);
    info.ended = record.ended;
  }
  info.lastSequence = shelf.records.length;
  info.updatedAt = Date.now();
}

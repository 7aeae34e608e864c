import { mkdir, readdir, rm, stat } from "node:fs/promises";
import type { Agent, UniversalEvent } from "../../../types/index.js";
import { codeOf, InterlinearError } from "../../errors.js";
import { checkPlace, sessionBusy, unknownSession } from "../failures.js";
import { Fanout } from "../fanout.js";
import { checkRetention, prune, type Retention } from "../retention.js";
import type { Gap, ReadOptions, SessionInfo, SessionMeta, SessionWriter, Store, SubscribeOptions } from "../store.js";
import { Writer } from "../writer.js";
import { changeAbout, readAbout } from "./about.js";
import { Claim, isClaimed } from "./claim.js";
import { storeFailure } from "./failure.js";
import { JsonlLedger, type Sync } from "./ledger.js";
import { lastLine, openIfThere } from "./lines.js";
import { encodeName, nameOf, type Paths, pathsOf } from "./names.js";
import { checkOwner, ownerOf } from "./owner.js";
import { eventOf, readEvents } from "./reader.js";
import { repair } from "./repair.js";
import { watchFile } from "./watch.js";

/** How a `JsonlStore` is opened. */
export interface JsonlStoreOptions {
  /** When what is written must be on the disk; 1000 (milliseconds) if not given. */
  sync?: Sync;
  /** Which sessions are kept; all if not given. Looked after when a session is opened. */
  retention?: Retention;
}

/** How many files are looked into at a time: a process may not open any number of them. */
const openAtOnce = 64;

/** How often sessions are looked through for those that need not be kept. */
const pruneInterval = 60_000;

/**
 * Keeps each session in a file of its own: an event a line, as it was made. Any number of processes may read a session
 * while one writes it.
 */
export class JsonlStore implements Store {
  readonly #folder: string;
  readonly #options: JsonlStoreOptions;
  readonly #writers = new Set<SessionWriter>();
  /** Those that no other writer has taken the session from. */
  readonly #holders = new Map<string, SessionWriter>();
  readonly #fanout: Fanout;
  #pruned = 0;

  constructor(folder: string, options: JsonlStoreOptions = {}) {
    checkFolder(folder);
    checkRetention(options.retention ?? {});
    this.#folder = folder;
    this.#options = options;
    this.#fanout = new Fanout({
      read: (sessionId, where) => this.read(sessionId, where),
      info: (sessionId) => this.info(sessionId),
      watch: (sessionId, stir) => this.#watch(sessionId, stir),
    });
  }

  async open(sessionId: string, meta: SessionMeta = {}): Promise<SessionWriter> {
    const paths = this.#paths(sessionId);
    try {
      return await this.#open(sessionId, meta, paths);
    } catch (error) {
      throw storeFailure(error, paths.events, "written");
    }
  }

  async #open(sessionId: string, meta: SessionMeta, paths: Paths): Promise<SessionWriter> {
    await checkOwner(sessionId, paths);
    await mkdir(paths.side, { recursive: true, mode: 0o700 });
    const claim = await Claim.take(sessionId, paths.side);
    try {
      const writer = await this.#openWriter(sessionId, meta, paths, claim);
      this.#writers.add(writer);
      this.#holders.set(sessionId, writer);
      // From here on what others write is not listened to: what they wrote until now is looked for once more.
      this.#fanout.stir(sessionId);
      return writer;
    } catch (error) {
      await claim.release();
      throw error;
    }
  }

  async list(options: { limit?: number; offset?: number } = {}): Promise<SessionInfo[]> {
    const { limit = Number.POSITIVE_INFINITY, offset = 0 } = options;
    const dated = await Promise.all((await this.#names()).map((name) => this.#dated(name)));
    const names = dated
      .flat()
      .sort((a, b) => b.time - a.time)
      .map(({ name }) => name);
    const found: SessionInfo[] = [];
    for (let at = 0; at < names.length && found.length < offset + limit; at += openAtOnce) {
      const some = names.slice(at, at + openAtOnce);
      const infos = await Promise.all(some.map((name) => this.#infoOf(name).catch(unlessForbidden)));
      found.push(...infos.filter((info) => info !== undefined));
    }
    return found.slice(offset, offset + limit);
  }

  /** The files that are called like transcripts and are none of this store: they are not listed, and never written. */
  async strangers(): Promise<string[]> {
    const names = await this.#names();
    const own = new Set((await this.list()).map(({ sessionId }) => encodeName(sessionId)));
    return names.filter((name) => !own.has(name)).map((name) => pathsOf(this.#folder, name).events);
  }

  async info(sessionId: string): Promise<SessionInfo | undefined> {
    try {
      return await this.#infoOf(encodeName(sessionId));
    } catch (error) {
      throw storeFailure(error, this.#paths(sessionId).events, "read");
    }
  }

  async *read(sessionId: string, options: ReadOptions = {}): AsyncGenerator<UniversalEvent[], void> {
    checkPlace(options);
    try {
      yield* this.#read(sessionId, options);
    } catch (error) {
      throw storeFailure(error, this.#paths(sessionId).events, "read");
    }
  }

  async *#read(sessionId: string, options: ReadOptions): AsyncGenerator<UniversalEvent[], void> {
    const paths = this.#paths(sessionId);
    const file = await openIfThere(paths.events);
    if (file === undefined) throw unknownSession(sessionId);
    // What is written here just now may yet be taken back: the disk may be full.
    const { lastSequence = Number.POSITIVE_INFINITY } = this.#holders.get(sessionId) ?? {};
    const { offset = 0, limit = Number.POSITIVE_INFINITY } = options;
    const there = { ...options, limit: Math.max(0, Math.min(limit, lastSequence - offset)) };
    try {
      yield* readEvents(file, paths, there);
    } finally {
      await file.close();
    }
  }

  subscribe(sessionId: string, options?: SubscribeOptions): AsyncGenerator<UniversalEvent | Gap, void> {
    return this.#fanout.subscribe(sessionId, options);
  }

  async delete(sessionId: string): Promise<void> {
    const paths = this.#paths(sessionId);
    if ((await this.info(sessionId)) === undefined) throw unknownSession(sessionId);
    if (await isClaimed(paths.side)) throw sessionBusy(sessionId);
    try {
      await rm(paths.events, { force: true });
      await rm(paths.side, { recursive: true, force: true });
    } catch (error) {
      throw storeFailure(error, paths.events, "written");
    }
    this.#fanout.finish(sessionId, unknownSession(sessionId));
  }

  async close(): Promise<void> {
    const closed = await Promise.allSettled(Array.from(this.#writers, (writer) => writer.close()));
    this.#fanout.finish();
    for (const one of closed) if (one.status === "rejected") throw one.reason;
  }

  /** What the folder has that may be a transcript. */
  async #names(): Promise<string[]> {
    const files = await readdir(this.#folder).catch(() => []);
    return files.flatMap((file) => nameOf(file) ?? []);
  }

  #paths(sessionId: string): Paths {
    return pathsOf(this.#folder, encodeName(sessionId));
  }

  async #openWriter(sessionId: string, meta: SessionMeta, paths: Paths, claim: Claim): Promise<SessionWriter> {
    const tail = await repair(paths);
    const { createdAt = Date.now() } = await readAbout(paths.about);
    await changeAbout(paths.about, { sessionId, createdAt, ...meta });
    const lost = () => {
      if (this.#holders.get(sessionId) !== writer) return;
      this.#holders.delete(sessionId);
      this.#fanout.stir(sessionId);
    };
    const closed = () => {
      lost();
      this.#writers.delete(writer);
    };
    const { sync = 1_000 } = this.#options;
    const ledger = await JsonlLedger.open({ sessionId, paths, claim, sync, tail, lost, closed });
    void this.#prune();
    const tell = (events: () => readonly UniversalEvent[]) => this.#fanout.publish(sessionId, events);
    const writer = new Writer(sessionId, tail.end.sequence - 1, ledger, tell);
    return writer;
  }

  /** Tells of what other processes write. */
  async #watch(sessionId: string, stir: () => void): Promise<() => void> {
    return watchFile(this.#paths(sessionId).events, () => {
      if (!this.#holders.has(sessionId)) stir();
    });
  }

  /** Only files: a folder has no lines, and a pipe would be waited for. */
  async #dated(name: string): Promise<{ name: string; time: number }[]> {
    const seen = await stat(pathsOf(this.#folder, name).events).catch(() => undefined);
    return seen?.isFile() ? [{ name, time: seen.mtimeMs }] : [];
  }

  async #infoOf(name: string): Promise<SessionInfo | undefined> {
    const paths = pathsOf(this.#folder, name);
    const file = await openIfThere(paths.events);
    if (file === undefined) return undefined;
    try {
      const [{ size, mtimeMs, birthtimeMs }, about] = await Promise.all([file.stat(), readAbout(paths.about)]);
      const owner = await ownerOf(file, name, about);
      if (owner === undefined) return undefined;
      const { sessionId, first } = owner;
      const last = eventOf((await lastLine(file, size)) ?? Buffer.alloc(0));
      return {
        sessionId,
        agent: about.agent ?? agentOf(first),
        createdAt: about.createdAt ?? birthtimeMs,
        updatedAt: mtimeMs,
        lastSequence: last?.sequence ?? 0,
        ended: last?.type === "session.ended",
        bytes: size + ((await sizeOf(paths.raw)) ?? 0),
        metadata: about.metadata ?? {},
      };
    } finally {
      await file.close();
    }
  }

  /** Now and then; what cannot be removed now is tried again. */
  async #prune(): Promise<void> {
    const { retention } = this.#options;
    if (retention === undefined || Date.now() - this.#pruned < pruneInterval) return;
    this.#pruned = Date.now();
    await prune(this, retention).catch(() => undefined);
  }
}

/** Programs in JavaScript may forget it. */
function checkFolder(folder: string): void {
  if (typeof folder === "string") return;
  throw new InterlinearError(
    "bad_options",
    `the folder of the store is ${folder}`,
    "Name the folder of the transcripts.",
  );
}

/** The agent of a transcript that has nothing beside it. */
function agentOf(first: UniversalEvent | undefined): Agent | undefined {
  return first?.type === "session.started" ? (first.data.metadata?.agent as Agent | undefined) : undefined;
}

/** What may not be read does not keep the others from being listed. */
function unlessForbidden(error: unknown): undefined {
  if (codeOf(error) !== "EACCES" && codeOf(error) !== "EPERM") throw error;
}

async function sizeOf(path: string): Promise<number | undefined> {
  return (await stat(path).catch(() => undefined))?.size;
}

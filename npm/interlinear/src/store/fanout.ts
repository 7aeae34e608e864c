// Hands out what is written to those who follow: write first, then tell. Every store uses this one.
import type { UniversalEvent } from "../../types/index.js";
import { onAbort } from "../abort.js";
import { checkPlace } from "./failures.js";
import { Follower, joinDeltas } from "./follower.js";
import { wantsNative } from "./record.js";
import type { Gap, Store, SubscribeOptions } from "./store.js";

/** What a store lends to its fan-out. */
export interface Source extends Pick<Store, "read" | "info"> {
  /** Calls `stir` whenever something may have been written elsewhere (another process, tab, server). */
  watch?(sessionId: string, stir: () => void): Promise<() => void>;
}

/** The subscribers of all sessions of a store. */
export class Fanout {
  readonly #source: Source;
  readonly #topics = new Map<string, Topic>();

  constructor(source: Source) {
    this.#source = source;
  }

  /** Tells what was written here, if somebody follows. */
  publish(sessionId: string, events: () => readonly UniversalEvent[]): void {
    const topic = this.#topics.get(sessionId);
    if (topic === undefined) return;
    try {
      topic.publish(events());
    } catch {
      // Lines that hold no events are written all the same: who reads them hears what is wrong.
      topic.stir();
    }
  }

  /** Something may have been written elsewhere, and not been told here. */
  stir(sessionId: string): void {
    this.#topics.get(sessionId)?.stir();
  }

  async *subscribe(sessionId: string, options: SubscribeOptions = {}): AsyncGenerator<UniversalEvent | Gap, void> {
    checkPlace(options);
    const { signal } = options;
    signal?.throwIfAborted();
    const follower = new Follower(sessionId, options);
    const release = onAbort(signal, () => follower.finish(signal?.reason));
    const topic = this.#topic(sessionId);
    topic.join(follower);
    try {
      await topic.ready;
      const info = await this.#source.info(sessionId);
      if (info?.ended === true && info.lastSequence <= follower.position) return;
      yield* this.#follow(sessionId, follower, options);
    } finally {
      release();
      if (topic.leave(follower)) this.#topics.delete(sessionId);
    }
  }

  /** Ends the subscriptions of a session, or of all. */
  finish(sessionId?: string, error?: unknown): void {
    const topics = sessionId === undefined ? [...this.#topics.values()] : [this.#topics.get(sessionId)];
    for (const topic of topics) topic?.finish(error);
  }

  #topic(sessionId: string): Topic {
    const known = this.#topics.get(sessionId);
    if (known !== undefined) return known;
    const topic = new Topic(sessionId, this.#source);
    this.#topics.set(sessionId, topic);
    return topic;
  }

  async *#follow(sessionId: string, follower: Follower, options: SubscribeOptions) {
    for (;;) {
      follower.startReading();
      for await (const events of this.#read(sessionId, follower, options)) {
        for (const event of events) {
          follower.read(event);
          yield event;
          if (event.type === "session.ended") return;
        }
      }
      follower.startFollowing();
      for (;;) {
        const next = await follower.next();
        if (next === undefined) return;
        if (next === "behind") break;
        yield next;
        if (next.type === "session.ended") return;
      }
    }
  }

  async *#read(sessionId: string, follower: Follower, options: SubscribeOptions) {
    const { overflow, signal } = options;
    const where = { offset: follower.position, ...follower.wanted, ...(signal !== undefined && { signal }) };
    for await (const events of this.#source.read(sessionId, where)) {
      yield overflow === "coalesce" ? joinDeltas(events) : events;
    }
  }
}

/** The subscribers of one session. */
class Topic {
  readonly ready: Promise<void>;
  readonly #sessionId: string;
  readonly #source: Source;
  readonly #followers = new Set<Follower>();
  #unwatch: (() => void) | undefined;
  #pulling = false;
  #stirred = false;

  constructor(sessionId: string, source: Source) {
    this.#sessionId = sessionId;
    this.#source = source;
    this.ready = this.#watch();
    // Who waits for it hears of a failure.
    this.ready.catch(() => undefined);
  }

  join(follower: Follower): void {
    this.#followers.add(follower);
  }

  /** Whether it was the last one. */
  leave(follower: Follower): boolean {
    this.#followers.delete(follower);
    const last = this.#followers.size === 0;
    if (last) this.#unwatch?.();
    return last;
  }

  publish(events: readonly UniversalEvent[], complete = true): void {
    for (const follower of this.#followers) follower.push(events, complete);
  }

  finish(error: unknown): void {
    for (const follower of this.#followers) follower.finish(error);
  }

  async #watch(): Promise<void> {
    const unwatch = await this.#source.watch?.(this.#sessionId, () => this.stir());
    if (this.#followers.size === 0) unwatch?.();
    else this.#unwatch = unwatch;
  }

  /** Something was written elsewhere: it is read once, for all. */
  stir(): void {
    this.#stirred = true;
    for (const follower of this.#followers) follower.stir();
    if (!this.#pulling) void this.#pull();
  }

  async #pull(): Promise<void> {
    this.#pulling = true;
    try {
      while (this.#stirred) {
        this.#stirred = false;
        await this.#pullOnce();
      }
    } catch (error) {
      this.finish(error);
    } finally {
      this.#pulling = false;
    }
  }

  async #pullOnce(): Promise<void> {
    const following = () => [...this.#followers].filter((follower) => follower.following);
    const followers = following();
    if (followers.length === 0) return;
    const offset = Math.min(...followers.map(({ position }) => position));
    const complete = followers.some(({ wanted }) => wantsNative(wanted));
    const native = { includeRaw: complete, includeSilent: complete };
    for await (const events of this.#source.read(this.#sessionId, { offset, ...native })) {
      this.publish(events, complete);
      // Those who cannot keep up read by themselves, when they are ready.
      if (following().length === 0) return;
    }
  }
}

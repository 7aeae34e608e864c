import type { EventOf, UniversalEvent } from "../../types/index.js";
import { only, type Wanted, wantsNative } from "./record.js";
import type { Gap, SubscribeOptions } from "./store.js";

/** What a follower has next: an event, a gap, `behind` (read on from the store), or nothing more. */
export type Next = UniversalEvent | Gap | "behind" | undefined;

/**
 * One subscriber. It reads the past from the store; when it has all that is written it follows: events are put into its
 * buffer, which has an end. The writer never waits for it.
 */
export class Follower {
  readonly wanted: Wanted;
  readonly #sessionId: string;
  readonly #limit: number;
  readonly #overflow: "drop" | "coalesce" | "wait";
  #buffer: (UniversalEvent | Gap)[] = [];
  #following = false;
  /** Something was written that is neither handed out nor in the buffer. */
  #behind = false;
  /** The last sequence that was handed out, is in the buffer, or was dropped. */
  #position: number;
  #gap: Gap | undefined;
  #dropped = 0;
  #over: { error?: unknown } | undefined;
  #wake: (() => void) | undefined;

  constructor(sessionId: string, options: SubscribeOptions) {
    this.#sessionId = sessionId;
    this.#limit = Math.max(1, options.buffer ?? 256);
    this.#overflow = options.overflow ?? "wait";
    this.#position = options.offset ?? 0;
    const { includeRaw = false, includeSilent = false } = options;
    this.wanted = { includeRaw, includeSilent };
  }

  /** Whether events are to be pushed; else it reads the store by itself. */
  get following(): boolean {
    return this.#following && !this.#behind && this.#over === undefined;
  }

  get position(): number {
    return this.#position;
  }

  /** From here on it reads the store. */
  startReading(): void {
    this.#following = false;
    this.#behind = false;
  }

  /** An event as it was read from the store. */
  read(event: UniversalEvent): void {
    this.#position = event.sequence;
  }

  /** The store has no more. If something was written meanwhile, it is behind: `next` says so. */
  startFollowing(): void {
    this.#following = true;
  }

  /** Something may have been written. */
  stir(): void {
    if (!this.#following) this.#behind = true;
  }

  /** Events were written; `complete` if they carry all that is native. */
  push(events: readonly UniversalEvent[], complete: boolean): void {
    this.stir();
    if (!this.following) return;
    if (!complete && wantsNative(this.wanted)) this.#behind = true;
    for (const event of events) this.#take(event);
    this.#wake?.();
  }

  /** No more will come. */
  finish(error?: unknown): void {
    this.#over ??= { error };
    this.#wake?.();
  }

  /** What comes next; waits for it. */
  async next(): Promise<Next> {
    for (;;) {
      const next = this.#buffer.shift() ?? this.#takeGap();
      if (next !== undefined) return next;
      if (this.#over?.error !== undefined) throw this.#over.error;
      if (this.#over !== undefined) return undefined;
      if (this.#behind) return "behind";
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
  }

  #take(event: UniversalEvent): void {
    if (this.#behind || event.sequence <= this.#position) return;
    // Written by somebody else in between: the store has it.
    if (event.sequence > this.#position + 1) this.#behind = true;
    else if (this.#hasRoom() || (this.#overflow === "drop" && event.type === "session.ended")) this.#put(event);
    else if (this.#overflow === "drop") this.#drop(event.sequence);
    else this.#behind = true;
  }

  #hasRoom(): boolean {
    if (this.#buffer.length < this.#limit) return true;
    if (this.#overflow === "coalesce") this.#buffer = joinDeltas(this.#buffer);
    return this.#buffer.length < this.#limit;
  }

  #put(event: UniversalEvent): void {
    const gap = this.#takeGap();
    if (gap !== undefined) this.#buffer.push(gap);
    this.#buffer.push(only(event, this.wanted));
    this.#position = event.sequence;
  }

  #drop(sequence: number): void {
    this.#dropped += 1;
    this.#gap ??= { type: "gap", session_id: this.#sessionId, from: sequence, to: sequence, dropped: 0 };
    this.#gap = { ...this.#gap, to: sequence, dropped: this.#dropped };
    this.#position = sequence;
  }

  #takeGap(): Gap | undefined {
    const gap = this.#gap;
    this.#gap = undefined;
    return gap;
  }
}

/**
 * Neighbouring deltas of the same part as one, under the envelope of the last. Only neighbours: who has seen the one
 * before a joined delta and comes back later must find all of it.
 */
export function joinDeltas<T extends UniversalEvent | Gap>(events: readonly T[]): T[] {
  const joined: (UniversalEvent | Gap)[] = [];
  for (const event of events) {
    const before = joined.at(-1);
    if (before !== undefined && isDelta(before) && isDelta(event) && samePart(before, event)) {
      joined[joined.length - 1] = join(before, event);
    } else joined.push(event);
  }
  return joined as T[];
}

type Delta = EventOf<"item.delta">;

function isDelta(event: UniversalEvent | Gap): event is Delta {
  return event.type === "item.delta" && event.raw === null && !("silent" in event || "dir" in event);
}

function samePart(a: Delta, b: Delta): boolean {
  return (
    a.data.item_id === b.data.item_id &&
    a.data.part_type === b.data.part_type &&
    a.data.part_index === b.data.part_index
  );
}

function join(first: Delta, second: Delta): Delta {
  if (second.data.replace === true) return second;
  return { ...second, data: { ...first.data, delta: first.data.delta + second.data.delta } };
}

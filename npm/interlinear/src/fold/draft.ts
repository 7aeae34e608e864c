import type { Entry, ItemEntry, TranscriptState, Turn } from "./transcript.js";

/**
 * Where entries stand, so that an event finds its item without a search.
 *
 * It is a cache beside the transcript, not part of it: one index serves all transcripts that were folded one from the
 * other, and each place that it names is verified before it is used. A transcript that comes without one (read from
 * JSON) gets it by one walk.
 */
interface Index {
  /** Key of an entry → its place. */
  readonly places: Map<string, Place>;
  /** `call_id` → key of the tool call's entry. */
  readonly calls: Map<string, string>;
  /** `turn_id` → place in `turns`. */
  readonly turns: Map<string, number>;
}

/** Where an entry stands. Places are for good: lists only grow at their end. */
interface Place {
  /** The turn, by its place in `turns`. */
  readonly turn: number;
  /** The key of the entry above it; absent: it stands in the turn's own list. */
  readonly parent?: string;
  /** Its place in that list; absent: it is the parent's result. */
  readonly at?: number;
  /** How many entries stand above it. */
  readonly depth: number;
}

/** How deep entries hang: what would hang deeper stands beside its parent, so that no input can exhaust the stack. */
const MAX_DEPTH = 64;

const indexes = new WeakMap<TranscriptState, Index>();

/** What is readonly to everyone else, and written only by a draft on objects that it made itself. */
type Writable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * A transcript while events are folded into it. Objects that the draft has made itself are changed in place, all
 * others are copied first: a batch of events costs one copy of what it touches.
 */
export class Draft {
  readonly transcript: Writable<TranscriptState>;
  readonly #index: Index;
  readonly #own = new WeakSet<object>();

  constructor(base: TranscriptState) {
    this.transcript = this.#mine({ ...base });
    this.#index = indexes.get(base) ?? indexOf(base);
  }

  /** The transcript, from now on not to be changed. */
  finish(): TranscriptState {
    indexes.set(this.transcript, this.#index);
    return this.transcript;
  }

  /** The entry with a key, to be read. */
  find(key: string): Entry | undefined {
    const place = this.#index.places.get(key);
    if (place === undefined) return undefined;
    const entry = this.#read(place);
    if (entry?.key === key) return entry;
    // The index was led astray by transcripts that were folded from the same one with other events.
    const found = search(this.transcript.turns, (candidate) => candidate.key === key);
    if (found === undefined) return undefined;
    this.#index.places.set(key, found[1]);
    return found[0];
  }

  /** The entry of the tool call with a `call_id`. */
  findCall(callId: string): ItemEntry | undefined {
    const key = this.#index.calls.get(callId);
    if (key === undefined) return undefined;
    let entry = this.find(key);
    if (entry === undefined || !isCall(entry, callId)) {
      entry = search(this.transcript.turns, (candidate) => isCall(candidate, callId))?.[0];
    }
    return entry as ItemEntry | undefined;
  }

  /** Remembers which entry is the tool call with a `call_id`. */
  nameCall(callId: string, key: string): void {
    this.#index.calls.set(callId, key);
  }

  /** The place of the turn with a `turn_id`. */
  findTurn(turnId: string): number | undefined {
    const at = this.#index.turns.get(turnId);
    if (at === undefined || this.transcript.turns[at]?.turn_id === turnId) return at;
    const found = this.transcript.turns.map((turn) => turn.turn_id).lastIndexOf(turnId);
    return found < 0 ? undefined : found;
  }

  /** Adds a turn and gives its place. */
  addTurn(turn: Turn): number {
    const at = this.transcript.turns.length;
    this.append("turns", this.#mine(turn));
    if (turn.turn_id !== undefined) this.#index.turns.set(turn.turn_id, at);
    return at;
  }

  /** Changes a turn. */
  changeTurn(at: number, change: Partial<Turn>): void {
    Object.assign(this.#turn(at), change);
  }

  /** Adds an entry below another one, or at the end of a turn. */
  add(entry: Entry, below: { parent: string } | { turn: number }): void {
    if ("parent" in below) {
      const { turn, depth, parent } = this.#place(below.parent);
      if (depth === MAX_DEPTH && parent !== undefined) {
        this.add(entry, { parent });
        return;
      }
      const children = this.#list(this.#write(below.parent), "children");
      this.#put(entry, { turn, parent: below.parent, at: children.length, depth: depth + 1 });
      children.push(entry);
    } else {
      const entries = this.#list(this.#turn(below.turn), "entries");
      this.#put(entry, { turn: below.turn, at: entries.length, depth: 0 });
      entries.push(entry);
    }
  }

  /** Adds the result of a tool call. */
  addResult(result: ItemEntry, call: string): void {
    const parent = this.#write(call) as Writable<ItemEntry>;
    const above = this.#place(call);
    this.#put(result, { turn: above.turn, parent: call, depth: above.depth + 1 });
    parent.result = result;
  }

  /** Changes the entry with a key, which is there, and gives it. */
  change<E extends Entry>(entry: E, change: Partial<E>): E {
    return Object.assign(this.#write(entry.key), change) as E;
  }

  /** Appends to one of the transcript's own lists. */
  append<K extends "turns" | "errors" | "unparsed">(list: K, value: TranscriptState[K][number]): void {
    (this.#list(this.transcript, list) as unknown[]).push(value);
  }

  #put(entry: Entry, place: Place): void {
    this.#mine(entry);
    this.#index.places.set(entry.key, place);
  }

  /** The place of an entry that is there. */
  #place(key: string): Place {
    const place = this.find(key) && this.#index.places.get(key);
    if (place === undefined) throw new Error(`no entry ${key}`);
    return place;
  }

  #read(place: Place): Entry | undefined {
    if (place.parent === undefined) return this.transcript.turns[place.turn]?.entries[place.at ?? 0];
    const parent = this.find(place.parent);
    if (place.at !== undefined) return parent?.children[place.at];
    return parent?.type === "item" ? parent.result : undefined;
  }

  /** The entry with a key, which is there, as an object of our own, with all that holds it. */
  #write(key: string): Writable<Entry> {
    const place = this.#place(key);
    if (place.parent === undefined) {
      return this.#element(this.#list(this.#turn(place.turn), "entries"), place.at ?? 0);
    }
    const parent = this.#write(place.parent);
    if (place.at !== undefined) return this.#element(this.#list(parent, "children"), place.at);
    const call = parent as Writable<ItemEntry>;
    call.result = this.#copy(call.result as ItemEntry);
    return call.result;
  }

  #turn(at: number): Writable<Turn> {
    return this.#element(this.#list(this.transcript, "turns"), at);
  }

  #element<T extends object>(list: T[], at: number): Writable<T> {
    const own = this.#copy(list[at] as T);
    list[at] = own;
    return own;
  }

  #list<T, K extends keyof T>(holder: T, field: K): T[K] extends readonly (infer E)[] ? E[] : never {
    holder[field] = this.#copy(holder[field] as object) as T[K];
    return holder[field] as T[K] extends readonly (infer E)[] ? E[] : never;
  }

  /** The object itself if it is our own, else a copy that is. */
  #copy<T extends object>(object: T): T {
    if (this.#own.has(object)) return object;
    return this.#mine((Array.isArray(object) ? [...object] : { ...object }) as T);
  }

  #mine<T extends object>(object: T): T {
    this.#own.add(object);
    return object;
  }
}

/** The index of a transcript that has none yet. */
function indexOf(transcript: TranscriptState): Index {
  const index: Index = { places: new Map(), calls: new Map(), turns: new Map() };
  transcript.turns.forEach((turn, at) => {
    if (turn.turn_id !== undefined) index.turns.set(turn.turn_id, at);
  });
  for (const [entry, place] of walk(transcript.turns)) {
    index.places.set(entry.key, place);
    if (entry.type !== "item" || entry.item.kind !== "tool_call") continue;
    for (const part of entry.item.content) {
      if (part.type === "tool_call") index.calls.set(part.call_id, entry.key);
    }
  }
  return index;
}

/** Whether an entry is the tool call with a `call_id`. */
function isCall(entry: Entry, callId: string): boolean {
  if (entry.type !== "item" || entry.item.kind !== "tool_call") return false;
  return entry.item.content.some((part) => part.type === "tool_call" && part.call_id === callId);
}

function search(turns: readonly Turn[], wanted: (entry: Entry) => boolean): [Entry, Place] | undefined {
  for (const found of walk(turns)) if (wanted(found[0])) return found;
  return undefined;
}

/** All entries with their places. */
function* walk(turns: readonly Turn[]): Generator<[Entry, Place]> {
  const open: [Entry, Place][] = [];
  for (const [turn, { entries }] of turns.entries()) {
    for (const [at, entry] of entries.entries()) open.push([entry, { turn, at, depth: 0 }]);
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      yield next;
      const [entry, place] = next;
      const below = { turn, parent: entry.key, depth: place.depth + 1 };
      for (const [at, child] of entry.children.entries()) open.push([child, { ...below, at }]);
      if (entry.type === "item" && entry.result) open.push([entry.result, below]);
    }
  }
}

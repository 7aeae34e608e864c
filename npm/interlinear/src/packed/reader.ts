// The cursor over what the core packed: one flat array of numbers and strings. The generated functions read by it, one
// after the other; nothing else runs in between.
import { IDS, TEXTS } from "./operations.js";

let values: unknown[] = [];
let at = 0;

// The last identifiers and texts, in rings: the core names them by their place.
const ids: string[] = new Array(IDS).fill("");
const texts: string[] = new Array(TEXTS).fill("");
let nextId = 0;
let nextText = 0;

/** Begins with what the core wrote in one call. */
export function begin(packed: string): void {
  values = packed.length === 0 ? [] : (JSON.parse(packed) as unknown[]);
  at = 0;
  forget();
}

/** Whether there is more. */
export function more(): boolean {
  return at < values.length;
}

/** All was read: nothing big is kept. */
export function end(): void {
  values = [];
  texts.fill("");
}

/** The core begins its rings anew. */
export function forget(): void {
  nextId = 0;
  nextText = 0;
}

/** The next value, as it is. */
export function next<T>(): T {
  return values[at++] as T;
}

/** An identifier. */
export function id(): string {
  const value = values[at++] as string | number;
  if (typeof value === "number") return ids[value] as string;
  ids[nextId] = value;
  nextId = (nextId + 1) % IDS;
  return value;
}

/** The same, where there may be none. */
export function optionalId(): string | undefined {
  if (values[at] !== null) return id();
  at++;
  return undefined;
}

/** A text. */
export function text(): string {
  const value = values[at++] as string | number;
  if (typeof value === "number") return texts[value] as string;
  texts[nextText] = value;
  nextText = (nextText + 1) % TEXTS;
  return value;
}

/** A word of a set, or one that is not in it. */
export function word<T>(set: readonly T[]): T {
  const value = values[at++] as number | T;
  return typeof value === "number" ? (set[value] as T) : value;
}

/** So many values. */
export function list<T>(read: () => T): T[] {
  const length = values[at++] as number;
  const result: T[] = [];
  for (let index = 0; index < length; index++) result.push(read());
  return result;
}

// The cursor over what the core packed: a flat array of values, and the numbers after it. The generated functions read
// by it, one after the other; nothing else runs in between.
import { COUNT, IDS, MORE, NO_ID, TEXTS } from "./operations.js";

let values: unknown[] = [];
let at = 0;

// The numbers are characters: a parser would take as long for each as for a short string.
let codes = "";
let code = 0;
let last = 0;

// The last identifiers and texts, in rings: the core names them by their place.
const ids: string[] = new Array(IDS).fill("");
const texts: string[] = new Array(TEXTS).fill("");
let nextId = 0;
let nextText = 0;

/** Begins with what the core wrote in one call. */
export function begin(packed: string): void {
  codes = packed;
  last = Math.max(0, packed.length - COUNT);
  code = last - count();
  values = code > 0 ? (JSON.parse(packed.slice(0, code)) as unknown[]) : [];
  at = 0;
  forget();
}

/** How many characters the numbers have. */
function count(): number {
  let count = 0;
  for (let digit = codes.length - 1; digit >= last; digit--) count = count * MORE + codes.charCodeAt(digit);
  return count;
}

/** Whether there is more. */
export function more(): boolean {
  return code < last;
}

/** All was read: nothing big is kept. */
export function end(): void {
  values = [];
  codes = "";
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

/** The next number. */
export function number(): number {
  const first = codes.charCodeAt(code++);
  return first < MORE ? first : largeNumber(first);
}

function largeNumber(first: number): number {
  let number = first % MORE;
  for (let scale = MORE; ; scale *= MORE) {
    const digit = codes.charCodeAt(code++);
    number += (digit % MORE) * scale;
    if (digit < MORE) return number;
  }
}

/** An identifier. */
export function id(): string {
  return idOf(number());
}

/** The same, where there may be none. */
export function optionalId(): string | undefined {
  const place = number();
  return place === NO_ID ? undefined : idOf(place);
}

function idOf(place: number): string {
  if (place > 0) return ids[place - 1] as string;
  const value = next<string>();
  ids[nextId] = value;
  nextId = (nextId + 1) % IDS;
  return value;
}

/** A text. */
export function text(): string {
  const place = number();
  if (place > 0) return texts[place - 1] as string;
  const value = next<string>();
  texts[nextText] = value;
  nextText = (nextText + 1) % TEXTS;
  return value;
}

/** A word of a set, or one that is not in it. */
export function word<T>(set: readonly T[]): T {
  const place = number();
  return place > 0 ? (set[place - 1] as T) : next<T>();
}

/** So many values. */
export function list<T>(read: () => T): T[] {
  const length = number();
  if (length === 0) return [];
  // Most have one, and a literal takes no more room than that.
  const result = [read()];
  for (let index = 1; index < length; index++) result.push(read());
  return result;
}

// What is appended at once: events, or their lines. Lines that `relay` gave go from the core into the store as they are.
import type { UniversalEvent } from "../../types/index.js";
import { toBytes } from "../bytes.js";
import { InterlinearError } from "../errors.js";
import { type Relayed, relayedBy } from "../relayed.js";
import { decode, encode, nativeText, type Stored } from "./record.js";

/** What is appended at once. */
export interface Batch {
  /** Whose events they are: of some in a row, the first. */
  readonly heads: readonly Pick<UniversalEvent, "sequence" | "session_id">[];
  readonly count: number;
  /** Their lines, if these need not be looked at. */
  readonly lines?: Uint8Array;
  /** How they are stored. */
  records(): readonly Stored[];
  /** The events, for those who follow the session. */
  events(): readonly UniversalEvent[];
}

export function batchOf(appended: readonly UniversalEvent[] | Uint8Array): Batch {
  // A copy: the caller may use its list again before all is written and told.
  if (isList(appended)) return ofEvents([...appended]);
  const bytes = toBytes(appended);
  const relayed = relayedBy(bytes);
  return relayed === undefined ? ofEvents(linesOf(bytes).map(eventOf)) : ofRelayed(bytes, relayed);
}

function ofEvents(events: readonly UniversalEvent[]): Batch {
  return { heads: events, count: events.length, records: () => events.map(encode), events: () => events };
}

function ofRelayed(bytes: Uint8Array, { sessionId, first, count, includeRaw }: Relayed): Batch {
  if (!areObjects(bytes, count)) throw changedLines();
  // The caller may do with its bytes what it likes before they are written.
  const lines = new Uint8Array(bytes);
  const records = () => {
    const texts = linesOf(lines);
    // Nothing comes after the end of a session.
    const ends = (index: number) => index === texts.length - 1 && isEnd(texts[index] as string);
    return texts.map((text, index) => ({ sequence: first + index, ended: ends(index), ...textsOf(text) }));
  };
  return {
    heads: count === 0 ? [] : [{ sequence: first, session_id: sessionId }],
    count,
    ...(!includeRaw && { lines }),
    records,
    events: () => records().map(({ text, raw }) => decode(text, raw, { includeRaw })),
  };
}

// Not `Array.isArray` itself: it does not tell a list that is read-only from bytes.
const isList = (appended: readonly UniversalEvent[] | Uint8Array): appended is readonly UniversalEvent[] =>
  Array.isArray(appended);

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function linesOf(bytes: Uint8Array): string[] {
  try {
    const lines = utf8.decode(bytes).split("\n");
    if (lines.at(-1) === "") lines.pop();
    return lines;
  } catch (error) {
    throw notLines("the bytes that were appended are not UTF-8", error);
  }
}

/** The event in a line that anybody may have written. */
function eventOf(line: string, index: number): UniversalEvent {
  try {
    const event = JSON.parse(line) as UniversalEvent | null;
    if (typeof event?.sequence === "number" && typeof event.type === "string") return event;
  } catch (error) {
    throw notLines(`line ${index + 1} of what was appended is not JSON`, error);
  }
  throw notLines(`line ${index + 1} of what was appended is no event`);
}

function notLines(message: string, cause?: unknown): InterlinearError {
  const cure = "Append events, or whole lines of JSON with an event each, as `relay` gives them.";
  return new InterlinearError("bad_input", message, cure, { cause });
}

const data = ',"data":';
const bare = ',"raw":null}';
const end = '"type":"session.ended"';

/** A line as the core writes it, and its native object: no more of it is looked at than must be. */
function textsOf(line: string): Pick<Stored, "text" | "raw"> {
  if (line.endsWith(bare)) return { text: line, raw: null };
  const place = placeOfNative(line);
  return { text: `${line.slice(0, place)}null}`, raw: nativeText(line.slice(place, -1)) };
}

function isEnd(line: string): boolean {
  return line.includes(end) && (JSON.parse(line) as UniversalEvent).type === "session.ended";
}

/** Where the native object begins, the last of an event's members: after its data, before which no object stands. */
function placeOfNative(line: string): number {
  let depth = 0;
  for (let at = line.indexOf(data) + data.length; at < line.length; at++) {
    const character = line[at];
    if (character === '"') at = endOfString(line, at);
    else if (character === "{" || character === "[") depth++;
    else if ((character === "}" || character === "]") && --depth === 0) return at + ',"raw":'.length + 1;
  }
  throw changedLines();
}

function changedLines(): InterlinearError {
  return notLines("lines were changed after `relay` gave them");
}

const [newline, opening, closing] = [10, 0x7b, 0x7d];

/** Whether the bytes are so many objects, one a line. What is in them is not looked at. */
function areObjects(bytes: Uint8Array, count: number): boolean {
  let start = 0;
  let seen = 0;
  // Bytes that were given away have no length.
  for (; start < bytes.length; seen++) {
    const end = bytes.indexOf(newline, start);
    if (end === -1 || bytes[start] !== opening || bytes[end - 1] !== closing) return false;
    start = end + 1;
  }
  return seen === count;
}

/** Where the string ends that begins there: at the next quote that has no odd number of backslashes before it. */
function endOfString(line: string, start: number): number {
  for (let at = start; at !== -1; ) {
    at = line.indexOf('"', at + 1);
    let backslashes = 0;
    while (line[at - 1 - backslashes] === "\\") backslashes++;
    if (backslashes % 2 === 0 && at !== -1) return at;
  }
  return line.length;
}

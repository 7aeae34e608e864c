// The only place that knows how output crosses from the core: packed, as `crates/schema/src/packed.rs` writes it. The
// decisions are all made there; here values are put into objects, equal to those of the full JSON in all but laziness.
import type { EventSource, EventType, ItemDeltaData, UniversalEvent } from "../types/index.js";
import { eventData, eventTypes } from "./packed/objects.js";
import {
  AGAIN,
  LINE,
  MASK_SHIFT,
  PLAIN,
  RAW,
  SAME_RAW,
  SESSION,
  SPAN_RAW,
  SYNTHETIC,
  TIME,
  TYPE,
} from "./packed/operations.js";
import { defineRaw, type Native } from "./packed/raw.js";
import { begin, end, forget, id, more, next, number, optionalId } from "./packed/reader.js";
import type { TraceLine } from "./trace.js";

const utf8 = new TextDecoder();
const DELTA = eventTypes.indexOf("item.delta");
const DIGITS = Array.from("0123456789");

// What events have in common with the one before.
let sessionId = "";
let nativeSessionId: string | undefined;
let prefix = "";
let sequence = 0;
/** How the identifiers of ten events in a row begin: turning every number into text would cost more than all the rest. */
let decade = "";
let time = "";
let delta: ItemDeltaData;
let raw: Native = "";
/** The bytes that the call read, and the copy of them that events keep: the host may use its buffer again. */
let input: Uint8Array | undefined;
let kept: Uint8Array | undefined;

/** The events of one call. With `read`, the bytes that the call was given: native objects may lie in them. */
export function decodeEvents(output: string | Uint8Array, read?: Uint8Array): UniversalEvent[] {
  const events: UniversalEvent[] = [];
  start(output, read);
  while (more()) events.push(event(number()));
  stop();
  return events;
}

/** The lines of one call, each with its events. */
export function decodeTrace(output: string | Uint8Array, read?: Uint8Array): TraceLine[] {
  const lines: TraceLine[] = [];
  let events: UniversalEvent[] = [];
  start(output, read);
  while (more()) {
    const operation = number();
    if ((operation & TYPE) !== LINE) {
      events.push(event(operation));
      continue;
    }
    lines.push(line(events));
    events = [];
  }
  stop();
  // Events that no line caused: the start of the session, the end of the process.
  if (events.length > 0) lines.push({ events });
  return lines;
}

/** Events that stand one a line. */
export function decodeLines(lines: Uint8Array): UniversalEvent[] {
  const text = utf8.decode(lines).trim();
  return text === "" ? [] : text.split("\n").map((line) => JSON.parse(line) as UniversalEvent);
}

function start(output: string | Uint8Array, read: Uint8Array | undefined): void {
  begin(typeof output === "string" ? output : utf8.decode(output));
  time = "";
  input = read;
}

/** All was read: nothing big is kept. */
function stop(): void {
  end();
  input = undefined;
  kept = undefined;
  raw = "";
}

function event(operation: number): UniversalEvent {
  const type = operation & TYPE;
  if (type === PLAIN) {
    forget();
    time = "";
    return next();
  }
  if (operation & SESSION) session();
  if (operation & TIME) time = next();
  if (operation & RAW) native(operation & RAW);
  count();
  const synthetic = (operation & SYNTHETIC) !== 0;
  if (type === AGAIN) return finish(operation, synthetic, "item.delta", { ...delta, delta: next<string>() });
  const data = eventData(type, operation >> MASK_SHIFT);
  if (type === DELTA) delta = data as ItemDeltaData;
  return finish(operation, synthetic, eventTypes[type] as EventType, data);
}

/** Puts the envelope around the data. */
function finish(operation: number, synthetic: boolean, type: EventType, data: UniversalEvent["data"]): UniversalEvent {
  const source = synthetic ? "daemon" : "agent";
  const event =
    operation & RAW
      ? defineRaw(bareEnvelope(source, synthetic, type, data), raw)
      : envelope(source, synthetic, type, data);
  return event as UniversalEvent;
}

// Each literal gives one shape: keys are in the order of the full JSON, and none is added later.

function envelope(source: EventSource, synthetic: boolean, type: EventType, data: UniversalEvent["data"]) {
  const event_id = decade + DIGITS[sequence % 10];
  const session_id = sessionId;
  const native_session_id = nativeSessionId;
  return native_session_id === undefined
    ? { event_id, sequence, time, session_id, source, synthetic, type, data, raw: null }
    : { event_id, sequence, time, session_id, native_session_id, source, synthetic, type, data, raw: null };
}

/** The same for an event whose `raw` is yet to come, as its last key. */
function bareEnvelope(source: EventSource, synthetic: boolean, type: EventType, data: UniversalEvent["data"]) {
  const event_id = decade + DIGITS[sequence % 10];
  const session_id = sessionId;
  const native_session_id = nativeSessionId;
  return native_session_id === undefined
    ? { event_id, sequence, time, session_id, source, synthetic, type, data }
    : { event_id, sequence, time, session_id, native_session_id, source, synthetic, type, data };
}

function session(): void {
  sessionId = id();
  nativeSessionId = optionalId();
  prefix = id();
  sequence = number();
  beginDecade();
}

function count(): void {
  sequence++;
  if (sequence % 10 === 0) beginDecade();
}

function beginDecade(): void {
  decade = sequence < 10 ? prefix : prefix + Math.floor(sequence / 10);
}

/** What the native object of this event, and of those after it that have the same, is. */
function native(kind: number): void {
  if (kind === SAME_RAW) return;
  if (kind !== SPAN_RAW) {
    raw = next();
    return;
  }
  // Not `slice`: that of a Buffer copies nothing.
  kept ??= new Uint8Array(input ?? []);
  raw = { input: kept, start: number(), end: number() };
}

function line(events: UniversalEvent[]): TraceLine {
  const line = { line: number(), dir: id(), kind: id(), text: next(), outcome: id() };
  const reason = id();
  return (reason === "" ? { ...line, events } : { ...line, reason, events }) as TraceLine;
}

import { type EventType, eventTypes, type UniversalEvent } from "interlinear";
import { decodeTrace, type TraceLine } from "interlinear/worker";
import { type NumberList, Numbers } from "./numbers.js";

/** What a row is: a native line, or one of its events beneath it. */
export interface LogRow {
  readonly line: TraceLine;
  /** The event; absent for the row of the line itself. */
  readonly event?: UniversalEvent;
}

/** Lines as they came from the core, still encoded; or lines of a session that is running. */
export type Piece = Uint8Array | readonly TraceLine[];

/** What became of a native line; `none` stands above events that no line caused. */
export type Fate = "mapped" | "ignored" | "unparsed" | "cut" | "none";

const FATES: readonly Fate[] = ["mapped", "ignored", "unparsed", "cut", "none"];

/** In the mark of a row: events from here on, lines below. */
const EVENT = 16;
/** In the mark of a row: something that this version does not know. */
const UNKNOWN = 128;

/** How many pieces are kept decoded: what can be seen, and a bit more. */
const DECODED = 12;

/** Which rows to show. */
export interface Choice {
  readonly lines: boolean;
  readonly events: boolean;
  /** Only lines with this fate, and their events; `unknown` for what this version does not know. */
  readonly fate?: Fate | "unknown";
  /** Only events of this type. */
  readonly type?: EventType;
}

/**
 * All lines of a transcript with their events, in order. Of a row only a few numbers are kept; its piece is decoded
 * again when it is looked at, so that a session of any size fits.
 */
export class Log {
  readonly #pieces: Piece[] = [];
  readonly #decoded = new Map<number, readonly TraceLine[]>();
  /** For each row: its piece, the line in it, and the event in that (from 1; 0 is the line itself). */
  readonly #piece = new Numbers();
  readonly #line = new Numbers();
  readonly #event = new Numbers();
  readonly #mark = new Numbers();
  /** The row of each event, by session and sequence. */
  readonly #rows = new Map<string, Map<number, number>>();
  readonly counts = { lines: 0, events: 0, ignored: 0, unparsed: 0, cut: 0, unknown: 0 };

  get length(): number {
    return this.#mark.length;
  }

  get pieces(): number {
    return this.#pieces.length;
  }

  /** Takes over a piece and gives its lines. */
  append(piece: Piece): readonly TraceLine[] {
    const lines = decode(piece);
    const at = this.#pieces.push(piece) - 1;
    for (const [index, line] of lines.entries()) this.#appendLine(at, index, line);
    return lines;
  }

  #appendLine(piece: number, index: number, line: TraceLine): void {
    const fate: Fate = line.line === undefined ? "none" : (line.outcome ?? "mapped");
    const unknown = line.events.some(isUnknown);
    const { counts } = this;
    if (fate !== "none") counts.lines += 1;
    if (fate === "ignored" || fate === "unparsed" || fate === "cut") counts[fate] += 1;
    if (unknown) counts.unknown += 1;
    counts.events += line.events.length;
    this.#push(piece, index, 0, FATES.indexOf(fate) | (unknown ? UNKNOWN : 0));
    for (const [number, event] of line.events.entries()) {
      this.#remember(event, this.length);
      const type = eventTypes.indexOf(event.type);
      const code = EVENT + (type < 0 ? eventTypes.length : type);
      this.#push(piece, index, number + 1, code | (isUnknown(event) ? UNKNOWN : 0));
    }
  }

  #push(piece: number, line: number, event: number, mark: number): void {
    this.#piece.push(piece);
    this.#line.push(line);
    this.#event.push(event);
    this.#mark.push(mark);
  }

  #remember({ session_id, sequence }: UniversalEvent, row: number): void {
    let rows = this.#rows.get(session_id);
    if (rows === undefined) {
      rows = new Map();
      this.#rows.set(session_id, rows);
    }
    rows.set(sequence, row);
  }

  /** What stands in a row. */
  row(index: number): LogRow | undefined {
    const line = this.lines(this.#piece.at(index))[this.#line.at(index)];
    if (line === undefined) return undefined;
    const event = line.events[this.#event.at(index) - 1];
    return event === undefined ? { line } : { line, event };
  }

  /** The row of the line that a row belongs to. */
  lineRow(index: number): number {
    return index - this.#event.at(index);
  }

  /** The row of an event. */
  rowOf(sessionId: string, sequence: number): number | undefined {
    return this.#rows.get(sessionId)?.get(sequence);
  }

  /** Whether something in a row is not known to this version. */
  isUnknown(index: number): boolean {
    return (this.#mark.at(index) & UNKNOWN) !== 0;
  }

  /** The lines of a piece. */
  lines(piece: number): readonly TraceLine[] {
    const given = this.#pieces[piece];
    if (given === undefined) return [];
    const lines = this.#decoded.get(piece) ?? decode(given);
    // The one that was used last stands last.
    this.#decoded.delete(piece);
    this.#decoded.set(piece, lines);
    const [oldest] = this.#decoded.keys();
    if (this.#decoded.size > DECODED && oldest !== undefined) this.#decoded.delete(oldest);
    return lines;
  }

  /** The rows of a choice, in order. */
  choose({ lines, events, fate, type }: Choice): NumberList {
    if (lines && events && fate === undefined && type === undefined)
      return { length: this.length, at: (index) => index };
    const chosen = new Numbers();
    let fits = true;
    for (let index = 0; index < this.length; index += 1) {
      const mark = this.#mark.at(index);
      const code = mark & ~UNKNOWN;
      if (code < EVENT) {
        fits = fate === undefined || (fate === "unknown" ? (mark & UNKNOWN) !== 0 : FATES[code] === fate);
        // Of one type, only events: a line may have others.
        if (fits && lines && type === undefined) chosen.push(index);
      } else if (fits && events && (type === undefined || eventTypes[code - EVENT] === type)) chosen.push(index);
    }
    return chosen;
  }
}

function decode(piece: Piece): readonly TraceLine[] {
  return piece instanceof Uint8Array ? decodeTrace(piece) : piece;
}

function isUnknown(event: UniversalEvent): boolean {
  if (event.type === "item.started" || event.type === "item.completed") return event.data.item.kind === "unknown";
  return !eventTypes.includes(event.type);
}

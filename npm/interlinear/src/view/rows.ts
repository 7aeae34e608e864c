// A transcript as a flat list of rows: what a virtualised list needs. What hangs below a call has a row of its own.
import type { ContentPart } from "../../types/index.js";
import type { Entry, ItemEntry, SessionState, TranscriptState, Turn } from "../fold.js";

/** One row. A row is the same object as long as what it draws is the same. */
export type Row =
  | { readonly type: "entry"; readonly key: string; readonly depth: number; readonly entry: Entry }
  /** The result of a call that has items below it, which come between the two. */
  | {
      readonly type: "result";
      readonly key: string;
      readonly depth: number;
      readonly entry: ItemEntry;
      readonly call: ItemEntry;
    }
  /** The end of a turn, or that it is running. */
  | { readonly type: "turn"; readonly key: string; readonly depth: 0; readonly turn: Turn }
  /** The end of the session. */
  | { readonly type: "end"; readonly key: string; readonly depth: 0; readonly session: SessionState };

/** Whether a call's result is drawn after what hangs below the call, in a row of its own. */
export function hasOwnResultRow(entry: ItemEntry): boolean {
  return entry.result !== undefined && entry.children.some((child) => child.type === "item");
}

/**
 * Makes rows of transcripts that were folded one from the other. An event costs the rows of its turn to be put
 * together, and one new row.
 */
export class Rows {
  readonly #byEntry = new WeakMap<Entry, readonly Row[]>();
  readonly #byTurn = new WeakMap<Turn, readonly Row[]>();
  #known = new Map<string, Row>();
  #session = "";

  /** The rows of a transcript. */
  of(transcript: TranscriptState): readonly Row[] {
    if (transcript.session.session_id !== this.#session) {
      this.#session = transcript.session.session_id;
      this.#known = new Map();
    }
    const rows = transcript.turns.flatMap((turn) => this.#turn(turn));
    const { session } = transcript;
    if (session.end !== undefined) rows.push(this.#keep({ type: "end", key: "end", depth: 0, session }));
    return rows;
  }

  #turn(turn: Turn): readonly Row[] {
    const cached = this.#byTurn.get(turn);
    if (cached) return cached;
    const rows = turn.entries.flatMap((entry) => this.#entry(entry, 0));
    if (turn.status !== "outside") {
      rows.push(this.#keep({ type: "turn", key: `turn:${turn.key}`, depth: 0, turn }));
    }
    this.#byTurn.set(turn, rows);
    return rows;
  }

  #entry(entry: Entry, depth: number): readonly Row[] {
    const cached = this.#byEntry.get(entry);
    if (cached) return cached;
    const rows: Row[] = [];
    if (isDrawn(entry)) rows.push(this.#keep({ type: "entry", key: entry.key, depth, entry }));
    this.#below(entry, depth, rows);
    if (entry.type === "item" && entry.result !== undefined) {
      const { result } = entry;
      if (hasOwnResultRow(entry)) {
        rows.push(this.#keep({ type: "result", key: result.key, depth, entry: result, call: entry }));
      }
      this.#below(result, depth, rows);
    }
    this.#byEntry.set(entry, rows);
    return rows;
  }

  /** Adds what hangs below an entry; one by one, for a subagent may have done more than a call takes arguments. */
  #below(entry: Entry, depth: number, rows: Row[]): void {
    for (const child of entry.children) {
      for (const row of this.#entry(child, depth + indent(entry, child))) rows.push(row);
    }
  }

  /** The row that is known already, if it draws the same. */
  #keep(row: Row): Row {
    const known = this.#known.get(row.key);
    if (known !== undefined && sameRow(known, row)) return known;
    this.#known.set(row.key, row);
    return row;
  }
}

/** A subagent's items stand further in than its call; a message's calls do not. */
function indent(parent: Entry, child: Entry): number {
  return parent.type === "item" && parent.item.kind === "tool_call" && child.type === "item" ? 1 : 0;
}

/** A message may hold nothing but calls, which have rows of their own. */
function isDrawn(entry: Entry): boolean {
  if (entry.type !== "item" || entry.item.kind === "tool_call" || entry.item.kind === "tool_result") return true;
  return entry.item.content.some(hasBody) || (entry.children.length === 0 && entry.completed_at === undefined);
}

function hasBody(part: ContentPart): boolean {
  return part.type !== "text" || part.text.trim() !== "";
}

/** Whether two rows draw the same: what hangs below an entry is not drawn by its row. */
function sameRow(a: Row, b: Row): boolean {
  if (a.type !== b.type || a.depth !== b.depth) return false;
  if (a.type === "entry" && b.type === "entry") {
    return same(a.entry, b.entry, ["children"]) && ownResult(a.entry) === ownResult(b.entry);
  }
  if (a.type === "result" && b.type === "result") return same(a.entry, b.entry, ["children"]);
  if (a.type === "turn" && b.type === "turn") return same(a.turn, b.turn, ["entries"]);
  return a.type === "end" && b.type === "end" && a.session === b.session;
}

function ownResult(entry: Entry): boolean {
  return entry.type === "item" && hasOwnResultRow(entry);
}

function same<T extends object>(a: T, b: T, except: readonly (keyof T)[]): boolean {
  if (a === b) return true;
  const keys = new Set([...Object.keys(a), ...Object.keys(b)] as (keyof T)[]);
  for (const key of keys) if (!except.includes(key) && !Object.is(a[key], b[key])) return false;
  return true;
}

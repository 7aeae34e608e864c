import {
  type Agent,
  type Detection,
  type EventWithSilent,
  foldSessions,
  type Stats,
  type TranscriptState,
  type TranscriptStates,
  type UniversalEvent,
} from "interlinear";
import { titleOf } from "interlinear/export";
import { type TraceLine, traceInWorker, type WorkerFile } from "interlinear/worker";
import { Log, type Piece } from "./log.js";
import { readUnknown } from "./unknown-file.js";

/** What is known of a document by now. */
export interface Reading {
  readonly status: "reading" | "done" | "failed";
  readonly transcripts: TranscriptStates;
  /** Changes whenever something was added. */
  readonly version: number;
  readonly progress?: { readonly read: number; readonly total: number };
  readonly detection?: Detection | undefined;
  readonly stats?: Stats;
  readonly error?: Problem;
}

/** What went wrong, and how to mend it. */
export interface Problem {
  readonly message: string;
  readonly cure?: string;
  readonly code?: string;
}

/** How often a page is told of what comes: seldom where there is much to draw anew. */
const noticeMs = (rows: number) => 100 + rows / 500;

/** The lines, events and transcripts of one file, or of one running session. */
export class Document {
  readonly log = new Log();
  readonly #listeners = new Set<() => void>();
  #reading: Reading = { status: "reading", transcripts: {}, version: 0 };
  #next: Partial<Reading> = {};
  #timer: ReturnType<typeof setTimeout> | undefined;
  #transcripts: TranscriptStates = {};

  readonly current = (): Reading => this.#reading;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Adds lines with their events. */
  add(piece: Piece): void {
    const lines = this.log.append(piece);
    this.#transcripts = foldSessions(this.#transcripts, eventsOf(lines));
    this.set({});
  }

  /** Notes a change, which is shown soon. */
  set(change: Partial<Reading>): void {
    Object.assign(this.#next, change);
    if (change.status !== undefined) this.#show();
    else this.#timer ??= setTimeout(() => this.#show(), noticeMs(this.log.length));
  }

  fail(thrown: unknown): void {
    this.set({ status: "failed", error: problemOf(thrown) });
  }

  #show(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const version = this.#reading.version + 1;
    this.#reading = { ...this.#reading, ...this.#next, transcripts: this.#transcripts, version };
    this.#next = {};
    for (const listener of this.#listeners) listener();
  }
}

function* eventsOf(lines: readonly TraceLine[]): Generator<UniversalEvent> {
  for (const { events } of lines) yield* events;
}

/** Whatever was thrown, for a person to read. */
export function problemOf(thrown: unknown): Problem {
  if (!(thrown instanceof Error)) return { message: String(thrown) };
  const { cure, code } = thrown as { cure?: unknown; code?: unknown };
  return {
    message: thrown.message,
    ...(typeof cure === "string" && { cure }),
    ...(typeof code === "string" && { code }),
  };
}

/** How to read files. */
export interface OpenOptions {
  /** The agent that wrote them; found out if not given. */
  readonly agent?: Agent | undefined;
  readonly signal?: AbortSignal;
}

/** Reads files in a Worker; they never leave the browser. */
export function openFiles(files: WorkerFile[] | Promise<WorkerFile[]>, options: OpenOptions = {}): Document {
  const document = new Document();
  const read = async () => {
    const list = await files;
    try {
      const { detection, stats } = await traceInWorker(list, {
        onPiece: (piece) => document.add(piece),
        onProgress: (progress) => document.set({ progress }),
        ...(options.agent && { agent: options.agent }),
        ...(options.signal && { signal: options.signal }),
      });
      document.set({ status: "done", detection, stats });
    } catch (error) {
      const [file, ...others] = list;
      if (problemOf(error).code !== "unknown_format" || file === undefined || others.length > 0) throw error;
      await readUnknown(document, blobOf(file), error, options.signal);
    }
  };
  read().catch((error: unknown) => document.fail(error));
  return document;
}

const blobOf = ({ data }: WorkerFile) => (data instanceof Uint8Array ? new Blob([data as BlobPart]) : data);

/**
 * The events of a running session as lines: events that one native object caused stand below it, and lines that gave no
 * event where they came.
 */
export function linesOf(events: readonly EventWithSilent[], before: number): TraceLine[] {
  const lines: TraceLine[] = [];
  let number = before;
  let last: string | undefined;
  for (const { silent = [], dir = "out", ...event } of events) {
    for (const { omitted = 0, ...line } of silent) {
      number += omitted + 1;
      lines.push({ ...line, line: number, events: [] });
    }
    const text = textOf(event.raw);
    const line = silent.length === 0 ? lines.at(-1) : undefined;
    const bare = { ...event, raw: null } as UniversalEvent;
    if (line !== undefined && text === last) line.events.push(bare);
    else if (text === undefined) lines.push({ events: [bare] });
    else {
      number += 1;
      const outcome = event.type === "agent.unparsed" ? "unparsed" : "mapped";
      lines.push({ line: number, dir, kind: kindOf(event.raw), text, outcome, events: [bare] });
    }
    last = text;
  }
  return lines;
}

/** What the agent wrote: JSON, or text that is none. */
function textOf(raw: unknown): string | undefined {
  if (raw === null || raw === undefined) return undefined;
  return typeof raw === "string" ? raw : JSON.stringify(raw);
}

/** What a native object calls itself. */
function kindOf(raw: unknown): string {
  if (typeof raw === "string") return "text";
  const { type, subtype, method } = Object(raw) as Record<string, unknown>;
  const name = String(type ?? method ?? ("result" in Object(raw) ? "response" : ""));
  return typeof subtype === "string" ? `${name}/${subtype}` : name;
}

/** The transcript that is shown first: the one with the most in it. */
export function mainTranscript(transcripts: TranscriptStates): TranscriptState | undefined {
  return Object.values(transcripts).reduce<TranscriptState | undefined>(
    (best, transcript) => (best === undefined || transcript.sequence > best.sequence ? transcript : best),
    undefined,
  );
}

/** What to call a document. */
export function nameOf(reading: Reading, fallback: string): string {
  const transcript = mainTranscript(reading.transcripts);
  return transcript === undefined ? fallback : titleOf(transcript, fallback);
}

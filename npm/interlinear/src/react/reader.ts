import type { UniversalEvent } from "../../types/index.js";
import { emptyTranscript, fold, type TranscriptState } from "../fold.js";
import { batches, type Progress, type StreamSource } from "./source.js";

/** A transcript, and how far its source is. */
export interface TranscriptReading {
  /** What there is to draw. */
  readonly transcript: TranscriptState;
  /** `reading` until the source ends, then `done`; `failed` if it threw. */
  readonly status: "reading" | "done" | "failed";
  /** What the source threw. */
  readonly error?: Error;
  /** How much of a file was read, in bytes. */
  readonly progress?: Progress;
}

/** Before the first event. */
export const NOTHING: TranscriptReading = { transcript: emptyTranscript, status: "reading" };

/** How long a source is kept open without anyone who looks at it: React's strict mode leaves and comes back at once. */
const GRACE_MS = 100;

/**
 * Reads one source for all components that look at it, and folds what it gives: once for each frame of the screen,
 * however many events come.
 */
export class Reader {
  readonly #source: StreamSource;
  readonly #listeners = new Set<() => void>();
  #reading = NOTHING;
  #queue: UniversalEvent[] = [];
  #next: Partial<TranscriptReading> = {};
  #stop: AbortController | undefined;
  #flush: (() => void) | undefined;

  constructor(source: StreamSource) {
    this.#source = source;
  }

  readonly current = (): TranscriptReading => this.#reading;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    // One that was left may take a while to notice it.
    const reads = this.#stop?.signal.aborted === false;
    if (!reads && this.#reading.status === "reading") void this.#read();
    return () => {
      this.#listeners.delete(listener);
      setTimeout(() => {
        if (this.#listeners.size === 0) this.#stop?.abort();
      }, GRACE_MS);
    };
  };

  async #read(): Promise<void> {
    const stop = new AbortController();
    this.#stop = stop;
    try {
      const onProgress = (progress: Progress) => this.#change({ progress });
      for await (const batch of batches(this.#source, { signal: stop.signal, onProgress })) {
        if (stop.signal.aborted) break;
        for (const event of batch) this.#queue.push(event);
        this.#change({});
      }
      if (!stop.signal.aborted) this.#change({ status: "done" });
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown : new Error(String(thrown));
      if (!stop.signal.aborted) this.#change({ status: "failed", error });
    } finally {
      if (this.#stop === stop) this.#stop = undefined;
    }
  }

  /** Remembers a change; it is shown with the next frame. */
  #change(change: Partial<TranscriptReading>): void {
    Object.assign(this.#next, change);
    if (this.#flush !== undefined) return;
    this.#flush = () => {
      this.#flush = undefined;
      const transcript = fold(this.#reading.transcript, this.#queue);
      this.#queue = [];
      this.#reading = { ...this.#reading, ...this.#next, transcript };
      this.#next = {};
      for (const listener of this.#listeners) listener();
    };
    onNextFrame(this.#flush);
  }
}

/** Frames of the screen, and where there are none (a hidden page, a test), a timer. */
function onNextFrame(run: () => void): void {
  let done = false;
  const once = () => {
    if (!done) run();
    done = true;
  };
  if (typeof requestAnimationFrame === "function") requestAnimationFrame(once);
  setTimeout(once, 50);
}

import type { UniversalEvent } from "../../types/index.js";
import type { WorkerInput } from "../worker.js";

/**
 * Where events come from:
 * - an array;
 * - anything that can be iterated asynchronously and gives events, or arrays of them: a generator, a session of the
 *   host, the client's `streamEvents`;
 * - a function that opens one of these anew: use it for what can be read only once;
 * - a `Worker` or a port that posts events, or arrays of them;
 * - a file, or the files of a stored session: they are converted by WebAssembly in a Worker of their own.
 *
 * A source is told by its identity: make it once (`useMemo`, or outside of the component).
 */
export type TranscriptSource = readonly UniversalEvent[] | StreamSource;

/** A source that gives its events as time goes by. */
export type StreamSource =
  | AsyncIterable<UniversalEvent | readonly UniversalEvent[]>
  | ((signal: AbortSignal) => AsyncIterable<UniversalEvent | readonly UniversalEvent[]>)
  | EventPort
  | WorkerInput;

/** A Worker, a `MessagePort` or a `BroadcastChannel` that posts events. */
export interface EventPort {
  addEventListener(type: "message", listener: (message: MessageEvent) => void): void;
  removeEventListener(type: "message", listener: (message: MessageEvent) => void): void;
  /** A `MessagePort` posts only after this. */
  start?(): void;
}

/** How much was read, in bytes. */
export interface Progress {
  readonly read: number;
  readonly total: number;
}

interface ReadOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
}

/** The events of any source, in batches. */
export async function* batches(source: StreamSource, options: ReadOptions): AsyncGenerator<UniversalEvent[]> {
  if (typeof source === "function") {
    yield* batches(source(options.signal), options);
  } else if (Symbol.asyncIterator in source) {
    for await (const given of untilAborted(source, options.signal)) yield batch(given);
  } else if ("addEventListener" in source) {
    yield* posted(source, options.signal);
  } else {
    yield* converted(source, options);
  }
}

function batch(given: UniversalEvent | readonly UniversalEvent[]): UniversalEvent[] {
  return Array.isArray(given) ? given : [given as UniversalEvent];
}

/** Whether a source is an array of events, which are there already; the files of a session are an array too. */
export function isEvents(source: TranscriptSource): source is readonly UniversalEvent[] {
  return Array.isArray(source) && (source.length === 0 || "sequence" in (source[0] as object));
}

/** A source that waits for its next event is left at once when nobody looks any more. */
async function* untilAborted<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]();
  // Of the one step that is waited for. A promise for all of them would keep every event.
  let leave = () => {};
  signal.addEventListener("abort", () => leave(), { once: true });
  while (!signal.aborted) {
    const step = await new Promise<IteratorResult<T> | undefined>((resolve, reject) => {
      leave = () => resolve(undefined);
      iterator.next().then(resolve, reject);
    });
    if (step === undefined) break;
    if (step.done) return;
    yield step.value;
  }
  void iterator.return?.();
}

/** What a Worker posts, until nobody looks any more. */
async function* posted(port: EventPort, signal: AbortSignal): AsyncGenerator<UniversalEvent[]> {
  const inbox = new Inbox<UniversalEvent[]>();
  const listener = ({ data }: MessageEvent) => inbox.put(batch(data));
  port.addEventListener("message", listener);
  port.start?.();
  signal.addEventListener("abort", () => inbox.close(), { once: true });
  try {
    yield* inbox.all();
  } finally {
    port.removeEventListener("message", listener);
  }
}

/** Files, converted in a Worker. The module is loaded only by those who use it. */
async function* converted(input: WorkerInput, { signal, onProgress }: ReadOptions): AsyncGenerator<UniversalEvent[]> {
  const { convertInWorker } = await import("../worker.js");
  const inbox = new Inbox<UniversalEvent[]>();
  const result = convertInWorker(input, { signal, onProgress, onEvents: (events) => inbox.put(events) });
  result.then(
    () => inbox.close(),
    () => inbox.close(),
  );
  yield* inbox.all();
  await result;
}

/** What is put in on one side comes out on the other. */
class Inbox<T> {
  #waiting: T[] = [];
  #closed = false;
  #wake = () => {};

  put(value: T): void {
    this.#waiting.push(value);
    this.#wake();
  }

  close(): void {
    this.#closed = true;
    this.#wake();
  }

  async *all(): AsyncGenerator<T> {
    for (;;) {
      const values = this.#waiting;
      this.#waiting = [];
      yield* values;
      if (this.#waiting.length > 0) continue;
      if (this.#closed) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

import type { Detection, Stats, UniversalEvent } from "../types/index.js";
import { decodeEvents } from "./decode.js";
import { InterlinearError } from "./errors.js";
import { compile } from "./load.js";
import type { ConvertOptions } from "./transcript.js";
import type { Reply, Request, WorkerFile, WorkerOutput } from "./worker-protocol.js";

export { decodeTrace } from "./decode.js";
export type { TraceLine } from "./trace.js";
export type { WorkerFile } from "./worker-protocol.js";

/** A transcript for the Worker: a file as the user chose it, bytes, or several files. */
export type WorkerInput = Blob | Uint8Array | WorkerFile[];

/** How to convert in a Worker. */
export interface WorkerOptions extends ConvertOptions {
  /** How far it is: bytes read, of how many. */
  onProgress?: (progress: { read: number; total: number }) => void;
  /** The next events, as soon as they are known. With it, the result holds none: a big file need not fit into memory. */
  onEvents?: (events: UniversalEvent[]) => void;
  /** Stops the work. */
  signal?: AbortSignal;
}

/** What came of a transcript. */
export interface WorkerResult {
  /** All events; none if `onEvents` took them. */
  events: UniversalEvent[];
  /** What the transcript turned out to be. */
  detection: Detection | undefined;
  /** What was read, and what became of it. */
  stats: Stats;
}

/** Converts a transcript in a Worker of its own, so that the page stays smooth however big the file is. */
export async function convertInWorker(input: WorkerInput, options: WorkerOptions = {}): Promise<WorkerResult> {
  const { onEvents, ...rest } = options;
  const events: UniversalEvent[] = [];
  const keep = (next: UniversalEvent[]) => {
    // One by one: a document in one line gives more at once than a call takes arguments.
    for (const event of next) events.push(event);
  };
  const take = onEvents ?? keep;
  const end = await run(input, "encoded", rest, (piece) => take(decodeEvents(piece)));
  return { events, ...end };
}

/** How to trace in a Worker. */
export interface TraceOptions extends ConvertOptions {
  /** How far it is: bytes read, of how many. */
  onProgress?: (progress: { read: number; total: number }) => void;
  /**
   * The next native lines, each with its events, encoded: `decodeTrace` gives them. Encoded they take a fraction of
   * the memory, so that a page can keep all of a big file and decode what is looked at.
   */
  onPiece: (piece: Uint8Array) => void;
  /** Stops the work. */
  signal?: AbortSignal;
}

/** Shows a transcript line by line, each with its events, in a Worker of its own. */
export function traceInWorker(input: WorkerInput, options: TraceOptions): Promise<Omit<WorkerResult, "events">> {
  const { onPiece, ...rest } = options;
  return run(input, "encodedTrace", rest, onPiece);
}

/** Asks the Worker for one piece after the other. */
async function run(
  input: WorkerInput,
  to: WorkerOutput,
  options: Omit<WorkerOptions, "onEvents">,
  take: (piece: Uint8Array) => void,
): Promise<Omit<WorkerResult, "events">> {
  const { onProgress, signal, ...convertOptions } = options;
  signal?.throwIfAborted();
  const module = await compile();
  signal?.throwIfAborted();
  const worker = startWorker();
  // Of the one reply that is waited for. A promise for all of them would keep every reply until the end.
  const waiting = { reject: (_reason: unknown) => {} };
  const stop = () => waiting.reject(signal?.reason);
  signal?.addEventListener("abort", stop);
  try {
    post(worker, { type: "open", module, files: filesOf(input), options: convertOptions, to });
    for (;;) {
      signal?.throwIfAborted();
      const reply = await ask(worker, { type: "next" }, waiting);
      if (reply.type === "failed") throw new InterlinearError(reply.code, reply.message, reply.cure);
      if (reply.type === "end") return { detection: reply.detection, stats: reply.stats };
      for (const output of reply.output) take(output);
      onProgress?.({ read: reply.read, total: reply.total });
    }
  } finally {
    signal?.removeEventListener("abort", stop);
    worker.terminate();
  }
}

function startWorker(): Worker {
  if (typeof Worker === "undefined") {
    throw new InterlinearError(
      "no_worker",
      "there is no Worker in this runtime",
      "Use `convert`, in a thread of your own if the file is big.",
    );
  }
  // Bundlers see this expression as a whole and ship the file.
  return new Worker(new URL("./worker-main.js", import.meta.url), { type: "module" });
}

function post(worker: Worker, request: Request): void {
  worker.postMessage(request);
}

/** Sends a request; gives its reply, unless who waits for it is told to stop. */
function ask(worker: Worker, request: Request, waiting: { reject: (reason: unknown) => void }): Promise<Reply> {
  return new Promise((resolve, reject) => {
    waiting.reject = reject;
    worker.onmessage = ({ data }: MessageEvent<Reply>) => resolve(data);
    worker.onerror = ({ message }) =>
      reject(
        new InterlinearError(
          "worker_failed",
          `the Worker failed: ${message || "its file cannot be loaded"}`,
          "Serve `worker-main.js` beside `worker.js`; a content security policy must allow it in `worker-src`.",
        ),
      );
    post(worker, request);
  });
}

function filesOf(input: WorkerInput): WorkerFile[] {
  if (Array.isArray(input)) return input;
  const name = typeof File !== "undefined" && input instanceof File ? input.name : "";
  return [{ name, data: input }];
}

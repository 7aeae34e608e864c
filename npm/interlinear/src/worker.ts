import type { Detection, Stats, UniversalEvent } from "../types/index.js";
import { decodeEvents } from "./decode.js";
import { InterlinearError } from "./errors.js";
import { compile } from "./load.js";
import type { ConvertOptions } from "./transcript.js";
import type { Reply, Request, WorkerFile } from "./worker-protocol.js";

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
  const { onProgress, onEvents, signal, ...convertOptions } = options;
  signal?.throwIfAborted();
  const module = await compile();
  signal?.throwIfAborted();
  const worker = startWorker();
  const events: UniversalEvent[] = [];
  const take = onEvents ?? ((next: UniversalEvent[]) => void events.push(...next));
  const aborted = rejectedBy(signal);
  try {
    post(worker, { type: "open", module, files: filesOf(input), options: convertOptions });
    for (;;) {
      const reply = await Promise.race([ask(worker, { type: "next" }), aborted.promise]);
      if (reply.type === "failed") throw new InterlinearError(reply.code, reply.message, reply.cure);
      if (reply.type === "end") return { events, detection: reply.detection, stats: reply.stats };
      for (const output of reply.output) take(decodeEvents(output));
      onProgress?.({ read: reply.read, total: reply.total });
    }
  } finally {
    aborted.forget();
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

/** Sends a request; gives its reply. */
function ask(worker: Worker, request: Request): Promise<Reply> {
  return new Promise((resolve, reject) => {
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

/** A promise that the signal rejects. */
function rejectedBy(signal: AbortSignal | undefined): { promise: Promise<never>; forget: () => void } {
  let listener = () => {};
  const promise = new Promise<never>((_, reject) => {
    listener = () => reject(signal?.reason);
  });
  promise.catch(() => {}); // it may be rejected when nobody waits any more
  signal?.addEventListener("abort", listener);
  return { promise, forget: () => signal?.removeEventListener("abort", listener) };
}

function filesOf(input: WorkerInput): WorkerFile[] {
  if (Array.isArray(input)) return input;
  const name = typeof File !== "undefined" && input instanceof File ? input.name : "";
  return [{ name, data: input }];
}

// What runs in the Worker. The build puts it into one file of its own: a Worker has no import map.
import { slices } from "./bytes.js";
import type { Core } from "./core.js";
import { InterlinearError } from "./errors.js";
import { Transcript } from "./transcript.js";
import { wasmCore } from "./wasm.js";
import type { Reply, Request, WorkerFile, WorkerOutput } from "./worker-protocol.js";

/** The part of a Worker's global scope that is used here. */
interface Scope {
  onmessage: ((message: MessageEvent<Request>) => void) | null;
  postMessage(reply: Reply, transfer: Transferable[]): void;
}

const scope = globalThis as unknown as Scope;

// Enough output for one message: fewer messages cost less, smaller ones keep the page smooth.
const pieceSize = 256 * 1024;
const readSize = 1024 * 1024;
/** How long it may be silent, in milliseconds: who waits sees that it goes on. */
const silence = 100;

let pieces: AsyncGenerator<Reply> | undefined;

scope.onmessage = ({ data }) => {
  if (data.type === "open") pieces = convert(wasmCore(data.module), data);
  else void next();
};

async function next(): Promise<void> {
  try {
    const step = await pieces?.next();
    const reply = step?.value as Reply | undefined;
    if (reply === undefined) return;
    scope.postMessage(reply, reply.type === "piece" ? reply.output.map((output) => output.buffer as ArrayBuffer) : []);
  } catch (error) {
    scope.postMessage(failed(error), []);
  }
}

function failed(error: unknown): Reply {
  const { code, message, cure } =
    error instanceof InterlinearError
      ? error
      : new InterlinearError("read_failed", (error as Error).message, "Check that the file can still be read.");
  return { type: "failed", code, message, cure };
}

/** Reads the files, gathers output into pieces, and ends with what was read. */
async function* convert(core: Core, { files, options, to }: Request & { type: "open" }): AsyncGenerator<Reply> {
  const transcript = new Transcript(core, to, options);
  const progress = { read: 0, total: files.reduce((sum, { data }) => sum + sizeOf(data), 0) };
  let gathered: Uint8Array[] = [];
  let size = 0;
  let told = performance.now();
  for await (const output of outputs(transcript, files, progress)) {
    if (output.length > 0) gathered.push(output);
    size += output.length;
    if (size < pieceSize && performance.now() - told < silence) continue;
    yield { type: "piece", output: gathered, ...progress };
    gathered = [];
    size = 0;
    told = performance.now();
  }
  yield { type: "piece", output: gathered, ...progress };
  yield { type: "end", detection: transcript.detection(), stats: transcript.stats() };
}

async function* outputs(
  transcript: Transcript<WorkerOutput>,
  files: WorkerFile[],
  progress: { read: number; total: number },
): AsyncGenerator<Uint8Array> {
  for (const { name, data } of files) {
    for await (const chunk of chunks(data, 0, sizeOf(data))) {
      progress.read += chunk.length;
      yield transcript.push(name, chunk);
    }
  }
  const { output, stretches } = transcript.plan();
  progress.total += stretches.reduce((sum, { start, end }) => sum + end - start, 0);
  yield output;
  for (const { file, start, end } of stretches) {
    const data = files[file]?.data ?? new Uint8Array();
    for await (const chunk of chunks(data, start, end)) {
      progress.read += chunk.length;
      yield transcript.feed(chunk);
    }
  }
  yield transcript.end();
}

/** The bytes of a file in slices, read from the disk a megabyte at a time. */
async function* chunks(data: Blob | Uint8Array, start: number, end: number): AsyncGenerator<Uint8Array> {
  if (data instanceof Uint8Array) {
    yield* slices(data.subarray(start, end));
    return;
  }
  let at = start;
  do {
    const buffer = await data.slice(at, Math.min(at + readSize, end)).arrayBuffer();
    yield* slices(new Uint8Array(buffer));
    at += readSize;
  } while (at < end);
}

function sizeOf(data: Blob | Uint8Array): number {
  return data instanceof Uint8Array ? data.length : data.size;
}

import { closeSync, createReadStream, openSync, readSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import type { Detection, Stats, Stretch } from "../../types/index.js";
import { detect, openTranscript } from "../convert.js";
import { codeOf } from "../errors.js";
import type { ConvertOptions, Outputs, Transcript } from "../transcript.js";
import { aboutInput, UsageError } from "./failure.js";
import type { Input, InputFile } from "./input.js";
import { Progress } from "./progress.js";
import { Spool } from "./spool.js";

/** How much is read at a time. */
const CHUNK = 64 * 1024;
/** So many files of a session are open at a time: it may have any number of subagents. */
const MOST_OPEN = 32;

/** What came of a transcript, once it was read. */
export interface Reading {
  readonly detection: Detection | undefined;
  readonly stats: Stats;
}

/**
 * Reads one transcript and gives its output piece by piece. Memory does not grow with the transcript, but for the
 * index of a stored session, whose lines are read again in the order of the conversation.
 */
export async function* readTranscript<T extends keyof Outputs>(
  to: T,
  input: Input,
  options: ConvertOptions,
): AsyncGenerator<Outputs[T], Reading> {
  const progress = new Progress(input.label, input.size);
  const spool = new Spool();
  let isEmpty = true;
  let transcript: Transcript<T> | undefined;
  try {
    transcript = openTranscript(to, await withSessionId(input, options));
    for (const file of input.files) {
      if (!belongs(file, input, transcript.detection())) continue;
      const read = yield* pushFile(transcript, file, spool, progress);
      isEmpty &&= read === 0;
    }
    const { output, stretches } = transcript.plan();
    yield output;
    for (const bytes of readStretches(stretches, input.files, spool)) {
      yield transcript.feed(bytes);
      // The memory of what was written is given back only between turns of the event loop.
      await setImmediate();
    }
    yield transcript.end();
    return { detection: transcript.detection(), stats: transcript.stats() };
  } catch (error) {
    throw isEmpty ? aboutEmpty(error, input.label) : aboutInput(error, input.label);
  } finally {
    progress.end();
    spool.remove();
    transcript?.free();
  }
}

/** Only stored sessions have more files than one: beside a stream, a folder of the same name is something else. */
function belongs(file: InputFile, { files: [main] }: Input, detection: Detection | undefined): boolean {
  return file === main || detection === undefined || (detection.form === "stored" && !detection.recording);
}

/** What a transcript is, from the beginning of its main file. */
export async function detectInput(input: Input): Promise<Detection> {
  let isEmpty = false;
  try {
    const head = await headOf(input);
    isEmpty = head.length === 0;
    return detect(head, input.files[0]?.name);
  } catch (error) {
    throw isEmpty ? aboutEmpty(error, input.label) : aboutInput(error, input.label);
  }
}

/** Nothing is no transcript of any agent's: there is no use in naming one. */
function aboutEmpty(error: unknown, label: string): unknown {
  if (codeOf(error) !== "unknown_format") return aboutInput(error, label);
  return new UsageError(`${label}: there is nothing in it`, { cause: error });
}

/** How much of a transcript is enough to tell what it is. */
const HEAD = 1024 * 1024;

async function headOf({ files: [main] }: Input): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  if (main === undefined) return new Uint8Array();
  // Of a file, not what was begun: that goes on later.
  const { begun: _, ...afresh } = main;
  for await (const chunk of open(main.once ? main : afresh)) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= HEAD) break;
  }
  return Buffer.concat(chunks);
}

/** Streams do not say what their session is called; stored sessions do. */
async function withSessionId(input: Input, options: ConvertOptions): Promise<ConvertOptions> {
  const { sessionId } = input;
  if (sessionId === undefined || input.files.some((file) => file.once)) return options;
  const form = await detectInput(input).then(
    (detection) => detection.form,
    () => undefined,
  );
  return form === "stored" ? options : { ...options, sessionId };
}

/** Gives how many bytes there were. */
async function* pushFile<T extends keyof Outputs>(
  transcript: Transcript<T>,
  file: InputFile,
  spool: Spool,
  progress: Progress,
): AsyncGenerator<Outputs[T], number> {
  let read = 0;
  // Even a file without bytes is pushed: stretches name files by their number.
  yield transcript.push(file.name, new Uint8Array());
  for await (const chunk of open(file)) {
    const output = transcript.push(file.name, chunk);
    if (file.once) {
      spool.push(chunk);
      if (!spool.decided) decide(spool, transcript.detection());
    }
    progress.add(chunk.length);
    read += chunk.length;
    yield output;
  }
  return read;
}

/** Only a stored session is read twice. */
function decide(spool: Spool, detection: Detection | undefined): void {
  if (detection !== undefined) spool.decide(detection.form === "stored" && !detection.recording);
}

/** The bytes of a file, or of standard input. */
export function open({ begun, bytes, path }: InputFile): AsyncIterable<Uint8Array> {
  return begun ?? (bytes === undefined ? openPath(path) : once(bytes));
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function openPath(path: string): AsyncIterable<Uint8Array> {
  return path === "-" ? process.stdin : createReadStream(path, { highWaterMark: CHUNK });
}

/** How far a first line is looked for. */
const FIRST_LINE = 1024 * 1024;

/** The first line of a file, or what there is of it, and the file with nothing of it lost. */
export async function peekLine(file: InputFile): Promise<{ line: string; file: InputFile }> {
  const chunks = open(file)[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  while (!head.includes("\n") && head.length < FIRST_LINE) {
    const { done, value } = await chunks.next();
    if (done) break;
    head = Buffer.concat([head, value]);
  }
  if (!file.once) {
    // It is read from its beginning again: nothing stays open.
    await chunks.return?.();
    return { line: firstLine(head), file };
  }
  async function* begun() {
    yield head;
    yield* { [Symbol.asyncIterator]: () => chunks };
  }
  return { line: firstLine(head), file: { ...file, begun: begun() } };
}

function firstLine(head: Buffer): string {
  return head.toString("utf8").split("\n", 1)[0] ?? "";
}

/** Reads again what the core wants to see in another order. The bytes are good until the next ones are asked for. */
function* readStretches(
  stretches: readonly Stretch[],
  files: readonly InputFile[],
  spool: Spool,
): Generator<Uint8Array> {
  const buffer = Buffer.allocUnsafe(CHUNK);
  const opened = new Map<number, number>();
  const close = (file: number, descriptor: number) => {
    opened.delete(file);
    if (!files[file]?.once) closeSync(descriptor);
  };
  try {
    for (const { file, start, end } of stretches) {
      const descriptor = opened.get(file) ?? openAgain(files[file], spool);
      // The one that was used last stands last.
      opened.delete(file);
      opened.set(file, descriptor);
      const [first] = opened;
      if (first !== undefined && opened.size > MOST_OPEN) close(...first);
      for (let at = start; at < end; ) {
        const read = readSync(descriptor, buffer, 0, Math.min(CHUNK, end - at), at);
        if (read === 0) throw new UsageError(`${files[file]?.path} became shorter while it was read: try again`);
        at += read;
        yield buffer.subarray(0, read);
      }
    }
  } finally {
    for (const [file, descriptor] of opened) close(file, descriptor);
  }
}

function openAgain(file: InputFile | undefined, spool: Spool): number {
  if (file === undefined) throw new Error("the core asks for a file that it was not given");
  return (file.once ? spool.file : undefined) ?? openSync(file.path, "r");
}

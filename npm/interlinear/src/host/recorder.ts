import { closeSync, fstatSync, openSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Exit } from "../../types/index.js";
import { codeOf, InterlinearError } from "../errors.js";
import type { Channel } from "../session.js";

/** What a recording begins with. */
export interface RecordingHead {
  agent: string;
  version?: string | undefined;
  argv: readonly string[];
  cwd: string;
}

/** Keeps a recording of both directions: a JSONL timeline that `convert`, `show` and `replay-agent` read. */
export class Recorder {
  readonly #path: string;
  readonly #file: number;
  readonly #now: () => number;
  readonly #started: number;
  /** The beginnings of lines whose ends have not come, by channel. */
  readonly #unfinished = new Map<string, Buffer[]>();
  #isBroken = false;

  constructor(path: string, head: RecordingHead, now: () => number) {
    this.#path = path;
    this.#now = now;
    this.#started = now();
    this.#file = create(path);
    this.#write({ recording: 1, ...head, started_at: new Date(this.#started).toISOString() });
  }

  /** What the agent wrote. */
  received(bytes: Buffer, on: Channel): void {
    if (typeof on === "object") {
      this.#body("out", bytes, on);
      return;
    }
    const name = on;
    let from = 0;
    for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, from)) {
      this.#line(name, [...(this.#unfinished.get(name) ?? []), bytes.subarray(from, at)]);
      this.#unfinished.delete(name);
      from = at + 1;
    }
    if (from === bytes.length) return;
    const rest = this.#unfinished.get(name) ?? [];
    this.#unfinished.set(name, [...rest, Buffer.from(bytes.subarray(from))]);
  }

  /** What the host wrote. */
  sent(text: string, on: Channel): void {
    if (typeof on === "object") {
      this.#body("in", Buffer.from(text), on);
      return;
    }
    for (const line of text.split("\n").slice(0, text.endsWith("\n") ? -1 : undefined)) {
      this.#write({ ...this.#at("in"), line });
    }
  }

  exit({ code = null, signal = null, restart }: Exit): void {
    this.#flush();
    this.#write({ ...this.#at("exit"), code, signal, ...(restart && { restart }) });
  }

  close(): void {
    this.#flush();
    inUse.delete(resolve(this.#path));
    this.#attempt(() => closeSync(this.#file));
  }

  #flush(): void {
    for (const [name, pieces] of this.#unfinished) this.#line(name, pieces, { partial: true });
    this.#unfinished.clear();
  }

  #line(name: string, pieces: Buffer[], marks: object = {}): void {
    const text = Buffer.concat(pieces).toString("utf8");
    const line = name.startsWith("sse") ? frameData(text) : text;
    if (line === undefined) return;
    const place = name === "stderr" ? this.#at("err") : { ...this.#at("out"), ...(name !== "stdout" && { ch: name }) };
    this.#write({ ...place, line, ...marks });
  }

  /** The body of a request or of its answer is one line. */
  #body(dir: "in" | "out", bytes: Buffer, { http, status }: { http: string; status?: number }): void {
    const said = { ...this.#at(dir), ch: `http ${http}`, line: bytes.toString("utf8") };
    this.#write(status === undefined ? said : { ...said, status });
  }

  #at(dir: string): { t: number; dir: string } {
    return { t: Math.round(this.#now() - this.#started), dir };
  }

  #write(record: object): void {
    if (!this.#isBroken) this.#attempt(() => writeFileSync(this.#file, `${JSON.stringify(record)}\n`));
  }

  /** A session does not depend on its recording: one that cannot be written ends there, and that is told once. */
  #attempt(change: () => void): void {
    try {
      change();
    } catch (error) {
      if (this.#isBroken) return;
      this.#isBroken = true;
      const message = `the recording ${this.#path} is not complete: ${(error as Error).message}`;
      process.emitWarning(message, { code: "INTERLINEAR_RECORDING" });
    }
  }
}

/** The files that are being written: two recordings in one would be none. */
const inUse = new Set<string>();

function create(path: string): number {
  const place = resolve(path);
  const cure = "Name a file that you may write, in a folder that is there: `record`.";
  if (inUse.has(place)) throw new InterlinearError("bad_options", `the recording ${path} is another session's`, cure);
  try {
    // It holds all that was said: it is for this user only.
    const file = openSync(path, "w", 0o600);
    if (fstatSync(file).isFile()) inUse.add(place);
    return file;
  } catch (cause) {
    const message = `the recording cannot be written to ${path}: ${codeOf(cause)}`;
    throw new InterlinearError("bad_options", message, cure, { cause });
  }
}

/** What a line of a stream of server-sent events carries. */
function frameData(line: string): string | undefined {
  return /^data: ?(.*)$/s.exec(line.replace(/\r$/, ""))?.[1];
}

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Exit } from "../../types/index.js";
import { MARK, members, signal } from "./tree.js";
import type { Watchdog } from "./watchdog.js";

/** How to start a process. */
export interface ProcessOptions {
  /** The program and its arguments. No shell reads them. */
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** How long it may take to end when it is asked to. */
  readonly graceMs: number;
  readonly watchdog: Watchdog;
}

/** What the process left running gets this long to end by itself. */
const LEFT_BEHIND_MS = 500;
/** How often it is looked whether something still runs. */
const POLL_MS = 50;
/** Who holds a pipe open after the end without writing to it is not waited for. */
const SILENCE_MS = 2000;

/** An agent's process, with everything that it starts: one group, ended as one. */
export class AgentProcess {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #pid: number;
  readonly #mark: string;
  readonly #graceMs: number;
  #asked = false;
  #own: ReadonlySet<number> | undefined;
  /** It is gone, with all that it started. */
  readonly exited: Promise<Exit>;

  private constructor(child: ChildProcessWithoutNullStreams, pid: number, mark: string, options: ProcessOptions) {
    this.#child = child;
    this.#pid = pid;
    this.#mark = mark;
    this.#graceMs = options.graceMs;
    // A process that is gone cannot be written to: its end says what there is to say.
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on("error", () => {});
    options.watchdog.tell(pid, true);
    this.exited = this.#watch().finally(() => options.watchdog.tell(pid, false));
  }

  /** Starts it; rejects with the system's error where that cannot be done. */
  static async start(options: ProcessOptions): Promise<AgentProcess> {
    const { command, cwd, env, watchdog } = options;
    const [program = "", ...args] = command;
    const mark = watchdog.next();
    const child = spawn(program, args, {
      cwd,
      env: { ...env, [MARK]: mark },
      // A group of its own, so that all of it can be ended.
      detached: true,
      stdio: "pipe",
      windowsHide: true,
    });
    const { pid } = child;
    if (pid === undefined) {
      const [error] = (await once(child, "error")) as [Error];
      throw error;
    }
    child.on("error", () => {});
    return new AgentProcess(child, pid, mark, options);
  }

  get pid(): number {
    return this.#pid;
  }

  /** What it writes. */
  get stdout(): AsyncIterable<Buffer> {
    return this.#child.stdout;
  }

  get stderr(): AsyncIterable<Buffer> {
    return this.#child.stderr;
  }

  /** Writes to its standard input, if anyone still reads it. */
  write(text: string): void {
    if (this.#child.stdin.writable) this.#child.stdin.write(text);
  }

  closeInput(): void {
    this.#child.stdin.end();
  }

  /** Signals the process itself, and nothing that it started. */
  signal(name: NodeJS.Signals): void {
    if (this.#child.exitCode === null && this.#child.signalCode === null) signal(this.#pid, name);
  }

  /** What runs when it is first ready belongs to the program itself, and not to what it is asked to do. */
  noteOwn(): void {
    this.#own ??= new Set([this.#pid, ...members(this.#pid, this.#mark)]);
  }

  /** Ends what was started since. */
  async clearAdded(): Promise<void> {
    const added = () => members(this.#pid, this.#mark).filter((pid) => this.#own?.has(pid) === false);
    await this.#clear((name) => {
      const found = added();
      for (const pid of found) signal(pid, name);
      return found.length > 0;
    });
  }

  /** Asks all of it to end, and after the grace time makes it. */
  async terminate(): Promise<Exit> {
    if (!this.#asked) {
      this.#asked = true;
      this.#signalAll("SIGTERM");
      this.closeInput();
      const late = setTimeout(() => this.#signalAll("SIGKILL"), this.#graceMs);
      this.exited.finally(() => clearTimeout(late));
    }
    return this.exited;
  }

  async #watch(): Promise<Exit> {
    const child = this.#child;
    const [code, name] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
    await this.#clear((name) => this.#signalAll(name));
    await Promise.all([ended(child.stdout), ended(child.stderr)]);
    return { code, signal: name };
  }

  /** Ends what the process has left behind. */
  async #clear(signalLeft: (name: NodeJS.Signals) => boolean): Promise<void> {
    // After the first TERM, CONT: one that was stopped must go on to hear it.
    for (
      let waited = 0;
      signalLeft(waited === 0 ? "SIGTERM" : "SIGCONT") && waited < LEFT_BEHIND_MS;
      waited += POLL_MS
    ) {
      await sleep(POLL_MS);
    }
    for (let waited = 0; signalLeft("SIGKILL") && waited < LEFT_BEHIND_MS; waited += POLL_MS) await sleep(POLL_MS);
  }

  /** Whether there was anyone to get it. */
  #signalAll(name: NodeJS.Signals): boolean {
    const all = members(this.#pid, this.#mark);
    const group = signal(-this.#pid, name);
    for (const pid of all) signal(pid, name);
    return all.length > 0 || (group && process.platform !== "linux");
  }
}

/** The end of a stream whose writer is gone. */
async function ended(stream: NodeJS.ReadableStream & { readableLength?: number; destroy?(): void }): Promise<void> {
  const { readableEnded, destroyed } = stream as { readableEnded?: boolean; destroyed?: boolean };
  if (readableEnded === true || destroyed === true) return;
  let timer: NodeJS.Timeout | undefined;
  const silence = () => {
    // What waits to be read is not lost because its reader is slow.
    if ((stream.readableLength ?? 0) > 0) timer = setTimeout(silence, SILENCE_MS);
    else stream.destroy?.();
  };
  timer = setTimeout(silence, SILENCE_MS);
  await new Promise<void>((resolve) => {
    stream.once("end", resolve);
    stream.once("close", resolve);
  });
  clearTimeout(timer);
}

import type { Command, Exit, HttpRequest, Outgoing, UniversalEvent } from "../../types/index.js";
import { InterlinearError } from "../errors.js";
import type { Channel, Connection } from "../session.js";
import type { EventWithSilent, TraceLine } from "../trace.js";
import type { Journal } from "./journal.js";
import type { AgentProcess } from "./process.js";
import type { Recorder } from "./recorder.js";
import type { Redactor } from "./redact.js";
import { silentLine } from "./silent.js";
import { Veil } from "./veil.js";

/** What a link needs to know of those whom it serves. */
export interface LinkOptions {
  /** Opens the core. */
  readonly open: (onLine: (line: TraceLine) => void) => Connection;
  readonly redactor: Redactor;
  readonly now: () => number;
  /** Who keeps a session's events. */
  readonly journal: (sessionId: string) => Journal | undefined;
  /** Those of all sessions that the process serves. */
  readonly journals: () => readonly Journal[];
  /** The core gave up. */
  readonly fail: (error: Error) => void;
  /** Does what the core asks for, beyond standard input and signals. */
  readonly request?: (request: HttpRequest, sessionId: string) => void;
  /** Whether what the process prints is for the sessions; always, if not given. */
  readonly hears?: (on: "stdout" | "stderr") => boolean;
  readonly recorder?: Recorder | undefined;
}

/** How many of the last characters of standard error are kept for an error's message. */
const ERROR_TEXT = 2000;

/** Moves bytes between an agent's process and the core, and events from the core to the journals. */
export class Link {
  readonly #options: LinkOptions;
  readonly #core: Connection;
  readonly #veil: Veil;
  /** The session that a command is for, while it is said. */
  #addressed: string | undefined;
  #process: AgentProcess | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  /** The end of what the agent wrote to its standard error. */
  errorText = "";
  /** Sees everything that the agent writes to its standard output. */
  onOutput: ((chunk: Buffer) => void) | undefined;

  constructor(options: LinkOptions) {
    this.#options = options;
    this.#core = options.open((line) => this.#heard(line));
    this.#veil = new Veil(options.redactor);
  }

  /** Reads a process until it is gone, and all that it wrote is written down. */
  async attach(process: AgentProcess): Promise<Exit> {
    this.#process = process;
    this.errorText = "";
    const pumps = [this.#pump(process.stdout, "stdout"), this.#pump(process.stderr, "stderr")];
    const exit = await process.exited;
    await Promise.all(pumps);
    if (this.#process === process) this.#process = undefined;
    return exit;
  }

  /** What the agent wrote, and what of it may be seen. */
  receive(bytes: Buffer, on: Channel, seen: Buffer): void {
    this.#options.recorder?.received(seen, on);
    this.#read((core) => core.receive(bytes, on));
  }

  /** What the agent is to do. The events that come of it never hold secrets, though the command may. */
  command(command: Command, sessionId?: string): void {
    const events = this.#say(command, sessionId);
    this.#after(events, sessionId);
    const refused = events.find((event) => event.type === "error" && event.data.code === "unsupported");
    if (refused?.type === "error") throw unsupported(refused.data.message);
  }

  /** The process is gone; `restart`: the sessions go on with another. */
  exited(exit: Exit): void {
    this.#options.recorder?.exit(exit);
    this.#read((core) => core.exited(exit));
  }

  /** Nothing will be read any more. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#options.recorder?.close();
    this.#core.free();
  }

  async #pump(stream: AsyncIterable<Buffer>, on: "stdout" | "stderr"): Promise<void> {
    const hidden = this.#options.redactor.stream();
    const take = (bytes: Buffer, seen: Buffer) => {
      if (on === "stderr") this.errorText = (this.errorText + seen.toString("utf8")).slice(-ERROR_TEXT);
      else this.onOutput?.(seen);
      if (this.#options.hears?.(on) ?? true) this.receive(bytes, on, seen);
    };
    try {
      for await (const chunk of stream) {
        take(chunk, hidden.push(chunk));
        // The agent waits while its events are written: nothing piles up here.
        await this.#settled;
      }
    } catch {
      // A pipe that breaks ends with its process.
    }
    const rest = hidden.end();
    if (rest.length > 0) take(Buffer.alloc(0), rest);
    await this.#settled;
  }

  #say(command: Command, sessionId: string | undefined): UniversalEvent[] {
    try {
      this.#addressed = sessionId;
      return this.#core.command(command, sessionId);
    } finally {
      this.#addressed = undefined;
    }
  }

  /** A line was read: one that gave no event goes with the next event of its session. */
  #heard(line: TraceLine): void {
    const { journal, redactor } = this.#options;
    const [first]: EventWithSilent[] = line.events;
    if (first !== undefined && (line.dir === "in" || line.dir === "err")) first.dir = line.dir;
    for (const event of line.events) journal(event.session_id)?.silent.giveTo(event);
    const silent = silentLine(line);
    if (silent !== undefined) this.#ownerOf(silent.text)?.silent.add(redactor.value(silent));
  }

  /** Where several sessions share a process, a line is that one's which it names. */
  #ownerOf(text: string): Journal | undefined {
    const { journal, journals } = this.#options;
    if (this.#addressed !== undefined) return journal(this.#addressed);
    const all = journals();
    const named = all.length === 1 ? all : all.filter(({ nativeSessionId: name }) => name && text.includes(name));
    return named.length === 1 ? named[0] : undefined;
  }

  /** A core that fails takes the sessions with it, and not the host. */
  #read(call: (core: Connection) => UniversalEvent[]): void {
    try {
      this.#after(call(this.#core));
    } catch (error) {
      this.#options.fail(error as Error);
    }
  }

  /** Everything that was read is written down. */
  async settled(): Promise<void> {
    await this.#settled;
  }

  #settled: Promise<unknown> = Promise.resolve();

  /** Hands events to their journals, and does what the core asks for. */
  #after(events: UniversalEvent[], sessionId = ""): void {
    const { journal, now } = this.#options;
    const core = this.#core;
    for (const [sessionId, own] of bySession(this.#veil.pass(events))) {
      const keeper = journal(sessionId);
      keeper?.write(own);
      if (keeper !== undefined) this.#settled = Promise.all([this.#settled, keeper.settled()]);
    }
    for (const step of core.outgoing()) this.#deliver(step, sessionId);
    clearTimeout(this.#timer);
    const due = core.deadline();
    if (due !== null) this.#timer = setTimeout(() => this.#read(() => core.tick()), Math.max(0, due - now()));
  }

  #deliver(step: Outgoing, sessionId: string): void {
    const { recorder, redactor, request } = this.#options;
    if ("stdin" in step) {
      recorder?.sent(redactor.text(step.stdin), "stdin");
      this.#process?.write(step.stdin);
    } else if ("http" in step) {
      const { method, path, body = "" } = step.http;
      recorder?.sent(redactor.text(body), { http: `${method} ${path}` });
      request?.(step.http, sessionId);
    } else if ("closeStdin" in step) this.#process?.closeInput();
    else this.#process?.signal(step.signal as NodeJS.Signals);
  }
}

function unsupported(message: string): InterlinearError {
  return new InterlinearError("unsupported", message, "`AgentHost.agents` tells what each agent can do.");
}

/** The events of each session; nearly always there is one. */
function bySession(events: UniversalEvent[]): Map<string, UniversalEvent[]> {
  const sessions = new Map<string, UniversalEvent[]>();
  for (const event of events) {
    const own = sessions.get(event.session_id);
    if (own === undefined) sessions.set(event.session_id, [event]);
    else own.push(event);
  }
  return sessions;
}

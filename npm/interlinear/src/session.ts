/// <reference lib="esnext.disposable" preserve="true" />
import type { Agent, Command, Exit, OpenOptions, Outgoing, Stats, UniversalEvent } from "../types/index.js";
import { isOneSlice, joined, slices, toBytes } from "./bytes.js";
import { type Core, call, type MachineEncoding, type RawMachine } from "./core.js";
import { decodeEvents, decodeTrace } from "./decode.js";
import { InterlinearError } from "./errors.js";
import { core } from "./load.js";
import { noteRelayed } from "./relayed.js";
import type { TraceLine } from "./trace.js";

/** The stream on which bytes went. `http` is method and path: `POST /session`. */
export type Channel =
  | "stdout"
  | "stderr"
  | "stdin"
  | "argv"
  | "sse"
  | `sse ${string}`
  | { http: string; status?: number };

interface Options {
  /** The agent that speaks. */
  agent: Agent;
  /** Whether every event carries the native object that caused it. */
  includeRaw?: boolean;
  /** What the host knows about the session: it is repeated in the metadata of `session.started`. */
  metadata?: Record<string, unknown>;
  /** The longest line that is read, in bytes; 64 MiB if not given. */
  maxLine?: number;
  /** The host's clock, in milliseconds since 1970; `Date.now` if not given. */
  now?: () => number;
  /** Called with each native line that was read, and its events, before a call gives them back; not by `relay`. */
  onLine?: (line: TraceLine) => void;
}

/** What a connection needs of its host. */
type Host = { [Name in "now" | "onLine"]?: Options[Name] | undefined };

/** How to open a session. */
export interface SessionOptions extends Options {
  /** The session's identifier; made up if not given. */
  sessionId?: string;
}

/** How to open a connection. */
export interface ConnectionOptions extends Options {
  /** What the identifiers of its sessions begin with; made up if not given. */
  sessionPrefix?: string;
}

/** A snapshot that is larger is not worth its move: most of the memory is in use. */
const portable = 1024 * 1024;

// Older browsers lack the symbol; `using` is then compiled to look for this one.
const dispose: typeof Symbol.dispose = Symbol.dispose ?? (Symbol.for("Symbol.dispose") as typeof Symbol.dispose);

/** A process that serves one session or several: bytes and commands in, events and bytes out. */
export class Connection {
  readonly #core: Core;
  readonly #now: () => number;
  readonly #onLine: Host["onLine"];
  #machine: RawMachine | undefined;
  #instance: number;

  /** Use `openSession`, `openConnection` or `restore`. */
  constructor(core: Core, machine: RawMachine, { now = Date.now, onLine }: Host = {}) {
    this.#core = core;
    this.#instance = core.hold();
    this.#machine = machine;
    this.#now = now;
    this.#onLine = onLine;
  }

  /** What the agent wrote. */
  receive(chunk: string | Uint8Array, on: Channel = "stdout"): UniversalEvent[] {
    return this.#read(chunk, on, (machine, bytes, channel, now) => machine.receive(bytes, channel, now));
  }

  /** What the host wrote by itself. */
  sent(chunk: string | Uint8Array, on: Channel = "stdin"): UniversalEvent[] {
    return this.#read(chunk, on, (machine, bytes, channel, now) => machine.sent(bytes, channel, now));
  }

  /** What the host wants the agent to do; `outgoing` then has the bytes. A connection must be told the session. */
  command(command: Command, sessionId?: string): UniversalEvent[] {
    return this.#events((machine, now) => machine.command(command, sessionId, now));
  }

  /** What the host must write, call or signal now. To be drained after every other call. */
  outgoing(): Outgoing[] {
    return JSON.parse(this.#call((machine) => machine.outgoing())) as Outgoing[];
  }

  /** When `tick` must be called if nothing comes, in milliseconds since 1970. */
  deadline(): number | null {
    return this.#call((machine) => machine.deadline()) ?? null;
  }

  /** Time has passed. */
  tick(): UniversalEvent[] {
    return this.#events((machine, now) => machine.tick(now));
  }

  /** The agent's process is gone. */
  exited(exit: Exit): UniversalEvent[] {
    const { code = null, signal = null, restart = false } = exit;
    return this.#events((machine, now) => machine.exited({ code, signal, restart }, now));
  }

  /** The input is over. */
  end(): UniversalEvent[] {
    return this.#events((machine, now) => machine.end(now));
  }

  /**
   * The sequence of the session's last event, which is how many it has; of a connection: its first session's. So what
   * `relay` gave need not be parsed to be kept in order.
   */
  get lastSequence(): number {
    return this.#call((machine) => machine.sequence());
  }

  /** What was read so far, and what became of it. */
  stats(): Stats {
    return JSON.parse(this.#call((machine) => machine.stats())) as Stats;
  }

  /** All state, to go on in another process by `restore`. */
  snapshot(): Uint8Array {
    return this.#call((machine) => machine.snapshot());
  }

  /**
   * What the agent wrote, as NDJSON bytes: the fastest way from process to network, with no object in between, and none
   * for `onLine`.
   */
  relay(chunk: string | Uint8Array, on: Channel = "stdout"): Uint8Array {
    const channel = channelName(on);
    const now = this.#now();
    const read = (piece: Uint8Array) => this.#call((machine) => machine.relay(piece, channel, now));
    const bytes = toBytes(chunk);
    const lines = isOne(bytes, on) ? read(bytes) : joined(Array.from(slices(bytes), read));
    if (this.#core.isCrowded()) this.#move();
    return lines;
  }

  /** Gives the memory back; nothing can be called after that. `using` does it at the end of a block. */
  free(): void {
    const machine = this.#machine;
    this.#machine = undefined;
    if (machine === undefined) return;
    call(this.#core, () => this.#core.release(this.#instance, () => machine.free()));
  }

  [dispose](): void {
    this.free();
  }

  /** Hands bytes in, in pieces that are not too big, and gives their events. */
  #read(
    chunk: string | Uint8Array,
    on: Channel,
    run: (machine: RawMachine, bytes: Uint8Array, channel: string, now: number) => string,
  ): UniversalEvent[] {
    const channel = channelName(on);
    const now = this.#now();
    const read = (piece: Uint8Array) =>
      this.#decode(
        this.#call((machine) => run(machine, piece, channel, now)),
        piece,
      );
    const bytes = toBytes(chunk);
    const events = isOne(bytes, on) ? read(bytes) : Array.from(slices(bytes), read).flat();
    if (this.#core.isCrowded()) this.#move();
    return events;
  }

  /** Goes on in a fresh memory, if there is not much to carry. */
  #move(): void {
    const snapshot = this.snapshot();
    if (snapshot.length > portable) return;
    this.#core.renew();
    this.#machine = call(this.#core, () => this.#core.raw.Machine.restore(snapshot, encodingFor(this.#onLine)));
    this.#instance = this.#core.hold();
  }

  #events(run: (machine: RawMachine, now: number) => string): UniversalEvent[] {
    return this.#decode(this.#call((machine) => run(machine, this.#now())));
  }

  #decode(output: string, read?: Uint8Array): UniversalEvent[] {
    if (this.#onLine === undefined) return decodeEvents(output, read);
    const lines = decodeTrace(output, read);
    for (const line of lines) this.#onLine(line);
    return lines.flatMap(({ events }) => events);
  }

  #call<T>(run: (machine: RawMachine) => T): T {
    const machine = this.#machine;
    if (machine === undefined) throw new InterlinearError("disposed", "the session was disposed of");
    return call(this.#core, () => run(machine));
  }
}

/** A process that serves one session. */
export class Session extends Connection {
  /** The session's identifier. */
  readonly sessionId: string;
  readonly #includeRaw: boolean;

  /** Use `openSession`. */
  constructor(core: Core, machine: RawMachine, options: { sessionId: string; includeRaw: boolean }, host?: Host) {
    super(core, machine, host);
    this.sessionId = options.sessionId;
    this.#includeRaw = options.includeRaw;
  }

  /** What the agent wrote, as NDJSON bytes. The writer of a store takes them as they are. */
  override relay(chunk: string | Uint8Array, on?: Channel): Uint8Array {
    const before = this.lastSequence;
    const lines = super.relay(chunk, on);
    const { sessionId } = this;
    const count = this.lastSequence - before;
    return noteRelayed(lines, { sessionId, first: before + 1, count, includeRaw: this.#includeRaw });
  }
}

/**
 * Opens a session: an agent's process that carries one conversation. A second one is refused (an `error` with the code
 * `second_session` says so once) unless a command asked for it: `start`, `resume` and `fork` go on in this session.
 */
export function openSession(options: SessionOptions): Session {
  const { sessionId = newSessionId(), includeRaw = false, now, onLine, ...rest } = options;
  const build = core();
  const machine = open(build, { ...rest, sessionId, includeRaw, connection: false }, encodingFor(onLine));
  return new Session(build, machine, { sessionId, includeRaw }, { now, onLine });
}

/** Opens a connection: an agent's process that carries several conversations. Commands name the session. */
export function openConnection(options: ConnectionOptions): Connection {
  const { sessionPrefix = newSessionId(), now, onLine, ...rest } = options;
  const build = core();
  const machine = open(build, { ...rest, sessionId: sessionPrefix, connection: true }, encodingFor(onLine));
  return new Connection(build, machine, { now, onLine });
}

/** Goes on from a snapshot, in this process or another. */
export function restore(snapshot: Uint8Array, options: Pick<Options, "now" | "onLine"> = {}): Connection {
  const build = core();
  const bytes = toBytes(snapshot);
  const machine = call(build, () => build.raw.Machine.restore(bytes, encodingFor(options.onLine)));
  return new Connection(build, machine, options);
}

function open(build: Core, options: OpenOptions, encoding: MachineEncoding): RawMachine {
  return call(build, () => new build.raw.Machine(options, encoding));
}

/** Lines cross only where somebody wants to see them. */
function encodingFor(onLine: Host["onLine"]): MachineEncoding {
  return onLine === undefined ? "packed" : "trace";
}

/** Whether bytes are handed in at once: the body of a request is one unit, lines are cut into slices. */
function isOne(bytes: Uint8Array, on: Channel): boolean {
  return isOneSlice(bytes) || typeof on !== "string";
}

function channelName(channel: Channel): string {
  return typeof channel === "string" ? channel : JSON.stringify(channel);
}

/** Not `crypto.randomUUID`: pages without TLS lack it. */
function newSessionId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `session_${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

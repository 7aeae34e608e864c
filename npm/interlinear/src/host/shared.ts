import type { Command, Exit, StartCommand } from "../../types/index.js";
import { codeOf, InterlinearError } from "../errors.js";
import type { Recipe } from "./agents.js";
import type { Journal } from "./journal.js";
import type { Link } from "./link.js";
import type { AgentProcess } from "./process.js";
import type { Redactor } from "./redact.js";
import { greeted, isNamed, type Patience, type Runtime, refusal, sessionEnded, unlessAborted } from "./runtime.js";

/** What a shared server is made of. */
export interface SharedOptions {
  readonly recipe: Recipe;
  readonly redactor: Redactor;
  /** Between the core and the process; all sessions of the server go through it. */
  readonly link: Link;
  readonly spawn: () => Promise<AgentProcess>;
  /** Waits until the process can be talked to. Resolves at once where it can be from the start. */
  readonly connect: (process: AgentProcess) => Promise<void>;
  /** Makes sure that what happens in a folder is heard. */
  readonly listen: (cwd: string) => Promise<void>;
  /** How long it goes on without a session. */
  readonly idleMs: number;
  readonly startMs: number;
  /** It takes no more sessions. */
  readonly onStop: () => void;
  /** It is gone. */
  readonly onStopped: () => void;
}

/** How often in a row a server that crashes is started again before its sessions are given up. */
const MOST_RESTARTS = 3;
/** After so long without a crash, the count begins anew. */
const STEADY_MS = 60_000;

/**
 * One process that serves all sessions of a host. It starts with the first session; when it crashes it is started
 * again, and its sessions are resumed; it stops when it has had no session for a while.
 */
export class SharedServer {
  readonly #options: SharedOptions;
  readonly #seats = new Map<string, Seat>();
  #running: Promise<AgentProcess> | undefined;
  #process: AgentProcess | undefined;
  #gone: Promise<void> = Promise.resolve();
  #idle: NodeJS.Timeout | undefined;
  #stopping = false;
  #stopped: Promise<void> | undefined;
  #resuming: Promise<void> = Promise.resolve();
  #lastExit: Exit = {};
  #crashes = 0;
  #lastCrash = 0;
  /** Sessions are opened one at a time: an answer does not always say which request it answers. */
  #opening: Promise<unknown> = Promise.resolve();

  constructor(options: SharedOptions) {
    this.#options = options;
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  get recipe(): Recipe {
    return this.#options.recipe;
  }

  get redactor(): Redactor {
    return this.#options.redactor;
  }

  /** Whether there is a session that was opened. */
  get isInUse(): boolean {
    return [...this.#seats.values()].some(({ journal }) => isNamed(journal));
  }

  /** Those of the sessions that it serves. */
  get journals(): Journal[] {
    return Array.from(this.#seats.values(), ({ journal }) => journal);
  }

  /** A session's part in it. */
  seat(id: string): Seat | undefined {
    return this.#seats.get(id);
  }

  get link(): Link {
    return this.#options.link;
  }

  /** Opens a session on the server, which is started if it does not run. */
  async open(seat: Seat, patience: Patience): Promise<void> {
    clearTimeout(this.#idle);
    this.#seats.set(seat.id, seat);
    try {
      await unlessAborted(this.ready(), patience.signal);
      await unlessAborted(
        this.#inTurn(() => this.#admit(seat, patience)),
        patience.signal,
      );
    } catch (error) {
      // One that does not answer is of no use to the others either: it is started again.
      if (codeOf(error) === "start_timeout") this.#process?.signal("SIGKILL");
      await seat.terminate();
      throw error;
    }
  }

  /** Nothing more can be read: all sessions are over. */
  fail(error: Error): void {
    for (const { journal } of this.#seats.values()) journal.fail(error);
    void this.stop();
  }

  /** Ends a session, whether or not it was opened: a place that is left open would be given to another. */
  end(seat: Seat): void {
    if (seat.journal.status === "ended" || this.#stopped !== undefined) return;
    try {
      this.#options.link.command({ type: "terminate" }, seat.id);
    } catch (error) {
      // It never came to the core.
      if (codeOf(error) !== "unsupported") throw error;
    }
  }

  /** The session is over. The last one leaves nothing behind that it has started. */
  async leave(id: string): Promise<void> {
    this.#seats.delete(id);
    clearTimeout(this.#idle);
    if (this.#seats.size > 0 || this.#stopping) return;
    this.#idle = setTimeout(() => void this.stop(), this.#options.idleMs).unref();
    await this.#process?.clearAdded();
  }

  /** The process runs, and has the sessions again that it had before a crash. */
  async ready(): Promise<void> {
    await this.#resuming;
    await this.#started();
  }

  /** The process, started once however many ask for it. */
  #started(): Promise<AgentProcess> {
    this.#running ??= this.#start().catch((error: unknown) => {
      this.#running = undefined;
      throw error;
    });
    return this.#running;
  }

  /** Ends the process; the sessions that it still has end with it. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    this.#stopping = true;
    this.#options.onStop();
    clearTimeout(this.#idle);
    // One that hangs at its start is not waited for.
    await this.#process?.terminate();
    const process = await this.#running?.catch(() => undefined);
    await process?.terminate();
    await this.#gone;
    this.#options.link.close();
    this.#options.onStopped();
  }

  async #start(): Promise<AgentProcess> {
    const { recipe, link, spawn, connect, startMs } = this.#options;
    const process = await spawn();
    this.#process = process;
    if (this.#stopping) void process.terminate();
    const attached = link.attach(process);
    const ended = attached.then((exit) => refusal(recipe, exit, link.errorText));
    this.#gone = attached.then((exit) => this.#ended(exit));
    try {
      await greeted(connect(process), ended, recipe, { startMs });
    } catch (error) {
      this.#stopping = true;
      await process.terminate();
      await this.#gone;
      throw error;
    }
    return process;
  }

  async #admit(seat: Seat, patience: Patience): Promise<void> {
    const { link, recipe, listen } = this.#options;
    const gone = this.#gone.then(() => refusal(recipe, this.#lastExit, link.errorText));
    await greeted(listen(seat.cwd), gone, recipe, patience);
    const { journal, id } = seat;
    const before = journal.failures;
    const named = journal.until(() => isNamed(journal) || journal.failures > before || !!journal.failure);
    link.command(seat.opening(), id);
    try {
      await greeted(named.promise, gone, recipe, patience);
    } finally {
      named.cancel();
    }
    if (!isNamed(journal)) throw journal.failure ?? refused(recipe, journal.lastError);
    this.#process?.noteOwn();
  }

  /** The process is gone. Where it was not asked to go, it crashed. */
  async #ended(exit: Exit): Promise<void> {
    this.#process = undefined;
    this.#running = undefined;
    this.#lastExit = exit;
    const { link } = this.#options;
    const seats = [...this.#seats.values()].filter(({ journal }) => isNamed(journal));
    const goesOn = !this.#stopping && seats.length > 0 && this.#mayRestart();
    link.exited({ ...exit, restart: goesOn });
    if (goesOn) this.#resuming = this.#resume(seats);
    // What is known of this process is of no use to another: the next session gets a fresh server.
    else void this.stop();
  }

  #mayRestart(): boolean {
    const now = Date.now();
    if (now - this.#lastCrash > STEADY_MS) this.#crashes = 0;
    this.#lastCrash = now;
    this.#crashes += 1;
    return this.#crashes <= MOST_RESTARTS;
  }

  /** Starts the server again, with the sessions that it had. */
  async #resume(seats: readonly Seat[]): Promise<void> {
    try {
      await this.#started();
      for (const seat of seats) await this.#inTurn(() => this.#readmit(seat));
    } catch {
      // It does not come back: its sessions are over.
      for (const seat of seats) this.end(seat);
    }
  }

  async #readmit(seat: Seat): Promise<void> {
    if (seat.journal.status === "ended") return;
    const { listen, link } = this.#options;
    await listen(seat.cwd);
    link.command(seat.opening(), seat.id);
  }

  #inTurn<T>(run: () => Promise<T>): Promise<T> {
    const next = this.#opening.then(run);
    this.#opening = next.catch(() => {});
    return next;
  }
}

/** A session's part in a shared server. */
export class Seat implements Runtime {
  readonly id: string;
  readonly cwd: string;
  readonly journal: Journal;
  readonly #server: SharedServer;
  #start: StartCommand;
  readonly #resume: string | undefined;

  constructor(
    server: SharedServer,
    session: { id: string; cwd: string; journal: Journal; start: StartCommand; resume?: string | undefined },
  ) {
    this.#server = server;
    this.id = session.id;
    this.cwd = session.cwd;
    this.journal = session.journal;
    this.#start = session.start;
    this.#resume = session.resume;
  }

  get pid(): number | undefined {
    return this.#server.pid;
  }

  /** How the session begins on a fresh server: anew, or where it was. */
  opening(): Command {
    const native = this.journal.nativeSessionId ?? this.#resume;
    if (native === undefined) return { type: "start", ...this.#start };
    return { type: "resume", native_session_id: native, start: this.#start };
  }

  async command(command: Command, signal?: AbortSignal): Promise<void> {
    await this.#server.ready();
    signal?.throwIfAborted();
    if (this.journal.status === "ended") throw sessionEnded(this.#server.recipe);
    // A server that is started again is told what was chosen meanwhile.
    if (command.type === "set_model") this.#start = { ...this.#start, model: command.model };
    if (command.type === "set_variant") this.#start = { ...this.#start, variant: command.variant };
    if (command.type === "set_permission_mode") this.#start = { ...this.#start, permission_mode: command.mode };
    this.#server.link.command(command, this.id);
  }

  async terminate(): Promise<void> {
    this.#server.end(this);
    await this.#server.leave(this.id);
  }
}

function refused(recipe: Recipe, why: string | undefined): InterlinearError {
  return new InterlinearError(
    "agent_refused",
    `${recipe.name} opened no session${why === undefined ? "" : `: ${why}`}`,
    `Check the options of the session, and the settings of \`${recipe.program}\`.`,
  );
}

/// <reference lib="esnext.disposable" preserve="true" />
import { randomBytes } from "node:crypto";
import { setMaxListeners } from "node:events";
import { statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Agent, McpServer, StartCommand } from "../../types/index.js";
import { onAbort } from "../abort.js";
import { codeOf, InterlinearError } from "../errors.js";
import { openConnection, openSession } from "../session.js";
import { JsonlStore } from "../store/jsonl/store.js";
import type { Store } from "../store/store.js";
import { type Feature, type Recipe, recipes } from "./agents.js";
import { Dedicated } from "./dedicated.js";
import { environment, secretsIn } from "./environment.js";
import { ask, askVersion, checkVersion, type Found, locate } from "./find.js";
import { HttpWay } from "./http.js";
import { Journal } from "./journal.js";
import { Link } from "./link.js";
import { checkOptions } from "./options.js";
import { AgentProcess } from "./process.js";
import { Recorder } from "./recorder.js";
import { Redactor } from "./redact.js";
import { type Patience, type Runtime, unlessAborted } from "./runtime.js";
import { AgentSession } from "./session.js";
import { Seat, SharedServer } from "./shared.js";
import { Watchdog } from "./watchdog.js";

/** Where an agent's program is, and what it gets in its environment. */
export interface AgentSettings {
  /** The program, or the program with what must come before the agent's arguments. */
  command?: string | readonly string[];
  env?: Readonly<Record<string, string>>;
}

/** How to set up a host. */
export interface HostOptions {
  /** Where the sessions are kept; a temporary folder that goes with the host, if not given. */
  store?: Store;
  /** What every agent gets in its environment, beside what it needs of the host's own. */
  env?: Readonly<Record<string, string>>;
  agents?: Partial<Record<Agent, AgentSettings>>;
  /** How long an agent may take to end when it is asked to, in milliseconds; 5 s if not given. */
  graceMs?: number;
  /** How long a server that several sessions share goes on without any; 60 s if not given. */
  idleMs?: number;
  /** How long an agent may take to start; 2 minutes if not given. */
  startMs?: number;
  /** The clock, in milliseconds since 1970; `Date.now` if not given. */
  now?: () => number;
}

/** How to start a session. */
export interface StartOptions {
  agent: Agent;
  /** The folder that the agent works in. */
  cwd: string;
  model?: string;
  /** The reasoning effort, in the agent's words. */
  variant?: string;
  /** What the agent may do without asking, in the agent's words. */
  permissionMode?: string;
  /** Servers of tools, by name. */
  mcpServers?: Readonly<Record<string, McpServer>>;
  /** What this session's agent gets in its environment; secrets among it are kept out of events and errors. */
  env?: Readonly<Record<string, string>>;
  /** The agent's own identifier of a session to go on with. */
  resume?: string;
  /** The session's identifier; made up if not given. */
  sessionId?: string;
  /** A file for the recording of everything that is said in both directions. */
  record?: string;
  /** Ends the session. */
  signal?: AbortSignal;
}

/** What is known of an agent on this machine. */
export interface AgentInfo {
  id: Agent;
  name: string;
  installed: boolean;
  version?: string;
  path?: string;
  /** Why it cannot be run. */
  problem?: string;
  /** The command that installs it. */
  install: string;
  /** What it can do through the host. */
  features: readonly Feature[];
  /** Models that it takes; others may be taken too. Few of them, unless they were asked for. */
  models: readonly string[];
  /** The permission modes that it takes. */
  modes: readonly string[];
  /** The variants that it takes, as far as the model allows. */
  variants: readonly string[];
}

/** A session that is to be. */
interface Plan {
  readonly options: StartOptions;
  readonly known: Recipe;
  readonly found: Found;
  readonly cwd: string;
  readonly sessionId: string;
  readonly journal: Journal;
  readonly facts: Record<string, unknown>;
  readonly patience: Patience;
}

type ServerPlan = Pick<Plan, "options" | "known" | "found" | "cwd"> & { env: Record<string, string> };

/** Runs agents, and keeps what they say. */
export class AgentHost implements AsyncDisposable {
  readonly #options: HostOptions;
  readonly #graceMs: number;
  readonly #idleMs: number;
  readonly #startMs: number;
  readonly #store: Store;
  readonly #watchdog = new Watchdog();
  readonly #sessions = new Map<string, AgentSession>();
  /** The servers that take sessions, and those that are about to stop too. */
  readonly #servers = new Map<string, SharedServer>();
  readonly #everyServer = new Set<SharedServer>();
  readonly #found = new Map<string, Promise<Found>>();
  /** The starts that are under way, and what stops them when the host closes. */
  readonly #starting = new Set<Promise<AgentSession>>();
  readonly #closed = new AbortController();
  #closing: Promise<void> | undefined;

  constructor(options: HostOptions = {}) {
    this.#options = options;
    const { graceMs, idleMs, startMs } = options;
    this.#graceMs = milliseconds("graceMs", graceMs ?? 5_000);
    this.#idleMs = milliseconds("idleMs", idleMs ?? 60_000);
    this.#startMs = milliseconds("startMs", startMs ?? 120_000);
    // Everything that is being started listens to it.
    setMaxListeners(0, this.#closed.signal);
    this.#store = options.store ?? new JsonlStore(join(this.#watchdog.folder, "sessions"), { sync: "never" });
  }

  /** Where the sessions are kept. */
  get store(): Store {
    return this.#store;
  }

  /** What is installed, and what it offers. `models`: each program is asked for its models, which takes a while. */
  agents(options: { models?: boolean } = {}): Promise<AgentInfo[]> {
    return Promise.all(recipes().map((known) => this.#describe(known, options.models === true)));
  }

  /** Starts an agent; resolves when it is ready for a prompt. */
  async start(options: StartOptions): Promise<AgentSession> {
    const known = checkOptions(options);
    const signal = AbortSignal.any([this.#closed.signal, ...(options.signal === undefined ? [] : [options.signal])]);
    signal.throwIfAborted();
    const starting = this.#start(options, known, { startMs: this.#startMs, signal });
    this.#starting.add(starting);
    try {
      return await starting;
    } finally {
      this.#starting.delete(starting);
    }
  }

  async #start(options: StartOptions, known: Recipe, patience: Patience): Promise<AgentSession> {
    const { signal } = patience;
    const cwd = checkFolder(options.cwd);
    const found = await unlessAborted(this.#find(known), signal);
    const { sessionId = `session_${randomBytes(16).toString("hex")}`, model, variant, permissionMode } = options;
    const mode = permissionMode;
    const facts = { cwd, ...(model && { model }), ...(variant && { variant }), ...(mode && { mode }) };
    const writer = await this.#store.open(sessionId, { agent: known.id, metadata: facts });
    const journal = new Journal(writer);
    try {
      if (journal.lastSequence > 0) throw sessionExists(sessionId);
      signal?.throwIfAborted();
      const plan: Plan = { options, known, found, cwd, sessionId, journal, facts, patience };
      const runtime = known.runtime === "process" ? await this.#alone(plan) : await this.#together(plan);
      if (signal?.aborted) {
        await runtime.terminate();
        throw signal.reason;
      }
      return this.#admit(plan, runtime);
    } catch (error) {
      await journal.close();
      throw error;
    }
  }

  /** A session that runs here. */
  session(id: string): AgentSession | undefined {
    return this.sessions().find((session) => session.id === id);
  }

  /** The sessions that run here. */
  sessions(): AgentSession[] {
    return [...this.#sessions.values()].filter(({ status }) => status !== "ended");
  }

  /** Ends all sessions and every process; what was said stays in the store. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(): Promise<void> {
    this.#closed.abort(new InterlinearError("host_closed", "the host is closed", "Make another."));
    const ending = [...this.#sessions.values()].map((session) => session.terminate());
    await Promise.allSettled([...ending, ...this.#starting]);
    await Promise.all([...this.#everyServer].map((server) => server.stop()));
    if (this.#options.store === undefined) await this.#store.close();
    await rm(this.#watchdog.folder, { recursive: true, force: true });
    await this.#watchdog.close();
  }

  /** A process for this session alone. */
  async #alone({ options, known, found, cwd, sessionId, journal, facts, patience }: Plan): Promise<Runtime> {
    const env = this.#environment(known, options.env);
    const redactor = new Redactor([...secretsIn(env), ...mcpSecrets(options.mcpServers)]);
    const now = this.#now;
    const recorder = this.#recorder(options, known, found, cwd);
    const link = new Link({
      open: (onLine) => openSession({ agent: known.id, sessionId, includeRaw: true, metadata: facts, now, onLine }),
      redactor,
      now,
      journal: () => journal,
      journals: () => [journal],
      fail: (error) => journal.fail(error),
      recorder,
    });
    const { model, variant, permissionMode, mcpServers, resume } = options;
    const runtime = new Dedicated({
      recipe: known,
      launch: { cwd, model, variant, permissionMode, mcpServers, resume },
      journal,
      link,
      folder: this.#watchdog.folder,
      startMs: this.#startMs,
      spawn: (args, added) => this.#spawn(known, [...found.command, ...args], cwd, { ...env, ...added }),
    });
    try {
      await runtime.start(patience);
      return runtime;
    } catch (error) {
      link.close();
      throw error;
    }
  }

  /** A seat in the server that sessions with the same environment share. */
  async #together({ options, known, found, cwd, sessionId, journal, patience }: Plan): Promise<Runtime> {
    const env = this.#environment(known, options.env);
    const { model, variant, permissionMode, mcpServers, resume, record } = options;
    const isHttp = known.runtime === "http";
    const key = JSON.stringify([known.id, found.command, env, record, isHttp && mcpServers]);
    const start: StartCommand = {
      cwd,
      ...(model && { model }),
      ...(variant && { variant }),
      ...(permissionMode && { permission_mode: permissionMode }),
      ...(mcpServers && !isHttp && { mcp_servers: mcpServers }),
    };
    for (;;) {
      const server = this.#servers.get(key) ?? this.#serve(key, { options, known, found, cwd, env });
      server.redactor.add(mcpSecrets(mcpServers));
      const seat = new Seat(server, { id: sessionId, cwd, journal, start, resume });
      const wasThere = server.pid !== undefined;
      try {
        await server.open(seat, patience);
        return seat;
      } catch (error) {
        // It was about to die when it was asked: a fresh one is not.
        if (patience.signal?.aborted || !wasThere || server.pid !== undefined || journal.lastSequence > 0) throw error;
      }
    }
  }

  #serve(key: string, { options, known, found, cwd, env }: ServerPlan): SharedServer {
    const { args, env: own = {} } = known.start({ cwd, mcpServers: options.mcpServers, file: () => "" });
    const all = { ...env, ...own };
    const redactor = new Redactor([...secretsIn(all), ...mcpSecrets(options.mcpServers)]);
    const way = known.runtime === "http" ? new HttpWay(redactor, own["OPENCODE_SERVER_PASSWORD"] ?? "") : undefined;
    const now = this.#now;
    const server: SharedServer = new SharedServer({
      recipe: known,
      redactor,
      link: new Link({
        open: (onLine) => openConnection({ agent: known.id, includeRaw: true, now, onLine }),
        redactor,
        now,
        journal: (id) => server.seat(id)?.journal,
        journals: () => server.journals,
        fail: (error) => server.fail(error),
        // What a server prints about itself is nothing that its sessions say.
        hears: (on) => way === undefined || (on === "stderr" && server.isInUse),
        request: (request, id) => void way?.send(request, server.seat(id)?.cwd ?? cwd),
        recorder: this.#recorder(options, known, found, cwd),
      }),
      spawn: () => this.#spawn(known, [...found.command, ...args], cwd, all),
      connect: async (process) => way?.connect(process),
      listen: async (folder) => way?.listen(folder),
      idleMs: this.#idleMs,
      startMs: this.#startMs,
      onStop: () => {
        if (this.#servers.get(key) === server) this.#servers.delete(key);
      },
      onStopped: () => {
        this.#everyServer.delete(server);
      },
    });
    if (way !== undefined) way.link = server.link;
    this.#servers.set(key, server);
    this.#everyServer.add(server);
    return server;
  }

  async #spawn(known: Recipe, command: string[], cwd: string, env: Record<string, string>): Promise<AgentProcess> {
    // Nobody would end it.
    this.#closed.signal.throwIfAborted();
    const options = { command, cwd, env, graceMs: this.#graceMs, watchdog: this.#watchdog };
    return AgentProcess.start(options).catch((error: NodeJS.ErrnoException) => {
      const message = `${known.name} cannot be started: ${error.code ?? error.message}`;
      throw new InterlinearError("agent_refused", message, `Start \`${known.program}\` by hand to see why.`);
    });
  }

  #recorder(options: StartOptions, known: Recipe, found: Found, cwd: string): Recorder | undefined {
    if (options.record === undefined) return undefined;
    const { command, version } = found;
    return new Recorder(options.record, { agent: known.id, version, argv: command, cwd }, this.#now);
  }

  get #now(): () => number {
    return this.#options.now ?? Date.now;
  }

  #admit({ options, known, cwd, sessionId, journal }: Plan, runtime: Runtime): AgentSession {
    const { signal } = options;
    const session = new AgentSession({ id: sessionId, cwd, recipe: known, runtime, journal, store: this.#store });
    this.#sessions.set(session.id, session);
    const release = onAbort(signal, () => void session.terminate().catch(() => {}));
    const over = journal.until(() => journal.status === "ended" || journal.failure !== undefined);
    void over.promise.then(async () => {
      release();
      // A store that failed may fail again: there is nobody left to tell.
      await session.terminate().catch(() => {});
      this.#sessions.delete(session.id);
    });
    return session;
  }

  async #describe(known: Recipe, lists: boolean): Promise<AgentInfo> {
    const { id, name, install, features, models, modes, variants } = known;
    const info = { id, name, install, features, models, modes, variants };
    try {
      const { command, path, version } = await this.#find(known);
      const models = lists ? await this.#models(known, command) : info.models;
      return { ...info, installed: true, path, ...(version !== undefined && { version }), models };
    } catch (error) {
      const { code, message } = error as InterlinearError;
      return { ...info, installed: code !== "not_installed", problem: message };
    }
  }

  /** The models that the program itself lists. One that cannot, or not in these words, lists none. */
  async #models(known: Recipe, command: readonly string[]): Promise<readonly string[]> {
    const { lists, models } = known;
    if (lists === undefined) return models;
    const said = await ask([...command, ...lists.args], this.#environment(known), this.#closed.signal);
    try {
      return lists.names(said);
    } catch {
      return models;
    }
  }

  /** The agent's program, asked once for its version. */
  #find(known: Recipe): Promise<Found> {
    const env = this.#environment(known);
    const given = this.#options.agents?.[known.id]?.command;
    let command: string[];
    try {
      command = locate(known, given, env["PATH"] ?? "");
    } catch (error) {
      return Promise.reject(error);
    }
    const key = JSON.stringify(command);
    const asked = this.#found.get(key) ?? identify(known, command, env, this.#closed.signal);
    this.#found.set(key, asked);
    // A version that did not come may come the next time.
    asked.catch(() => this.#found.delete(key));
    return asked;
  }

  #environment(known: Recipe, added: Readonly<Record<string, string>> = {}): Record<string, string> {
    const { env = {}, agents } = this.#options;
    return environment(process.env, known.passes, known.sets, env, agents?.[known.id]?.env ?? {}, added);
  }
}

async function identify(
  known: Recipe,
  command: string[],
  env: Record<string, string>,
  signal: AbortSignal,
): Promise<Found> {
  const [path = ""] = command;
  // With arguments it is something that stands for the agent: its version would not be the agent's.
  const version = command.length > 1 ? undefined : await askVersion(command, env, signal);
  if (version === undefined) return { command, path };
  checkVersion(known, version);
  return { command, path, version };
}

function sessionExists(id: string): InterlinearError {
  const cure = "Give another `sessionId`, or none; `resume` goes on with an agent's session under a new one.";
  return new InterlinearError("session_exists", `there is a session ${id} in the store already`, cure);
}

/** Timers take no more, and run at once if they are given it: who waits for ever waits for 24 days. */
const LONGEST_MS = 2 ** 31 - 1;

function milliseconds(name: string, given: number): number {
  if (typeof given === "number" && given >= 0) return Math.min(given, LONGEST_MS);
  const message = `${name} is ${given}`;
  throw new InterlinearError(
    "bad_options",
    message,
    "It must be a number of milliseconds, not below 0; or leave it out.",
  );
}

function checkFolder(cwd: string): string {
  // Programs in JavaScript may forget it.
  const folder = typeof cwd === "string" ? resolve(cwd) : `${cwd}`;
  const problem = problemOf(folder);
  if (problem === undefined) return folder;
  const message = `${folder} ${problem}`;
  throw new InterlinearError("bad_cwd", message, "Name the folder that the agent is to work in: `cwd`.");
}

function problemOf(folder: string): string | undefined {
  try {
    const stat = statSync(folder, { throwIfNoEntry: false });
    if (stat === undefined) return "is not there";
    return stat.isDirectory() ? undefined : "is no folder";
  } catch (error) {
    // A name that the system does not take, a link that leads nowhere, a folder that may not be looked into.
    return `cannot be a folder to work in: ${codeOf(error)}`;
  }
}

/** What stands in the settings of tool servers to let the agent in. */
function mcpSecrets(servers: Readonly<Record<string, McpServer>> = {}): string[] {
  return Object.values(servers).flatMap((server) => {
    const headers = Object.values(server.headers ?? {}).filter((value) => value.length >= 8);
    return [...headers, ...secretsIn(server.env ?? {})];
  });
}

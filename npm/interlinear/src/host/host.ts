/// <reference lib="esnext.disposable" preserve="true" />
import { randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { Agent } from "../../types/index.js";
import { InterlinearError } from "../errors.js";
import { openSession } from "../session.js";
import type { Store } from "../store/store.js";
import { type Feature, type McpServer, type Recipe, recipe, recipes } from "./agents.js";
import { Dedicated } from "./dedicated.js";
import { environment, secretsIn } from "./environment.js";
import { askVersion, checkVersion, type Found, locate } from "./find.js";
import { Journal } from "./journal.js";
import { Link } from "./link.js";
import { AgentProcess } from "./process.js";
import { Recorder } from "./recorder.js";
import { Redactor } from "./redact.js";
import type { Runtime } from "./runtime.js";
import { AgentSession } from "./session.js";
import { Watchdog } from "./watchdog.js";

/** Where an agent's program is, and what it gets in its environment. */
export interface AgentSettings {
  /** The program, or the program with what must come before the agent's arguments. */
  command?: string | readonly string[];
  env?: Readonly<Record<string, string>>;
}

/** How to set up a host. */
export interface HostOptions {
  /** Where the sessions are kept. */
  store: Store;
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
  /** Names of models that it always takes; it takes others too. */
  models: readonly string[];
  /** The permission modes that it takes. */
  modes: readonly string[];
  /** The variants that it takes, as far as the model allows. */
  variants: readonly string[];
}

/** Runs agents, and keeps what they say. */
export class AgentHost implements AsyncDisposable {
  readonly #options: HostOptions;
  readonly #store: Store;
  readonly #watchdog = new Watchdog();
  readonly #sessions = new Map<string, AgentSession>();
  readonly #found = new Map<string, Promise<Found>>();
  #closing: Promise<void> | undefined;

  constructor(options: HostOptions) {
    this.#options = options;
    this.#store = options.store;
  }

  /** Where the sessions are kept. */
  get store(): Store {
    return this.#store;
  }

  /** What is installed, and what it offers. */
  agents(): Promise<AgentInfo[]> {
    return Promise.all(recipes().map((known) => this.#describe(known)));
  }

  /** Starts an agent; resolves when it is ready for a prompt. */
  async start(options: StartOptions): Promise<AgentSession> {
    const known = checkOptions(options);
    if (this.#closing !== undefined) throw new InterlinearError("host_closed", "the host is closed", "Make another.");
    options.signal?.throwIfAborted();
    const cwd = checkFolder(options.cwd);
    const { command, version } = await this.#find(known);
    const env = this.#environment(known, options.env);
    const secrets = [...secretsIn(env), ...mcpSecrets(options.mcpServers)];
    const sessionId = options.sessionId ?? `session_${randomBytes(16).toString("hex")}`;
    const { model, variant, permissionMode, mcpServers, resume } = options;
    const facts = {
      cwd,
      ...(model && { model }),
      ...(variant && { variant }),
      ...(permissionMode && { mode: permissionMode }),
    };
    const writer = await this.#store.open(sessionId, { agent: known.id, metadata: facts });
    const journal = new Journal(writer);
    const now = this.#options.now ?? Date.now;
    const head = { agent: known.id, version, argv: command, cwd };
    const recorder = options.record === undefined ? undefined : new Recorder(options.record, head, now);
    const core = openSession({ agent: known.id, sessionId, includeRaw: true, metadata: facts, now });
    const link = new Link({ core, redactor: new Redactor(secrets), now, journal: () => journal, recorder });
    const runtime = new Dedicated({
      recipe: known,
      launch: { cwd, model, variant, permissionMode, mcpServers, resume },
      journal,
      link,
      spawn: (args, added) =>
        AgentProcess.start({
          command: [...command, ...args],
          cwd,
          env: { ...env, ...added },
          graceMs: this.#options.graceMs ?? 5000,
          watchdog: this.#watchdog,
        }),
    });
    await runtime.start({ startMs: this.#options.startMs ?? 120_000, signal: options.signal });
    return this.#admit(
      new AgentSession({ id: sessionId, cwd, recipe: known, runtime, journal, store: this.#store }),
      runtime,
      journal,
      options.signal,
    );
  }

  /** A session that runs here. */
  session(id: string): AgentSession | undefined {
    return this.#sessions.get(id);
  }

  /** The sessions that run here. */
  sessions(): AgentSession[] {
    return [...this.#sessions.values()];
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
    await Promise.all(this.sessions().map((session) => session.terminate()));
    await this.#watchdog.close();
  }

  #admit(session: AgentSession, _runtime: Runtime, journal: Journal, signal: AbortSignal | undefined): AgentSession {
    this.#sessions.set(session.id, session);
    const terminate = () => void session.terminate();
    signal?.addEventListener("abort", terminate, { once: true });
    const over = journal.until(() => journal.status === "ended" || journal.failure !== undefined);
    over.promise.then(async () => {
      signal?.removeEventListener("abort", terminate);
      await session.terminate();
      await journal.close();
      this.#sessions.delete(session.id);
    });
    return session;
  }

  async #describe(known: Recipe): Promise<AgentInfo> {
    const { id, name, install, features, models, modes, variants } = known;
    const info = { id, name, install, features, models, modes, variants };
    try {
      const { path, version } = await this.#find(known);
      return { ...info, installed: true, path, ...(version !== undefined && { version }) };
    } catch (error) {
      const { code, message } = error as InterlinearError;
      return { ...info, installed: code !== "not_installed", problem: message };
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
    const asked = this.#found.get(key) ?? identify(known, command, env);
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

async function identify(known: Recipe, command: string[], env: Record<string, string>): Promise<Found> {
  const [path = ""] = command;
  // With arguments it is something that stands for the agent: its version would not be the agent's.
  const version = command.length > 1 ? undefined : await askVersion(command, env);
  if (version === undefined) return { command, path };
  checkVersion(known, version);
  return { command, path, version };
}

/** Values become arguments of programs: one that looks like an option is none of ours. */
function checkOptions(options: StartOptions): Recipe {
  const { agent, model, variant, permissionMode, resume } = options;
  const known = recipes().find(({ id }) => id === agent);
  if (known === undefined) {
    const names = recipes().map(({ id }) => id);
    throw new InterlinearError("unknown_agent", `there is no agent \`${agent}\``, `Use one of ${names.join(", ")}.`);
  }
  for (const [name, value] of Object.entries({ model, variant, permissionMode, resume })) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be in there
    if (value !== undefined && (value === "" || /^-|[\u0000-\u001f]/.test(value))) {
      const message = `${name} is ${JSON.stringify(value)}`;
      throw new InterlinearError("bad_options", message, "It must be a name: not empty, with no dash in front.");
    }
  }
  return recipe(known.id);
}

function checkFolder(cwd: string): string {
  const folder = resolve(cwd);
  const stat = statSync(folder, { throwIfNoEntry: false });
  if (stat?.isDirectory() === true) return folder;
  const message = `${folder} is ${stat === undefined ? "not there" : "no folder"}`;
  throw new InterlinearError("bad_cwd", message, "Name the folder that the agent is to work in: `cwd`.");
}

/** What stands in the settings of tool servers to let the agent in. */
function mcpSecrets(servers: Readonly<Record<string, McpServer>> = {}): string[] {
  return Object.values(servers).flatMap((server) => {
    if ("url" in server) return Object.values(server.headers ?? {}).filter((value) => value.length >= 8);
    return secretsIn(server.env ?? {});
  });
}

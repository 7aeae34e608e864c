// How each agent is found and started. What is said to it is the core's business; here stands only what no line of
// its protocol says. To add an agent: one file beside these, and one line in the registry.
import type { Agent, McpServer } from "../../types/index.js";
import { amp } from "./agents/amp.js";
import { claude } from "./agents/claude.js";
import { codex } from "./agents/codex.js";
import { opencode } from "./agents/opencode.js";
import { pi } from "./agents/pi.js";

/** What an agent can do through the host. */
export type Feature =
  | "resume"
  | "interrupt"
  | "permissions"
  | "questions"
  | "images"
  | "files"
  | "mcp"
  | "set_model"
  | "set_variant"
  | "set_permission_mode"
  | "shared_process";

/** What a session is started with. */
export interface Launch {
  readonly cwd: string;
  readonly model?: string | undefined;
  readonly variant?: string | undefined;
  readonly permissionMode?: string | undefined;
  readonly mcpServers?: Readonly<Record<string, McpServer>> | undefined;
  /** The agent's own identifier of a session that goes on. */
  readonly resume?: string | undefined;
  /** Writes a file that only this user may read, and that is gone with the process. */
  file(name: string, content: string): string;
}

/** The arguments of the agent's process, and what it needs in its environment. */
export interface Start {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** All that the host knows of an agent. */
export interface Recipe {
  readonly id: Agent;
  /** Its name, for people. */
  readonly name: string;
  /** The program. */
  readonly program: string;
  /** The command that installs it. */
  readonly install: string;
  /** The oldest version that speaks the protocol. */
  readonly oldest: string;
  /** What to do where it is not logged in. */
  readonly login: string;
  readonly features: readonly Feature[];
  readonly models: readonly string[];
  /** How the program lists its models: its arguments, and the names in what it says. */
  readonly lists?: { readonly args: readonly string[]; names(said: string): string[] };
  readonly modes: readonly string[];
  /** Whether these are all, whatever its version: the words are the host's, and stand for options. */
  readonly ownModes?: true;
  readonly variants: readonly string[];
  /** The variables of the host's environment that it may see, beside the common ones. */
  readonly passes: readonly string[];
  /** What is always set for it. */
  readonly sets: Readonly<Record<string, string>>;
  /**
   * How it runs: a process for each session (`process`), one that serves all sessions by its standard input and
   * output (`stdio`), or one that serves them by HTTP (`http`).
   */
  readonly runtime: "process" | "stdio" | "http";
  /** How its process is started. */
  start(launch: Launch): Start;
  /**
   * By what, in its output, a process for one session is known to have started; absent: it says nothing before the
   * first prompt.
   */
  readonly greets?: string;
  /** Whether an interrupt ends the process; another one goes on with the session. */
  readonly endsWhenInterrupted?: boolean;
  /** What can only be changed by another process, which goes on with the session. */
  readonly fixed: readonly ("model" | "variant" | "permissionMode")[];
  /** The permission modes that a process takes only if it was started with them. */
  readonly fixedModes?: readonly string[];
}

/** The registry, in the core's order. */
const RECIPES: Readonly<Record<Agent, Recipe>> = { claude, codex, opencode, amp, pi };

/** How an agent is run. */
export function recipe(agent: Agent): Recipe {
  return RECIPES[agent];
}

/** How every agent is run. */
export function recipes(): Recipe[] {
  return Object.values(RECIPES);
}

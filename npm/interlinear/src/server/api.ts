// What goes over the wire, beside the events; both ends use these types.
//
// Paths, names and words are those of an HTTP API for coding agents that others have documented and have clients for,
// here called the reference API: a client that was written for it works with this server as it is, and need not know
// what this server adds.
import type { PermissionReply, PromptPart, UniversalEvent } from "../../types/index.js";

/** The server is there. */
export interface Health {
  status: "ok";
}

/** An agent, and whether it can be run. */
export interface AgentDescription {
  id: string;
  name: string;
  installed: boolean;
  version?: string;
  path?: string;
  /** Why it cannot be run. */
  problem?: string;
  /** The command that installs it. */
  install: string;
  /** What it can do: `permissions`, `questions`, `images`, `resume` and so on. */
  features: readonly string[];
}

/** A model that an agent takes. */
export interface ModelDescription {
  id: string;
  /** The variants (reasoning efforts) that the agent takes, as far as the model allows. */
  variants?: readonly string[];
}

/** A way in which an agent can work: `build` or `plan`. */
export interface ModeDescription {
  id: string;
  name: string;
  description: string;
}

/** How to start a session. */
export interface CreateSession {
  agent: string;
  /** `build` (the default) or `plan`. */
  agentMode?: string;
  /** `default`, `plan`, `acceptEdits`, `bypass`, or one of the agent's own. */
  permissionMode?: string;
  model?: string;
  variant?: string;
  /** The folder that the agent works in; the server's own if not given. */
  directory?: string;
  /** The agent's own identifier of a session to go on with. */
  resume?: string;
  /** Servers of tools, by name. */
  mcp?: Record<string, McpServerDescription>;
}

/** A server of tools: a program that the agent starts, or an address. */
export type McpServerDescription =
  | { command: string | string[]; args?: string[]; env?: Record<string, string> }
  | { url: string; headers?: Record<string, string> };

/** A session that was started. */
export interface CreatedSession {
  healthy: true;
  /** The agent's own identifier of the session, where it is known before the first turn. */
  nativeSessionId?: string;
}

/** A session, running or not. */
export interface SessionDescription {
  sessionId: string;
  agent: string;
  agentMode: string;
  permissionMode: string;
  /** `idle` or `running` here; `ended`; or `detached`: neither ended nor run by this server. */
  status: "idle" | "running" | "ended" | "detached";
  ended: boolean;
  /** How many events it has. */
  eventCount: number;
  /** In milliseconds since 1970. */
  createdAt: number;
  updatedAt: number;
  model?: string;
  variant?: string;
  title?: string;
  directory?: string;
  nativeSessionId?: string;
}

/** What to say to the agent: a text with files, or parts. */
export interface Message {
  message?: string;
  attachments?: { path: string; mime?: string }[];
  parts?: PromptPart[];
}

/** Some events of a session, in order. */
export interface EventPage {
  events: UniversalEvent[];
  /** Whether there are later ones. */
  hasMore: boolean;
}

/** The answer to a permission request. */
export interface PermissionAnswer {
  /** As the events have it; `once` and `always` mean `accept` and `accept_for_session`. */
  reply: PermissionReply | "once" | "always";
  /** What the agent is told with a refusal. */
  message?: string;
}

/** The answer to the questions of a request. */
export interface QuestionAnswer {
  /** For each question, the options chosen or the text written. */
  answers: string[][];
}

/** What went wrong (RFC 9457). */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  /** For programs. */
  code: string;
  /** How to mend it. */
  cure: string;
}

// What goes over the wire, beside the events. Names are those of the reference API; both ends use these types.
import type { PromptPart, UniversalEvent } from "../../types/index.js";

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

export interface ModelDescription {
  id: string;
  variants?: readonly string[];
}

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

export type McpServerDescription =
  | { command: string | string[]; args?: string[]; env?: Record<string, string> }
  | { url: string; headers?: Record<string, string> };

export interface CreatedSession {
  healthy: true;
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

export interface EventPage {
  events: UniversalEvent[];
  hasMore: boolean;
}

export interface PermissionAnswer {
  reply: "once" | "always" | "reject";
  /** What the agent is told with a refusal. */
  message?: string;
}

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

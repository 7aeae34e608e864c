// `interlinear/node`: runs agents.
export type { McpServer } from "../../types/index.js";
export type { Feature } from "./agents.js";
export { AgentHost, type AgentInfo, type AgentSettings, type HostOptions, type StartOptions } from "./host.js";
export type { Pending, SessionStatus } from "./journal.js";
export { AgentSession, type EventsOptions, type PromptOptions } from "./session.js";
export type { Turn } from "./turn.js";

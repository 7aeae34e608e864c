import type { Agent, McpServer } from "../../../types/index.js";
import type { SessionInfo } from "../../store/store.js";
import type { CreatedSession, CreateSession, McpServerDescription, SessionDescription } from "../api.js";
import type { Call, Services } from "../call.js";
import { permissionMode } from "../modes.js";
import { refusal } from "../problem.js";
import { nothing, type Route } from "../route.js";
import { choice, count, flag, list, map, object, text } from "../schema.js";

const program = object({ command: { anyOf: [text, list(text)] }, "args?": list(text), "env?": map(text) });
const address = object({ url: text, "headers?": map(text) });

const creation = object({
  agent: text,
  "agentMode?": text,
  "permissionMode?": text,
  "model?": text,
  "variant?": text,
  "directory?": text,
  "resume?": text,
  "mcp?": map({ anyOf: [program, address] }),
});

const description = object({
  sessionId: text,
  agent: text,
  agentMode: text,
  permissionMode: text,
  status: choice("idle", "running", "ended", "detached"),
  ended: flag,
  eventCount: count,
  createdAt: count,
  updatedAt: count,
  "model?": text,
  "variant?": text,
  "title?": text,
  "directory?": text,
  "nativeSessionId?": text,
});

function describe(info: SessionInfo, { host }: Services): SessionDescription {
  const running = host.session(info.sessionId);
  const known = (name: string) => {
    const value = info.metadata[name];
    return typeof value === "string" ? value : undefined;
  };
  const mode = known("mode") ?? "default";
  return {
    sessionId: info.sessionId,
    agent: info.agent ?? "unknown",
    agentMode: mode === "plan" ? "plan" : "build",
    permissionMode: mode,
    status: info.ended ? "ended" : (running?.status ?? "detached"),
    ended: info.ended,
    eventCount: info.lastSequence,
    createdAt: Math.round(info.createdAt),
    updatedAt: Math.round(info.updatedAt),
    ...given({
      model: known("model"),
      variant: known("variant"),
      title: known("title"),
      directory: known("cwd"),
      nativeSessionId: running?.nativeSessionId ?? known("native_session_id"),
    }),
  };
}

async function create(call: Call): Promise<CreatedSession> {
  const { host, store, directory } = call.services;
  const sessionId = call.param("session_id");
  const asked = call.body<CreateSession>();
  if ((await store.info(sessionId)) !== undefined) {
    throw refusal("session_exists", `there is a session ${sessionId} already`, "Use another identifier.");
  }
  const modes = (await host.agents()).find(({ id }) => id === asked.agent)?.modes ?? [];
  const session = await host.start({
    agent: asked.agent as Agent,
    sessionId,
    cwd: asked.directory ?? directory,
    ...given({
      model: asked.model,
      variant: asked.variant,
      permissionMode: permissionMode(asked, modes),
      resume: asked.resume,
      mcpServers: asked.mcp && serversOf(asked.mcp),
    }),
  });
  return { healthy: true, ...given({ nativeSessionId: session.nativeSessionId }) };
}

/**
 * Servers of tools as the host takes them. The reference API (see `api.ts`) allows a command line in one list, and marks
 * the kind.
 */
function serversOf(mcp: Record<string, McpServerDescription>): Record<string, McpServer> {
  const entries = Object.entries(mcp).map(([name, server]): [string, McpServer] => {
    if ("url" in server) return [name, { url: server.url, ...given({ headers: server.headers }) }];
    const [command, ...args] = [server.command].flat();
    return [name, { ...given({ command, env: server.env }), args: [...args, ...(server.args ?? [])] }];
  });
  return Object.fromEntries(entries);
}

/** What there is of them: JSON has null for what is not, and the host wants nothing. */
function given<T extends object>(fields: T): { [Name in keyof T]?: NonNullable<T[Name]> } {
  const there = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(there) as { [Name in keyof T]?: NonNullable<T[Name]> };
}

export const sessionRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "/v1/sessions",
    id: "listSessions",
    summary: "The sessions, the last written first.",
    query: { limit: count, offset: count },
    answer: { status: 200, description: "Sessions.", schema: object({ sessions: list(description) }) },
    async handle(call) {
      const [limit, offset] = [call.number("limit"), call.number("offset")];
      const options = { ...(limit !== undefined && { limit }), ...(offset !== undefined && { offset }) };
      const infos = await call.services.store.list(options);
      return Response.json({ sessions: infos.map((info) => describe(info, call.services)) });
    },
  },
  {
    method: "POST",
    path: "/v1/sessions/{session_id}",
    id: "createSession",
    summary: "Starts an agent, under an identifier of your choice.",
    body: creation,
    answer: { status: 200, description: "It runs.", schema: object({ healthy: flag, "nativeSessionId?": text }) },
    problems: [400, 404, 409],
    handle: async (call) => Response.json(await create(call)),
  },
  {
    method: "GET",
    path: "/v1/sessions/{session_id}",
    id: "getSession",
    summary: "What is known of a session.",
    answer: { status: 200, description: "The session.", schema: description },
    problems: [404],
    handle: async (call) => Response.json(describe(await call.info(), call.services)),
  },
  {
    method: "DELETE",
    path: "/v1/sessions/{session_id}",
    id: "deleteSession",
    summary: "Removes a session that nobody runs, with all its events.",
    answer: nothing("It is gone."),
    problems: [404, 409],
    async handle(call) {
      const { host, store } = call.services;
      const sessionId = call.param("session_id");
      if (host.session(sessionId) !== undefined) {
        const cure = "End it first: `POST /v1/sessions/{session_id}/terminate`.";
        throw refusal("session_busy", `session ${sessionId} is running`, cure);
      }
      await store.delete(sessionId);
      return new Response(null, { status: 204 });
    },
  },
  {
    method: "POST",
    path: "/v1/sessions/{session_id}/terminate",
    id: "terminateSession",
    summary: "Ends a session, and everything that runs for it.",
    answer: nothing("It has ended."),
    problems: [404, 409],
    async handle(call) {
      if (!(await call.info()).ended) await (await call.session()).terminate();
      return new Response(null, { status: 204 });
    },
  },
  {
    method: "POST",
    path: "/v1/sessions/{session_id}/interrupt",
    id: "interruptTurn",
    summary: "Stops the running turn, if there is one; the session stays usable.",
    answer: nothing("No turn is running."),
    problems: [404, 409],
    async handle(call) {
      await (await call.session()).interrupt();
      return new Response(null, { status: 204 });
    },
  },
];

import type { AgentHost } from "../host/index.js";
import type { Store } from "../store/store.js";
import { checkToken, originHeaders, preflight } from "./access.js";
import { readBody } from "./body.js";
import { Call, type Services } from "./call.js";
import { openapi } from "./openapi.js";
import { problemResponse, refusal } from "./problem.js";
import { type Match, type Route, Router } from "./route.js";
import { agentRoutes } from "./routes/agents.js";
import { eventRoutes } from "./routes/events.js";
import { messageRoutes } from "./routes/messages.js";
import { replyRoutes } from "./routes/replies.js";
import { sessionRoutes } from "./routes/sessions.js";

/** How to set up a server. */
export interface ServerOptions {
  /** Runs the agents. */
  host: AgentHost;
  /** Where the sessions are; the host's own store if not given. */
  store?: Store;
  /** What clients must show; without it everybody who reaches the server may do everything. */
  token?: string;
  /** The origins whose pages may call; `*` for all. */
  cors?: readonly string[];
  /** The folder that agents work in, if the client names none; the current one if not given. */
  directory?: string;
  /** The largest body of a request, in bytes; 16 MiB if not given. */
  maxBody?: number;
  /** Called with what went wrong on our side. */
  onError?: (error: unknown) => void;
}

/** A server as one function, for every runtime that speaks `Request` and `Response`. */
export type Handler = (request: Request) => Promise<Response>;

/** All that the server does. */
export const routes: readonly Route[] = [
  ...agentRoutes,
  ...sessionRoutes,
  ...messageRoutes,
  ...eventRoutes,
  ...replyRoutes,
  {
    method: "GET",
    path: "/openapi.json",
    id: "getOpenApi",
    summary: "This API, described.",
    answer: { status: 200, description: "An OpenAPI document." },
    handle: async () => Response.json(await openapi(routes)),
  },
];

const router = new Router(routes);

/** Makes the server. */
export function createServer(options: ServerOptions): Handler {
  const { host, store = host.store, cors = [], directory = process.cwd(), maxBody = 16 * 1024 * 1024 } = options;
  const services: Services = { host, store, directory };

  async function answer(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const matches = router.match(url.pathname);
    const match = matches.find(({ route }) => route.method === request.method || isHeadOf(route, request));
    if (match === undefined) return refuse(matches, request, url);
    const { route, params } = match;
    if (route.open !== true) checkToken(request, options.token);
    const body = route.body === undefined ? undefined : await readBody(request, route.body, maxBody);
    return await route.handle(new Call(request, services, params, url.searchParams, body));
  }

  return async (request) => {
    let headers: Record<string, string> = {};
    try {
      if (isPreflight(request)) return preflight(request, cors);
      headers = originHeaders(request, cors);
      return await asAsked(request, withHeaders(await answer(request), headers));
    } catch (error) {
      const response = problemResponse(error, headers);
      if (response.status >= 500) options.onError?.(error);
      return asAsked(request, response);
    }
  };
}

function isPreflight({ method, headers }: Request): boolean {
  return method === "OPTIONS" && headers.has("access-control-request-method");
}

function isHeadOf(route: Route, { method }: Request): boolean {
  return method === "HEAD" && route.method === "GET";
}

/** HEAD is GET without what comes after the headers. */
async function asAsked({ method }: Request, response: Response): Promise<Response> {
  if (method !== "HEAD") return response;
  await response.body?.cancel();
  return new Response(null, response);
}

/** Nothing is there, or it takes other methods. */
function refuse(matches: readonly Match[], { method }: Request, { pathname }: URL): Response {
  const cure = "See `/openapi.json` for what there is.";
  if (matches.length === 0) throw refusal("unknown_path", `there is nothing at ${pathname}`, cure);
  const methods = new Set(matches.flatMap(({ route }) => (route.method === "GET" ? ["GET", "HEAD"] : [route.method])));
  const problem = refusal("wrong_method", `${pathname} does not take ${method}`, cure);
  return problemResponse(problem, { allow: [...methods].join(", ") });
}

function withHeaders(response: Response, headers: Record<string, string>): Response {
  for (const [name, value] of Object.entries({ "cache-control": "no-store", ...headers })) {
    response.headers.set(name, value);
  }
  return response;
}

import type { PromptPart, UniversalEvent } from "../../types/index.js";
import { InterlinearError } from "../errors.js";
import type {
  AgentDescription,
  CreatedSession,
  CreateSession,
  EventPage,
  Health,
  Message,
  ModeDescription,
  ModelDescription,
  PermissionAnswer,
  QuestionAnswer,
  SessionDescription,
} from "../server/api.js";
import type { Gap, Overflow } from "../store/store.js";
import { brokenOff, refused, strange, unreachable } from "./failure.js";
import { readFrames } from "./sse.js";
import { streamEvents } from "./stream.js";

/** Where the server is. */
export interface ClientOptions {
  /** `http://127.0.0.1:2468` */
  baseUrl: string;
  /** The server's token; none if it was started without. */
  token?: string;
  /** Instead of the runtime's own `fetch`. */
  fetch?: typeof fetch;
}

/** Which events to get. */
export interface GetEvents {
  /** The last sequence that you have; only later events are given. */
  offset?: number;
  /** At most so many. */
  limit?: number;
  /** Whether events carry the native object that caused them. */
  includeRaw?: boolean;
  /** Whether events carry the native lines before them that gave none: `silentLines` gives them. */
  includeSilent?: boolean;
  signal?: AbortSignal;
}

/** How to follow a session. */
export interface StreamEvents extends Omit<GetEvents, "limit"> {
  /** What the server does when this reader is slow; `wait` if not given: nothing is missing. */
  overflow?: Overflow;
  /** Called where events were left out (only with `overflow: "drop"`). */
  onGap?: (gap: Gap) => void;
}

/** Options of calls that do one thing. */
export interface CallOptions {
  signal?: AbortSignal;
}

type Query = Record<string, string | number | boolean | undefined>;

/** What to send. */
interface Sent extends CallOptions {
  query?: Query;
  body?: object;
  headers?: Record<string, string>;
}

/** Servers say every 15 seconds that they are there. */
const silence = 45_000;

/** Talks to a server of this package, from Node or a browser. */
export class Client {
  readonly #baseUrl: string;
  readonly #token: string | undefined;
  readonly #fetch: typeof fetch;
  /** Whether an address that begins with its path leads somewhere. */
  readonly #hasPlace: boolean;

  constructor(options: ClientOptions) {
    checkAddress(options.baseUrl);
    this.#baseUrl = `${options.baseUrl}`.replace(/\/+$/, "");
    this.#token = options.token;
    this.#fetch = options.fetch ?? ((input, init) => fetch(input, init));
    this.#hasPlace = options.fetch !== undefined || typeof location === "object" || URL.canParse(this.#baseUrl);
  }

  /** Whether the server is there. */
  health(options?: CallOptions): Promise<Health> {
    return this.#get("/v1/health", options);
  }

  /** The agents, and which of them are installed. */
  async agents(options?: CallOptions): Promise<AgentDescription[]> {
    return (await this.#get<{ agents: AgentDescription[] }>("/v1/agents", options)).agents;
  }

  /** The models that an agent always takes. */
  async models(agent: string, options?: CallOptions): Promise<ModelDescription[]> {
    const path = `/v1/agents/${encodeURIComponent(agent)}/models`;
    return (await this.#get<{ models: ModelDescription[] }>(path, options)).models;
  }

  /** How an agent can work. */
  modes(agent: string, options?: CallOptions): Promise<{ modes: ModeDescription[]; permissionModes: string[] }> {
    return this.#get(`/v1/agents/${encodeURIComponent(agent)}/modes`, options);
  }

  /** Starts an agent, under an identifier of your choice. */
  async createSession(sessionId: string, session: CreateSession, options?: CallOptions): Promise<CreatedSession> {
    const sent = { ...options, body: session };
    return this.#json(await this.#call("POST", path(sessionId), sent), sent);
  }

  /** The sessions, the last written first. */
  async listSessions(options: { limit?: number; offset?: number } & CallOptions = {}): Promise<SessionDescription[]> {
    const { signal, ...query } = options;
    const sent = { query, ...(signal && { signal }) };
    return (await this.#get<{ sessions: SessionDescription[] }>("/v1/sessions", sent)).sessions;
  }

  /** A session, running or not. */
  async getSession(sessionId: string, options?: CallOptions): Promise<SessionDescription> {
    return this.#get(path(sessionId), options);
  }

  /** What is written, after `offset`. */
  async getEvents(sessionId: string, options: GetEvents = {}): Promise<UniversalEvent[]> {
    const { offset, limit, includeRaw, includeSilent, signal } = options;
    const query = { offset, limit, include_raw: includeRaw, include_silent: includeSilent };
    return (await this.#get<EventPage>(path(sessionId, "events"), { query, ...(signal && { signal }) })).events;
  }

  /** What is written after `offset`, then what comes, until the session ends. Connections that break are made anew. */
  async *streamEvents(sessionId: string, options: StreamEvents = {}): AsyncGenerator<UniversalEvent, void> {
    const where = path(sessionId, "events", "sse");
    this.#mustBeCallable();
    const { offset = 0, includeRaw, includeSilent, overflow, onGap, signal } = options;
    yield* streamEvents({
      offset,
      holes: overflow === "coalesce" || overflow === "drop",
      onGap,
      signal,
      silence,
      connect: async (after, stop) => {
        const response = await this.#call("GET", where, {
          query: { offset, include_raw: includeRaw, include_silent: includeSilent, overflow },
          headers: { accept: "text/event-stream", "last-event-id": String(after) },
          signal: stop,
        });
        return response.status === 204 ? undefined : asStream(response);
      },
    });
  }

  /** Says something to the agent; resolves when it was told. */
  async sendMessage(sessionId: string, message: string | PromptPart[], options?: CallOptions): Promise<void> {
    await this.#do("POST", path(sessionId, "messages"), { ...options, body: messageOf(message) });
  }

  /** Says something to the agent, and gives the events of the turn. Who stops reading does not stop the agent. */
  async *streamTurn(
    sessionId: string,
    message: string | PromptPart[],
    options: { includeRaw?: boolean } & CallOptions = {},
  ): AsyncGenerator<UniversalEvent, void> {
    const { includeRaw, signal } = options;
    const sent = { body: messageOf(message), query: { include_raw: includeRaw }, ...(signal && { signal }) };
    const { body } = asStream(await this.#call("POST", path(sessionId, "messages", "stream"), sent));
    if (body === null) return;
    try {
      for await (const { data } of readFrames(body, () => undefined)) yield JSON.parse(data) as UniversalEvent;
    } catch (error) {
      signal?.throwIfAborted();
      throw brokenOff(this.#baseUrl, error);
    }
  }

  /** Answers a permission request. */
  async replyPermission(
    sessionId: string,
    permissionId: string,
    reply: PermissionAnswer["reply"],
    options: { message?: string } & CallOptions = {},
  ): Promise<void> {
    const { message, ...rest } = options;
    const body: PermissionAnswer = { reply, ...(message !== undefined && { message }) };
    await this.#do("POST", path(sessionId, "permissions", permissionId, "reply"), { ...rest, body });
  }

  /** Answers a question: for each that was asked, the options chosen or the text written. */
  async replyQuestion(
    sessionId: string,
    questionId: string,
    answers: QuestionAnswer["answers"],
    options?: CallOptions,
  ): Promise<void> {
    await this.#do("POST", path(sessionId, "questions", questionId, "reply"), { ...options, body: { answers } });
  }

  /** Dismisses a question. */
  async rejectQuestion(sessionId: string, questionId: string, options?: CallOptions): Promise<void> {
    await this.#do("POST", path(sessionId, "questions", questionId, "reject"), options);
  }

  /** Stops the running turn; the session stays usable. */
  async interrupt(sessionId: string, options?: CallOptions): Promise<void> {
    await this.#do("POST", path(sessionId, "interrupt"), options);
  }

  /** Ends a session, and everything that runs for it. */
  async terminate(sessionId: string, options?: CallOptions): Promise<void> {
    await this.#do("POST", path(sessionId, "terminate"), options);
  }

  /** Removes a session that nobody runs, with all its events. */
  async deleteSession(sessionId: string, options?: CallOptions): Promise<void> {
    await this.#do("DELETE", path(sessionId), options);
  }

  async #get<T>(where: string, sent?: Sent): Promise<T> {
    return this.#json(await this.#call("GET", where, sent), sent);
  }

  /** Asks for what is answered by nothing: who says more has not done it. */
  async #do(method: string, where: string, sent?: Sent): Promise<void> {
    const response = await this.#call(method, where, sent);
    if (response.status === 204) return;
    void response.body?.cancel().catch(() => undefined);
    throw strange(response);
  }

  async #json<T>(response: Response, { signal }: CallOptions = {}): Promise<T> {
    const value: unknown = await response.json().catch((error: unknown) => {
      signal?.throwIfAborted();
      throw error instanceof SyntaxError ? strange(response, error) : brokenOff(this.#baseUrl, error);
    });
    if (typeof value === "object" && value !== null) return value as T;
    throw strange(response);
  }

  /** Not sooner: a page may be drawn where it calls nobody, and whoever set up the client hears of it in its place. */
  #mustBeCallable(): void {
    if (!this.#hasPlace) throw badAddress(this.#baseUrl);
    if (this.#token !== undefined) checkToken(this.#token);
  }

  async #call(method: string, where: string, sent: Sent = {}): Promise<Response> {
    this.#mustBeCallable();
    const { query = {}, body, headers = {}, signal } = sent;
    const pairs = Object.entries(query).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)]],
    );
    const search = pairs.length === 0 ? "" : `?${new URLSearchParams(pairs)}`;
    const init: RequestInit = {
      method,
      headers: {
        ...(this.#token !== undefined && { authorization: `Bearer ${this.#token}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    };
    const response = await this.#fetch(`${this.#baseUrl}${where}${search}`, init).catch((error: unknown) => {
      signal?.throwIfAborted();
      throw unreachable(this.#baseUrl, error);
    });
    if (!response.ok) throw await refused(response);
    return response;
  }
}

/** What is no address of HTTP would be called in vain again and again. One that begins with its path may be a page's. */
function checkAddress(baseUrl: string): void {
  const isPath = typeof baseUrl === "string" && !URL.canParse(baseUrl);
  if (!isPath && !/^https?:/i.test(baseUrl)) throw badAddress(baseUrl);
}

function badAddress(baseUrl: string): InterlinearError {
  return new InterlinearError("bad_options", `baseUrl is ${baseUrl}`, "It begins with http:// or https://.");
}

function checkToken(token: string): void {
  // What a header takes; a line break in the middle, or what is no Latin, would look as if there were no server.
  if (/^[\r\n]*[\t\u0020-\u007e\u0080-\u00ff]*[\r\n]*$/.test(token)) return;
  throw new InterlinearError("bad_options", "the token has characters that no header takes", "Use the server's own.");
}

/** What is read as a stream must be one: a page of something else would be asked for again and again. */
function asStream(response: Response): Response {
  if (response.headers.get("content-type")?.startsWith("text/event-stream") === true) return response;
  void response.body?.cancel().catch(() => undefined);
  throw strange(response);
}

function path(...names: string[]): string {
  // In an address these are no names.
  const wrong = names.find((name) => ["", ".", ".."].includes(name) || /\p{Surrogate}/u.test(name));
  if (wrong !== undefined) {
    const message = `${JSON.stringify(wrong)} names no session and no request in an address`;
    throw new InterlinearError("bad_options", message, "Use another identifier.");
  }
  return ["/v1/sessions", ...names.map(encodeURIComponent)].join("/");
}

function messageOf(message: string | PromptPart[]): Message {
  return typeof message === "string" ? { message } : { parts: message };
}

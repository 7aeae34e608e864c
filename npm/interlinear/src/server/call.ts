import type { AgentHost, AgentSession } from "../host/index.js";
import { unknownSession } from "../store/failures.js";
import type { SessionInfo, Store } from "../store/store.js";
import { refusal } from "./problem.js";
import { complaint, type Schema } from "./schema.js";

/** What the routes work with. */
export interface Services {
  readonly host: AgentHost;
  readonly store: Store;
  /** The folder that agents work in, if the client names none. */
  readonly directory: string;
}

/** One request, matched to its route. */
export class Call {
  readonly request: Request;
  readonly services: Services;
  readonly #params: Readonly<Record<string, string>>;
  readonly #query: URLSearchParams;
  readonly #body: unknown;

  constructor(
    request: Request,
    services: Services,
    params: Readonly<Record<string, string>>,
    query: URLSearchParams,
    body: unknown,
  ) {
    this.request = request;
    this.services = services;
    this.#params = params;
    this.#query = query;
    this.#body = body;
  }

  /** A part of the path. */
  param(name: string): string {
    return this.#params[name] ?? "";
  }

  /** The body, as the route's schema has checked it. */
  body<T>(): T {
    return this.#body as T;
  }

  number(name: string): number | undefined {
    const value = this.#value(name);
    if (value === undefined) return undefined;
    if (/^\d{1,15}$/.test(value)) return Number(value);
    throw badQuery(name, "a whole number");
  }

  flag(name: string): boolean {
    const value = this.#value(name) ?? "false";
    if (["true", "1"].includes(value)) return true;
    if (["false", "0"].includes(value)) return false;
    throw badQuery(name, "`true` or `false`");
  }

  choice<T extends string>(name: string, schema: Schema): T | undefined {
    const value = this.#value(name);
    if (value === undefined || complaint(schema, value) === undefined) return value as T | undefined;
    throw badQuery(name, `one of ${schema.enum?.join(", ")}`);
  }

  /** The stored session that the path names. */
  async info(): Promise<SessionInfo> {
    const sessionId = this.param("session_id");
    const info = await this.services.store.info(sessionId);
    if (info === undefined) throw unknownSession(sessionId);
    return info;
  }

  /** The running session that the path names. */
  async session(): Promise<AgentSession> {
    const sessionId = this.param("session_id");
    const session = this.services.host.session(sessionId);
    if (session !== undefined && session.status !== "ended") return session;
    const { ended } = await this.info();
    if (ended)
      throw refusal("session_ended", `session ${sessionId} has ended`, "Start another; `resume` goes on with it.");
    const message = `session ${sessionId} is not run by this server`;
    throw refusal(
      "session_not_here",
      message,
      "Ask the server that started it; if that is gone, start another session.",
    );
  }

  /** `include_raw`, as the reference API (see `api.ts`) has it, or `includeRaw`, as clients of it write it. */
  #value(name: string): string | undefined {
    const camel = name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
    return this.#query.get(name) ?? this.#query.get(camel) ?? undefined;
  }
}

function badQuery(name: string, wanted: string) {
  return refusal("bad_request", `the parameter \`${name}\` must be ${wanted}`, "Change or remove it.");
}

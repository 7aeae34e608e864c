import type { Call } from "./call.js";
import type { Schema } from "./schema.js";

/** One thing that the server does: how it is called, described, and done. */
export interface Route {
  readonly method: "GET" | "POST" | "DELETE";
  /** With `{names}` for what differs. */
  readonly path: string;
  readonly id: string;
  readonly summary: string;
  readonly query?: Readonly<Record<string, Schema>>;
  /** What the body must be; without it none is read. */
  readonly body?: Schema;
  readonly answer: Answer;
  /** The statuses of the problems that are special to it. */
  readonly problems?: readonly number[];
  /** Whether it needs no token. */
  readonly open?: boolean;
  handle(call: Call): Promise<Response>;
}

/** What a route answers when all is well. */
export interface Answer {
  readonly status: 200 | 204;
  readonly description: string;
  readonly schema?: Schema;
  /** `application/json` if not given. */
  readonly type?: string;
}

export const nothing = (description: string): Answer => ({ status: 204, description });

/** A route that fits a request, and what stands for the names in its path. */
export interface Match {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

/** Finds routes by method and path. */
export class Router {
  readonly #routes: readonly (readonly [RegExp, Route])[];

  constructor(routes: readonly Route[]) {
    this.#routes = routes.map((route) => [patternOf(route.path), route]);
  }

  /** The routes that the path fits, whatever the method. */
  match(pathname: string): Match[] {
    return this.#routes.flatMap(([pattern, route]) => {
      const found = pattern.exec(pathname);
      return found === null ? [] : [{ route, params: decoded(found.groups ?? {}) }];
    });
  }
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(".", "\\.").replace(/\{(\w+)\}/g, "(?<$1>[^/]+)")}/?$`);
}

function decoded(groups: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, decode(value)]));
}

/** What is no UTF-8 stands for itself. */
function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

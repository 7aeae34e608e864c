// Who may call: a token, and a list of origins for pages of other servers.
import { refusal } from "./problem.js";

/** Compares without telling by its time how much was right. */
function same(given: string, token: string): boolean {
  const [a, b] = [new TextEncoder().encode(given), new TextEncoder().encode(token)];
  let difference = a.length ^ b.length;
  for (let index = 0; index < b.length; index += 1) difference |= (a[index % (a.length || 1)] ?? 0) ^ (b[index] ?? 0);
  return difference === 0;
}

/** Refuses who has not the token. */
export function checkToken(request: Request, token: string | undefined): void {
  if (token === undefined) return;
  const [, given] = /^Bearer +(.+)$/i.exec(request.headers.get("authorization") ?? "") ?? [];
  if (given !== undefined && same(given, token)) return;
  const message = given === undefined ? "the request has no token" : "the token is wrong";
  throw refusal("token_invalid", message, "Send the header `Authorization: Bearer TOKEN`.");
}

/** The headers that let a page of another origin read the answer; refuses origins that are not listed. */
export function originHeaders(request: Request, allowed: readonly string[]): Record<string, string> {
  const origin = request.headers.get("origin");
  if (origin === null || isOwn(request, origin)) return {};
  if (!allowed.includes(origin) && !allowed.includes("*")) {
    throw refusal("origin_refused", `pages of ${origin} may not call this server`, "List the origin in `cors`.");
  }
  return { "access-control-allow-origin": origin, vary: "origin" };
}

function isOwn(request: Request, origin: string): boolean {
  const host = request.headers.get("host") ?? new URL(request.url).host;
  return URL.canParse(origin) && new URL(origin).host === host;
}

/** The answer to a browser that asks before it calls. */
export function preflight(request: Request, allowed: readonly string[]): Response {
  const headers = {
    ...originHeaders(request, allowed),
    "access-control-allow-methods": "GET, POST, DELETE",
    "access-control-allow-headers": "authorization, content-type, last-event-id",
    "access-control-max-age": "600",
  };
  return new Response(null, { status: 204, headers });
}

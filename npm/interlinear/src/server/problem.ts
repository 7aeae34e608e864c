import { InterlinearError } from "../errors.js";
import type { Problem } from "./api.js";

/** What a code means in HTTP: the word of the reference API (see `api.ts`) for it, and the status. */
const kinds: Readonly<Record<string, readonly [kind: string, status: number]>> = {
  bad_command: ["invalid_request", 400],
  bad_cwd: ["invalid_request", 400],
  bad_options: ["invalid_request", 400],
  bad_request: ["invalid_request", 400],
  body_too_large: ["invalid_request", 413],
  not_json: ["invalid_request", 415],
  unknown_agent: ["unsupported_agent", 400],
  unsupported: ["mode_not_supported", 400],
  unsupported_mode: ["mode_not_supported", 400],
  token_invalid: ["token_invalid", 401],
  origin_refused: ["permission_denied", 403],
  not_installed: ["agent_not_installed", 404],
  unknown_path: ["not_found", 404],
  unknown_request: ["invalid_request", 404],
  unknown_session: ["session_not_found", 404],
  wrong_method: ["invalid_request", 405],
  agent_refused: ["agent_process_exited", 500],
  needs_login: ["permission_denied", 403],
  start_timeout: ["timeout", 504],
  too_old: ["agent_not_installed", 404],
  not_a_transcript: ["session_already_exists", 409],
  session_busy: ["session_already_exists", 409],
  session_ended: ["session_ended", 409],
  session_exists: ["session_already_exists", 409],
  session_not_here: ["session_not_here", 409],
  store_failed: ["store_failed", 503],
  store_full: ["store_failed", 507],
  host_closed: ["shutting_down", 503],
};

/** A refusal, with the kind of problem and the status that the table has for its code. */
export function refusal(code: string, message: string, cure: string): InterlinearError {
  return new InterlinearError(code, message, cure);
}

/** An error as the answer to a request. What is not ours is not told to strangers. */
export function problemOf(error: unknown): Problem {
  const known = error instanceof InterlinearError ? error : undefined;
  const code = known?.code ?? "internal";
  const [kind, status] = kinds[code] ?? ["internal", 500];
  return {
    type: `urn:interlinear:error:${kind}`,
    title: kind.replaceAll("_", " ").replace(/^./, (letter) => letter.toUpperCase()),
    status,
    detail: known?.message ?? "the server failed",
    code,
    cure: known?.cure ?? "Look into the server's log, and report it.",
  };
}

export function problemResponse(error: unknown, headers: Record<string, string> = {}): Response {
  const problem = problemOf(error);
  return new Response(JSON.stringify(problem), {
    status: problem.status,
    headers: { "content-type": "application/problem+json", ...headers },
  });
}

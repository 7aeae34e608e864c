// What stores refuse, in the words that all of them use.
import { InterlinearError } from "../errors.js";
import type { ReadOptions } from "./store.js";

export function sessionBusy(sessionId: string, holder = "another writer"): InterlinearError {
  return new InterlinearError("session_busy", `session ${sessionId} is being written by ${holder}`);
}

export function unknownSession(sessionId: string): InterlinearError {
  return new InterlinearError("unknown_session", `there is no session ${sessionId}`);
}

export function sessionLost(
  sessionId: string,
  message = `another writer has taken session ${sessionId} over`,
): InterlinearError {
  return new InterlinearError("session_lost", message);
}

/** Refuses a place that is none: a text, as addresses and headers have it, would be added to as texts are. */
export function checkPlace({ offset, limit }: ReadOptions): void {
  for (const [name, value] of Object.entries({ offset: offset ?? 0, limit: limit ?? 0 })) {
    if (typeof value === "number" && value >= 0 && (Number.isInteger(value) || name === "limit")) continue;
    const message = `${name} is ${typeof value === "string" ? JSON.stringify(value) : String(value)}`;
    throw new InterlinearError(
      "bad_options",
      message,
      "It must be a whole number, not below 0; make one with Number().",
    );
  }
}

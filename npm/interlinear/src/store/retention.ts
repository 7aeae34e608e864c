import { codeOf, InterlinearError } from "../errors.js";
import type { Store } from "./store.js";

/** How long sessions are kept. Those that are being written are never removed. */
export interface Retention {
  /** Not those whose last event is older, in milliseconds. */
  maxAge?: number;
  /** Only so many: the last written ones. */
  maxSessions?: number;
  /** Only so many bytes in all: the last written ones. */
  maxBytes?: number;
}

/** Refuses a limit that is no number: compared with one (a variable that is not set), every session would be too much. */
export function checkRetention({ maxAge, maxSessions, maxBytes }: Retention): void {
  for (const [name, limit] of Object.entries({ maxAge, maxSessions, maxBytes })) {
    if (limit === undefined || (typeof limit === "number" && limit >= 0)) continue;
    throw new InterlinearError(
      "bad_options",
      `${name} is ${limit}`,
      "It must be a number, not below 0; or leave it out.",
    );
  }
}

/** Removes the sessions that are no longer to be kept; gives their ids. */
export async function prune(store: Store, retention: Retention, now = Date.now()): Promise<string[]> {
  checkRetention(retention);
  const { maxAge = Number.POSITIVE_INFINITY, maxSessions = Number.POSITIVE_INFINITY } = retention;
  const { maxBytes = Number.POSITIVE_INFINITY } = retention;
  const removed: string[] = [];
  let bytes = 0;
  for (const [index, info] of (await store.list()).entries()) {
    bytes += info.bytes;
    if (index < maxSessions && bytes <= maxBytes && now - info.updatedAt <= maxAge) continue;
    try {
      await store.delete(info.sessionId);
      removed.push(info.sessionId);
    } catch (error) {
      if (!["session_busy", "unknown_session"].includes(codeOf(error) ?? "")) throw error;
    }
  }
  return removed;
}

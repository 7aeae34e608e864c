// What stores refuse, in the words that all of them use.
import { InterlinearError } from "../errors.js";

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

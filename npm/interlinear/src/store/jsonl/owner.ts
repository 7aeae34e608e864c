// Whose a file is. The folder may hold lines of others, an agent's own sessions for one: they are not sessions of the
// store, and nothing is written to them.
import type { FileHandle } from "node:fs/promises";
import type { UniversalEvent } from "../../../types/index.js";
import { InterlinearError } from "../../errors.js";
import { readAbout } from "./about.js";
import { openIfThere, readLines } from "./lines.js";
import { encodeName, type Paths } from "./names.js";
import { eventOf } from "./reader.js";

/** The session of a transcript, and its first event if that is written. */
export interface Owner {
  readonly sessionId: string;
  readonly first: UniversalEvent | undefined;
}

/**
 * The session whose transcript a file of this name is, if it is one: it begins with the first event of that session. If
 * its first line has no end yet, what is beside it tells.
 */
export async function ownerOf(
  file: FileHandle,
  name: string,
  about: { sessionId?: unknown },
): Promise<Owner | undefined> {
  if (!(await file.stat()).isFile()) return undefined;
  const line = await firstLine(file);
  const first = line === undefined ? undefined : eventOf(line);
  const sessionId: unknown = line === undefined ? about.sessionId : first?.sequence === 1 && first.session_id;
  return typeof sessionId === "string" && encodeName(sessionId) === name ? { sessionId, first } : undefined;
}

/** Refuses to write a session where another file has its place. An empty one has nothing to lose. */
export async function checkOwner(sessionId: string, paths: Paths): Promise<void> {
  const file = await openIfThere(paths.events);
  if (file === undefined) return;
  try {
    const stats = await file.stat();
    if (stats.isFile() && stats.size === 0) return;
    const about = await readAbout(paths.about);
    if ((await ownerOf(file, encodeName(sessionId), about)) === undefined) throw notATranscript(sessionId, paths);
  } finally {
    await file.close();
  }
}

function notATranscript(sessionId: string, { events }: Paths): InterlinearError {
  const message = `${events}: line 1 is not event 1 of session ${sessionId}`;
  const cure = "Move the file to another folder, or choose another session id or folder; the file was left as it is.";
  return new InterlinearError("not_a_transcript", message, cure);
}

async function firstLine(file: FileHandle): Promise<Buffer | undefined> {
  for await (const [line] of readLines(file, 0)) return line;
  return undefined;
}

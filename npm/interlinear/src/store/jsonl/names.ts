// Where a session lies in the store's folder. Any string is a session id; no file name leaves the folder, and no two
// ids share one, not even where upper and lower case are the same.
import { createHash } from "node:crypto";
import { join } from "node:path";

const ending = ".jsonl";

// File systems end at 255 bytes, and side files need some of them.
const longest = 200;

/** The file name for a session id, without its ending. */
export function encodeName(sessionId: string): string {
  if (sessionId === "") return "%";
  const name = sessionId.replace(/[^a-z0-9_-]/g, (unit) => `%${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  if (name.length <= longest) return name;
  // In UTF-16, because UTF-8 has no lone surrogates.
  return `%%${createHash("sha256").update(Buffer.from(sessionId, "utf16le")).digest("hex")}`;
}

/** The name of the session whose transcript this file may be: what is in it decides (`owner.ts`). */
export function nameOf(file: string): string | undefined {
  return file.endsWith(ending) ? file.slice(0, -ending.length) : undefined;
}

/** The files of one session. */
export interface Paths {
  /** The transcript: an event a line. All else can be done without. */
  readonly events: string;
  /** The folder beside it. */
  readonly side: string;
  /** The native objects, each with the events that it caused. */
  readonly raw: string;
  /** Where in the files which event is. */
  readonly index: string;
  /** What the host keeps with the session. */
  readonly about: string;
}

export function pathsOf(folder: string, name: string): Paths {
  const side = join(folder, `${name}.d`);
  return {
    events: join(folder, name + ending),
    side,
    raw: join(side, "raw.jsonl"),
    index: join(side, "index"),
    about: join(side, "about.json"),
  };
}

// One writer a session. A writer leaves a file of its own beside the transcript, then looks for others: it goes on only
// if no living one is there. Names are never used twice, so what a dead process left can be removed by anybody.
import { createHash, randomBytes } from "node:crypto";
import { closeSync, openSync, readFileSync, readlinkSync } from "node:fs";
import { readdir, rm, stat, utimes } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { codeOf } from "../../errors.js";
import { sessionBusy, sessionLost } from "../failures.js";

/** How often a writer shows that it is alive, for those who cannot see its process. */
const beat = 5_000;
/** After so long it is dead to them. */
const stale = 30_000;

/** Whose process ids these are: those of this machine, or of this container. */
const place = createHash("sha256")
  .update(`${hostname()} ${readable(() => readlinkSync("/proc/self/ns/pid"))}`)
  .digest("hex")
  .slice(0, 12);

/** The right to write a session. */
export class Claim {
  readonly #sessionId: string;
  readonly #path: string;
  readonly #timer: NodeJS.Timeout;
  #beaten = Date.now();

  private constructor(sessionId: string, path: string) {
    this.#sessionId = sessionId;
    this.#path = path;
    this.#timer = setInterval(() => void this.#beat().catch(() => undefined), beat);
    this.#timer.unref();
  }

  /** Takes it, or refuses with `session_busy`. */
  static async take(sessionId: string, side: string): Promise<Claim> {
    // Two that come in the same moment see each other, and both step back: hence more than one try.
    for (let attempt = 1; ; attempt += 1) {
      const path = join(
        side,
        `writer-${place}-${process.pid}-${startOf(process.pid)}-${randomBytes(6).toString("hex")}`,
      );
      closeSync(openSync(path, "wx", 0o600));
      const other = await livingOther(side, path);
      if (other === undefined) return new Claim(sessionId, path);
      await rm(path, { force: true });
      if (attempt === 3) throw sessionBusy(sessionId, other);
      await sleep(Math.random() * 20 * attempt);
    }
  }

  /** Makes sure of it after a long silence (the machine slept): somebody else may have it by now. */
  async check(): Promise<void> {
    if (Date.now() - this.#beaten > stale / 2) await this.#beat();
  }

  async release(): Promise<void> {
    clearInterval(this.#timer);
    await rm(this.#path, { force: true });
  }

  async #beat(): Promise<void> {
    const now = new Date();
    try {
      await utimes(this.#path, now, now);
      this.#beaten = now.getTime();
    } catch (error) {
      if (codeOf(error) === "ENOENT") throw sessionLost(this.#sessionId);
      throw error;
    }
  }
}

/** Whether somebody writes the session now. */
export async function isClaimed(side: string): Promise<boolean> {
  return (await livingOther(side, "")) !== undefined;
}

/** Who else holds the session; what dead processes left is removed. */
async function livingOther(side: string, own: string): Promise<string | undefined> {
  let found: string | undefined;
  for (const name of await readdir(side).catch(() => [])) {
    const path = join(side, name);
    if (!name.startsWith("writer-") || path === own) continue;
    if (await isAlive(path, name)) found = `process ${name.split("-")[2]}`;
    else await rm(path, { force: true });
  }
  return found;
}

async function isAlive(path: string, name: string): Promise<boolean> {
  const [, where, pid, start] = name.split("-");
  if (where === place) return runs(Number(pid)) && startOf(Number(pid)) === start;
  const seen = await stat(path).catch(() => undefined);
  return seen !== undefined && Date.now() - seen.mtimeMs < stale;
}

function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}

/** When a process began, where that can be seen: a number may be given to another process later. */
function startOf(pid: number): string {
  const stat = readable(() => readFileSync(`/proc/${pid}/stat`, "latin1"));
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "0";
}

function readable(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}

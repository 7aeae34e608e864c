import { randomBytes } from "node:crypto";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import type { Agent } from "../../../types/index.js";

/** What stands beside a transcript. */
export interface About {
  sessionId?: string;
  agent?: Agent;
  createdAt?: number;
  metadata?: Record<string, unknown>;
}

/** Empty if it is not there, or not readable: the transcript stands for itself. */
export async function readAbout(path: string): Promise<About> {
  try {
    const about: unknown = JSON.parse(await readFile(path, "utf8"));
    return typeof about === "object" && about !== null ? about : {};
  } catch {
    return {};
  }
}

/** What is there, with what is new; never half of it, whatever happens. */
export async function changeAbout(path: string, change: About): Promise<void> {
  const before = await readAbout(path);
  const metadata = { ...before.metadata, ...change.metadata };
  const written = `${path}.${randomBytes(6).toString("hex")}`;
  try {
    await writeFile(written, `${JSON.stringify({ ...before, ...change, metadata })}\n`, { mode: 0o600 });
    await rename(written, path);
  } catch (error) {
    await rm(written, { force: true });
    throw error;
  }
}

import type { Agent } from "../../../types/index.js";
import { claude } from "./claude.js";
import { codex } from "./codex.js";
import type { Dialect } from "./dialect.js";
import { opencode } from "./opencode.js";
import { pi } from "./pi.js";
import type { Rec, Recording } from "./recording.js";

/** How those talk that use standard input and output. OpenCode takes lines by the Agent Client Protocol only: JSON-RPC. */
const ON_STDIO: Readonly<Record<Agent, Dialect>> = { claude, codex, pi, amp: claude, opencode: codex };

/** Whether a server was recorded. */
export function isServer({ records }: Pick<Recording, "records">): boolean {
  return records.some(({ ch = "" }: Rec) => ch.startsWith("sse") || ch.startsWith("http "));
}

/** How the recorded agent talks. */
export function dialectOf(recording: Pick<Recording, "records" | "agent">): Dialect {
  return isServer(recording) ? opencode : ON_STDIO[recording.agent];
}

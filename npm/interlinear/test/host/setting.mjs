// What the tests of the host have in common.
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { check } from "interlinear";
import { AgentHost } from "interlinear/node";
import { MemoryStore } from "interlinear/store";

const folder = mkdtempSync(join(tmpdir(), "interlinear-test-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** A folder to work in. */
export const cwd = folder;

/** A program of these tests. */
export function program(name) {
  const path = fileURLToPath(new URL(name, import.meta.url));
  chmodSync(path, 0o755);
  return path;
}

/** A host whose agents are programs of these tests; closed with the test. */
export function hostFor(test, options = {}) {
  const agents = { claude: { command: program("claude.mjs") }, ...options.agents };
  const host = new AgentHost({ store: new MemoryStore(), graceMs: 1000, startMs: 20_000, ...options, agents });
  test.after(() => host.close());
  return host;
}

/** Everything that is said in a turn. */
export async function all(turn) {
  const events = [];
  for await (const event of turn) events.push(event);
  return events;
}

/** The text of the assistant. */
export function text(events) {
  const messages = events.filter(({ type, data }) => type === "item.completed" && data.item.role === "assistant");
  return messages.flatMap(({ data }) => data.item.content.map((part) => part.text ?? "")).join("");
}

/** All that the store has of a session. */
export async function stored(host, sessionId) {
  const events = [];
  for await (const batch of host.store.read(sessionId)) events.push(...batch);
  return events;
}

/** What is wrong with a session's events. */
export async function breaks(host, sessionId) {
  return check(await stored(host, sessionId));
}

/** Whether a process runs; one that only waits to be reaped does not. */
export function runs(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2));
  } catch {
    return false;
  }
}

/** The processes that have this in their environment. */
export function withVariable(assignment) {
  return readdirSync("/proc").filter((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return false;
    try {
      return readFileSync(`/proc/${name}/environ`, "latin1").split("\0").includes(assignment) && runs(name);
    } catch {
      return false;
    }
  });
}

/** Waits until something is true. */
export async function eventually(holds, what) {
  for (let waited = 0; waited < 15_000; waited += 50) {
    if (await holds()) return;
    await sleep(50);
  }
  throw new Error(`this never became true: ${what}`);
}

#!/usr/bin/env node
// Speaks as Codex's app server does, with as many threads as are asked for: for the tests of shared servers.
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

if (process.argv.includes("--version")) {
  console.log("codex-cli 0.166.0");
  process.exit(0);
}
// How often it was started, and what it was asked for.
const log = (what) => appendFileSync(process.env.FAKE_LOG, `${what}\n`);
log("started");
if (process.env.FAKE_REFUSES !== undefined) {
  process.stderr.write(`${process.env.FAKE_REFUSES}\n`);
  process.exit(1);
}

const print = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
const notify = (method, params) => print({ method, params });
let threads = 0;
let turns = 0;

function turn(threadId, words) {
  if (words === "refuse") throw new Error("the model is not available");
  turns += 1;
  const id = `turn-${process.pid}-${turns}`;
  notify("turn/started", { threadId, turn: { id, status: "inProgress", items: [] } });
  const user = { type: "userMessage", id: `user-${id}`, content: [{ type: "text", text: words }] };
  notify("item/started", { threadId, turnId: id, item: user });
  notify("item/completed", { threadId, turnId: id, item: user });
  if (words === "crash") process.kill(process.pid, "SIGKILL");
  if (words.endsWith("wait")) return { id };
  const item = { type: "agentMessage", id: `msg-${id}`, text: `${threadId} heard ${words}` };
  notify("item/started", { threadId, turnId: id, item: { ...item, text: "" } });
  notify("item/agentMessage/delta", { threadId, turnId: id, itemId: item.id, delta: item.text });
  notify("item/completed", { threadId, turnId: id, item });
  notify("turn/completed", { threadId, turn: { id, status: "completed", items: [] } });
  return { id };
}

const ANSWERS = {
  initialize: () => ({ userAgent: "codex/0.166.0" }),
  "thread/start": ({ cwd }) => {
    threads += 1;
    return { thread: { id: `thread-${process.pid}-${threads}`, turns: [] }, model: "fake", cwd };
  },
  "thread/resume": ({ threadId, cwd }) => {
    if (threadId === "unknown") throw new Error("no rollout found for thread id unknown");
    return { thread: { id: threadId, turns: [] }, model: "fake", cwd };
  },
  "turn/start": ({ threadId, input }) => ({ turn: turn(threadId, input[0].text) }),
  "turn/interrupt": ({ threadId, turnId }) => {
    notify("turn/completed", { threadId, turn: { id: turnId, status: "interrupted", items: [] } });
    return {};
  },
};

createInterface({ input: process.stdin })
  .on("line", async (line) => {
    const { id, method, params } = JSON.parse(line);
    log(method);
    if (id === undefined) return;
    if (params?.input?.[0].text.startsWith("slow")) await sleep(500);
    try {
      print({ id, result: ANSWERS[method]?.(params) ?? {} });
    } catch (error) {
      print({ id, error: { code: -32600, message: error.message } });
    }
  })
  .on("close", () => process.exit(0));

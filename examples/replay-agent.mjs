// Stands in for Claude Code: says what the real one said in a recording, and waits for the host wherever that one did.
//
//   node replay-agent.mjs RECORDING
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

if (process.argv.includes("--version")) {
  console.log("2.1.197 (Claude Code)");
  process.exit();
}

const records = readFileSync(process.argv[2], "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line))
  .filter(({ dir, line }) => dir === "out" || dir === "exit" || (dir === "in" && isWaitedFor(JSON.parse(line))));
let at = 0;

/** What the host says by itself: prompts, and answers to the agent's requests. */
function isWaitedFor({ type }) {
  return type === "user" || type === "control_response";
}

/** Goes on to the next place where the host must say something. */
async function play() {
  while (records[at]?.dir === "out") {
    process.stdout.write(`${records[at].line}\n`);
    at += 1;
    // Slow enough to be seen.
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const { dir, code, signal } = records[at] ?? {};
  // One that ended well ended because its host let it go.
  if (dir === "exit" && signal) process.kill(process.pid, signal);
  if (dir === "exit" && code) process.exit(code);
}

for await (const line of createInterface({ input: process.stdin })) {
  const said = JSON.parse(line);
  if (isWaitedFor(said)) {
    at += 1;
    await play();
  } else if (said.type === "control_request") {
    const response = { subtype: "success", request_id: said.request_id, response: {} };
    process.stdout.write(`${JSON.stringify({ type: "control_response", response })}\n`);
  }
}

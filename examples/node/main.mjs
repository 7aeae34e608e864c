// A backend that runs an agent: its output goes into a session, events come out, and `fold` keeps what a client shows.
//
//   node examples/node/main.mjs                                         a real session, replayed
//   node examples/node/main.mjs claude -p --verbose --output-format stream-json "say hello"    Claude Code itself
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { emptyTranscript, fold, openSession } from "interlinear";

const replay = [process.execPath, fileURLToPath(new URL("replay.mjs", import.meta.url))];
const [program, ...args] = process.argv.length > 2 ? process.argv.slice(2) : replay;

// One session for one process. It reads no clock by itself: events are stamped when the bytes are handed in.
const session = openSession({ agent: "claude", sessionId: "example" });
let transcript = emptyTranscript;

/** What a real backend would send to its clients (server-sent events, a socket); here it is printed. */
function publish(events) {
  transcript = fold(transcript, events);
  for (const event of events) print(event);
}

function print({ type, data }) {
  if (type === "item.delta" && data.part_type === undefined) process.stdout.write(data.delta);
  if (type === "item.completed") printEnd(data.item);
  if (type === "permission.requested") console.log(`may I? ${data.title ?? data.action}`);
  if (type === "error") console.log(`error: ${data.message}`);
}

function printEnd(item) {
  if (item.kind === "tool_call") console.log(`[${titleOf(item)}]`);
  if (item.kind === "message" && item.content.some((part) => part.type === "text")) console.log();
}

function titleOf({ content }) {
  const call = content.find((part) => part.type === "tool_call");
  return `${call.name} ${call.title ?? call.arguments}`;
}

const agent = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
agent.on("error", (error) => {
  console.error(`${program} cannot be started: ${error.message}`);
  process.exitCode = 1;
});
// Chunks are handed in as they come: cut anywhere, even within a character.
agent.stdout.on("data", (chunk) => publish(session.receive(chunk)));
agent.stderr.on("data", (chunk) => publish(session.receive(chunk, "stderr")));
agent.on("close", (code, signal) => {
  publish(session.exited({ code, signal }));
  const { turns, usage, session: facts } = transcript;
  const calls = turns
    .flatMap((turn) => turn.entries)
    .flatMap((entry) => entry.children)
    .filter((entry) => entry.result);
  console.log(
    `\n${facts.facts.model ?? "no model"}: ${turns.filter((turn) => turn.turn_id || turn.started_at).length} turn(s), ` +
      `${calls.length} tool call(s), ${usage.output_tokens ?? 0} tokens written; ended: ${facts.end?.reason}`,
  );
});

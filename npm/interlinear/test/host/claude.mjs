#!/usr/bin/env node
// Speaks as Claude Code does, and does to its processes what the prompt says: for the tests of the host.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const args = process.argv.slice(2);
if (args.includes("--version")) {
  console.log(`${process.env.FAKE_VERSION ?? "2.1.197"} (Claude Code)`);
  process.exit(0);
}
if (process.env.FAKE_REFUSES !== undefined) {
  process.stderr.write(`${process.env.FAKE_REFUSES}\n`);
  process.exit(1);
}
if (args.includes("nonsense")) {
  process.stderr.write("error: option '--effort <level>' argument 'nonsense' is invalid.\n");
  process.exit(1);
}
if (process.env.FAKE_SILENT !== undefined) setInterval(() => {}, 1000);

const resumed = args.indexOf("--resume");
const session_id = resumed < 0 ? `native-${process.pid}` : args[resumed + 1];
const print = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
let messages = 0;
let deaf = false;

function say(text, rest = {}) {
  messages += 1;
  const content = [{ type: "text", text }];
  print({
    type: "assistant",
    session_id,
    message: { id: `msg_${process.pid}_${messages}`, role: "assistant", model: "fake", content },
    ...rest,
  });
}

function result(rest = {}) {
  print({ type: "result", subtype: "success", is_error: false, result: "", session_id, num_turns: 1, ...rest });
}

const asked = new Map();
function ask(tool_name, input) {
  const request_id = `ask-${asked.size + 1}`;
  const id = `toolu_${asked.size + 1}`;
  print({
    type: "assistant",
    session_id,
    message: {
      id: `msg_${request_id}`,
      role: "assistant",
      model: "fake",
      content: [{ type: "tool_use", id, name: tool_name, input }],
    },
  });
  print({
    type: "control_request",
    request_id,
    request: { subtype: "can_use_tool", tool_name, input, tool_use_id: id },
  });
  return new Promise((resolve) => asked.set(request_id, (answer) => resolve({ answer, id })));
}

function toolResult(tool_use_id, content) {
  const block = { type: "tool_result", tool_use_id, content };
  print({ type: "user", session_id, message: { role: "user", content: [block] } });
}

/** A child that goes on by itself; its number is said. */
function start(detached, env = process.env) {
  const child = spawn("sleep", ["600"], { detached, stdio: "ignore", env });
  child.unref();
  return child.pid;
}

const DOES = {
  hello: () => say("Good day."),
  arguments: () => say(JSON.stringify(args)),
  environment: () => say(JSON.stringify(process.env)),
  // In its group, in a session of its own, and there with nothing of its environment.
  children: () => say(JSON.stringify([start(false), start(true), start(false, {})])),
  stubborn: () => {
    for (const name of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(name, () => {});
    setInterval(() => {}, 1000);
    say("I stay.");
  },
  orphans: () => {
    // The child dies at once and leaves its own child behind, in another session.
    const script = "require('child_process').spawn('sleep',['601'],{detached:true,stdio:'ignore'}).unref()";
    const child = spawn(process.execPath, ["-e", script], { stdio: "ignore" });
    return new Promise((resolve) => child.on("exit", () => resolve(say("Left."))));
  },
  complain: () => {
    process.stderr.write(`the token is ${process.env.MY_TOKEN}\n`);
    say(`It is ${process.env.MY_TOKEN}.`);
  },
  beat: () => {
    print({ type: "stream_event", event: { type: "ping", seen: process.env.MY_TOKEN }, session_id });
    say("Still here.");
  },
  permission: async () => {
    const { answer, id } = await ask("Bash", { command: "rm -rf build" });
    toolResult(id, answer.behavior === "allow" ? "removed" : `refused: ${answer.message}`);
  },
  question: async () => {
    const options = [
      { label: "Red", description: "" },
      { label: "Blue", description: "" },
    ];
    const question = { question: "Which?", header: "Colour", options, multiSelect: false };
    const { answer, id } = await ask("AskUserQuestion", { questions: [question] });
    toolResult(id, JSON.stringify(answer.updatedInput?.answers ?? "none"));
  },
  die: () => process.kill(process.pid, "SIGKILL"),
  exit: () => {
    process.stderr.write(Array.from({ length: 100 }, (_, line) => `line ${line + 1}\n`).join(""));
    process.exitCode = 3;
    process.stdin.destroy();
    return new Promise(() => {});
  },
  wait: () => {
    say("I wait.");
    return new Promise(() => {});
  },
  // It hears no interrupt.
  deaf: () => {
    say("I wait.");
    deaf = true;
    return new Promise(() => {});
  },
};

/** Writes as fast as it is read. */
async function flood(count) {
  const text = "x".repeat(1000);
  for (let number = 0; number < count; number += 1) {
    messages += 1;
    const message = { id: `msg_${messages}`, role: "assistant", model: "fake", content: [{ type: "text", text }] };
    const line = `${JSON.stringify({ type: "assistant", session_id, message })}\n`;
    if (!process.stdout.write(line)) await new Promise((resolve) => process.stdout.once("drain", resolve));
  }
}

/** Says something in pieces of so many characters, then all of it. */
function spell(text, length) {
  messages += 1;
  const tell = (event) => print({ type: "stream_event", event, session_id, parent_tool_use_id: null });
  const message = { id: `msg_${process.pid}_${messages}`, type: "message", role: "assistant", model: "fake" };
  tell({ type: "message_start", message: { ...message, content: [] } });
  tell({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } });
  for (let at = 0; at < text.length; at += length) {
    const delta = { type: "text_delta", text: text.slice(at, at + length) };
    tell({ type: "content_block_delta", index: 0, delta });
  }
  print({ type: "assistant", session_id, message: { ...message, content: [{ type: "text", text }] } });
  tell({ type: "content_block_stop", index: 0 });
  tell({ type: "message_stop" });
}

async function turn(words) {
  print({ type: "system", subtype: "init", session_id, cwd: process.cwd(), model: "fake", tools: [] });
  const [word, number] = words.split(" ");
  if (word === "flood") await flood(Number(number));
  else if (word === "spell") spell(`It is ${process.env.MY_TOKEN}, and no s3c`, Number(number));
  else await (DOES[word] ?? (() => say(`You said ${words}.`)))();
  result();
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const { type, message, request_id, request, response } = JSON.parse(line);
  if (type === "user") turn(message.content.map(({ text }) => text).join(" "));
  if (type === "control_response") asked.get(response.request_id)?.(response.response);
  if (type !== "control_request" || process.env.FAKE_SILENT !== undefined) return;
  print({ type: "control_response", response: { subtype: "success", request_id, response: {} } });
  if (request.subtype === "interrupt" && !deaf)
    result({
      subtype: "error_during_execution",
      is_error: true,
      errors: ["interrupted"],
      terminal_reason: "aborted_streaming",
    });
});

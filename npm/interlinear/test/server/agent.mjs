// A program that speaks as Claude Code does, and does what the prompt says:
//   hello · permission · question · wait (until it is interrupted) · flood N (N deltas) · flood N RATE (so many a second)
import { createInterface } from "node:readline";

if (process.argv.includes("--version")) {
  console.log("2.1.0 (Claude Code)");
  process.exit();
}

const session_id = "5f0c8f4e-0000-4000-8000-000000000001";
const answers = new Map();
let counter = 0;
let interrupted = () => {};

const write = (value) => new Promise((resolve) => process.stdout.write(`${JSON.stringify(value)}\n`, resolve));
const partial = (event) => write({ type: "stream_event", event, session_id, parent_tool_use_id: null });
const id = (kind) => {
  counter += 1;
  return `${kind}_${counter}`;
};

/** Asks the host; resolves with its answer. */
async function ask(request) {
  const request_id = id("req");
  const answer = new Promise((resolve) => answers.set(request_id, resolve));
  await write({ type: "control_request", request_id, request });
  return await answer;
}

async function say(pieces, pause = () => {}) {
  const message = { id: id("msg"), type: "message", role: "assistant", model: "test", content: [] };
  const usage = { input_tokens: 1, output_tokens: 1 };
  await partial({ type: "message_start", message: { ...message, usage } });
  await partial({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } });
  let said = "";
  for (const text of pieces) {
    await partial({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } });
    said += text;
    await pause();
  }
  const content = [{ type: "text", text: said }];
  await write({ type: "assistant", message: { ...message, content, usage }, parent_tool_use_id: null, session_id });
  await partial({ type: "content_block_stop", index: 0 });
  await partial({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage });
  await partial({ type: "message_stop" });
  return said;
}

async function tool(name, input) {
  const tool_use_id = id("toolu");
  const content = [{ type: "tool_use", id: tool_use_id, name, input }];
  const message = { id: id("msg"), type: "message", role: "assistant", model: "test", content };
  await write({ type: "assistant", message, parent_tool_use_id: null, session_id });
  const permission_suggestions = [
    { type: "addRules", rules: [{ toolName: name }], behavior: "allow", destination: "session" },
  ];
  const answer = await ask({ subtype: "can_use_tool", tool_name: name, input, tool_use_id, permission_suggestions });
  const output = { tool_use_id, type: "tool_result", content: JSON.stringify(answer) };
  const result = answer.behavior === "allow" ? output : { ...output, is_error: true };
  await write({ type: "user", message: { role: "user", content: [result] }, parent_tool_use_id: null, session_id });
}

const question = {
  question: "Which colour?",
  header: "Colour",
  options: [
    { label: "red", description: "like fire" },
    { label: "blue", description: "like the sea" },
  ],
  multiSelect: false,
};

const doings = {
  hello: () => say(["Hel", "lo."]),
  permission: () => tool("Bash", { command: "ls" }),
  question: () => tool("AskUserQuestion", { questions: [question] }),
  wait: () =>
    new Promise((resolve) => {
      interrupted = resolve;
    }),
  flood: (count, rate) => {
    const start = Date.now();
    let said = 0;
    const pieces = Array.from({ length: Number(count) }, (_, index) => `word ${index} `);
    if (rate === undefined) return say(pieces);
    return say(pieces, () => {
      said += 1;
      const early = said * (1000 / Number(rate)) - (Date.now() - start);
      return early > 5 ? new Promise((resolve) => setTimeout(resolve, early)) : undefined;
    });
  },
};

async function prompt(text) {
  await write({ type: "system", subtype: "init", session_id, cwd: process.cwd(), model: "test", tools: [] });
  const [name, ...rest] = text.split(" ");
  const result = (await (doings[name] ?? (() => say([`You said: ${text}`])))(...rest)) ?? "";
  await write({ type: "result", subtype: "success", is_error: false, result, stop_reason: "end_turn", session_id });
}

for await (const line of createInterface({ input: process.stdin })) {
  const { type, message, request_id, request, response } = JSON.parse(line);
  if (type === "user") {
    const content = typeof message.content === "string" ? [{ text: message.content }] : message.content;
    prompt(content.map(({ text = "" }) => text).join("\n"));
  } else if (type === "control_response") {
    answers.get(response.request_id)?.(response.response);
  } else if (type === "control_request") {
    await write({ type: "control_response", response: { subtype: "success", request_id, response: {} } });
    if (request.subtype === "interrupt") interrupted("interrupted");
  }
}

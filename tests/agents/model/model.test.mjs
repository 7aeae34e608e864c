// The scripted model speaks three protocols: in each, what is streamed is what is answered whole.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startModel } from "./server.mjs";

const CALL = { tool: "command", command: "ls -l" };
const scripts = {
  list: [{ say: "Let me see what there is.", calls: [CALL] }, { say: "That was all." }],
  busy: [{ error: { status: 503, type: "overloaded_error", message: "Later.", times: 1 }, say: "Now." }],
};

const schema = (name) => ({ type: "object", properties: { [name]: { type: "string" } } });
const PROTOCOLS = {
  anthropic: {
    path: "/v1/messages",
    body: (text) => ({
      tools: [{ name: "Bash", input_schema: schema("cmd") }],
      messages: [{ role: "user", content: text }],
    }),
    went: (body, [id]) => body.messages.push({ role: "user", content: [{ type: "tool_result", tool_use_id: id }] }),
    read: ({ content }) => [
      content.map(({ text = "" }) => text).join(""),
      ...content.filter(({ type }) => type === "tool_use").map(({ id, name, input }) => [id, name, input]),
    ],
    collect(events) {
      const content = [];
      for (const { type, index, content_block, delta } of events) {
        if (type === "content_block_start") content[index] = { ...content_block, json: "" };
        if (delta?.text !== undefined) content[index].text += delta.text;
        if (delta?.partial_json !== undefined) content[index].json += delta.partial_json;
      }
      return { content: content.map((block) => (block.json ? { ...block, input: JSON.parse(block.json) } : block)) };
    },
  },
  responses: {
    path: "/v1/responses",
    body: (text) => ({
      tools: [{ type: "function", name: "exec_command", parameters: schema("cmd") }],
      input: [{ role: "user", content: [{ type: "input_text", text }] }],
    }),
    went: (body, [id]) => body.input.push({ type: "function_call_output", call_id: id, output: "" }),
    read: ({ output }) => [
      output.flatMap(({ content = [] }) => content.map(({ text }) => text)).join(""),
      ...output.filter((item) => item.call_id).map((item) => [item.call_id, item.name, JSON.parse(item.arguments)]),
    ],
    collect(events) {
      const { response } = events.find(({ type }) => type === "response.completed");
      const streamed = (name) => events.filter(({ type }) => type === name).map(({ delta }) => delta);
      const text = streamed("response.output_text.delta").join("");
      const given = streamed("response.function_call_arguments.delta").join("");
      const [message, ...calls] = response.output;
      return {
        output: [{ ...message, content: [{ text }] }, ...calls.map((call) => ({ ...call, arguments: given }))],
      };
    },
  },
  chat: {
    path: "/v1/chat/completions",
    body: (text) => ({
      tools: [{ type: "function", function: { name: "bash", parameters: schema("command") } }],
      messages: [{ role: "user", content: text }],
    }),
    went: (body, [id]) => body.messages.push({ role: "tool", tool_call_id: id, content: "" }),
    read: ({ choices: [{ message }] }) => [
      message.content,
      ...(message.tool_calls ?? []).map((call) => [call.id, call.function.name, JSON.parse(call.function.arguments)]),
    ],
    collect(events) {
      const deltas = events.flatMap(({ choices }) => choices.map(({ delta }) => delta));
      const content = deltas.map((delta) => delta.content ?? "").join("");
      const calls = deltas.flatMap((delta) => delta.tool_calls ?? []);
      const [first] = calls;
      const given = calls.map((call) => call.function.arguments).join("");
      const tool_calls = first === undefined ? [] : [{ ...first, function: { ...first.function, arguments: given } }];
      return { choices: [{ message: { content, tool_calls } }] };
    },
  },
};

let model;
before(async () => {
  model = await startModel(scripts);
});
after(() => model.close());

async function ask({ path, collect }, body, stream) {
  const response = await fetch(model.url + path, { method: "POST", body: JSON.stringify({ ...body, stream }) });
  if (!stream || !response.ok) return { status: response.status, ...(await response.json()) };
  const data = Array.from((await response.text()).matchAll(/^data: (\{.*)$/gm), ([, json]) => JSON.parse(json));
  return collect(data);
}

for (const [name, protocol] of Object.entries(PROTOCOLS)) {
  test(`${name}: a script is followed step by step, streamed as it is whole`, async () => {
    for (const stream of [true, false]) {
      const body = protocol.body("please play list");
      const [text, [id, tool, input]] = protocol.read(await ask(protocol, body, stream));
      assert.equal(text, "Let me see what there is.");
      assert.deepEqual(
        [tool, Object.values(input)],
        [protocol.body("").tools[0].function?.name ?? protocol.body("").tools[0].name, ["ls -l"]],
      );
      protocol.went(body, [id]);
      assert.deepEqual(protocol.read(await ask(protocol, body, stream)), ["That was all."]);
    }
  });

  test(`${name}: a step is refused as often as the script says`, async () => {
    const body = protocol.body(`play busy, ${name}`);
    const refused = await ask(protocol, body, true);
    assert.deepEqual([refused.status, refused.error.message], [503, "Later."]);
    assert.deepEqual(protocol.read(await ask(protocol, body, true)), ["Now."]);
  });
}

test("what nothing here knows is kept for the test to see", async () => {
  const { status } = await fetch(`${model.url}/v1/else`, { method: "POST", body: "{}" });
  assert.deepEqual([status, model.strange], [404, ["POST /v1/else"]]);
});

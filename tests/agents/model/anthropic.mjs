// Anthropic's Messages.
import { callId } from "./script.mjs";
import { callOf } from "./tools.mjs";

/** @returns {import("./script.mjs").Conversation} */
export function read(body) {
  return {
    model: body.model,
    stream: body.stream === true,
    tools: (body.tools ?? []).map(({ name, input_schema }) => ({ name, custom: false, schema: input_schema })),
    entries: body.messages.flatMap(({ role, content }) => entriesOf(role, content)),
  };
}

function entriesOf(role, content) {
  if (typeof content === "string") return [{ role, text: content }];
  return content.map((block) =>
    block.type === "text" ? { role, text: block.text } : { role: "tool", text: JSON.stringify(block) },
  );
}

export function failure({ type, message }) {
  return { type: "error", error: { type, message } };
}

/** The whole answer. */
export function answer({ think, say, calls = [] }, index, { model, tools }) {
  return {
    id: `msg_${Date.now().toString(36)}${callId(index)}`,
    type: "message",
    role: "assistant",
    model,
    content: [
      ...(think === undefined ? [] : [{ type: "thinking", thinking: think, signature: "c2lnbmVk" }]),
      ...(say === undefined ? [] : [{ type: "text", text: say }]),
      ...calls.map((call) => {
        const { name, input } = callOf(call, tools);
        return { type: "tool_use", id: callId(index), name, input };
      }),
    ],
    stop_reason: calls.length > 0 ? "tool_use" : "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 100, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 20 },
  };
}

/** The answer as events: `text` marks those between which a slow model pauses. */
export function* events(message, pieces) {
  const event = (data, text = false) => ({ event: data.type, data, text });
  const { content, stop_reason, stop_sequence, usage } = message;
  const begun = { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } };
  yield event({ type: "message_start", message: begun });
  for (const [index, block] of content.entries()) {
    yield event({ type: "content_block_start", index, content_block: emptied(block) });
    for (const delta of deltas(block, pieces)) {
      yield event({ type: "content_block_delta", index, delta }, delta.type === "text_delta");
    }
    yield event({ type: "content_block_stop", index });
  }
  yield event({ type: "message_delta", delta: { stop_reason, stop_sequence }, usage: { output_tokens: 20 } });
  yield event({ type: "message_stop" });
}

function emptied(block) {
  if (block.type === "thinking") return { type: "thinking", thinking: "", signature: "" };
  return block.type === "text" ? { type: "text", text: "" } : { ...block, input: {} };
}

function deltas(block, pieces) {
  switch (block.type) {
    case "thinking":
      return [
        ...pieces(block.thinking).map((thinking) => ({ type: "thinking_delta", thinking })),
        { type: "signature_delta", signature: block.signature },
      ];
    case "text":
      return pieces(block.text).map((text) => ({ type: "text_delta", text }));
    default:
      return pieces(JSON.stringify(block.input)).map((json) => ({ type: "input_json_delta", partial_json: json }));
  }
}

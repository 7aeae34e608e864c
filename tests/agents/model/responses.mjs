// OpenAI's Responses.
import { callId } from "./script.mjs";
import { callOf } from "./tools.mjs";

/** @returns {import("./script.mjs").Conversation} */
export function read(body) {
  return {
    model: body.model,
    stream: body.stream === true,
    tools: (body.tools ?? [])
      .flatMap((tool) => tool.tools ?? [tool])
      .filter(({ name }) => name !== undefined)
      .map(({ name, type, parameters }) => ({ name, custom: type === "custom", schema: parameters })),
    entries: typeof body.input === "string" ? [{ role: "user", text: body.input }] : body.input.flatMap(entriesOf),
  };
}

function entriesOf(item) {
  if (item.role === undefined) return [{ role: "tool", text: JSON.stringify(item) }];
  const parts = typeof item.content === "string" ? [{ text: item.content }] : item.content;
  return parts.map(({ text = "" }) => ({ role: item.role, text }));
}

export function failure({ type, message }) {
  return { error: { type, code: type, message, param: null } };
}

/** The whole answer. */
export function answer({ think, say, calls = [] }, index, { model, tools }) {
  const id = callId(index);
  return {
    id: `resp_${id}`,
    object: "response",
    created_at: Math.floor(Date.now() / 1000),
    status: "completed",
    model,
    output: [
      ...(think === undefined
        ? []
        : [{ type: "reasoning", id: `rs_${id}`, summary: [{ type: "summary_text", text: think }] }]),
      ...(say === undefined ? [] : [messageItem(`msg_${id}`, say)]),
      ...calls.map((call) => callItem(call, index, tools)),
    ],
    usage: {
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 20,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 120,
    },
  };
}

function messageItem(id, text) {
  const content = [{ type: "output_text", text, annotations: [] }];
  return { type: "message", id, status: "completed", role: "assistant", content };
}

function callItem(call, index, tools) {
  const { name, custom, input } = callOf(call, tools);
  const call_id = callId(index);
  if (custom) return { type: "custom_tool_call", id: `ctc_${call_id}`, status: "completed", call_id, name, input };
  const text = JSON.stringify(input);
  return { type: "function_call", id: `fc_${call_id}`, status: "completed", call_id, name, arguments: text };
}

/** The answer as events: `text` marks those between which a slow model pauses. */
export function* events(response, pieces) {
  let sequence_number = 0;
  const event = (type, rest, text = false) => {
    sequence_number += 1;
    return { event: type, data: { type, sequence_number, ...rest }, text };
  };
  const begun = { ...response, status: "in_progress", output: [], usage: null };
  yield event("response.created", { response: begun });
  yield event("response.in_progress", { response: begun });
  for (const [output_index, item] of response.output.entries()) {
    const place = { item_id: item.id, output_index };
    yield event("response.output_item.added", { output_index, item: emptied(item) });
    yield* itemEvents(item, place, pieces, event);
    yield event("response.output_item.done", { output_index, item });
  }
  yield event("response.completed", { response });
}

function emptied(item) {
  switch (item.type) {
    case "message":
      return { ...item, status: "in_progress", content: [] };
    case "reasoning":
      return { ...item, summary: [] };
    case "custom_tool_call":
      return { ...item, status: "in_progress", input: "" };
    default:
      return { ...item, status: "in_progress", arguments: "" };
  }
}

function* itemEvents(item, place, pieces, event) {
  if (item.type === "message") {
    const [part] = item.content;
    const at = { ...place, content_index: 0 };
    yield event("response.content_part.added", { ...at, part: { ...part, text: "" } });
    for (const delta of pieces(part.text)) yield event("response.output_text.delta", { ...at, delta }, true);
    yield event("response.output_text.done", { ...at, text: part.text });
    yield event("response.content_part.done", { ...at, part });
  } else if (item.type === "reasoning") {
    const [part] = item.summary;
    const at = { ...place, summary_index: 0 };
    yield event("response.reasoning_summary_part.added", { ...at, part: { ...part, text: "" } });
    for (const delta of pieces(part.text)) yield event("response.reasoning_summary_text.delta", { ...at, delta });
    yield event("response.reasoning_summary_text.done", { ...at, text: part.text });
    yield event("response.reasoning_summary_part.done", { ...at, part });
  } else {
    const [name, field] =
      item.type === "function_call" ? ["function_call_arguments", "arguments"] : ["custom_tool_call_input", "input"];
    for (const delta of pieces(item[field])) yield event(`response.${name}.delta`, { ...place, delta });
    yield event(`response.${name}.done`, { ...place, [field]: item[field] });
  }
}

// OpenAI's Chat Completions.
import { callId } from "./script.mjs";
import { callOf } from "./tools.mjs";

/** @returns {import("./script.mjs").Conversation} */
export function read(body) {
  return {
    model: body.model,
    stream: body.stream === true,
    tools: (body.tools ?? []).map(({ function: { name, parameters } }) => ({
      name,
      custom: false,
      schema: parameters,
    })),
    entries: body.messages.flatMap(entriesOf),
  };
}

function entriesOf(message) {
  const { role, content } = message;
  if (role === "user" && typeof content === "string") return [{ role, text: content }];
  if (role === "user") return content.map(({ text = "" }) => ({ role, text }));
  return [{ role: role === "system" ? role : "tool", text: JSON.stringify(message) }];
}

export function failure({ type, message }) {
  return { error: { type, code: type, message, param: null } };
}

/** The whole answer. */
export function answer({ think, say, calls = [] }, index, { model, tools }) {
  const message = {
    role: "assistant",
    content: say ?? null,
    ...(think !== undefined && { reasoning_content: think }),
    ...(calls.length > 0 && {
      tool_calls: calls.map((call) => {
        const { name, input } = callOf(call, tools);
        return { id: callId(index), type: "function", function: { name, arguments: JSON.stringify(input) } };
      }),
    }),
  };
  return {
    id: `chatcmpl-${callId(index)}`,
    object: "chat.completion",
    created: Math.floor(Date.now() / 1000),
    model,
    choices: [{ index: 0, message, finish_reason: calls.length > 0 ? "tool_calls" : "stop" }],
    usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
  };
}

/** The answer as events: `text` marks those between which a slow model pauses. */
export function* events(completion, pieces) {
  const { choices, usage, ...head } = completion;
  const [{ message, finish_reason }] = choices;
  const chunk = (delta, text = false, finish = null) => ({
    data: { ...head, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: finish }] },
    text,
  });
  yield chunk({ role: "assistant", content: "" });
  for (const piece of pieces(message.reasoning_content ?? "")) yield chunk({ reasoning_content: piece });
  for (const piece of pieces(message.content ?? "")) yield chunk({ content: piece }, true);
  for (const [index, { id, type, function: call }] of (message.tool_calls ?? []).entries()) {
    yield chunk({ tool_calls: [{ index, id, type, function: { name: call.name, arguments: "" } }] });
    for (const piece of pieces(call.arguments)) {
      yield chunk({ tool_calls: [{ index, function: { arguments: piece } }] });
    }
  }
  yield chunk({}, false, finish_reason);
  yield { data: { ...head, object: "chat.completion.chunk", choices: [], usage }, text: false };
  yield { data: "[DONE]", text: false };
}

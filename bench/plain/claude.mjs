// Claude Code's lines → events, in plain JavaScript: messages, reasoning, tools, results, turns. It knows the common
// lines only, and nothing of subagents, permissions, questions, drift or lines that are not JSON.
import { Lines, Stream } from "./stream.mjs";

/** A converter of one session. */
export class Claude {
  #lines = new Lines();
  #stream = new Stream("session");
  #message = undefined;
  #streamed = new Set();
  #calls = new Map();
  #facts = "";

  receive(chunk) {
    this.#lines.push(chunk, (line) => this.#line(JSON.parse(line)));
    return this.#stream.take();
  }

  #line(line) {
    switch (line.type) {
      case "system":
        return this.#system(line);
      case "stream_event":
        return this.#event(line.event);
      case "assistant":
        return this.#assistant(line.message);
      case "user":
        return this.#user(line.message);
      case "result":
        return this.#result(line);
      default:
        return undefined;
    }
  }

  #system(line) {
    this.#stream.native = line.session_id;
    this.#stream.beginTurn();
    if (line.subtype !== "init") return;
    const { model, cwd, tools, mcp_servers, permissionMode } = line;
    const facts = { model, cwd, tools, mcp_servers, mode: permissionMode };
    const text = JSON.stringify(facts);
    if (text === this.#facts) return;
    this.#facts = text;
    this.#stream.item(`status_${line.uuid}`, "status", undefined, undefined, { type: "json", json: facts }, "");
  }

  #event(event) {
    const stream = this.#stream;
    switch (event.type) {
      case "message_start":
        this.#message = event.message.id;
        stream.beginTurn();
        return;
      case "content_block_start":
        return this.#block(event.index, event.content_block);
      case "content_block_delta":
        return this.#delta(event.index, event.delta);
      case "message_stop":
        stream.complete(this.#message);
        this.#streamed.add(this.#message);
        return;
      default:
        return;
    }
  }

  #block(index, block) {
    const stream = this.#stream;
    if (block.type === "tool_use") {
      const part = { type: "tool_call", name: block.name, call_id: block.id, arguments: "" };
      stream.open(block.id, "tool_call", "assistant", this.#message, part);
      this.#calls.set(index, block.id);
      return;
    }
    stream.open(this.#message, "message", "assistant");
    stream.addPart(this.#message, index, { type: block.type === "thinking" ? "reasoning" : "text", text: "" });
  }

  #delta(index, delta) {
    switch (delta.type) {
      case "text_delta":
        return this.#stream.delta(this.#message, index, delta.text);
      case "thinking_delta":
        return this.#stream.delta(this.#message, index, delta.thinking, "reasoning");
      case "input_json_delta":
        return this.#stream.delta(this.#calls.get(index), 0, delta.partial_json, "tool_call");
      default:
        return undefined;
    }
  }

  #assistant(message) {
    const stream = this.#stream;
    stream.beginTurn();
    for (const block of message.content) {
      if (block.type === "tool_use") {
        const part = { type: "tool_call", name: block.name, call_id: block.id, tool_kind: kindOf(block.name) };
        const text = JSON.stringify(block.input);
        if (stream.isOpen(block.id)) stream.complete(block.id, "completed", false, [{ ...part, arguments: text }]);
        else stream.item(block.id, "tool_call", "assistant", message.id, part, text, "tool_call");
      } else if (!stream.isOpen(message.id) && !this.#streamed.has(message.id)) {
        const reasoning = block.type === "thinking";
        const part = { type: reasoning ? "reasoning" : "text" };
        const text = reasoning ? block.thinking : block.text;
        stream.item(message.id, "message", "assistant", undefined, part, text, reasoning ? "reasoning" : undefined);
      }
    }
  }

  #user(message) {
    if (!Array.isArray(message.content)) return;
    this.#stream.beginTurn();
    for (const block of message.content) {
      if (block.type === "tool_result") {
        const id = block.tool_use_id;
        const part = { type: "tool_result", call_id: id };
        const status = block.is_error ? "failed" : "completed";
        this.#stream.item(
          `${id}_result`,
          "tool_result",
          "tool",
          id,
          part,
          textOf(block.content),
          "tool_result",
          status,
        );
      } else if (block.type === "text") {
        this.#stream.item("user", "message", "user", undefined, { type: "text" }, block.text);
      }
    }
  }

  #result(line) {
    const { usage = {}, total_cost_usd, duration_ms, is_error } = line;
    this.#stream.beginTurn();
    this.#stream.endTurn({
      status: is_error ? "failed" : "completed",
      usage: {
        input_tokens: usage.input_tokens,
        output_tokens: usage.output_tokens,
        cache_read_tokens: usage.cache_read_input_tokens,
        cache_write_tokens: usage.cache_creation_input_tokens,
        cost_usd: total_cost_usd,
      },
      duration_ms,
    });
    this.#streamed.clear();
    this.#calls.clear();
  }
}

const kinds = {
  Bash: "command",
  Read: "file_read",
  Write: "file_write",
  Edit: "file_edit",
  Grep: "search",
  Glob: "search",
};
const kindOf = (name) => kinds[name] ?? "other";

function textOf(content) {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .filter(({ type }) => type === "text")
    .map(({ text }) => text)
    .join("\n");
}

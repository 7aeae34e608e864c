// Lines of Codex's app server → events, in plain JavaScript: messages, reasoning, commands, file changes, turns. It knows
// the common lines only, and nothing of several threads, requests, older dialects, drift or lines that are not JSON.
import { Lines, Stream } from "./stream.mjs";

/** A converter of one session. */
export class Codex {
  #lines = new Lines();
  #stream = new Stream("session");
  #usage = undefined;

  receive(chunk) {
    this.#lines.push(chunk, (line) => this.#line(JSON.parse(line)));
    return this.#stream.take();
  }

  #line({ method, params }) {
    const stream = this.#stream;
    switch (method) {
      case "turn/started":
        stream.native = params.threadId;
        return stream.beginTurn(params.turn.id, false);
      case "item/started":
        return this.#started(params.item);
      case "item/agentMessage/delta":
        return stream.delta(params.itemId, 0, params.delta);
      case "item/reasoning/summaryTextDelta":
        return stream.delta(params.itemId, 0, params.delta, "reasoning");
      case "item/commandExecution/outputDelta":
        return stream.delta(`${params.itemId}_result`, 0, params.delta, "tool_result");
      case "item/completed":
        return this.#completed(params.item);
      case "thread/tokenUsage/updated":
        this.#usage = params.tokenUsage;
        return undefined;
      case "turn/completed":
        return this.#ended(params.turn);
      default:
        return undefined;
    }
  }

  #started(item) {
    const stream = this.#stream;
    switch (item.type) {
      case "agentMessage":
        stream.open(item.id, "message", "assistant");
        return stream.addPart(item.id, 0, { type: "text" });
      case "reasoning":
        stream.open(item.id, "message", "assistant");
        return stream.addPart(item.id, 0, { type: "reasoning" });
      case "commandExecution": {
        const part = { type: "tool_call", name: "shell", call_id: item.id, tool_kind: "command", title: item.command };
        stream.item(
          item.id,
          "tool_call",
          "assistant",
          undefined,
          part,
          JSON.stringify({ command: item.command }),
          "tool_call",
        );
        return stream.open(`${item.id}_result`, "tool_result", "tool", undefined, resultPart(item));
      }
      case "fileChange": {
        const part = { type: "tool_call", name: "apply_patch", call_id: item.id, tool_kind: "file_edit" };
        stream.item(item.id, "tool_call", "assistant", undefined, part, JSON.stringify(item.changes), "tool_call");
        return stream.open(`${item.id}_result`, "tool_result", "tool", undefined, resultPart(item));
      }
      default:
        return undefined;
    }
  }

  #completed(item) {
    const stream = this.#stream;
    switch (item.type) {
      case "userMessage": {
        const text = item.content.map((part) => part.text ?? "").join("");
        return stream.item(item.id, "message", "user", undefined, { type: "text" }, text);
      }
      case "agentMessage":
      case "reasoning":
        return stream.complete(item.id);
      case "commandExecution": {
        const part = { ...resultPart(item), output: item.aggregatedOutput ?? "", exit_code: item.exitCode };
        const status = item.status === "completed" && item.exitCode === 0 ? "completed" : "failed";
        return stream.complete(`${item.id}_result`, status, false, [part]);
      }
      case "fileChange": {
        const files = item.changes.map(({ path, diff }) => ({ type: "file_ref", path, action: "patch", diff }));
        const status = item.status === "completed" ? "completed" : "failed";
        return stream.complete(`${item.id}_result`, status, false, [{ ...resultPart(item), output: "" }, ...files]);
      }
      default:
        return undefined;
    }
  }

  #ended(turn) {
    const { last, modelContextWindow } = this.#usage ?? {};
    const usage = last && {
      input_tokens: last.inputTokens,
      output_tokens: last.outputTokens,
      cache_read_tokens: last.cachedInputTokens,
      reasoning_tokens: last.reasoningOutputTokens,
    };
    this.#stream.endTurn({
      status: turn.status,
      usage,
      context_window: modelContextWindow,
      duration_ms: turn.durationMs,
    });
  }
}

function resultPart(item) {
  return { type: "tool_result", call_id: item.id };
}

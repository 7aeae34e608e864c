import type { ContentPart, UniversalEvent, UniversalItem } from "../../../types/index.js";
import { diffLines } from "../../view/diff.js";
import { turnText } from "../show/event.js";
import type { Style } from "../show/style.js";
import { clean, fit } from "../show/text.js";

/** So many lines of a tool's output are shown. */
const OUTPUT_LINES = 8;
/** What a person who follows a turn wants to know, beside what is said and done. */
const NOTABLE = new Set([
  "retry",
  "compaction",
  "model",
  "mode",
  "rate_limit",
  "hook",
  "retracted",
  "output",
  "notice",
]);

/** Draws a turn for a person, as it happens. */
export class TurnPrinter {
  readonly #style: Style;
  readonly #columns: number;
  /** The messages that are being written. */
  readonly #messages = new Map<string, UniversalItem>();
  /** The part that is being written, to know when another begins. */
  #current = "";
  #atLineStart = true;

  constructor(style: Style, columns: number) {
    this.#style = style;
    this.#columns = columns;
  }

  /** What to write for an event. */
  print(event: UniversalEvent): string {
    switch (event.type) {
      case "item.started":
        if (event.data.item.kind === "message") this.#messages.set(event.data.item.item_id, event.data.item);
        return "";
      case "item.delta":
        return this.#delta(event.data.item_id, event.data.part_type ?? "text", event.data.part_index, event.data.delta);
      case "item.completed":
        return this.#completed(event.data.item);
      case "error":
        return this.#row(this.#style.red(`✗ ${fit(event.data.message, this.#columns - 2)}`));
      case "turn.ended": {
        const { status = "completed" } = event.data.metadata ?? {};
        const words = [status !== "completed" && status, turnText(event.data.metadata)].filter(Boolean).join(" · ");
        return this.#row(this.#style.dim(fit(words, this.#columns)));
      }
      case "session.ended":
        return event.data.reason === "error" ? this.#row(this.#style.red(`✗ ${clean(event.data.message ?? "")}`)) : "";
      default:
        return "";
    }
  }

  /** A row of its own, below whatever is being written. */
  #row(text: string): string {
    const start = this.#atLineStart ? "" : "\n";
    this.#atLineStart = true;
    this.#current = "";
    return `${start}${text}\n`;
  }

  #delta(itemId: string, part: string, index: number | undefined, delta: string): string {
    const message = this.#messages.get(itemId);
    if (message === undefined || message.role !== "assistant" || delta === "") return "";
    if (part !== "text" && part !== "reasoning") return "";
    const key = `${itemId} ${index} ${part}`;
    const start = this.#current === key || this.#atLineStart ? "" : "\n";
    this.#current = key;
    this.#atLineStart = delta.endsWith("\n");
    const text = delta.split("\n").map(clean).join("\n");
    return start + (part === "reasoning" || message.agent_id !== undefined ? this.#style.dim(text) : text);
  }

  #completed(item: UniversalItem): string {
    switch (item.kind) {
      case "message":
        this.#messages.delete(item.item_id);
        return this.#atLineStart ? "" : this.#row("").replace(/\n$/, "");
      case "tool_call":
        return item.content.map((part) => this.#call(part, item.agent_id !== undefined)).join("");
      case "tool_result":
        return this.#result(item);
      case "status":
        return item.content.map((part) => this.#status(part)).join("");
      case "unknown":
        return this.#row(this.#style.magenta(fit(JSON.stringify(item.content), this.#columns)));
      default:
        return "";
    }
  }

  #call(part: ContentPart, nested: boolean): string {
    if (part.type !== "tool_call") return "";
    const sign = nested ? "  ○" : "●";
    const title = fit(part.title ?? part.arguments, this.#columns - part.name.length - sign.length - 2);
    return this.#row(`${this.#style.cyan(sign)} ${this.#style.bold(clean(part.name))} ${title}`.trimEnd());
  }

  #result(item: UniversalItem): string {
    const rows = item.content.flatMap((part) => this.#resultRows(part));
    const colour = item.status === "failed" ? this.#style.red : this.#style.dim;
    return rows.map((row) => this.#row(colour(`  ${fit(row, this.#columns - 2)}`))).join("");
  }

  #resultRows(part: ContentPart): string[] {
    if (part.type === "file_ref") return [`${part.action} ${part.path}`, ...diffRows(part.diff)];
    if (part.type !== "tool_result") return [];
    const todos = (part.todos ?? []).map(({ text, status }) => `${status === "completed" ? "☑" : "☐"} ${text}`);
    const lines = part.output.trimEnd().split("\n");
    const shown = lines.slice(0, OUTPUT_LINES);
    const more = lines.length - shown.length;
    const rows = [...shown, ...(more > 0 ? [`… ${more} more lines`] : [])].filter(Boolean);
    const code = part.exit_code === undefined || part.exit_code === 0 ? [] : [`exit code ${part.exit_code}`];
    return todos.length > 0 ? todos : [...rows, ...code];
  }

  #status(part: ContentPart): string {
    if (part.type !== "status" || !NOTABLE.has(part.label)) return "";
    const words = part.label === "output" ? (part.detail ?? "") : `${part.label}: ${part.detail ?? ""}`;
    return words.trim() === "" ? "" : this.#row(this.#style.dim(fit(words, this.#columns)));
  }
}

/** The lines that a change adds and takes away. */
function diffRows(diff = ""): string[] {
  const lines = diffLines(diff).flatMap(({ kind, text }) => {
    if (kind !== "added" && kind !== "removed") return [];
    return [`${kind === "added" ? "+" : "-"}${text}`];
  });
  const shown = lines.slice(0, OUTPUT_LINES);
  return lines.length > shown.length ? [...shown, `… ${lines.length - shown.length} more lines`] : shown;
}

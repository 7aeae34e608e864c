import type { ContentPart, ItemDeltaData, TurnMetadata, UniversalEvent, UniversalItem } from "../../../types/index.js";
import { diffCounts } from "../../view/diff.js";
import type { ItemNumbers } from "./numbers.js";
import type { Style } from "./style.js";

/** An event in one row: what comes first must be seen, the text at the end may be cut. */
export interface EventRow {
  /** How to colour the event's type. */
  readonly colour: (text: string) => string;
  /** Short words: what kind of item, which status. */
  readonly words: string;
  /** What was said or done. */
  readonly text: string;
  /** How to colour the words and the text: what is only on the way is quieter than what is done. */
  readonly tint: (text: string) => string;
}

/** What a person reads about an event. */
export function eventRow(event: UniversalEvent, style: Style, numbers: ItemNumbers): EventRow {
  const row = (colour: EventRow["colour"], words: string, text = "", tint: EventRow["tint"] = style.plain) => {
    return { colour, words, text, tint };
  };
  switch (event.type) {
    case "session.started":
      return row(style.blue, "", facts(event.data.metadata));
    case "session.ended":
      return row(
        event.data.reason === "error" ? style.red : style.blue,
        `${event.data.reason}, by ${event.data.terminated_by}`,
        event.data.message,
      );
    case "turn.started":
      return row(style.blue, "");
    case "turn.ended":
      return row(
        event.data.metadata?.status === "failed" ? style.red : style.blue,
        event.data.metadata?.status ?? "",
        turnText(event.data.metadata),
      );
    case "item.started": {
      const { item } = event.data;
      return row(style.dim, `${numbers.of(item.item_id)} ${itemWords(item)}`, startText(item), style.dim);
    }
    case "item.delta":
      return row(style.dim, `${numbers.of(event.data.item_id)} ${deltaWords(event.data)}`, event.data.delta, style.dim);
    case "item.completed": {
      const { item } = event.data;
      return row(itemColour(item, style), `${numbers.last(item.item_id)} ${itemWords(item)}`, itemText(item));
    }
    case "permission.requested":
    case "permission.resolved":
      return row(style.yellow, `${event.data.action}: ${event.data.status}`, event.data.title);
    case "question.requested":
    case "question.resolved":
      return row(style.yellow, event.data.status, questionText(event.data));
    case "error":
      return row(style.red, event.data.code ?? "", event.data.message, style.red);
    case "agent.unparsed":
      return row(style.red, event.data.location, event.data.error, style.red);
    default:
      return row(style.magenta, "", JSON.stringify((event as UniversalEvent).data));
  }
}

function itemColour(item: UniversalItem, style: Style): EventRow["colour"] {
  if (item.status === "failed") return style.red;
  return item.kind === "unknown" ? style.magenta : style.green;
}

/** Who says what kind of thing: `assistant message`, `subagent tool_call`. */
function itemWords({ kind, role, status, agent_id }: UniversalItem): string {
  const who = agent_id === undefined ? "" : "subagent";
  const said = kind === "message" ? `${role ?? ""} message` : kind;
  return [who, said, status === "failed" && "failed"].filter(Boolean).join(" ");
}

/** At its start an item has little to say that its end does not say better: which tool is called. */
function startText({ content }: UniversalItem): string {
  return content.map((part) => (part.type === "tool_call" ? part.name : "")).join("");
}

function itemText({ content }: UniversalItem): string {
  const isFacts = content.some((part) => part.type === "status" && part.label === "session");
  // What happened to files is short, and outputs are long.
  const files = content.filter((part) => part.type === "file_ref");
  return [...files, ...content.filter((part) => part.type !== "file_ref")]
    .map((part) => (isFacts && part.type === "json" ? facts(part.json) : partText(part)))
    .filter(Boolean)
    .join(" · ");
}

function deltaWords({ part_type, replace }: ItemDeltaData): string {
  return [`+${part_type ?? "text"}`, replace && "(anew)"].filter(Boolean).join(" ");
}

/** What a person reads of a part. */
function partText(part: ContentPart): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "reasoning":
      return part.text === "" ? "(hidden reasoning)" : `(thinks) ${part.text}`;
    case "tool_call":
      return `${part.name} ${part.title ?? part.arguments}`.trimEnd();
    case "tool_result":
      return [part.exit_code !== undefined && `(exit ${part.exit_code})`, part.output].filter(Boolean).join(" ");
    case "file_ref":
      return `${part.action} ${part.path}${part.diff === undefined ? "" : ` ${changes(part.diff)}`}`;
    case "image":
      return part.path.startsWith("data:") ? `image ${part.mime ?? ""}`.trimEnd() : `image ${part.path}`;
    case "status":
      return [part.label, part.detail ?? part.retracts?.join(", ")].filter(Boolean).join(": ");
    case "json":
      return JSON.stringify(part.json);
    default:
      return JSON.stringify(part);
  }
}

/** How many lines a diff adds and takes away. */
function changes(diff: string): string {
  const { added, removed } = diffCounts(diff);
  return `(+${added} −${removed})`;
}

/** Names and values; of long lists only how long they are. */
function facts(value: unknown): string {
  return Object.entries(Object(value) as Record<string, unknown>)
    .map(([name, fact]) => {
      if (typeof fact === "string") return `${name} ${fact}`;
      return Array.isArray(fact) ? `${fact.length} ${name}` : `${name} ${JSON.stringify(fact)}`;
    })
    .join(" · ");
}

/** What a turn has cost. */
export function turnText({ usage, duration_ms, stop_reason }: TurnMetadata = {}): string {
  return [
    usage?.input_tokens !== undefined && `${usage.input_tokens} tokens in`,
    usage?.output_tokens !== undefined && `${usage.output_tokens} out`,
    usage?.cost_usd !== undefined && `$${usage.cost_usd.toFixed(4)}`,
    duration_ms !== undefined && `${(duration_ms / 1000).toFixed(1)} s`,
    stop_reason,
  ]
    .filter(Boolean)
    .join(" · ");
}

function questionText({ prompt, response, options }: { prompt: string; response?: string; options: string[] }): string {
  if (response !== undefined) return `${prompt} → ${response}`;
  return options.length === 0 ? prompt : `${prompt} [${options.join(" | ")}]`;
}

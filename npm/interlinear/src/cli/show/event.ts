import type { ContentPart, ItemDeltaData, UniversalEvent, UniversalItem } from "../../../types/index.js";
import type { Style } from "./style.js";
import { clean } from "./text.js";

/** What a person reads about an event, in pieces: the first ones must be seen, the last one may be cut. */
export interface EventLine {
  /** The event's type, coloured by what it is about. */
  readonly type: string;
  /** Short words: what kind of item, which status. */
  readonly words: string;
  /** The text itself. */
  readonly text: string;
  /** How to colour the text. */
  readonly tint: (text: string) => string;
}

/** An event in one line. */
export function eventLine(event: UniversalEvent, style: Style): EventLine {
  const plain = (text: string) => text;
  const line = (colour: (text: string) => string, words: string, text = "", tint = plain): EventLine => {
    return { type: colour(event.type), words: clean(words), text: clean(text), tint };
  };
  switch (event.type) {
    case "session.started":
      return line(style.blue, "", facts(event.data.metadata));
    case "session.ended": {
      const { reason, terminated_by, message, exit_code } = event.data;
      const code = exit_code === undefined ? "" : ` exit code ${exit_code}`;
      return line(style.blue, `${reason} by ${terminated_by}${code}`, message ?? "");
    }
    case "turn.started":
      return line(style.blue, event.data.turn_id ?? "");
    case "turn.ended":
      return line(style.blue, event.data.metadata?.status ?? "", turnText(event.data.metadata));
    case "item.started":
    case "item.completed":
      return itemLine(event.data.item, line, style, event.type === "item.completed");
    case "item.delta":
      return line(style.dim, deltaWords(event.data), event.data.delta, style.dim);
    case "permission.requested":
    case "permission.resolved":
      return line(style.yellow, `${event.data.status} ${event.data.action}`, event.data.title ?? "");
    case "question.requested":
    case "question.resolved":
      return line(
        style.yellow,
        event.data.status,
        questionText(event.data.prompt, event.data.response, event.data.options),
      );
    case "error":
      return line(style.red, event.data.code ?? "", event.data.message, style.red);
    case "agent.unparsed":
      return line(style.red, event.data.location, event.data.error, style.red);
    default:
      return line(style.magenta, "", JSON.stringify((event as UniversalEvent).data));
  }
}

type Line = (
  colour: (text: string) => string,
  words: string,
  text?: string,
  tint?: (text: string) => string,
) => EventLine;

function itemLine(item: UniversalItem, line: Line, style: Style, completed: boolean): EventLine {
  const failed = item.status === "failed";
  const words = [
    item.kind === "message" ? `${item.role ?? ""} message` : item.kind,
    failed && "failed",
    item.agent_id !== undefined && "(subagent)",
  ];
  const text = item.content.map(partText).filter(Boolean).join(" · ");
  const colour = failed ? style.red : item.kind === "unknown" ? style.magenta : style.green;
  return line(
    completed || failed ? colour : style.dim,
    words.filter(Boolean).join(" "),
    text,
    completed ? undefined : style.dim,
  );
}

function deltaWords({ part_type, replace }: ItemDeltaData): string {
  return [part_type ?? "text", replace && "anew"].filter(Boolean).join(" ");
}

/** What a person reads of a part. */
function partText(part: ContentPart): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "reasoning":
      return part.text === "" ? "(hidden reasoning)" : `reasoning: ${part.text}`;
    case "tool_call":
      return `${part.name} ${part.title ?? part.arguments}`.trimEnd();
    case "tool_result":
      return [part.exit_code === undefined ? "" : `exit ${part.exit_code}:`, part.output].filter(Boolean).join(" ");
    case "file_ref":
      return `${part.action} ${part.path}${part.diff === undefined ? "" : ` ${changes(part.diff)}`}`;
    case "image":
      return part.path.startsWith("data:") ? `image ${part.mime ?? ""}`.trimEnd() : `image ${part.path}`;
    case "status":
      return part.detail === undefined ? part.label : `${part.label}: ${part.detail}`;
    case "json":
      return JSON.stringify(part.json);
    default:
      return JSON.stringify(part);
  }
}

/** How many lines a diff adds and takes away. */
function changes(diff: string): string {
  const lines = diff.split("\n");
  const added = lines.filter((line) => line.startsWith("+") && !line.startsWith("+++")).length;
  const removed = lines.filter((line) => line.startsWith("-") && !line.startsWith("---")).length;
  return `+${added} −${removed}`;
}

function facts(metadata: object | undefined): string {
  return Object.entries(metadata ?? {})
    .map(([name, value]) => `${name} ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(" · ");
}

function turnText(metadata: import("../../../types/index.js").TurnMetadata | undefined): string {
  const { usage, duration_ms, stop_reason } = metadata ?? {};
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

function questionText(prompt: string, response: string | undefined, options: readonly string[]): string {
  return `${prompt} ${response === undefined ? `[${options.join(" | ")}]` : `→ ${response}`}`;
}

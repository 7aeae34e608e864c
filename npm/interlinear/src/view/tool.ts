// What a tool call and its result are to a person, whichever agent made them.
import type {
  ContentPart,
  FileRefPart,
  ImagePart,
  Todo,
  ToolCallPart,
  ToolKind,
  ToolResultPart,
  UniversalItem,
} from "../../types/index.js";
import type { ItemEntry } from "../fold.js";
import { hasOwnResultRow } from "./rows.js";

/** A tool call, with what is known of its result. */
export interface ToolView {
  readonly call: ToolCallPart;
  readonly kind: ToolKind;
  /** What it does, in a word common to all agents. */
  readonly label: string;
  /** What a person reads: the command line, the path, the query. */
  readonly title: string;
  readonly state: "running" | "done" | "failed";
  readonly result?: ToolResultPart;
  /** The output, empty where files or todos say it all. */
  readonly output: string;
  /** Files that were touched; those with a change have a `diff`. */
  readonly files: readonly FileRefPart[];
  readonly images: readonly ImagePart[];
  readonly todos: readonly Todo[];
  /** Anything else that the call or its result holds. */
  readonly more: readonly ContentPart[];
}

const EMPTY_CALL: ToolCallPart = { name: "tool", arguments: "", call_id: "" };

/** What to draw of a tool call, or of a result that stands alone. */
export function toolView(call: UniversalItem | undefined, result: UniversalItem | undefined): ToolView {
  const parts = [...(call?.content ?? []), ...(result?.content ?? [])];
  const part = of(parts, "tool_call")[0] ?? EMPTY_CALL;
  const outcome = of(parts, "tool_result")[0];
  const files = of(parts, "file_ref");
  const todos = outcome?.todos ?? [];
  const said = files.some(({ diff }) => diff !== undefined) || todos.length > 0;
  const failed = result?.status === "failed" || call?.status === "failed";
  return {
    call: part,
    kind: part.tool_kind ?? "other",
    label: labelOf(part),
    title: part.title ?? "",
    state: failed ? "failed" : result === undefined || result.status === "in_progress" ? "running" : "done",
    ...(outcome && { result: outcome }),
    output: said && !failed ? "" : (outcome?.output ?? ""),
    files,
    images: of(parts, "image"),
    todos,
    more: parts.filter(({ type }) => !KNOWN.has(type)),
  };
}

const LABELS: Record<string, string> = {
  command: "Run",
  file_read: "Read",
  file_write: "Write",
  file_edit: "Edit",
  search: "Search",
  web_fetch: "Fetch",
  web_search: "Web search",
  todo: "To do",
  task: "Subagent",
  question: "Question",
  plan: "Plan",
};

function labelOf({ name, tool_kind, mcp, agent }: ToolCallPart): string {
  if (mcp !== undefined) return mcp.server === undefined ? mcp.tool : `${mcp.server} · ${mcp.tool}`;
  if (tool_kind === "task" && agent?.type !== undefined) return agent.type;
  return LABELS[tool_kind ?? "other"] ?? name;
}

const KNOWN = new Set(["tool_call", "tool_result", "file_ref", "image"]);

function of<T extends ContentPart["type"]>(parts: readonly ContentPart[], type: T) {
  return parts.filter((part): part is Extract<ContentPart, { type: T }> => part.type === type);
}

/** The call and result of an entry of either kind. Where the result has a row of its own, only how it went. */
export function toolOf(entry: ItemEntry): ToolView {
  if (entry.item.kind === "tool_result") return toolView(undefined, entry.item);
  const result = entry.result?.item;
  if (result === undefined || !hasOwnResultRow(entry)) return toolView(entry.item, result);
  return { ...toolView(entry.item, undefined), state: toolView(undefined, result).state };
}

/** The arguments as a person reads them; as they came if they are not whole. */
export function prettyArguments(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** Whether arguments say more than the title does. */
export function hasArguments({ arguments: text, title }: ToolCallPart): boolean {
  if (text === "" || text === "{}") return false;
  try {
    const values: unknown[] = Object.values(JSON.parse(text) as object);
    return !(values.length === 1 && values[0] === title);
  } catch {
    return true;
  }
}

// A transcript as Markdown: to be read anywhere, kept beside the code, handed to another agent.
import type { ContentPart, FileRefPart, StatusPart, Todo } from "../../types/index.js";
import type { Entry, ItemEntry, TranscriptState, Turn } from "../fold.js";
import { hasOwnResultRow } from "../view/rows.js";
import { safeImage, visible } from "../view/safe.js";
import { hasArguments, prettyArguments, type ToolView, toolOf, toolView } from "../view/tool.js";
import {
  askedAndAnswered,
  endOutput,
  endWords,
  errorWords,
  headWords,
  permissionWords,
  questionWords,
  statusFacts,
  statusWords,
  turnWords,
  usageWords,
} from "../view/words.js";
import { contained, htmlAsText } from "./prose.js";

/** The whole transcript. */
export function toMarkdown(transcript: TranscriptState): string {
  const { session, turns } = transcript;
  const blocks = [
    `# ${prose(titleOf(transcript))}`,
    quote([factLine(transcript)]),
    ...turns.flatMap(turnBlocks),
    session.end === undefined
      ? ""
      : `*${endWords(session)}${session.end.message ? `: ${prose(session.end.message)}` : ""}*`,
    endOutput(session) === "" ? "" : fence(visible(endOutput(session))),
  ];
  return `${blocks.filter((block) => block !== "").join("\n\n")}\n`;
}

/** What to call a transcript: its title, else the first thing that was said. */
export function titleOf({ session, turns }: TranscriptState, fallback?: string): string {
  if (session.facts.title) return session.facts.title;
  for (const turn of turns) {
    for (const entry of turn.entries) {
      if (entry.type !== "item" || entry.item.role !== "user") continue;
      const text = entry.item.content.map((part) => (part.type === "text" ? part.text : "")).join(" ");
      if (text.trim() !== "") return shorten(text);
    }
  }
  return fallback ?? (session.session_id === "" ? "Transcript" : `Session ${session.session_id}`);
}

function shorten(text: string): string {
  const line = text.trim().split("\n", 1)[0] ?? "";
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}

function factLine({ session, usage }: TranscriptState): string {
  return [...headWords(session), ...usageWords(usage)].map(prose).join(" · ");
}

function turnBlocks(turn: Turn): string[] {
  const blocks = turn.entries.flatMap(entryBlocks);
  const words = turn.status === "outside" ? [] : turnWords(turn);
  return words.length === 0 ? blocks : [...blocks, `*${words.map(prose).join(" · ")}*`, "---"];
}

function entryBlocks(entry: Entry): string[] {
  const below = entry.children.flatMap((child) => {
    const blocks = entryBlocks(child);
    const inside = entry.type === "item" && entry.item.kind === "tool_call" && child.type === "item";
    return inside ? [quote(blocks)] : blocks;
  });
  const result = entry.type === "item" && hasOwnResultRow(entry) && entry.result ? resultBlocks(entry.result) : [];
  return [...ownBlocks(entry), ...below, ...result];
}

function ownBlocks(entry: Entry): string[] {
  switch (entry.type) {
    case "item":
      return itemBlocks(entry);
    case "permission": {
      const { permission } = entry;
      return [`*${permissionWords(permission)}:* ${code(permission.title ?? permission.action)}`];
    }
    case "question": {
      const { question } = entry;
      return askedAndAnswered(question).map(
        ({ text, answer }) => `**${prose(text)}** ${prose(answer ?? `*${questionWords(question)}*`)}`,
      );
    }
    case "error": {
      const { error } = entry;
      const label = error.code === undefined ? "" : `${code(error.code)} `;
      return [`**${errorWords(error)}:** ${label}${prose(error.message)}`];
    }
    case "unparsed":
      return [`**A line could not be read:** ${code(entry.unparsed.location)} ${prose(entry.unparsed.error)}`];
    case "event":
      return [fence(JSON.stringify(entry.event, null, 2), "json")];
  }
}

function itemBlocks(entry: ItemEntry): string[] {
  const { item } = entry;
  if (item.kind === "tool_call" || item.kind === "tool_result") return toolBlocks(toolOf(entry));
  // What the session says about itself stands at the top.
  if (item.content.some((part) => part.type === "status" && part.label === "session")) return [];
  const block = item.kind === "status" ? statusPart : partBlock;
  const parts = item.content.map(block).filter((written) => written !== "");
  if (parts.length === 0 || item.kind === "status") return parts;
  if (item.kind === "unknown") return ["*Not known to this version:*", ...parts];
  const who = { user: "User", assistant: "Assistant", system: "System", tool: "Tool" }[item.role ?? "system"];
  return [`## ${who}${entry.retracted ? " (taken back)" : ""}`, ...parts];
}

/** A part of a status: what it says, what comes with it, and what a program printed. */
function statusPart(part: ContentPart, _: number, content: readonly ContentPart[]): string {
  if (part.type === "text") return part.text.trim() === "" ? "" : fence(visible(part.text));
  if (part.type !== "json") return partBlock(part);
  const facts = statusFacts(part.json, content).map(prose).join(" · ");
  return facts === "" ? "" : `*${facts}*`;
}

function partBlock(part: ContentPart): string {
  switch (part.type) {
    case "text":
      return blocksOf(part.text);
    case "reasoning":
      return part.text.trim() === "" ? "" : quote(thoughtBlocks(blocksOf(part.text)));
    case "image":
      return safeImage(part.path) === undefined ? `Image: ${code(part.path)}` : `![An image](${part.path})`;
    case "file_ref":
      return fileBlock(part);
    case "status":
      return statusBlock(part);
    default:
      return fence(JSON.stringify(part.type === "json" ? part.json : part, null, 2), "json");
  }
}

/** A text, without what surrounds it: an indented beginning is code. */
function blocksOf(text: string): string {
  return contained(text.replace(/^(?:[ \t]*\r?\n)+/, "").trimEnd());
}

/** A list, code and the like begin a line. */
function thoughtBlocks(text: string): string[] {
  const isBlock = /^(?: {4}|\t|`{3}|~{3}|#{1,6} |>|\||[-*+] |\d{1,9}[.)] )/.test(text);
  return isBlock ? ["*Thought:*", text] : [`*Thought:* ${text}`];
}

function statusBlock(part: StatusPart): string {
  const head = `*${statusWords(part)}${part.detail === undefined ? "" : `: ${prose(part.detail)}`}*`;
  return part.todos === undefined ? head : `${head}\n\n${todoBlock(part.todos)}`;
}

function toolBlocks(tool: ToolView): string[] {
  const { label, title, call, result, state, output, files, images, todos, more } = tool;
  const outcome = [
    result?.exit_code === undefined ? "" : `exit ${result.exit_code}`,
    state === "done" || result?.exit_code !== undefined ? "" : state,
  ].filter((word) => word !== "");
  const several = title.includes("\n");
  const head = [
    `**${prose(label)}**`,
    title === "" || several ? "" : code(title),
    ...outcome.map((word) => `(${word})`),
  ];
  const changed = files.filter(({ diff }) => diff !== undefined);
  const quiet = changed.length > 0 || todos.length > 0 || tool.kind === "command";
  return [
    head.filter((word) => word !== "").join(" "),
    several ? fence(title) : "",
    quiet || !hasArguments(call) ? "" : fence(prettyArguments(call.arguments), "json"),
    ...changed.map(fileBlock),
    todos.length === 0 ? "" : todoBlock(todos),
    output.trim() === "" ? "" : fence(visible(output)),
    ...images.map((image) => partBlock({ type: "image", ...image })),
    ...more.map((part) => fence(JSON.stringify(part, null, 2), "json")),
  ].filter((block) => block !== "");
}

function resultBlocks(result: ItemEntry): string[] {
  const { output } = toolView(undefined, result.item);
  return output.trim() === "" ? [] : ["*Answer of the subagent:*", fence(visible(output))];
}

function fileBlock({ path, action, diff }: FileRefPart): string {
  return diff === undefined ? `${action} ${code(path)}` : fence(visible(diff), "diff");
}

const BOXES = { pending: "[ ]", in_progress: "[ ] **now:**", completed: "[x]", cancelled: "[x] *cancelled:*" } as const;

function todoBlock(todos: readonly Todo[]): string {
  return todos.map(({ text, status }) => `- ${BOXES[status] ?? "[ ]"} ${prose(text)}`).join("\n");
}

/** Code between fences that nothing in it can close. */
function fence(text: string, language = ""): string {
  const marks = "`".repeat(Math.max(2, longestRun(text)) + 1);
  let end = text.length;
  while (text[end - 1] === "\n") end -= 1;
  return `${marks}${language}\n${text.slice(0, end)}\n${marks}`;
}

function code(text: string): string {
  const line = oneLine(visible(text));
  const longest = longestRun(line);
  const marks = "`".repeat(longest + 1);
  return longest === 0 ? `${marks}${line}${marks}` : `${marks} ${line} ${marks}`;
}

/** How many backticks stand in a row at most. An output may have more rows of them than a call takes arguments. */
function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}

function quote(blocks: readonly string[]): string {
  return blocks
    .join("\n\n")
    .split("\n")
    .map((line) => (line === "" ? ">" : `> ${line}`))
    .join("\n");
}

/** A line of prose. */
function prose(text: string): string {
  return htmlAsText(oneLine(text));
}

function oneLine(text: string): string {
  const lines = text.split("\n").map((line) => line.trim());
  return lines.filter((line) => line !== "").join(" ");
}

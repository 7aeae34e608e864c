// A transcript as one HTML file that needs nothing else and runs nothing.
import type { ContentPart, FileRefPart, Todo } from "../../types/index.js";
import type { Entry, ItemEntry, TranscriptState } from "../fold.js";
import { diffCounts, diffLines, SIGNS } from "../view/diff.js";
import { markdown } from "../view/markdown.js";
import { type Row, Rows } from "../view/rows.js";
import { safeImage, visible } from "../view/safe.js";
import { hasArguments, prettyArguments, type ToolView, toolOf } from "../view/tool.js";
import {
  askedAndAnswered,
  duration,
  endOutput,
  endWords,
  errorWords,
  headWords,
  permissionWords,
  questionWords,
  statusFacts,
  statusWords,
  turnWords,
} from "../view/words.js";
import { type Child, type Html, html, nodes } from "./element.js";
import { titleOf } from "./markdown.js";

/** How to draw. */
export interface HtmlOptions {
  /** The stylesheet, as text: that of `interlinear/react/style.css`, or another for the same classes. */
  readonly style: string;
}

/** What the stylesheet of a page that scrolls within itself lacks for a file that is read and printed. */
const FILE_STYLE = `
body { margin: 0; }
.il-transcript { height: auto; overflow: visible; }
.il-transcript header { max-width: var(--il-width); margin: 0 auto; padding: 2rem 1.25rem 0.5rem; box-sizing: border-box; }
.il-transcript h1 { margin: 0 0 0.25rem; font-size: 1.375rem; line-height: 1.3; }
.il-transcript summary { display: flex; align-items: baseline; gap: 0.5rem; list-style: none; cursor: pointer; }
.il-transcript details[open] > summary::before { transform: rotate(45deg); }
.il-output pre { max-height: none; }
`;

/** No script, no request: whatever the transcript says. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/** One transcript, or several one after the other, as a file of its own. */
export function toHtml(transcripts: TranscriptState | readonly TranscriptState[], { style }: HtmlOptions): string {
  const list = Array.isArray(transcripts)
    ? (transcripts as readonly TranscriptState[])
    : [transcripts as TranscriptState];
  const title = list.map((one) => titleOf(one)).join(" · ") || "Transcript";
  const body = html("main", { class: "il-transcript" }, list.flatMap(transcriptHtml));
  const head = [
    `<meta charset="utf-8">`,
    `<meta name="viewport" content="width=device-width, initial-scale=1">`,
    `<meta http-equiv="content-security-policy" content="${POLICY}">`,
    html("title", {}, title).text,
    `<style>${`${style}\n${FILE_STYLE}`.replaceAll("</", "<\\/")}</style>`,
  ];
  return `<!doctype html>\n<html lang="en">\n<head>\n${head.join("\n")}\n</head>\n<body>\n${body.text}\n</body>\n</html>\n`;
}

function transcriptHtml(transcript: TranscriptState): Html[] {
  const rows = new Rows().of(transcript).map((row) => html("div", {}, rowHtml(row)));
  return [
    html(
      "header",
      {},
      html("h1", {}, titleOf(transcript)),
      html("p", { class: "il-note" }, headWords(transcript.session).join(" · ")),
    ),
    html("div", { class: "il-feed" }, rows),
  ];
}

function rowHtml(row: Row): Html {
  const style = row.depth === 0 ? undefined : `margin-inline-start: calc(${row.depth} * var(--il-indent, 1.5rem))`;
  const attributes = { class: "il-row", "data-type": row.type, "data-depth": row.depth || undefined, style };
  return html("article", attributes, ...rowBody(row));
}

function rowBody(row: Row): Child[] {
  switch (row.type) {
    case "turn":
      return [
        html(
          "p",
          { class: "il-turn", "data-status": row.turn.status },
          turnWords(row.turn).join(" · ") || row.turn.status,
        ),
      ];
    case "end": {
      const { session } = row;
      const detail = session.end?.message && html("p", { class: "il-detail" }, visible(session.end.message));
      return [
        html(
          "div",
          { class: "il-end", "data-reason": session.end?.reason },
          html("p", {}, endWords(session)),
          detail,
          output(endOutput(session)),
        ),
      ];
    }
    case "result":
      return [
        html(
          "div",
          { class: "il-result" },
          html("p", { class: "il-note" }, "Answer of the subagent"),
          output(toolOf(row.entry).output),
        ),
      ];
    case "entry":
      return [entryHtml(row.entry)];
  }
}

function entryHtml(entry: Entry): Html {
  switch (entry.type) {
    case "item":
      return itemHtml(entry);
    case "permission": {
      const { permission } = entry;
      return html(
        "p",
        { class: "il-request", "data-status": permission.status },
        html("span", { class: "il-verdict" }, permissionWords(permission)),
        html("span", { class: "il-title" }, visible(permission.title ?? permission.action)),
      );
    }
    case "question": {
      const { question } = entry;
      const pairs = askedAndAnswered(question).flatMap(({ text, answer }) => [
        html("dt", {}, text),
        html("dd", {}, visible(answer ?? questionWords(question))),
      ]);
      return html("dl", { class: "il-request", "data-status": question.status }, ...pairs);
    }
    case "error":
      return notice(errorWords(entry.error), entry.error.code, entry.error.message);
    case "unparsed":
      return notice("A line could not be read", entry.unparsed.location, entry.unparsed.error);
    case "event":
      return html("div", { class: "il-unknown" }, output(JSON.stringify(entry.event, null, 2)));
  }
}

function notice(label: string, code: string | undefined, message: string): Html {
  const word = code === undefined ? undefined : html("code", {}, visible(code));
  return html(
    "div",
    { class: "il-error" },
    html("span", { class: "il-label" }, label),
    word,
    html("p", {}, visible(message)),
  );
}

function itemHtml(entry: ItemEntry): Html {
  const { item } = entry;
  if (item.kind === "tool_call" || item.kind === "tool_result") return toolHtml(toolOf(entry));
  if (item.kind === "status") return html("div", { class: "il-status" }, ...item.content.map(statusPart));
  const role = item.role ?? "system";
  const taken = entry.retracted && html("p", { class: "il-note" }, "Taken back: no longer part of the conversation");
  const attributes = { class: "il-message", "data-role": role, "data-retracted": entry.retracted ? "true" : undefined };
  return html("div", attributes, taken, ...item.content.map(messagePart));
}

function statusPart(part: ContentPart, _: number, content: readonly ContentPart[]): Child {
  if (part.type === "json") {
    const facts = statusFacts(part.json, content).join(" · ");
    return facts === "" ? undefined : html("span", { class: "il-facts" }, visible(facts));
  }
  if (part.type === "text") return output(part.text);
  if (part.type !== "status") return messagePart(part);
  const detail = part.detail === undefined ? undefined : html("span", { class: "il-detail" }, visible(part.detail));
  const label = html("span", { class: "il-label" }, statusWords(part));
  return html("div", { "data-label": part.label }, label, detail, part.todos && todoList(part.todos));
}

function messagePart(part: ContentPart): Child {
  switch (part.type) {
    case "text":
      return text(part.text);
    case "reasoning":
      if (part.text === "") return html("p", { class: "il-note" }, "The model’s reasoning is hidden");
      return folded("il-reasoning", "il-fold", ["Thought"], [text(part.text)], false);
    case "image":
      return image(part.path);
    case "file_ref":
      return diff(part);
    default:
      return output(JSON.stringify(part.type === "json" ? part.json : part, null, 2));
  }
}

function toolHtml(tool: ToolView): Html {
  const { call, kind, label, title, state, result, files, images, todos, more } = tool;
  const changed = files.filter((file) => file.diff !== undefined);
  const shows = changed.length > 0 || todos.length > 0 || kind === "command";
  const outcome = [
    state === "running" ? "running" : "",
    result?.exit_code === undefined ? (state === "failed" ? "failed" : "") : `exit ${result.exit_code}`,
    result?.duration_ms ? duration(result.duration_ms) : "",
  ].filter((word) => word !== "");
  const head: Child[] = [
    html("span", { class: "il-name", title: call.name }, visible(label)),
    html("span", { class: "il-title" }, visible(title)),
    html("span", { class: "il-outcome" }, ...outcome.map((word) => html("span", { class: "il-exit" }, word))),
  ];
  const body: Child[] = [
    title.includes("\n") && output(title),
    !shows && hasArguments(call) && output(prettyArguments(call.arguments)),
    ...changed.map(diff),
    todos.length > 0 && todoList(todos),
    output(tool.output),
    ...images.map(({ path }) => image(path)),
    ...more.map((part) => output(JSON.stringify(part, null, 2))),
  ];
  return folded("il-tool", "il-head", head, [html("div", { class: "il-body" }, ...body)], shows || state === "failed", {
    "data-kind": kind,
    "data-state": state,
  });
}

function folded(
  name: string,
  head: string,
  summary: readonly Child[],
  body: readonly Child[],
  open: boolean,
  attributes: Record<string, string> = {},
): Html {
  return html(
    "details",
    { class: name, open: open || undefined, ...attributes },
    html("summary", { class: head }, ...summary),
    ...body,
  );
}

function text(source: string): Html {
  return html("div", { class: "il-markdown" }, ...markdown(source).map((block) => nodes(block.nodes)));
}

function output(printed: string): Child {
  const shown = visible(printed).trimEnd();
  return shown === "" ? undefined : html("div", { class: "il-output" }, html("pre", {}, shown));
}

function image(path: string): Html {
  const src = safeImage(path);
  if (src === undefined) return html("p", { class: "il-path" }, visible(path.slice(0, 300)));
  return html("img", { class: "il-image", src, alt: "Part of the conversation" });
}

function diff({ path, action, diff: change }: FileRefPart): Html {
  const { added, removed } = diffCounts(change ?? "");
  const counts = html(
    "span",
    { class: "il-counts" },
    html("span", { class: "il-added" }, `+${added}`),
    " ",
    html("span", { class: "il-removed" }, `−${removed}`),
  );
  const lines = change === undefined ? [] : diffLines(change);
  const rows = lines.map((line) =>
    html(
      "div",
      { class: "il-line", "data-kind": line.kind },
      html("span", { class: "il-number", "data-number": line.after ?? line.before ?? "" }),
      html("span", { class: "il-sign" }, SIGNS[line.kind]),
      html("span", { class: "il-code" }, visible(line.text)),
    ),
  );
  return html(
    "figure",
    { class: "il-diff" },
    html("figcaption", {}, html("span", { class: "il-path" }, visible(path)), change === undefined ? action : counts),
    rows.length > 0 && html("div", { class: "il-lines", tabindex: 0 }, rows),
  );
}

function todoList(todos: readonly Todo[]): Html {
  const items = todos.map((todo) =>
    html(
      "li",
      { "data-status": todo.status },
      html("span", { class: "il-mark", title: todo.status }),
      html("span", {}, todo.text),
    ),
  );
  return html("ul", { class: "il-todos" }, items);
}

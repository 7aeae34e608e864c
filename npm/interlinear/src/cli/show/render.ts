import type { UniversalEvent } from "../../../types/index.js";
import type { TraceLine } from "../../trace.js";
import { eventLine } from "./event.js";
import type { Style } from "./style.js";
import { clean, shorten } from "./text.js";

/** How to draw. */
export interface View {
  readonly columns: number;
  readonly style: Style;
  /** Whether native lines are shown at all. */
  readonly natives: boolean;
  /** Whether lines without events are shown. */
  readonly ignored: boolean;
}

/** How each direction is drawn: from the agent, to the agent, its standard error. */
const ARROWS = { out: "◀", in: "▶", err: "!" } as const;
const TYPE_WIDTH = "permission.requested".length;

/** A native line and, beneath it, its events. */
export function render(traced: TraceLine, view: View): string {
  if (traced.outcome !== undefined && traced.outcome !== "mapped" && traced.events.length === 0 && !view.ignored)
    return "";
  const native = traced.line === undefined || !view.natives ? [] : [nativeRow(traced, view)];
  const events = traced.events.map((event) => eventRow(event, view));
  return [...native, ...events].map((row) => `${row}\n`).join("");
}

function nativeRow(
  { line, dir = "out", kind = "", text = "", outcome, reason }: TraceLine,
  { columns, style }: View,
): string {
  const number = `${line}`.padStart(4);
  const fate = outcome === "ignored" ? `ignored: ${reason ?? ""}` : outcome === "mapped" ? "" : (outcome ?? "");
  const head = `${number} ${ARROWS[dir]} ${clean(kind)}`;
  const room = columns - head.length - 2 - (fate === "" ? 0 : fate.length + 2);
  const body = shorten(clean(text.length > columns * 8 ? text.slice(0, columns * 8) : text), room);
  if (outcome === "ignored") return style.dim(`${head}  ${fate}  ${body}`);
  const colour = outcome === "unparsed" || dir === "err" ? style.red : style.cyan;
  return `${style.dim(number)} ${colour(`${ARROWS[dir]} ${style.bold(clean(kind))}`)}${fate && `  ${style.red(fate)}`}  ${style.dim(body)}`;
}

function eventRow(event: UniversalEvent, { columns, style, natives }: View): string {
  const { type, words, text, tint } = eventLine(event, style);
  const indent = natives ? "     │ " : "";
  const padding = " ".repeat(Math.max(1, TYPE_WIDTH + 1 - event.type.length));
  const used = indent.length + event.type.length + padding.length + words.length + 2;
  const separator = words === "" || text === "" ? "" : "  ";
  return `${style.dim(indent)}${type}${padding}${words}${separator}${tint(shorten(text, columns - used))}`.trimEnd();
}

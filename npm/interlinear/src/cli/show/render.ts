import type { UniversalEvent } from "../../../types/index.js";
import type { TraceLine } from "../../trace.js";
import { eventRow } from "./event.js";
import { ItemNumbers } from "./numbers.js";
import type { Style } from "./style.js";
import { fit } from "./text.js";

/** How to draw. */
export interface View {
  /** How wide a row may be. */
  readonly columns: number;
  readonly style: Style;
  /** Whether native lines are drawn at all. */
  readonly natives: boolean;
  /** Whether lines without events are drawn. */
  readonly ignored: boolean;
}

/** How each direction is drawn: from the agent, to the agent, its standard error. */
const ARROWS = { out: "◀", in: "▶", err: "!" } as const;
const FATES = { mapped: "", unparsed: "it could not be read", cut: "the end of the process cut it off" } as const;
const NUMBER_WIDTH = 4;
const TYPE_WIDTH = "permission.requested".length + 1;

/** Draws a transcript, line by line. */
export class Renderer {
  readonly #view: View;
  readonly #numbers = new ItemNumbers();

  constructor(view: View) {
    this.#view = view;
  }

  /** A native line and, beneath it, its events. */
  render(traced: TraceLine): string {
    const { natives, ignored } = this.#view;
    if (traced.events.length === 0 && !ignored) return "";
    const rows = traced.events.map((event) => this.#eventRow(event));
    if (natives) rows.unshift(traced.line === undefined ? this.#noLine() : this.#nativeRow(traced));
    return rows.map((row) => `${row}\n`).join("");
  }

  #nativeRow({ line, dir = "out", kind = "", text = "", outcome, reason }: TraceLine): string {
    const { columns, style } = this.#view;
    const number = `${line}`.padStart(NUMBER_WIDTH);
    const name = fit(`${ARROWS[dir]} ${kind}`, columns - number.length - 1);
    const fate = outcome === "ignored" ? `ignored: ${reason}` : FATES[outcome ?? "mapped"];
    const before = [`${number} ${name}`, fate].filter(Boolean).join("  ");
    if (outcome === "ignored") return style.dim(fit(`${before}  ${text}`, columns));
    const body = fit(text, columns - before.length - 2);
    const colour = outcome === "mapped" && dir !== "err" ? style.cyan : style.red;
    const head = `${style.dim(number)} ${style.bold(colour(name))}`;
    return [head, style.red(fate), style.dim(body)].filter(Boolean).join("  ");
  }

  /** Above events that no line caused: the end of the process, of the input. */
  #noLine(): string {
    const { style } = this.#view;
    return style.dim(`${"·".padStart(NUMBER_WIDTH)}   (no line)`);
  }

  #eventRow(event: UniversalEvent): string {
    const { columns, style, natives } = this.#view;
    const { colour, words, text, tint } = eventRow(event, style, this.#numbers);
    const indent = natives ? `${" ".repeat(NUMBER_WIDTH + 1)}│ ` : "";
    const type = fit(event.type, columns - indent.length);
    const padding = " ".repeat(Math.max(1, TYPE_WIDTH - type.length));
    const room = columns - indent.length - type.length - padding.length;
    const said = fit(words, room);
    const separator = said === "" || text === "" ? "" : "  ";
    const row = `${style.dim(indent)}${colour(type)}${padding}${tint(said)}${separator}`;
    return `${row}${tint(fit(text, room - said.length - separator.length))}`.trimEnd();
  }
}

import type { EventWithSilent, SilentLine, TraceLine } from "../trace.js";

/** How much text may wait for the next event, and how much of one line is kept, in characters. */
const MOST_TEXT = 1 << 20;
const MOST_OF_LINE = 1 << 16;
/** What a line takes beside its text. */
const LINE = 100;

/** The native lines of a session that gave no event: the next event takes them along, into the store. */
export class SilentLines {
  #waiting: SilentLine[] = [];
  #size = 0;
  /** How many were left out, because too many waited. */
  #omitted = 0;

  add(line: SilentLine): void {
    const { text } = line;
    this.#waiting.push(text.length > MOST_OF_LINE ? { ...line, text: `${text.slice(0, MOST_OF_LINE)}…` } : line);
    this.#size += sizeOf(this.#waiting.at(-1));
    while (this.#size > MOST_TEXT) {
      this.#size -= sizeOf(this.#waiting.shift());
      this.#omitted += 1;
    }
  }

  giveTo(event: EventWithSilent): void {
    const [first, ...rest] = this.#waiting;
    if (first === undefined) return;
    event.silent = this.#omitted === 0 ? this.#waiting : [{ ...first, omitted: this.#omitted }, ...rest];
    this.#waiting = [];
    this.#size = 0;
    this.#omitted = 0;
  }
}

function sizeOf(line: SilentLine | undefined): number {
  return line === undefined ? 0 : line.text.length + LINE;
}

/** A line that was read, if it gave no event. What frames the messages of a stream is no word of the agent's. */
export function silentLine({ line, dir, kind, text, outcome, reason, events }: TraceLine): SilentLine | undefined {
  if (line === undefined || dir === undefined || kind === undefined || text === undefined) return undefined;
  if (outcome === undefined || kind === "framing" || events.length > 0) return undefined;
  return {
    line,
    dir,
    kind,
    text: text.replace(/^data: ?(?=\{)/, ""),
    outcome,
    ...(reason !== undefined && { reason }),
  };
}

import type { ItemDeltaData, UniversalEvent } from "../../types/index.js";
import { rawText } from "../packed/raw.js";
import type { Redactor } from "./redact.js";

type Delta = Extract<UniversalEvent, { type: "item.delta" }>;

/**
 * Hides secrets in events. Not in what the agent writes: a message that comes in pieces, and then as a whole, must be
 * the same both times, and only the events show what the pieces are together.
 */
export class Veil {
  readonly #redactor: Redactor;
  /** The last event of a session, where a secret may have begun in it. */
  readonly #held = new Map<string, Delta>();

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  /** The events that may be seen. A delta that may end within a secret waits for the session's next event. */
  pass(events: UniversalEvent[]): UniversalEvent[] {
    return this.#redactor.isIdle ? events : events.flatMap((event) => this.#seen(event));
  }

  #seen(event: UniversalEvent): UniversalEvent[] {
    const redactor = this.#redactor;
    const held = this.#held.get(event.session_id);
    this.#held.delete(event.session_id);
    const seen: UniversalEvent[] = held === undefined ? [] : [held];
    if (event.type === "item.delta" && held !== undefined && goesOn(held.data, event.data)) this.#move(held, event);
    event.data = redactor.value(event.data);
    const text = rawText(event);
    if (text !== null && redactor.text(text) !== text) event.raw = redactor.value(event.raw);
    if (event.type !== "item.delta" || redactor.begun(event.data.delta) === 0) return [...seen, event];
    this.#held.set(event.session_id, event);
    return seen;
  }

  /** What may be the beginning of a secret goes to where it goes on. */
  #move(from: Delta, to: Delta): void {
    const { delta } = from.data;
    const at = delta.length - this.#redactor.begun(delta);
    from.data = { ...from.data, delta: delta.slice(0, at) };
    to.data = { ...to.data, delta: delta.slice(at) + to.data.delta };
  }
}

/** Whether a delta adds to the text that the other one added to. */
function goesOn(before: ItemDeltaData, { item_id, part_type, part_index, replace }: ItemDeltaData): boolean {
  const isSame = before.item_id === item_id && before.part_type === part_type && before.part_index === part_index;
  return isSame && replace !== true;
}

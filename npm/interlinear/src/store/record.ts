// How events lie in a store: JSON text, with the native object apart so that it is only read when asked for. Text and
// never a database's own JSON: what agents write holds `\u0000` and lone surrogates, which those refuse.
import type { UniversalEvent } from "../../types/index.js";

/** An event as it is stored. */
export interface Stored {
  readonly sequence: number;
  /** The event's JSON; its `raw` is null. */
  readonly text: string;
  /** The JSON of the native object, or null if the event has none. */
  readonly raw: string | null;
  /** Whether it ends the session. */
  readonly ended: boolean;
}

export function encode(event: UniversalEvent): Stored {
  const { sequence, raw } = event;
  const none = raw === null || raw === undefined;
  return {
    sequence,
    text: JSON.stringify(none ? event : withoutRaw(event)),
    raw: none ? null : JSON.stringify(raw),
    ended: event.type === "session.ended",
  };
}

export function decode(text: string, raw: string | null = null): UniversalEvent {
  const event = JSON.parse(text) as UniversalEvent;
  if (raw !== null) event.raw = JSON.parse(raw);
  return event;
}

/** The event as it is handed out to those who did not ask for the native object. */
export function withoutRaw(event: UniversalEvent): UniversalEvent {
  return event.raw === null ? event : { ...event, raw: null };
}

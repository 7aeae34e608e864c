// How events lie in a store: JSON text, with the native object apart so that it is only read when asked for. Text and
// never a database's own JSON: what agents write holds `\u0000` and lone surrogates, which those refuse.
import type { UniversalEvent } from "../../types/index.js";
import { rawText } from "../packed/raw.js";
import type { EventWithSilent, SilentLine } from "../trace.js";
import type { ReadOptions } from "./store.js";

/** An event as it is stored. */
export interface Stored {
  readonly sequence: number;
  /** The event's JSON; its `raw` is null. */
  readonly text: string;
  /** The JSON of what is native: `attach` gives it back to the event. Null if there is none. */
  readonly raw: string | null;
  /** Whether it ends the session. */
  readonly ended: boolean;
}

/** What is native of an event, where that is more than an object: stores keep it as they keep an object alone. */
interface WithSilent {
  readonly "interlinear:silent"?: SilentLine[];
  readonly dir?: "in" | "err";
  readonly raw: unknown;
}

export function encode(event: EventWithSilent): Stored {
  return {
    sequence: event.sequence,
    text: JSON.stringify(only(event, {})),
    raw: nativeText(rawText(event), event),
    ended: event.type === "session.ended",
  };
}

/** The event, with what is wanted of the native. */
export function decode(text: string, raw: string | null = null, wanted: Wanted = {}): UniversalEvent {
  const event = JSON.parse(text) as UniversalEvent;
  if (raw !== null && wantsNative(wanted)) attach(event, JSON.parse(raw), wanted);
  return event;
}

/** What of the native a reader wants. */
export type Wanted = Pick<ReadOptions, "includeRaw" | "includeSilent">;

export function wantsNative({ includeRaw = false, includeSilent = false }: Wanted): boolean {
  return includeRaw || includeSilent;
}

/** Gives an event what is wanted of the native. */
export function attach(event: EventWithSilent, native: unknown, { includeRaw, includeSilent }: Wanted): void {
  const { raw, dir, "interlinear:silent": silent = [] }: WithSilent = isWithSilent(native) ? native : { raw: native };
  if (includeRaw) event.raw = raw;
  if (includeSilent && silent.length > 0) event.silent = silent;
  if (includeSilent && dir !== undefined) event.dir = dir;
}

/** The event without what nobody asked for. The native object is not looked at: it would be parsed for nothing. */
export function only(event: EventWithSilent, { includeRaw = false, includeSilent = false }: Wanted): UniversalEvent {
  if (includeRaw && (includeSilent || (event.silent === undefined && event.dir === undefined))) return event;
  const bare: Record<string, unknown> = {};
  for (const key of Object.keys(event) as (keyof EventWithSilent)[]) {
    if (key === "raw") bare[key] = includeRaw ? event[key] : null;
    else if (includeSilent || (key !== "silent" && key !== "dir")) bare[key] = event[key];
  }
  return bare as unknown as UniversalEvent;
}

/** How the text of a native object is kept, with what else is native. */
export function nativeText(raw: string | null, { dir, silent = [] }: Pick<EventWithSilent, "dir" | "silent"> = {}) {
  // An agent may write what looks like ours: it is wrapped, so that it comes back as it was.
  const wrapped = silent.length > 0 || dir !== undefined || raw?.includes('"interlinear:silent"');
  if (!wrapped) return raw;
  const beside = JSON.stringify({ "interlinear:silent": silent, dir });
  return `${beside.slice(0, -1)},"raw":${raw ?? "null"}}`;
}

function isWithSilent(native: unknown): native is WithSilent {
  return typeof native === "object" && native !== null && Object.hasOwn(native, "interlinear:silent");
}

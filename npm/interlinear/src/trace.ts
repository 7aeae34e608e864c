import type { UniversalEvent } from "../types/index.js";

/** A native line with its events beneath it; events that no line caused stand without one. */
export interface TraceLine {
  /** The line's number, over both directions, from 1. */
  line?: number;
  /** `out` for what the agent wrote, `in` for what the host wrote, `err` for standard error. */
  dir?: "out" | "in" | "err";
  /** What kind of line it is. */
  kind?: string;
  /** The line itself. */
  text?: string;
  /** What became of it. */
  outcome?: "mapped" | "ignored" | "unparsed" | "cut";
  /** Why it is ignored. */
  reason?: string;
  /** Its events. */
  events: UniversalEvent[];
}

/** A native line that gave no event. */
export interface SilentLine extends Required<Pick<TraceLine, "line" | "dir" | "kind" | "text" | "outcome">> {
  /** Why it is ignored. */
  reason?: string;
  /** How many lines before it were not kept. */
  omitted?: number;
}

/** An event with what is known of the native lines around it. */
export type EventWithSilent = UniversalEvent & {
  /** The lines before it that gave no event. */
  silent?: SilentLine[];
  /** Which way the line went whose first event this is; absent where the agent wrote it. */
  dir?: "in" | "err";
};

/** The native lines right before an event that gave none, each with the reason: where they were asked for. */
export function silentLines(event: EventWithSilent): readonly SilentLine[] {
  return event.silent ?? [];
}

// The only place that knows how output crosses from the core: another encoding changes these functions and no API.
import type { UniversalEvent } from "../types/index.js";
import type { TraceLine } from "./trace.js";

const utf8 = new TextDecoder();

/** The events of one call. */
export function decodeEvents(output: string | Uint8Array): UniversalEvent[] {
  return decodeArray(output) as UniversalEvent[];
}

/** The lines of one call, each with its events. */
export function decodeTrace(output: string | Uint8Array): TraceLine[] {
  return decodeArray(output) as TraceLine[];
}

/** Events that stand one a line. */
export function decodeLines(lines: Uint8Array): UniversalEvent[] {
  const text = utf8.decode(lines).trim();
  return text === "" ? [] : text.split("\n").map((line) => JSON.parse(line) as UniversalEvent);
}

function decodeArray(output: string | Uint8Array): unknown[] {
  if (output.length === 0) return [];
  return JSON.parse(typeof output === "string" ? output : utf8.decode(output)) as unknown[];
}

import type { Detection } from "../../types/index.js";

/** A number with its noun. */
export function plural(number: number, noun: string): string {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

/** All counts of a record, added up. */
export function count(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, number) => sum + number, 0);
}

/** What a transcript is: `claude 2.1.197, live, recording`. */
export function what(detection: Detection | undefined): string {
  if (detection === undefined) return "nothing that is known";
  const { agent, version, form, recording } = detection;
  return [version === undefined ? agent : `${agent} ${version}`, form, recording && "recording"]
    .filter(Boolean)
    .join(", ");
}

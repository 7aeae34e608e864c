import type { Log } from "./log.js";
import { type NumberList, Numbers } from "./numbers.js";

/** For how long at a time: a frame of the screen is 16 ms. */
const SLICE_MS = 8;

/**
 * The rows, out of some, in whose line or event a text occurs. The page stays smooth meanwhile; what is found by then
 * is handed on now and then.
 */
export async function search(
  log: Log,
  rows: NumberList,
  text: string,
  onFound: (found: Numbers) => void,
  signal: AbortSignal,
): Promise<void> {
  const wanted = text.toLowerCase();
  const found = new Numbers();
  let began = performance.now();
  for (let at = 0; at < rows.length; at += 1) {
    const row = log.row(rows.at(at));
    const where =
      row?.event === undefined ? `${row?.line.kind ?? ""} ${row?.line.text ?? ""}` : JSON.stringify(row.event);
    if (where.toLowerCase().includes(wanted)) found.push(rows.at(at));
    if (performance.now() - began < SLICE_MS) continue;
    onFound(found);
    await new Promise((resolve) => setTimeout(resolve));
    if (signal.aborted) return;
    began = performance.now();
  }
  onFound(found);
}

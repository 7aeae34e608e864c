// Universal events that were saved: what `convert` has written, or the file of a session in a `JsonlStore`.
import { UsageError } from "./failure.js";
import type { Input } from "./input.js";
import { LineSplitter } from "./lines.js";
import { open } from "./read.js";
import { plural } from "./words.js";

/** Whether a line is a universal event: no agent's own line has all of this. */
export function isEvent(line: string): boolean {
  try {
    const value = JSON.parse(line) as Record<string, unknown> | null;
    return ["event_id", "sequence", "session_id", "type", "data"].every((field) => field in Object(value));
  } catch {
    return false;
  }
}

/** Reads saved events, and gives one line on what was read. Where they are still being written, the last is not whole. */
export async function readSaved(input: Input, write: (lines: Uint8Array) => Promise<void>): Promise<string> {
  const splitter = new LineSplitter();
  let read = 0;
  let events = 0;
  const take = async (lines: readonly string[]): Promise<void> => {
    const filled = lines.filter((line, index) => {
      if (isEvent(line)) return true;
      if (line.trim() === "") return false;
      throw new UsageError(`${input.label}: line ${read + index + 1} is no universal event: remove it, or mend it`);
    });
    read += lines.length;
    events += filled.length;
    if (filled.length > 0) await write(Buffer.from(`${filled.join("\n")}\n`));
  };
  for (const file of input.files.slice(0, 1)) {
    for await (const chunk of open(file)) await take([...splitter.push(chunk)]);
  }
  const rest = [...splitter.end()];
  const whole = rest.filter(isEvent);
  await take(whole);
  return `${input.label}: ${plural(events, "universal event")}${whole.length < rest.length ? ", 1 cut off" : ""}`;
}

// A file that no agent wrote: events, as they are exported from here, or something that is no session at all.
import type { UniversalEvent } from "interlinear";
import { type Document, linesOf } from "./document.js";

/** How much of a file tells what it is. */
const HEAD = 4096;

/** Reads events; what is none is refused with the reason that the first bytes give, or else with that of the core. */
export async function readUnknown(
  document: Document,
  file: Blob,
  refusal: unknown,
  signal: AbortSignal | undefined,
): Promise<void> {
  const head = new Uint8Array(await file.slice(0, HEAD).arrayBuffer());
  const text = new TextDecoder().decode(head);
  if (head.length === 0) throw new Error("There is nothing in it.");
  if (text.startsWith("SQLite format 3")) throw database();
  if (head.includes(0)) throw new Error("It is no text. Sessions are JSON, or lines of JSON.");
  if (!/^\s*\{"event_id":"/.test(text)) throw refusal;
  await readEvents(document, file, signal);
  document.set({ status: "done" });
}

function database(): Error {
  const cure =
    "Export a session (opencode export SESSION > session.json), or read it on the command line: interlinear show FILE.";
  return Object.assign(new Error("It is a database. OpenCode keeps its sessions in one."), { cure });
}

/** Events that stand one a line, a piece of the file at a time: the page stays smooth. */
async function readEvents(document: Document, file: Blob, signal: AbortSignal | undefined): Promise<void> {
  const decoder = new TextDecoder();
  let read = 0;
  let rest = "";
  for await (const bytes of chunks(file)) {
    signal?.throwIfAborted();
    read += bytes.length;
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    add(document, lines);
    document.set({ progress: { read, total: file.size } });
  }
  add(document, [rest]);
}

function add(document: Document, lines: readonly string[]): void {
  const events = lines.filter((line) => line.trim() !== "").map(eventOf);
  if (events.length > 0) document.add(linesOf(events, document.log.counts.lines));
}

function eventOf(line: string): UniversalEvent {
  const event = JSON.parse(line) as Partial<UniversalEvent>;
  if (typeof event.sequence === "number" && typeof event.data === "object") return event as UniversalEvent;
  throw new Error(`This line is no event: ${line.slice(0, 200)}`);
}

async function* chunks(file: Blob): AsyncGenerator<Uint8Array> {
  const reader = file.stream().getReader();
  for (let step = await reader.read(); !step.done; step = await reader.read()) yield step.value;
}

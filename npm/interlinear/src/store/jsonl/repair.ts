// What a crash may have left is put right before a session is written again: a torn last line is cut off (and kept
// aside), and the side files end where the transcript ends. A crash tears nothing before that: other damage is refused.
import { appendFile, type FileHandle, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openIfThere, readLines } from "./lines.js";
import type { Paths } from "./names.js";
import { beginning, distance, encodePlaces, type Place, readPlaces } from "./offsets.js";
import { damagedTranscript, eventOf, nativeLine } from "./reader.js";

/** Where writing goes on. */
export interface Tail {
  /** The place of the next event. */
  readonly end: Place;
  /** The last place in the index, in bytes of the transcript. */
  readonly indexed: number;
}

export async function repair(paths: Paths): Promise<Tail> {
  const { end, places } = await repairEvents(paths);
  await writeFile(paths.index, encodePlaces(places.slice(1)), { mode: 0o600 });
  const raw = await repairRaw(paths, places.at(-1)?.raw ?? 0, end.sequence - 1);
  return { end: { ...end, raw }, indexed: places.at(-1)?.events ?? 0 };
}

/** A transcript that is not there yet is not made: what is beside it comes first. */
async function repairEvents(paths: Paths): Promise<{ end: Place; places: Place[] }> {
  const events = await openIfThere(paths.events, "r+");
  if (events === undefined) return { end: beginning, places: [beginning] };
  try {
    const { size } = await events.stat();
    const found = await scan(events, await readPlaces(paths.index));
    const { sequence, events: from } = found.end;
    if (!(await isLast(events, from, size))) throw damagedTranscript(paths.events, sequence);
    if (from < size) await cut(events, from, size, paths);
    return found;
  } finally {
    await events.close();
  }
}

/** Finds the end of what is whole, from the last place of the index that is true. */
async function scan(events: FileHandle, known: readonly Place[]): Promise<{ end: Place; places: Place[] }> {
  for (let count = known.length; ; count -= 1) {
    const places = known.slice(0, count);
    const from = places.at(-1) as Place;
    const end = await wholeUntil(events, from, places);
    if (end.sequence > from.sequence || count === 1) return { end, places };
  }
}

/** Reads on while each line is the event that must come; adds places to the index on the way. */
async function wholeUntil(events: FileHandle, from: Place, places: Place[]): Promise<Place> {
  let { sequence, events: at } = from;
  let last = from.events;
  for await (const lines of readLines(events, at)) {
    for (const line of lines) {
      if (eventOf(line)?.sequence !== sequence) return { sequence, events: at, raw: from.raw };
      if (at - last >= distance) {
        places.push({ sequence, events: at, raw: from.raw });
        last = at;
      }
      sequence += 1;
      at += line.length + 1;
    }
  }
  return { sequence, events: at, raw: from.raw };
}

/** Whether nothing comes after the line that begins here. */
async function isLast(events: FileHandle, from: number, size: number): Promise<boolean> {
  for await (const [line] of readLines(events, from)) return from + (line?.length ?? 0) + 1 === size;
  return true;
}

/** Cuts the end off; what is cut is kept. */
async function cut(events: FileHandle, from: number, size: number, paths: Paths): Promise<void> {
  const bytes = Buffer.alloc(size - from);
  await events.read(bytes, 0, bytes.length, from);
  await appendFile(join(paths.side, "torn"), Buffer.concat([bytes, Buffer.from("\n")]), { mode: 0o600 });
  await events.truncate(from);
}

/** Native objects of events that were never written are cut off. Gives the new end. */
async function repairRaw(paths: Paths, from: number, lastSequence: number): Promise<number> {
  const file = await openIfThere(paths.raw, "r+");
  if (file === undefined) return 0;
  try {
    let at = Math.min(from, (await file.stat()).size);
    for await (const lines of readLines(file, at)) {
      for (const line of lines) {
        const range = nativeLine(line);
        if (range === undefined || range.to > lastSequence) return await shorten(file, at, line, range, lastSequence);
        at += line.length + 1;
      }
    }
    await file.truncate(at);
    return at;
  } finally {
    await file.close();
  }
}

/** The first line that says too much; a part of it may be true. */
async function shorten(
  file: FileHandle,
  at: number,
  line: Buffer,
  range: { from: number; to: number } | undefined,
  lastSequence: number,
): Promise<number> {
  await file.truncate(at);
  if (range === undefined || range.from > lastSequence) return at;
  const text = line.toString().replace(/^(\{"from":\d+,"to":)\d+/, `$1${lastSequence}`);
  const bytes = Buffer.from(`${text}\n`);
  await file.write(bytes, 0, bytes.length, at);
  return at + bytes.length;
}

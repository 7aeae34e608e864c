// The index of a session: where which event begins, every 64 KB or so. It only saves reading: what it says is checked
// against the transcript, and without it the transcript is read from its beginning.
import { readFile } from "node:fs/promises";
import { codeOf } from "../../errors.js";

/** A place in the files of a session. */
export interface Place {
  /** The event that begins here. */
  readonly sequence: number;
  /** Where its line begins in the transcript. */
  readonly events: number;
  /** Where to look for its native object; it may be later in that file, not earlier. */
  readonly raw: number;
}

/** How far apart the places are, in bytes of the transcript. */
export const distance = 64 * 1024;

export const beginning: Place = { sequence: 1, events: 0, raw: 0 };

const size = 24;

export function encodePlaces(places: readonly Place[]): Buffer {
  const bytes = Buffer.alloc(places.length * size);
  for (const [index, { sequence, events, raw }] of places.entries()) {
    bytes.writeDoubleLE(sequence, index * size);
    bytes.writeDoubleLE(events, index * size + 8);
    bytes.writeDoubleLE(raw, index * size + 16);
  }
  return bytes;
}

/** All places of an index, the beginning first. */
export async function readPlaces(path: string): Promise<Place[]> {
  const bytes = await readFile(path).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return Buffer.alloc(0);
    throw error;
  });
  const places = [beginning];
  for (let at = 0; at + size <= bytes.length; at += size) {
    const [sequence, events, raw] = [bytes.readDoubleLE(at), bytes.readDoubleLE(at + 8), bytes.readDoubleLE(at + 16)];
    places.push({ sequence, events, raw });
  }
  return places;
}

/** The last place at or before an event. */
export function placeOf(places: readonly Place[], sequence: number): Place {
  return places.findLast((place) => place.sequence <= sequence) ?? beginning;
}

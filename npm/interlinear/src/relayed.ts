// What `relay` gave, known again by those who keep it: which events its lines are need not be read from them.

/** The events whose lines some bytes are. */
export interface Relayed {
  readonly sessionId: string;
  /** The sequence of the first one; the others follow without a hole. */
  readonly first: number;
  /** How many there are. */
  readonly count: number;
  /** Whether they carry native objects. */
  readonly includeRaw: boolean;
}

const known = new WeakMap<Uint8Array, Relayed>();

/** Notes what the bytes are. */
export function noteRelayed(lines: Uint8Array, what: Relayed): Uint8Array {
  known.set(lines, what);
  return lines;
}

/** What the bytes are, if `relay` of a session gave them as they are. */
export function relayedBy(lines: Uint8Array): Relayed | undefined {
  return known.get(lines);
}

const encoder = new TextEncoder();

/** What the core reads: bytes. */
export function toBytes(input: string | Uint8Array): Uint8Array {
  return typeof input === "string" ? encoder.encode(input) : input;
}

/** So much is handed in at once: little enough that the memory of WebAssembly, which never shrinks, stays small. */
export const SLICE = 64 * 1024;
const newline = 10;

/** The bytes in slices, of whole lines where these are not too long; one, empty, if there are none. */
export function* slices(bytes: Uint8Array): Generator<Uint8Array> {
  let start = 0;
  do {
    const piece = bytes.subarray(start, start + SLICE);
    const lines = start + SLICE < bytes.length ? piece.lastIndexOf(newline) + 1 : 0;
    yield lines > 0 ? piece.subarray(0, lines) : piece;
    start += lines > 0 ? lines : SLICE;
  } while (start < bytes.length);
}

/** The pieces as one. */
export function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const [only] = pieces;
  if (only !== undefined && pieces.length === 1) return only;
  const whole = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

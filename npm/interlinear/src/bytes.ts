import { InterlinearError } from "./errors.js";

const encoder = new TextEncoder();

/** What the core reads: bytes. Those of another frame or context (an iframe, a test runner's) are bytes too. */
export function toBytes(input: string | Uint8Array): Uint8Array {
  if (typeof input === "string") return encoder.encode(input);
  const kind = Object.prototype.toString.call(input).slice("[object ".length, -1);
  if (kind === "Uint8Array") return input;
  throw new InterlinearError("bad_input", `text or bytes are expected, not ${kind}`);
}

/** So much is handed in at once: little enough that the memory of WebAssembly, which never shrinks, stays small. */
const SLICE = 64 * 1024;
const newline = 10;

/** Whether the bytes are handed in at once. Somewhat more than a slice is: a small rest is not worth a second call. */
export function isOneSlice(bytes: Uint8Array): boolean {
  return bytes.length <= 2 * SLICE;
}

/** The bytes in slices, of whole lines where these are not too long; one, empty, if there are none. */
export function* slices(bytes: Uint8Array): Generator<Uint8Array> {
  let rest = bytes;
  while (!isOneSlice(rest)) {
    const lines = rest.subarray(0, SLICE).lastIndexOf(newline) + 1;
    const length = lines > 0 ? lines : SLICE;
    yield rest.subarray(0, length);
    rest = rest.subarray(length);
  }
  yield rest;
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

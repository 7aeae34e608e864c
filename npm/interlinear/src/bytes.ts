const encoder = new TextEncoder();

/** What the core reads: bytes. */
export function toBytes(input: string | Uint8Array): Uint8Array {
  return typeof input === "string" ? encoder.encode(input) : input;
}

// Small enough that the memory of the WebAssembly module, which never shrinks, stays small.
const slice = 64 * 1024;

/** The bytes in slices; one, empty, if there are none. */
export function* slices(bytes: Uint8Array): Generator<Uint8Array> {
  let start = 0;
  do {
    yield bytes.subarray(start, start + slice);
    start += slice;
  } while (start < bytes.length);
}

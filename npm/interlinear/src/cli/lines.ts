const NEWLINE = 10;

/** Chunks of bytes → whole lines of text, without their ends. The last one needs no end. */
export class LineSplitter {
  #rest: Uint8Array[] = [];

  /** The lines that a chunk completes. */
  *push(chunk: Uint8Array): Generator<string> {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      yield this.#take(chunk.subarray(from, at));
      from = at + 1;
    }
    // A copy: the caller may use its chunk again.
    if (from < chunk.length) this.#rest.push(chunk.slice(from));
  }

  /** What came after the last line's end. */
  *end(): Generator<string> {
    if (this.#rest.length > 0) yield this.#take(new Uint8Array());
  }

  #take(last: Uint8Array): string {
    const whole = this.#rest.length === 0 ? last : Buffer.concat([...this.#rest, last]);
    this.#rest = [];
    return Buffer.from(whole.buffer, whole.byteOffset, whole.length).toString("utf8").replace(/\r$/, "");
  }
}

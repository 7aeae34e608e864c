/** Numbers to be read, in order. */
export interface NumberList {
  readonly length: number;
  at(index: number): number;
}

/** A list of small numbers that grows: four bytes each, however many there are. */
export class Numbers implements NumberList {
  #values = new Uint32Array(1024);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    if (this.#length === this.#values.length) {
      const values = new Uint32Array(this.#length * 2);
      values.set(this.#values);
      this.#values = values;
    }
    this.#values[this.#length] = value;
    this.#length += 1;
  }

  at(index: number): number {
    return index < this.#length ? (this.#values[index] ?? 0) : 0;
  }
}

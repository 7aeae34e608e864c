/**
 * The heights of many rows, of which sums are asked for all the time: a Fenwick tree. Measured heights are remembered
 * by the row's key, so that rows may move.
 */
export class Heights {
  readonly #estimate: (index: number) => number;
  readonly #measured = new Map<string, number>();
  #keys: readonly string[] = [];
  #heights = new Float64Array(1024);
  #tree = new Float64Array(1025);

  constructor(estimate: (index: number) => number) {
    this.#estimate = estimate;
  }

  get count(): number {
    return this.#keys.length;
  }

  /** The height of all rows. */
  get total(): number {
    return this.offset(this.count);
  }

  /** Takes over the rows of now. Rows at the end cost little; rows in between cost a walk over all. */
  setKeys(keys: readonly string[]): void {
    const before = this.#keys;
    if (keys === before) return;
    const from = commonStart(before, keys);
    this.#keys = keys;
    this.#reserve(keys.length);
    for (let index = from; index < keys.length; index += 1) {
      this.#heights[index] = this.#measured.get(keys[index] ?? "") ?? this.#estimate(index);
    }
    if (from < before.length) this.#rebuild();
    else for (let index = from; index < keys.length; index += 1) this.#append(index);
  }

  /** A row was measured. Gives by how much that differs. */
  measure(index: number, height: number): number {
    const key = this.#keys[index];
    if (key === undefined) return 0;
    this.#measured.set(key, height);
    const difference = height - (this.#heights[index] ?? 0);
    if (difference === 0) return 0;
    this.#heights[index] = height;
    for (let at = index + 1; at <= this.count; at += at & -at) this.#tree[at] = (this.#tree[at] ?? 0) + difference;
    return difference;
  }

  /** Where a row begins. */
  offset(index: number): number {
    let sum = 0;
    for (let at = Math.min(index, this.count); at > 0; at -= at & -at) sum += this.#tree[at] ?? 0;
    return sum;
  }

  /** The row at a place; the last one if it lies below all. */
  at(offset: number): number {
    let index = 0;
    let rest = offset;
    for (let step = highestBit(this.count); step > 0; step >>= 1) {
      const next = index + step;
      const height = this.#tree[next] ?? 0;
      if (next <= this.count && height <= rest) {
        index = next;
        rest -= height;
      }
    }
    return Math.max(0, Math.min(index, this.count - 1));
  }

  #reserve(count: number): void {
    if (count <= this.#heights.length) return;
    const size = Math.max(count, this.#heights.length * 2);
    const heights = new Float64Array(size);
    heights.set(this.#heights);
    this.#heights = heights;
    const tree = new Float64Array(size + 1);
    tree.set(this.#tree);
    this.#tree = tree;
  }

  #rebuild(): void {
    this.#tree.fill(0);
    for (let index = 0; index < this.count; index += 1) this.#append(index);
  }

  /** A node holds the sum of the rows that its lowest bit spans, which are there when it is appended. */
  #append(index: number): void {
    const at = index + 1;
    let sum = this.#heights[index] ?? 0;
    for (let below = at - 1, end = at - (at & -at); below > end; below -= below & -below) {
      sum += this.#tree[below] ?? 0;
    }
    this.#tree[at] = sum;
  }
}

function commonStart(a: readonly string[], b: readonly string[]): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) if (a[index] !== b[index]) return index;
  return length;
}

function highestBit(value: number): number {
  return value === 0 ? 0 : 2 ** Math.floor(Math.log2(value));
}

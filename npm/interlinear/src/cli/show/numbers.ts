/**
 * Short names for the items that are open, so that the eye finds what a delta belongs to. An item that is completed
 * is forgotten, and its number is not given again: the list is as short as what is open.
 */
export class ItemNumbers {
  readonly #open = new Map<string, number>();
  #next = 1;

  /** The name of an item. */
  of(id: string): string {
    let number = this.#open.get(id);
    if (number === undefined) {
      number = this.#next;
      this.#next += 1;
      this.#open.set(id, number);
    }
    return `#${number}`;
  }

  /** The name of an item that is not heard of again. */
  last(id: string): string {
    const name = this.of(id);
    this.#open.delete(id);
    return name;
  }
}

/** How long nothing is shown: what is done sooner needs no bar. */
const QUIET_MS = 1000;
const STEP_MS = 100;
const WIDTH = 30;

/** A bar on standard error, if it takes long and someone is there to see it. */
export class Progress {
  readonly #began = Date.now();
  readonly #label: string;
  readonly #total: number | undefined;
  /** Where events go to the same terminal, they are progress enough. */
  readonly #visible = process.stderr.isTTY === true && process.stdout.isTTY !== true;
  #done = 0;
  #shownAt = 0;

  /** `total` in bytes, where it is known. */
  constructor(label: string, total: number | undefined) {
    this.#label = label;
    this.#total = total;
  }

  /** So many bytes more were read. */
  add(bytes: number): void {
    this.#done += bytes;
    if (!this.#visible) return;
    const now = Date.now();
    if (now - this.#began < QUIET_MS || now - this.#shownAt < STEP_MS) return;
    this.#shownAt = now;
    process.stderr.write(`\r\u001b[K${this.#bar((now - this.#began) / 1000)}`);
  }

  /** Takes the bar away. */
  end(): void {
    if (this.#shownAt > 0) process.stderr.write("\r\u001b[K");
  }

  #bar(seconds: number): string {
    const read = `${(this.#done / 1e6).toFixed(0)} MB, ${(this.#done / 1e6 / seconds).toFixed(0)} MB/s`;
    if (this.#total === undefined || this.#total === 0) return `${this.#label}: ${read}`;
    const part = Math.min(1, this.#done / this.#total);
    const full = Math.round(part * WIDTH);
    const bar = "█".repeat(full) + "░".repeat(WIDTH - full);
    return `${bar} ${(part * 100).toFixed(0).padStart(3)} %  ${read}`;
  }
}

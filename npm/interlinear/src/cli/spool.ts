import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Keeps what came through a pipe in a temporary file, for the one case in which it must be read again: a stored
 * session, which is not in the order of its conversation.
 */
export class Spool {
  #waiting: Uint8Array[] | undefined = [];
  #folder = "";
  #file: number | undefined;

  /** Whether it is known already if the bytes will be needed again. */
  get decided(): boolean {
    return this.#waiting === undefined;
  }

  /** Keeps a chunk. */
  push(chunk: Uint8Array): void {
    if (this.#file !== undefined) writeSync(this.#file, chunk);
    else this.#waiting?.push(chunk);
  }

  /** It is known now whether the bytes will be needed again. */
  decide(needed: boolean): void {
    const waiting = this.#waiting ?? [];
    if (needed && !this.decided) {
      this.#folder = mkdtempSync(join(tmpdir(), "interlinear-"));
      this.#file = openSync(join(this.#folder, "spool"), "w+");
      // Where the system allows it the name goes at once, so that nothing is left behind however the process ends.
      if (process.platform !== "win32") rmSync(this.#folder, { recursive: true });
      for (const chunk of waiting) writeSync(this.#file, chunk);
    }
    this.#waiting = undefined;
  }

  /** The file in which all bytes are. */
  get file(): number | undefined {
    this.decide(true);
    return this.#file;
  }

  /** Removes the file. */
  remove(): void {
    if (this.#file === undefined) return;
    closeSync(this.#file);
    this.#file = undefined;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

import { once } from "node:events";
import { EXIT } from "./failure.js";

/** Writes to standard output; waits when the reader is slower than we are. */
export async function write(text: string | Uint8Array): Promise<void> {
  if (text.length > 0 && !process.stdout.write(text)) await once(process.stdout, "drain");
}

/** Writes a line to standard error. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** A reader that has seen enough (`| head -1`) ends the process, quietly. */
export function endQuietlyOnBrokenPipe(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EPIPE") process.exit(EXIT.ok);
      throw error;
    });
  }
}

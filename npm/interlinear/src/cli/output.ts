import { once } from "node:events";
import { codeOf } from "../errors.js";
import { EXIT } from "./failure.js";

/** Writes to standard output; waits when the reader is slower than we are. */
export async function write(text: string | Uint8Array): Promise<void> {
  if (text.length > 0 && !process.stdout.write(text)) await once(process.stdout, "drain");
}

/** Writes a line to standard error. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** A reader that has seen enough (`| head -1`) ends the process, quietly; one that cannot take more, with the reason. */
export function endWithTheReader(): void {
  process.stderr.on("error", (error) => process.exit(isEnough(error) ? EXIT.ok : EXIT.usage));
  process.stdout.on("error", (error) => {
    if (isEnough(error)) process.exit(EXIT.ok);
    note(`interlinear: standard output cannot be written: ${error.message}\nMake room, or write it somewhere else`);
    process.exit(EXIT.usage);
  });
}

const isEnough = (error: Error) => codeOf(error) === "EPIPE";

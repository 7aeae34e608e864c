// Outlives the host by a moment: when the host is gone, however it went, nothing that it started stays behind.
// It is told the groups that run; the host's end closes the pipe.
import { rmSync } from "node:fs";
import { createInterface } from "node:readline";
import { marked, signal } from "./tree.js";

const [mark = "", folder = ""] = process.argv.slice(2);
const groups = new Set<number>();
/** How often it is looked for what was started in the meantime. */
const ROUNDS = 20;
const PAUSE_MS = 50;

// What ends the host must not end this first.
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, () => {});

createInterface({ input: process.stdin })
  .on("line", (line) => {
    const group = Number(line.slice(1));
    if (line.startsWith("+")) groups.add(group);
    else groups.delete(group);
  })
  .on("close", () => sweep(ROUNDS));

/** Ends what is left, until nothing is. */
function sweep(rounds: number): void {
  const left = mark === "" ? [] : marked(mark);
  for (const group of groups) if (!signal(-group, "SIGKILL")) groups.delete(group);
  for (const pid of left) signal(pid, "SIGKILL");
  if (rounds > 0 && (left.length > 0 || groups.size > 0)) setTimeout(() => sweep(rounds - 1), PAUSE_MS);
  else {
    if (folder !== "") rmSync(folder, { recursive: true, force: true });
    process.exit(0);
  }
}

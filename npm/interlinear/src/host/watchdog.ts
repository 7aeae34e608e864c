import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** A small process that ends everything a host has started when the host itself is killed. */
export class Watchdog {
  /** What the marks of all processes of this host begin with. */
  readonly mark = randomBytes(9).toString("hex");
  /** A folder that goes with the host. Made by whoever puts something there, for this user only. */
  readonly folder = join(tmpdir(), `interlinear-${this.mark}`);
  #child: ChildProcess | undefined;
  #number = 0;

  /** A mark for one more process; the watch begins with the first. */
  next(): string {
    this.#child ??= this.#start();
    this.#number += 1;
    return `${this.mark}.${this.#number}.`;
  }

  /** A group runs, or is gone. */
  tell(group: number, runs: boolean): void {
    this.#child?.stdin?.write(`${runs ? "+" : "-"}${group}\n`);
  }

  /** The host closes: the watchdog ends what is left, and goes. */
  async close(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.ref();
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.stdin?.end();
    await gone;
  }

  #start(): ChildProcess {
    const program = fileURLToPath(new URL("watchdog-main.js", import.meta.url));
    const child = spawn(process.execPath, [program, this.mark, this.folder], {
      // A session of its own: what a terminal sends to the host's group does not reach it.
      detached: true,
      stdio: ["pipe", "ignore", "ignore"],
      cwd: "/",
      env: {},
    });
    // Without it the host still ends its agents when it closes, or when its process ends by itself.
    child.on("error", () => {});
    child.stdin?.on("error", () => {});
    child.unref();
    (child.stdin as unknown as { unref?(): void } | null)?.unref?.();
    return child;
  }
}

// Which processes run for a test: they carry its mark in their environment, and so does everything that they start.
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

/** The variable that carries the mark. */
export const MARK = "INTERLINEAR_AGENT_TEST";

/** Every process with this mark, but those that only wait to be reaped: its number and command line. */
export function running(mark) {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((name) => {
      try {
        const environment = readFileSync(`/proc/${name}/environ`, "latin1").split("\0");
        if (!environment.includes(`${MARK}=${mark}`)) return [];
        const [, state] = /\) (\S)/.exec(readFileSync(`/proc/${name}/stat`, "latin1"));
        const command = readFileSync(`/proc/${name}/cmdline`, "latin1").replaceAll("\0", " ").trim();
        return state === "Z" ? [] : [{ pid: Number(name), command }];
      } catch {
        return []; // gone in the meantime
      }
    });
}

/** Waits until a condition holds; the last value tells why it did not. */
export async function until(what, condition, ms = 10_000) {
  for (const end = Date.now() + ms; ; await pause(50)) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > end) throw new Error(`${what}: not within ${ms} ms`);
  }
}

/** Waits until nothing runs with this mark. */
export async function nothingLeft(mark, ms = 10_000) {
  const end = Date.now() + ms;
  let left = running(mark);
  while (left.length > 0 && Date.now() < end) {
    await pause(50);
    left = running(mark);
  }
  return left;
}

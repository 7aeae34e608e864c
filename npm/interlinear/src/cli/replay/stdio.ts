import { LineSplitter } from "../lines.js";
import { note, write } from "../output.js";
import type { Address, ReplayOptions } from "./replay.js";
import { Replay } from "./replay.js";

/** Plays an agent that talks by standard input and output. Gives no answer: the process ends as the recorded one did. */
export async function playOnStdio(
  options: Pick<ReplayOptions, "records" | "dialect" | "speed" | "verbose" | "take">,
): Promise<never> {
  const replay = new Replay({ ...options, say, exit: endProcess });
  endOnSignals(replay);
  const splitter = new LineSplitter();
  for await (const chunk of process.stdin) {
    for (const line of splitter.push(chunk)) hear(replay, line);
  }
  for (const line of splitter.end()) hear(replay, line);
  await replay.close();
  throw new Error("the process goes on after its end");
}

function hear(replay: Replay, line: string): void {
  if (line.trim() !== "") replay.hear(line);
}

async function say(line: string, { channel, partial }: Address): Promise<void> {
  const text = partial ? line : `${line}\n`;
  if (channel === "stderr") process.stderr.write(text);
  else await write(text);
}

/** Ends the process as the recorded one ended: once all is written. */
export async function endProcess({
  code,
  signal,
}: {
  code?: number | null;
  signal?: NodeJS.Signals | null;
}): Promise<void> {
  await new Promise<void>((resolve) => process.stdout.write("", () => resolve()));
  if (signal == null) process.exit(code ?? 0);
  process.kill(process.pid, signal);
  // It takes a moment; nothing more must be said.
  await new Promise(() => undefined);
}

/** What the agent said when it was told to end stands in the recording, where it was; else it says nothing. */
export function endOnSignals(replay: Replay): void {
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    process.once(signal, () => {
      if (!replay.endedBySignal) {
        process.kill(process.pid, signal);
        return;
      }
      replay.hurry();
      replay.close().catch((error: Error) => note(error.message));
    });
  }
}

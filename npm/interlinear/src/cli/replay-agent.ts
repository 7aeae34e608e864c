import { randomInt } from "node:crypto";
import type { Command } from "./command.js";
import { EXIT, UsageError } from "./failure.js";
import { write } from "./output.js";
import { dialectOf, isServer } from "./replay/dialects.js";
import { readRecording } from "./replay/recording.js";
import { playServer } from "./replay/server.js";
import { playOnStdio } from "./replay/stdio.js";

export const replayAgent: Command = {
  usage: "[options] RECORDING [-- ARGUMENT...]",
  summary: "Plays an agent from a recording of both directions: for trying a UI without an agent.",
  details: `It says what the agent said, at the same pace, and waits where the host spoke: a prompt for a prompt, whatever it
says; an answer for the answer to the same request. Identifiers that the host chose are used in the answers. Where
the recording has no place for what the host says, standard error tells so. Codex's app server and OpenCode's HTTP server
play a conversation for each one that the host begins. It ends as the recorded process did.

The arguments are those that the host gives to the agent; all but --version, --resume and a server's --port and --hostname
are ignored.
To put it in an agent's place: { command: ["interlinear", "replay-agent", "recording.jsonl", "--"] }`,
  options: {
    speed: { type: "string", value: "N", help: "N times as fast as it was recorded; max: without waiting" },
    verbose: { type: "boolean", help: "say on standard error what it waits for" },
  },
  async run(options) {
    const [path, ...args] = options.paths;
    if (path === undefined) throw new UsageError("which recording?\nSee interlinear replay-agent --help");
    const speed = speedOf(options.get("speed") ?? "1");
    const recording = await readRecording(path);
    if (args.includes("--version")) {
      await write(`${recording.version ?? "recording"}\n`);
      return EXIT.ok;
    }
    const settings = {
      records: recording.records,
      dialect: dialectOf(recording),
      speed,
      verbose: options.has("verbose"),
      // The processes of a session know nothing of each other.
      take: args.includes("--resume") ? randomInt(1, 0x10000) : 0,
    };
    return isServer(recording) ? playServer(settings, args) : playOnStdio(settings);
  },
};

function speedOf(text: string): number {
  if (text === "max") return Number.POSITIVE_INFINITY;
  const speed = Number(text);
  if (speed > 0) return speed;
  throw new UsageError(`--speed ${text}: it takes a number above 0, or max`);
}

import type { ConvertOptions } from "../transcript.js";
import type { Command } from "./command.js";
import { convertOptions, INPUTS, READING } from "./command.js";
import { writeDocument } from "./document.js";
import { eachInput, nameOf } from "./each.js";
import { isCalledBeside, lookAt, outputsFor, readRuns, type Write } from "./exchange.js";
import { EXIT, UsageError } from "./failure.js";
import type { Input } from "./input.js";
import { note } from "./output.js";
import type { Reading } from "./read.js";
import { readTranscript } from "./read.js";
import { readSaved } from "./saved.js";
import { count, plural, what } from "./words.js";

export const convert: Command = {
  usage: "[options] [FILE|FOLDER|-]...",
  summary: "Converts transcripts to universal events, one JSON object a line, or to a document, on standard output.",
  details: `${INPUTS}
Exchange transcripts and universal events that were saved are read too.

What was read is summed up on standard error.`,
  options: {
    ...READING,
    raw: { type: "boolean", help: "put into each event the native object that caused it" },
    to: {
      type: "string",
      choices: ["universal", "exchange", "markdown", "html"],
      help: "universal events (the default), exchange events, or a document to read",
    },
    out: { type: "string", value: "FOLDER", help: "with --to exchange: a file for each run, in this folder" },
    quiet: { type: "boolean", short: "q", help: "no summary" },
  },
  async run(options) {
    const settings = convertOptions(options);
    const [to, out] = [options.get("to"), options.get("out")];
    if (out !== undefined && to !== "exchange") throw new UsageError("--out goes with --to exchange only");
    if (to === "markdown" || to === "html") return writeDocument(to, options.paths, settings);
    const say = (summary: string) => {
      if (!options.has("quiet")) note(summary);
    };
    const open = await outputsFor(to, out);
    return eachInput(options.paths, async (found) => {
      const { input: seen, kind } = await lookAt(found, settings);
      // Files of runs are named after their session: what is converted by another call is another one.
      const input = out === undefined || kind !== "native" ? seen : { sessionId: nameOf(seen), ...seen };
      if (kind === "exchange" && (await isCalledBeside(input))) return EXIT.ok;
      const output = open();
      const write: Write = (lines) => output.write(lines);
      try {
        const summary = await readInto[kind](input, settings, write);
        await output.end();
        say(summary);
      } catch (error) {
        await output.drop();
        throw error;
      }
      return EXIT.ok;
    });
  },
};

/** Each writes the events of an input, one a line, and gives one line on what was read. */
const readInto = {
  native: readNative,
  exchange: readRuns,
  universal: (input: Input, _: ConvertOptions, write: Write) => readSaved(input, write),
};

async function readNative(input: Input, settings: ConvertOptions, write: Write): Promise<string> {
  const pieces = readTranscript("ndjson", input, settings);
  for (;;) {
    const { done, value } = await pieces.next();
    if (done) return summaryOf(input, value);
    await write(value);
  }
}

/** One line on what was read. */
function summaryOf(input: Input, { detection, stats }: Reading): string {
  const ignored = stats.kinds.reduce((sum, kind) => sum + count(kind.ignored), 0);
  const parts = [
    `${plural(stats.lines, "line")} → ${plural(count(stats.events), "event")}`,
    ignored > 0 && `${ignored} ignored`,
    stats.cut > 0 && `${stats.cut} cut off`,
    stats.unparsed > 0 && `${stats.unparsed} unparsed`,
    stats.drift.length > 0 && `${plural(stats.drift.length, "thing")} unknown (see interlinear doctor)`,
  ];
  return `${input.label}: ${what(detection)}: ${parts.filter(Boolean).join(", ")}`;
}

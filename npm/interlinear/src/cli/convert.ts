import type { Command } from "./command.js";
import { convertOptions, INPUTS, READING } from "./command.js";
import { writeDocument } from "./document.js";
import { eachInput } from "./each.js";
import { EXIT } from "./failure.js";
import type { Input } from "./input.js";
import { note, write } from "./output.js";
import type { Reading } from "./read.js";
import { readTranscript } from "./read.js";
import { count, plural, what } from "./words.js";

export const convert: Command = {
  usage: "[options] [FILE|FOLDER|-]...",
  summary: "Converts transcripts to universal events, one JSON object a line, or to a document, on standard output.",
  details: `${INPUTS}

What was read is summed up on standard error.`,
  options: {
    ...READING,
    raw: { type: "boolean", help: "put into each event the native object that caused it" },
    to: {
      type: "string",
      choices: ["universal", "markdown", "html"],
      help: "universal events (the default), or a document to read; html is one file that needs nothing else",
    },
    quiet: { type: "boolean", short: "q", help: "no summary" },
  },
  async run(options) {
    const settings = convertOptions(options);
    const to = options.get("to");
    if (to === "markdown" || to === "html") return writeDocument(to, options.paths, settings);
    return eachInput(options.paths, async (input) => {
      const pieces = readTranscript("ndjson", input, settings);
      for (;;) {
        const { done, value } = await pieces.next();
        if (!done) {
          await write(value);
          continue;
        }
        if (!options.has("quiet")) note(summaryOf(input, value));
        return EXIT.ok;
      }
    });
  },
};

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

import type { Command, Options } from "./command.js";
import { convertOptions, INPUTS, READING } from "./command.js";
import { eachInput } from "./each.js";
import { EXIT, UsageError } from "./failure.js";
import { write } from "./output.js";
import { readTranscript } from "./read.js";
import type { View } from "./show/render.js";
import { Renderer } from "./show/render.js";
import { styleFor, wantsColour } from "./show/style.js";

/** The width where there is no terminal to ask. */
const COLUMNS = 120;

export const show: Command = {
  usage: "[options] [FILE|FOLDER|-]...",
  summary: "Shows each native line with its events beneath it; on a pipe, as the lines arrive.",
  details: `${INPUTS}

  claude -p --verbose --output-format stream-json "fix the failing test" | interlinear show

Colours: on a terminal, unless NO_COLOR is set; FORCE_COLOR=1 for any output.`,
  options: {
    ...READING,
    "events-only": { type: "boolean", short: "e", help: "leave the native lines out" },
    lines: {
      type: "string",
      choices: ["all", "mapped"],
      help: "all lines (the default), or only those that became events",
    },
    width: { type: "string", short: "w", value: "COLUMNS", help: "shorten to this width in place of the terminal's" },
  },
  async run(options) {
    const settings = convertOptions(options);
    const view = viewFor(options);
    return eachInput(options.paths, async (input, several) => {
      if (several) await write(`${view.style.bold(input.label)}\n`);
      const renderer = new Renderer(view);
      for await (const lines of readTranscript("trace", input, settings)) {
        await write(lines.map((line) => renderer.render(line)).join(""));
      }
      return EXIT.ok;
    });
  },
};

function viewFor(options: Options): View {
  return {
    columns: columnsFor(options.get("width")),
    style: styleFor(wantsColour(process.env, process.stdout.isTTY === true)),
    natives: !options.has("events-only"),
    ignored: options.get("lines") !== "mapped",
  };
}

function columnsFor(given: string | undefined): number {
  if (given === undefined) return process.stdout.columns || Number(process.env["COLUMNS"]) || COLUMNS;
  if (!/^\d+$/.test(given)) throw new UsageError(`--width ${given}: it takes a number of columns`);
  return Number(given);
}

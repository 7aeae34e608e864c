import type { Drift, KindStats } from "../../types/index.js";
import type { Command } from "./command.js";
import { convertOptions, INPUTS, READING } from "./command.js";
import { eachInput } from "./each.js";
import { EXIT } from "./failure.js";
import { write } from "./output.js";
import type { Reading } from "./read.js";
import { readTranscript } from "./read.js";
import { clean } from "./show/text.js";
import { count, plural, what } from "./words.js";

export const doctor: Command = {
  usage: "[options] [FILE|FOLDER|-]...",
  summary: "Says for each kind of line what became of it, and what this version does not know.",
  details: `${INPUTS}

Every line is accounted for: it became events, it was ignored for a reason, the end of the process cut it off, or it
could not be read. What is unknown (a newer version of the agent) is kept in the events; report it, so that it is read.`,
  options: { ...READING, json: { type: "boolean", help: "one JSON object for each transcript" } },
  async run(options) {
    const settings = convertOptions(options);
    return eachInput(options.paths, async (input, several) => {
      const pieces = readTranscript("ndjson", input, settings);
      let step = await pieces.next();
      while (!step.done) step = await pieces.next();
      const { detection, stats } = step.value;
      const json = options.has("json");
      await write(
        json ? `${JSON.stringify({ file: input.label, detection, stats })}\n` : report(input.label, step.value),
      );
      if (several && !json) await write("\n");
      return EXIT.ok;
    });
  },
};

function report(label: string, { detection, stats }: Reading): string {
  const events = Object.entries(stats.events).map(([type, number]) => `${type} ${number}`);
  const lines = [
    `${label}: ${what(detection)}`,
    `${plural(stats.lines, "line")}, ${plural(stats.bytes, "byte")} → ${plural(count(stats.events), "event")}`,
    ...(events.length > 0 ? [`  ${events.join(", ")}`] : []),
    "",
    ...table(["kind of line", "lines", "events", "ignored", "first", "why"], stats.kinds.map(kindRow)),
    "",
    `Unparsed: ${stats.unparsed}. Cut off by the end of the process: ${stats.cut}.`,
    ...(stats.drift.length === 0
      ? ["Unknown to this version: nothing."]
      : ["Unknown to this version:", ...driftTable(stats.drift)]),
  ];
  return `${lines.join("\n")}\n`;
}

function kindRow({ kind, lines, mapped, ignored, first_line }: KindStats): string[] {
  const reasons = Object.entries(ignored).map(([reason, number]) => `${reason} (${number})`);
  return [clean(kind), `${lines}`, `${mapped}`, `${count(ignored)}`, `${first_line}`, reasons.join(", ")];
}

function driftTable(drift: readonly Drift[]): string[] {
  const rows = drift.map((found) => [clean(found.name), found.what, `${found.count}`, `${found.first_line}`]);
  return table(["where", "what", "times", "first"], rows);
}

/** Columns, wide enough for all; those that hold numbers stand to the right. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = head.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const right = head.map((_, at) => rows.length > 0 && rows.every((row) => /^\d+$/.test(row[at] ?? "")));
  return [head, ...rows].map((row) => {
    const cells = row.map((cell, at) => (right[at] ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0)));
    return `  ${cells.join("  ").trimEnd()}`;
  });
}

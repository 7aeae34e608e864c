import type { Command } from "./command.js";
import { eachInput } from "./each.js";
import { lookAt } from "./exchange.js";
import { EXIT } from "./failure.js";
import { write } from "./output.js";
import { detectInput } from "./read.js";
import { what } from "./words.js";

export const detect: Command = {
  usage: "[options] [FILE|FOLDER|-]...",
  summary: "Says which agent wrote a transcript, in which form, and which version it was.",
  options: { json: { type: "boolean", help: "one JSON object a line" } },
  async run(options) {
    return eachInput(options.paths, async (found) => {
      const { input, kind } = await lookAt(found, { agent: "auto" });
      if (kind !== "native") {
        const line = options.has("json")
          ? JSON.stringify({ file: input.label, format: kind })
          : `${input.label}: ${kind === "universal" ? "universal events" : "exchange transcript"}`;
        await write(`${line}\n`);
        return EXIT.ok;
      }
      const detection = await detectInput(input);
      const line = options.has("json")
        ? JSON.stringify({ file: input.label, ...detection })
        : `${input.label}: ${what(detection)}`;
      await write(`${line}\n`);
      return EXIT.ok;
    });
  },
};

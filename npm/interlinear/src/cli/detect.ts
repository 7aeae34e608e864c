import type { Detection } from "../../types/index.js";
import { detect as detectHead } from "../convert.js";
import type { Command } from "./command.js";
import { eachInput } from "./each.js";
import { aboutInput, EXIT } from "./failure.js";
import type { Input } from "./input.js";
import { write } from "./output.js";
import { open } from "./read.js";
import { what } from "./words.js";

/** How much of a transcript is enough to tell what it is. */
const HEAD = 64 * 1024;

export const detect: Command = {
  usage: "[options] [FILE|FOLDER|-]...",
  summary: "Says which agent wrote a transcript, in which form, and which version it was.",
  options: { json: { type: "boolean", help: "one JSON object a line" } },
  async run(options) {
    return eachInput(options.paths, async (input) => {
      const detection = await detectInput(input);
      const line = options.has("json")
        ? JSON.stringify({ file: input.label, ...detection })
        : `${input.label}: ${what(detection)}`;
      await write(`${line}\n`);
      return EXIT.ok;
    });
  },
};

async function detectInput(input: Input): Promise<Detection> {
  try {
    return detectHead(await headOf(input), input.files[0]?.name);
  } catch (error) {
    throw aboutInput(error, input.label);
  }
}

/** The beginning of a transcript's main file. */
async function headOf(input: Input): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const [main] = input.files;
  if (main === undefined) return new Uint8Array();
  for await (const chunk of open(main)) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= HEAD) break;
  }
  return Buffer.concat(chunks);
}

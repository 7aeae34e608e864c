import { agents as knownAgents } from "../convert.js";
import type { Command } from "./command.js";
import { EXIT } from "./failure.js";
import { write } from "./output.js";

export const agents: Command = {
  usage: "",
  summary: "Lists the agents whose transcripts can be read.",
  options: { json: { type: "boolean", help: "as a JSON array" } },
  async run(options) {
    const known = knownAgents();
    await write(`${options.has("json") ? JSON.stringify(known) : known.join("\n")}\n`);
    return EXIT.ok;
  },
};

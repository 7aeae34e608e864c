import { AgentHost, type AgentInfo } from "../host/index.js";
import type { Command } from "./command.js";
import { EXIT } from "./failure.js";
import { write } from "./output.js";
import { styleFor, wantsColour } from "./show/style.js";

export const agents: Command = {
  usage: "[options]",
  summary: "Lists the agents: which are installed, and what they can do.",
  options: {
    json: { type: "boolean", help: "as a JSON array" },
    models: { type: "boolean", help: "ask each for its models; this takes a while" },
  },
  optionsOnly: true,
  async run(options) {
    await using host = new AgentHost();
    const known = await host.agents({ models: options.has("models") });
    await write(options.has("json") ? `${JSON.stringify(known)}\n` : known.map(row).join("\n"));
    return EXIT.ok;
  },
};

function row(agent: AgentInfo): string {
  const style = styleFor(wantsColour(process.env, process.stdout.isTTY === true));
  const { id, name, installed, version = "unknown version", path = "", problem, install } = agent;
  const head = style.bold(id.padEnd(9));
  if (!installed) return `${head} ${name}: not installed. ${install}\n`;
  if (problem !== undefined) return `${head} ${style.red(problem)}. ${install}\n`;
  const offers = [
    ["can", agent.features],
    ["models", agent.models],
    ["modes", agent.modes],
    ["variants", agent.variants],
  ] as const;
  const rows = offers.filter(([, words]) => words.length > 0).map(([what, words]) => `${what}: ${words.join(", ")}`);
  return [
    `${head} ${name} ${version}  ${style.dim(path)}`,
    ...rows.map((line) => style.dim(`          ${line}`)),
    "",
  ].join("\n");
}

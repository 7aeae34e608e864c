import { version } from "../convert.js";
import { agents } from "./agents.js";
import { check } from "./check.js";
import type { Command } from "./command.js";
import { helpOf, parse } from "./command.js";
import { convert } from "./convert.js";
import { detect } from "./detect.js";
import { doctor } from "./doctor.js";
import type { ExitCode } from "./failure.js";
import { EXIT, explain, UsageError } from "./failure.js";
import { endWithTheReader, note, write } from "./output.js";
import { replayAgent } from "./replay-agent.js";
import { run } from "./run.js";
import { serve } from "./serve.js";
import { show } from "./show.js";

const COMMANDS: Readonly<Record<string, Command>> = {
  convert,
  show,
  check,
  detect,
  doctor,
  agents,
  run,
  serve,
  "replay-agent": replayAgent,
};

const HELP = `interlinear: what coding agents write, as one stream of universal events.

Usage: interlinear COMMAND [options] [FILE|FOLDER|-]...

${Object.entries(COMMANDS)
  .map(([name, { summary }]) => `  ${name.padEnd(12)}  ${summary}`)
  .join("\n")}

  -h, --help     show this help; interlinear COMMAND --help shows a command's
  -v, --version  show the version

Exit codes: 0 all went well; 1 events break the contract (check), or the agent failed (run); 2 the command line is wrong
or the input cannot be read; 3 interlinear itself failed; 130 interrupted.
`;

async function main(args: readonly string[]): Promise<ExitCode> {
  const [name, ...rest] = args;
  if (name === "--version" || name === "-v") {
    await write(`${version()}\n`);
    return EXIT.ok;
  }
  if (name === "--help" || name === "-h" || name === "help") {
    await write(HELP);
    return EXIT.ok;
  }
  if (name === undefined)
    throw new UsageError(`which command? ${Object.keys(COMMANDS).join(", ")}\nSee interlinear --help`);
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) throw new UsageError(`${name}: there is no such command\nSee interlinear --help`);
  const options = parse(command, rest);
  if (options.has("help")) {
    await write(helpOf(name, command));
    return EXIT.ok;
  }
  const [word] = command.optionsOnly === true ? options.paths : [];
  if (word !== undefined) throw new UsageError(`${word}: ${name} takes options only\nSee interlinear ${name} --help`);
  return command.run(options);
}

endWithTheReader();
try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const { message, code } = explain(error);
  note(`interlinear: ${message}`);
  process.exitCode = code;
}

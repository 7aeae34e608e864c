import { parseArgs } from "node:util";
import type { Agent } from "../../types/index.js";
import { agents } from "../convert.js";
import type { ConvertOptions } from "../transcript.js";
import type { ExitCode } from "./failure.js";
import { UsageError } from "./failure.js";

/** One command of `interlinear`. */
export interface Command {
  /** What follows its name in the usage line. */
  readonly usage: string;
  /** What it does, in one line. */
  readonly summary: string;
  /** What else there is to know. */
  readonly details?: string;
  /** Its options, by their long names. */
  readonly options: Readonly<Record<string, Option>>;
  /** Whether it takes nothing else: a word that is left over was meant for something. */
  readonly optionsOnly?: true;
  /** Does it. */
  run(options: Options): Promise<ExitCode>;
}

/** One option of a command. */
export interface Option {
  readonly type: "boolean" | "string";
  readonly short?: string;
  /** What stands for its value in the help. */
  readonly value?: string;
  /** The only values that it takes. */
  readonly choices?: readonly string[];
  readonly help: string;
}

/** What was given on the command line. */
export interface Options {
  readonly paths: readonly string[];
  has(name: string): boolean;
  get(name: string): string | undefined;
}

const AGENT: Option = {
  type: "string",
  short: "a",
  value: "NAME",
  help: "the agent that wrote it; auto (the default) finds out from the first lines",
};
const HELP: Option = { type: "boolean", short: "h", help: "show this help" };

/** The options that every command has that reads transcripts. */
export const READING = { agent: AGENT } as const;

/** What can be read, for the help of every command that reads. */
export const INPUTS = `FILE is a live stream that was saved, a recording of both directions, or a stored session; a session's own folder
beside its file (subagents) is read with it. FOLDER: every session in it. With neither, or with -, standard input.`;

/** Reads a command's arguments. */
export function parse(command: Command, args: readonly string[]): Options {
  const options = { ...command.options, help: HELP };
  const spec = Object.fromEntries(
    Object.entries(options).map(([name, { type, short }]) => [name, { type, ...(short !== undefined && { short }) }]),
  );
  const { values, positionals } = parseStrictly(args, spec);
  for (const [name, { choices }] of Object.entries(options)) checkChoice(name, choices, values[name]);
  return {
    paths: positionals,
    has: (name) => values[name] === true,
    get: (name) => (typeof values[name] === "string" ? values[name] : undefined),
  };
}

function parseStrictly(
  args: readonly string[],
  options: Record<string, { type: "boolean" | "string"; short?: string }>,
) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
}

function checkChoice(name: string, choices: readonly string[] | undefined, value: unknown): void {
  if (typeof value !== "string" || choices === undefined || choices.includes(value)) return;
  throw new UsageError(`--${name} ${value}: it takes ${oneOf(choices)}`);
}

/** How to read a transcript. */
export function convertOptions(options: Options): ConvertOptions {
  const agent = options.get("agent") ?? "auto";
  const known = ["auto", ...agents()];
  if (!known.includes(agent)) throw new UsageError(`--agent ${agent}: it takes ${oneOf(known)}`);
  return { agent: agent as Agent | "auto", includeRaw: options.has("raw") };
}

/** A command's help. */
export function helpOf(name: string, command: Command): string {
  const rows = Object.entries({ ...command.options, help: HELP }).map(([long, option]) => {
    const short = option.short === undefined ? "    " : `-${option.short}, `;
    const value = option.value ?? option.choices?.join("|");
    return [`  ${short}--${long}${value === undefined ? "" : ` ${value}`}`, option.help] as const;
  });
  const width = Math.max(...rows.map(([left]) => left.length));
  return [
    `${command.summary}`,
    "",
    `Usage: interlinear ${name} ${command.usage}`,
    "",
    ...rows.map(([left, right]) => `${left.padEnd(width)}  ${right}`),
    ...(command.details === undefined ? [] : ["", command.details]),
    "",
  ].join("\n");
}

/** `a, b or c` */
function oneOf(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}

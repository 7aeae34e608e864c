import type { Break } from "../../types/index.js";
import type { RawChecker } from "../core.js";
import { call } from "../core.js";
import { core } from "../load.js";
import type { ConvertOptions } from "../transcript.js";
import type { Command } from "./command.js";
import { convertOptions, INPUTS, READING } from "./command.js";
import { eachInput } from "./each.js";
import { aboutInput, EXIT } from "./failure.js";
import type { Input, InputFile } from "./input.js";
import { LineSplitter } from "./lines.js";
import { write } from "./output.js";
import { open, peekLine, readTranscript } from "./read.js";
import { isEvent } from "./saved.js";
import { plural } from "./words.js";

export const check: Command = {
  usage: "[options] [FILE|FOLDER|-]...",
  summary: "Checks events against the contract: those in a file, or those that a transcript becomes.",
  details: `${INPUTS}
A file of universal events, as convert writes them, is checked as it is.

Exit code 1 if the contract is broken anywhere.`,
  options: { ...READING, json: { type: "boolean", help: "one JSON object for each break" } },
  async run(options) {
    const settings = convertOptions(options);
    return eachInput(options.paths, async (input) => {
      const report = new Report(input, options.has("json"));
      for await (const line of eventLines(input, settings)) await report.event(line);
      return (await report.end()) > 0 ? EXIT.breaks : EXIT.ok;
    });
  },
};

/** Checks event by event, and prints the breaks as they are found. */
class Report {
  readonly #core = core();
  readonly #checker: RawChecker;
  readonly #input: Input;
  readonly #json: boolean;
  #events = 0;
  #breaks = 0;

  constructor(input: Input, json: boolean) {
    this.#checker = new this.#core.raw.ContractChecker();
    this.#input = input;
    this.#json = json;
  }

  async event(line: string): Promise<void> {
    this.#events += 1;
    call(this.#core, () => this.#checker.json(line));
    await this.#print(call(this.#core, () => this.#checker.breaks()));
  }

  /** Gives the number of breaks. */
  async end(): Promise<number> {
    this.#checker.free?.();
    if (!this.#json) {
      const verdict = this.#breaks === 0 ? "the contract is kept" : plural(this.#breaks, "break");
      await write(`${this.#input.label}: ${plural(this.#events, "event")}, ${verdict}\n`);
    }
    return this.#breaks;
  }

  async #print(json: string): Promise<void> {
    if (json === "" || json === "[]") return;
    for (const found of JSON.parse(json) as Break[]) {
      this.#breaks += 1;
      await write(`${this.#json ? JSON.stringify({ file: this.#input.label, ...found }) : this.#sentence(found)}\n`);
    }
  }

  #sentence({ rule, session_id, sequence, message }: Break): string {
    return `${this.#input.label}: event ${sequence} of session ${session_id} breaks rule ${rule}: ${message}`;
  }
}

/** The events of a transcript, or of a file that holds events already: each as its JSON. */
async function* eventLines(input: Input, settings: ConvertOptions): AsyncGenerator<string> {
  const splitter = new LineSplitter();
  for await (const chunk of await eventBytes(input, settings)) yield* filled(splitter.push(chunk));
  yield* filled(splitter.end());
}

function* filled(lines: Iterable<string>): Generator<string> {
  for (const line of lines) if (line.trim() !== "") yield line;
}

async function eventBytes(input: Input, settings: ConvertOptions): Promise<AsyncIterable<Uint8Array>> {
  const [main, ...others] = input.files as [InputFile, ...InputFile[]];
  try {
    const { line, file } = await peekLine(main);
    return isEvent(line) ? open(file) : readTranscript("ndjson", { ...input, files: [file, ...others] }, settings);
  } catch (error) {
    throw aboutInput(error, input.label);
  }
}

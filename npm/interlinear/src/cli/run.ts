import { accessSync, constants, readFileSync } from "node:fs";
import { extname, resolve } from "node:path";
import { text as textOf } from "node:stream/consumers";
import type { Agent, McpServer, PromptPart, UniversalEvent } from "../../types/index.js";
import { agents } from "../convert.js";
import { recipe } from "../host/agents.js";
import { AgentHost, type AgentSession, type StartOptions } from "../host/index.js";
import { asksForLogin } from "../host/runtime.js";
import type { Command, Options } from "./command.js";
import type { ExitCode } from "./failure.js";
import { aboutInput, EXIT, UsageError } from "./failure.js";
import { note, write } from "./output.js";
import { type Answers, Nobody, Person } from "./run/asker.js";
import { TurnPrinter } from "./run/printer.js";
import { styleFor, wantsColour } from "./show/style.js";

const IMAGES: Readonly<Record<string, string>> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
};

export const run: Command = {
  usage: "[options] AGENT [PROMPT|-]",
  summary: "Runs an agent: shows the turn as it happens, and asks you what it asks.",
  details: `AGENT is claude, codex, opencode, amp or pi; interlinear agents lists what is installed. Without PROMPT, or with -, it
is read from standard input; at a terminal you are asked for one prompt after the other.

Ctrl-C interrupts the turn; a second one ends the agent, with everything that it started. Where nobody can be asked,
permissions are refused, unless --accept is given.

  interlinear run claude "fix the failing test"
  interlinear run codex --record session.jsonl "why is it slow?" && interlinear show session.jsonl`,
  options: {
    model: { type: "string", short: "m", value: "NAME", help: "the model, in the agent's words" },
    variant: { type: "string", value: "NAME", help: "the reasoning effort, in the agent's words" },
    mode: { type: "string", value: "NAME", help: "the permission mode, in the agent's words" },
    cwd: { type: "string", short: "C", value: "FOLDER", help: "the folder to work in; the current one if not given" },
    resume: { type: "string", short: "r", value: "ID", help: "go on with this session of the agent" },
    "mcp-config": { type: "string", value: "FILE", help: 'servers of tools: {"mcpServers": {NAME: {"command", …}}}' },
    file: { type: "string", short: "f", value: "FILE", help: "hand over a file or an image with the prompt" },
    accept: { type: "boolean", help: "accept every permission that is asked for" },
    json: { type: "boolean", help: "print the events as JSON lines" },
    raw: { type: "boolean", help: "with --json: each with the native object that caused it" },
    record: { type: "string", value: "FILE", help: "keep what is said in both directions, as a recording" },
  },
  async run(options) {
    const [name = "", ...words] = options.paths;
    const agent = agents().find((known) => known === name);
    if (agent === undefined) throw new UsageError(`which agent? ${agents().join(", ")}\nSee interlinear run --help`);
    if (words.length > 1) throw new UsageError("one prompt at a time: put it in quotes");
    const talk = new Talk(options);
    await using host = new AgentHost();
    await using session = await host.start(startOptions(agent, options));
    // Awaited here: the session must not be ended before.
    return await talk.hold(session, words[0]);
  },
};

/** A conversation at the command line. */
class Talk {
  readonly #json: boolean;
  readonly #raw: boolean;
  readonly #file: string | undefined;
  readonly #terminal = process.stdin.isTTY === true;
  readonly #printer: TurnPrinter;
  readonly #person: Person;
  readonly #answers: Answers;
  #session: AgentSession | undefined;
  #interrupts = 0;

  constructor(options: Options) {
    this.#json = options.has("json");
    this.#raw = options.has("raw");
    this.#file = options.get("file");
    const style = styleFor(wantsColour(process.env, process.stdout.isTTY === true));
    this.#printer = new TurnPrinter(style, process.stdout.columns || 120);
    this.#person = new Person(style, () => this.#interrupt());
    const reply = options.has("accept") ? "accept" : "reject";
    this.#answers = this.#terminal && reply === "reject" ? this.#person : new Nobody(reply);
  }

  async hold(session: AgentSession, prompt: string | undefined): Promise<ExitCode> {
    this.#session = session;
    const interrupt = () => this.#interrupt();
    process.on("SIGINT", interrupt);
    try {
      if (prompt !== undefined && prompt !== "-") return await this.#turn(prompt);
      if (this.#terminal) return await this.#turns();
      // As a stream: whoever writes it may be slower than the agent's start.
      return await this.#turn(await textOf(process.stdin));
    } finally {
      process.off("SIGINT", interrupt);
    }
  }

  /** One prompt after the other, until nothing is said. */
  async #turns(): Promise<ExitCode> {
    let code: ExitCode = EXIT.ok;
    while (this.#session?.status !== "ended") {
      const prompt = await this.#person.ask("> ").catch(() => "");
      if (prompt.trim() === "") break;
      code = await this.#turn(prompt);
    }
    return code;
  }

  async #turn(prompt: string): Promise<ExitCode> {
    const session = this.#session;
    if (session === undefined || prompt.trim() === "")
      throw new UsageError("what is the agent to do? The prompt is empty");
    this.#interrupts = 0;
    const over = new AbortController();
    let code: ExitCode = EXIT.ok;
    let last = 0;
    try {
      for await (const event of session.prompt(promptParts(prompt, this.#file), { includeRaw: this.#raw })) {
        await this.#show(event);
        if (event.type === "error" && asksForLogin(event.data.message)) note(recipe(session.agent).login);
        this.#answer(session, event, over.signal);
        code = outcome(event, code);
        last = event.sequence;
      }
      // An agent that broke down in the turn says why behind it.
      if (session.status !== "ended") return code;
      for await (const event of session.events({ from: last, includeRaw: this.#raw })) {
        await this.#show(event);
        code = outcome(event, code);
      }
    } finally {
      over.abort();
    }
    return code;
  }

  async #show(event: UniversalEvent): Promise<void> {
    await write(this.#json ? `${JSON.stringify(event)}\n` : this.#printer.print(event));
  }

  /** Answers what the agent asks, while its events go on. */
  #answer(session: AgentSession, event: UniversalEvent, signal: AbortSignal): void {
    const answered =
      event.type === "permission.requested"
        ? this.#answers.permission(session, event.data, signal)
        : event.type === "question.requested"
          ? this.#answers.question(session, event.data, signal)
          : undefined;
    // The turn ended before there was an answer, or the agent has asked no one any more.
    answered?.catch((error: Error) => {
      if (!signal.aborted && error.name !== "AbortError") note(error.message);
    });
  }

  /** Ctrl-C: the turn, then the agent. */
  #interrupt(): void {
    this.#interrupts += 1;
    const ended = this.#interrupts === 1 ? this.#session?.interrupt() : this.#session?.terminate();
    ended?.catch((error: Error) => note(error.message));
    if (this.#interrupts === 1) note("\ninterrupted; once more ends the agent");
  }
}

/** What an event means for the exit code. */
function outcome(event: UniversalEvent, before: ExitCode): ExitCode {
  if (event.type === "session.ended") return event.data.reason === "terminated" ? EXIT.interrupted : EXIT.failed;
  if (event.type !== "turn.ended") return before;
  const { status } = event.data.metadata ?? {};
  return status === "failed" ? EXIT.failed : status === "interrupted" ? EXIT.interrupted : before;
}

function startOptions(agent: Agent, options: Options): StartOptions {
  const [model, variant, permissionMode] = [options.get("model"), options.get("variant"), options.get("mode")];
  const [resume, record, servers] = [options.get("resume"), options.get("record"), options.get("mcp-config")];
  return {
    agent,
    cwd: options.get("cwd") ?? process.cwd(),
    ...(model !== undefined && { model }),
    ...(variant !== undefined && { variant }),
    ...(permissionMode !== undefined && { permissionMode }),
    ...(resume !== undefined && { resume }),
    ...(record !== undefined && { record }),
    ...(servers !== undefined && { mcpServers: mcpServers(servers) }),
  };
}

function mcpServers(path: string): Record<string, McpServer> {
  const servers = parsed(path)?.mcpServers;
  if (typeof servers === "object" && servers !== null) return servers;
  throw new UsageError(`${path}: there are no mcpServers in it. It takes {"mcpServers": {NAME: {"command": …}}}`);
}

function parsed(path: string): { mcpServers?: Record<string, McpServer> | null } | null {
  const text = readInput(path).toString("utf8");
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${path}: this is not JSON. Mend it: ${(error as Error).message}`, { cause: error });
  }
}

/** The prompt, and the file that goes with it. */
function promptParts(text: string, file: string | undefined): PromptPart[] {
  const said: PromptPart[] = [{ type: "text", text }];
  if (file === undefined) return said;
  const mime = IMAGES[extname(file).toLowerCase()];
  // The agent reads it by itself, and may work in another folder.
  if (mime === undefined) return [...said, { type: "file", path: whereIs(file) }];
  return [...said, { type: "image", mime, data: readInput(file).toString("base64") }];
}

function whereIs(path: string): string {
  try {
    accessSync(path, constants.R_OK);
    return resolve(path);
  } catch (error) {
    throw aboutInput(error, path);
  }
}

function readInput(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw aboutInput(error, path);
  }
}

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Command, Exit } from "../../types/index.js";
import { InterlinearError } from "../errors.js";
import type { Launch, Recipe } from "./agents.js";
import type { Journal } from "./journal.js";
import type { Link } from "./link.js";
import type { AgentProcess } from "./process.js";
import { greeted, type Patience, type Runtime, refusal, sessionEnded } from "./runtime.js";

/** What a session with a process of its own is made of. */
export interface DedicatedOptions {
  readonly recipe: Recipe;
  readonly launch: Omit<Launch, "file">;
  readonly journal: Journal;
  readonly link: Link;
  /** Where files for this user only may lie. */
  readonly folder: string;
  /** How long it may take to start. */
  readonly startMs: number;
  /** Starts a process with these arguments. */
  readonly spawn: (args: readonly string[], env: Readonly<Record<string, string>>) => Promise<AgentProcess>;
}

/** So long a process may take to go by itself. */
const LEAVE_MS = 2000;

/** The settings of a launch that can be changed in a running session. */
const SETTINGS = {
  set_model: "model",
  set_variant: "variant",
  set_permission_mode: "permissionMode",
} as const;

type Setting = (typeof SETTINGS)[keyof typeof SETTINGS];

/**
 * A process for one session. Where something can only be changed by an option of a new process, or where an interrupt
 * ends the agent, another process goes on with the session at the next prompt.
 */
export class Dedicated implements Runtime {
  readonly #options: DedicatedOptions;
  #launch: Omit<Launch, "file">;
  /** The one with which the agent was last there: what it does not take of another is taken back. */
  #taken: Omit<Launch, "file"> | undefined;
  #process: AgentProcess | undefined;
  /** The session goes on when the process is gone. */
  #goesOn = false;
  /** Something was changed that this process does not take: the next turn is another's. */
  #isOutdated = false;
  #gone: Promise<void> = Promise.resolve();
  #terminated = false;

  constructor(options: DedicatedOptions) {
    this.#options = options;
    this.#launch = options.launch;
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** Starts the process and waits until the agent is there. */
  async start(patience: Patience): Promise<void> {
    const { recipe, link, journal, spawn } = this.#options;
    const folder = new PrivateFolder(this.#options.folder);
    const { args, env = {} } = recipe.start({ ...this.#launch, file: (name, text) => folder.write(name, text) });
    const process = await spawn(args, env).catch((error: unknown) => {
      folder.remove();
      throw error;
    });
    const changed = this.#changed();
    this.#process = process;
    // One that does not take what was changed does not end the session.
    this.#goesOn = changed.length > 0;
    this.#isOutdated = false;
    const greeting = this.#greeting();
    const ended = link.attach(process).then((exit) => {
      folder.remove();
      const failure = refusal(recipe, exit, link.errorText);
      this.#ended(exit);
      return failure;
    });
    this.#gone = ended.then(() => {});
    try {
      link.command(this.#handshake());
      await greeted(greeting, ended, recipe, patience);
      this.#goesOn = false;
      this.#taken = this.#launch;
    } catch (error) {
      if (changed.length > 0 && !this.#terminated) throw await this.#takeBack(process, changed, error);
      this.#terminated = true;
      journal.hurry();
      await process.terminate();
      await this.#gone;
      link.close();
      throw error;
    } finally {
      link.onOutput = undefined;
    }
    if (journal.failure !== undefined) throw journal.failure;
  }

  async command(command: Command, signal?: AbortSignal): Promise<void> {
    const { recipe, link, journal } = this.#options;
    if (this.#terminated || journal.status === "ended") throw sessionEnded(recipe);
    const setting = command.type in SETTINGS ? SETTINGS[command.type as keyof typeof SETTINGS] : undefined;
    const value = Object.entries(command).find(([key]) => key !== "type")?.[1] as string;
    if (setting !== undefined && this.#isFixed(setting, value)) {
      this.#launch = { ...this.#launch, [setting]: value };
      this.#isOutdated = true;
      return this.#renew();
    }
    if (command.type === "prompt") await this.#return();
    signal?.throwIfAborted();
    if (command.type === "interrupt" && recipe.endsWhenInterrupted) this.#goesOn = true;
    link.command(command);
    // Only what was not refused is another process's too.
    if (setting !== undefined) this.#launch = { ...this.#launch, [setting]: value };
  }

  async terminate(): Promise<void> {
    if (this.#terminated) return this.#gone;
    this.#terminated = true;
    this.#goesOn = false;
    const { link, journal } = this.#options;
    if (journal.status !== "ended") link.command({ type: "terminate" });
    if (this.#process !== undefined) await this.#process.terminate();
    else if (journal.status !== "ended") link.exited({ code: null, signal: "SIGTERM" });
    await this.#gone;
    link.close();
  }

  /** Whether only another process takes this. */
  #isFixed(setting: Setting, value: string): boolean {
    const { fixed, fixedModes = [] } = this.#options.recipe;
    if (fixed.includes(setting)) return true;
    return setting === "permissionMode" && fixedModes.includes(value) && this.#launch.permissionMode !== value;
  }

  /** What is to be different from the process before; nothing for the first one. */
  #changed(): Setting[] {
    const [before, now] = [this.#taken, this.#launch];
    return before === undefined ? [] : Object.values(SETTINGS).filter((setting) => before[setting] !== now[setting]);
  }

  /** The process is not to be had with what was changed: the next one is as the last one was. */
  async #takeBack(process: AgentProcess, changed: readonly Setting[], error: unknown): Promise<unknown> {
    await process.terminate();
    await this.#gone;
    for (const setting of changed) this.#launch = { ...this.#launch, [setting]: this.#taken?.[setting] };
    if (!(error instanceof InterlinearError)) return error;
    const { code, message, cure } = error;
    const back = `${changed.join(" and ")} ${changed.length > 1 ? "are" : "is"} as it was; prompt again, or choose another.`;
    return new InterlinearError(code, message, `${cure} ${back}`, { cause: error });
  }

  /** Ends a process that is outdated, if it has nothing to do: a turn that runs is not cut off. */
  async #renew(): Promise<void> {
    if (this.#isOutdated && this.#options.journal.status !== "running") await this.#leave();
  }

  /** The process ends; another will go on with the session. */
  async #leave(): Promise<void> {
    this.#goesOn = true;
    const process = this.#process;
    // Idle, it goes by itself when nothing more can be said to it.
    process?.closeInput();
    await Promise.race([this.#gone, sleep(LEAVE_MS, undefined, { ref: false })]);
    await process?.terminate();
    await this.#gone;
  }

  /** Starts the process that goes on, if none runs. */
  async #return(): Promise<void> {
    await this.#renew();
    if (this.#process !== undefined && !this.#goesOn) return;
    await this.#gone;
    const { journal, recipe } = this.#options;
    if (journal.status === "ended") throw sessionEnded(recipe);
    this.#launch = { ...this.#launch, resume: journal.nativeSessionId ?? this.#launch.resume };
    await this.start({ startMs: this.#options.startMs });
  }

  #ended(exit: Exit): void {
    this.#process = undefined;
    // An end that was asked for is what was asked for, whatever the agent makes of it.
    const asked = this.#terminated ? { code: null, signal: "SIGTERM" } : exit;
    this.#options.link.exited(this.#goesOn ? { code: 0, restart: true } : asked);
  }

  /** The first command: what is no option of the process is said in it. */
  #handshake(): Command {
    const { model, variant, cwd } = this.#launch;
    const { fixed } = this.#options.recipe;
    const said = (name: "model" | "variant", value: string | undefined) =>
      value === undefined || fixed.includes(name) ? {} : { [name]: value };
    return { type: "start", cwd, ...said("model", model), ...said("variant", variant) };
  }

  /** Resolves when the agent is known to be there. */
  #greeting(): Promise<void> {
    const { recipe, link } = this.#options;
    const { greets } = recipe;
    if (greets === undefined) return Promise.resolve();
    let heard = "";
    return new Promise((resolve) => {
      link.onOutput = (chunk) => {
        heard = (heard + chunk.toString("latin1")).slice(-(1 << 16));
        if (heard.includes(greets)) resolve();
      };
    });
  }
}

/** A folder for files that only this user may read. */
class PrivateFolder {
  readonly #base: string;
  #path: string | undefined;

  constructor(base: string) {
    this.#base = base;
  }

  write(name: string, content: string): string {
    mkdirSync(this.#base, { recursive: true, mode: 0o700 });
    this.#path ??= mkdtempSync(join(this.#base, "session-"));
    const file = join(this.#path, name);
    writeFileSync(file, content, { mode: 0o600 });
    return file;
  }

  remove(): void {
    if (this.#path !== undefined) rmSync(this.#path, { recursive: true, force: true });
  }
}

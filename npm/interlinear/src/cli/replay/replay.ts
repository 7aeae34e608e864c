import { setTimeout as sleep } from "node:timers/promises";
import { note } from "../output.js";
import type { Dialect, Heard, Id } from "./dialect.js";
import { PROMPT } from "./dialect.js";
import type { Stage } from "./player.js";
import { Player } from "./player.js";
import type { Rec } from "./recording.js";
import { brokeDown, wasSignalled } from "./recording.js";
import type { Parts, Step } from "./steps.js";
import { takeApart } from "./steps.js";

/** Where a line of the agent goes. */
export interface Address {
  /** The channel of the recording; absent: standard output. */
  readonly channel?: string | undefined;
  /** Whether the line has no end. */
  readonly partial?: boolean;
  /** Of an answer by HTTP. */
  readonly status?: number | undefined;
  /** The host's request that it answers. */
  readonly to?: Id | undefined;
}

/** How a recording is played. */
export interface ReplayOptions {
  readonly records: readonly Rec[];
  readonly dialect: Dialect;
  /** How much faster than it was recorded. */
  readonly speed: number;
  /** Whether to say what it waits for. */
  readonly verbose: boolean;
  /** Which time a session is played that went on from an earlier process; 0 if it is new. */
  readonly take: number;
  /** Writes a line of the agent. */
  say(line: string, address: Address): Promise<void>;
  /** Ends the process. */
  exit(end: Pick<Rec, "code" | "signal">): Promise<void>;
}

/**
 * Plays an agent from a recording: hands what the host says to the conversation that it belongs to. A conversation that
 * the host begins is the next of the recording; when there is none left they are played again, under other names.
 */
export class Replay {
  readonly #options: ReplayOptions;
  readonly #parts: Parts;
  /** How the process ended. */
  readonly #end: Rec | undefined;
  readonly #lobby: Player;
  readonly #players: Player[] = [];
  readonly #byName = new Map<string, Player>();
  readonly #hurry = new AbortController();
  readonly #improvised = new Map<string, number>();
  #begun = 0;
  // Far from those that an agent counts.
  #numbers = 1_000_000;
  /** What the host says is heard in its order, each when the process as a whole has nothing left to say. */
  #queue: Promise<void> = Promise.resolve();

  constructor(options: ReplayOptions) {
    this.#options = options;
    this.#parts = takeApart(options.records, options.dialect);
    this.#end = options.records.findLast(({ dir }) => dir === "exit");
    this.#lobby = this.#perform(this.#parts.lobby, options.take);
  }

  /** A line of the host; `request` is by what its answer is to be addressed, where the line itself does not say. */
  hear(line: string, channel?: string, request?: Id): void {
    this.#queue = this.#queue.then(() => this.#hear(line, channel, request));
  }

  /** The host will say nothing more: the rest is said up to where the host would have to speak. Then it ends. */
  async close(): Promise<void> {
    await this.#queue;
    for (const player of this.#players) player.close();
    await Promise.all(this.#players.map((player) => player.settled()));
    await this.#options.exit(this.#end ?? { code: 0 });
  }

  /** Whether the recorded process was ended by a signal that it could hear: what it then said stands in the recording. */
  get endedBySignal(): boolean {
    return this.#end !== undefined && wasSignalled(this.#end);
  }

  /** Says the rest without waiting. */
  hurry(): void {
    this.#hurry.abort();
  }

  async #hear(line: string, channel: string | undefined, request: Id | undefined): Promise<void> {
    const { dialect } = this.#options;
    const heard = dialect.heard(line, channel);
    if (heard === undefined) return note(`replay-agent: no line that this agent understands: ${shortened(line)}`);
    const player = await this.#playerOf(heard);
    const translated = dialect.heard(player.translate(line), channel && player.translate(channel)) ?? heard;
    const id = request ?? heard.id;
    player.hear({ ...translated, ...(id !== undefined && { id }) });
  }

  async #playerOf(heard: Heard): Promise<Player> {
    const { kind, names, opens, answers } = heard;
    const asker = answers === undefined ? undefined : this.#players.find((player) => player.asked(answers));
    const named = names.map((name) => this.#byName.get(name)).find((player) => player !== undefined);
    const known = asker ?? (opens ? undefined : named);
    if (known !== undefined) return known;
    const begins = opens || (kind === PROMPT && names.length > 0);
    if (this.#parts.conversations.length === 0 || !begins) return this.#lobby;
    await this.#lobby.settled();
    return this.#begin(heard);
  }

  #begin({ names }: Heard): Player {
    const { conversations } = this.#parts;
    const take = Math.floor(this.#begun / conversations.length);
    const steps = conversations[this.#begun % conversations.length] ?? [];
    this.#begun += 1;
    const player = this.#perform(steps, take);
    const [first] = steps;
    const recorded = first !== undefined && "hear" in first ? first.hear.names : [];
    for (const [index, name] of names.entries()) {
      this.#byName.set(name, player);
      player.rename(recorded[index] ?? name, name);
    }
    return player;
  }

  #perform(steps: readonly Step[], take: number): Player {
    const { dialect, speed, verbose } = this.#options;
    const stage: Stage = {
      dialect,
      say: (record, line, to) => this.#say(player, record, line, to),
      pause: (ms) => this.#pause(ms / speed),
      exit: (record) => this.#exit(record),
      improvise: (heard, over) => this.#improvise(heard, over),
      number: () => {
        this.#numbers += 1;
        return this.#numbers;
      },
      waits: (kind) => verbose && note(`replay-agent: waits for ${kind}`),
    };
    const player = new Player(steps, stage, take);
    this.#players.push(player);
    // Once this object is whole: what is said goes through it.
    queueMicrotask(() => void player.play());
    return player;
  }

  async #say(player: Player, record: Rec, line: string, to: Id | undefined): Promise<void> {
    const { dir, ch, partial, status } = record;
    const names = player === this.#lobby ? [] : this.#options.dialect.said(line, ch).names;
    for (const name of names) if (!this.#byName.has(name)) this.#byName.set(name, player);
    await this.#options.say(line, { channel: dir === "err" ? "stderr" : ch, partial, status, to });
  }

  async #pause(ms: number): Promise<void> {
    if (ms > 0) await sleep(ms, undefined, { signal: this.#hurry.signal }).catch(() => undefined);
  }

  /** A process that broke down does so again. One that ended in peace was told to: it waits for that. */
  async #exit(record: Rec): Promise<void> {
    const alone = !this.#options.records.some(({ dir, ch }) => dir === "in" && ch !== "argv");
    if (brokeDown(record) || (alone && !wasSignalled(record))) await this.#options.exit(record);
  }

  /** Says what was recorded as the answer to such a request, wherever that was; else what does no harm. */
  async #improvise(heard: Heard, over: boolean): Promise<void> {
    const { dialect, say, exit } = this.#options;
    const { kind, id, optional } = heard;
    const recorded = optional ? this.#recordedAnswer(kind) : undefined;
    if (recorded !== undefined && id !== undefined) {
      const { ch: channel, status } = recorded;
      return say(dialect.readdress(recorded.line, id), { channel, status, to: id });
    }
    if (!optional) note(`replay-agent: the recording has no place for ${kind} ${over ? "any more" : "here"}`);
    const reply = dialect.reply(heard);
    if (reply !== undefined) return say(reply.line, { status: reply.status, to: id });
    // Nothing can be said to it: the host would wait for ever.
    if (kind === PROMPT && over) await exit({ code: 1 });
  }

  /** What was answered to such a request: the first time the first answer, and so on. */
  #recordedAnswer(kind: string): Rec | undefined {
    const answers = this.#parts.answers.get(kind) ?? [];
    const times = this.#improvised.get(kind) ?? 0;
    this.#improvised.set(kind, times + 1);
    return answers[Math.min(times, answers.length - 1)];
  }
}

function shortened(line: string): string {
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}

import type { Dialect, Heard, Id } from "./dialect.js";
import type { Rec } from "./recording.js";
import type { Step } from "./steps.js";

/** What a conversation needs from the process in which it is played. */
export interface Stage {
  readonly dialect: Dialect;
  /** Says a recorded line. `to` is the host's request that it answers. */
  say(record: Rec, line: string, to: Id | undefined): Promise<void>;
  /** Waits as long as the recording did, at the chosen speed. */
  pause(ms: number): Promise<void>;
  /** The process ended here. */
  exit(record: Rec): Promise<void>;
  /** The host said what the recording has no place for; `over`: because it is at its end. */
  improvise(heard: Heard, over: boolean): Promise<void>;
  /** A number for a request of the agent that no other conversation uses. */
  number(): number;
  /** Nothing can be said before the host says this. */
  waits(kind: string): void;
}

/** Plays the agent's part of one conversation: says what was recorded, and waits where the host spoke. */
export class Player {
  readonly #steps: readonly Step[];
  readonly #stage: Stage;
  /** How often these steps were begun before: names must then differ. */
  readonly #take: number;
  #at = 0;
  /** What the host has said and no step has taken yet. */
  #heard: Heard[] = [];
  /** How much the host has said. */
  #count = 0;
  /** Whether the host will say nothing more. */
  #closed = false;
  #waiting = false;
  #wake: () => void = () => undefined;
  #onSettled: (() => void)[] = [];
  /** Recorded requests of the host → the host's own; absent: it did not ask. */
  readonly #requests = new Map<Id, Id>();
  /** The agent's requests and names, as they were recorded → as they are said, and back. */
  readonly #numbers = new Map<Id, Id>();
  readonly #recordedNumbers = new Map<Id, Id>();
  readonly #names = new Map<string, string>();

  constructor(steps: readonly Step[], stage: Stage, take = 0) {
    this.#steps = steps;
    this.#stage = stage;
    this.#take = take;
  }

  /** The host said something. */
  hear(heard: Heard): void {
    const answers = heard.answers === undefined ? undefined : this.#recordedNumbers.get(heard.answers);
    this.#heard.push(answers === undefined ? heard : { ...heard, answers });
    this.#count += 1;
    this.#wake();
  }

  /** The host will say nothing more. */
  close(): void {
    this.#closed = true;
    this.#wake();
  }

  /** From now on this is called so: a conversation that goes on under the name by which the host knows it. */
  rename(recorded: string, name: string): void {
    this.#names.set(recorded, name);
  }

  /** What the host said, in the recording's names. */
  translate(text: string): string {
    let translated = text;
    for (const [recorded, name] of this.#names) translated = translated.replaceAll(name, recorded);
    return translated;
  }

  /** Whether it asked the host this. */
  asked(id: Id): boolean {
    return this.#recordedNumbers.has(id);
  }

  /** Waits until nothing can be said before the host says more. */
  settled(): Promise<void> {
    if (this.#waiting && this.#heard.length === 0) return Promise.resolve();
    return new Promise((resolve) => this.#onSettled.push(resolve));
  }

  /** Plays to the end, or to where the host has gone. */
  async play(): Promise<void> {
    await this.#playSteps();
    this.#settle();
  }

  async #playSteps(): Promise<void> {
    let time = 0;
    for (; this.#at < this.#steps.length; this.#at += 1) {
      const step = this.#steps[this.#at] as Step;
      if ("hear" in step) {
        if (!(await this.#listen(step.hear))) return;
      } else {
        await this.#stage.pause(step.at - time);
        if ("exit" in step) await this.#stage.exit(step.exit);
        else await this.#speak(step.say, step.answers);
      }
      time = step.at;
    }
    for (let seen = -1; await this.#more(seen, "nothing: the recording is over"); ) {
      seen = this.#count;
      await this.#improvise(() => true, true);
    }
  }

  async #speak(record: Rec, answers: Id | undefined): Promise<void> {
    const { dialect } = this.#stage;
    const to = answers === undefined ? undefined : this.#requests.get(answers);
    // An answer to what was never asked.
    if (answers !== undefined && to === undefined) return;
    const named = this.#renamed(record.line);
    const line = to === undefined ? dialect.renumber?.(named, (id) => this.#number(id)) : dialect.readdress(named, to);
    await this.#stage.say(record, line ?? named, to);
  }

  /** Waits for what the host said here. False: it will not come. */
  async #listen(wanted: Heard): Promise<boolean> {
    for (;;) {
      const seen = this.#count;
      const place = this.#heard.findIndex((heard) => fits(wanted, heard));
      const [found] = place < 0 ? [] : this.#heard.splice(place, 1);
      if (found !== undefined) {
        if (wanted.id !== undefined && found.id !== undefined) this.#requests.set(wanted.id, found.id);
        return true;
      }
      // The host does without it.
      if (wanted.optional && this.#heard.some((heard) => this.#comesLater(heard))) return true;
      await this.#improvise((heard) => heard.optional || !this.#comesLater(heard), false);
      if (!(await this.#more(seen, wanted.kind))) return false;
    }
  }

  /** Whether the recording has a place for it, after this one. */
  #comesLater(heard: Heard): boolean {
    return this.#steps.slice(this.#at + 1).some((step) => "hear" in step && fits(step.hear, heard));
  }

  async #improvise(which: (heard: Heard) => boolean, over: boolean): Promise<void> {
    const strange = this.#heard.filter(which);
    this.#heard = this.#heard.filter((heard) => !strange.includes(heard));
    for (const heard of strange) await this.#stage.improvise(heard, over);
  }

  /** Waits until the host has said more than was seen. False: it will not. */
  async #more(seen: number, kind: string): Promise<boolean> {
    if (this.#count === seen && !this.#closed) {
      this.#stage.waits(kind);
      this.#settle();
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#waiting = false;
    }
    return this.#count > seen;
  }

  #settle(): void {
    this.#waiting = true;
    for (const resolve of this.#onSettled.splice(0)) resolve();
  }

  #number(recorded: Id): Id {
    const number = this.#numbers.get(recorded) ?? (this.#take === 0 ? recorded : this.#stage.number());
    this.#numbers.set(recorded, number);
    this.#recordedNumbers.set(number, recorded);
    return number;
  }

  #renamed(line: string): string {
    const { names } = this.#stage.dialect;
    if (names === undefined || (this.#take === 0 && this.#names.size === 0)) return line;
    return line.replace(names, (name) => this.#names.get(name) ?? this.#another(name));
  }

  /** The same name for the same thing, and another one for each take: its end counts them. */
  #another(recorded: string): string {
    if (this.#take === 0) return recorded;
    const name = recorded.slice(0, -4) + this.#take.toString(16).padStart(4, "0");
    this.#names.set(recorded, name);
    return name;
  }
}

/** Whether what the host says can stand for what was recorded. */
function fits(recorded: Heard, heard: Heard): boolean {
  return recorded.kind === heard.kind && recorded.answers === heard.answers;
}

import type { Dialect, Heard, Id } from "./dialect.js";
import { PROMPT } from "./dialect.js";
import type { Rec } from "./recording.js";
import { brokeDown } from "./recording.js";

/** One step of a conversation: the host says something, the agent says something, or the process ends. */
export type Step =
  | { readonly at: number; readonly hear: Heard }
  | { readonly at: number; readonly say: Rec; readonly answers?: Id }
  | { readonly at: number; readonly exit: Rec };

/** A recording, taken apart: what belongs to the process as a whole, and each of its conversations. */
export interface Parts {
  readonly lobby: readonly Step[];
  readonly conversations: readonly (readonly Step[])[];
  /** What was answered to each kind of request, in order. */
  readonly answers: ReadonlyMap<string, readonly Rec[]>;
}

/** Takes a recording apart. A process that has one conversation only has it in the lobby. */
export function takeApart(records: readonly Rec[], dialect: Dialect): Parts {
  const splitter = new Splitter(records, dialect);
  for (const [index, record] of records.entries()) splitter.add(record, index);
  return splitter;
}

class Splitter implements Parts {
  readonly lobby: Step[] = [];
  readonly conversations: Step[][] = [];
  readonly answers = new Map<string, Rec[]>();
  readonly #dialect: Dialect;
  /** Whether the process broke down: upon anything, a query too. */
  readonly #broke: boolean;
  /** The conversation that began last: what names none belongs to it. */
  #current = this.lobby;
  readonly #byName = new Map<string, Step[]>();
  readonly #byRequest = new Map<Id, { heard: Heard; steps: Step[] }>();
  readonly #byQuestion = new Map<Id, Step[]>();
  /** Requests by HTTP have no identifier: their answer comes on the same channel. */
  readonly #waiting: { channel: string; id: Id }[] = [];

  constructor(records: readonly Rec[], dialect: Dialect) {
    this.#dialect = dialect;
    this.#broke = records.some((record) => record.dir === "exit" && brokeDown(record));
  }

  add(record: Rec, index: number): void {
    if (record.dir === "exit") this.#current.push({ at: record.t, exit: record });
    else if (record.dir !== "in") this.#say(record);
    else if (record.ch !== "argv") this.#hear(record, index);
  }

  #hear({ line, ch, t }: Rec, index: number): void {
    const heard = this.#dialect.heard(line, ch);
    if (heard === undefined) return;
    const asked = heard.answers === undefined ? undefined : this.#byQuestion.get(heard.answers);
    const known = asked ?? this.#named(heard.names);
    // A conversation that goes on needs not be opened.
    const opens = heard.opens || (heard.kind === PROMPT && heard.names.length > 0 && known === undefined);
    const steps = opens ? this.#begin(heard.names) : (known ?? this.lobby);
    const id = heard.id ?? this.#wait(ch, index);
    if (id !== undefined) this.#byRequest.set(id, { heard, steps });
    if (!this.#isAside(heard)) steps.push({ at: t, hear: { ...heard, opens, ...(id !== undefined && { id }) } });
  }

  #say(record: Rec): void {
    const said = this.#dialect.said(record.line, record.ch);
    const id = said.answers ?? this.#waited(record.ch);
    // Some agents repeat the host's answers: these answer nothing.
    const request = id === undefined ? undefined : this.#byRequest.get(id);
    if (request !== undefined) this.#answer(request.heard.kind, record);
    if (request !== undefined && this.#isAside(request.heard)) return;
    const steps = request?.steps ?? this.#named(said.names) ?? this.#current;
    if (steps !== this.lobby) this.#name(said.names, steps);
    if (said.asks !== undefined) this.#byQuestion.set(said.asks, steps);
    const early = this.#dialect.answersFirst && request === undefined;
    const step = { at: record.t, say: record, ...(request !== undefined && id !== undefined && { answers: id }) };
    steps.splice(early ? unanswered(steps) : steps.length, 0, step);
  }

  /** Queries have no place of their own in a conversation. */
  #isAside({ query }: Heard): boolean {
    return query && !this.#broke;
  }

  #begin(names: readonly string[]): Step[] {
    this.#current = [];
    this.conversations.push(this.#current);
    for (const name of names) this.#byName.set(name, this.#current);
    return this.#current;
  }

  #named(names: readonly string[]): Step[] | undefined {
    return names.map((name) => this.#byName.get(name)).find((steps) => steps !== undefined);
  }

  #name(names: readonly string[], steps: Step[]): void {
    for (const name of names) if (!this.#byName.has(name)) this.#byName.set(name, steps);
  }

  #answer(kind: string, record: Rec): void {
    this.answers.set(kind, [...(this.answers.get(kind) ?? []), record]);
  }

  #wait(channel: string | undefined, index: number): Id | undefined {
    if (!channel?.startsWith("http ")) return undefined;
    const id = `#${index}`;
    this.#waiting.push({ channel, id });
    return id;
  }

  #waited(channel: string | undefined): Id | undefined {
    const place = this.#waiting.findIndex((request) => request.channel === channel);
    return place < 0 ? undefined : this.#waiting.splice(place, 1)[0]?.id;
  }
}

/** Where the requests begin at the end of a conversation that have no answer yet: what is said now, they did not cause. */
function unanswered(steps: readonly Step[]): number {
  const caused = steps.findLastIndex((step) => !("hear" in step) || step.hear.id === undefined);
  return caused + 1;
}

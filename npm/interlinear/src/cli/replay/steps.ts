import type { Dialect, Heard, Id } from "./dialect.js";
import { PROMPT } from "./dialect.js";
import type { Rec } from "./recording.js";

/** One step of a conversation: the host says something, the agent says something, or the process ends. */
export type Step =
  | { readonly at: number; readonly hear: Heard }
  | { readonly at: number; readonly say: Rec; readonly answers?: Id }
  | { readonly at: number; readonly exit: Rec };

/** A recording, taken apart: what belongs to the process as a whole, and each of its conversations. */
export interface Parts {
  readonly lobby: readonly Step[];
  readonly conversations: readonly (readonly Step[])[];
}

/** Takes a recording apart. A process that has one conversation only has it in the lobby. */
export function takeApart(records: readonly Rec[], dialect: Dialect): Parts {
  const lobby: Step[] = [];
  const conversations: Step[][] = [];
  const byName = new Map<string, Step[]>();
  const byRequest = new Map<Id, Step[]>();
  const byQuestion = new Map<Id, Step[]>();
  const waiting: { channel: string; id: Id }[] = [];
  let current = lobby;

  const begin = () => {
    current = [];
    conversations.push(current);
    return current;
  };
  const hear = (record: Rec, index: number) => {
    const heard = dialect.heard(record.line, record.ch);
    if (heard === undefined) return;
    // Requests by HTTP have no identifier: their answer comes on the same channel.
    const http = record.ch?.startsWith("http ") ? `#${index}` : undefined;
    const id = heard.id ?? http;
    const asked = heard.answers === undefined ? undefined : byQuestion.get(heard.answers);
    const known = asked ?? heard.names.map((name) => byName.get(name)).find((steps) => steps !== undefined);
    // A conversation that goes on needs not be opened.
    const opens = heard.opens || (heard.kind === PROMPT && heard.names.length > 0 && known === undefined);
    const steps = opens ? begin() : (known ?? lobby);
    if (opens) for (const name of heard.names) byName.set(name, steps);
    if (id !== undefined) byRequest.set(id, steps);
    if (http !== undefined && record.ch !== undefined) waiting.push({ channel: record.ch, id: http });
    steps.push({ at: record.t, hear: { ...heard, opens, ...(id !== undefined && { id }) } });
  };
  const say = (record: Rec) => {
    const said = dialect.said(record.line, record.ch);
    const place = waiting.findIndex(({ channel }) => channel === record.ch);
    const named = said.answers ?? (place < 0 ? undefined : waiting.splice(place, 1)[0]?.id);
    // Some agents repeat the host's answers: these answer nothing.
    const answers = named !== undefined && byRequest.has(named) ? named : undefined;
    const known = said.names.map((name) => byName.get(name)).find((steps) => steps !== undefined);
    const steps = (answers === undefined ? undefined : byRequest.get(answers)) ?? known ?? current;
    if (steps !== lobby) for (const name of said.names) if (!byName.has(name)) byName.set(name, steps);
    if (said.asks !== undefined) byQuestion.set(said.asks, steps);
    const step: Step = { at: record.t, say: record, ...(answers !== undefined && { answers }) };
    const before = dialect.answersFirst && answers === undefined ? unanswered(steps) : steps.length;
    steps.splice(before, 0, step);
  };
  for (const [index, record] of records.entries()) {
    if (record.dir === "exit") current.push({ at: record.t, exit: record });
    else if (record.dir === "in") {
      if (record.ch !== "argv") hear(record, index);
    } else say(record);
  }
  return { lobby, conversations };
}

/** Where the requests begin at the end of a conversation that have no answer yet: what is said now, they did not cause. */
function unanswered(steps: readonly Step[]): number {
  const caused = steps.findLastIndex((step) => !("hear" in step) || step.hear.id === undefined);
  return caused + 1;
}

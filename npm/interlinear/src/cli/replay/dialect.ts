/** By what a request and its answer are matched. */
export type Id = string | number;

/** What the kind of a prompt is called, however the agent spells it. */
export const PROMPT = "a prompt";
/** What the kind of an answer is called that the agent waits for. */
export const ANSWER = "an answer";

/** A line of the host, as far as it must be understood to play the agent's part. */
export interface Heard {
  /** What it is. Lines of one kind can stand for each other: a prompt for another prompt. */
  readonly kind: string;
  /** By what its answer names it; absent: nothing answers it. */
  readonly id?: Id;
  /** The request of the agent that it answers. */
  readonly answers?: Id;
  /** Names of conversations, and of what is asked in them: they tell to which conversation the line belongs. */
  readonly names: readonly string[];
  /** Whether it begins a conversation, in a process that has several. */
  readonly opens: boolean;
  /** Whether it only wants to know something: it can be asked at any time, or never. */
  readonly query: boolean;
  /** Whether a conversation goes on without it. It does not without a prompt, or an answer that the agent waits for. */
  readonly optional: boolean;
}

/** A line of the agent. */
export interface Said {
  /** The request of the host that it answers. */
  readonly answers?: Id;
  /** Its own request to the host, where conversations count them together. */
  readonly asks?: Id;
  readonly names: readonly string[];
}

/** An answer that was not recorded. */
export interface Reply {
  readonly line: string;
  /** Of an answer by HTTP. */
  readonly status?: number;
}

/** How an agent and its host talk. */
export interface Dialect {
  /** What a line of the host says, or nothing if it makes no sense. `channel` is that of the recording. */
  heard(line: string, channel: string | undefined): Heard | undefined;
  /** What a line of the agent says. */
  said(line: string, channel: string | undefined): Said;
  /** The line with the host's identifier of the request that it answers. */
  readdress(line: string, answers: Id): string;
  /** The line with another identifier of the agent's own request. */
  renumber?(line: string, number: (id: Id) => Id): string;
  /** Whether the answer to a request comes before anything else that the request causes. */
  readonly answersFirst?: boolean;
  /** Every name that must differ when a conversation is played again: beside itself, or after itself. */
  readonly names?: RegExp;
  /** What can be answered where the recording has no answer. */
  reply(heard: Heard): Reply | undefined;
}

/** A line as an object; an empty one if it is none. */
export function object(line: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** A member that is an object. */
export function inside(value: Record<string, unknown>, key: string): Record<string, unknown> {
  const member = value[key];
  return typeof member === "object" && member !== null ? (member as Record<string, unknown>) : {};
}

/** How requests are called that only want to know something. */
const QUERY = /^(?:get_|mcp_status$|file_suggestions$|GET )|\/(?:list|read)$/;

/** What a line of an agent is that has one conversation. */
export function plain(kind: string, rest: { id?: unknown; answers?: unknown } = {}): Heard {
  const id = idOf(rest.id);
  const answers = idOf(rest.answers);
  return {
    kind,
    names: [],
    opens: false,
    query: QUERY.test(kind),
    optional: kind !== PROMPT && kind !== ANSWER,
    ...(id !== undefined && { id }),
    ...(answers !== undefined && { answers }),
  };
}

/** A value that can be an identifier. */
export function idOf(value: unknown): Id | undefined {
  return typeof value === "string" || typeof value === "number" ? value : undefined;
}

import type {
  ErrorData,
  PermissionData,
  QuestionData,
  SessionEndedData,
  SessionMetadata,
  Todo,
  TurnMetadata,
  UniversalEvent,
  UniversalItem,
  UnparsedData,
  Usage,
} from "../../types/index.js";

/**
 * One session as a UI draws it: what {@link fold} makes of its events.
 *
 * It is plain data: it can be stored as JSON, posted to a worker, compared. It is never changed in place: folding
 * further events gives a new transcript that shares everything that did not change, so `===` tells a UI what to draw
 * again.
 *
 * To draw it: for each of `turns`, for each of its `entries`, draw the entry, then its `children`, then its `result`.
 */
export interface TranscriptState {
  /** What is known about the session. */
  readonly session: SessionState;
  /** What happened, in order: turns, and what came between them. */
  readonly turns: readonly Turn[];
  /** The permissions and questions that wait for an answer, oldest first. They also stand in `turns`. */
  readonly pending: readonly (PermissionEntry | QuestionEntry)[];
  /** The errors, in order. They also stand in `turns`. */
  readonly errors: readonly ErrorEntry[];
  /** The native lines that could not be read, in order. They also stand in `turns`. */
  readonly unparsed: readonly UnparsedEntry[];
  /** The main agent's list of things to do, as it was last shown. */
  readonly todos: readonly Todo[];
  /** What all turns used, put together. */
  readonly usage: Usage;
  /** The number of the last event that was folded. */
  readonly sequence: number;
  /** How many events never came: gaps in the sequence. Not 0 means that the transcript may be incomplete. */
  readonly missed: number;
}

/** What is known about a session. */
export interface SessionState {
  /** The session's identifier; empty as long as there was no event. */
  readonly session_id: string;
  /** The agent's own identifier, the newest one. */
  readonly native_session_id?: string;
  /** `waiting` before the first event, `running`, `ended`. */
  readonly status: "waiting" | "running" | "ended";
  /**
   * Agent, version, model, directory, tools, mode, title: what `session.started` said, and over it, in order, what
   * the `status` items with the labels `session`, `mode` and `title` said.
   */
  readonly facts: SessionMetadata;
  /** When it started. */
  readonly started_at?: string;
  /** When it ended. */
  readonly ended_at?: string;
  /** How it ended. */
  readonly end?: SessionEndedData;
}

/** A turn with its entries; or, with `status: "outside"`, what happened while no turn was running. */
export interface Turn {
  /** Names it among all turns, for lists. */
  readonly key: string;
  /** Its identifier, where the agent has one. */
  readonly turn_id?: string;
  /** `running` until it ends, then how it ended; `outside` if it is not a turn. */
  readonly status: "running" | "completed" | "interrupted" | "failed" | "outside" | (string & {});
  /** When it started. */
  readonly started_at?: string;
  /** When it ended. */
  readonly ended_at?: string;
  /** Usage, model, stop reason, duration: what was said at its start and, over it, at its end. */
  readonly metadata: TurnMetadata;
  /** What happened in it, in order. */
  readonly entries: readonly Entry[];
}

/** One thing that happened. */
export type Entry = ItemEntry | PermissionEntry | QuestionEntry | ErrorEntry | UnparsedEntry | EventEntry;

/** What all entries have. */
interface EntryBase {
  /** Names it among all entries, for lists. */
  readonly key: string;
  /** When it began. */
  readonly time: string;
  /** The number of the first event that it is made of. */
  readonly first: number;
  /** The number of the last event that it is made of. */
  readonly last: number;
  /** What hangs below it: a message's tool calls, a subagent's items, a call's permission. */
  readonly children: readonly Entry[];
}

/** A message, tool call, result, system text, status, or an item of a kind that is not known yet. */
export interface ItemEntry extends EntryBase {
  readonly type: "item";
  /** The item as it is now: while `status` is `in_progress`, with the deltas applied. */
  readonly item: UniversalItem;
  /** When it was completed or failed. */
  readonly completed_at?: string;
  /** The result, if it is a tool call that has one already. */
  readonly result?: ItemEntry;
  /** Whether the agent took it back: it is no longer part of the conversation. */
  readonly retracted: boolean;
}

/** A permission that the agent asked for; it hangs below its tool call, where it names one. */
export interface PermissionEntry extends EntryBase {
  readonly type: "permission";
  /** The request, with the answer once there is one (`status`). */
  readonly permission: PermissionData;
  /** When it was answered. */
  readonly resolved_at?: string;
}

/** A question that the agent asked; it hangs below its tool call, where it names one. */
export interface QuestionEntry extends EntryBase {
  readonly type: "question";
  /** The request, with the answer once there is one (`status`). */
  readonly question: QuestionData;
  /** When it was answered. */
  readonly resolved_at?: string;
}

/** Something failed. */
export interface ErrorEntry extends EntryBase {
  readonly type: "error";
  /** What failed. */
  readonly error: ErrorData;
}

/** A native line could not be read. */
export interface UnparsedEntry extends EntryBase {
  readonly type: "unparsed";
  /** Which line, and why. */
  readonly unparsed: UnparsedData;
}

/** An event of a type that this version does not know, whole. */
export interface EventEntry extends EntryBase {
  readonly type: "event";
  /** The event. */
  readonly event: UniversalEvent;
}

/** The transcript of a session that has not begun. */
export const emptyTranscript: TranscriptState = {
  session: { session_id: "", status: "waiting", facts: {} },
  turns: [],
  pending: [],
  errors: [],
  unparsed: [],
  todos: [],
  usage: {},
  sequence: 0,
  missed: 0,
};

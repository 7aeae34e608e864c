// What every store of transcripts promises. The conformance suite in test/store holds all of them to it.
import type { Agent, UniversalEvent } from "../../types/index.js";

/** What is known of a stored session without reading it whole. */
export interface SessionInfo {
  sessionId: string;
  agent: Agent | undefined;
  /** When the session was opened here, in milliseconds since 1970. */
  createdAt: number;
  /** When its last event was written. */
  updatedAt: number;
  /** The sequence of its last event: how many events it has. */
  lastSequence: number;
  /** Whether `session.ended` was written. */
  ended: boolean;
  /** How much its events and native objects take, as JSON text. */
  bytes: number;
  /** What the host keeps with the session: the agent's own id, the working directory, a title. */
  metadata: Record<string, unknown>;
}

/** What to say of a session when it is opened for writing. */
export interface SessionMeta {
  agent?: Agent;
  metadata?: Record<string, unknown>;
}

/** Where to read. */
export interface ReadOptions {
  /** Only events with a greater sequence: the last one that the reader has. 0 if not given: from the beginning. */
  offset?: number;
  /** At most so many events. */
  limit?: number;
  /** Whether events carry the native object that caused them; else `raw` is null. */
  includeRaw?: boolean;
  /** Whether events carry the native lines before them that gave none, as `silent`, and which way their own went. */
  includeSilent?: boolean;
  signal?: AbortSignal;
}

/**
 * What becomes of events that a subscriber is too slow for: `wait` reads them from the store later, so that nothing is
 * missing; `coalesce` does too, and joins neighbouring deltas of the same part (unless they carry native objects), under
 * the sequence of the last; `drop` leaves the newest out and says so by a `Gap`. The writer never waits for a subscriber.
 */
export type Overflow = "drop" | "coalesce" | "wait";

/** How to follow a session. */
export interface SubscribeOptions extends Omit<ReadOptions, "limit"> {
  /** How many events may wait for the subscriber; 256 if not given. */
  buffer?: number;
  /** `wait` if not given. */
  overflow?: Overflow;
}

/** Stands in a subscription where events were left out. `read` still has them. */
export interface Gap {
  type: "gap";
  session_id: string;
  /** The first sequence that is missing. */
  from: number;
  /** The last sequence that is missing. */
  to: number;
  /** How many events this subscriber has missed so far, in all gaps. */
  dropped: number;
}

/** The one writer of a session. */
export interface SessionWriter {
  readonly sessionId: string;
  /** The sequence of the last event that is written for good. */
  readonly lastSequence: number;
  /**
   * Writes events, then tells the subscribers. When it resolves the events are written (as safely as the store was
   * asked to), when it rejects none of them is: append the same events again, or give up. Sequences must go on without
   * a hole. Calls need not wait for each other: what comes while the store is writing is written together.
   *
   * Instead of events it takes their lines, as `relay` gives them: what a session relayed is written as it is, without an
   * object in between.
   */
  append(events: readonly UniversalEvent[] | Uint8Array): Promise<void>;
  /** Keeps more with the session: merged into its metadata. */
  describe(metadata: Record<string, unknown>): Promise<void>;
  /** Gives the session free for another writer. */
  close(): Promise<void>;
}

/** Keeps sessions, append-only, and hands them out. */
export interface Store {
  /** Opens a session for writing; refuses with `session_busy` while another writer holds it. */
  open(sessionId: string, meta?: SessionMeta): Promise<SessionWriter>;
  /** All sessions, the last written first. */
  list(options?: { limit?: number; offset?: number }): Promise<SessionInfo[]>;
  /** What is known of one session; `undefined` if there is none. */
  info(sessionId: string): Promise<SessionInfo | undefined>;
  /** What is written, in order, in batches; refuses with `unknown_session`. */
  read(sessionId: string, options?: ReadOptions): AsyncIterable<UniversalEvent[]>;
  /** What is written from the offset on, then what comes, with no hole and no double; ends after `session.ended`. */
  subscribe(sessionId: string, options?: SubscribeOptions): AsyncIterable<UniversalEvent | Gap>;
  /** Removes a session; refuses with `session_busy` while a writer holds it. */
  delete(sessionId: string): Promise<void>;
  /** Closes what is open; subscriptions end. */
  close(): Promise<void>;
}

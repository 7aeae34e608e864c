import { setTimeout as sleep } from "node:timers/promises";
import type { UniversalEvent, UniversalItem } from "../../types/index.js";
import { codeOf } from "../errors.js";
import type { SessionWriter } from "../store/store.js";
import { SilentLines } from "./silent.js";

/** How a session stands. */
export type SessionStatus = "idle" | "running" | "ended";

/** What the agent waits for. */
export interface Pending {
  /** Permission requests without an answer. */
  readonly permissions: ReadonlySet<string>;
  /** Questions without an answer. */
  readonly questions: ReadonlySet<string>;
}

/** A store that takes nothing now may take it later: so often, after so long, it is asked again. */
const TRIES = 300;
const PAUSE_MS = 1000;
/** So often, where somebody waits for the end of the session. */
const LAST_TRIES = 3;
const PASSING = ["store_full", "store_failed"];
/** The facts that are kept with a session in the store. */
const FACTS = ["title", "cwd", "model", "variant", "mode"];

/** Writes a session's events into the store, in their order, and knows from them how the session stands. */
export class Journal {
  readonly #writer: SessionWriter;
  readonly #watchers = new Set<() => void>();
  readonly #permissions = new Set<string>();
  /** The questions without an answer, and how many each request holds. */
  readonly #questions = new Map<string, number>();
  #written: Promise<void> = Promise.resolve();
  /** What is to be kept with the session, and is not yet. */
  #facts: Record<string, unknown> | undefined;
  /** Aborted when the session is to end. */
  readonly #ending = new AbortController();
  /** The lines that wait for the next event. */
  readonly silent = new SilentLines();
  status: SessionStatus = "idle";
  nativeSessionId: string | undefined;
  /** The last event that was handed over. */
  lastSequence: number;
  /** How many turns are over. */
  turns = 0;
  /** How many errors were told, and the last of them. */
  failures = 0;
  lastError: string | undefined;
  /** Why the store takes no more. */
  failure: Error | undefined;

  constructor(writer: SessionWriter) {
    this.#writer = writer;
    this.lastSequence = writer.lastSequence;
  }

  get pending(): Pending {
    return { permissions: new Set(this.#permissions), questions: new Set(this.#questions.keys()) };
  }

  /** How many questions a request holds. */
  questionsOf(id: string): number {
    return this.#questions.get(id) ?? 1;
  }

  /** Writes events; never fails here: see `failure`. */
  write(events: readonly UniversalEvent[]): void {
    for (const event of events) this.#note(event);
    const facts = this.#facts;
    this.#facts = undefined;
    this.#written = this.#written.then(() => this.#append(events, facts));
    this.#tell();
  }

  /** Everything that was handed over is written. */
  settled(): Promise<void> {
    return this.#written;
  }

  /** Resolves when something is true of the session; looked at after each batch of events. */
  until(holds: () => boolean): { promise: Promise<void>; cancel(): void } {
    let watcher = () => {};
    const promise = new Promise<void>((resolve) => {
      watcher = () => {
        if (!holds()) return;
        this.#watchers.delete(watcher);
        resolve();
      };
    });
    this.#watchers.add(watcher);
    watcher();
    return { promise, cancel: () => this.#watchers.delete(watcher) };
  }

  /** Nothing more can be read of the session. */
  fail(error: Error): void {
    this.failure ??= error;
    this.#tell();
  }

  /** The session is to end: a store that takes nothing is not waited for much longer. */
  hurry(): void {
    this.#ending.abort();
  }

  async close(): Promise<void> {
    this.hurry();
    await this.#written;
    await this.#writer.close();
  }

  /** Whoever reads the agent waits for this: nothing piles up while the store takes nothing. */
  async #append(events: readonly UniversalEvent[], facts: Record<string, unknown> | undefined): Promise<void> {
    const { signal } = this.#ending;
    for (let tried = 1; this.failure === undefined; tried += 1) {
      try {
        // Whoever reads the events finds what they say of the session kept with it.
        if (facts !== undefined) await this.#writer.describe(facts);
        await this.#writer.append(events);
        return;
      } catch (error) {
        const passes = tried < (signal.aborted ? LAST_TRIES : TRIES) && PASSING.includes(codeOf(error) ?? "");
        if (tried === 1 || !passes) this.#warn(error as Error, passes);
        if (passes) await sleep(PAUSE_MS, undefined, signal.aborted ? {} : { signal }).catch(() => {});
        else this.fail(error as Error);
      }
    }
  }

  /** Whoever runs the host can mend the store, and may not be the one who reads the session. */
  #warn({ message }: Error, passes: boolean): void {
    const what = passes ? "cannot be written now, and is tried again" : "is not written any more";
    process.emitWarning(`session ${this.#writer.sessionId} ${what}: ${message}`, { code: "INTERLINEAR_STORE" });
  }

  #tell(): void {
    for (const watcher of this.#watchers) watcher();
  }

  #note(event: UniversalEvent): void {
    this.lastSequence = event.sequence;
    if (event.native_session_id !== undefined && event.native_session_id !== this.nativeSessionId) {
      this.nativeSessionId = event.native_session_id;
      this.#keep({ native_session_id: event.native_session_id });
    }
    switch (event.type) {
      case "turn.started":
        this.status = "running";
        break;
      case "turn.ended":
        this.status = "idle";
        this.turns += 1;
        break;
      case "session.ended":
        this.status = "ended";
        break;
      case "permission.requested":
        this.#permissions.add(event.data.permission_id);
        break;
      case "permission.resolved":
        this.#permissions.delete(event.data.permission_id);
        break;
      case "question.requested":
        this.#questions.set(event.data.question_id, event.data.questions?.length ?? 1);
        break;
      case "question.resolved":
        this.#questions.delete(event.data.question_id);
        break;
      case "error":
        this.failures += 1;
        this.lastError = event.data.message;
        break;
      case "item.completed":
        if (event.data.item.kind === "status") this.#noteStatus(event.data.item);
        break;
    }
  }

  /** What the agent says of the session itself. */
  #noteStatus({ content }: UniversalItem): void {
    const [status, facts] = content;
    if (status?.type !== "status") return;
    if (status.label === "title" && status.detail !== undefined) this.#keep({ title: status.detail });
    if (status.label !== "session" || facts?.type !== "json") return;
    const known = Object.entries(Object(facts.json)).filter(([name]) => FACTS.includes(name));
    if (known.length > 0) this.#keep(Object.fromEntries(known));
  }

  #keep(facts: Record<string, unknown>): void {
    this.#facts = { ...this.#facts, ...facts };
  }
}

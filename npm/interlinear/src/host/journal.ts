import type { UniversalEvent } from "../../types/index.js";
import type { SessionWriter } from "../store/store.js";

/** How a session stands. */
export type SessionStatus = "idle" | "running" | "ended";

/** Writes a session's events into the store, in their order, and knows from them how the session stands. */
export class Journal {
  readonly #writer: SessionWriter;
  readonly #watchers = new Set<() => void>();
  #written: Promise<void> = Promise.resolve();
  status: SessionStatus = "idle";
  nativeSessionId: string | undefined;
  /** The last event that was handed over. */
  lastSequence: number;
  /** Why the store takes no more. */
  failure: Error | undefined;
  /** How many errors were told, and the last of them. */
  failures = 0;
  lastError: string | undefined;
  /** How many questions each request holds that waits for an answer. */
  readonly questions = new Map<string, number>();

  constructor(writer: SessionWriter) {
    this.#writer = writer;
    this.lastSequence = writer.lastSequence;
  }

  /** Writes events; never fails here: see `failure`. */
  write(events: readonly UniversalEvent[]): void {
    for (const event of events) this.#note(event);
    const before = this.nativeSessionId;
    this.#written = this.#written.then(async () => {
      if (this.failure !== undefined) return;
      await this.#writer.append(events);
      if (before !== undefined && before !== this.#described) await this.#describe(before);
    });
    this.#written = this.#written.catch((error: Error) => {
      this.failure ??= error;
      this.#tell();
    });
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

  #tell(): void {
    for (const watcher of this.#watchers) watcher();
  }

  async close(): Promise<void> {
    await this.#written;
    await this.#writer.close();
  }

  #described: string | undefined;

  /** The agent's own identifier, by which the session can be resumed. */
  async #describe(native: string): Promise<void> {
    this.#described = native;
    await this.#writer.describe({ native_session_id: native });
  }

  #note(event: UniversalEvent): void {
    this.lastSequence = event.sequence;
    this.nativeSessionId = event.native_session_id ?? this.nativeSessionId;
    if (event.type === "turn.started") this.status = "running";
    else if (event.type === "turn.ended") this.status = "idle";
    else if (event.type === "session.ended") this.status = "ended";
    else if (event.type === "error") {
      this.failures += 1;
      this.lastError = event.data.message;
    } else if (event.type === "question.requested")
      this.questions.set(event.data.question_id, event.data.questions?.length ?? 1);
    else if (event.type === "question.resolved") this.questions.delete(event.data.question_id);
  }
}

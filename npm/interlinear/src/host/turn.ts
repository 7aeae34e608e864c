import { setTimeout as sleep } from "node:timers/promises";
import type { UniversalEvent } from "../../types/index.js";

/** A turn as it happens. It runs whether or not anyone reads it; the events stay in the store. */
export interface Turn extends AsyncIterable<UniversalEvent> {
  /** Resolves when the agent was told, or rejects with the reason why it could not be. */
  readonly sent: Promise<void>;
}

/** After an error outside of a turn, one may still begin: so long it is waited for. */
export const REFUSED_MS = 2000;

/**
 * The events up to the end of the turn that a prompt began or joined; where the agent refused it, up to the error that
 * says so. `follow` gives events until its signal fires.
 */
export async function* untilTurnEnds<E extends { type: string }>(
  isRunning: boolean,
  follow: (signal: AbortSignal) => AsyncIterable<E>,
): AsyncGenerator<E> {
  const enough = new AbortController();
  const reader = follow(enough.signal)[Symbol.asyncIterator]();
  let isOpen = isRunning;
  let isRefused = false;
  try {
    for (;;) {
      const coming = reader.next();
      coming.catch(() => {});
      const waits = isRefused && !isOpen;
      const next = await (waits ? Promise.race([coming, sleep(REFUSED_MS, undefined, { ref: false })]) : coming);
      if (next === undefined || next.done === true) return;
      const event = next.value;
      yield event;
      if (event.type === "turn.ended" || event.type === "session.ended") return;
      if (event.type === "turn.started") isOpen = true;
      if (event.type === "error") isRefused = true;
    }
  } finally {
    // Whether it waits or not, it lets go of the store.
    enough.abort();
    await reader.return?.().catch(() => {});
  }
}

import { useEffect, useMemo, useRef, useSyncExternalStore } from "react";
import type { UniversalEvent } from "../../types/index.js";
import { fold, type TranscriptState } from "../fold.js";
import { NOTHING, Reader, type TranscriptReading } from "./reader.js";
import { isEvents, type StreamSource, type TranscriptSource } from "./source.js";

/**
 * The transcript of a source, kept up to date as events come: once for each frame, however many there are. What is
 * done keeps its identity.
 *
 * Several components may look at the same source: it is read once. It is left shortly after the last one is gone, and
 * read anew when one comes back, where it can be. An array grows by being replaced with a longer one.
 *
 * @param given the source; another object is another source
 * @param dependencies with them a source may be made where it is used: it is another one when one of them changed
 *
 * @example
 * const { transcript, status } = useTranscript(() => client.streamEvents(id), [id]);
 */
export function useTranscript(given: TranscriptSource, dependencies?: readonly unknown[]): TranscriptReading {
  // biome-ignore lint/correctness/useExhaustiveDependencies: that is what the dependencies are for
  const source = useMemo(() => given, dependencies ?? [given]);
  const folded = useFolded(source);
  const { subscribe, current } = isEvents(source) ? NO_READER : readerOf(source);
  const reading = useSyncExternalStore(subscribe, current, current);
  useSteadiness(source, reading);
  return useMemo(() => (folded === undefined ? reading : { transcript: folded, status: "done" }), [folded, reading]);
}

/**
 * A source that is another one each time the component is drawn is never seen: when it has something to show, the
 * component looks at the next one. Whoever made it so is told.
 */
function useSteadiness(source: TranscriptSource, reading: TranscriptReading): void {
  const kept = useRef<{ source: TranscriptSource; seen: boolean }>(undefined);
  useEffect(() => {
    kept.current = { source, seen: reading !== NOTHING };
  }, [source, reading]);
  if (kept.current === undefined || kept.current.seen || isEvents(kept.current.source)) return;
  if (kept.current.source === source || readers.get(kept.current.source)?.current() === NOTHING) return;
  console.error(
    "useTranscript: this source is another one each time the component is drawn, so that nothing of it is seen. " +
      "Say what it depends on: useTranscript(() => client.streamEvents(id), [id]).",
  );
}

const NO_READER = { subscribe: () => () => {}, current: () => NOTHING };

const readers = new WeakMap<StreamSource, Reader>();

function readerOf(source: StreamSource): Reader {
  const reader = readers.get(source) ?? new Reader(source);
  readers.set(source, reader);
  return reader;
}

/** Of an array that begins with the events of the last one, only what is new is folded. */
function useFolded(source: TranscriptSource): TranscriptState | undefined {
  const last = useRef<{ events: readonly UniversalEvent[]; transcript: TranscriptState }>(undefined);
  return useMemo(() => {
    if (!isEvents(source)) return undefined;
    const before = last.current;
    const transcript =
      before !== undefined && beginsWith(source, before.events)
        ? fold(before.transcript, source.slice(before.events.length))
        : fold(undefined, source);
    last.current = { events: source, transcript };
    return transcript;
  }, [source]);
}

function beginsWith(events: readonly UniversalEvent[], beginning: readonly UniversalEvent[]): boolean {
  const { length } = beginning;
  return length <= events.length && events[0] === beginning[0] && events[length - 1] === beginning[length - 1];
}

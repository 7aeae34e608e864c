// A stream of events that outlives its connections: it comes back where it was.
import type { UniversalEvent } from "../../types/index.js";
import { onAbort } from "../abort.js";
import type { Gap } from "../store/store.js";
import { ClientError } from "./failure.js";
import { readFrames } from "./sse.js";

export interface StreamOptions {
  offset: number;
  /** Whether sequences may have holes: deltas that were joined, events that were dropped. */
  holes: boolean;
  onGap: ((gap: Gap) => void) | undefined;
  signal: AbortSignal | undefined;
  /** After so many milliseconds of silence the connection is given up. */
  silence: number;
  /** Opens the stream after an event; `undefined` if the session has ended. */
  connect(offset: number, signal: AbortSignal): Promise<Response | undefined>;
}

/** Reads until the session has ended. */
export async function* streamEvents(options: StreamOptions): AsyncGenerator<UniversalEvent, void> {
  let offset = options.offset;
  let pause = 0;
  for (;;) {
    options.signal?.throwIfAborted();
    try {
      for await (const event of connection(options, offset)) {
        pause = 0;
        if (event.type === "gap") {
          options.onGap?.(event);
          offset = event.to;
          continue;
        }
        if (event.sequence <= offset) continue;
        // Something was lost on the way: read it again.
        if (event.sequence > offset + 1 && !options.holes) break;
        offset = event.sequence;
        yield event;
        if (event.type === "session.ended") return;
      }
    } catch (error) {
      options.signal?.throwIfAborted();
      if (error instanceof Ended) return;
      if (error instanceof ClientError && !passes(error)) throw error;
    }
    await sleep(pause, options.signal);
    pause = Math.min(5_000, pause * 2 + 100 + Math.random() * 100);
  }
}

class Ended extends Error {}

/** Whether it may be different the next time. */
function passes({ status }: ClientError): boolean {
  return status === undefined || status >= 500 || status === 408 || status === 429;
}

/** One connection. */
async function* connection(options: StreamOptions, offset: number): AsyncGenerator<UniversalEvent | Gap, void> {
  const stop = new AbortController();
  const release = onAbort(options.signal, () => stop.abort(options.signal?.reason));
  let timer: ReturnType<typeof setTimeout> | undefined;
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(() => stop.abort(), options.silence);
  };
  try {
    heard();
    const response = await options.connect(offset, stop.signal);
    if (response === undefined) throw new Ended();
    if (response.body === null) return;
    for await (const { data } of readFrames(response.body, heard)) yield JSON.parse(data) as UniversalEvent | Gap;
  } finally {
    clearTimeout(timer);
    release();
    stop.abort();
  }
}

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      release();
      resolve();
    };
    const timer = setTimeout(done, ms);
    const release = onAbort(signal, done);
  });
}

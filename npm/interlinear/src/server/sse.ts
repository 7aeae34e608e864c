// Server-sent events. The stream is pulled: as long as the client does not read, nothing is taken from the store.
import type { UniversalEvent } from "../../types/index.js";
import type { Gap } from "../store/store.js";

/** How often a silent stream says that it is alive, in milliseconds. */
const keepAlive = 15_000;

/** So many bytes wait for the client. */
const waiting = 64 * 1024;

/** So much is sent at once, where so much is at hand. */
const piece = 16 * 1024;

const encoder = new TextEncoder();

export const eventStreamType = "text/event-stream";

/**
 * Events as a stream. Each has its sequence as its id, so that a client that comes back says where it was.
 *
 * @param open makes the events; the signal is aborted when the client is gone
 */
export function eventStream(open: (signal: AbortSignal) => AsyncIterable<UniversalEvent | Gap>): Response {
  const gone = new AbortController();
  const events = new AtHand(open(gone.signal)[Symbol.asyncIterator]());
  let timer: ReturnType<typeof setInterval> | undefined;
  const stream = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const say = (text: string) => controller.enqueue(encoder.encode(text));
        say("retry: 1000\n\n");
        timer = setInterval(() => {
          if ((controller.desiredSize ?? 0) > 0) say(": alive\n\n");
        }, keepAlive);
      },
      async pull(controller) {
        try {
          const text = await events.take();
          if (text !== "") return controller.enqueue(encoder.encode(text));
          clearInterval(timer);
          controller.close();
        } catch (error) {
          clearInterval(timer);
          if (!gone.signal.aborted) controller.error(error);
        }
      },
      async cancel() {
        clearInterval(timer);
        gone.abort();
        await events.close();
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: waiting }),
  );
  return new Response(stream, { headers: { "content-type": eventStreamType, "x-accel-buffering": "no" } });
}

/** Takes events together that are there already, and waits for none but the first. */
class AtHand {
  readonly #events: AsyncIterator<UniversalEvent | Gap>;
  #next: Promise<IteratorResult<UniversalEvent | Gap>> | undefined;

  constructor(events: AsyncIterator<UniversalEvent | Gap>) {
    this.#events = events;
  }

  /** Empty at the end. */
  async take(): Promise<string> {
    let text = "";
    let late: Promise<undefined> | undefined;
    for (;;) {
      const next = await (late === undefined ? this.#peek() : Promise.race([this.#peek(), late]));
      if (next === undefined || next.done === true) return text;
      this.#next = undefined;
      text += frame(next.value);
      if (text.length >= piece) return text;
      late ??= new Promise((resolve) => setTimeout(resolve, 0));
    }
  }

  /** The signal wakes one that waits; one that has just given an event must be told to close what it has open. */
  async close(): Promise<void> {
    await this.#events.return?.().catch(() => undefined);
  }

  #peek(): Promise<IteratorResult<UniversalEvent | Gap>> {
    if (this.#next !== undefined) return this.#next;
    this.#next = this.#events.next();
    // It may fail before anybody looks.
    this.#next.catch(() => undefined);
    return this.#next;
  }
}

/** JSON has no line breaks of its own: one line of data. */
function frame(event: UniversalEvent | Gap): string {
  const data = JSON.stringify(event);
  if (event.type === "gap") return `event: gap\nid: ${event.to}\ndata: ${data}\n\n`;
  return `id: ${event.sequence}\ndata: ${data}\n\n`;
}

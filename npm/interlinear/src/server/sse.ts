// Server-sent events. The stream is pulled: as long as the client does not read, nothing is taken from the store.
import type { UniversalEvent } from "../../types/index.js";
import type { Gap } from "../store/store.js";

/** How often a silent stream says that it is alive, in milliseconds. */
const keepAlive = 15_000;

/** So many bytes wait for the client. */
const waiting = 64 * 1024;

const encoder = new TextEncoder();

export const eventStreamType = "text/event-stream";

/**
 * Events as a stream. Each has its sequence as its id, so that a client that comes back says where it was.
 *
 * @param open makes the events; the signal is aborted when the client is gone
 */
export function eventStream(open: (signal: AbortSignal) => AsyncIterable<UniversalEvent | Gap>): Response {
  const gone = new AbortController();
  const events = open(gone.signal)[Symbol.asyncIterator]();
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
          const { done, value } = await events.next();
          if (done !== true) return controller.enqueue(encoder.encode(frame(value)));
          clearInterval(timer);
          controller.close();
        } catch (error) {
          clearInterval(timer);
          if (!gone.signal.aborted) controller.error(error);
        }
      },
      cancel() {
        clearInterval(timer);
        gone.abort();
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: waiting }),
  );
  return new Response(stream, { headers: { "content-type": eventStreamType, "x-accel-buffering": "no" } });
}

/** JSON has no line breaks of its own: one line of data. */
function frame(event: UniversalEvent | Gap): string {
  const data = JSON.stringify(event);
  if (event.type === "gap") return `event: gap\nid: ${event.to}\ndata: ${data}\n\n`;
  return `id: ${event.sequence}\ndata: ${data}\n\n`;
}

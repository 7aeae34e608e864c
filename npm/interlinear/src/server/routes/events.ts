import type { Overflow, ReadOptions, Store } from "../../store/store.js";
import type { Call } from "../call.js";
import type { Route } from "../route.js";
import { choice, count, event, flag, list, object } from "../schema.js";
import { eventStream, eventStreamType } from "../sse.js";

const encoder = new TextEncoder();
const overflows = choice("wait", "coalesce", "drop");

/** A page of events, written as it is read: it may be longer than memory. */
function page(store: Store, sessionId: string, where: ReadOptions, hasMore: boolean): Response {
  async function* pieces() {
    let separator = "";
    yield '{"events":[';
    for await (const events of store.read(sessionId, where)) {
      yield separator + events.map((next) => JSON.stringify(next)).join(",");
      separator = ",";
    }
    yield `],"hasMore":${hasMore}}`;
  }
  const texts = pieces();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await texts.next();
      if (done === true) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await texts.return();
    },
  });
  return new Response(body, { headers: { "content-type": "application/json" } });
}

/** What of the native is asked for. */
function native(call: Call) {
  return { includeRaw: call.flag("include_raw"), includeSilent: call.flag("include_silent") };
}

/** Where a client that comes back was: it says so in a header, and its address is the old one. */
function lastEventId({ request }: Call): number | undefined {
  const value = request.headers.get("last-event-id") ?? "";
  return /^\d{1,15}$/.test(value) ? Number(value) : undefined;
}

export const eventRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "/v1/sessions/{session_id}/events",
    id: "getEvents",
    summary: "What is written: the events after `offset`, at most `limit` of them.",
    query: { offset: count, limit: count, include_raw: flag, include_silent: flag },
    answer: { status: 200, description: "Events.", schema: object({ events: list(event), hasMore: flag }) },
    problems: [400, 404],
    async handle(call) {
      const [offset = 0, limit] = [call.number("offset"), call.number("limit")];
      const where = { offset, ...native(call), ...(limit !== undefined && { limit }) };
      const { sessionId, lastSequence } = await call.info();
      return page(call.services.store, sessionId, where, limit !== undefined && lastSequence > offset + limit);
    },
  },
  {
    method: "GET",
    path: "/v1/sessions/{session_id}/events/sse",
    id: "streamEvents",
    summary: "What is written after `offset` (or the header `Last-Event-ID`), then what comes, until the session ends.",
    query: { offset: count, include_raw: flag, include_silent: flag, overflow: overflows },
    answer: { status: 200, description: "Events, each with its sequence as id.", schema: event, type: eventStreamType },
    problems: [400, 404],
    async handle(call) {
      const seen = lastEventId(call);
      const offset = seen ?? call.number("offset") ?? 0;
      const overflow = call.choice<Overflow>("overflow", overflows) ?? "wait";
      const where = { offset, ...native(call), overflow };
      const { sessionId, ended, lastSequence } = await call.info();
      // It tells an EventSource not to come back again.
      if (seen !== undefined && ended && offset >= lastSequence) return new Response(null, { status: 204 });
      return eventStream((signal) => call.services.store.subscribe(sessionId, { ...where, signal }));
    },
  },
];

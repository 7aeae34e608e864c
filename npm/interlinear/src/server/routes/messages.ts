import type { PromptPart } from "../../../types/index.js";
import { untilTurnEnds } from "../../host/turn.js";
import type { Message } from "../api.js";
import { refusal } from "../problem.js";
import { nothing, type Route } from "../route.js";
import { choice, event, flag, list, object, text } from "../schema.js";
import { eventStream, eventStreamType } from "../sse.js";

const part = {
  anyOf: [
    object({ type: choice("text"), text }),
    object({ type: choice("image"), mime: text, data: text }),
    object({ type: choice("file"), path: text, "mime?": text, "data?": text }),
  ],
};

const message = object({
  "message?": text,
  "attachments?": list(object({ path: text, "mime?": text })),
  "parts?": list(part),
});

function partsOf({ message: said, attachments, parts }: Message): PromptPart[] {
  const files = (attachments ?? []).map(
    ({ path, mime }): PromptPart => ({ type: "file", path, ...(mime && { mime }) }),
  );
  const all: PromptPart[] = [...(said ? [{ type: "text" as const, text: said }] : []), ...files, ...(parts ?? [])];
  if (all.length > 0) return all;
  throw refusal("bad_request", "the message is empty", "Send `message`, or `parts`.");
}

export const messageRoutes: readonly Route[] = [
  {
    method: "POST",
    path: "/v1/sessions/{session_id}/messages",
    id: "sendMessage",
    summary: "Says something to the agent. What follows is among the events.",
    body: message,
    answer: nothing("The agent was told."),
    problems: [400, 404, 409],
    async handle(call) {
      const session = await call.session();
      await session.prompt(partsOf(call.body<Message>())).sent;
      return new Response(null, { status: 204 });
    },
  },
  {
    method: "POST",
    path: "/v1/sessions/{session_id}/messages/stream",
    id: "streamTurn",
    summary: "Says something to the agent, and streams the turn to its end.",
    query: { include_raw: flag },
    body: message,
    answer: { status: 200, description: "The events of the turn.", schema: event, type: eventStreamType },
    problems: [400, 404, 409],
    async handle(call) {
      const includeRaw = call.flag("include_raw");
      const parts = partsOf(call.body<Message>());
      const session = await call.session();
      const offset = session.lastSequence;
      const isRunning = session.status === "running";
      await session.prompt(parts).sent;
      // Whoever stops reading does not stop the agent.
      const follow = (signal: AbortSignal) => session.events({ from: offset, includeRaw, signal });
      return eventStream((gone) => untilTurnEnds(isRunning, (enough) => follow(AbortSignal.any([gone, enough]))));
    },
  },
];

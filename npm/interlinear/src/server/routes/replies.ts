import type { PermissionReply } from "../../../types/index.js";
import type { PermissionAnswer, QuestionAnswer } from "../api.js";
import type { Call } from "../call.js";
import { refusal } from "../problem.js";
import { nothing, type Route } from "../route.js";
import { choice, list, object, text } from "../schema.js";

/** The words in which events offer the replies, and those of the reference API (see `api.ts`). */
const replies: Readonly<Record<PermissionAnswer["reply"], PermissionReply>> = {
  accept: "accept",
  accept_for_session: "accept_for_session",
  reject: "reject",
  once: "accept",
  always: "accept_for_session",
};

/** The request that the path names, if the agent still waits for its answer. */
function waiting(call: Call, name: string, pending: ReadonlySet<string>): string {
  const id = call.param(name);
  if (pending.has(id)) return id;
  const message = `session ${call.param("session_id")} waits for no answer to ${id}`;
  throw refusal("unknown_request", message, "It may be answered already: look at the last events.");
}

export const replyRoutes: readonly Route[] = [
  {
    method: "POST",
    path: "/v1/sessions/{session_id}/permissions/{permission_id}/reply",
    id: "replyPermission",
    summary: "Answers a permission request.",
    body: object({ reply: choice(...Object.keys(replies)), "message?": text }),
    answer: nothing("The agent was told."),
    problems: [400, 404, 409],
    async handle(call) {
      const { reply, message } = call.body<PermissionAnswer>();
      const session = await call.session();
      const id = waiting(call, "permission_id", session.pending.permissions);
      await session.replyPermission(id, replies[reply], message ?? undefined);
      return new Response(null, { status: 204 });
    },
  },
  {
    method: "POST",
    path: "/v1/sessions/{session_id}/questions/{question_id}/reply",
    id: "replyQuestion",
    summary: "Answers a question.",
    body: object({ answers: list(list(text)) }),
    answer: nothing("The agent was told."),
    problems: [400, 404, 409],
    async handle(call) {
      const { answers } = call.body<QuestionAnswer>();
      const session = await call.session();
      await session.replyQuestion(waiting(call, "question_id", session.pending.questions), answers);
      return new Response(null, { status: 204 });
    },
  },
  {
    method: "POST",
    path: "/v1/sessions/{session_id}/questions/{question_id}/reject",
    id: "rejectQuestion",
    summary: "Dismisses a question.",
    answer: nothing("The agent was told."),
    problems: [404, 409],
    async handle(call) {
      const session = await call.session();
      await session.rejectQuestion(waiting(call, "question_id", session.pending.questions));
      return new Response(null, { status: 204 });
    },
  },
];

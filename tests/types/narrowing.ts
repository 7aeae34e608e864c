// Compiled, never run: `switch (event.type)` narrows `event.data`, with no cast.

import type {
  Command,
  ContentPart,
  EventOf,
  Outgoing,
  PermissionData,
  QuestionData,
  SessionEndedData,
  SessionStartedData,
  TurnData,
  UniversalEvent,
  UniversalItem,
} from "../../npm/interlinear/types/index.js";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Compiles only when both types are the same. */
declare function same<A, B>(proof: Equal<A, B>): void;

/** Compiles only when nothing is left. */
declare function unreachable(value: never): never;

export function everyTypeNarrowsItsData(event: UniversalEvent): string {
  switch (event.type) {
    case "session.started":
      same<typeof event.data, SessionStartedData>(true);
      return event.data.metadata?.model ?? "";
    case "session.ended":
      same<typeof event.data, SessionEndedData>(true);
      return `${event.data.reason} ${event.data.exit_code ?? 0} ${event.data.stderr?.head ?? ""}`;
    case "turn.started":
    case "turn.ended":
      same<typeof event.data, TurnData>(true);
      return `${event.data.phase} ${event.data.metadata?.usage?.output_tokens ?? 0}`;
    case "item.started":
    case "item.completed":
      same<typeof event.data.item, UniversalItem>(true);
      return event.data.item.content.map(everyPartNarrows).join("");
    case "item.delta":
      same<typeof event.data.delta, string>(true);
      return event.data.replace ? event.data.delta : `+${event.data.delta}`;
    case "permission.requested":
    case "permission.resolved":
      same<typeof event.data, PermissionData>(true);
      return event.data.status === "accept_for_session" ? "always" : event.data.action;
    case "question.requested":
    case "question.resolved":
      same<typeof event.data, QuestionData>(true);
      return event.data.questions?.[0]?.options[0]?.label ?? event.data.prompt;
    case "error":
      return event.data.will_retry ? "" : event.data.message;
    case "agent.unparsed":
      return `${event.data.location}: ${event.data.error}`;
    default:
      return unreachable(event);
  }
}

function everyPartNarrows(part: ContentPart): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "json":
      same<typeof part.json, unknown>(true);
      return JSON.stringify(part.json);
    case "tool_call":
      return `${part.tool_kind ?? "other"} ${part.mcp?.server ?? part.name} ${part.arguments}`;
    case "tool_result":
      return `${part.exit_code ?? 0} ${part.output} ${part.todos?.length ?? 0}`;
    case "file_ref":
      return part.action === "patch" ? (part.diff ?? "") : part.path;
    case "image":
      return part.mime ?? part.path;
    case "reasoning":
      return part.visibility === "public" ? part.text : "";
    case "status":
      return part.label === "retracted" ? (part.retracts ?? []).join() : (part.detail ?? "");
    default:
      return unreachable(part);
  }
}

export function whatIsWrongDoesNotCompile(event: UniversalEvent): void {
  // @ts-expect-error Without narrowing, no data has a field of its own.
  event.data.delta;

  if (event.type === "item.delta") {
    // @ts-expect-error A delta has no item.
    event.data.item;
    // @ts-expect-error Optional fields may be absent.
    event.data.part_index.toFixed();
  }

  // @ts-expect-error No such event.
  if (event.type === "item.paused") return;

  if (event.type === "permission.resolved") {
    // @ts-expect-error The older spelling is read, never written.
    if (event.data.status === "approved") return;
  }

  // @ts-expect-error Raw is whatever the agent wrote.
  event.raw.type;

  // @ts-expect-error The envelope needs its fields.
  const bare: UniversalEvent = { type: "error", data: { message: "" } };
  void bare;
}

export function oneTypeOfEventHasAName(event: EventOf<"turn.ended">): number {
  same<typeof event.type, "turn.ended">(true);
  return event.sequence + (event.data.metadata?.usage?.cost_usd ?? 0);
}

export const commands: Command[] = [
  {
    type: "prompt",
    parts: [
      { type: "text", text: "Hi" },
      { type: "image", mime: "image/png", data: "" },
    ],
  },
  { type: "prompt", parts: [], mode: "follow_up" },
  { type: "reply_permission", permission_id: "p", reply: "accept_for_session" },
  { type: "reply_question", question_id: "q", answers: [["Yes"]] },
  { type: "interrupt" },
  // @ts-expect-error A reply needs its permission.
  { type: "reply_permission", reply: "accept" },
  // @ts-expect-error No such command.
  { type: "dance" },
];

export function outgoingIsOneOfFour(outgoing: Outgoing): string {
  if ("stdin" in outgoing) return outgoing.stdin;
  if ("http" in outgoing) return `${outgoing.http.method} ${outgoing.http.path} ${outgoing.http.body ?? ""}`;
  if ("signal" in outgoing) return outgoing.signal;
  return outgoing.closeStdin ? "close" : "";
}

// Ends transcripts whose writer died: what was open is closed, as the contract of a stream wants it.
import type {
  EventData,
  PermissionData,
  QuestionData,
  TurnData,
  UniversalEvent,
  UniversalItem,
} from "../../types/index.js";
import { codeOf } from "../errors.js";
import { grow } from "../fold/content.js";
import type { Store } from "./store.js";

/** Ends a session that nobody writes and that has not ended. False if there is nothing to do. */
export async function finishAbandoned(store: Store, sessionId: string, now = Date.now()): Promise<boolean> {
  const info = await store.info(sessionId);
  if (info === undefined || info.ended) return false;
  const writer = await store.open(sessionId).catch((error: unknown) => {
    if (codeOf(error) === "session_busy") return undefined;
    throw error;
  });
  if (writer === undefined) return false;
  try {
    const open = new OpenThings();
    for await (const events of store.read(sessionId)) for (const event of events) open.see(event);
    if (open.ended) return false;
    await writer.append(open.close(sessionId, now));
    return true;
  } finally {
    await writer.close();
  }
}

/** What a stream of events has left open. */
class OpenThings {
  ended = false;
  #last: UniversalEvent | undefined;
  #native: string | undefined;
  #turn: TurnData | undefined;
  readonly #items = new Map<string, UniversalItem>();
  /** Tool calls without a result, by their id. */
  readonly #calls = new Map<string, UniversalItem>();
  readonly #permissions = new Map<string, PermissionData>();
  readonly #questions = new Map<string, QuestionData>();

  see(event: UniversalEvent): void {
    this.#last = event;
    this.#native = event.native_session_id ?? this.#native;
    switch (event.type) {
      case "turn.started":
        this.#turn = event.data;
        break;
      case "turn.ended":
        this.#turn = undefined;
        break;
      case "item.started":
        this.#start(event.data.item);
        break;
      case "item.delta":
        this.#grow(event.data);
        break;
      case "item.completed":
        this.#items.delete(event.data.item.item_id);
        break;
      case "permission.requested":
        this.#permissions.set(event.data.permission_id, event.data);
        break;
      case "permission.resolved":
        this.#permissions.delete(event.data.permission_id);
        break;
      case "question.requested":
        this.#questions.set(event.data.question_id, event.data);
        break;
      case "question.resolved":
        this.#questions.delete(event.data.question_id);
        break;
      case "session.ended":
        this.ended = true;
    }
  }

  /** The events that close all of it, and the session. */
  close(session_id: string, now: number): UniversalEvent[] {
    const before = this.#last?.sequence ?? 0;
    const clock = new Date(now).toISOString();
    const time = this.#last !== undefined && this.#last.time > clock ? this.#last.time : clock;
    return [...this.#closings()].map((data, index) => {
      const sequence = before + index + 1;
      return {
        event_id: `evt_${session_id}_${sequence}`,
        sequence,
        time,
        session_id,
        ...(this.#native !== undefined && { native_session_id: this.#native }),
        source: "daemon",
        synthetic: true,
        ...data,
        raw: null,
      } satisfies UniversalEvent;
    });
  }

  *#closings(): Generator<EventData> {
    if (this.#last === undefined) yield { type: "session.started", data: {} };
    for (const item of this.#items.values()) yield { type: "item.completed", data: { item: failed(item) } };
    for (const [call_id, call] of this.#calls) {
      const item = resultOf(call, call_id);
      yield { type: "item.started", data: { item } };
      yield { type: "item.completed", data: { item: failed(item) } };
    }
    for (const data of this.#permissions.values()) {
      yield { type: "permission.resolved", data: { ...data, status: "reject" } };
    }
    for (const data of this.#questions.values()) {
      yield { type: "question.resolved", data: { ...data, status: "rejected" } };
    }
    if (this.#turn !== undefined) {
      yield { type: "turn.ended", data: { ...this.#turn, phase: "ended", metadata: { status: "failed" } } };
    }
    const message = "the process that ran the session is gone";
    yield { type: "session.ended", data: { reason: "error", terminated_by: "daemon", message } };
  }

  #start(item: UniversalItem): void {
    this.#items.set(item.item_id, item);
    for (const part of item.content) {
      if (part.type === "tool_call") this.#calls.set(part.call_id, item);
      else if (part.type === "tool_result") this.#calls.delete(part.call_id);
    }
  }

  #grow(data: Parameters<typeof grow>[1]): void {
    const item = this.#items.get(data.item_id);
    if (item !== undefined) this.#items.set(data.item_id, { ...item, content: grow(item.content, data) });
  }
}

function failed(item: UniversalItem): UniversalItem {
  return { ...item, status: "failed" };
}

/** The result that a call never got. */
function resultOf(call: UniversalItem, call_id: string): UniversalItem {
  const { item_id, parent_id, turn_id, agent_id } = call;
  return {
    item_id: `${item_id}_result`,
    kind: "tool_result",
    status: "in_progress",
    content: [{ type: "tool_result", call_id, output: "" }],
    ...(parent_id !== undefined && { parent_id }),
    role: "tool",
    ...(turn_id !== undefined && { turn_id }),
    ...(agent_id !== undefined && { agent_id }),
  };
}

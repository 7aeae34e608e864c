import type {
  ItemDeltaData,
  PermissionData,
  QuestionData,
  SessionMetadata,
  Todo,
  TurnData,
  TurnMetadata,
  UniversalEvent,
  UniversalItem,
  Usage,
} from "../types/index.js";
import { grow, share } from "./fold/content.js";
import { Draft } from "./fold/draft.js";
import type { Entry, ItemEntry, PermissionEntry, QuestionEntry, TranscriptState } from "./fold/transcript.js";
import { emptyTranscript } from "./fold/transcript.js";

export type * from "./fold/transcript.js";
export { emptyTranscript } from "./fold/transcript.js";

/**
 * Folds events into the transcript that a UI draws.
 *
 * Pure: neither the transcript nor the events are changed, and however the events are cut into batches, the result is
 * the same. What did not change keeps its identity. An event costs what it touches, however long the session is; many
 * events in one call cost less than each in a call of its own.
 *
 * Events come in their order. One that was folded before (its `sequence` is not above the transcript's) changes
 * nothing, so a client that reconnects may hand in too much. Events of another session change nothing either: see
 * {@link foldSessions}.
 */
export function fold(state: TranscriptState | undefined, events: Iterable<UniversalEvent>): TranscriptState {
  const base = state ?? emptyTranscript;
  let draft: Draft | undefined;
  for (const event of events) {
    const { session, sequence } = draft?.transcript ?? base;
    if (event.sequence <= sequence || (session.session_id !== "" && event.session_id !== session.session_id)) continue;
    draft ??= new Draft(base);
    apply(draft, event);
  }
  return draft?.finish() ?? base;
}

/** A transcript for each session, by `session_id`, in the order in which they began. */
export type TranscriptStates = Readonly<Record<string, TranscriptState>>;

/** Folds the events of several sessions (of a connection), each into its own transcript. */
export function foldSessions(state: TranscriptStates | undefined, events: Iterable<UniversalEvent>): TranscriptStates {
  const bySession = new Map<string, UniversalEvent[]>();
  for (const event of events) {
    const list = bySession.get(event.session_id);
    if (list) list.push(event);
    else bySession.set(event.session_id, [event]);
  }
  let folded = state ?? {};
  for (const [id, list] of bySession) {
    // An identifier may be a word that every object has: `constructor`.
    const known = Object.hasOwn(folded, id) ? folded[id] : undefined;
    const transcript = fold(known, list);
    if (transcript !== known) folded = { ...folded, [id]: transcript };
  }
  return folded;
}

function apply(draft: Draft, event: UniversalEvent): void {
  const { transcript } = draft;
  transcript.missed += event.sequence - transcript.sequence - 1;
  transcript.sequence = event.sequence;
  noteSession(draft, event);
  switch (event.type) {
    case "session.started":
      transcript.session = { ...transcript.session, started_at: event.time };
      mergeFacts(draft, event.data.metadata);
      break;
    case "session.ended":
      transcript.session = { ...transcript.session, status: "ended", ended_at: event.time, end: event.data };
      break;
    case "turn.started":
      startTurn(draft, event, event.data);
      break;
    case "turn.ended":
      endTurn(draft, event, event.data);
      break;
    case "item.started":
    case "item.completed":
      setItem(draft, event, event.data.item, event.type === "item.completed");
      break;
    case "item.delta":
      growItem(draft, event, event.data);
      break;
    case "permission.requested":
    case "permission.resolved":
      setPermission(draft, event, event.data);
      break;
    case "question.requested":
    case "question.resolved":
      setQuestion(draft, event, event.data);
      break;
    case "error": {
      const entry = { ...entryOf(event, event.event_id), type: "error" as const, error: event.data };
      draft.append("errors", entry);
      draft.add(entry, { turn: turnFor(draft, event, event.data.turn_id) });
      break;
    }
    case "agent.unparsed": {
      const entry = { ...entryOf(event, event.event_id), type: "unparsed" as const, unparsed: event.data };
      draft.append("unparsed", entry);
      draft.add(entry, { turn: turnFor(draft, event) });
      break;
    }
    default:
      addUnknown(draft, event);
  }
}

/** An event of a newer version's type: kept whole, in its place. */
function addUnknown(draft: Draft, event: UniversalEvent): void {
  draft.add({ ...entryOf(event, event.event_id), type: "event", event }, { turn: turnFor(draft, event) });
}

function noteSession(draft: Draft, event: UniversalEvent): void {
  const { session } = draft.transcript;
  const native = event.native_session_id ?? session.native_session_id;
  if (session.status !== "waiting" && session.native_session_id === native) return;
  draft.transcript.session = {
    ...session,
    session_id: event.session_id,
    status: session.status === "waiting" ? "running" : session.status,
    ...(native !== undefined && { native_session_id: native }),
  };
}

function mergeFacts(draft: Draft, facts: unknown): void {
  if (typeof facts !== "object" || facts === null) return;
  const { session } = draft.transcript;
  const merged: SessionMetadata = share(session.facts, { ...session.facts, ...facts });
  if (merged !== session.facts) draft.transcript.session = { ...session, facts: merged };
}

function startTurn(draft: Draft, event: UniversalEvent, data: TurnData): number {
  return draft.addTurn({
    key: event.event_id,
    ...(data.turn_id !== undefined && { turn_id: data.turn_id }),
    status: "running",
    ...(data.phase === "started" && { started_at: event.time }),
    metadata: data.metadata ?? {},
    entries: [],
  });
}

function endTurn(draft: Draft, event: UniversalEvent, data: TurnData): void {
  const { transcript } = draft;
  const named = data.turn_id === undefined ? undefined : draft.findTurn(data.turn_id);
  // A turn whose start was missed is a turn all the same.
  const at = named ?? runningTurn(transcript) ?? startTurn(draft, event, data);
  const metadata: TurnMetadata = { ...transcript.turns[at]?.metadata, ...data.metadata };
  draft.changeTurn(at, { status: metadata.status ?? "completed", ended_at: event.time, metadata });
  if (data.metadata?.usage) transcript.usage = sum(transcript.usage, data.metadata.usage);
}

function sum(total: Usage, usage: Usage): Usage {
  const added: Record<string, number> = { ...(total as Record<string, number>) };
  for (const [field, value] of Object.entries(usage)) {
    if (typeof value === "number") added[field] = (added[field] ?? 0) + value;
  }
  return added;
}

/** The place of the turn that is running. */
function runningTurn({ turns }: TranscriptState): number | undefined {
  const last = turns.length - 1;
  return turns[last]?.status === "running" ? last : undefined;
}

/** The place of the turn that something belongs to: the one it names, the running one, or what lies between turns. */
function turnFor(draft: Draft, event: UniversalEvent, turnId?: string): number {
  const { transcript } = draft;
  const at = (turnId === undefined ? undefined : draft.findTurn(turnId)) ?? runningTurn(transcript);
  if (at !== undefined) return at;
  const last = transcript.turns.length - 1;
  if (transcript.turns[last]?.status === "outside") return last;
  return draft.addTurn({ key: event.event_id, status: "outside", metadata: {}, entries: [] });
}

/** What every new entry has. */
function entryOf(event: UniversalEvent, key: string) {
  return { key, time: event.time, first: event.sequence, last: event.sequence, children: [] as readonly Entry[] };
}

const itemKey = (id: string) => `item:${id}`;

function setItem(draft: Draft, event: UniversalEvent, item: UniversalItem, completed: boolean): void {
  const known = findItem(draft, item.item_id);
  if (known === undefined) {
    addItem(draft, event, item, completed);
  } else if (completed || known.completed_at === undefined) {
    draft.change(known, {
      item: share(known.item, item),
      last: event.sequence,
      ...(completed && { completed_at: event.time }),
    });
  }
  noteContent(draft, item);
}

function findItem(draft: Draft, id: string): ItemEntry | undefined {
  const entry = draft.find(itemKey(id));
  return entry?.type === "item" ? entry : undefined;
}

function addItem(draft: Draft, event: UniversalEvent, item: UniversalItem, completed: boolean): void {
  const entry: ItemEntry = {
    ...entryOf(event, itemKey(item.item_id)),
    type: "item",
    item,
    ...(completed && { completed_at: event.time }),
    retracted: false,
  };
  const call = item.kind === "tool_result" ? callOf(draft, item) : undefined;
  if (call && call.result === undefined) draft.addResult(entry, call.key);
  else draft.add(entry, below(draft, event, item.parent_id, item.turn_id));
}

/** The call that an item is the result of. */
function callOf(draft: Draft, item: UniversalItem): ItemEntry | undefined {
  for (const part of item.content) if (part.type === "tool_result") return draft.findCall(part.call_id);
  return undefined;
}

/** Where a new entry goes: below its parent if that is known, else to the end of its turn. */
function below(draft: Draft, event: UniversalEvent, parentId: string | undefined, turnId?: string) {
  const parent = parentId === undefined ? undefined : findItem(draft, parentId);
  return parent ? { parent: parent.key } : { turn: turnFor(draft, event, turnId) };
}

/** Takes from an item's content what concerns more than the item. */
function noteContent(draft: Draft, item: UniversalItem): void {
  const facts = item.content.some((part) => part.type === "status" && ["session", "mode"].includes(part.label));
  for (const part of item.content) {
    if (part.type === "status" && part.label === "title" && item.agent_id === undefined) {
      mergeFacts(draft, { title: part.detail });
    }
    if (part.type === "tool_call" && item.kind === "tool_call") draft.nameCall(part.call_id, itemKey(item.item_id));
    if (part.type === "json" && facts) mergeFacts(draft, part.json);
    if (part.type === "status") retract(draft, part.retracts ?? []);
    if (part.type === "status" || part.type === "tool_result") noteTodos(draft, item, part.todos);
  }
}

function retract(draft: Draft, ids: readonly string[]): void {
  for (const id of ids) {
    const entry = findItem(draft, id);
    if (entry && !entry.retracted) draft.change(entry, { retracted: true });
  }
}

/** A subagent has a list of its own, which is not the session's. */
function noteTodos(draft: Draft, item: UniversalItem, todos: readonly Todo[] | undefined): void {
  if (todos && item.agent_id === undefined) draft.transcript.todos = share(draft.transcript.todos, todos);
}

function growItem(draft: Draft, event: UniversalEvent, data: ItemDeltaData): void {
  if (findItem(draft, data.item_id) === undefined) {
    // Its start was missed: the final item will say what it is.
    addItem(draft, event, { item_id: data.item_id, kind: "unknown", status: "in_progress", content: [] }, false);
  }
  const entry = findItem(draft, data.item_id);
  // The text of a completed item is final.
  if (entry === undefined || entry.completed_at !== undefined) return;
  draft.change(entry, { item: { ...entry.item, content: grow(entry.item.content, data) }, last: event.sequence });
}

function setPermission(draft: Draft, event: UniversalEvent, data: PermissionData): void {
  const key = `permission:${data.permission_id}`;
  const known = draft.find(key) as PermissionEntry | undefined;
  const resolved = event.type === "permission.resolved" ? { resolved_at: event.time } : {};
  const entry: PermissionEntry = known
    ? draft.change(known, { permission: { ...known.permission, ...data }, last: event.sequence, ...resolved })
    : { ...entryOf(event, key), type: "permission", permission: data, ...resolved };
  if (!known) addRequest(draft, event, entry, data.tool_call_id);
  setPending(draft, entry);
}

function setQuestion(draft: Draft, event: UniversalEvent, data: QuestionData): void {
  const key = `question:${data.question_id}`;
  const known = draft.find(key) as QuestionEntry | undefined;
  const resolved = event.type === "question.resolved" ? { resolved_at: event.time } : {};
  const entry: QuestionEntry = known
    ? draft.change(known, { question: { ...known.question, ...data }, last: event.sequence, ...resolved })
    : { ...entryOf(event, key), type: "question", question: data, ...resolved };
  if (!known) addRequest(draft, event, entry, data.tool_call_id);
  setPending(draft, entry);
}

/** Hangs a request below the call that it is about. */
function addRequest(draft: Draft, event: UniversalEvent, entry: Entry, callId: string | undefined): void {
  const call = callId === undefined ? undefined : draft.findCall(callId);
  draft.add(entry, call ? { parent: call.key } : { turn: turnFor(draft, event) });
}

/** Keeps the list of open requests: an open one stands in it once, a resolved one not at all. */
function setPending(draft: Draft, entry: PermissionEntry | QuestionEntry): void {
  const { transcript } = draft;
  const others = transcript.pending.filter((open) => open.key !== entry.key);
  if (entry.resolved_at === undefined) transcript.pending = [...others, entry];
  else if (others.length < transcript.pending.length) transcript.pending = others;
}

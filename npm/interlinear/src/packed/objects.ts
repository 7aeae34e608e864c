// Generated from the Rust types by `cargo run -p interlinear-typegen`. Do not edit: a test compares the two.
import type * as types from "../../types/index.js";
import { id, list, next, number, text, word } from "./reader.js";

const ToolKind: readonly types.ToolKind[] = ["other", "command", "file_read", "file_write", "file_edit", "search", "web_fetch", "web_search", "todo", "task", "mcp", "question", "plan"];

const TodoStatus: readonly types.TodoStatus[] = ["pending", "in_progress", "completed", "cancelled"];

const FileAction: readonly types.FileAction[] = ["read", "write", "patch"];

const Visibility: readonly types.Visibility[] = ["public", "private"];

const StatusLabel: readonly types.StatusLabel[] = ["notice", "session", "retry", "compaction", "model", "mode", "rate_limit", "hook", "title", "cleared", "retracted", "output"];

const EndReason: readonly types.EndReason[] = ["completed", "error", "terminated"];

const TerminatedBy: readonly types.TerminatedBy[] = ["agent", "daemon"];

const TurnPhase: readonly types.TurnPhase[] = ["started", "ended"];

const ItemKind: readonly types.ItemKind[] = ["message", "tool_call", "tool_result", "system", "status", "unknown"];

const ItemStatus: readonly types.ItemStatus[] = ["in_progress", "completed", "failed"];

const ItemRole: readonly types.ItemRole[] = ["user", "assistant", "system", "tool"];

const DeltaPart: readonly types.DeltaPart[] = ["text", "reasoning", "tool_call", "tool_result"];

const PermissionStatus: readonly types.PermissionStatus[] = ["requested", "accept", "accept_for_session", "reject"];

const QuestionStatus: readonly types.QuestionStatus[] = ["requested", "answered", "rejected"];

const QuestionKind: readonly types.QuestionKind[] = ["question", "plan", "form"];

function TextPart(_mask: number): types.ContentPart & { type: "text" } {
  const object: types.ContentPart & { type: "text" } = {
    type: "text",
    text: text(),
  };
  return object;
}

function JsonPart(_mask: number): types.ContentPart & { type: "json" } {
  const object: types.ContentPart & { type: "json" } = {
    type: "json",
    json: next(),
  };
  return object;
}

function McpTool(mask: number): types.McpTool {
  const object: types.McpTool = {
    tool: id(),
  };
  if (mask & 1) object.server = id();
  return object;
}

function Subagent(mask: number): types.Subagent {
  const object: types.Subagent = {};
  if (mask & 1) object.type = id();
  if (mask & 2) object.name = id();
  return object;
}

function ToolCallPart(mask: number): types.ContentPart & { type: "tool_call" } {
  const object: types.ContentPart & { type: "tool_call" } = {
    type: "tool_call",
    name: id(),
    arguments: text(),
    call_id: id(),
  };
  if (mask & 1) object.tool_kind = word(ToolKind);
  if (mask & 2) object.title = text();
  if (mask & 4) object.cwd = id();
  if (mask & 8) object.mcp = McpTool(number());
  if (mask & 16) object.agent = Subagent(number());
  return object;
}

function Todo(_mask: number): types.Todo {
  const object: types.Todo = {
    text: text(),
    status: word(TodoStatus),
  };
  return object;
}

function ToolResultPart(mask: number): types.ContentPart & { type: "tool_result" } {
  const object: types.ContentPart & { type: "tool_result" } = {
    type: "tool_result",
    call_id: id(),
    output: text(),
  };
  if (mask & 1) object.exit_code = next();
  if (mask & 2) object.duration_ms = number();
  if (mask & 4) object.todos = list(() => Todo(number()));
  return object;
}

function FileRefPart(mask: number): types.ContentPart & { type: "file_ref" } {
  const object: types.ContentPart & { type: "file_ref" } = {
    type: "file_ref",
    path: id(),
    action: word(FileAction),
  };
  if (mask & 1) object.diff = text();
  return object;
}

function ImagePart(mask: number): types.ContentPart & { type: "image" } {
  const object: types.ContentPart & { type: "image" } = {
    type: "image",
    path: text(),
  };
  if (mask & 1) object.mime = id();
  return object;
}

function ReasoningPart(_mask: number): types.ContentPart & { type: "reasoning" } {
  const object: types.ContentPart & { type: "reasoning" } = {
    type: "reasoning",
    text: text(),
    visibility: word(Visibility),
  };
  return object;
}

function StatusPart(mask: number): types.ContentPart & { type: "status" } {
  const object: types.ContentPart & { type: "status" } = {
    type: "status",
    label: word(StatusLabel),
  };
  if (mask & 1) object.detail = text();
  if (mask & 2) object.todos = list(() => Todo(number()));
  if (mask & 4) object.retracts = list(() => id());
  return object;
}

function SessionStartedData(mask: number): types.SessionStartedData {
  const object: types.SessionStartedData = {};
  if (mask & 1) object.metadata = next();
  return object;
}

function StderrOutput(mask: number): types.StderrOutput {
  const object: types.StderrOutput = {
    truncated: next(),
  };
  if (mask & 1) object.head = text();
  if (mask & 2) object.tail = text();
  if (mask & 4) object.total_lines = number();
  return object;
}

function SessionEndedData(mask: number): types.SessionEndedData {
  const object: types.SessionEndedData = {
    reason: word(EndReason),
    terminated_by: word(TerminatedBy),
  };
  if (mask & 1) object.message = text();
  if (mask & 2) object.exit_code = next();
  if (mask & 4) object.stderr = StderrOutput(number());
  return object;
}

function TurnData(mask: number): types.TurnData {
  const object: types.TurnData = {
    phase: word(TurnPhase),
  };
  if (mask & 1) object.turn_id = id();
  if (mask & 2) object.metadata = next();
  return object;
}

function UniversalItem(mask: number): types.UniversalItem {
  const object: types.UniversalItem = {
    item_id: id(),
    kind: word(ItemKind),
    status: word(ItemStatus),
    content: list(ContentPart),
  };
  if (mask & 1) object.native_item_id = id();
  if (mask & 2) object.parent_id = id();
  if (mask & 4) object.role = word(ItemRole);
  if (mask & 8) object.turn_id = id();
  if (mask & 16) object.agent_id = id();
  return object;
}

function ItemData(_mask: number): types.ItemData {
  const object: types.ItemData = {
    item: UniversalItem(number()),
  };
  return object;
}

function ItemDeltaData(mask: number): types.ItemDeltaData {
  const object: types.ItemDeltaData = {
    item_id: id(),
    delta: text(),
  };
  if (mask & 1) object.native_item_id = id();
  if (mask & 2) object.part_type = word(DeltaPart);
  if (mask & 4) object.part_index = number();
  if (mask & 8) object.replace = next();
  return object;
}

function PermissionData(mask: number): types.PermissionData {
  const object: types.PermissionData = {
    permission_id: id(),
    action: id(),
    status: word(PermissionStatus),
  };
  if (mask & 1) object.tool_call_id = id();
  if (mask & 2) object.title = text();
  if (mask & 4) object.options = list(() => word(PermissionStatus));
  if (mask & 8) object.agent_id = id();
  if (mask & 16) object.metadata = next();
  return object;
}

function QuestionOption(mask: number): types.QuestionOption {
  const object: types.QuestionOption = {
    label: text(),
  };
  if (mask & 1) object.description = text();
  return object;
}

function Question(mask: number): types.Question {
  const object: types.Question = {
    text: text(),
    options: list(() => QuestionOption(number())),
  };
  if (mask & 1) object.header = text();
  if (mask & 2) object.multi_select = next();
  if (mask & 4) object.free_text = next();
  return object;
}

function QuestionData(mask: number): types.QuestionData {
  const object: types.QuestionData = {
    question_id: id(),
    prompt: text(),
    options: list(() => text()),
    status: word(QuestionStatus),
  };
  if (mask & 1) object.response = text();
  if (mask & 2) object.kind = word(QuestionKind);
  if (mask & 4) object.questions = list(() => Question(number()));
  if (mask & 8) object.answers = list(() => list(() => text()));
  if (mask & 16) object.tool_call_id = id();
  if (mask & 32) object.agent_id = id();
  return object;
}

function ErrorData(mask: number): types.ErrorData {
  const object: types.ErrorData = {
    message: text(),
  };
  if (mask & 1) object.code = id();
  if (mask & 2) object.details = next();
  if (mask & 4) object.will_retry = next();
  if (mask & 8) object.turn_id = id();
  if (mask & 16) object.agent_id = id();
  return object;
}

function UnparsedData(mask: number): types.UnparsedData {
  const object: types.UnparsedData = {
    error: id(),
    location: id(),
  };
  if (mask & 1) object.raw_hash = id();
  return object;
}

function ContentPart(): types.ContentPart {
  const head = number();
  const mask = head >> 4;
  switch (head & 15) {
    case 0:
      return TextPart(mask);
    case 1:
      return JsonPart(mask);
    case 2:
      return ToolCallPart(mask);
    case 3:
      return ToolResultPart(mask);
    case 4:
      return FileRefPart(mask);
    case 5:
      return ImagePart(mask);
    case 6:
      return ReasoningPart(mask);
    case 7:
      return StatusPart(mask);
    default:
      return next();
  }
}

/** The types of events, by their places. */
export const eventTypes: readonly types.EventType[] = [
  "session.started",
  "session.ended",
  "turn.started",
  "turn.ended",
  "item.started",
  "item.delta",
  "item.completed",
  "permission.requested",
  "permission.resolved",
  "question.requested",
  "question.resolved",
  "error",
  "agent.unparsed",
];

/** The data of an event. */
export function eventData(type: number, mask: number): types.EventData["data"] {
  switch (type) {
    case 0:
      return SessionStartedData(mask);
    case 1:
      return SessionEndedData(mask);
    case 2:
    case 3:
      return TurnData(mask);
    case 4:
    case 6:
      return ItemData(mask);
    case 5:
      return ItemDeltaData(mask);
    case 7:
    case 8:
      return PermissionData(mask);
    case 9:
    case 10:
      return QuestionData(mask);
    case 11:
      return ErrorData(mask);
    case 12:
      return UnparsedData(mask);
    default:
      throw new Error(`there is no event ${type}`);
  }
}

import type { TranscriptParts } from "../parts.js";
import { Markdown } from "./markdown.js";
import { Message, Reasoning } from "./message.js";
import { ErrorNotice, SessionEnd, Status, Turn, Unknown, Unparsed } from "./notice.js";
import { Diff, Image, Output } from "./output.js";
import { Permission, Question } from "./request.js";
import { Command, Subagent, TodoList, ToolCall, ToolResult } from "./tool.js";

/** The parts that are used where the user gives none. */
export const defaultParts: TranscriptParts = {
  Message,
  Reasoning,
  ToolCall,
  Command,
  Subagent,
  ToolResult,
  Output,
  Diff,
  Image,
  TodoList,
  Permission,
  Question,
  Status,
  ErrorNotice,
  Unparsed,
  Turn,
  SessionEnd,
  Unknown,
  Markdown,
};

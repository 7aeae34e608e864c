// What a transcript is drawn with. Each part can be replaced; the default ones are exported, to be wrapped.
import type { ComponentType } from "react";
import type {
  ErrorData,
  FileRefPart,
  ImagePart,
  PermissionData,
  PermissionReply,
  QuestionData,
  ReasoningPart,
  Todo,
  UniversalEvent,
  UniversalItem,
  UnparsedData,
} from "../../types/index.js";
import type { ItemEntry, SessionState, Turn } from "../fold.js";
import type { ToolView } from "../view/tool.js";

/** A message of the user, of the agent or of the system. */
export interface MessageProps {
  readonly entry: ItemEntry;
  readonly item: UniversalItem;
}

/** What the model thought. */
export interface ReasoningProps {
  /** Names it among all. */
  readonly name: string;
  readonly part: ReasoningPart;
  /** Whether more may come. */
  readonly streaming: boolean;
}

/** A tool call with its result. */
export interface ToolCallProps {
  readonly entry: ItemEntry;
  /** The same in common words. */
  readonly tool: ToolView;
}

/** The result of a call whose subagent's items stand between the two. */
export interface ToolResultProps {
  readonly entry: ItemEntry;
  readonly call: ItemEntry;
  readonly tool: ToolView;
}

/** What a tool printed. */
export interface OutputProps {
  /** Names it among all. */
  readonly name: string;
  readonly text: string;
  /** How many lines are shown before the reader asks for all. */
  readonly lines?: number;
}

/** The change of a file. */
export interface DiffProps {
  /** Names it among all. */
  readonly name: string;
  readonly file: FileRefPart;
  /** Whether what stands above it names the file already. */
  readonly titled?: boolean;
}

/** An image that came with the conversation. */
export interface ImageProps {
  readonly image: ImagePart;
}

/** The agent's list of what there is to do. */
export interface TodoListProps {
  readonly todos: readonly Todo[];
}

/** A permission that the agent asks for, or asked for. */
export interface PermissionProps {
  readonly permission: PermissionData;
  /** Answers it; absent when it is answered or cannot be. */
  readonly reply?: (reply: PermissionReply) => unknown;
}

/** A question that the agent asks, or asked. */
export interface QuestionProps {
  readonly question: QuestionData;
  /** Answers all its questions, in order; absent when it is answered or cannot be. */
  readonly reply?: (answers: string[][]) => unknown;
  /** Dismisses it. */
  readonly reject?: () => unknown;
}

/** A status: retry, compaction, mode, title … */
export interface StatusProps {
  readonly item: UniversalItem;
}

/** Something went wrong, and the agent says so. */
export interface ErrorNoticeProps {
  readonly error: ErrorData;
}

/** A native line that could not be read. */
export interface UnparsedProps {
  readonly unparsed: UnparsedData;
}

/** The end of a turn with its usage, or that it is running. */
export interface TurnProps {
  readonly turn: Turn;
}

/** The end of the session, and why. */
export interface SessionEndProps {
  readonly session: SessionState;
}

/** An item or an event that this version does not know. */
export interface UnknownProps {
  readonly value: UniversalItem | UniversalEvent;
}

/** A text in Markdown. */
export interface MarkdownProps {
  readonly text: string;
}

/** Everything that a transcript is drawn with. */
export interface TranscriptParts {
  readonly Message: ComponentType<MessageProps>;
  readonly Reasoning: ComponentType<ReasoningProps>;
  readonly ToolCall: ComponentType<ToolCallProps>;
  /** Of a call that runs a command. */
  readonly Command: ComponentType<ToolCallProps>;
  /** Of a call that starts a subagent, whose items come below it. */
  readonly Subagent: ComponentType<ToolCallProps>;
  readonly ToolResult: ComponentType<ToolResultProps>;
  readonly Output: ComponentType<OutputProps>;
  readonly Diff: ComponentType<DiffProps>;
  readonly Image: ComponentType<ImageProps>;
  readonly TodoList: ComponentType<TodoListProps>;
  readonly Permission: ComponentType<PermissionProps>;
  readonly Question: ComponentType<QuestionProps>;
  readonly Status: ComponentType<StatusProps>;
  readonly ErrorNotice: ComponentType<ErrorNoticeProps>;
  readonly Unparsed: ComponentType<UnparsedProps>;
  readonly Turn: ComponentType<TurnProps>;
  readonly SessionEnd: ComponentType<SessionEndProps>;
  readonly Unknown: ComponentType<UnknownProps>;
  readonly Markdown: ComponentType<MarkdownProps>;
}

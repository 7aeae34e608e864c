import { memo, type ReactNode } from "react";
import type { Entry, ItemEntry } from "../fold.js";
import type { Row } from "../view/rows.js";
import { toolOf } from "../view/tool.js";
import { useActions, useParts } from "./context.js";

export interface RowViewProps {
  readonly row: Row;
  readonly position: number;
  readonly selected: boolean;
  readonly onSelect?: ((row: Row) => void) | undefined;
}

/** One row of a transcript. A row that did not change is not drawn again. */
export const RowView = memo(({ row, position, selected, onSelect }: RowViewProps): ReactNode => {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Enter is handled by the list, with the other keys
    <article
      className="il-row"
      data-type={row.type}
      data-key={row.key}
      data-depth={row.depth || undefined}
      data-selected={selected || undefined}
      style={row.depth === 0 ? undefined : { marginInlineStart: `calc(${row.depth} * var(--il-indent, 1.5rem))` }}
      aria-posinset={position}
      aria-setsize={-1}
      aria-label={labelOf(row)}
      aria-current={selected || undefined}
      tabIndex={-1}
      onClick={onSelect === undefined ? undefined : ({ target }) => isPlain(target as Element) && onSelect(row)}
    >
      <RowBody row={row} />
    </article>
  );
});

/** A click on something that does something itself, or that marks text, does not choose the row. */
function isPlain(target: Element): boolean {
  return (
    target.closest("a, button, input, label, select, textarea, form") === null && getSelection()?.isCollapsed !== false
  );
}

function RowBody({ row }: { row: Row }): ReactNode {
  const { Turn, SessionEnd, ToolResult } = useParts();
  switch (row.type) {
    case "turn":
      return <Turn turn={row.turn} />;
    case "end":
      return <SessionEnd session={row.session} />;
    case "result":
      return <ToolResult entry={row.entry} call={row.call} tool={toolOf(row.entry)} />;
    case "entry":
      return <EntryBody entry={row.entry} />;
  }
}

function EntryBody({ entry }: { entry: Entry }): ReactNode {
  const { ErrorNotice, Unparsed, Unknown } = useParts();
  switch (entry.type) {
    case "item":
      return <ItemBody entry={entry} />;
    case "permission":
      return <PermissionBody entry={entry} />;
    case "question":
      return <QuestionBody entry={entry} />;
    case "error":
      return <ErrorNotice error={entry.error} />;
    case "unparsed":
      return <Unparsed unparsed={entry.unparsed} />;
    case "event":
      return <Unknown value={entry.event} />;
  }
}

function ItemBody({ entry }: { entry: ItemEntry }): ReactNode {
  const { Message, ToolCall, Status, Unknown } = useParts();
  const { item } = entry;
  switch (item.kind) {
    case "message":
    case "system":
      return <Message entry={entry} item={item} />;
    case "tool_call":
    case "tool_result":
      return <ToolCall entry={entry} tool={toolOf(entry)} />;
    case "status":
      return <Status item={item} />;
    default:
      return <Unknown value={item} />;
  }
}

function PermissionBody({ entry }: { entry: Extract<Entry, { type: "permission" }> }): ReactNode {
  const { Permission } = useParts();
  const { replyPermission } = useActions();
  const { permission } = entry;
  if (replyPermission === undefined || entry.resolved_at !== undefined) return <Permission permission={permission} />;
  return <Permission permission={permission} reply={(reply) => replyPermission(permission.permission_id, reply)} />;
}

function QuestionBody({ entry }: { entry: Extract<Entry, { type: "question" }> }): ReactNode {
  const { Question } = useParts();
  const { replyQuestion, rejectQuestion } = useActions();
  const { question } = entry;
  if (entry.resolved_at !== undefined) return <Question question={question} />;
  return (
    <Question
      question={question}
      {...(replyQuestion && { reply: (answers: string[][]) => replyQuestion(question.question_id, answers) })}
      {...(rejectQuestion && { reject: () => rejectQuestion(question.question_id) })}
    />
  );
}

/** What a screen reader says of a row before it reads it. */
function labelOf(row: Row): string {
  if (row.type === "turn") return "End of a turn";
  if (row.type === "end") return "End of the session";
  if (row.type === "result") return "Result";
  const { entry } = row;
  if (entry.type !== "item") return LABELS[entry.type];
  const { item } = entry;
  const who = item.agent_id === undefined ? "" : "Subagent: ";
  if (item.kind === "message") return `${who}${item.role ?? "system"} message`;
  return `${who}${item.kind.replace("_", " ")}`;
}

const LABELS = {
  permission: "Permission",
  question: "Question",
  error: "Error",
  unparsed: "Line that could not be read",
  event: "Event",
} as const;

import type { ReactNode } from "react";
import type { FileRefPart } from "../../../types/index.js";
import { visible } from "../../view/safe.js";
import { hasArguments, prettyArguments, type ToolView } from "../../view/tool.js";
import { duration } from "../../view/words.js";
import { useOpen, useParts } from "../context.js";
import type { TodoListProps, ToolCallProps, ToolResultProps } from "../parts.js";
import { Counts } from "./output.js";

/** Kinds whose output the title says well enough; it is there to be opened. */
const QUIET = new Set(["file_read", "search", "web_fetch", "web_search", "mcp", "other", "plan", "question"]);

/** A tool call with its result: one line, and what is worth seeing beneath it. */
export function ToolCall({ entry, tool }: ToolCallProps): ReactNode {
  const { Command, Subagent } = useParts();
  if (tool.kind === "command") return <Command entry={entry} tool={tool} />;
  if (tool.kind === "task") return <Subagent entry={entry} tool={tool} />;
  return <Card name={entry.key} tool={tool} openByDefault={tool.state === "failed" || !QUIET.has(tool.kind)} />;
}

/** A command with what it printed and its exit code. */
export function Command({ entry, tool }: ToolCallProps): ReactNode {
  return <Card name={entry.key} tool={tool} openByDefault arguments={false} />;
}

/** A call that starts a subagent. Its items come below it, in rows of their own. */
export function Subagent({ entry, tool }: ToolCallProps): ReactNode {
  return <Card name={entry.key} tool={tool} openByDefault={tool.output !== ""} />;
}

/** What a subagent answered, below its items. */
export function ToolResult({ entry, tool }: ToolResultProps): ReactNode {
  const { Output } = useParts();
  return (
    <div className="il-result" data-state={tool.state}>
      <p className="il-note">Answer of the subagent{words(tool)}</p>
      <Output name={entry.key} text={tool.output} />
    </div>
  );
}

function words({ result }: ToolView): string {
  return result?.duration_ms === undefined ? "" : `, after ${duration(result.duration_ms)}`;
}

interface CardProps {
  readonly name: string;
  readonly tool: ToolView;
  readonly openByDefault: boolean;
  /** Whether the arguments are shown when there is nothing else. */
  readonly arguments?: boolean;
}

function Card({ name, tool, openByDefault, arguments: withArguments = true }: CardProps): ReactNode {
  const [open, toggle] = useOpen(name, openByDefault);
  const { call, kind, label, title, state, result } = tool;
  return (
    <div className="il-tool" data-kind={kind} data-state={state}>
      <button type="button" className="il-head" aria-expanded={open} onClick={toggle}>
        <span className="il-name" title={call.name}>
          {visible(label)}
        </span>
        <span className="il-title">{visible(title)}</span>
        <span className="il-outcome">
          {state === "running" && <span className="il-running">running</span>}
          {result?.exit_code !== undefined && <span className="il-exit">exit {result.exit_code}</span>}
          {state === "failed" && result?.exit_code === undefined && <span className="il-exit">failed</span>}
          {onlyFile(tool)?.diff !== undefined && <Counts diff={onlyFile(tool)?.diff ?? ""} />}
          {result?.duration_ms ? <span className="il-time">{duration(result.duration_ms)}</span> : null}
        </span>
      </button>
      {open && <Body name={name} tool={tool} withArguments={withArguments} />}
    </div>
  );
}

/** The file that a call changed, where its title names it already. */
function onlyFile({ files, title }: ToolView): FileRefPart | undefined {
  const [file] = files;
  return files.length === 1 && file?.path === title ? file : undefined;
}

function Body({ name, tool, withArguments }: { name: string; tool: ToolView; withArguments: boolean }): ReactNode {
  const { Output, Diff, Image, TodoList } = useParts();
  const { call, files, images, todos, more, output, title } = tool;
  const changed = files.filter(({ diff }) => diff !== undefined);
  const shows = changed.length > 0 || todos.length > 0;
  const titled = title.includes("\n") || title.length > 120;
  return (
    <div className="il-body">
      {titled && <Output name={`${name}/title`} text={title} lines={20} />}
      {withArguments && !shows && hasArguments(call) && (
        <Output name={`${name}/arguments`} text={prettyArguments(call.arguments)} lines={8} />
      )}
      {changed.map((file, index) => (
        <Diff key={index} name={`${name}/${index}`} file={file} titled={onlyFile(tool) !== undefined} />
      ))}
      {todos.length > 0 && <TodoList todos={todos} />}
      {output !== "" && <Output name={name} text={output} />}
      {images.map((image, index) => (
        <Image key={index} image={image} />
      ))}
      {more.map((part, index) => (
        <Output key={index} name={`${name}/more/${index}`} text={JSON.stringify(part, null, 2)} />
      ))}
    </div>
  );
}

const TODO_WORDS = { pending: "to do", in_progress: "in progress", completed: "done", cancelled: "cancelled" } as const;

/** The things to do, and how far each is. */
export function TodoList({ todos }: TodoListProps): ReactNode {
  return (
    <ul className="il-todos">
      {todos.map(({ text, status }, index) => (
        <li key={index} data-status={status}>
          <span className="il-mark" role="img" aria-label={TODO_WORDS[status] ?? status} />
          <span>{text}</span>
        </li>
      ))}
    </ul>
  );
}

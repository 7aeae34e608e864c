import type { ReactNode } from "react";
import { visible } from "../../view/safe.js";
import { endOutput, endWords, errorWords, statusFacts, statusWords, turnWords } from "../../view/words.js";
import { useParts } from "../context.js";
import type {
  ErrorNoticeProps,
  SessionEndProps,
  StatusProps,
  TurnProps,
  UnknownProps,
  UnparsedProps,
} from "../parts.js";

/** A status: one quiet line, and the list of things to do where it has one. */
export function Status({ item }: StatusProps): ReactNode {
  const { TodoList, Output } = useParts();
  return (
    <div className="il-status">
      {item.content.map((part, index) => {
        const key = `${index}`;
        if (part.type === "json") {
          const facts = statusFacts(part.json, item.content).join(" · ");
          return facts === "" ? null : (
            <span key={key} className="il-facts">
              {visible(facts)}
            </span>
          );
        }
        if (part.type === "text") return <Output key={key} name={item.item_id} text={part.text} />;
        if (part.type !== "status") return null;
        return (
          <div key={key} data-label={part.label}>
            <span className="il-label">{statusWords(part)}</span>
            {part.detail !== undefined && <span className="il-detail">{visible(part.detail)}</span>}
            {part.todos !== undefined && <TodoList todos={part.todos} />}
          </div>
        );
      })}
    </div>
  );
}

/** Something failed. */
export function ErrorNotice({ error }: ErrorNoticeProps): ReactNode {
  return (
    <div className="il-error">
      <span className="il-label">{errorWords(error)}</span>
      {error.code !== undefined && <code>{visible(error.code)}</code>}
      <p>{visible(error.message)}</p>
    </div>
  );
}

/** A native line that could not be read. */
export function Unparsed({ unparsed }: UnparsedProps): ReactNode {
  return (
    <div className="il-error">
      <span className="il-label">A line could not be read</span>
      <code>{visible(unparsed.location)}</code>
      <p>{visible(unparsed.error)}</p>
    </div>
  );
}

/** How a turn went and what it used; while it runs, that it does. */
export function Turn({ turn }: TurnProps): ReactNode {
  if (turn.status === "running") {
    return (
      <p className="il-turn" data-status="running">
        <span className="il-pulse" aria-hidden="true" />
        Working
      </p>
    );
  }
  return (
    <p className="il-turn" data-status={turn.status}>
      {turnWords(turn).join(" · ") || turn.status}
    </p>
  );
}

/** How the session ended. */
export function SessionEnd({ session }: SessionEndProps): ReactNode {
  const { Output } = useParts();
  const { end } = session;
  const printed = endOutput(session);
  return (
    <div className="il-end" data-reason={end?.reason}>
      <p>{endWords(session)}</p>
      {end?.message !== undefined && <p className="il-detail">{visible(end.message)}</p>}
      {printed !== "" && <Output name="end" text={printed} />}
    </div>
  );
}

/** What this version does not know: as it is. */
export function Unknown({ value }: UnknownProps): ReactNode {
  const { Output } = useParts();
  const name = "item_id" in value ? value.item_id : value.event_id;
  return (
    <div className="il-unknown">
      <span className="il-label">Not known to this version</span>
      <Output name={name} text={JSON.stringify("item_id" in value ? value.content : value, null, 2)} />
    </div>
  );
}

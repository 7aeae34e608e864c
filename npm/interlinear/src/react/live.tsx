import { type ReactNode, useEffect, useRef, useState } from "react";
import type { TranscriptState } from "../fold.js";
import { permissionWords } from "../view/words.js";

const VISUALLY_HIDDEN = {
  position: "absolute",
  width: 1,
  height: 1,
  margin: -1,
  overflow: "hidden",
  clipPath: "inset(50%)",
  whiteSpace: "nowrap",
} as const;

/** Tells a screen reader what a person would look up for: requests, errors, the end of a turn. Not every word. */
export function LiveRegion({ transcript }: { transcript: TranscriptState }): ReactNode {
  const [said, say] = useState("");
  const before = useRef(transcript);
  useEffect(() => {
    const news = newsOf(before.current, transcript);
    // What was there when the page was opened is no news.
    if (before.current.session.session_id !== "" && news !== "") say(news);
    before.current = transcript;
  }, [transcript]);
  return (
    <div role="status" aria-live="polite" style={VISUALLY_HIDDEN}>
      {said}
    </div>
  );
}

/** What a person should be told of a change. */
function newsOf(before: TranscriptState, after: TranscriptState): string {
  const request = after.pending.find((open) => !before.pending.some((known) => known.key === open.key));
  if (request?.type === "permission") {
    return `${permissionWords(request.permission)}: ${request.permission.title ?? request.permission.action}`;
  }
  if (request?.type === "question") return `The agent asks: ${request.question.prompt}`;
  const error = after.errors.length > before.errors.length ? after.errors.at(-1) : undefined;
  if (error !== undefined) return `Error: ${error.error.message}`;
  if (after.session.status === "ended" && before.session.status !== "ended") return "The session ended";
  const [last, known] = [after.turns.at(-1), before.turns.at(-1)];
  if (last?.key === known?.key && known?.status === "running" && last?.status !== "running") return "The agent is done";
  return "";
}

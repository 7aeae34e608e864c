import { createContext, useCallback, useContext, useState } from "react";
import type { PermissionReply } from "../../types/index.js";
import type { TranscriptParts } from "./parts.js";

/** What answers the agent's requests. Where one is missing, its buttons are not shown. */
export interface TranscriptActions {
  /** Answers a permission request. */
  readonly replyPermission?: (permissionId: string, reply: PermissionReply) => unknown;
  /** Answers all questions of a request, in their order: chosen options or words of one's own. */
  readonly replyQuestion?: (questionId: string, answers: string[][]) => unknown;
  /** Dismisses a question. */
  readonly rejectQuestion?: (questionId: string) => unknown;
}

/** What all parts of one transcript share. */
export interface TranscriptContextValue {
  readonly parts: TranscriptParts;
  readonly actions: TranscriptActions;
  /** What the reader opened, closed, chose and wrote, by name: a row that is scrolled away is taken out of the page. */
  readonly kept: Map<string, unknown>;
}

export const TranscriptContext = createContext<TranscriptContextValue | undefined>(undefined);

function useTranscriptContext(): TranscriptContextValue {
  const context = useContext(TranscriptContext);
  if (context === undefined) throw new Error("a part of a transcript is drawn outside of <Transcript>");
  return context;
}

/** The parts in use: the default ones, or the user's own. */
export function useParts(): TranscriptParts {
  return useTranscriptContext().parts;
}

/** What answers the agent's requests. */
export function useActions(): TranscriptActions {
  return useTranscriptContext().actions;
}

/** A state of a part that stays while its row is scrolled away. */
export function useKept<T>(name: string, initial: T): [value: T, set: (value: T) => void] {
  const { kept } = useTranscriptContext();
  const [, redraw] = useState(0);
  const set = useCallback(
    (value: T) => {
      kept.set(name, value);
      redraw((count) => count + 1);
    },
    [kept, name],
  );
  return [kept.has(name) ? (kept.get(name) as T) : initial, set];
}

/** Whether something is open. It stays so while it is scrolled away. */
export function useOpen(name: string, byDefault: boolean): [open: boolean, toggle: () => void] {
  const [open, setOpen] = useKept(name, byDefault);
  const toggle = useCallback(() => setOpen(!open), [setOpen, open]);
  return [open, toggle];
}

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
  /** What the reader opened and closed, by name: a row that is scrolled away is taken out of the page. */
  readonly opened: Map<string, boolean>;
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

/** Whether something is open. It stays so while it is scrolled away. */
export function useOpen(name: string, byDefault: boolean): [open: boolean, toggle: () => void] {
  const { opened } = useTranscriptContext();
  const [, redraw] = useState(0);
  const open = opened.get(name) ?? byDefault;
  const toggle = useCallback(() => {
    opened.set(name, !(opened.get(name) ?? byDefault));
    redraw((count) => count + 1);
  }, [opened, name, byDefault]);
  return [open, toggle];
}

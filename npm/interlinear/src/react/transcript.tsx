import {
  type CSSProperties,
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
} from "react";
import type { TranscriptState } from "../fold.js";
import { type Row, Rows } from "../view/rows.js";
import { type TranscriptActions, TranscriptContext, type TranscriptContextValue } from "./context.js";
import { LiveRegion } from "./live.js";
import { defaultParts } from "./parts/index.js";
import type { TranscriptParts } from "./parts.js";
import { RowView } from "./row.js";
import { VirtualList, type VirtualListHandle } from "./virtual/list.js";

/** What can be asked of a transcript from outside. */
export interface TranscriptHandle {
  /** Brings what an event belongs to into view, by the event's `sequence`. */
  scrollToEvent(sequence: number): void;
  /** Scrolls to the end, and stays there as events come. */
  scrollToEnd(): void;
}

/** What to draw, and how. */
export interface TranscriptProps extends TranscriptActions {
  /** What to draw: of `useTranscript`, or of `fold`. */
  readonly transcript: TranscriptState;
  /** Parts to draw with in place of the default ones. Keep the object the same from one drawing to the next. */
  readonly parts?: Partial<TranscriptParts>;
  /** Whether it stays at its end as events come; yes if not given. Scrolling up leaves the end, scrolling down returns. */
  readonly follow?: boolean;
  /** Names what it is, for a screen reader. */
  readonly label?: string;
  readonly className?: string;
  readonly style?: CSSProperties;
  /** The `sequence` of an event: what it belongs to is marked. */
  readonly selected?: number;
  /** A row was clicked, or Enter was pressed on it. */
  readonly onSelect?: (row: Row) => void;
  /** What is shown while there is nothing. */
  readonly empty?: ReactNode;
  /** Receives what can be asked of it. */
  readonly handle?: Ref<TranscriptHandle>;
}

/**
 * A transcript: only what can be seen is drawn, and only what changed is drawn again. It scrolls in whatever scrolls
 * around it; give it (or something around it) a height and `overflow: auto`, as the stylesheet does.
 */
export function Transcript(props: TranscriptProps): ReactNode {
  // Another session begins anew: where one stood in the last one, and what was opened there, is none of its own.
  return <OneTranscript key={props.transcript.session.session_id} {...props} />;
}

function OneTranscript(props: TranscriptProps): ReactNode {
  const { transcript, parts, follow = true, label = "Transcript", className, style, selected, onSelect, empty } = props;
  const { replyPermission, replyQuestion, rejectQuestion } = props;
  const [kept] = useState(() => new Map<string, unknown>());
  const context = useMemo(
    (): TranscriptContextValue => ({
      parts: { ...defaultParts, ...parts },
      actions: {
        ...(replyPermission && { replyPermission }),
        ...(replyQuestion && { replyQuestion }),
        ...(rejectQuestion && { rejectQuestion }),
      },
      kept,
    }),
    [kept, parts, replyPermission, replyQuestion, rejectQuestion],
  );
  const [maker] = useState(() => new Rows());
  const rows = useMemo(() => maker.of(transcript), [maker, transcript]);
  const keys = useMemo(() => rows.map(({ key }) => key), [rows]);
  const list = useRef<VirtualListHandle>(null);
  const marked = selected === undefined ? -1 : rowOfEvent(rows, selected);

  useImperativeHandle(
    props.handle,
    () => ({
      scrollToEvent: (sequence) => list.current?.scrollTo(Math.max(0, rowOfEvent(rows, sequence)), "center"),
      scrollToEnd: () => list.current?.scrollToEnd(),
    }),
    [rows],
  );

  return (
    <TranscriptContext.Provider value={context}>
      <div className={["il-transcript", className].filter(Boolean).join(" ")} style={style}>
        {/* biome-ignore lint/a11y/noStaticElementInteractions: the feed's rows are what is used by the keys */}
        <div onKeyDown={(event) => onKey(event, rows, list.current, onSelect)}>
          <VirtualList keys={keys} follow={follow} role="feed" className="il-feed" aria-label={label} handle={list}>
            {(index) => {
              const row = rows[index];
              if (row === undefined) return null;
              return <RowView row={row} position={index + 1} selected={index === marked} onSelect={onSelect} />;
            }}
          </VirtualList>
        </div>
        {rows.length === 0 && empty}
        <LiveRegion transcript={transcript} />
      </div>
    </TranscriptContext.Provider>
  );
}

/** The row that an event belongs to: the smallest one that spans it, else the one before it. */
export function rowOfEvent(rows: readonly Row[], sequence: number): number {
  let best = -1;
  let size = Number.POSITIVE_INFINITY;
  for (const [index, row] of rows.entries()) {
    if (row.type !== "entry" && row.type !== "result") continue;
    const { entry } = row;
    const last = row.type === "entry" && entry.type === "item" ? (entry.result?.last ?? entry.last) : entry.last;
    if (entry.first > sequence) continue;
    const span = last >= sequence ? last - entry.first : Number.POSITIVE_INFINITY;
    if (span <= size) {
      best = index;
      size = span;
    }
  }
  return best;
}

/** The keys of a feed: Page Down and Page Up go from row to row, Enter chooses one. */
function onKey(
  event: KeyboardEvent,
  rows: readonly Row[],
  list: VirtualListHandle | null,
  onSelect: ((row: Row) => void) | undefined,
): void {
  const article = (event.target as Element).closest<HTMLElement>("article.il-row");
  if (article === null || list === null) return;
  const index = rows.findIndex(({ key }) => key === article.dataset["key"]);
  const row = rows[index];
  if (event.key === "Enter" && event.target === article && row !== undefined && onSelect !== undefined) {
    event.preventDefault();
    onSelect(row);
  }
  const step = event.key === "PageDown" ? 1 : event.key === "PageUp" ? -1 : 0;
  const next = rows[index + step];
  if (step === 0 || next === undefined) return;
  event.preventDefault();
  list.scrollTo(index + step, "nearest");
  const feed = article.closest(".il-feed");
  requestAnimationFrame(() => {
    feed?.querySelector<HTMLElement>(`article[data-key="${CSS.escape(next.key)}"]`)?.focus({ preventScroll: true });
  });
}

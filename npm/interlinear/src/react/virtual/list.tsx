import {
  type CSSProperties,
  type ReactNode,
  type Ref,
  useCallback,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { Heights } from "./heights.js";
import { distanceToEnd, scrollerOf, viewOf } from "./scroller.js";

/** What can be asked of a list from outside. */
export interface VirtualListHandle {
  /** Brings a row into view: at the top of what is seen, in its middle, or as little as needed. */
  scrollTo(index: number, align?: "start" | "center" | "nearest"): void;
  /** Scrolls to the end, and stays there as rows come. */
  scrollToEnd(): void;
}

export interface VirtualListProps {
  /** Names the rows, in order. */
  readonly keys: readonly string[];
  /** Draws a row. It must give one element, or nothing. */
  readonly children: (index: number) => ReactNode;
  /** How high a row may be before it is measured; 80 pixels if not given. */
  readonly estimate?: (index: number) => number;
  /** Whether the list stays at its end when it is there and rows come. */
  readonly follow?: boolean;
  readonly className?: string;
  readonly role: "feed" | "list" | "listbox" | "tree" | "rowgroup";
  readonly "aria-label"?: string;
  /** Receives what can be asked of the list. */
  readonly handle?: Ref<VirtualListHandle>;
  /** Whether the end can be seen has changed. */
  readonly onAtEnd?: (atEnd: boolean) => void;
}

interface Range {
  readonly first: number;
  /** The row after the last one. */
  readonly end: number;
}

/** How many pixels are drawn beyond what can be seen, so that scrolling finds rows ready. */
const MARGIN = 600;
/** On a server, and before anything is measured. */
const FIRST_RANGE: Range = { first: 0, end: 30 };
const AT_END = 24;
/** Rows that come into view are measured and move what is below them: so often is a jump corrected. */
const CORRECTIONS = 12;

/**
 * Draws of a long list only what can be seen, whatever scrolls it: itself, something around it, the page. Rows may have
 * any height, and change it. What is seen stays where it is when rows above it turn out higher than thought.
 */
export function VirtualList(props: VirtualListProps): ReactNode {
  const { keys, children, estimate, follow = false, className, role, handle, onAtEnd } = props;
  const list = useRef<HTMLDivElement>(null);
  const [range, setRange] = useState(FIRST_RANGE);
  const estimateNow = useLatest(estimate);
  const heights = useMemo(() => new Heights((index) => estimateNow.current?.(index) ?? 80), [estimateNow]);
  heights.setKeys(keys);

  const scroller = useRef<Element>(null);
  const following = useRef(follow);
  const target = useRef<{ index: number; align: "start" | "center" | "nearest"; left: number }>(undefined);

  /** Draws what can be seen now. */
  const look = useCallback(() => {
    const element = list.current;
    const view = scroller.current && viewOf(scroller.current);
    if (element === null || view === null) return;
    const { top } = element.getBoundingClientRect();
    const first = heights.at(Math.max(0, view.top - top - MARGIN));
    const end = Math.min(heights.count, heights.at(Math.max(0, view.bottom - top + MARGIN)) + 1);
    setRange((before) => (before.first === first && before.end === end ? before : { first, end }));
  }, [heights]);

  /** Moves on towards the row that was asked for, or to the end. */
  const settle = useCallback(() => {
    const box = scroller.current;
    if (box === null) return;
    if (target.current !== undefined) {
      if (!approach(box, list.current, heights, target.current)) target.current = undefined;
    } else if (following.current && distanceToEnd(box) > 0) {
      box.scrollTop = box.scrollHeight;
    }
  }, [heights]);

  const observer = useRowObserver(list, scroller, heights, settle, look);
  const measure = useCallback(
    (element: HTMLElement) => {
      observer.current?.observe(element);
      return () => observer.current?.unobserve(element);
    },
    [observer],
  );

  const atEndNow = useLatest(onAtEnd);
  const wasAtEnd = useRef(true);
  useLayoutEffect(() => {
    if (list.current === null) return;
    scroller.current = scrollerOf(list.current);
    const onScroll = () => {
      const box = scroller.current;
      if (box === null) return;
      const atEnd = distanceToEnd(box) < AT_END;
      if (target.current === undefined) following.current = follow && atEnd;
      if (atEnd !== wasAtEnd.current) atEndNow.current?.(atEnd);
      wasAtEnd.current = atEnd;
      look();
    };
    const leave = () => {
      target.current = undefined;
    };
    // Captured, because scrolling does not bubble: whatever scrolls around the list moves it.
    document.addEventListener("scroll", onScroll, { capture: true, passive: true });
    window.addEventListener("resize", look);
    for (const type of ["wheel", "touchmove", "pointerdown"])
      list.current.addEventListener(type, leave, { passive: true });
    const element = list.current;
    return () => {
      document.removeEventListener("scroll", onScroll, { capture: true });
      window.removeEventListener("resize", look);
      for (const type of ["wheel", "touchmove", "pointerdown"]) element.removeEventListener(type, leave);
    };
  }, [follow, look, atEndNow]);

  // When rows came. Rows that come into view are measured before they are painted, and lead here again.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rows are what it waits for
  useLayoutEffect(() => {
    settle();
    look();
  }, [keys, settle, look]);

  useImperativeHandle(
    handle,
    () => ({
      scrollTo(index, align = "start") {
        following.current = false;
        target.current = { index, align, left: CORRECTIONS };
        settle();
        look();
      },
      scrollToEnd() {
        following.current = follow;
        target.current = undefined;
        const box = scroller.current;
        if (box !== null) box.scrollTop = box.scrollHeight;
        look();
      },
    }),
    [follow, settle, look],
  );

  const end = Math.min(range.end, keys.length);
  const first = Math.min(range.first, end);
  const style: CSSProperties = {
    overflowAnchor: "none",
    paddingTop: heights.offset(first),
    paddingBottom: Math.max(0, heights.total - heights.offset(end)),
  };
  const drawn: ReactNode[] = [];
  for (let index = first; index < end; index += 1) {
    drawn.push(
      <MeasuredRow key={keys[index]} index={index} measure={measure}>
        {children(index)}
      </MeasuredRow>,
    );
  }
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: all roles that it can have do
    <div ref={list} className={className} role={role} aria-label={props["aria-label"]} style={style}>
      {drawn}
    </div>
  );
}

interface MeasuredRowProps {
  readonly index: number;
  readonly measure: (element: HTMLElement) => () => void;
  readonly children: ReactNode;
}

function MeasuredRow({ index, measure, children }: MeasuredRowProps): ReactNode {
  const row = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => (row.current === null ? undefined : measure(row.current)), [measure]);
  return (
    <div ref={row} data-index={index}>
      {children}
    </div>
  );
}

/** Measures rows as they come into view and change. */
function useRowObserver(
  list: { readonly current: HTMLElement | null },
  scroller: { readonly current: Element | null },
  heights: Heights,
  settle: () => void,
  look: () => void,
) {
  const observer = useRef<ResizeObserver>(undefined);
  // Made before the first row is observed, which is when the first element is put into the page.
  if (observer.current === undefined && typeof ResizeObserver !== "undefined") {
    observer.current = new ResizeObserver((entries) => {
      const box = scroller.current;
      if (list.current === null || box === null) return;
      const top = list.current.getBoundingClientRect().top;
      const seenFrom = viewOf(box).top - top;
      let above = 0;
      let changed = false;
      for (const { target, borderBoxSize } of entries) {
        const index = Number((target as HTMLElement).dataset["index"]);
        const height = borderBoxSize[0]?.blockSize ?? target.getBoundingClientRect().height;
        if (!target.isConnected) continue;
        const begins = heights.offset(index);
        const difference = heights.measure(index, height);
        changed ||= difference !== 0;
        if (begins + height - difference <= seenFrom) above += difference;
      }
      if (!changed) return;
      // What is seen stays where it is.
      if (above !== 0) box.scrollTop += above;
      settle();
      look();
    });
  }
  useEffect(() => () => observer.current?.disconnect(), []);
  return observer;
}

/** One step towards a row; whether another may be needed. */
function approach(
  box: Element,
  list: HTMLElement | null,
  heights: Heights,
  target: { index: number; align: "start" | "center" | "nearest"; left: number },
): boolean {
  if (list === null || target.left === 0) return false;
  target.left -= 1;
  const view = viewOf(box);
  const element = list.querySelector(`:scope > [data-index="${target.index}"]`);
  const listTop = list.getBoundingClientRect().top;
  const top = element ? element.getBoundingClientRect().top : listTop + heights.offset(target.index);
  const height = heights.offset(target.index + 1) - heights.offset(target.index);
  const wanted = distance(top, height, view, target.align);
  if (Math.abs(wanted) >= 1) box.scrollTop += wanted;
  return true;
}

function distance(top: number, height: number, view: { top: number; bottom: number }, align: string): number {
  const room = view.bottom - view.top;
  if (align === "nearest" && top >= view.top && top + height <= view.bottom) return 0;
  if (align === "start" || height > room) return top - view.top;
  if (align === "nearest" && top < view.top) return top - view.top;
  return align === "nearest" ? top + height - view.bottom : top + height / 2 - (view.top + view.bottom) / 2;
}

/** The newest value, for code that runs later. */
function useLatest<T>(value: T): { readonly current: T } {
  const latest = useRef(value);
  useLayoutEffect(() => {
    latest.current = value;
  });
  return latest;
}

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
import { type Align, Position } from "./position.js";
import { scrollerOf, viewOf } from "./scroller.js";

/** What can be asked of a list from outside. */
export interface VirtualListHandle {
  /** Brings a row into view: at the top of what is seen, in its middle, or as little as needed. */
  scrollTo(index: number, align?: Align): void;
  /** Scrolls to the end, and stays there as rows come. */
  scrollToEnd(): void;
}

/** The rows of a list, and how it behaves. */
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

  const [position] = useState(() => new Position(follow));

  /** Draws what can be seen now. */
  const look = useCallback(() => {
    const element = list.current;
    if (element === null || position.scroller === undefined) return;
    const view = viewOf(position.scroller);
    const { top } = element.getBoundingClientRect();
    const first = heights.at(Math.max(0, view.top - top - MARGIN));
    const end = Math.min(heights.count, heights.at(Math.max(0, view.bottom - top + MARGIN)) + 1);
    setRange((before) => (before.first === first && before.end === end ? before : { first, end }));
  }, [heights, position]);

  const settle = useCallback(() => {
    position.settle(list.current, heights);
    look();
  }, [heights, position, look]);

  const observer = useRowObserver(list, heights, position, settle);
  const measure = useCallback(
    (element: HTMLElement) => {
      observer.current?.observe(element);
      return () => observer.current?.unobserve(element);
    },
    [observer],
  );

  const atEndNow = useLatest(onAtEnd);
  useLayoutEffect(() => {
    if (list.current === null) return;
    position.scroller = scrollerOf(list.current);
    let wasAtEnd = true;
    const onScroll = () => {
      const atEnd = position.scrolled(follow);
      if (atEnd !== wasAtEnd) atEndNow.current?.(atEnd);
      wasAtEnd = atEnd;
      look();
    };
    // Captured, because scrolling does not bubble: whatever scrolls around the list moves it.
    document.addEventListener("scroll", onScroll, { capture: true, passive: true });
    window.addEventListener("resize", settle);
    // A window's size is not all: a box to write into grows, a panel is closed.
    const resized = typeof ResizeObserver === "undefined" ? undefined : new ResizeObserver(settle);
    resized?.observe(position.scroller);
    return () => {
      document.removeEventListener("scroll", onScroll, { capture: true });
      window.removeEventListener("resize", settle);
      resized?.disconnect();
    };
  }, [follow, position, look, settle, atEndNow]);

  // When rows came. Rows that come into view are measured before they are painted, and lead here again.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rows are what it waits for
  useLayoutEffect(settle, [keys, settle]);

  useImperativeHandle(
    handle,
    () => ({
      scrollTo(index, align = "start") {
        position.aim(index, align);
        settle();
      },
      scrollToEnd() {
        position.toEnd(follow);
        settle();
      },
    }),
    [follow, position, settle],
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
  heights: Heights,
  position: Position,
  settle: () => void,
): { readonly current: ResizeObserver | undefined } {
  const observer = useRef<ResizeObserver>(undefined);
  // Made before the first row is observed, which is when the first element is put into the page.
  if (observer.current === undefined && typeof ResizeObserver !== "undefined") {
    observer.current = new ResizeObserver((entries) => {
      if (list.current === null || position.scroller === undefined) return;
      const seenFrom = viewOf(position.scroller).top - list.current.getBoundingClientRect().top;
      let above = 0;
      let changed = false;
      for (const { target, borderBoxSize } of entries) {
        if (!target.isConnected) continue;
        const index = Number((target as HTMLElement).dataset["index"]);
        const height = borderBoxSize[0]?.blockSize ?? target.getBoundingClientRect().height;
        const begins = heights.offset(index);
        const difference = heights.measure(index, height);
        changed ||= difference !== 0;
        if (begins + height - difference <= seenFrom) above += difference;
      }
      if (!changed) return;
      position.shift(above);
      settle();
    });
  }
  useEffect(() => () => observer.current?.disconnect(), []);
  return observer;
}

/** The newest value, for code that runs later. */
function useLatest<T>(value: T): { readonly current: T } {
  const latest = useRef(value);
  useLayoutEffect(() => {
    latest.current = value;
  });
  return latest;
}

import {
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  useCallback,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from "react";

export interface FixedListHandle {
  /** Brings a row into view. */
  scrollTo(index: number, align: "center" | "nearest"): void;
}

export interface FixedListProps {
  readonly count: number;
  readonly rowHeight: number;
  readonly label: string;
  /** The row that is chosen. */
  readonly active: number | undefined;
  readonly onActive: (index: number) => void;
  /** Whether it stays at its end as rows come. */
  readonly follow?: boolean;
  readonly children: (index: number) => ReactNode;
  readonly handle?: Ref<FixedListHandle>;
}

/** Browsers draw no element that is much higher than this. */
const HIGHEST = 8_000_000;
const MARGIN = 12;

/**
 * A list of any length whose rows are all of one height: only what can be seen is drawn. Beyond what a browser can
 * scroll, a pixel of the scroll bar is worth several.
 */
export function FixedList(props: FixedListProps): ReactNode {
  const { count, rowHeight, label, active, onActive, follow = false, children, handle } = props;
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 0 });
  const total = count * rowHeight;
  const height = Math.min(total, HIGHEST);
  const scale = height <= view.height ? 1 : (total - view.height) / (height - view.height);
  const offset = view.top * scale;

  const look = useCallback(() => {
    const { scrollTop: top = 0, clientHeight: seen = 0 } = box.current ?? {};
    setView((before) => (before.top === top && before.height === seen ? before : { top, height: seen }));
  }, []);

  useLayoutEffect(() => {
    if (box.current === null) return;
    const observer = new ResizeObserver(look);
    observer.observe(box.current);
    look();
    return () => observer.disconnect();
  }, [look]);

  // Where the end could be seen, it can be seen still.
  const atEnd = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rows are what it waits for
  useLayoutEffect(() => {
    if (follow && atEnd.current && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [follow, count]);
  const onScroll = () => {
    const { scrollTop = 0, clientHeight = 0, scrollHeight = 0 } = box.current ?? {};
    atEnd.current = scrollHeight - clientHeight - scrollTop < rowHeight;
    look();
  };

  const scrollTo = (index: number, align: "center" | "nearest") => {
    const element = box.current;
    if (element === null) return;
    const [top, bottom] = [index * rowHeight, (index + 1) * rowHeight];
    const now = element.scrollTop * scale;
    if (align === "nearest" && top >= now && bottom <= now + element.clientHeight) return;
    const nearest = top < now ? top : bottom - element.clientHeight;
    const wanted = align === "center" ? (top + bottom - element.clientHeight) / 2 : nearest;
    element.scrollTop = Math.max(0, wanted) / scale;
    look();
  };
  useImperativeHandle(handle, () => ({ scrollTo }));

  const onKeyDown = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor(view.height / rowHeight) - 1);
    const steps: Record<string, number> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: page,
      PageUp: -page,
      Home: -count,
      End: count,
    };
    const step = steps[event.key];
    if (step === undefined || count === 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(count - 1, active === undefined ? Math.max(0, step - 1) : active + step));
    onActive(next);
    scrollTo(next, "nearest");
  };

  const first = Math.max(0, Math.floor(offset / rowHeight) - MARGIN);
  const end = Math.min(count, Math.ceil((offset + view.height) / rowHeight) + MARGIN);
  const rows: ReactNode[] = [];
  for (let index = first; index < end; index += 1) {
    // Rows stand where the scroll bar is, whatever it is worth.
    const top = index * rowHeight - offset + view.top;
    rows.push(
      <div
        key={index}
        id={`row-${index}`}
        role="option"
        tabIndex={-1}
        aria-selected={index === active}
        aria-posinset={index + 1}
        aria-setsize={count}
        className="fixed-row"
        style={{ transform: `translateY(${top}px)`, height: rowHeight }}
        onClick={() => onActive(index)}
        onKeyDown={undefined}
      >
        {children(index)}
      </div>,
    );
  }
  const shown = active !== undefined && active >= first && active < end;
  return (
    <div
      ref={box}
      className="fixed-list"
      role="listbox"
      aria-label={label}
      aria-activedescendant={shown ? `row-${active}` : undefined}
      tabIndex={0}
      onScroll={onScroll}
      onKeyDown={onKeyDown}
    >
      <div style={{ height }} role="presentation" className="fixed-height">
        {rows}
      </div>
    </div>
  );
}

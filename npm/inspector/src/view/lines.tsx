import { type EventType, eventTypes } from "interlinear";
import {
  type ReactNode,
  type Ref,
  useDeferredValue,
  useEffect,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
} from "react";
import { eventRow } from "../../../interlinear/src/cli/show/event.js";
import { ItemNumbers } from "../../../interlinear/src/cli/show/numbers.js";
import { styleFor } from "../../../interlinear/src/cli/show/style.js";
import { visible } from "../../../interlinear/src/view/safe.js";
import type { Choice, Fate, Log, LogRow } from "../model/log.js";
import { type NumberList, Numbers } from "../model/numbers.js";
import { search } from "../model/search.js";
import { FixedList, type FixedListHandle } from "./fixed-list.js";
import { Icon } from "./icon.js";

export interface LinesHandle {
  /** Brings a row of the log into view. */
  reveal(row: number): void;
}

interface LinesProps {
  readonly log: Log;
  /** Changes when rows came. */
  readonly version: number;
  readonly selected: number | undefined;
  readonly onSelect: (row: number) => void;
  /** Whether the end is followed as rows come. */
  readonly follow: boolean;
  readonly handle?: Ref<LinesHandle>;
}

const ROW_HEIGHT = 26;
const EVERYTHING: Choice = { lines: true, events: true };

/** Every native line with its events beneath it, to be searched and sieved. */
export function Lines({ log, version, selected, onSelect, follow, handle }: LinesProps): ReactNode {
  const [choice, setChoice] = useState(EVERYTHING);
  const [text, setText] = useState("");
  const rows = useChosen(log, version, choice, useDeferredValue(text.trim()));
  const list = useRef<FixedListHandle>(null);
  const active = useMemo(() => (selected === undefined ? undefined : placeOf(rows, selected)), [rows, selected]);
  useImperativeHandle(handle, () => ({
    reveal(row) {
      const place = placeOf(rows, row);
      if (place !== undefined) list.current?.scrollTo(place, "center");
    },
  }));
  return (
    <section className="lines" aria-label="Native lines and events">
      <Sieve log={log} choice={choice} onChoice={setChoice} text={text} onText={setText} found={rows.length} />
      {rows.length === 0 ? (
        <p className={log.length > 0 ? "nothing" : "nothing yet"}>
          {log.length > 0
            ? "No line or event fits. Choose something else above."
            : "Every line that is written will stand here, with its events beneath it."}
        </p>
      ) : (
        <FixedList
          count={rows.length}
          rowHeight={ROW_HEIGHT}
          label="Native lines, each with its events beneath it"
          active={active}
          onActive={(index) => onSelect(rows.at(index))}
          follow={follow}
          handle={list}
        >
          {(index) => {
            const row = log.row(rows.at(index));
            return row === undefined ? null : <RowText row={row} unknown={log.isUnknown(rows.at(index))} />;
          }}
        </FixedList>
      )}
    </section>
  );
}

/** The rows of a choice in which a text occurs, kept up to date. */
function useChosen(log: Log, version: number, choice: Choice, text: string): NumberList {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the log grows without another identity
  const chosen = useMemo(() => log.choose(choice), [log, version, choice]);
  // The rows grow without another identity too: each time they stand in an object of their own.
  const [found, setFound] = useState<{ rows: Numbers }>();
  useEffect(() => {
    setFound(undefined);
    if (text === "") return;
    const stop = new AbortController();
    void search(log, chosen, text, (rows) => setFound({ rows }), stop.signal);
    return () => stop.abort();
  }, [log, chosen, text]);
  if (text === "") return chosen;
  return found?.rows ?? NOTHING;
}

const NOTHING = new Numbers();

/** Where a row stands among the chosen ones, which are in order. */
function placeOf(rows: NumberList, row: number): number | undefined {
  let [low, high] = [0, rows.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const value = rows.at(middle);
    if (value === row) return middle;
    if (value < row) low = middle + 1;
    else high = middle - 1;
  }
  return undefined;
}

interface SieveProps {
  readonly log: Log;
  readonly choice: Choice;
  readonly onChoice: (choice: Choice) => void;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly found: number;
}

const SHOWN = { both: "Lines and events", lines: "Lines only", events: "Events only" } as const;

function Sieve({ log, choice, onChoice, text, onText, found }: SieveProps): ReactNode {
  const { counts } = log;
  const fates: [Fate | "unknown", string, number][] = [
    ["ignored", "ignored", counts.ignored],
    ["unknown", "unknown", counts.unknown],
    ["unparsed", "unreadable", counts.unparsed],
    ["cut", "cut off", counts.cut],
  ];
  const shown = choice.lines ? (choice.events ? "both" : "lines") : "events";
  const set = (change: Partial<Record<keyof Choice, unknown>>) => {
    const next = { ...choice, ...change };
    onChoice(Object.fromEntries(Object.entries(next).filter(([, value]) => value !== undefined)) as unknown as Choice);
  };
  return (
    <div className="sieve">
      <label className="search">
        <Icon name="search" />
        <input
          type="search"
          placeholder="Search lines and events"
          aria-label="Search lines and events"
          value={text}
          onChange={(event) => onText(event.target.value)}
        />
        <span className="count" role="status">
          {text.trim() === "" ? "" : `${found} found`}
        </span>
      </label>
      <div className="chips">
        <select
          aria-label="What to show"
          value={shown}
          onChange={({ target }) => set({ lines: target.value !== "events", events: target.value !== "lines" })}
        >
          {Object.entries(SHOWN).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
        <select
          aria-label="Which events to show"
          value={choice.type ?? ""}
          onChange={({ target }) => set({ type: (target.value || undefined) as EventType | undefined })}
        >
          <option value="">All types</option>
          {eventTypes.map((type) => (
            <option key={type}>{type}</option>
          ))}
        </select>
        {fates
          .filter(([, , count]) => count > 0)
          .map(([fate, label, count]) => (
            <button
              key={fate}
              type="button"
              className="chip"
              data-fate={fate}
              aria-pressed={choice.fate === fate}
              onClick={() => set({ fate: choice.fate === fate ? undefined : fate })}
            >
              {count} {label}
            </button>
          ))}
      </div>
    </div>
  );
}

const ARROWS = { out: "◀", in: "▶", err: "!" } as const;
const DIRECTIONS = { out: "from the agent", in: "to the agent", err: "standard error" } as const;
const PLAIN = styleFor(false);
/** Longer than any screen is wide. */
const WIDEST = 400;

function RowText({ row, unknown }: { row: LogRow; unknown: boolean }): ReactNode {
  return row.event === undefined ? (
    <LineText row={row} unknown={unknown} />
  ) : (
    <EventText event={row.event} unknown={unknown} />
  );
}

function LineText({ row: { line }, unknown }: { row: LogRow; unknown: boolean }): ReactNode {
  if (line.line === undefined) {
    return (
      <span className="line-row" data-fate="none">
        <span className="line-number">·</span>
        <span className="line-text">no native line</span>
      </span>
    );
  }
  const direction = line.dir ?? "out";
  const fate = unknown ? "unknown" : (line.outcome ?? "mapped");
  return (
    <span className="line-row" data-fate={fate}>
      <span className="line-number">{line.line}</span>
      <span className="arrow" data-dir={direction} title={DIRECTIONS[direction]}>
        {ARROWS[direction]}
      </span>
      <span className="line-kind">{visible(line.kind ?? "")}</span>
      {fate !== "mapped" && <span className="fate">{fateWords(fate, line.reason)}</span>}
      <span className="line-text">{visible((line.text ?? "").slice(0, WIDEST))}</span>
    </span>
  );
}

/** Why a line is marked. */
export function fateWords(fate: Fate | "unknown", reason: string | undefined): string {
  const words = {
    mapped: "",
    ignored: `ignored: ${reason ?? "no reason given"}`,
    unknown: "unknown to this version",
    unparsed: "could not be read",
    cut: "cut off by the end of the process",
    none: "",
  };
  return words[fate];
}

function EventText({ event, unknown }: { event: NonNullable<LogRow["event"]>; unknown: boolean }): ReactNode {
  const { words, text } = eventRow(event, PLAIN, new ItemNumbers());
  return (
    <span className="event-row" data-type={event.type} data-unknown={unknown || undefined}>
      <span className="event-sequence">{event.sequence}</span>
      <span className="event-type">{event.type}</span>
      <span className="event-words">{visible(words.replace(/^#1 ?/, ""))}</span>
      <span className="event-text">{visible(text.slice(0, WIDEST)).replaceAll("\n", " ")}</span>
    </span>
  );
}

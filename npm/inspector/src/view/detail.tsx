import type { UniversalEvent } from "interlinear";
import type { ReactNode } from "react";
import type { Log } from "../model/log.js";
import { CopyButton } from "./copy-button.js";
import { Icon } from "./icon.js";
import { Json } from "./json.js";
import { fateWords } from "./lines.js";

interface DetailProps {
  readonly log: Log;
  readonly row: number;
  readonly onSelect: (row: number) => void;
  readonly onClose: () => void;
  /** The address of an event. */
  readonly linkOf: (event: UniversalEvent) => string;
}

/** One native line, and beneath it, word for word, its events. */
export function Detail({ log, row, onSelect, onClose, linkOf }: DetailProps): ReactNode {
  const shown = log.row(row);
  if (shown === undefined) return null;
  const { line, event } = shown;
  const lineRow = log.lineRow(row);
  const fate = log.isUnknown(lineRow) ? "unknown" : (line.outcome ?? "mapped");
  const why = line.line === undefined ? "" : fateWords(fate, line.reason);
  return (
    <section className="detail" aria-label="The chosen line with its events">
      <header>
        <h2>
          {line.line === undefined ? "No native line" : `Line ${line.line}`}
          {line.kind !== undefined && <span className="kind">{line.kind}</span>}
        </h2>
        {why !== "" && (
          <span className="fate" data-fate={fate}>
            {why}
          </span>
        )}
        <span className="spacer" />
        {line.text !== undefined && <CopyButton text={line.text} label="Copy line" />}
        <button type="button" className="plain" onClick={onClose} aria-label="Close the line">
          <Icon name="close" />
        </button>
      </header>
      <div className="detail-body" data-alone={line.text === undefined || undefined}>
        {line.text !== undefined && (
          <div className="detail-line">
            <Json key={lineRow} text={line.text} />
          </div>
        )}
        <div className="detail-events">
          {line.events.length === 0 && <p className="nothing">It became no event.</p>}
          {line.events.map((one, index) => (
            <EventDetail
              key={one.event_id}
              event={one}
              open={one === event || (event === undefined && line.events.length === 1)}
              onToggle={() => onSelect(one === event ? lineRow : lineRow + index + 1)}
              link={linkOf(one)}
            />
          ))}
        </div>
      </div>
    </section>
  );
}

interface EventDetailProps {
  readonly event: UniversalEvent;
  readonly open: boolean;
  readonly onToggle: () => void;
  readonly link: string;
}

function EventDetail({ event, open, onToggle, link }: EventDetailProps): ReactNode {
  const { raw: _, ...rest } = event;
  return (
    <div className="event-detail" data-open={open || undefined}>
      <div className="event-head">
        <button type="button" className="event-toggle" aria-expanded={open} onClick={onToggle}>
          <span className="event-sequence">{event.sequence}</span>
          <span className="event-type">{event.type}</span>
          {event.synthetic && <span className="kind">synthetic</span>}
        </button>
        <CopyButton text={link} label="Copy link" icon="link" />
        <CopyButton text={JSON.stringify(event)} label="Copy event" />
      </div>
      {open && <Json text={JSON.stringify(rest)} />}
    </div>
  );
}

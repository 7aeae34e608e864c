import { type Agent, emptyTranscript, type TranscriptState, type UniversalEvent } from "interlinear";
import { titleOf } from "interlinear/export";
import { type Row, Transcript, type TranscriptHandle } from "interlinear/react";
import { type ReactNode, useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { amount, counted, price } from "../../../interlinear/src/view/words.js";
import { type Document, mainTranscript, type Reading } from "../model/document.js";
import { formatRoute, go, type Route } from "../model/route.js";
import type { Controls } from "../model/server.js";
import { AgentMark, agentName } from "./agent.js";
import { Detail } from "./detail.js";
import { ExportMenu } from "./export-menu.js";
import { Lines, type LinesHandle } from "./lines.js";
import { LiveBar } from "./live-bar.js";
import { Failed, Loading } from "./states.js";

interface SessionProps {
  readonly document: Document;
  readonly route: Route;
  /** What to call it while nothing is known. */
  readonly name: string;
  /** Reads it anew, as what a person says that it is. */
  readonly onReadAs?: (agent: Agent) => void;
  /** What can be said to it, if it is running. */
  readonly controls?: Controls;
  /** Who speaks, where that is known before anything was said. */
  readonly agent?: string | undefined;
}

type Panes = "transcript" | "both" | "lines";

const PANES: Record<Panes, string> = { transcript: "Transcript", both: "Both", lines: "Lines" };

/** A session: its transcript, and beside it every native line with its events. */
export function Session({ document, route, name, onReadAs, controls, agent }: SessionProps): ReactNode {
  const reading = useSyncExternalStore(document.subscribe, document.current);
  const transcript = transcriptOf(reading, route.session) ?? (controls && emptyTranscript);
  const [panes, setPanes] = usePanes();
  const [row, setRow] = useState<number>();
  const conversation = useRef<TranscriptHandle>(null);
  const lines = useRef<LinesHandle>(null);
  const { log } = document;
  const sequence = useMemo(() => sequenceOf(document, row, transcript), [document, row, transcript]);

  /** An event was chosen: it stands in the address, so that a link leads to it. */
  const choose = (chosen: number) => {
    setRow(chosen);
    const event = eventOf(document, chosen);
    if (event === undefined) return;
    go({ ...route, session: event.session_id, event: event.sequence }, { replace: true });
    if (event.session_id === transcript?.session.session_id) conversation.current?.scrollToEvent(event.sequence);
  };
  const chooseInTranscript = (clicked: Row) => {
    const first = firstSequence(clicked, transcript);
    const found =
      first === undefined || transcript === undefined ? undefined : log.rowOf(transcript.session.session_id, first);
    if (found === undefined || transcript === undefined || first === undefined) return;
    setRow(found);
    lines.current?.reveal(found);
    go({ ...route, session: transcript.session.session_id, event: first }, { replace: true });
  };

  useLinkedEvent(document, reading, route, (linked, event) => {
    setRow(linked);
    requestAnimationFrame(() => {
      lines.current?.reveal(linked);
      conversation.current?.scrollToEvent(event);
    });
  });

  if (reading.status === "failed" && (log.length === 0 || transcript === undefined)) {
    return <Failed name={name} problem={reading.error} onReadAs={onReadAs} />;
  }
  if (transcript === undefined) return <Loading name={name} reading={reading} />;
  const linkOf = (event: UniversalEvent) =>
    `${location.href.split("#")[0]}${formatRoute({ ...route, session: event.session_id, event: event.sequence })}`;
  return (
    <div className="session">
      <Header transcript={transcript} reading={reading} document={document} route={route} name={name} agent={agent}>
        <fieldset className="segments">
          <legend className="hidden">What to show</legend>
          {(Object.keys(PANES) as Panes[]).map((pane) => (
            <label key={pane}>
              <input type="radio" name="panes" checked={panes === pane} onChange={() => setPanes(pane)} />
              <span>{PANES[pane]}</span>
            </label>
          ))}
        </fieldset>
      </Header>
      {reading.status === "reading" && controls === undefined && <ProgressBar reading={reading} />}
      {reading.status === "failed" && <Failed name={name} problem={reading.error} small />}
      <div className="panes" data-panes={panes}>
        {panes !== "lines" && (
          <div className="conversation">
            <Transcript
              key={transcript.session.session_id}
              transcript={transcript}
              label={`Transcript of ${titleOf(transcript, name)}`}
              follow={controls !== undefined}
              onSelect={chooseInTranscript}
              handle={conversation}
              empty={
                <p className="nothing yet">
                  {controls ? "Nothing was said yet. Tell the agent what to do." : "Nothing was said."}
                </p>
              }
              {...(sequence !== undefined && { selected: sequence })}
              {...(controls && {
                replyPermission: controls.replyPermission,
                replyQuestion: controls.replyQuestion,
                rejectQuestion: controls.rejectQuestion,
              })}
            />
            {controls !== undefined && transcript.session.status !== "ended" && (
              <LiveBar transcript={transcript} controls={controls} />
            )}
          </div>
        )}
        {panes !== "transcript" && (
          // biome-ignore lint/a11y/noStaticElementInteractions: the button that closes the line does the same
          <div
            className="beside"
            onKeyDown={({ key, target }) => {
              if (key === "Escape" && !(target instanceof HTMLInputElement)) setRow(undefined);
            }}
          >
            <Lines
              log={log}
              version={reading.version}
              selected={row}
              onSelect={choose}
              follow={controls !== undefined && row === undefined}
              handle={lines}
            />
            {row !== undefined && (
              <Detail log={log} row={row} onSelect={choose} onClose={() => setRow(undefined)} linkOf={linkOf} />
            )}
          </div>
        )}
      </div>
    </div>
  );
}

/** Which panes are shown is kept for the next time. */
function usePanes(): [Panes, (panes: Panes) => void] {
  const [panes, setPanes] = useState<Panes>(() => {
    const kept = localStorage.getItem("interlinear-panes");
    if (kept === "transcript" || kept === "both" || kept === "lines") return kept;
    return window.innerWidth < 1000 ? "transcript" : "both";
  });
  return [
    panes,
    (chosen) => {
      localStorage.setItem("interlinear-panes", chosen);
      setPanes(chosen);
    },
  ];
}

function transcriptOf({ transcripts }: Reading, session: string | undefined): TranscriptState | undefined {
  return (session === undefined ? undefined : transcripts[session]) ?? mainTranscript(transcripts);
}

/** The event of a row; of a line, its first one. */
function eventOf({ log }: Document, row: number): UniversalEvent | undefined {
  const shown = log.row(row);
  return shown?.event ?? shown?.line.events[0];
}

function sequenceOf(
  document: Document,
  row: number | undefined,
  transcript: TranscriptState | undefined,
): number | undefined {
  const event = row === undefined ? undefined : eventOf(document, row);
  return event?.session_id === transcript?.session.session_id ? event?.sequence : undefined;
}

function firstSequence(row: Row, transcript: TranscriptState | undefined): number | undefined {
  if (row.type === "entry" || row.type === "result") return row.entry.first;
  if (row.type === "end") return transcript?.sequence;
  return row.turn.entries.at(-1)?.last;
}

/** Goes to the event that the address names, once it is there. */
function useLinkedEvent(
  document: Document,
  reading: Reading,
  { session, event }: Route,
  arrive: (row: number, event: number) => void,
): void {
  const arrived = useRef<string>(undefined);
  const wanted = event === undefined ? undefined : `${session}/${event}`;
  const id = session ?? mainTranscript(reading.transcripts)?.session.session_id ?? "";
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is looked for whenever something came
  useEffect(() => {
    if (event === undefined || arrived.current === wanted) return;
    const row = document.log.rowOf(id, event);
    if (row === undefined) return;
    // A link that one makes by choosing an event leads to where one is.
    const first = arrived.current === undefined;
    arrived.current = wanted;
    if (first) arrive(row, event);
  }, [document, reading.version, wanted]);
}

interface HeaderProps {
  readonly name: string;
  readonly agent: string | undefined;
  readonly transcript: TranscriptState;
  readonly reading: Reading;
  readonly document: Document;
  readonly route: Route;
  readonly children: ReactNode;
}

function Header(props: HeaderProps): ReactNode {
  const { transcript, reading, document, route, name, children } = props;
  const { session, usage } = transcript;
  const { agent = props.agent, agent_version, model, cwd, mode, variant } = session.facts;
  const { counts } = document.log;
  const title = titleOf(transcript, name);
  useEffect(() => {
    window.document.title = `${title} · Interlinear`;
    return () => {
      window.document.title = "Interlinear";
    };
  }, [title]);
  const several = Object.values(reading.transcripts);
  const facts = [
    `${agentName(agent)} ${agent_version ?? ""}`.trim(),
    [model, variant].filter(Boolean).join(" "),
    mode,
    cwd,
    counts.lines === 0 ? "" : counted(counts.lines, "lines"),
    counts.events === 0 ? "" : counted(counts.events, "events"),
    usage.output_tokens === undefined ? "" : `${amount(usage.output_tokens)} tokens out`,
    usage.cost_usd ? price(usage.cost_usd) : "",
  ];
  return (
    <header className="session-head">
      <AgentMark agent={agent} />
      <div className="session-title">
        <h1>{title}</h1>
        <p>{facts.filter(Boolean).join(" · ")}</p>
      </div>
      {several.length > 1 && (
        <select
          aria-label="Which session of the file"
          value={session.session_id}
          onChange={({ target }) => {
            const { event: _, ...rest } = route;
            go({ ...rest, session: target.value });
          }}
        >
          {several.map((one) => (
            <option key={one.session.session_id} value={one.session.session_id}>
              {titleOf(one)}
            </option>
          ))}
        </select>
      )}
      {children}
      <ExportMenu transcript={transcript} document={document} />
    </header>
  );
}

function ProgressBar({ reading: { progress } }: { reading: Reading }): ReactNode {
  return <progress aria-label="Reading" max={progress?.total ?? 1} {...(progress && { value: progress.read })} />;
}

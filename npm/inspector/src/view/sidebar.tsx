import { type ReactNode, useSyncExternalStore } from "react";
import { mainTranscript, nameOf, type Reading } from "../model/document.js";
import { demos, type Files, type OpenedFile } from "../model/library.js";
import { formatRoute, go, type Route } from "../model/route.js";
import { type SessionDescription, server, useServer } from "../model/server.js";
import { AgentMark, agentName } from "./agent.js";
import { Icon } from "./icon.js";

interface SidebarProps {
  readonly route: Route;
  readonly files: Files;
  readonly onOpen: () => void;
  readonly onPaste: () => void;
}

/** All sessions: running ones, opened files, and those that are shipped. */
export function Sidebar({ route, files, onOpen, onPaste }: SidebarProps): ReactNode {
  const opened = useSyncExternalStore(files.subscribe, files.current);
  const { status } = useServer();
  return (
    <nav className="sidebar" aria-label="Sessions">
      <a className="brand" href="#/">
        <svg viewBox="0 0 32 32" width="22" height="22" aria-hidden="true">
          <path d="M5 9h22M9 16h18M5 23h22" stroke="currentColor" strokeWidth="2.6" strokeLinecap="round" />
        </svg>
        Interlinear
      </a>
      <div className="sidebar-buttons">
        <button type="button" className="button" onClick={onOpen}>
          <Icon name="open" />
          Open
        </button>
        <button type="button" className="button" onClick={onPaste}>
          Paste
        </button>
      </div>
      {status !== "none" && status !== "looking" && <LiveSessions route={route} />}
      {opened.length > 0 && (
        <Group title="Opened here">
          {opened.map((file) => (
            <FileItem key={file.id} file={file} current={route.place === "file" && route.id === file.id} />
          ))}
        </Group>
      )}
      <Group title="Real sessions to look at">
        {demos.map(({ id, agent, title }) => (
          <Item
            key={id}
            href={formatRoute({ place: "demo", id })}
            agent={agent}
            title={title}
            detail={agentName(agent)}
            current={route.place === "demo" && route.id === id}
          />
        ))}
      </Group>
      <p className="promise">Files stay in this page: they are read here, by WebAssembly, and sent nowhere.</p>
    </nav>
  );
}

function LiveSessions({ route }: { route: Route }): ReactNode {
  const { status, sessions } = useServer();
  if (status === "locked") {
    return (
      <Group title="Running">
        <li>
          <form
            className="unlock"
            onSubmit={(event) => {
              event.preventDefault();
              void server.connect(String(new FormData(event.currentTarget).get("token")));
            }}
          >
            <label>
              The server wants its token
              <input name="token" type="password" autoComplete="off" />
            </label>
          </form>
        </li>
      </Group>
    );
  }
  return (
    <Group title={status === "lost" ? "Running (the server is gone)" : "Running"}>
      <li>
        <a className="item new" href="#/new" aria-current={route.place === "new" ? "page" : undefined}>
          <Icon name="plus" />
          New session
        </a>
      </li>
      {sessions.map((session) => (
        <LiveItem
          key={session.sessionId}
          session={session}
          current={route.place === "live" && route.id === session.sessionId}
        />
      ))}
    </Group>
  );
}

/** A session that runs, or ran. Of one that was looked at, more is known, and sooner. */
function LiveItem({ session, current }: { session: SessionDescription; current: boolean }): ReactNode {
  const { sessionId, agent, title } = session;
  const document = server.opened(sessionId);
  const reading = useSyncExternalStore(document?.subscribe ?? unchanging, () => document?.current());
  const status = (reading && statusOf(reading)) ?? session.status;
  return (
    <Item
      href={formatRoute({ place: "live", id: sessionId })}
      agent={agent}
      title={title ?? (reading === undefined ? sessionId : nameOf(reading, sessionId))}
      detail={liveDetail({ ...session, status })}
      status={status}
      current={current}
    />
  );
}

const unchanging = () => () => {};

function statusOf({ transcripts }: Reading): SessionDescription["status"] | undefined {
  const transcript = mainTranscript(transcripts);
  if (transcript?.session.status === "ended") return "ended";
  return transcript?.turns.at(-1)?.status === "running" ? "running" : undefined;
}

function liveDetail({ agent, status, model }: SessionDescription): string {
  return [agentName(agent), status, model].filter(Boolean).join(" · ");
}

function FileItem({ file, current }: { file: OpenedFile; current: boolean }): ReactNode {
  const reading = useSyncExternalStore(file.document.subscribe, file.document.current);
  const transcript = mainTranscript(reading.transcripts);
  const { progress, status } = reading;
  const percent = progress === undefined ? 0 : Math.round((100 * progress.read) / Math.max(1, progress.total));
  return (
    <Item
      href={formatRoute({ place: "file", id: file.id })}
      agent={transcript?.session.facts.agent}
      title={nameOf(reading, file.name)}
      detail={status === "reading" ? `reading, ${percent}%` : status === "failed" ? "cannot be read" : file.name}
      current={current}
      onClose={() => {
        file.close();
        if (current) go({ place: "home", id: "" });
      }}
    />
  );
}

function Group({ title, children }: { title: string; children: ReactNode }): ReactNode {
  return (
    <section>
      <h2>{title}</h2>
      <ul>{children}</ul>
    </section>
  );
}

interface ItemProps {
  readonly href: string;
  readonly agent: string | undefined;
  readonly title: string;
  readonly detail: string;
  readonly current: boolean;
  readonly status?: string;
  readonly onClose?: () => void;
}

function Item({ href, agent, title, detail, current, status, onClose }: ItemProps): ReactNode {
  return (
    <li className="item-row">
      <a className="item" href={href} aria-current={current ? "page" : undefined} data-status={status}>
        <AgentMark agent={agent} />
        <span className="item-text">
          <span className="item-title" title={title}>
            {title}
          </span>
          <span className="item-detail">{detail}</span>
        </span>
      </a>
      {onClose !== undefined && (
        <button type="button" className="plain" onClick={onClose} aria-label={`Close ${title}`}>
          <Icon name="close" />
        </button>
      )}
    </li>
  );
}

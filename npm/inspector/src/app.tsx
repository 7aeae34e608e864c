import type { Agent } from "interlinear";
import {
  type ClipboardEvent,
  type DragEvent,
  type ReactNode,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { filesOfDrop, filesOfInput, sessionsIn } from "./model/drop.js";
import { demos, Files, openDemo } from "./model/library.js";
import { go, type Route, useRoute } from "./model/route.js";
import { server, useServer } from "./model/server.js";
import { Boundary } from "./view/boundary.js";
import { Home } from "./view/home.js";
import { Icon } from "./view/icon.js";
import { NewSession } from "./view/new-session.js";
import { PasteDialog } from "./view/paste.js";
import { Session } from "./view/session.js";
import { Sidebar } from "./view/sidebar.js";
import { Missing } from "./view/states.js";

/** The whole page. */
export function App(): ReactNode {
  const route = useRoute();
  const [files] = useState(() => new Files());
  const [pasting, setPasting] = useState(false);
  const [dropping, setDropping] = useState(false);
  const [menu, setMenu] = useState(false);
  const chooser = useRef<HTMLInputElement>(null);
  // Whoever has chosen wants to see it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is closed by every choice
  useEffect(() => setMenu(false), [route.place, route.id]);

  const open = async (found: Parameters<typeof sessionsIn>[0]) => {
    const sessions = await sessionsIn(found);
    const [first] = sessions.map((session) => files.open(session));
    if (first !== undefined) go({ place: "file", id: first.id });
  };
  const onDrop = async (event: DragEvent) => {
    event.preventDefault();
    setDropping(false);
    await open(await filesOfDrop(event.dataTransfer));
  };
  const paste = (text: string) => {
    const data = new TextEncoder().encode(text);
    go({ place: "file", id: files.open([{ name: "", data }]).id });
  };
  const choose = () => chooser.current?.click();
  const onPaste = async (event: ClipboardEvent) => {
    const { target, clipboardData } = event;
    // Whoever writes something pastes it there.
    if (target instanceof Element && target.closest("input, textarea") !== null) return;
    const text = clipboardData.getData("text");
    if (clipboardData.files.length > 0) await open(filesOfInput(clipboardData.files));
    else if (text.trim() !== "") paste(text);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: files are dropped anywhere; the buttons do the same
    <div
      className="app"
      data-menu={menu || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setDropping(true);
      }}
      onDragLeave={(event) => event.relatedTarget === null && setDropping(false)}
      onDrop={onDrop}
      onKeyDown={({ key }) => key === "Escape" && setMenu(false)}
      onPaste={onPaste}
    >
      <button
        type="button"
        className="plain menu-button"
        aria-label="Sessions"
        aria-expanded={menu}
        onClick={() => setMenu(!menu)}
      >
        <Icon name="menu" />
      </button>
      <Sidebar route={route} files={files} onOpen={choose} onPaste={() => setPasting(true)} />
      <main onPointerDown={() => setMenu(false)}>
        <Boundary key={`${route.place}/${route.id}`} name="This session">
          <Place route={route} files={files} onOpen={choose} onPaste={() => setPasting(true)} />
        </Boundary>
      </main>
      <input
        ref={chooser}
        type="file"
        multiple
        hidden
        aria-label="Session files"
        onChange={({ target }) => {
          if (target.files !== null) void open(filesOfInput(target.files));
          target.value = "";
        }}
      />
      {pasting && <PasteDialog onClose={() => setPasting(false)} onPaste={paste} />}
      {dropping && <div className="dropping">Drop session files or folders here</div>}
    </div>
  );
}

interface PlaceProps {
  readonly route: Route;
  readonly files: Files;
  readonly onOpen: () => void;
  readonly onPaste: () => void;
}

function Place({ route, files, onOpen, onPaste }: PlaceProps): ReactNode {
  const opened = useSyncExternalStore(files.subscribe, files.current);
  switch (route.place) {
    case "home":
      return <Home onOpen={onOpen} onPaste={onPaste} />;
    case "demo": {
      const demo = demos.find(({ id }) => id === route.id);
      if (demo === undefined)
        return <Missing what="There is no such session">{<p>Choose one from the list.</p>}</Missing>;
      return <Session key={route.id} document={openDemo(demo)} route={route} name={demo.title} />;
    }
    case "file": {
      const file = opened.find(({ id }) => id === route.id);
      if (file !== undefined) {
        const readAs = (agent: Agent) => go({ place: "file", id: file.readAs(agent).id });
        return <Session key={route.id} document={file.document} route={route} name={file.name} onReadAs={readAs} />;
      }
      return (
        <Missing what="This file is no longer open">
          <p>
            Files stay in the page that opened them.
            {route.event !== undefined && ` The link leads to event ${route.event}: open the file, then go there.`}
          </p>
          <button type="button" className="button main" onClick={onOpen}>
            Open files
          </button>
        </Missing>
      );
    }
    case "live":
      return <LivePlace route={route} />;
    case "new":
      return <NewSession />;
  }
}

function LivePlace({ route }: { route: Route }): ReactNode {
  const { status, sessions } = useServer();
  const connected = status === "connected" || status === "lost";
  const document = useMemo(() => (connected ? server.open(route.id) : undefined), [connected, route.id]);
  const controls = useMemo(() => server.controls(route.id), [route.id]);
  if (document === undefined) {
    return <Missing what={status === "looking" ? "Looking for the server" : "There is no server here"}>{null}</Missing>;
  }
  const session = sessions.find(({ sessionId }) => sessionId === route.id);
  return (
    <Session
      key={route.id}
      document={document}
      route={route}
      name={session?.title ?? route.id}
      agent={session?.agent}
      controls={controls}
    />
  );
}

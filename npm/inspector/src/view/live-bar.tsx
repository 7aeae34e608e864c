import type { TranscriptState } from "interlinear";
import { type KeyboardEvent, type ReactNode, useRef, useState } from "react";
import { type Problem, problemOf } from "../model/document.js";
import type { Controls } from "../model/server.js";
import { Icon } from "./icon.js";

/** What a person says to a running session: words, stop, end. */
export function LiveBar({ transcript, controls }: { transcript: TranscriptState; controls: Controls }): ReactNode {
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<Problem>();
  const [busy, setBusy] = useState(false);
  const box = useRef<HTMLTextAreaElement>(null);
  const running = transcript.turns.at(-1)?.status === "running";
  const attempt = (act: () => Promise<unknown>) => {
    setBusy(true);
    setProblem(undefined);
    act()
      .catch((error: unknown) => setProblem(problemOf(error)))
      .finally(() => {
        setBusy(false);
        box.current?.focus();
      });
  };
  const send = () => {
    const said = text.trim();
    if (said === "" || busy) return;
    setText("");
    attempt(() =>
      controls.send(said).catch((error: unknown) => {
        // What was written is not lost: it can be sent again.
        setText((since) => since || said);
        throw error;
      }),
    );
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) {
      event.preventDefault();
      send();
    }
  };
  return (
    <div className="live-bar">
      {problem !== undefined && (
        <p role="alert">
          {problem.message} {problem.cure}
        </p>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <textarea
          ref={box}
          rows={Math.min(8, text.split("\n").length)}
          placeholder={running ? "Say more while it works" : "What should the agent do?"}
          aria-label="Prompt"
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
        />
        <div className="live-buttons">
          <span className="hint">Enter sends</span>
          <button type="button" className="plain bad" onClick={() => attempt(controls.terminate)}>
            Terminate
          </button>
          {running && (
            <button type="button" className="button" onClick={() => attempt(controls.interrupt)}>
              <Icon name="stop" />
              Interrupt
            </button>
          )}
          <button type="submit" className="button main" disabled={text.trim() === "" || busy}>
            <Icon name="send" />
            Send
          </button>
        </div>
      </form>
    </div>
  );
}

// All that a chat needs: a session, its events as they come, a box to say something.
import { Client } from "interlinear/client";
import { Transcript, useTranscript } from "interlinear/react";
import { StrictMode, useMemo, useState } from "react";
import { createRoot } from "react-dom/client";
import "interlinear/react/style.css";
import "./style.css";

const client = new Client({ baseUrl: location.origin });

function Chat({ session }) {
  // The stream reconnects by itself; the transcript is folded from it, once for each frame of the screen.
  const source = useMemo(() => (signal) => client.streamEvents(session, { signal }), [session]);
  const { transcript, status, error } = useTranscript(source);
  // Functions that stay the same, so that nothing is drawn again for their sake.
  const answers = useMemo(
    () => ({
      replyPermission: (id, reply) => client.replyPermission(session, id, reply),
      replyQuestion: (id, given) => client.replyQuestion(session, id, given),
      rejectQuestion: (id) => client.rejectQuestion(session, id),
    }),
    [session],
  );
  const running = transcript.turns.at(-1)?.status === "running";
  return (
    <main>
      <Transcript transcript={transcript} parts={parts} {...answers} empty={<p className="empty">Say something.</p>} />
      {status === "failed" && <p role="alert">{error.message}</p>}
      <Prompt running={running} onSend={(text) => client.sendMessage(session, text)} onStop={() => client.interrupt(session)} />
    </main>
  );
}

/** One part of one's own; all others are the default ones. */
const parts = {
  Turn: ({ turn }) => (turn.status === "running" ? <p className="turn">The agent is at work…</p> : null),
};

function Prompt({ running, onSend, onStop }) {
  const [text, setText] = useState("");
  const [problem, setProblem] = useState();
  const send = async (event) => {
    event.preventDefault();
    if (text.trim() === "") return;
    setText("");
    setProblem(undefined);
    try {
      await onSend(text);
    } catch (error) {
      // What was written is not lost: it can be sent again.
      setText(text);
      setProblem(error.message);
    }
  };
  return (
    <form onSubmit={send}>
      {problem !== undefined && <p role="alert">{problem}</p>}
      <input aria-label="Prompt" placeholder="What should it do?" value={text} onChange={(event) => setText(event.target.value)} />
      {running ? (
        <button type="button" onClick={onStop}>
          Stop
        </button>
      ) : (
        <button type="submit">Send</button>
      )}
    </form>
  );
}

const session = `chat-${Date.now()}`;
// biome-ignore lint/correctness/noUndeclaredVariables: the server says which agent
await client.createSession(session, { agent: AGENT });
createRoot(document.querySelector("#root")).render(
  <StrictMode>
    <Chat session={session} />
  </StrictMode>,
);

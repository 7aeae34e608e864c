import type { ReactNode } from "react";
import { demos } from "../model/library.js";
import { formatRoute } from "../model/route.js";
import { AgentMark, agentName } from "./agent.js";

const PLACES: readonly [agent: string, place: string][] = [
  ["claude", "~/.claude/projects/*/*.jsonl"],
  ["codex", "~/.codex/sessions/**/rollout-*.jsonl"],
  ["opencode", "opencode export SESSION > session.json"],
  ["amp", "amp threads export THREAD > thread.json"],
  ["pi", "~/.pi/agent/sessions/**/*.jsonl"],
];

/** A line of a real session, with what it became: all that this page does, in four rows. */
function Sample(): ReactNode {
  return (
    <a className="sample" href={formatRoute({ place: "demo", id: "claude-plan" })}>
      <span className="sample-line">
        <b>assistant</b>{" "}
        {'{"type":"assistant","message":{"id":"msg_018AKRSTv7sSgyFDQJLhW8LM","type":"message","role":"assistant", …'}
      </span>
      <span className="sample-event">
        <b>item.started</b> tool_call Read
      </span>
      <span className="sample-event">
        <b>item.delta</b> {'+tool_call {"file_path":"/workspace/demo/src/math.js"}'}
      </span>
      <span className="sample-event">
        <b>item.completed</b> tool_call Read /workspace/demo/src/math.js
      </span>
    </a>
  );
}

/** Before anything is open: what this is, where sessions are found, and some to look at. */
export function Home({ onOpen, onPaste }: { onOpen: () => void; onPaste: () => void }): ReactNode {
  const shown = PLACES.map(([agent]) => demos.find((demo) => demo.agent === agent)).filter(
    (demo) => demo !== undefined,
  );
  return (
    <div className="home">
      <h1>What did the agent really do?</h1>
      <p className="lead">
        Drop a session here, of any of five coding agents. You get the conversation, and beneath every line that the
        agent wrote the events that it became. Nothing leaves this page.
      </p>
      <div className="home-buttons">
        <button type="button" className="button main" onClick={onOpen}>
          Open files
        </button>
        <button type="button" className="button" onClick={onPaste}>
          Paste lines
        </button>
      </div>
      <Sample />
      <h2>Where sessions are</h2>
      <dl>
        {PLACES.map(([agent, place]) => (
          <div key={agent}>
            <dt>
              <AgentMark agent={agent} />
              {agentName(agent)}
            </dt>
            <dd>
              <code>{place}</code>
            </dd>
          </div>
        ))}
      </dl>
      <h2 className="when-narrow">Or look at a real one</h2>
      <ul className="home-demos when-narrow">
        {shown.map(({ id, agent, title }) => (
          <li key={id}>
            <a href={formatRoute({ place: "demo", id })}>
              <AgentMark agent={agent} />
              {title}
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}

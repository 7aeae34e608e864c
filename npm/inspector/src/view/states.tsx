import type { Agent } from "interlinear";
import type { ReactNode } from "react";
import type { Problem, Reading } from "../model/document.js";
import { agentName } from "./agent.js";

const megabytes = (bytes: number) => `${(bytes / 1_000_000).toFixed(bytes < 10_000_000 ? 1 : 0)} MB`;

/** A file is being read, and nothing of it is known yet. */
export function Loading({ name, reading }: { name: string; reading: Reading }): ReactNode {
  const { progress, status } = reading;
  if (status === "done") {
    return (
      <div className="state">
        <h1>Nothing in it</h1>
        <p>{name} has no line that says something.</p>
      </div>
    );
  }
  return (
    <div className="state" role="status">
      <h1>Reading {name}</h1>
      <progress aria-label="Reading" max={progress?.total ?? 1} {...(progress && { value: progress.read })} />
      <p>{progress === undefined ? "Starting" : `${megabytes(progress.read)} of ${megabytes(progress.total)}`}</p>
    </div>
  );
}

interface FailedProps {
  readonly name: string;
  readonly problem: Problem | undefined;
  readonly small?: boolean;
  readonly onReadAs?: ((agent: Agent) => void) | undefined;
}

/** Something could not be read: why, and what to do. */
export function Failed({ name, problem, small = false, onReadAs }: FailedProps): ReactNode {
  if (problem?.code === "unknown_session") {
    return (
      <Missing what="There is no such session">
        <p>It was removed, or another server has it. Choose one from the list.</p>
      </Missing>
    );
  }
  if (problem?.code === "unknown_format" && onReadAs !== undefined)
    return <Unrecognised name={name} onReadAs={onReadAs} />;
  return (
    <div className={small ? "state small" : "state"} role="alert">
      <h1>{small ? "It broke off" : `${name} cannot be read`}</h1>
      <p>{problem?.message}</p>
      {problem?.cure !== undefined && <p className="cure">{problem.cure}</p>}
    </div>
  );
}

const AGENTS: readonly Agent[] = ["claude", "codex", "opencode", "amp", "pi"];

/** Nothing in it says whose it is: a person may know. */
function Unrecognised({ name, onReadAs }: { name: string; onReadAs: (agent: Agent) => void }): ReactNode {
  return (
    <div className="state">
      <h1>Whose session is {name}?</h1>
      <p>
        Nothing in its first lines tells which agent wrote it. If you know, it is read as that agent’s, line by line.
      </p>
      <div className="state-buttons">
        {AGENTS.map((agent) => (
          <button key={agent} type="button" className="button" onClick={() => onReadAs(agent)}>
            {agentName(agent)}
          </button>
        ))}
      </div>
    </div>
  );
}

/** What an address names is not here. */
export function Missing({ what, children }: { what: string; children: ReactNode }): ReactNode {
  return (
    <div className="state">
      <h1>{what}</h1>
      {children}
    </div>
  );
}

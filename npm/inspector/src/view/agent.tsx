import type { ReactNode } from "react";

const NAMES: Record<string, string> = {
  amp: "Amp",
  claude: "Claude Code",
  codex: "Codex",
  opencode: "OpenCode",
  pi: "Pi",
};

/** The name of an agent as people write it. */
export function agentName(agent: string | undefined): string {
  return agent === undefined ? "" : (NAMES[agent] ?? agent);
}

/** A small sign for an agent: its first letters. */
export function AgentMark({ agent }: { agent: string | undefined }): ReactNode {
  return (
    <span className="mark" data-agent={agent} title={agentName(agent)} aria-hidden="true">
      {agentName(agent).slice(0, 2) || "··"}
    </span>
  );
}

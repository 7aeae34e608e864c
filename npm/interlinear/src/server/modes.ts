// The reference API (see `api.ts`) has common words for modes; each agent has its own.
import type { ModeDescription } from "./api.js";
import { refusal } from "./problem.js";

/** Agents' own words for a common one, the best first. */
const words: Readonly<Record<string, readonly string[]>> = {
  plan: ["plan", "read-only"],
  acceptEdits: ["acceptEdits", "workspace-write"],
  bypass: ["bypassPermissions", "danger-full-access", "allow-all"],
};

const build: ModeDescription = { id: "build", name: "Build", description: "Works: reads, writes and runs commands." };
const plan: ModeDescription = { id: "plan", name: "Plan", description: "Looks and plans, and changes nothing." };

/** The ways in which an agent with these permission modes can work. */
export function agentModes(permissionModes: readonly string[]): ModeDescription[] {
  return ownWord("plan", permissionModes) === undefined ? [build] : [build, plan];
}

/** The agent's own permission mode for what a client asked for; `undefined`: the agent's default. */
export function permissionMode(
  asked: { agentMode?: string | null; permissionMode?: string | null },
  known: readonly string[],
): string | undefined {
  const agentMode = asked.agentMode ?? build.id;
  if (agentMode !== build.id && agentMode !== plan.id)
    throw unsupported(`agentMode \`${agentMode}\``, ["build", "plan"]);
  const wanted = asked.permissionMode ?? (agentMode === plan.id ? "plan" : "default");
  const own = ownWord(wanted, known);
  if (own === undefined && wanted !== "default") throw unsupported(`mode \`${wanted}\``, known);
  return own;
}

function ownWord(word: string, known: readonly string[]): string | undefined {
  return [word, ...(words[word] ?? [])].find((candidate) => known.includes(candidate));
}

function unsupported(what: string, known: readonly string[]) {
  const cure = known.length === 0 ? "Leave it out: this agent has no modes." : `Use one of ${known.join(", ")}.`;
  return refusal("unsupported_mode", `the agent has no ${what}`, cure);
}

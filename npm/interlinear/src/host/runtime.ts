import type { Command, Exit } from "../../types/index.js";
import { onAbort } from "../abort.js";
import { InterlinearError } from "../errors.js";
import type { Recipe } from "./agents.js";
import type { Journal } from "./journal.js";

/** What carries a session: a process of its own, or a part in a shared one. */
export interface Runtime {
  /** Hands a command to the agent. Waits where the agent is not ready for it, unless the signal fires meanwhile. */
  command(command: Command, signal?: AbortSignal): Promise<void>;
  /** Ends the session, and all that runs for it alone. */
  terminate(): Promise<void>;
  /** The process that it runs in, while there is one. */
  readonly pid: number | undefined;
}

/** How a start may fail, beside the agent's own end. */
export interface Patience {
  readonly startMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** Waits for the agent's first word, its end, the caller's patience, or time. */
export async function greeted(
  greeting: Promise<unknown>,
  ended: Promise<InterlinearError>,
  recipe: Recipe,
  { startMs, signal }: Patience,
): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(tooSlow(recipe, startMs)), startMs);
  });
  const refused = ended.then((error) => Promise.reject(error));
  try {
    await unlessAborted(Promise.race([greeting, refused, late]), signal);
  } finally {
    clearTimeout(timer);
  }
}

/** What is waited for, unless the caller has enough of it before. */
export async function unlessAborted<T>(awaited: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  let release = () => {};
  const aborted = new Promise<never>((_, reject) => {
    release = onAbort(signal, () => reject(signal?.reason));
    if (signal?.aborted) reject(signal.reason);
  });
  try {
    return await Promise.race([aborted, awaited]);
  } finally {
    release();
  }
}

function tooSlow(recipe: Recipe, startMs: number): InterlinearError {
  return new InterlinearError(
    "start_timeout",
    `${recipe.name} said nothing within ${Math.round(startMs / 1000)} s of its start`,
    "Start it by hand to see what it waits for; give it more time with `startMs`.",
  );
}

/** Whether an agent says that nobody is logged in. */
export function asksForLogin(said: string): boolean {
  return LOGIN.test(said);
}

const LOGIN = /\blog ?in\b|\blogged in\b|api key|authenticat|unauthori[sz]ed|credential/i;

/** Why an agent ended before it was ready, in its own words where it has any. */
export function refusal(recipe: Recipe, exit: Exit, said: string): InterlinearError {
  const how = exit.signal ? `was ended by ${exit.signal}` : `ended with exit code ${exit.code}`;
  const words = said.trim().split("\n").slice(-5).join("\n").trim();
  const message = `${recipe.name} ${how} before it was ready${words === "" ? "" : `: ${words}`}`;
  if (asksForLogin(words)) return new InterlinearError("needs_login", message, recipe.login);
  return new InterlinearError("agent_refused", message, `Start \`${recipe.program}\` by hand to see why.`);
}

/** The session is over: nothing can be said to it. */
export function sessionEnded(recipe: Recipe): InterlinearError {
  return new InterlinearError(
    "session_ended",
    `the session with ${recipe.name} is over`,
    "Start another; `resume` goes on where this one ended.",
  );
}

/** The session has a name by which the agent knows it again. */
export function isNamed(journal: Journal): boolean {
  return journal.nativeSessionId !== undefined;
}

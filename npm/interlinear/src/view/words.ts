// Numbers and facts in words, the same in a page, in an export and for a screen reader.
import type {
  ContentPart,
  ErrorData,
  PermissionData,
  QuestionData,
  SessionMetadata,
  StatusPart,
  Usage,
} from "../../types/index.js";
import type { SessionState, Turn } from "../fold.js";

/** `950`, `12.3k`, `4.5M`. */
export function amount(count: number): string {
  if (count < 1000) return `${count}`;
  const [size, unit] = count < 1_000_000 ? [count / 1000, "k"] : [count / 1_000_000, "M"];
  return `${size.toFixed(size < 99.95 ? 1 : 0)}${unit}`;
}

/** `320 ms`, `4.2 s`, `3 min 5 s`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  const minutes = Math.floor(whole / 60);
  return minutes < 60 ? `${minutes} min ${whole % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** `$0.0023`, `$1.20`. */
export function price(dollars: number): string {
  return `$${dollars.toFixed(dollars > 0 && dollars < 0.995 ? 4 : 2)}`;
}

/** Tokens and money: each a few words. */
export function usageWords(usage: Usage): string[] {
  const { input_tokens, output_tokens, cache_read_tokens, reasoning_tokens, cost_usd } = usage;
  return [
    input_tokens === undefined ? "" : `${amount(input_tokens)} tokens in`,
    cache_read_tokens ? `${amount(cache_read_tokens)} cached` : "",
    output_tokens === undefined ? "" : `${amount(output_tokens)} out`,
    reasoning_tokens ? `${amount(reasoning_tokens)} reasoning` : "",
    cost_usd ? price(cost_usd) : "",
  ].filter((words) => words !== "");
}

/** How a turn went: each a few words. */
export function turnWords({ status, metadata }: Pick<Turn, "status" | "metadata">): string[] {
  const { usage, duration_ms, model, stop_reason, context_used, context_window } = metadata;
  return [
    status === "completed" ? "" : status,
    model ?? "",
    ...(usage ? usageWords(usage) : []),
    contextWords(context_used, context_window),
    duration_ms ? duration(duration_ms) : "",
    stop_reason === undefined || ORDINARY_STOPS.has(stop_reason) ? "" : stop_reason,
  ].filter((words) => words !== "");
}

function contextWords(used = 0, window = 0): string {
  const percent = window === 0 ? 0 : Math.round((100 * used) / window);
  return percent === 0 ? "" : `${percent}% of context`;
}

/** Not worth a word: the model had said all. */
const ORDINARY_STOPS = new Set(["end_turn", "stop", "completed"]);

/** What a session says about itself: names and values; of long lists only how long they are. */
export function factWords(facts: SessionMetadata | Record<string, unknown>): string[] {
  return Object.entries(facts).flatMap(([name, value]) => {
    if (value === undefined || value === null || value === "") return [];
    const label = name.replaceAll("_", " ").replace(/\bmcp\b/, "MCP");
    if (Array.isArray(value)) return value.length === 0 ? [] : [counted(value.length, label)];
    return [`${label} ${typeof value === "string" ? value : JSON.stringify(value)}`];
  });
}

/** The facts that come with a status, without what its detail says already. */
export function statusFacts(facts: unknown, content: readonly ContentPart[]): string[] {
  const said = content.map((part) => (part.type === "status" ? part.detail : undefined));
  return factWords(
    Object.fromEntries(Object.entries(Object(facts)).filter(([, value]) => !said.includes(value as string))),
  );
}

/** `1 line`, `27 lines`: the word is given for many. */
export function counted(count: number, word: string): string {
  return `${amount(count)} ${count === 1 ? word.replace(/s$/, "") : word}`;
}

/** What stands at the top of a transcript: who, with which model, where and when. */
export function headWords({ facts, started_at }: SessionState): string[] {
  const { agent, agent_version, model, cwd } = facts;
  // Recordings that do not say when they were made begin in 1970.
  const started = started_at?.startsWith("1970-") ? undefined : started_at;
  return factWords({ agent, agent_version, model, cwd, started });
}

/** How a session ended. */
export function endWords({ end }: SessionState): string {
  if (end === undefined) return "";
  const words = {
    completed: "The session ended",
    terminated: "The session was terminated",
    error: "The session failed",
  };
  const code = end.exit_code === undefined ? "" : ` with exit code ${end.exit_code}`;
  return `${words[end.reason] ?? `The session ended: ${end.reason}`}${code}`;
}

/** What the process of a session that ended had printed on standard error. */
export function endOutput({ end }: SessionState): string {
  return [end?.stderr?.head, end?.stderr?.tail].filter(Boolean).join("\n…\n");
}

/** What became of a permission. */
export function permissionWords({ status }: PermissionData): string {
  const words = {
    requested: "Waiting for permission",
    accept: "Allowed",
    accept_for_session: "Allowed for this session",
    reject: "Refused",
  };
  return words[status] ?? status;
}

/** What became of a question. */
export function questionWords({ status }: QuestionData): string {
  const words = { requested: "Waiting for an answer", answered: "Answered", rejected: "Dismissed" };
  return words[status] ?? status;
}

/** The questions of a request, each with what was answered, where something was. */
export function askedAndAnswered({ questions, prompt, answers, response }: QuestionData) {
  const asked = questions !== undefined && questions.length > 0 ? questions.map(({ text }) => text) : [prompt];
  const given = answers ?? (response === undefined ? [] : [[response]]);
  return asked.map((text, index) => ({ text, answer: given[index]?.join(", ") || undefined }));
}

/** That something failed, and whether that is the end of it. */
export function errorWords({ will_retry }: ErrorData): string {
  return will_retry ? "Error, trying again" : "Error";
}

/** What a status is about, as a person would say it. */
export function statusWords({ label, todos }: StatusPart): string {
  const words = label === "notice" && todos !== undefined ? "plan" : label.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

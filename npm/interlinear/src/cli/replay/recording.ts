import { readFile } from "node:fs/promises";
import { constants } from "node:os";
import type { Agent, Detection } from "../../../types/index.js";
import { detect } from "../../convert.js";
import { aboutInput, UsageError } from "../failure.js";

/** One record of a recording: a line of the agent or of its host, or the end of the process. */
export interface Rec {
  /** Milliseconds since the start. */
  readonly t: number;
  readonly dir: "out" | "in" | "err" | "exit";
  /** The channel, where there is more than one. */
  readonly ch?: string;
  readonly line: string;
  /** Whether the line has no end. */
  readonly partial: boolean;
  /** Of the answer to a request. */
  readonly status?: number;
  readonly code?: number | null;
  readonly signal?: NodeJS.Signals | null;
}

/** A recording of both directions. */
export interface Recording {
  readonly records: readonly Rec[];
  /** The agent that was recorded. */
  readonly agent: Agent;
  /** Its version, where that is known. */
  readonly version?: string;
}

/** Reads a recording. */
export async function readRecording(path: string): Promise<Recording> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw aboutInput(error, path);
  });
  const values = text.split("\n").flatMap((line, index) => (line.trim() === "" ? [] : [parse(path, line, index + 1)]));
  const records = values.filter((value) => value["dir"] !== undefined).map(record);
  if (records.length === 0) throw new UsageError(`${path}: not a recording of both directions`);
  return { records, ...whose(path, text) };
}

function whose(path: string, text: string): Detection {
  try {
    return detect(text, path);
  } catch (error) {
    throw aboutInput(error, path);
  }
}

function parse(path: string, line: string, number: number): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === "object" && value !== null && isRecord(value)) return value as Record<string, unknown>;
  } catch {
    // Said below.
  }
  throw new UsageError(`${path}: line ${number} is not a record of a recording`);
}

/** What is played must be as it was recorded: edited by hand, it may be anything. */
function isRecord(value: { ch?: unknown; line?: unknown; code?: unknown; signal?: unknown }): boolean {
  const { ch = "", line = "", code = null, signal = null } = value;
  const isText = typeof ch === "string" && (typeof line === "string" || line === null);
  const isCode = code === null || Number.isInteger(code);
  return !Array.isArray(value) && isText && isCode && (signal === null || String(signal) in constants.signals);
}

function record(value: Record<string, unknown>): Rec {
  const rec = value as unknown as Rec;
  const partial = ["partial", "unterminated", "truncated"].some((mark) => value[mark] === true);
  return { ...rec, t: Number(rec.t) || 0, line: rec.line ?? "", partial };
}

/** Codes of a process that ended because it was signalled to. */
const SIGNALLED = [129, 130, 143];
const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"];

/** Whether a process was ended by a signal that it could hear. */
export function wasSignalled({ code, signal }: Pick<Rec, "code" | "signal">): boolean {
  return SIGNALS.includes(signal ?? "") || SIGNALLED.includes(code ?? 0);
}

/** Whether a process ended by itself, and not in peace. */
export function brokeDown(end: Pick<Rec, "code" | "signal">): boolean {
  return end.code !== 0 && !wasSignalled(end);
}

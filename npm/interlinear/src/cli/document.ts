import { readFileSync } from "node:fs";
import type { UniversalEvent } from "../../types/index.js";
import { decodeLines } from "../decode.js";
import { toHtml, toMarkdown } from "../export/index.js";
import { foldSessions, type TranscriptState, type TranscriptStates } from "../fold.js";
import type { ConvertOptions } from "../transcript.js";
import { eachInput } from "./each.js";
import { isCalledBeside, lookAt, readRuns } from "./exchange.js";
import { EXIT, type ExitCode } from "./failure.js";
import { write } from "./output.js";
import { readTranscript } from "./read.js";
import { readSaved } from "./saved.js";

const STYLE = new URL("../../react/style.css", import.meta.url);

/** Writes all transcripts that the arguments name as one document. */
export async function writeDocument(
  to: "markdown" | "html",
  paths: readonly string[],
  options: ConvertOptions,
): Promise<ExitCode> {
  const transcripts: TranscriptState[] = [];
  const code = await eachInput(paths, async (found) => {
    const { input, kind } = await lookAt(found, options);
    if (kind === "exchange" && (await isCalledBeside(input))) return EXIT.ok;
    let sessions: TranscriptStates = {};
    const take = (events: UniversalEvent[]) => {
      sessions = foldSessions(sessions, events);
    };
    if (kind === "exchange") await readRuns(input, options, async (lines) => take(decodeLines(lines)));
    else if (kind === "universal") await readSaved(input, async (lines) => take(decodeLines(lines)));
    else for await (const events of readTranscript("events", input, options)) take(events);
    transcripts.push(...Object.values(sessions));
    return EXIT.ok;
  });
  // Nothing is written of what could not be read at all.
  if (transcripts.length === 0) return code;
  if (to === "html") await write(toHtml(transcripts, { style: readFileSync(STYLE, "utf8") }));
  else for (const transcript of transcripts) await write(toMarkdown(transcript));
  return code;
}

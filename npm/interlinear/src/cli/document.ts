import { readFileSync } from "node:fs";
import { toHtml, toMarkdown } from "../export/index.js";
import { foldSessions, type TranscriptState, type TranscriptStates } from "../fold.js";
import type { ConvertOptions } from "../transcript.js";
import { eachInput } from "./each.js";
import { EXIT, type ExitCode } from "./failure.js";
import { write } from "./output.js";
import { readTranscript } from "./read.js";

const STYLE = new URL("../../react/style.css", import.meta.url);

/** Writes all transcripts that the arguments name as one document. */
export async function writeDocument(
  to: "markdown" | "html",
  paths: readonly string[],
  options: ConvertOptions,
): Promise<ExitCode> {
  const transcripts: TranscriptState[] = [];
  const code = await eachInput(paths, async (input) => {
    let sessions: TranscriptStates = {};
    for await (const events of readTranscript("events", input, options)) sessions = foldSessions(sessions, events);
    transcripts.push(...Object.values(sessions));
    return EXIT.ok;
  });
  // Nothing is written of what could not be read at all.
  if (transcripts.length === 0) return code;
  if (to === "html") await write(toHtml(transcripts, { style: readFileSync(STYLE, "utf8") }));
  else for (const transcript of transcripts) await write(toMarkdown(transcript));
  return code;
}

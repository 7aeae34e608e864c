import type { Dialect } from "./dialect.js";
import { ANSWER, idOf, object, PROMPT, plain } from "./dialect.js";

const PROMPTS = ["prompt", "steer", "follow_up"];
const ANSWERS = ["extension_ui_response", "hook_ui_response"];

/** What it says of itself where that was not recorded. */
const STATE = { sessionId: "recording", thinkingLevel: "off", isStreaming: false, isCompacting: false };

/** Pi: commands with an identifier, responses that name it; dialogs of extensions wait for an answer. */
export const pi: Dialect = {
  heard(line) {
    const { type, id } = object(line);
    if (typeof type !== "string") return undefined;
    if (ANSWERS.includes(type)) return plain(ANSWER, { answers: id });
    return plain(PROMPTS.includes(type) ? PROMPT : type, { id });
  },
  said(line) {
    const { type, id } = object(line);
    const answers = type === "response" ? idOf(id) : undefined;
    return { names: [], ...(answers !== undefined && { answers }) };
  },
  readdress: (line, answers) => JSON.stringify({ ...object(line), id: answers }),
  reply({ kind, id }) {
    if (id === undefined) return undefined;
    const response = { id, type: "response" };
    if (kind === PROMPT) {
      const error = "The recording is over.";
      return { line: JSON.stringify({ ...response, command: "prompt", success: false, error }) };
    }
    const data = kind === "get_state" ? STATE : {};
    return { line: JSON.stringify({ ...response, command: kind, success: true, data }) };
  },
};

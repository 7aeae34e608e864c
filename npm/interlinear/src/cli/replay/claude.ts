import type { Dialect } from "./dialect.js";
import { ANSWER, idOf, inside, object, PROMPT, plain } from "./dialect.js";

/** Claude Code and Amp: prompts are lines; Claude's control requests go both ways. */
export const claude: Dialect = {
  // Of lines: one with the name of an earlier one is taken for its repetition.
  names: /(?<="uuid":")[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?=")/g,
  heard(line) {
    const value = object(line);
    switch (value["type"]) {
      case undefined:
        return undefined;
      case "user":
        return plain(PROMPT);
      case "control_request":
        return plain(String(inside(value, "request")["subtype"]), { id: value["request_id"] });
      case "control_response":
        return plain(ANSWER, { answers: inside(value, "response")["request_id"] });
      default:
        return plain(String(value["type"]));
    }
  },
  said(line) {
    const value = object(line);
    const answers = value["type"] === "control_response" ? idOf(inside(value, "response")["request_id"]) : undefined;
    return { names: [], ...(answers !== undefined && { answers }) };
  },
  readdress(line, answers) {
    const value = object(line);
    return JSON.stringify({ ...value, response: { ...inside(value, "response"), request_id: answers } });
  },
  reply({ id }) {
    if (id === undefined) return undefined;
    const response = { subtype: "success", request_id: id, response: {} };
    return { line: JSON.stringify({ type: "control_response", response }) };
  },
};

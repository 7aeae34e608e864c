import type { Dialect, Id } from "./dialect.js";
import { ANSWER, idOf, inside, object, PROMPT, plain } from "./dialect.js";

const OPENING = ["thread/start", "thread/resume", "thread/fork"];
const PROMPTS = ["turn/start", "turn/steer"];
/** What can be answered without having been recorded. */
const EMPTY: Readonly<Record<string, unknown>> = {
  "model/list": { data: [], nextCursor: null },
  "thread/unsubscribe": { status: "unsubscribed" },
  "thread/archive": {},
  "turn/interrupt": {},
};

/** Codex's app server: JSON-RPC in both directions, several threads in one process. */
export const codex: Dialect = {
  answersFirst: true,
  names: /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g,
  heard(line) {
    const value = object(line);
    const { method, id } = value;
    if (typeof method !== "string") return id === undefined ? undefined : plain(ANSWER, { answers: id });
    const { threadId } = inside(value, "params");
    const opens = OPENING.includes(method);
    const heard = plain(PROMPTS.includes(method) ? PROMPT : method, { id });
    const names = typeof threadId === "string" ? [threadId] : [];
    return { ...heard, names, opens, optional: heard.optional && !opens };
  },
  said(line) {
    const value = object(line);
    const response = value["method"] === undefined;
    const body = inside(value, response ? "result" : "params");
    const name = body["threadId"] ?? body["conversationId"] ?? inside(body, "thread")["id"];
    const names = typeof name === "string" ? [name] : [];
    const id = idOf(value["id"]);
    if (id === undefined) return { names };
    return response ? { names, answers: id } : { names, asks: id };
  },
  readdress: (line, answers) => JSON.stringify({ ...object(line), id: answers }),
  renumber(line, number) {
    const value = object(line);
    const { method, id } = value;
    if (method === undefined) return line;
    if (method === "serverRequest/resolved") {
      const params = inside(value, "params");
      return JSON.stringify({ ...value, params: { ...params, requestId: number(params["requestId"] as Id) } });
    }
    return id === undefined ? line : JSON.stringify({ ...value, id: number(id as Id) });
  },
  reply({ kind, id }) {
    if (id === undefined) return undefined;
    if (kind in EMPTY) return { line: JSON.stringify({ id, result: EMPTY[kind] }) };
    const message = kind === PROMPT ? "the recording is over" : `the recording has no answer to ${kind}`;
    return { line: JSON.stringify({ error: { code: -32600, message }, id }) };
  },
};

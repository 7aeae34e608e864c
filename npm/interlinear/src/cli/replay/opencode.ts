import type { Dialect, Heard } from "./dialect.js";
import { ANSWER, inside, object, PROMPT, plain } from "./dialect.js";

/** What can be answered without having been recorded, by method and path. */
const EMPTY: readonly (readonly [RegExp, unknown])[] = [
  [/^GET \/global\/health$/, { healthy: true, version: "recording" }],
  [/^GET \/config\/providers$/, { providers: [], default: {} }],
  [/^GET \/(?:agent|command|permission|question|session)$/, []],
  [/^POST \/session\/[^/]+\/abort$/, true],
  [/^DELETE \/session\/[^/]+$/, true],
];

const OPENS = /^POST (?:\/api)?\/session$/;
const PROMPTS = /^POST .*\/(?:prompt_async|message|prompt)$/;
const ANSWERS = /^POST .*\/(?:permissions?|question)\/([^/]+)(?:\/(?:reply|reject))?$/;
/** Names by which a request tells its session. */
const NAMES = /\b(?:ses|per|que)_[0-9A-Za-z]+/g;

/** OpenCode's server: requests by HTTP, events of all sessions in one stream. The channel says which request it is. */
export const opencode: Dialect = {
  names: /\b(?:evt|ses|msg|prt|per|que)_[0-9A-Za-z]+/g,
  heard(_line, channel = ""): Heard {
    const request = channel.replace(/^http /, "").replace(/\?.*/, "");
    const names = request.match(NAMES) ?? [];
    const opens = OPENS.test(request);
    const answers = ANSWERS.exec(request)?.[1];
    const heard = answers === undefined ? plain(PROMPTS.test(request) ? PROMPT : request) : plain(ANSWER, { answers });
    return { ...heard, names, opens, optional: heard.optional && !opens };
  },
  said(line, channel = "") {
    const speaks = channel.startsWith("sse") || channel.startsWith("http POST");
    return { names: speaks ? namesOf(object(line)) : [] };
  },
  readdress: (line) => line,
  reply({ kind, names: [session] }) {
    // Resumed.
    if (/^GET \/session\/[^/]+$/.test(kind)) return { line: JSON.stringify({ id: session, title: "" }) };
    const known = EMPTY.find(([pattern]) => pattern.test(kind));
    if (known !== undefined) return { line: JSON.stringify(known[1]) };
    const data = { message: `the recording has no answer to ${kind}` };
    return { line: JSON.stringify({ name: "NotFoundError", data }), status: 404 };
  },
};

/** The session that an event or an answer is about, and what is asked in it. */
function namesOf(value: Record<string, unknown>): string[] {
  const event = "payload" in value ? inside(value, "payload") : value;
  const body = inside(event, "properties" in event ? "properties" : "data");
  const info = inside(body, "info");
  const session = body["sessionID"] ?? inside(body, "part")["sessionID"] ?? info["sessionID"] ?? info["id"];
  const candidates = [session, body["id"], value["id"]];
  return candidates.filter((name): name is string => typeof name === "string" && /^(?:ses|per|que)_/.test(name));
}

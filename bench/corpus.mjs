// Long sessions, made of the real recordings: repeated and joined, each time with fresh identifiers.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { at } from "../scripts/shell.mjs";

/**
 * How an agent's recordings are joined into one session: the channel that is read, where a line names the session,
 * which lines belong to the start of the process (only the first recording keeps them), and how the last turn ends.
 */
const ways = {
  claude: { channel: "stdout", session: /"session_id":"([^"]+)"/g, end: '"type":"result"', delta: claudeDelta },
  codex: {
    channel: "stdout",
    session: /"threadId":"([^"]+)"/g,
    begin: '"method":"turn/started"',
    end: '"method":"turn/completed"',
    delta: codexDelta,
  },
  opencode: {
    channel: "sse",
    session: /"sessionID":"([^"]+)"/g,
    // The server announces its plugins when it starts, amid the first session's lines.
    only: /"sessionID":/,
    begin: '"session.status"',
    end: '"session.idle"',
    delta: opencodeDelta,
  },
  amp: { channel: "stdout", session: /"session_id":"([^"]+)"/g, end: '"type":"result"' },
  pi: { channel: "stdout", begin: '"type":"agent_start"', end: '"type":"agent_end"', delta: piDelta },
};

/** The agents, and the kinds of corpora that there are of each: Amp shows no deltas. */
export const corpora = Object.entries(ways).flatMap(([agent, { delta }]) =>
  (delta ? ["bulk", "delta"] : ["bulk"]).map((kind) => ({ agent, kind })),
);

/** The channel on which an agent's lines come. */
export const channelOf = (agent) => ways[agent].channel;

/** Longer lines are rare in sessions and would be most of the bytes here. */
const longest = 64 * 1024;

/** The session that every corpus tells of. */
const sessionId = { claude: uuid(0), codex: uuid(0), opencode: "ses_000000000000", amp: `T-${uuid(0)}` };

function uuid(number) {
  return `${number.toString(16).padStart(8, "0")}-1111-7222-8333-444455556666`;
}

/**
 * The lines of a long session, without end: recording after recording, and again with fresh identifiers. A delta-heavy
 * one has the recordings that show text as it grows, with many more deltas to each message.
 */
export function* session(agent, kind) {
  const pieces = recordings(agent, kind).map(cut);
  for (let round = 0; ; ) {
    for (const recording of pieces) yield* rejoined(recording, ++round).split("\n");
  }
}

/** The first lines of a session, up to so many bytes. */
export function corpus(agent, kind, bytes) {
  const lines = [];
  let size = 0;
  for (const line of session(agent, kind)) {
    size += Buffer.byteLength(line) + 1;
    if (size > bytes && lines.length > 0) return lines;
    lines.push(line);
  }
  return lines;
}

/** The recordings of one whole session, each as its lines: on the agent's channel, all of them JSON, to a turn's end. */
function recordings(agent, kind) {
  const way = ways[agent];
  const folder = at("tests", "fixtures", agent, "recordings");
  const all = readdirSync(folder)
    .sort()
    .map((name) => linesOf(readFileSync(join(folder, name), "utf8"), way))
    .filter((lines) => lines.length > 2 && fits(lines, way))
    .map((lines) => inSession(lines, agent));
  const chosen = kind === "bulk" ? all : all.map((lines) => stretched(lines, way.delta)).filter(Boolean);
  return chosen.map((lines) => lines.join("\n"));
}

function linesOf(text, { channel, only, begin }) {
  const records = text
    .split("\n")
    .filter(Boolean)
    .map((record) => JSON.parse(record));
  const lines = records
    .filter(({ dir, ch = "stdout" }) => dir === "out" && ch === channel)
    .map(({ line }) => line)
    .filter((line) => only?.test(line) ?? true);
  const first = begin === undefined ? 0 : lines.findIndex((line) => line.includes(begin));
  return first < 0 ? [] : lines.slice(first);
}

function fits(lines, { session, end }) {
  const sessions = new Set(lines.flatMap((line) => Array.from(line.matchAll(session ?? / /g), ([, id]) => id)));
  return (
    (session === undefined || sessions.size === 1) &&
    lines.some((line) => line.includes(end)) &&
    lines.every((line) => line.startsWith("{") && isJson(line) && line.length <= longest)
  );
}

function isJson(line) {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

/** The lines as those of the one session. */
function inSession(lines, agent) {
  const { session } = ways[agent];
  const [, own] = session === undefined ? [] : (lines.join("\n").matchAll(session).next().value ?? []);
  return own === undefined ? lines : lines.map((line) => line.replaceAll(own, sessionId[agent]));
}

/** UUIDs, and identifiers of a word and a long tail with a digit: `msg_01XFDUDYJgAACzvnptvVoYEL`. */
const identifiers =
  /\b[0-9a-f]{8}(?=-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b)|(?<=\b[a-z]{2,10}[_-])(?=[A-Za-z_]*\d)[A-Za-z0-9]{6}(?=[A-Za-z0-9]{4,})/g;

/** Cuts a text at what must be fresh each time. */
function cut(text) {
  const own = [uuid(0).slice(0, 8), sessionId.opencode.slice(4, 10)];
  const literals = [];
  const lengths = [];
  let end = 0;
  for (const { 0: found, index } of text.matchAll(identifiers)) {
    if (own.includes(found)) continue;
    literals.push(text.slice(end, index));
    lengths.push(found.length);
    end = index + found.length;
  }
  return { literals, lengths, last: text.slice(end) };
}

function rejoined({ literals, lengths, last }, round) {
  const fresh = { 6: round.toString(16).padStart(6, "0"), 8: round.toString(16).padStart(8, "0") };
  let text = "";
  for (let index = 0; index < literals.length; index += 1) text += literals[index] + fresh[lengths[index]];
  return text + last;
}

/** So many deltas has a message of a delta-heavy session, at least. */
const deltas = 250;

/** Models stream words: a recording with longer deltas shows something else. */
const longestDelta = 40;

/** A recording with many more deltas to each text; nothing if it has no short ones. */
function stretched(lines, deltaOf) {
  const groups = new Map();
  const parsed = lines.map((line) => JSON.parse(line));
  for (const line of parsed) {
    const delta = deltaOf(line);
    if (delta) groups.set(delta.item, [...(groups.get(delta.item) ?? []), delta.text]);
  }
  const texts = [...groups.values()].flat();
  if (texts.length === 0 || texts.some((text) => text.length > longestDelta)) return undefined;
  const times = (texts) => Math.ceil(deltas / texts.length);
  const out = [];
  const seen = new Map();
  for (const line of parsed) {
    const delta = deltaOf(line);
    if (!delta) {
      out.push(grown(JSON.stringify(line), groups, times));
      continue;
    }
    const run = groups.get(delta.item);
    const count = (seen.get(delta.item) ?? 0) + 1;
    seen.set(delta.item, count);
    // The whole run follows the first delta.
    if (count > 1) continue;
    let soFar = "";
    for (let index = 0; index < run.length * times(run); index += 1) {
      const text = run[index % run.length];
      soFar += text;
      out.push(freshDelta(deltaOf(structuredClone(line)), text, soFar, out.length));
    }
  }
  return out;
}

function freshDelta(delta, text, soFar, number) {
  return JSON.stringify(delta.with(text, soFar, number));
}

/** A line with the whole text, where the whole text is longer now. */
function grown(line, groups, times) {
  let text = line;
  for (const texts of groups.values()) {
    const whole = JSON.stringify(texts.join("")).slice(1, -1);
    text = text.replaceAll(`"${whole}"`, () => `"${whole.repeat(times(texts))}"`);
  }
  return text;
}

const hex = (number) => number.toString(16).padStart(12, "0");

function claudeDelta(line) {
  const { event } = line;
  if (line.type !== "stream_event" || event.delta?.type !== "text_delta") return undefined;
  const replace = (text, _, number) => {
    event.delta.text = text;
    line.uuid = `${line.uuid.slice(0, -12)}${hex(number)}`;
    return line;
  };
  return { item: event.index, text: event.delta.text, with: replace };
}

function codexDelta(line) {
  if (line.method !== "item/agentMessage/delta") return undefined;
  const replace = (text, _, number) => {
    line.params.delta = text;
    line.emittedAtMs += number;
    return line;
  };
  return { item: line.params.itemId, text: line.params.delta, with: replace };
}

function opencodeDelta(line) {
  const { properties } = line;
  if (line.type !== "message.part.delta" || properties.field !== "text") return undefined;
  const replace = (text, _, number) => {
    properties.delta = text;
    if (line.id !== undefined) line.id = `${line.id.slice(0, -12)}${hex(number)}`;
    return line;
  };
  return { item: properties.partID, text: properties.delta, with: replace };
}

function piDelta(line) {
  const update = line.assistantMessageEvent;
  if (update?.type !== "text_delta" || !Array.isArray(line.message?.content)) return undefined;
  const replace = (text, soFar) => {
    update.delta = text;
    for (const message of [update.partial, line.message]) {
      if (message?.content?.[update.contentIndex]) message.content[update.contentIndex].text = soFar;
    }
    return line;
  };
  return { item: `${line.message.responseId} ${update.contentIndex}`, text: update.delta, with: replace };
}

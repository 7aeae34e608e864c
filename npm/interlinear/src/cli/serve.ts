import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { InterlinearError } from "../errors.js";
import { AgentHost } from "../host/index.js";
import { createServer, type Listening, listen, withInspector } from "../server/index.js";
import { finishAbandoned, JsonlStore, PostgresStore, prune, type Store } from "../store/index.js";
import type { Command, Options } from "./command.js";
import { aboutAddress, EXIT, UsageError } from "./failure.js";
import { note, write } from "./output.js";

const day = 24 * 60 * 60 * 1000;
const hour = day / 24;
const minute = hour / 60;

export const serve: Command = {
  usage: "[--host H] [--port P] [--token T] [--store DIR | --postgres URL] [--cors ORIGIN,...] [--keep DAYS]",
  summary: "Runs agents and hands out what they say, over HTTP.",
  details: `The token may also stand in the variable INTERLINEAR_TOKEN; without either one is made up and printed. On an address
that others can reach, you must choose the token. Clients send it as \`Authorization: Bearer TOKEN\`. GET /openapi.json
describes the API.`,
  options: {
    host: { type: "string", value: "H", help: "the address to listen on; 127.0.0.1 if not given" },
    port: { type: "string", value: "P", help: "the port; 2468 if not given, 0 for any that is free" },
    token: { type: "string", value: "T", help: "what clients must show" },
    store: { type: "string", value: "DIR", help: "the folder of the transcripts" },
    postgres: { type: "string", value: "URL", help: "a database for the transcripts instead (needs the package pg)" },
    cors: { type: "string", value: "ORIGINS", help: "origins whose pages may call, with commas between" },
    keep: { type: "string", value: "DAYS", help: "for how long sessions are kept; for ever if not given" },
  },
  optionsOnly: true,
  async run(options) {
    const host = options.get("host") ?? "127.0.0.1";
    const port = number(options, "port", "a number from 0 to 65535") ?? 2468;
    const keep = number(options, "keep", "a number of days, from 1 on", 1);
    // An empty one is none: anybody would know it.
    const given = options.get("token") || process.env["INTERLINEAR_TOKEN"] || undefined;
    const token = tokenFor(host, given);
    const cors = originsIn(options.get("cors") ?? "");
    const { store, place } = await openStore(options);
    const agents = new AgentHost({ store });
    const onError = (error: unknown) => note(error instanceof Error ? (error.stack ?? error.message) : String(error));
    const handler = createServer({ host: agents, store, token, cors, onError });
    const server = await listenOrExplain(() => listen(withInspector(handler), { host, port }), host, port);
    const ended = Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
    const looking = lookAfter(store, keep);
    await write(`Interlinear listens on ${server.url}\n`);
    if (given === undefined) await write(`token: ${token}\n`);
    // Behind the #, a token is never sent to anyone.
    const fragment = given === undefined ? `#token=${token}` : "";
    await write(`inspector: ${server.url}/${fragment}\n`);
    note(`transcripts: ${place}`);
    await ended;
    for (const timer of looking) clearInterval(timer);
    await agents.close();
    await server.close();
    await store.close();
    return EXIT.ok;
  },
};

function number(options: Options, name: string, what: string, least = 0): number | undefined {
  const value = options.get(name);
  if (value === undefined) return undefined;
  if (/^\d{1,5}$/.test(value) && Number(value) >= least && Number(value) < 65_536) return Number(value);
  throw new UsageError(`--${name} ${value}: it takes ${what}`);
}

/** Origins as browsers send them: in small letters, without spaces around them and a slash behind. */
function originsIn(list: string): string[] {
  const origins = list.split(",").flatMap((origin) => origin.trim().replace(/\/+$/, "").toLowerCase() || []);
  const wrong = origins.find((origin) => !/^(?:[a-z][a-z\d+.-]*:\/\/[^/\s]+|null|\*)$/.test(origin));
  if (wrong === undefined) return origins;
  throw new UsageError(`--cors ${wrong}: it takes origins of pages, as https://example.org or http://localhost:5173`);
}

/** On loopback one can be made up: only who is on this machine can use it. */
function tokenFor(host: string, given: string | undefined): string {
  if (given !== undefined) return given;
  if (/^(127\.\d+\.\d+\.\d+|::1|localhost)$/.test(host)) return randomBytes(24).toString("base64url");
  throw new UsageError(`--host ${host}: others can reach this address. Choose a token: --token T`);
}

async function openStore(options: Options): Promise<{ store: Store; place: string }> {
  const [folder, url] = [options.get("store"), options.get("postgres")];
  if (folder !== undefined && url !== undefined) throw new UsageError("either --store or --postgres, not both");
  // The address may hold a password: it is not printed.
  if (url !== undefined) return { store: new PostgresStore({ url }), place: "Postgres" };
  const data = process.env["XDG_DATA_HOME"] || join(homedir(), ".local", "share");
  const place = folder ?? join(data, "interlinear", "sessions");
  // Made now: else every call would fail because of it.
  await mkdir(place, { recursive: true, mode: 0o700 }).catch((cause: unknown) => {
    throw new UsageError(
      `${place} cannot be the folder of the transcripts (${reasonOf(cause)}). Name another: --store DIR`,
      {
        cause,
      },
    );
  });
  return { store: new JsonlStore(place), place };
}

async function listenOrExplain(start: () => Promise<Listening>, host: string, port: number): Promise<Listening> {
  try {
    return await start();
  } catch (error) {
    throw aboutAddress(error, host, port);
  }
}

/**
 * What a server does by itself: old sessions are let go, and those of servers that died are ended. A dead server's
 * sessions may be held for a while yet: hence every minute, for the last ones.
 */
function lookAfter(store: Store, days: number | undefined): NodeJS.Timeout[] {
  const said = new Set<string>();
  const say = (text: string) => {
    if (!said.has(text)) note(text);
    said.add(text);
  };
  let before: Promise<void> = Promise.resolve();
  // One after the other: what is let go must not be opened meanwhile.
  const next = (work: () => Promise<unknown>) => {
    before = before.then(work).then(
      () => undefined,
      (error: unknown) => say(reasonOf(error)),
    );
  };
  const letGo = () => next(() => prune(store, { maxAge: (days ?? 0) * day }));
  if (store instanceof JsonlStore) next(() => tellStrangers(store));
  if (days !== undefined) letGo();
  next(() => finishAll(store, say));
  const timers = [setInterval(() => next(() => finishAll(store, say, 100)), minute)];
  return days === undefined ? timers : [...timers, setInterval(letGo, hour)];
}

/** One that cannot be ended does not keep the others from it. */
async function finishAll(store: Store, say: (text: string) => void, limit?: number): Promise<void> {
  const sessions = await store.list(limit === undefined ? {} : { limit });
  for (const { sessionId, ended } of sessions) {
    if (!ended) await finishAbandoned(store, sessionId).catch((error: unknown) => say(reasonOf(error)));
  }
}

/** Says which files are not touched: who chose the folder may have meant another. */
async function tellStrangers(store: JsonlStore): Promise<void> {
  const files = await store.strangers();
  const more = files.length > 3 ? ` and ${files.length - 3} more` : "";
  if (files.length > 0) note(`left alone, no transcript of this store: ${files.slice(0, 3).join(", ")}${more}`);
}

function reasonOf(error: unknown): string {
  if (error instanceof InterlinearError) return `${error.message}\n${error.cure}`;
  return error instanceof Error ? error.message : String(error);
}

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { aboutAddress, UsageError } from "../failure.js";
import { write } from "../output.js";
import { inside, object } from "./dialect.js";
import type { Address, ReplayOptions } from "./replay.js";
import { Replay } from "./replay.js";
import { endOnSignals, endProcess } from "./stdio.js";

const EVENTS = ["/event", "/global/event", "/api/event"];
const GREETING = "opencode server listening on";
const LISTENING = /http:\/\/[^\s/]+/;

/** Plays OpenCode's server: requests by HTTP, events by SSE. It ends by a signal, or as the recorded one broke down. */
export async function playServer(
  options: Pick<ReplayOptions, "records" | "dialect" | "speed" | "verbose" | "take">,
  args: readonly string[],
): Promise<never> {
  const requests = new Map<string, ServerResponse>();
  const readers = new Map<ServerResponse, string>();
  let counted = 0;
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://server");
    if (request.method === "GET" && EVENTS.includes(url.pathname)) return subscribe(url.pathname, response);
    counted += 1;
    const id = `request ${counted}`;
    requests.set(id, response);
    bodyOf(request).then(
      (body) => replay.hear(body, `http ${request.method} ${url.pathname}`, id),
      () => requests.delete(id),
    );
  });
  const subscribe = (path: string, response: ServerResponse) => {
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
    const connected = path === "/api/event" ? { data: {} } : { properties: {} };
    const event = { id: "evt_000000000000connected", type: "server.connected", ...connected };
    frame(response, JSON.stringify(path === "/global/event" ? { payload: event } : event));
    readers.set(response, path);
    response.once("close", () => readers.delete(response));
  };
  const [where, host] = [portIn(args), option(args, "hostname") ?? "127.0.0.1"];
  server.listen(where, host);
  await once(server, "listening").catch((error: unknown) => {
    throw aboutAddress(error, host, where);
  });
  const { address, port } = server.address() as AddressInfo;
  // Not every recording has what the server printed.
  const greets = options.records.some(({ dir, line }) => dir === "out" && line.includes(GREETING));
  if (!greets) await write(`${GREETING} http://${address}:${port}\n`);

  const say = async (line: string, { channel, status = 200, to }: Address) => {
    if (to !== undefined) return answer(requests, String(to), status, line);
    if (channel === undefined || channel === "stdout")
      return write(`${line.replace(LISTENING, `http://${address}:${port}`)}\n`);
    if (channel === "stderr") process.stderr.write(`${line}\n`);
    if (!channel.startsWith("sse") || object(line)["type"] === "server.connected") return;
    for (const [response, path] of readers) {
      const event = eventFor(path, channel.slice("sse ".length).replace(/\?.*/, "") || "/event", line);
      if (event !== undefined) frame(response, event);
    }
  };
  const replay = new Replay({ ...options, say, exit: endProcess });
  endOnSignals(replay);
  return new Promise<never>(() => undefined);
}

/** An event of one stream as another stream has it; nothing if it does not. */
function eventFor(path: string, recorded: string, line: string): string | undefined {
  if (path === recorded) return line;
  if (path === "/global/event" && recorded === "/event") return `{"payload":${line}}`;
  if (path !== "/event" || recorded !== "/global/event") return undefined;
  const payload = inside(object(line), "payload");
  return payload["type"] === "sync" ? undefined : JSON.stringify(payload);
}

function frame(response: ServerResponse, line: string): void {
  response.write(`data: ${line}\n\n`);
}

function answer(requests: Map<string, ServerResponse>, id: string, status: number, line: string): void {
  const response = requests.get(id);
  requests.delete(id);
  if (response === undefined) return;
  response.writeHead(status, line === "" ? {} : { "content-type": "application/json" });
  response.end(line);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

function portIn(args: readonly string[]): number {
  const value = option(args, "port") ?? "0";
  if (/^\d{1,5}$/.test(value) && Number(value) < 65_536) return Number(value);
  throw new UsageError(`--port ${value}: it takes a number from 0 to 65535`);
}

/** The value of an option among the agent's own arguments. */
function option(args: readonly string[], name: string): string | undefined {
  const place = args.findIndex((arg) => arg === `--${name}` || arg.startsWith(`--${name}=`));
  return place < 0 ? undefined : (args[place]?.split("=", 2)[1] ?? args[place + 1]);
}

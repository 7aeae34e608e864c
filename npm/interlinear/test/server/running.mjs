// A server with an agent, for the tests.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "interlinear/client";
import { AgentHost } from "interlinear/node";
import { createServer, listen } from "interlinear/server";
import { JsonlStore } from "interlinear/store";

/** The command that stands for Claude Code. */
export const agent = [process.execPath, fileURLToPath(new URL("agent.mjs", import.meta.url))];

/** The one that stands for Codex. */
const codex = [process.execPath, fileURLToPath(new URL("../host/codex.mjs", import.meta.url))];

export const token = "a token for tests";

/** Starts a server; `stop` ends it and all that it started. */
export async function startServer({ store, ...options } = {}) {
  const folder = await mkdtemp(join(tmpdir(), "interlinear-server-"));
  const kept = store ?? new JsonlStore(join(folder, "sessions"), { sync: "never" });
  const agents = {
    claude: { command: agent },
    codex: { command: codex, env: { FAKE_LOG: join(folder, "codex.log") } },
  };
  const host = new AgentHost({ store: kept, agents });
  const handler = createServer({ host, store: kept, token, directory: folder, ...options });
  const server = await listen(handler);
  const client = new Client({ baseUrl: server.url, token });
  const stop = async () => {
    await host.close();
    await server.close();
    await kept.close();
    await rm(folder, { recursive: true, force: true });
  };
  /** A request as it is, with the token. */
  const call = (path, { headers, ...init } = {}) =>
    fetch(server.url + path, { ...init, headers: { authorization: `Bearer ${token}`, ...headers } });
  return { host, store: kept, handler, url: server.url, client, folder, call, stop };
}

export const json = (body) => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});

/** The events of a stream until one is enough. */
export async function until(stream, enough) {
  const events = [];
  for await (const event of stream) {
    events.push(event);
    if (enough(event)) break;
  }
  return events;
}

export const ofType = (type) => (event) => event.type === type;

// Readers as they are: one that never reads, one that comes and goes.
import assert from "node:assert/strict";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { get } from "node:http";
import { connect } from "node:net";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { ofType, startServer, token, until } from "../server/running.mjs";
import { range, sequences } from "../store/story.mjs";

let server;

before(async () => {
  server = await startServer();
});
after(() => server.stop());

/** What is in use, and not only not collected yet. */
setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");
function memory() {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** A socket that has asked for a stream and has read nothing. */
async function ask(path) {
  const { port } = new URL(server.url);
  const socket = connect(port, "127.0.0.1");
  socket.pause();
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  return socket;
}

test("eight subscribers that never read cost neither time nor memory, and miss nothing", async () => {
  await server.client.createSession("idle", { agent: "claude" });
  const sockets = await Promise.all(range(1, 8).map(() => ask("/v1/sessions/idle/events/sse?include_raw=true")));
  await sleep(200);
  const before = memory();
  await server.client.sendMessage("idle", "flood 12000");
  let count = 0;
  for await (const { sequence, type } of server.client.streamEvents("idle")) {
    count += 1;
    assert.equal(sequence, count);
    if (type === "turn.ended") break;
  }
  assert.ok(count > 12_000);
  const grown = memory() - before;
  // Eight times all that was written would be four times as much.
  const { bytes } = await server.store.info("idle");
  assert.ok(grown < bytes * 2, `${grown} bytes more, for ${bytes} bytes of events`);
  const [late, ...others] = sockets;
  for (const socket of others) socket.destroy();
  const seen = [];
  let rest = "";
  for await (const chunk of late) {
    rest += chunk;
    const lines = rest.split("\n");
    rest = lines.pop();
    for (const line of lines) if (line.startsWith("id: ")) seen.push(Number(line.slice(4)));
    if (seen.length >= count) break;
  }
  late.destroy();
  assert.deepEqual(seen, range(1, count));
  await server.client.terminate("idle");
});

/** The ids of the events of a stream, as a browser has them: only whole events count. */
async function* ids(path, offset) {
  const headers = { authorization: `Bearer ${token}`, "last-event-id": String(offset) };
  const sent = get(server.url + path, { headers, agent: false });
  const [response] = await once(sent, "response");
  let rest = "";
  for await (const chunk of response) {
    const frames = (rest + chunk).split("\n\n");
    rest = frames.pop();
    for (const frame of frames) {
      const [, id] = /^id: (\d+)$/m.exec(frame) ?? [];
      if (id !== undefined) yield Number(id);
    }
  }
}

test("a client that goes and comes back a thousand times has every event once, and leaves nothing behind", async () => {
  await server.client.createSession("restless", { agent: "claude" });
  await server.client.sendMessage("restless", "flood 4000 400");
  const open = () => readdirSync("/proc/self/fd").length;
  const seen = [];
  let most = 0;
  let connections = 0;
  const start = open();
  for (; connections < 1000; connections += 1) {
    const enough = seen.length + 1 + Math.floor(Math.random() * 6);
    for await (const id of ids("/v1/sessions/restless/events/sse", seen.at(-1) ?? 0)) {
      seen.push(id);
      if (seen.length === enough) break;
    }
    most = Math.max(most, open());
  }
  const events = await until(server.client.streamEvents("restless", { offset: seen.at(-1) }), ofType("turn.ended"));
  seen.push(...sequences(events));
  assert.equal(connections, 1000);
  assert.deepEqual(seen, range(1, seen.length));
  assert.deepEqual(sequences(await server.client.getEvents("restless")), seen);
  for (let attempt = 0; attempt < 100 && open() > start + 5; attempt += 1) await sleep(50);
  assert.ok(open() <= start + 5, `${open()} files and sockets are open, ${start} were`);
  assert.ok(most < start + 100, `${most} were open at a time`);
  await server.client.terminate("restless");
});

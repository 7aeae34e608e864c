// Two servers over one database, which goes away and comes back; one of the servers is killed.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { PostgresStore } from "interlinear/store";
import { makePostgres } from "../../../../tests/postgres.mjs";
import { ofType, startServer, until } from "../server/running.mjs";
import { range, sequences } from "../store/story.mjs";
import { makeFolder, startServe } from "./program.mjs";

const database = makePostgres();
const servers = [];

async function another() {
  const server = await startServer({ store: new PostgresStore({ url: database.url, lease: 2000 }) });
  servers.push(server);
  return server.client;
}

before(() => database.start());
after(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  await database.remove();
});

test("what one server runs, the other streams, though the database goes away in between", async () => {
  const [here, there] = [await another(), await another()];
  await here.createSession("s", { agent: "claude" });
  const following = [here, there].map((client) => until(client.streamEvents("s"), ofType("turn.ended")));
  await here.sendMessage("s", "flood 3000 1000");
  await sleep(1000);
  await database.stop("QUIT");
  await sleep(500);
  await database.start();
  const [first, second] = await Promise.all(following);
  assert.ok(first.length > 3000);
  assert.deepEqual(sequences(first), range(1, first.length));
  assert.deepEqual(second, first);
  assert.deepEqual(await there.getEvents("s"), first);
  assert.equal((await there.getSession("s")).status, "detached");
  await assert.rejects(there.sendMessage("s", "hello"), { status: 409, code: "session_not_here" });
  await assert.rejects(there.createSession("s", { agent: "claude" }), { status: 409, code: "session_exists" });
  await here.terminate("s");
  assert.equal((await there.getSession("s")).status, "ended");
});

test("a server that is killed leaves all that its clients have; another hands it out", async () => {
  const { folder, remove } = makeFolder();
  const served = await startServe(folder, ["--postgres", database.url]);
  const there = await another();
  try {
    await served.client.createSession("killed", { agent: "claude" });
    await served.client.sendMessage("killed", "flood 50000 10000");
    const received = [];
    const stop = new AbortController();
    served.gone.then(() => stop.abort());
    const reading = (async () => {
      for await (const event of served.client.streamEvents("killed", { signal: stop.signal })) received.push(event);
    })();
    while (received.length < 5000) await sleep(20);
    await served.end("SIGKILL");
    await assert.rejects(reading);
    const kept = await there.getEvents("killed");
    assert.deepEqual(sequences(kept), range(1, kept.length));
    assert.deepEqual(kept.slice(0, received.length), received);
  } finally {
    await served.end("SIGKILL");
    remove();
  }
});

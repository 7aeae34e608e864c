// Postgres on a real server: the promises of every store, then what is special about it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { PostgresStore } from "interlinear/store";
import pg from "pg";
import { makePostgres } from "../../../../tests/postgres.mjs";
import { events, nasty, pause, range, readAll, refused, sequences, take } from "./story.mjs";
import { conform } from "./suite.mjs";

const server = makePostgres();
let tables = 0;

before(() => server.start());
after(() => server.remove());

/** Stores over tables of their own. */
function place(options = {}) {
  tables += 1;
  const prefix = `test_${tables}_`;
  const stores = [];
  const again = async () => {
    stores.push(new PostgresStore({ url: server.url, prefix, ...options }));
    return stores.at(-1);
  };
  const clean = async () => {
    await Promise.all(stores.map((store) => store.close()));
  };
  return { prefix, again, clean };
}

conform("PostgresStore", async () => {
  const { again, clean } = place();
  return { store: await again(), again, clean };
});

test("two servers that start at the same time both find their tables", async () => {
  const { again, clean } = place();
  const stores = await Promise.all(range(1, 6).map(again));
  await Promise.all(stores.map((store, index) => store.open(`s${index}`)));
  assert.equal((await stores[0].list()).length, 6);
  await clean();
});

test("the lease of a server that is gone runs out, and it cannot write any more", async () => {
  const { prefix, again, clean } = place({ lease: 300 });
  const dead = await again();
  const writer = await dead.open("s");
  await writer.append(events("s", 1, 3));
  const store = await again();
  await pause(700);
  await refused("session_busy", () => store.open("s"));
  // As if it had stopped renewing: the process hangs, its connections are alive.
  const pool = new pg.Pool({ connectionString: server.url });
  await pool.query(`update ${prefix}sessions set held_until = now() - interval '1 second'`);
  await pool.end();
  const next = await store.open("s");
  await next.append(events("s", 4, 5));
  await refused("session_lost", () => writer.append(events("s", 4, 9)));
  await refused("session_lost", () => writer.describe({ title: "mine" }));
  assert.deepEqual(sequences(await readAll(store, "s")), range(1, 5));
  await clean();
});

test("closing a writer that lost its session leaves the one that was opened since its lease", async () => {
  const { prefix, again, clean } = place({ lease: 300 });
  const [store, other] = [await again(), await again()];
  const lost = await store.open("s");
  const pool = new pg.Pool({ connectionString: server.url });
  await pool.query(`update ${prefix}sessions set held_until = now() - interval '1 second'`);
  await pool.end();
  const writer = await store.open("s");
  await refused("session_lost", () => lost.append(events("s", 1, 3)));
  await lost.close();
  await pause(700);
  await refused("session_busy", () => other.open("s"));
  await writer.append(events("s", 1, 3));
  await clean();
});

test("one sequence stands once, whoever writes it", async () => {
  const { prefix, again, clean } = place();
  const store = await again();
  const writer = await store.open("s");
  await writer.append(events("s", 1, 3));
  const pool = new pg.Pool({ connectionString: server.url });
  const twice = pool.query(`insert into ${prefix}events values ('s', 3, '{}', null)`);
  await assert.rejects(twice, { code: "23505" });
  const { rows } = await pool.query(
    `select data_type from information_schema.columns where table_name = '${prefix}events' and column_name in ('event', 'raw')`,
  );
  assert.deepEqual(rows, [{ data_type: "text" }, { data_type: "text" }]);
  await pool.end();
  await clean();
});

test("a database that goes away and comes back costs time and nothing else", async () => {
  const { again, clean } = place();
  const [here, there] = [await again(), await again()];
  const writer = await here.open("s");
  const list = events("s", 1, 2000, { text: (sequence) => `${sequence} ${nasty}` });
  await writer.append(list.slice(0, 10));
  const done = ({ sequence }) => sequence === 2000;
  const following = [here, there].map((store) => take(store.subscribe("s", { includeRaw: true }), done));
  for (let from = 10; from < 2000; from += 10) {
    if (from === 500 || from === 1200) {
      await server.stop(from === 500 ? "QUIT" : "INT");
      setTimeout(() => void server.start(), 300);
    }
    await writer.append(list.slice(from, from + 10));
  }
  assert.deepEqual(await readAll(there, "s", { includeRaw: true }), list);
  for (const taken of await Promise.all(following)) assert.deepEqual(taken, list);
  await clean();
});

test("what was written while nobody could listen is heard of all the same", async () => {
  const { again, clean } = place();
  const [here, there] = [await again(), await again()];
  const writer = await here.open("s");
  await writer.append(events("s", 1, 1));
  const seen = [];
  const following = take(there.subscribe("s"), ({ sequence }) => seen.push(sequence) === 20);
  const pool = new pg.Pool({ connectionString: server.url });
  for (let sequence = 2; sequence <= 20; sequence += 1) {
    while (seen.length < sequence - 1) await pause(5);
    await pool.query("select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen %'");
    await writer.append(events("s", sequence, sequence));
  }
  assert.deepEqual(sequences(await following), range(1, 20));
  await pool.end();
  await clean();
});

test("who has no patience is told, and may append the same events later", async () => {
  const { again, clean } = place({ patience: 200 });
  const store = await again();
  const writer = await store.open("s");
  await writer.append(events("s", 1, 3));
  await server.stop();
  await refused("store_failed", () => writer.append(events("s", 4, 6)));
  await refused("store_failed", () => readAll(store, "s"));
  await server.start();
  await writer.append(events("s", 4, 6));
  assert.deepEqual(sequences(await readAll(store, "s")), range(1, 6));
  await clean();
});

test("a database that is not there is named, also to who follows", async () => {
  const store = new PostgresStore({ url: "postgres://nobody@127.0.0.1:1/none", patience: 100 });
  await refused("store_failed", () => store.list());
  await refused("store_failed", () => take(store.subscribe("s"), () => true));
  await store.close();
  await refused("bad_options", async () => new PostgresStore({ url: server.url, prefix: "x; drop" }));
});

test("a pool that was handed in stays open", async () => {
  const pool = new pg.Pool({ connectionString: server.url });
  const store = new PostgresStore({ pool, prefix: "own_pool_" });
  await store.open("s");
  await store.close();
  assert.equal((await pool.query("select 1 as one")).rows[0].one, 1);
  await pool.end();
});

test("a store that is closed while it begins to listen gives its connection back", { timeout: 20_000 }, async () => {
  const pool = new pg.Pool({ connectionString: server.url });
  const connect = async () => {
    const client = await pool.connect();
    await pause(100);
    return client;
  };
  const slow = { connect, query: (...args) => pool.query(...args), on: (...args) => pool.on(...args) };
  const store = new PostgresStore({ pool: slow, prefix: "slow_" });
  await store.open("s");
  const following = take(store.subscribe("s"), () => true).catch(() => undefined);
  while (pool.totalCount === pool.idleCount) await pause(5);
  await store.close();
  await following;
  // Waits for every connection that is not given back.
  await pool.end();
});

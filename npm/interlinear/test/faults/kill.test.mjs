// kill -9 in the middle of 10,000 events a second.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { check } from "interlinear";
import { JsonlStore } from "interlinear/store";
import { bare, events, range, readAll, sequences } from "../store/story.mjs";
import { here, makeFolder, start, startServe } from "./program.mjs";

for (const sync of ["never", "always"]) {
  test(`a writer that is killed again and again loses nothing that it acknowledged (sync ${sync})`, async () => {
    const { folder, remove } = makeFolder();
    let last = 0;
    let rate = 0;
    try {
      for (let round = 0; round < 6; round += 1) {
        const writing = start(process.execPath, [here("writer.mjs"), folder, sync]);
        let acknowledged = Number(await writing.line());
        const began = Date.now();
        const reading = (async () => {
          for (let line = await writing.line(); line !== undefined; line = await writing.line()) {
            acknowledged = Math.max(acknowledged, Number(line));
          }
        })();
        await sleep(300 + Math.random() * 300);
        await writing.end("SIGKILL");
        rate = Math.max(rate, ((acknowledged - last) * 1000) / (Date.now() - began));
        await reading;
        const store = new JsonlStore(folder);
        const { lastSequence } = await store.info("s");
        assert.ok(acknowledged > last && lastSequence >= acknowledged, `${lastSequence} of ${acknowledged}`);
        const writer = await store.open("s");
        assert.ok(writer.lastSequence >= acknowledged);
        last = writer.lastSequence;
        await store.close();
        assert.deepEqual(sequences(await readAll(store, "s")), range(1, last));
      }
      const store = new JsonlStore(folder);
      assert.deepEqual(
        await readAll(store, "s", { offset: last - 2000, includeRaw: true }),
        events("s", last - 1999, last),
      );
      assert.deepEqual(await readAll(store, "s"), bare(events("s", 1, last)));
      assert.ok(rate > 5000, `only ${Math.round(rate)} events a second`);
    } finally {
      remove();
    }
  });
}

test("a server that is killed in the middle of a turn has all that its clients have, and they go on with the next", async () => {
  const { folder, remove } = makeFolder();
  let served = await startServe(folder, ["--store", "sessions"]);
  try {
    await served.client.createSession("s", { agent: "claude" });
    await served.client.sendMessage("s", "flood 60000 10000");
    const received = [];
    const first = served;
    const reading = (async () => {
      const stop = new AbortController();
      first.gone.then(() => stop.abort());
      for await (const event of first.client.streamEvents("s", { signal: stop.signal })) received.push(event);
    })();
    const began = Date.now();
    while (received.length < 10_000 && Date.now() - began < 30_000) await sleep(20);
    await served.end("SIGKILL");
    await assert.rejects(reading);
    assert.ok(received.length >= 10_000, `${received.length} events`);
    assert.deepEqual(sequences(received), range(1, received.length));

    served = await startServe(folder, ["--store", "sessions"]);
    const offset = received.length;
    // The new server ends what the old one left open.
    for await (const event of served.client.streamEvents("s", { offset })) received.push(event);
    assert.deepEqual(sequences(received), range(1, received.length));
    assert.deepEqual(await served.client.getEvents("s"), received);
    assert.deepEqual(check(received), []);
    const { status } = await served.client.getSession("s");
    assert.equal(status, "ended");
  } finally {
    await served.end("SIGTERM");
    remove();
  }
});

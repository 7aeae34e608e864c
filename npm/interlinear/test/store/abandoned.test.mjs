// Sessions whose writer died, cut anywhere in real recordings, are ended as the contract wants it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { check, openSession } from "interlinear";
import { finishAbandoned, MemoryStore } from "interlinear/store";
import { read, transcripts } from "../../../../tests/fixtures.mjs";
import { events } from "./story.mjs";

/** The events of a stream up to a line, as a host has them that dies there. */
function until(agent, records, count) {
  let time = 0;
  const session = openSession({ agent, sessionId: "s", now: () => time });
  const events = [];
  for (const { t, dir, line, ch } of records.slice(0, count)) {
    time = t;
    if (dir === "out") events.push(...session.receive(`${line}\n`, ch));
    else if (dir === "in") events.push(...session.sent(`${line}\n`, ch));
  }
  session.free();
  return events;
}

async function finished(list) {
  const store = new MemoryStore();
  const writer = await store.open("s");
  await writer.append(list);
  await writer.close();
  assert.equal(await finishAbandoned(store, "s", 0), true);
  const all = [];
  for await (const batch of store.read("s")) all.push(...batch);
  return all;
}

for (const agent of ["claude", "amp", "pi"]) {
  test(`${agent}: wherever the host died, the transcript keeps the contract`, async () => {
    const recordings = transcripts().filter(({ name }) => name.includes(`${agent}/recordings/`));
    assert.ok(recordings.length > 5);
    let cuts = 0;
    const asks = ({ name }) => /permission|question/.test(name);
    for (const recording of recordings.filter((one, index) => index % 6 === 0 || asks(one))) {
      const [{ bytes }] = read(recording);
      const lines = Buffer.from(bytes).toString().split("\n").filter(Boolean);
      const records = lines.map((line) => JSON.parse(line)).filter(({ dir }) => dir !== undefined);
      for (let count = 1; count < Math.min(records.length, 60); count += asks(recording) ? 1 : 5) {
        const list = until(agent, records, count);
        if (list.length === 0 || list.at(-1).type === "session.ended") continue;
        const all = await finished(list);
        assert.deepEqual(check(all), [], `${recording.name}, after ${count} lines`);
        assert.deepEqual(all.slice(0, list.length), list);
        assert.equal(all.at(-1).type, "session.ended");
        cuts += 1;
      }
    }
    assert.ok(cuts > 10, `${cuts} cuts`);
  });
}

test("a session that is written, has ended or is not there is left alone", async () => {
  const store = new MemoryStore();
  const writer = await store.open("s");
  await writer.append(events("s", 1, 1));
  assert.equal(await finishAbandoned(store, "s"), false);
  await writer.close();
  assert.equal(await finishAbandoned(store, "s"), true);
  assert.equal(await finishAbandoned(store, "s"), false);
  assert.equal(await finishAbandoned(store, "t"), false);
  assert.equal((await store.info("s")).lastSequence, 2);
});

test("a session in which nothing was said ends too", async () => {
  assert.deepEqual(
    (await finished([])).map(({ type }) => type),
    ["session.started", "session.ended"],
  );
});

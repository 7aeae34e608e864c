// Moments that no real store can be made to hit for certain: what is read, written and told in which order.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Fanout } from "../../dist/store/fanout.js";
import { bare, events, pause, range, sequences, take } from "./story.mjs";

/** A store whose every step is taken by the test. */
function scripted(written) {
  const source = {
    written,
    reads: 0,
    /** Called at the end of each reading, before the reader knows that it is one. */
    atEnd: () => undefined,
    stir: () => undefined,
    info: async () => ({ ended: false, lastSequence: source.written }),
    async *read(_, { offset, includeRaw }) {
      source.reads += 1;
      const list = events("s", offset + 1, source.written);
      if (list.length > 0) yield includeRaw ? list : bare(list);
      await source.atEnd(source.reads);
    },
    watch: async (_, stir) => {
      source.stir = stir;
      return () => undefined;
    },
  };
  return { source, fanout: new Fanout(source) };
}

const done =
  (last) =>
  ({ sequence }) =>
    sequence === last;

test("what was read before it was told is not given twice", async () => {
  const { source, fanout } = scripted(5);
  const following = take(fanout.subscribe("s"), done(7));
  await pause(10);
  // 4 and 5 were written when the subscriber read, and are told only now.
  fanout.publish("s", () => events("s", 4, 5));
  source.written = 7;
  fanout.publish("s", () => events("s", 5, 7));
  assert.deepEqual(sequences(await following), range(1, 7));
});

test("what is told while the end of the past is read is not missed", async () => {
  const { source, fanout } = scripted(5);
  source.atEnd = (reads) => {
    if (reads > 1) return;
    source.written = 6;
    fanout.publish("s", () => events("s", 6, 6));
  };
  assert.deepEqual(sequences(await take(fanout.subscribe("s"), done(6))), range(1, 6));
});

test("what is stirred while the end of the past is read is not missed", async () => {
  const { source, fanout } = scripted(5);
  source.atEnd = (reads) => {
    if (reads > 1) return;
    source.written = 6;
    source.stir();
  };
  assert.deepEqual(sequences(await take(fanout.subscribe("s"), done(6))), range(1, 6));
});

test("what is told with a hole before it is read from the store", async () => {
  const { source, fanout } = scripted(5);
  const following = take(fanout.subscribe("s"), done(9));
  await pause(10);
  source.written = 9;
  fanout.publish("s", () => events("s", 8, 9));
  assert.deepEqual(sequences(await following), range(1, 9));
});

test("who joins with native objects while others are served without gets them too", async () => {
  const { source, fanout } = scripted(5);
  const plain = take(fanout.subscribe("s"), done(8));
  await pause(10);
  let joined;
  source.written = 6;
  const before = source.reads;
  source.atEnd = async (reads) => {
    // The reading for all others ends only when the new one follows.
    if (reads !== before + 1) return;
    source.atEnd = () => undefined;
    joined = take(fanout.subscribe("s", { includeRaw: true, offset: 6 }), done(8));
    await pause(20);
    source.written = 8;
  };
  const slow = source.read;
  source.read = async function* (id, where) {
    yield* slow(id, where);
    if (where.includeRaw || source.written < 8) return;
    yield bare(events("s", where.offset + 1, 8));
  };
  source.stir();
  await pause(60);
  source.stir();
  assert.deepEqual(await plain, bare(events("s", 1, 8)));
  assert.deepEqual(await joined, events("s", 7, 8));
});

test("one reading serves all who follow", async () => {
  const { source, fanout } = scripted(5);
  const following = range(1, 10).map(() => take(fanout.subscribe("s"), done(9)));
  await pause(10);
  const before = source.reads;
  source.written = 9;
  source.stir();
  for (const taken of await Promise.all(following)) assert.deepEqual(sequences(taken), range(1, 9));
  assert.equal(source.reads, before + 1);
});

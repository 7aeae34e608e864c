// Runs in a browser: what the tests call.
import { IndexedDbStore, MemoryStore, prune } from "interlinear/store";
import { cases } from "./conformance.mjs";
import { events, sequences, take } from "./story.mjs";

/** One case against a fresh database. */
globalThis.runCase = async (sentence) => {
  const name = `case ${Math.random()}`;
  const stores = [];
  const again = async () => {
    stores.push(new IndexedDbStore({ name }));
    return stores.at(-1);
  };
  try {
    await cases[sentence]({ store: await again(), again, prune });
  } finally {
    await Promise.all(stores.map((store) => store.close()));
    indexedDB.deleteDatabase(name);
  }
};

globalThis.inMemory = async () => {
  const store = new MemoryStore();
  await (await store.open("s")).append(events("s", 1, 3));
  return await take(store.subscribe("s"), ({ sequence }) => sequence === 3);
};

/** What a store says after it was closed. */
globalThis.afterClose = async () => {
  const store = new IndexedDbStore({ name: "closed" });
  await (await store.open("s")).append(events("s", 1, 3));
  await store.close();
  const read = async () => {
    for await (const _ of store.read("s"));
  };
  const calls = [() => store.open("s"), () => store.list(), () => store.info("s"), read, () => store.delete("s")];
  const codes = calls.map((call) => call().catch(({ code }) => code));
  return await Promise.all(codes);
};

/** Holds a session; another tab cannot, but can follow it. */
globalThis.hold = async () => {
  globalThis.writer = await new IndexedDbStore({ name: "tabs" }).open("s");
  await globalThis.writer.append(events("s", 1, 5));
};

globalThis.write = (from, to) => globalThis.writer.append(events("s", from, to));

globalThis.tryToOpen = async () => {
  const writer = await new IndexedDbStore({ name: "tabs" }).open("s").catch((error) => error);
  return writer.code ?? writer.lastSequence;
};

globalThis.follow = () => {
  const store = new IndexedDbStore({ name: "tabs" });
  globalThis.followed = take(store.subscribe("s", { offset: 2 }), ({ sequence }) => sequence === 400).then(sequences);
};

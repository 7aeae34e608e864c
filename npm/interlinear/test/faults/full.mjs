// Fills the disk that a store is on, makes room, and goes on. Prints what it saw.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { JsonlStore } from "interlinear/store";
import { events, range, readAll, same, sequences } from "../store/story.mjs";

const [folder] = process.argv.slice(2);
const ballast = join(folder, "ballast");
writeFileSync(ballast, Buffer.alloc(1_000_000));

const store = new JsonlStore(folder, { sync: "always" });
const writer = await store.open("s");
const followed = [];
const following = (async () => {
  for await (const { sequence } of store.subscribe("s")) followed.push(sequence);
})();

const codes = new Set();
let refusals = 0;
let acknowledged = 0;

/** Appends until all is written; makes room at the fifth refusal. */
async function append(batch) {
  for (;;) {
    try {
      await writer.append(batch);
      acknowledged = batch.at(-1).sequence;
      return;
    } catch (error) {
      refusals += 1;
      codes.add(error.code);
      same(sequences(await readAll(store, "s")), range(1, acknowledged), "what is refused is not there");
      const other = await new JsonlStore(folder).info("s");
      same(other.lastSequence, acknowledged);
      if (refusals === 5) rmSync(ballast);
      if (refusals > 50) throw error;
    }
  }
}

// Without native objects the transcript itself meets the end of the disk, in the middle of a batch.
const batch = (from) => events("s", from, from + 39, { raw: from % 80 === 1 });
for (let from = 1; refusals < 5 || acknowledged % 800 !== 0; from += 40) await append(batch(from));
const written = range(0, acknowledged / 40 - 1).flatMap((index) => batch(index * 40 + 1));
same(await readAll(store, "s", { includeRaw: true }), written);
await new Promise((resolve) => setTimeout(resolve, 100));
same(followed, range(1, acknowledged));
await store.close();
await following;
const lines = readFileSync(join(folder, "s.jsonl"), "utf8").match(/\n/g).length;
console.log(JSON.stringify({ refusals, codes: [...codes], acknowledged, lines }));

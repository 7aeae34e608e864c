// Writes 10,000 events a second into a session until it is killed, and says which are acknowledged.
import { JsonlStore } from "interlinear/store";
import { events } from "../store/story.mjs";

const [folder, sync] = process.argv.slice(2);
const store = new JsonlStore(folder, { sync });
const writer = await store.open("s");
const start = Date.now();
let sent = 0;

for (let next = writer.lastSequence + 1; ; ) {
  const due = Math.floor((Date.now() - start) * 10) - sent;
  if (due < 20) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    continue;
  }
  // Small batches that do not wait for each other, as agents give them.
  for (let count = 0; count < due; count += 5) {
    const batch = events("s", next, next + 4);
    next += 5;
    sent += 5;
    const { sequence } = batch.at(-1);
    writer.append(batch).then(() => process.stdout.write(`${sequence}\n`));
  }
}

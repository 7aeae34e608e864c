// A session of very many lines in a process of its own: what a line costs at the end against the beginning, and how the
// memory grew. Prints JSON.
import { backend, openSession } from "interlinear";
import { channelOf, session } from "./corpus.mjs";
import { median } from "./measure.mjs";

const [agent, kind, count] = [process.argv[2], process.argv[3], Number(process.argv[4])];
const channel = channelOf(agent);

/** So many lines are handed over at once. */
const batch = Math.min(500, count / 100);

function clock() {
  const { user, system } = process.cpuUsage();
  return user + system;
}

const encoder = new TextEncoder();
const machine = openSession({ agent });
const lines = session(agent, kind);
const costs = [];
const memory = [];
for (let done = 0; done < count; done += batch) {
  const texts = Array.from({ length: batch }, () => lines.next().value);
  const chunk = encoder.encode(`${texts.join("\n")}\n`);
  const begin = clock();
  machine.relay(chunk, channel);
  costs.push((clock() - begin) / chunk.length);
  if (done % (count / 50) === 0) {
    globalThis.gc();
    memory.push(process.memoryUsage().rss);
  }
}

/** The median over a tenth of a list. */
function tenth(list, index) {
  const length = Math.floor(list.length / 10);
  return median(list.slice(index * length, (index + 1) * length));
}

// The first twentieth warms up: the engine compiles, the buffers find their size.
const warm = costs.slice(Math.floor(costs.length / 20));
console.log(
  JSON.stringify({
    backend: backend(),
    agent,
    kind,
    lines: count,
    cost: tenth(warm, 9) / tenth(warm, 0),
    memory: { first: tenth(memory, 1), last: tenth(memory, 9) },
    // What is kept of each item that is over.
    state: machine.snapshot().length / machine.stats().events["item.started"],
  }),
);

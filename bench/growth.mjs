// A session of very many lines in a process of its own: what a line costs at its end against the same line in a session
// that has just begun, and how the memory grew. Prints JSON.
import { backend, openSession } from "interlinear";
import { clock } from "./clock.mjs";
import { channelOf, session } from "./corpus.mjs";
import { median } from "./measure.mjs";

const [agent, kind, count] = [process.argv[2], process.argv[3], Number(process.argv[4])];
const channel = channelOf(agent);

/** So many lines are handed over at once. */
const batch = Math.min(500, count / 100);

const encoder = new TextEncoder();
const old = openSession({ agent });
// In the last tenth, one that has just begun reads the same lines beside it: what the machine does meanwhile hits both.
const late = count * 0.9;
let young;
const ratios = [];
const memory = [];

function cost(session, chunk) {
  const begin = clock();
  session.relay(chunk, channel);
  return clock() - begin;
}

const lines = session(agent, kind);
for (let done = 0; done < count; done += batch) {
  const texts = Array.from({ length: batch }, () => lines.next().value);
  const chunk = encoder.encode(`${texts.join("\n")}\n`);
  if (done < late) {
    old.relay(chunk, channel);
  } else {
    young ??= openSession({ agent });
    const first = (done / batch) % 2 === 0 ? cost(young, chunk) : undefined;
    const costs = cost(old, chunk);
    ratios.push(costs / (first ?? cost(young, chunk)));
  }
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

console.log(
  JSON.stringify({
    backend: backend(),
    agent,
    kind,
    lines: count,
    // The first tenth warms up.
    cost: median(ratios.slice(Math.floor(ratios.length / 10))),
    memory: { first: tenth(memory, 1), last: tenth(memory, 9) },
    // What is kept of each item that is over.
    state: old.snapshot().length / old.stats().events["item.started"],
  }),
);

// One build of the package in a process of its own (`INTERLINEAR_BACKEND` says which), and the converters in plain
// JavaScript, against JSON.parse. Prints JSON.
import { backend, openSession } from "interlinear";
import { channelOf, corpora, corpus } from "./corpus.mjs";
import { compare, parseLines, slices } from "./measure.mjs";
import { Claude } from "./plain/claude.mjs";
import { Codex } from "./plain/codex.mjs";

const plain = { claude: Claude, codex: Codex };
const bytes = Number(process.argv[2]);

/** Processor time, in microseconds: what others do on this machine does not count. */
function clock() {
  const { user, system } = process.cpuUsage();
  return user + system;
}

function measure({ agent, kind }) {
  const channel = channelOf(agent);
  const read = openSession({ agent });
  const relayed = openSession({ agent });
  const ways = {
    parse: parseLines,
    events: (slice) => read.receive(slice.bytes, channel),
    relay: (slice) => relayed.relay(slice.bytes, channel),
  };
  if (plain[agent]) {
    const converter = new plain[agent]();
    ways.plain = (slice) => converter.receive(slice.bytes);
  }
  const ratios = compare(slices(corpus(agent, kind, bytes)), ways, clock);
  read.free();
  relayed.free();
  return { agent, kind, ...ratios };
}

const results = corpora.map(measure);
console.log(JSON.stringify({ backend: backend(), results }));

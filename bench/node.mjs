// One build of the package in a process of its own (`INTERLINEAR_BACKEND` says which), and the converters in plain
// JavaScript, against JSON.parse. Prints JSON.
import { backend, openSession } from "interlinear";
import { channelOf, corpora, corpus } from "./corpus.mjs";
import { measureBuild, measureConverter, slices } from "./measure.mjs";
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
  const session = { agent, channel: channelOf(agent), slices: slices(corpus(agent, kind, bytes)), clock };
  const converter = plain[agent] ? measureConverter(plain[agent], session) : {};
  return { agent, kind, ...converter, ...measureBuild(openSession, session) };
}

const results = corpora.map(measure);
console.log(JSON.stringify({ backend: backend(), results }));

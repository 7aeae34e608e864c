// One build of the package (`INTERLINEAR_BACKEND` says which) on one session, in a process of its own, and the converter in
// plain JavaScript if there is one, against JSON.parse: `node.mjs <agent> <kind> <bytes>`. Prints JSON.
import { openSession } from "interlinear";
import { clock } from "./clock.mjs";
import { channelOf, corpus } from "./corpus.mjs";
import { measureBuild, measureConverter, slices } from "./measure.mjs";
import { Claude } from "./plain/claude.mjs";
import { Codex } from "./plain/codex.mjs";

const plain = { claude: Claude, codex: Codex };
const [, , agent, kind, bytes] = process.argv;

const session = { agent, channel: channelOf(agent), slices: slices(corpus(agent, kind, Number(bytes))), clock };
const converter = plain[agent] ? measureConverter(plain[agent], session) : {};
console.log(JSON.stringify({ ...converter, ...measureBuild(openSession, session) }));

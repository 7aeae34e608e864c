// `npm run bench`: measures every build on long sessions of every agent and writes bench/RESULTS.md.
//   --quick       tiny sessions, and nothing is written: shows that it runs, not how fast
//   --built       takes the builds that are there
//   --lines N     how long the longest session is
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { build } from "../scripts/build.mjs";
import { setupTests } from "../scripts/setup.mjs";
import { ask, at, heading, main, Problem, run, say } from "../scripts/shell.mjs";
import { measureBrowser } from "./browser.mjs";
import { channelOf, corpora, corpus } from "./corpus.mjs";
import { median, medians } from "./measure.mjs";
import { document, missed, ratioTable } from "./results.mjs";

const { values } = parseArgs({
  options: { quick: { type: "boolean" }, built: { type: "boolean" }, lines: { type: "string", default: "1000000" } },
});
const { quick = false, built = quick } = values;
const size = quick ? 300_000 : 16_000_000;
const lines = quick ? 2_000 : Number(values.lines);
const starts = quick ? 1 : 9;
/** So many processes or pages measure the same, and the median counts: how memory happens to lie in one makes a tenth. */
const times = quick ? 1 : 3;

const program = at("target", "release", "interlinear-bench");

/** Writes the corpora to files, for programs that are not of JavaScript. */
function writeCorpora() {
  mkdirSync(at("target", "bench"), { recursive: true });
  return corpora.map(({ agent, kind }) => {
    const file = `${agent}-${kind}.jsonl`;
    const lines = corpus(agent, kind, size);
    writeFileSync(at("target", "bench", file), `${lines.join("\n")}\n`);
    return { agent, kind, file, first: lines[0] };
  });
}

/** The core alone, against serde_json. */
function measureNative({ agent, file }) {
  const output = json(program, ["time", agent, channelOf(agent), at("target", "bench", file)], {}, (text) =>
    text.split("\n").map(Number),
  );
  return median(output);
}

/** A build in Node, on every session. */
function measureNode(backend, files) {
  const env = { INTERLINEAR_BACKEND: backend };
  return files.map(({ agent, kind }) => {
    const args = [at("bench", "node.mjs"), agent, kind, String(size)];
    return medians(Array.from({ length: times }, () => json(process.execPath, args, env)));
  });
}

function measureGrowth(agent, backend) {
  const args = ["--expose-gc", at("bench", "growth.mjs"), agent, "bulk", String(lines)];
  return json(process.execPath, args, { INTERLINEAR_BACKEND: backend });
}

/** What a program prints, read. */
function json(command, args, env, read = JSON.parse) {
  const output = ask(command, args, { env: { ...process.env, ...env }, maxBuffer: 1 << 26 });
  if (output === undefined) throw new Problem(`${[command, ...args].join(" ")} failed`);
  return read(output);
}

async function measure() {
  const files = writeCorpora();
  say("native");
  const rows = files.map((corpus) => ({ ...corpus, native: measureNative(corpus) }));
  const add = (name, results) => {
    for (const [index, row] of rows.entries()) row[name] = results[index];
  };
  say("the Node module");
  add("napi", measureNode("native", files));
  say("WebAssembly in Node");
  add("wasm", measureNode("wasm", files));
  say("WebAssembly in Chromium");
  const { results, firsts } = await measureBrowser(files, { starts, times });
  add("chromium", results);
  const agents = [...new Set(corpora.map(({ agent }) => agent))];
  const growth = agents.flatMap((agent) =>
    ["native", "wasm"].map((backend) => {
      say(`a session of ${lines.toLocaleString("en")} lines: ${agent}, ${backend}`);
      return measureGrowth(agent, backend);
    }),
  );
  return { rows, growth, firsts, starts, lines };
}

const marks = ["<!-- bench/RESULTS.md -->", "<!-- /bench/RESULTS.md -->"];

/** Puts the table where the README quotes it. */
function quote(measured) {
  const readme = readFileSync(at("README.md"), "utf8");
  const [begin, end] = marks.map((mark) => readme.indexOf(mark));
  if (begin < 0 || end < begin) throw new Problem(`README.md lacks \`${marks.join("` or `")}\``);
  const quoted = `${marks[0]}\n${ratioTable(measured)}\n`;
  writeFileSync(at("README.md"), readme.slice(0, begin) + quoted + readme.slice(end));
}

main(async () => {
  if (!built) {
    await build();
    await setupTests();
  }
  heading("Bench");
  await run("cargo", ["build", "--release", "--package", "interlinear-bench"], { echo: false, name: "compiling" });
  const measured = await measure();
  console.log(`\n${document(measured)}`);
  if (quick) return;
  writeFileSync(at("bench", "RESULTS.md"), document(measured));
  quote(measured);
  const list = missed(measured);
  heading(list.length === 0 ? "Every target is met" : `${list.length} targets are missed`);
  for (const line of list) say(line);
});

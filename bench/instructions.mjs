// How many instructions the core takes for the lines of every agent, as a multiple of what `serde_json::Value` takes for
// the same lines in the same program. Seconds differ from run to run and counts from compiler to compiler; this hardly
// does. The accepted numbers stand in instructions.json.
//
//   node bench/instructions.mjs            compares with them
//   node bench/instructions.mjs --accept   takes the new ones over
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { ask, at, has, heading, main, Problem, run, say } from "../scripts/shell.mjs";
import { channelOf, corpora, corpus } from "./corpus.mjs";

const accepted = at("bench", "instructions.json");
const program = at("target", "release", "interlinear-bench");
const folder = at("target", "bench");

/** Enough that every kind of line is there, and little enough that it takes seconds. */
const size = 600_000;

/** So much dearer the core may become unnoticed. */
const tolerance = 1.1;

/** What is counted: events as lines of JSON, and packed for JavaScript. */
const ways = { "": "convert", ", packed": "pack" };

/** The numbers of this build: by agent, kind of session and what comes out. */
export async function count() {
  if (!has("valgrind")) {
    throw new Problem("Instructions are counted by valgrind. Install it (Debian: `apt-get install valgrind`).");
  }
  await run("cargo", ["build", "--release", "--package", "interlinear-bench"], { echo: false, name: "compiling" });
  mkdirSync(folder, { recursive: true });
  return Object.fromEntries(corpora.flatMap(ratios));
}

function ratios({ agent, kind }) {
  const file = at("target", "bench", `${agent}-${kind}-counted.jsonl`);
  writeFileSync(file, `${corpus(agent, kind, size).join("\n")}\n`);
  const counted = (mode) => instructions([mode, agent, channelOf(agent), file]);
  const [read, parse] = [counted("read"), counted("parse")];
  return Object.entries(ways).map(([name, mode]) => {
    const ratio = (counted(mode) - read) / (parse - read);
    return [`${agent} ${kind}${name}`, Number(ratio.toFixed(3))];
  });
}

function instructions(args) {
  const options = ["--tool=callgrind", "--callgrind-out-file=/dev/null", "--log-fd=1"];
  const output = ask("valgrind", [...options, program, ...args]);
  const [, collected] = /Collected : (\d+)/.exec(output ?? "") ?? [];
  if (collected === undefined) throw new Problem(`valgrind could not run ${program} ${args.join(" ")}`);
  return Number(collected);
}

/** What became dearer than it may, in words. */
export function dearer(counted, known = JSON.parse(readFileSync(accepted, "utf8"))) {
  return Object.entries(counted)
    .filter(([name, now]) => known[name] === undefined || now > known[name] * tolerance)
    .map(([name, now]) => `${name}: ${known[name] ?? "not known yet"} → ${now}`);
}

/** How to take the numbers over, if they are meant. */
export const cure = "If it is meant: `node bench/instructions.mjs --accept`, and commit bench/instructions.json.";

if (process.argv[1] === at("bench", "instructions.mjs")) {
  main(async () => {
    heading("Instructions, as a multiple of serde_json's");
    const counted = await count();
    for (const [name, now] of Object.entries(counted)) say(`${name}: ${now}`);
    if (process.argv.includes("--accept")) {
      writeFileSync(accepted, `${JSON.stringify(counted, undefined, 2)}\n`);
      return;
    }
    const list = dearer(counted);
    if (list.length > 0) throw new Problem(`The core became dearer:\n${list.join("\n")}\n${cure}`);
  });
}

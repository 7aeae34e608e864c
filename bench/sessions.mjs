// Lets a build of the core that measures itself read what it is made for, live sessions most of all:
// `node bench/sessions.mjs native MODULE`, which writes what it measured when it ends, or
// `node bench/sessions.mjs wasm GLUE MODULE START LENGTH OUTPUT`, whose counts are in that place of its memory.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { at } from "../scripts/shell.mjs";
import { channelOf, corpora, corpus } from "./corpus.mjs";
import { slices } from "./measure.mjs";

const [, , build, module, ...more] = process.argv;
const isNative = build === "native";
const core = isNative ? createRequire(import.meta.url)(module) : await import(pathToFileURL(module).href);
const { ContractChecker, Machine, Transcript } = core;

/** So much of each session is read: all that there is, several times. */
const size = 4_000_000;

function live({ agent, kind }) {
  const all = slices(corpus(agent, kind, size));
  const open = (includeRaw) => new Machine({ agent, sessionId: "session", includeRaw, connection: false }, "packed");
  const [events, lines, withRaw] = [open(false), open(false), open(true)];
  for (const { bytes } of all) {
    events.receive(bytes, channelOf(agent), 0);
    lines.relay(bytes, channelOf(agent), 0);
  }
  for (const { bytes } of all.slice(0, all.length / 8)) withRaw.receive(bytes, channelOf(agent), 0);
}

/** All files in a folder. */
function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** A transcript of these files, as `convert` reads it. */
function convert(files) {
  const transcript = new Transcript({ includeRaw: true }, "ndjson");
  const events = [];
  const bytes = files.map((file) => readFileSync(file));
  for (const [index, file] of files.entries()) events.push(transcript.push(file, bytes[index]));
  events.push(transcript.plan());
  for (const { file, start, end } of JSON.parse(transcript.stretches())) {
    events.push(transcript.feed(bytes[file].subarray(start, end)));
  }
  events.push(transcript.end());
  return Buffer.concat(events.map((piece) => Buffer.from(piece)));
}

function check(events) {
  const checker = new ContractChecker();
  for (const event of events.toString().split("\n").filter(Boolean)) checker.json(event);
  checker.breaks();
}

const [counting, start, length, output] = more;
const wasm = isNative ? undefined : core.initSync({ module: readFileSync(counting) });
corpora.forEach(live);
for (const agent of new Set(corpora.map(({ agent }) => agent))) {
  const fixtures = at("tests", "fixtures", agent);
  for (const file of filesIn(join(fixtures, "recordings"))) check(convert([file]));
  for (const name of readdirSync(join(fixtures, "stored"))) {
    // Databases are not read here.
    convert(filesIn(join(fixtures, "stored", name)).filter((file) => /\.jsonl?$/.test(file)));
  }
}
if (wasm !== undefined) writeFileSync(output, new Uint8Array(wasm.memory.buffer, Number(start), Number(length)));

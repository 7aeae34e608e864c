// The benchmark runs, its sessions are what they say, and the README shows what it measured.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { check, openSession } from "interlinear";
import { channelOf, corpora, corpus, session } from "../../bench/corpus.mjs";
import { Claude } from "../../bench/plain/claude.mjs";
import { Codex } from "../../bench/plain/codex.mjs";
import { at } from "../../scripts/shell.mjs";

const size = 400_000;

function read({ agent, kind }) {
  const machine = openSession({ agent, sessionId: "s", now: () => 0 });
  const bytes = Buffer.from(`${corpus(agent, kind, size).join("\n")}\n`);
  return { bytes, events: machine.receive(bytes, channelOf(agent)), stats: machine.stats() };
}

for (const { agent, kind } of corpora) {
  test(`the ${kind} session of ${agent} is one that the agent could have written`, () => {
    const { events, stats } = read({ agent, kind });
    assert.equal(stats.unparsed, 0);
    assert.deepEqual(stats.drift, []);
    assert.deepEqual(check(events), []);
    const late = stats.kinds.reduce((sum, { ignored }) => sum + (ignored.late ?? 0), 0);
    assert.ok(late < stats.lines / 100, `${late} of ${stats.lines} lines are late`);
    const deltas = events.filter(({ type }) => type === "item.delta").length;
    if (kind === "delta") assert.ok(deltas > stats.lines * 0.85, `${deltas} deltas in ${stats.lines} lines`);
  });
}

for (const agent of new Set(corpora.map(({ agent }) => agent))) {
  test(`of what is over, a session of ${agent} keeps hashes only`, () => {
    const lines = session(agent, "bulk");
    const machine = openSession({ agent, sessionId: "s", now: () => 0 });
    const feed = (count) => {
      const texts = Array.from({ length: count }, () => lines.next().value);
      machine.relay(`${texts.join("\n")}\n`, channelOf(agent));
      return { state: machine.snapshot().length, items: machine.stats().events["item.started"] };
    };
    const [before, after] = [feed(3_000), feed(12_000)];
    const kept = (after.state - before.state) / (after.items - before.items);
    // Messages, parts and requests have identifiers too.
    assert.ok(kept < 32, `${kept} bytes for each item`);
  });
}

for (const [agent, Converter] of Object.entries({ claude: Claude, codex: Codex })) {
  test(`the plain converter of ${agent} gives the same deltas`, () => {
    const { bytes, events } = read({ agent, kind: "delta" });
    const isText = ({ type, data }) => type === "item.delta" && data.part_type === undefined;
    const deltas = (list) => list.filter(isText).map(({ data }) => data.delta);
    const plain = deltas(new Converter().receive(bytes));
    const ours = deltas(events);
    assert.ok(plain.length > ours.length * 0.95, `${plain.length} of ${ours.length} deltas`);
    const known = new Set(ours);
    assert.deepEqual(
      plain.filter((delta) => !known.has(delta)),
      [],
    );
  });
}

test("the benchmark runs", () => {
  const output = execFileSync(process.execPath, [at("bench", "main.mjs"), "--quick"], { encoding: "utf8" });
  for (const { agent } of corpora) assert.match(output, new RegExp(`lines: ${agent}, wasm`));
  assert.match(output, /\| Pi \| delta-heavy \| [\d.]+ [✓✗] \| [\d.]+ [✓✗] \|/);
  assert.match(output, /The first event/);
});

test("the README quotes the results", () => {
  const readme = readFileSync(at("README.md"), "utf8");
  const [, quoted] = readme.split(/<!-- \/?bench\/RESULTS\.md -->\n/);
  assert.ok(quoted.includes("| Amp |"));
  assert.ok(readFileSync(at("bench", "RESULTS.md"), "utf8").includes(quoted.trim()));
});

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { check } from "interlinear";
import { bytesOf, eventsOf, interlinear, recording, shell } from "./run.mjs";

const scratch = mkdtempSync(join(tmpdir(), "interlinear-test-"));
after(() => rmSync(scratch, { recursive: true, force: true }));

/** Runs jq over a file, as the format's reference shows it. */
const jq = (filter, file, ...flags) => execFileSync("jq", [...flags, filter, file], { encoding: "utf8" });

/** A session with tools, as one exchange transcript. */
async function transcript(name) {
  const { code, stdout } = await interlinear(["convert", "-q", "--to", "exchange", recording(name)]);
  assert.equal(code, 0);
  const file = join(scratch, `${name}.jsonl`);
  writeFileSync(file, stdout);
  return file;
}

describe("convert --to exchange", () => {
  test("jq finds calls with their results, texts, steps and fidelity in what is written", async () => {
    const file = await transcript("parallel_tools");
    assert.equal(jq("[.[].seq] | . == (sort)", file, "-s").trim(), "true");
    const pairs = JSON.parse(
      jq(
        `[.[] | select(.type == "tool.call" or .type == "tool.result")] | group_by(.payload.call_id)
         | map({ call_id: .[0].payload.call_id, name: .[0].payload.name,
                 input: (map(select(.type == "tool.call"))[0].payload.input),
                 output: (map(select(.type == "tool.result"))[0].payload.output) })`,
        file,
        "-s",
      ),
    );
    assert.ok(pairs.length >= 2);
    for (const { name, input, output } of pairs) {
      assert.equal(typeof name, "string");
      assert.equal(typeof input, "object");
      assert.equal(typeof output, "string");
    }
    const texts = jq(
      'select(.type == "message.assistant") | .payload.blocks[] | select(.type == "text") | .text',
      file,
      "-r",
    );
    assert.notEqual(texts.trim(), "");
    const steps = jq(
      'select(.type == "step.started") | "\\(.seq)\\t\\(.path)\\t\\(.payload.kind)\\t\\(.payload.name)"',
      file,
      "-r",
    );
    assert.match(steps, /^\d+\tturn\tagent\tturn$/m);
    const fidelity = JSON.parse(
      jq(
        '[.[] | select(.type == "tool.call")] | group_by(.payload.fidelity) | map({fidelity: .[0].payload.fidelity, count: length})',
        file,
        "-s",
      ),
    );
    assert.deepEqual(fidelity, [{ fidelity: "agent_emitted", count: pairs.length }]);
  });

  test("--out gives every run a file of its own that only its owner may read, linked both ways", async () => {
    const out = join(scratch, "runs");
    const { code } = await interlinear(["convert", "-q", "--to", "exchange", "--out", out, recording("subagent")]);
    assert.equal(code, 0);
    const files = readdirSync(out).map((name) => join(out, name));
    assert.ok(files.length >= 2);
    const runs = files.map((file) => readFileSync(file, "utf8").trim().split("\n").map(JSON.parse));
    const parent = runs.find(([first]) => first.parent_run_id === undefined);
    const called = parent.filter(({ type }) => type === "step.call_workflow.started").map((line) => line.child_run_id);
    const children = runs.filter((run) => run !== parent);
    assert.deepEqual(called.sort(), children.map(([first]) => first.run_id).sort());
    for (const [index, run] of runs.entries()) {
      assert.deepEqual(
        run.map(({ seq }) => seq),
        run.map((_, at) => at + 1),
      );
      assert.equal(statSync(files[index]).mode & 0o777, 0o600);
    }
    const listed = jq(
      'select(.type == "step.call_workflow.started") | .child_run_id',
      files[runs.indexOf(parent)],
      "-r",
    );
    assert.deepEqual(listed.trim().split("\n").sort(), called);

    const back = await interlinear(["convert", out]);
    const events = eventsOf(back.stdout);
    assert.equal(back.code, 0);
    assert.match(back.stderr, /exchange transcript: \d+ lines → \d+ events/);
    assert.deepEqual(check(events), []);
    assert.equal(new Set(events.map(({ session_id }) => session_id)).size, 1);
    assert.ok(events.some(({ data }) => data.item?.agent_id !== undefined));
  });

  test("--out never adds to a run that is there: it is refused with a cure, and left as it is", async () => {
    const out = join(scratch, "again");
    const to = (...inputs) => interlinear(["convert", "--to", "exchange", "--out", out, ...inputs]);
    const contents = () => readdirSync(out).map((name) => readFileSync(join(out, name), "utf8"));
    assert.equal((await to(recording("hello"))).code, 0);
    const before = contents();
    const { code, stderr } = await to(recording("hello"));
    assert.equal(code, 2);
    assert.match(stderr, /again\/.*\.jsonl: this run is there already\. Choose another folder with --out/);
    assert.doesNotMatch(stderr, /this is a bug/);
    assert.deepEqual(contents(), before);
    // Another recording is another session, by whichever call it comes.
    assert.equal((await to(recording("parallel_tools"))).code, 0);
    assert.equal(contents().length, before.length + 1);
  });

  test("--out keeps inputs of one call apart, and one that is refused costs the others nothing", async () => {
    const out = join(scratch, "apart");
    for (const folder of ["a", "b"]) mkdirSync(join(scratch, folder));
    const copies = { "a/same.jsonl": "hello", "b/same.jsonl": "subagent", "last.jsonl": "parallel_tools" };
    for (const [copy, name] of Object.entries(copies)) writeFileSync(join(scratch, copy), bytesOf(recording(name)));
    const inputs = Object.keys(copies).map((copy) => join(scratch, copy));
    const { code, stderr } = await interlinear(["convert", "--to", "exchange", "--out", out, inputs[0], ...inputs]);
    assert.equal(code, 2);
    assert.equal(stderr.match(/this run is there already/g).length, 1);
    const runs = readdirSync(out).map((name) =>
      readFileSync(join(out, name), "utf8").trim().split("\n").map(JSON.parse),
    );
    assert.equal(runs.filter(([first]) => first.parent_run_id === undefined).length, 3);
    for (const run of runs) {
      assert.deepEqual(
        run.map(({ seq }) => seq),
        run.map((_, at) => at + 1),
      );
    }
  });

  test("--out where there is no room says so, and leaves no half of a run", async () => {
    const full = join(scratch, "full");
    const convert = `$interlinear convert --to exchange --out ${full} ${recording("parallel_tools")}`;
    const { code, stderr } = await shell(`ulimit -f 1; ${convert}`);
    assert.equal(code, 2, stderr);
    assert.match(stderr, /full\/.*\.jsonl: it cannot be written \(EFBIG.*\)\. Make room, or choose another folder/);
    assert.deepEqual(readdirSync(full), []);
  });

  test("--out without --to exchange is a mistake that is told", async () => {
    const { code, stderr } = await interlinear(["convert", "--out", scratch, recording("hello")]);
    assert.equal(code, 2);
    assert.match(stderr, /--out goes with --to exchange/);
  });
});

describe("convert of an exchange transcript", () => {
  test("it is told by its first line, from a file and through a pipe", async () => {
    const file = await transcript("hello");
    assert.match((await interlinear(["detect", file])).stdout, /hello\.jsonl: exchange transcript\n/);
    const fromFile = await interlinear(["convert", "-q", file]);
    const fromPipe = await interlinear(["convert", "-q", "--raw"], { input: readFileSync(file) });
    const [events, withRaw] = [eventsOf(fromFile.stdout), eventsOf(fromPipe.stdout)];
    assert.deepEqual(check(events), []);
    assert.ok(events.some(({ data }) => data.item?.role === "assistant"));
    assert.deepEqual(
      withRaw.map((event) => ({ ...event, raw: null })),
      events,
    );
    assert.ok(withRaw.some(({ raw }) => raw?.type === "message.assistant"));
  });

  test("an unknown type is kept and told, a broken line costs no neighbour", async () => {
    const file = await transcript("hello");
    const lines = readFileSync(file, "utf8").trim().split("\n");
    const later = JSON.stringify({ ...JSON.parse(lines[1]), type: "step.paused", payload: { why: "later" } });
    const { stdout, stderr } = await interlinear(["convert"], {
      input: [lines[0], later, '{"seq": ', ...lines.slice(1)].join("\n"),
    });
    const events = eventsOf(stdout);
    assert.match(stderr, /unknown: event step\.paused, 1 unparsed/);
    assert.ok(events.some(({ data }) => data.item?.kind === "unknown"));
    assert.ok(events.some(({ type }) => type === "agent.unparsed"));
    assert.ok(events.some(({ data }) => data.item?.role === "assistant"));
  });
});

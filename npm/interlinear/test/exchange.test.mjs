// Exchange transcripts in both directions, as a program calls for them; tests/cli has the command line.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { check, convert, InterlinearError } from "interlinear";
import { ExchangeReader, ExchangeWriter, fromExchange, initExchange, toExchange } from "interlinear/exchange";

const recording = (name) =>
  readFileSync(new URL(`../../../tests/fixtures/claude/recordings/${name}.jsonl`, import.meta.url));
const lines = (bytes) => new TextDecoder().decode(bytes).trimEnd().split("\n").map(JSON.parse);
const said = (events) =>
  events
    .filter(({ type, data }) => type === "item.completed" && data.item.kind === "message")
    .map(({ data }) => [data.item.role, data.item.content.map(({ text }) => text).join("")]);

test("nothing is read or written before the module is loaded, and the error says what to do", () => {
  const script = `import { ExchangeReader, ExchangeWriter } from "interlinear/exchange";
    const thrown = [ExchangeReader, ExchangeWriter].map((Class) => {
      try { return new Class(); } catch ({ name, code, cure }) { return { name, code, cure }; }
    });
    process.stdout.write(JSON.stringify(thrown));`;
  const cwd = fileURLToPath(new URL(".", import.meta.url));
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", script], { cwd });
  assert.equal(stderr.toString(), "");
  const error = { name: "InterlinearError", code: "not_initialized", cure: "Call `await initExchange()` first." };
  assert.deepEqual(JSON.parse(stdout), [error, error]);
});

test("events become an exchange transcript, and that becomes events again", async () => {
  const events = convert(recording("parallel_tools"));
  const transcript = await toExchange(events);
  assert.deepEqual(
    lines(transcript).map(({ seq }) => seq),
    lines(transcript).map((_, at) => at + 1),
  );
  const back = await fromExchange(transcript, { sessionId: "again", includeRaw: true });
  assert.deepEqual(check(back), []);
  assert.deepEqual(said(back), said(events));
  assert.ok(back.every(({ session_id }) => session_id === "again"));
  assert.ok(back.some(({ raw }) => raw?.type === "tool.call"));
  assert.deepEqual(
    await fromExchange(new TextDecoder().decode(transcript)),
    await fromExchange([{ name: "run.jsonl", bytes: transcript }]),
  );
});

test("runs in files of their own become one session", async () => {
  const transcript = await toExchange(convert(recording("subagent")), { filePerRun: true });
  const runs = new Map();
  for (const line of lines(transcript)) {
    assert.equal(line.seq, (runs.get(line.run_id)?.length ?? 0) + 1);
    runs.set(line.run_id, [...(runs.get(line.run_id) ?? []), line]);
  }
  assert.ok(runs.size >= 2);
  const files = Array.from(runs, ([id, run]) => ({
    name: `${id}.jsonl`,
    bytes: run.map((line) => `${JSON.stringify(line)}\n`).join(""),
  }));
  const events = await fromExchange(files);
  assert.deepEqual(check(events), []);
  assert.equal(new Set(events.map(({ session_id }) => session_id)).size, 1);
  assert.ok(events.some(({ data }) => data.item?.agent_id !== undefined));
});

test("what is no event is refused, and what became of the lines is told", async () => {
  await assert.rejects(
    toExchange([{ type: "nothing" }]),
    (error) => error instanceof InterlinearError && error.code === "bad_event",
  );
  await initExchange();
  const [writer, reader] = [new ExchangeWriter(), new ExchangeReader()];
  const events = convert(recording("hello")).map((event) => `${JSON.stringify(event)}\n`);
  reader.push("", writer.push(events.join("")));
  reader.push("", "{");
  reader.end();
  const { lines, unknown, unparsed } = reader.counts();
  assert.ok(lines > 3);
  assert.deepEqual({ unknown, unparsed }, { unknown: {}, unparsed: 1 });
  writer.free();
  reader.free();
});

test("a reader and a writer that were disposed of say so, and may be disposed of again", async () => {
  await initExchange();
  const [reader, writer] = [new ExchangeReader(), new ExchangeWriter()];
  for (const used of [reader, reader, writer, writer]) used.free();
  for (const use of [
    () => reader.push("a", "{}"),
    () => reader.missing(),
    () => reader.end(),
    () => reader.counts(),
    () => writer.push("{}"),
    () => writer.end(),
  ]) {
    assert.throws(use, { name: "InterlinearError", code: "disposed", cure: /disposed/ });
  }
});

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { runInNewContext } from "node:vm";
import { agents, check, convert, detect, InterlinearError, openTranscript, relay, trace, version } from "interlinear";

const project = new URL("../../../", import.meta.url);
const recording = readFileSync(new URL("tests/fixtures/claude/recordings/edit_file.jsonl", project));
const events = convert(recording);

test("text, bytes and a list of files give the same events", () => {
  assert.ok(events.length > 0);
  assert.deepEqual(convert(recording.toString()), events);
  assert.deepEqual(convert([{ name: "", bytes: recording }]), events);
  assert.deepEqual(convert(recording, { agent: "auto" }), events);
  assert.deepEqual(convert(recording, { agent: "claude", sessionId: undefined }), events);
});

test("the session can be named", () => {
  assert.ok(convert(recording, { sessionId: "mine" }).every(({ session_id }) => session_id === "mine"));
});

for (const backend of ["native", "wasm"]) {
  test(`a branch of a session that is a tree can be asked for: ${backend}`, () => {
    const script = `import { readFileSync } from "node:fs";
      import { backend, convert } from "interlinear";
      const [file, branch] = process.argv.slice(1);
      const done = convert(readFileSync(file), { branch }).filter(({ type }) => type === "item.completed");
      const texts = done.filter(({ data }) => data.item.role === "assistant").map(({ data }) => data.item.content[0].text);
      process.stdout.write(JSON.stringify([backend(), texts.at(-1)]));`;
    const cwd = fileURLToPath(new URL(".", import.meta.url));
    const file = fileURLToPath(
      new URL("tests/fixtures/pi/stored/session-branched-tree/session-branched-tree.jsonl", project),
    );
    const last = (...branch) => {
      const args = ["--input-type=module", "--eval", script, file, ...branch];
      return JSON.parse(
        execFileSync(process.execPath, args, { cwd, env: { ...process.env, INTERLINEAR_BACKEND: backend } }),
      );
    };
    assert.deepEqual(last(), [backend, "And the set version."]);
    assert.deepEqual(last("0dde4d0d"), [backend, "Here is the array version."]);
    assert.deepEqual(last("c85ff9c6"), [backend, "Here is the map version."]);
  });
}

test("relay gives the bytes of the same events, one a line", () => {
  const lines = new TextDecoder().decode(relay(recording)).trimEnd().split("\n");
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)),
    events,
  );
});

test("trace shows every line with its events, and loses neither", () => {
  const lines = trace(recording);
  assert.deepEqual(
    lines.flatMap((line) => line.events),
    events,
  );
  const numbers = lines.flatMap(({ line }) => (line === undefined ? [] : [line]));
  assert.deepEqual(
    numbers,
    numbers.map((_, index) => index + 1),
  );
  assert.ok(
    lines.every(({ line, text, outcome }) => line === undefined || (text !== undefined && outcome !== undefined)),
  );
});

test("a transcript can be read chunk by chunk", () => {
  const transcript = openTranscript("events");
  const output = [];
  for (let at = 0; at < recording.length; at += 1000) {
    output.push(...transcript.push("", recording.subarray(at, at + 1000)));
  }
  const plan = transcript.plan();
  output.push(...plan.output, ...transcript.end());
  assert.deepEqual(plan.stretches, []);
  assert.deepEqual(output, events);
  assert.equal(transcript.detection().agent, "claude");
  assert.ok(transcript.stats().lines > 0);
  transcript.free();
});

test("detect tells what a transcript is", () => {
  const { agent, recording: both } = detect(recording.subarray(0, 65536));
  assert.equal(agent, "claude");
  assert.equal(both, true);
});

test("what cannot be told is refused with a code and a cure that names the agent", () => {
  for (const run of [() => detect("what is this?"), () => convert("what is this?")]) {
    assert.throws(
      run,
      (error) => error instanceof InterlinearError && error.code === "unknown_format" && /agent/.test(error.cure),
    );
  }
});

for (const backend of ["native", "wasm"]) {
  test(`what is no input is refused with a code and a cure, and is no crash: ${backend}`, () => {
    const script = `import { check, convert, detect, openSession, openTranscript, restore } from "interlinear";
      const thrown = (run) => { try { run(); } catch ({ code, message, cure }) { return { code, message, cure }; } };
      const circle = {};
      circle.of = circle;
      const session = openSession({ agent: "claude" });
      const [open, freed] = [openTranscript("events"), openTranscript("events")];
      freed.free();
      const refused = [
        ...[undefined, new ArrayBuffer(8), { name: "a", bytes: "b" }, ["{}"], [{ name: "a" }], Promise.resolve("")]
          .map((input) => () => convert(input)),
        () => detect(null),
        () => session.receive(7),
        () => session.relay(new Uint16Array(8)),
        () => restore(undefined),
        () => open.push("a", undefined),
        () => openSession({ agent: "claude", metadata: circle }),
      ].map(thrown);
      const own = thrown(() => check((function* () { throw Object.assign(new Error("mine"), { code: "own" }); })()));
      const over = [() => freed.push("a", new Uint8Array(8)), () => freed.end()].map(thrown);
      const breaks = check([undefined]).length;
      process.stdout.write(JSON.stringify({ refused, own, over, breaks, goesOn: session.end().length > 0 }));`;
    const cwd = fileURLToPath(new URL(".", import.meta.url));
    const env = { ...process.env, INTERLINEAR_BACKEND: backend };
    const output = execFileSync(process.execPath, ["--input-type=module", "--eval", script], { cwd, env });
    const { refused, own, over, breaks, goesOn } = JSON.parse(output);
    for (const { code, cure } of refused) assert.ok(["bad_input", "bad_options"].includes(code) && cure !== "", code);
    assert.match(refused[1].message, /ArrayBuffer/);
    assert.match(refused[1].cure, /new Uint8Array/);
    assert.equal(own.message, "mine");
    for (const { code } of over) assert.equal(code, "disposed");
    assert.ok(breaks > 0 && goesOn);
  });
}

test("bytes of another context are bytes", () => {
  const other = runInNewContext("Uint8Array").from(recording);
  assert.ok(!(other instanceof Uint8Array));
  assert.deepEqual(convert(other), events);
});

test("what a transcript gives keeps the contract", () => {
  assert.deepEqual(check(events), []);
});

test("events that break the contract are found", () => {
  const [started, ...rest] = events;
  const breaks = check([{ ...started, sequence: 7 }, ...rest]);
  assert.ok(breaks.length > 0);
  assert.equal(breaks[0].rule, 1);
});

test("the agents are named", () => {
  assert.ok(agents().includes("claude"));
});

test("the core has the version of the package", () => {
  const { version: expected } = JSON.parse(readFileSync(new URL("npm/interlinear/package.json", project), "utf8"));
  assert.equal(version(), expected);
});

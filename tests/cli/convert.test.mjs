import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { after, describe, test } from "node:test";
import {
  bytesOf,
  command,
  eventsOf,
  finish,
  interlinear,
  recording,
  root,
  shell,
  start,
  stored,
  streamOf,
} from "./run.mjs";

const scratch = mkdtempSync(join(tmpdir(), "interlinear-test-"));
after(() => rmSync(scratch, { recursive: true, force: true }));

/** The kinds of what stands in a list of events. */
const types = (events) => [...new Set(events.map((event) => event.type))];

describe("convert", () => {
  test("a recording becomes events, one a line, with a summary on standard error", async () => {
    const { code, stdout, stderr } = await interlinear(["convert", recording("hello")]);
    const events = eventsOf(stdout);
    assert.equal(code, 0);
    assert.equal(events[0].type, "session.started");
    assert.equal(events.at(-1).type, "session.ended");
    assert.match(stderr, /hello\.jsonl: claude 2\.1\.197, live, recording: 4 lines → \d+ events/);
  });

  test("--quiet leaves the summary out", async () => {
    const { stderr } = await interlinear(["convert", "--quiet", recording("hello")]);
    assert.equal(stderr, "");
  });

  test("a stream through a pipe gives what the file gives", async () => {
    const stream = streamOf(recording("parallel_tools_partial")).join("");
    const file = join(scratch, "stream.jsonl");
    writeFileSync(file, stream);
    const fromFile = await interlinear(["convert", "-q", file]);
    const fromPipe = await interlinear(["convert", "-q"], { input: stream });
    const fromDash = await interlinear(["convert", "-q", "-"], { input: stream });
    assert.ok(eventsOf(fromFile.stdout).length > 10);
    assert.equal(fromPipe.stdout, fromFile.stdout);
    assert.equal(fromDash.stdout, fromFile.stdout);
  });

  test("a stored session through a pipe is read twice all the same, and leaves nothing behind", async () => {
    const folder = stored("tty_session");
    const [name] = readdirSync(new URL(`../../${folder}`, import.meta.url));
    const fromFile = await interlinear(["convert", "-q", `${folder}/${name}`]);
    const fromPipe = await interlinear(["convert", "-q"], {
      input: bytesOf(`${folder}/${name}`),
      env: { TMPDIR: scratch },
    });
    assert.equal(fromPipe.code, 0);
    assert.deepEqual(
      eventsOf(fromPipe.stdout).map((event) => event.type),
      eventsOf(fromFile.stdout).map((event) => event.type),
    );
    assert.deepEqual(
      readdirSync(scratch).filter((entry) => entry.startsWith("interlinear-")),
      [],
    );
  });

  test("a session's own folder is read with its file", async () => {
    const folder = stored("subagent");
    const [name] = readdirSync(new URL(`../../${folder}`, import.meta.url)).filter((entry) => entry.endsWith(".jsonl"));
    const alone = await interlinear(["convert", "-q", `${folder}/${name}`]);
    const whole = await interlinear(["convert", "-q", folder]);
    const inner = eventsOf(alone.stdout).filter((event) => event.data.item?.agent_id !== undefined);
    assert.ok(inner.length > 0);
    assert.equal(whole.stdout, alone.stdout);
  });

  test("a folder gives every session in it", async () => {
    const { code, stdout, stderr } = await interlinear(["convert", stored("resume")]);
    assert.equal(code, 0);
    assert.equal(new Set(eventsOf(stdout).map((event) => event.session_id)).size, 2);
    assert.equal(stderr.trim().split("\n").length, 2);
  });

  test("a folder may hold any number of documents", { timeout: 60_000 }, async () => {
    const folder = mkdtempSync(join(scratch, "documents-"));
    for (const name of ["session", "message"]) mkdirSync(join(folder, name));
    for (let at = 0; at < 20_000; at += 1) writeFileSync(join(folder, "message", `${at}.json`), "{}");
    // With so small a stack, as many are too many for the arguments of a call as a hundred thousand with a common one.
    const { code, stderr } = await finish(start(["detect", folder], { node: ["--stack-size=100"] }));
    rmSync(folder, { recursive: true });
    assert.equal(code, 2);
    assert.match(stderr, /not the transcript of a known agent/);
  });

  test("links to files in a folder are read as the files are", async () => {
    const folder = mkdtempSync(join(scratch, "links-"));
    symlinkSync(resolve(root, recording("hello")), join(folder, "linked.jsonl"));
    symlinkSync(folder, join(folder, "round"));
    const { code, stdout } = await interlinear(["detect", folder]);
    assert.equal(code, 0);
    assert.match(stdout, /linked\.jsonl: claude.*\n$/);
  });

  test("streams in a folder are sessions of their own, and together they keep the contract", async () => {
    const folder = mkdtempSync(join(scratch, "streams-"));
    for (const path of ["hello.jsonl", "unicode.jsonl", "more/hello.jsonl"]) {
      mkdirSync(join(folder, dirname(path)), { recursive: true });
      writeFileSync(join(folder, path), bytesOf(recording(basename(path, ".jsonl"))));
    }
    const { stdout } = await interlinear(["convert", "-q", folder]);
    const sessions = [...new Set(eventsOf(stdout).map((event) => event.session_id))];
    assert.deepEqual(sessions, [join(folder, "hello"), "unicode", join(folder, "more", "hello")]);
    assert.equal((await interlinear(["check"], { input: stdout })).code, 0);
  });

  test("a folder beside a stream is not taken for a part of it", async () => {
    const folder = mkdtempSync(join(scratch, "beside-"));
    writeFileSync(join(folder, "hello.jsonl"), bytesOf(recording("hello")));
    mkdirSync(join(folder, "hello"));
    writeFileSync(join(folder, "hello", "notes.jsonl"), bytesOf(recording("unicode")));
    const { stdout } = await interlinear(["convert", "-q", join(folder, "hello.jsonl")]);
    assert.equal(stdout, (await interlinear(["convert", "-q", recording("hello")])).stdout);
  });

  test("--raw puts into each event what caused it", async () => {
    const [plain, raw] = await Promise.all(
      ["", "--raw"].map((option) => interlinear(["convert", "-q", ...(option ? [option] : []), recording("hello")])),
    );
    assert.ok(eventsOf(plain.stdout).every((event) => event.raw === null));
    const answer = eventsOf(raw.stdout).find(
      (event) => event.type === "item.completed" && event.data.item.role === "assistant",
    );
    assert.match(JSON.stringify(answer.raw), /Hello! I am ready/);
  });

  test("both builds of the core write the same bytes", async () => {
    const [native, wasm] = await Promise.all(
      ["native", "wasm"].map((build) =>
        interlinear(["convert", "-q", recording("subagent_parallel")], { env: { INTERLINEAR_BACKEND: build } }),
      ),
    );
    assert.ok(types(eventsOf(native.stdout)).length > 5);
    assert.equal(wasm.stdout, native.stdout);
  });
});

describe("what cannot be read", () => {
  test("a file that no agent wrote is exit code 2, and the cure is named", async () => {
    const file = join(scratch, "shopping.jsonl");
    writeFileSync(file, '{"milk":2}\n{"bread":1}\n');
    const { code, stdout, stderr } = await interlinear(["convert", file]);
    assert.deepEqual([code, stdout], [2, ""]);
    assert.match(stderr, /shopping\.jsonl/);
    assert.match(stderr, /--agent claude/);
    assert.doesNotMatch(stderr, /at .*\.js:/);
  });

  test("a file that is not there is exit code 2", async () => {
    const { code, stderr } = await interlinear(["convert", "never.jsonl"]);
    assert.equal(code, 2);
    assert.match(stderr, /never\.jsonl: there is no such file/);
  });

  test("it does not keep others that are named with it from being read", async () => {
    const { code, stdout, stderr } = await interlinear(["convert", "never.jsonl", recording("hello"), "nowhere"]);
    assert.equal(code, 2);
    assert.match(stderr, /never\.jsonl: there is no such file.*nowhere: there is no such file/s);
    assert.match(stderr, /hello\.jsonl: claude/);
    const events = eventsOf(stdout);
    assert.deepEqual([events[0].session_id, events.at(-1).type], ["hello", "session.ended"]);
  });

  test("in a folder it does not keep the others from being read", async () => {
    const folder = mkdtempSync(join(scratch, "mixed-"));
    writeFileSync(join(folder, "a-shopping.jsonl"), '{"milk":2}\n');
    writeFileSync(join(folder, "b-hello.jsonl"), bytesOf(recording("hello")));
    const { code, stdout, stderr } = await interlinear(["convert", folder]);
    assert.equal(code, 2);
    assert.match(stderr, /a-shopping\.jsonl/);
    assert.equal(eventsOf(stdout)[0].type, "session.started");
  });

  test("a file or a pipe with nothing in it is told as such", async () => {
    const file = join(scratch, "nothing.jsonl");
    writeFileSync(file, "");
    for (const args of [["convert", file], ["show", file], ["check", file], ["detect", file], ["convert"]]) {
      const { code, stderr } = await interlinear(args, { input: "" });
      assert.equal(code, 2);
      assert.match(stderr, /^interlinear: .*(nothing\.jsonl|stdin): there is nothing in it\n$/);
    }
  });

  test("what only looks like a subagent's file beside a session is left alone", { timeout: 30_000 }, async () => {
    const folder = mkdtempSync(join(scratch, "beside-"));
    const file = join(folder, "s.jsonl");
    writeFileSync(file, bytesOf(recording("hello")));
    mkdirSync(join(folder, "agent-folder.jsonl"));
    // Who opens it waits for ever.
    await shell(`mkfifo ${join(folder, "agent-pipe.jsonl")}`);
    for (const path of [file, folder]) {
      const { code, stdout, stderr } = await interlinear(["detect", path]);
      assert.deepEqual([code, stderr], [0, ""]);
      assert.match(stdout, /s\.jsonl: claude/);
    }
  });

  test("what may not be looked into in a folder is named, and does not keep the others from being read", async () => {
    const folder = mkdtempSync(join(tmpdir(), "interlinear-locked-"));
    after(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(join(folder, "hello.jsonl"), bytesOf(recording("hello")));
    for (const name of ["locked", "below", join("below", "locked")]) mkdirSync(join(folder, name));
    for (const path of [folder, join(folder, "below")]) chmodSync(path, 0o755);
    for (const name of ["locked", join("below", "locked")]) chmodSync(join(folder, name), 0);
    // There is no door that is locked for root.
    const nobody = process.getuid() === 0 ? { uid: 65534, gid: 65534 } : {};
    const detect = (path) => finish(spawn(process.execPath, [command, "detect", path], nobody));
    const { code, stdout, stderr } = await detect(folder);
    assert.deepEqual([code, stdout], [2, `${join(folder, "hello.jsonl")}: claude 2.1.197, live, recording\n`]);
    for (const name of ["locked", join("below", "locked")]) {
      assert.ok(stderr.includes(`${join(folder, name)}: it may not be read by you`), stderr);
    }
    const alone = await detect(join(folder, "below"));
    assert.equal(alone.code, 2);
    assert.match(alone.stderr, /^interlinear: .*below\/locked: it may not be read by you.*\n$/);
  });

  test("a folder without transcripts is exit code 2", async () => {
    const { code, stderr } = await interlinear(["convert", mkdtempSync(join(scratch, "empty-"))]);
    assert.equal(code, 2);
    assert.match(stderr, /no \.jsonl or \.json file/);
  });

  test("a megabyte of noise gets an answer", async () => {
    const noise = Buffer.alloc(1024 * 1024, 0).map((_, at) => (at * 2654435761) >>> 13);
    for (const agent of ["auto", "claude"]) {
      const { code, stderr } = await interlinear(["convert", "--agent", agent], { input: noise });
      assert.equal(code, agent === "auto" ? 2 : 0, stderr);
    }
  });
});

describe("pipes", () => {
  test("a reader that has seen enough ends it quietly", async () => {
    const { code, stdout, stderr } = await shell(
      "set -o pipefail; $interlinear convert -q tests/fixtures/claude/recordings | head -1",
    );
    assert.equal(code, 0);
    assert.equal(eventsOf(stdout).length, 1);
    assert.equal(stderr, "");
  });

  test("where there is no room for the output, it is exit code 2 and says so", async () => {
    for (const input of [recording("hello"), "tests/fixtures/claude/recordings"]) {
      const { code, stderr } = await shell(`$interlinear convert -q ${input} > /dev/full`);
      assert.equal(code, 2);
      assert.match(stderr, /^interlinear: standard output cannot be written: ENOSPC.*\nMake room.*\n$/);
    }
    assert.equal((await shell("$interlinear convert no-such-file 2> /dev/full")).code, 2);
  });

  test("a slow reader is waited for", async () => {
    const { stdout } = await shell("$interlinear convert -q tests/fixtures/claude/recordings | { sleep 1; wc -l; }");
    const direct = await shell("$interlinear convert -q tests/fixtures/claude/recordings | wc -l");
    assert.equal(stdout, direct.stdout);
    assert.ok(Number(stdout) > 1000);
  });

  test("events come out while the stream still runs", { timeout: 30_000 }, async () => {
    const child = start(["convert", "-q"]);
    const [first, ...others] = streamOf(recording("hello"));
    child.stdin.write(first);
    const [early] = await new Promise((resolve) => child.stdout.once("data", (chunk) => resolve([chunk.toString()])));
    assert.match(early, /session\.started/);
    child.stdin.end(others.join(""));
    child.stdout.resume();
    assert.equal(await new Promise((resolve) => child.on("close", resolve)), 0);
  });
});

describe("progress", () => {
  const onTerminal = (feed) => shell(`script -qec "${feed} | $interlinear convert -q > /dev/null" /dev/null`);
  const file = recording("hello");

  test("shows on standard error when it takes long and someone is there to see it", async () => {
    const { stdout } = await onTerminal(`(head -n 3 ${file}; sleep 3; tail -n +4 ${file})`);
    assert.match(stdout, /stdin: 0 MB, 0 MB\/s/);
    assert.ok(stdout.endsWith("\r\u001b[K"), "the bar is taken away at the end");
  });

  test("does not show when it is quick, or when nobody sees it", async () => {
    const quick = await onTerminal(`cat ${file}`);
    const unseen = await shell(
      `(head -n 3 ${file}; sleep 1.3; tail -n +4 ${file}) | $interlinear convert -q > /dev/null`,
    );
    assert.deepEqual([quick.stdout, unseen.stderr], ["", ""]);
  });
});

test("the stored sessions of every agent are found in its folder, whatever their files are", async () => {
  for (const agent of ["claude", "codex", "opencode", "amp", "pi"]) {
    const { code, stdout, stderr } = await interlinear(["check", `tests/fixtures/${agent}/stored`]);
    assert.equal(code, 0, stderr);
    const lines = stdout.trim().split("\n");
    assert.ok(lines.length > 10, `${agent}: ${lines.length} sessions`);
    assert.ok(
      lines.every((line) => line.endsWith("the contract is kept")),
      stdout,
    );
  }
});

describe("a folder with very many sessions", () => {
  const folder = mkdtempSync(join(tmpdir(), "interlinear-test-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const subagents = 150;
  const entry = (session, agentId) => {
    const message = { role: "user", content: "x".repeat(agentId === undefined ? 70_000 : 500) };
    const uuid = `${session}-${agentId}`;
    const kind = { type: "user", parentUuid: null, isSidechain: agentId !== undefined, userType: "external" };
    const place = { cwd: "/", sessionId: session, version: "2.0.14", timestamp: "2026-01-01T00:00:00Z", agentId };
    return `${JSON.stringify({ ...kind, ...place, uuid, message })}\n`;
  };
  for (let at = 0; at < 300; at += 1) writeFileSync(join(folder, `s${at}.jsonl`), entry(`s${at}`));
  for (let at = 0; at < subagents; at += 1) writeFileSync(join(folder, `agent-${at}.jsonl`), entry("s7", `${at}`));

  test("is read with few open files, and subagents with the session that they name", { timeout: 60_000 }, async () => {
    const { code, stderr } = await shell(`ulimit -n 128; $interlinear convert ${folder} > ${folder}/out`);
    assert.equal(code, 0, stderr);
    const sessions = stderr.trim().split("\n");
    assert.equal(sessions.length, 300);
    const [one] = sessions.filter((line) => line.includes("/s7.jsonl:"));
    assert.match(one, new RegExp(`${subagents + 1} lines`), "its subagents are read with it");
  });
});

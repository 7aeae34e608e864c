import assert from "node:assert/strict";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { PassThrough } from "node:stream";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Person } from "../../npm/interlinear/dist/cli/run/asker.js";
import { styleFor } from "../../npm/interlinear/dist/cli/show/style.js";
import { eventsOf, finish, interlinear, root, start } from "./run.mjs";

// A folder in which `claude` is a program that speaks as Claude Code does.
const folder = mkdtempSync(join(tmpdir(), "interlinear-test-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const program = fileURLToPath(new URL("../../npm/interlinear/test/host/claude.mjs", import.meta.url));
chmodSync(program, 0o755);
symlinkSync(program, join(folder, "claude"));
const env = { PATH: `${folder}:${dirname(process.execPath)}:/usr/bin:/bin` };
const run = (...args) => interlinear(["run", "claude", "--cwd", folder, ...args], { env });

test("a turn is shown as a person reads it", async () => {
  const { code, stdout } = await run("hello");
  assert.equal(code, 0);
  assert.match(stdout, /^Good day\.$/m);
});

test("a prompt may come from standard input, and events go out as JSON lines", async () => {
  const args = ["run", "claude", "--cwd", folder, "--json", "--raw"];
  const { code, stdout } = await interlinear(args, { env, input: "from a pipe" });
  assert.equal(code, 0);
  const events = eventsOf(stdout);
  assert.equal(events[0].type, "session.started");
  assert.equal(events.at(-1).type, "turn.ended");
  assert.ok(events.some(({ raw }) => raw !== null));
  assert.match(stdout, /You said from a pipe\./);
});

test("a prompt may come slowly, long after the agent has started", async () => {
  const child = start(["run", "claude", "--cwd", folder], { env });
  child.stdin.write("from a ");
  setTimeout(() => child.stdin.end("slow pipe"), 2_000);
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"]) child[name].on("data", (chunk) => (output[name] += chunk));
  const [code] = await once(child, "close");
  assert.deepEqual([code, output.stderr], [0, ""]);
  assert.match(output.stdout, /You said from a slow pipe\./);
});

test("where nobody can be asked permissions are refused, unless they are accepted beforehand", async () => {
  assert.match((await run("permission")).stdout, /● Bash rm -rf build\n {2}refused/);
  assert.match((await run("--accept", "permission")).stdout, /● Bash rm -rf build\n {2}removed/);
});

test("a recording that is kept is one that can be shown", async () => {
  const file = join(folder, "kept.jsonl");
  await run("--record", file, "hello");
  assert.equal(JSON.parse(readFileSync(file, "utf8").split("\n")[0]).agent, "claude");
  assert.match((await interlinear(["show", "-e", file])).stdout, /assistant message {2}Good day\./);
  assert.equal((await interlinear(["check", file])).code, 0);
});

test("the first Ctrl-C interrupts the turn, the second one ends the agent", async () => {
  for (const [prompt, times, expected] of [
    ["wait", 1, /^interrupted/m],
    ["deaf", 2, /^interrupted/m],
  ]) {
    const child = start(["run", "claude", "--cwd", folder, prompt], { env });
    // It runs when it has said the first thing.
    const ready = new Promise((resolve) => child.stdout.once("data", resolve));
    const finished = finish(child);
    await ready;
    for (let time = 0; time < times; time += 1) {
      child.kill("SIGINT");
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    const { code, stdout } = await finished;
    assert.equal(code, 130);
    assert.match(stdout, expected);
  }
});

test("what is wrong is said with its cure", async () => {
  const missing = await interlinear(["run", "claude", "hello"], { env: { PATH: dirname(process.execPath) } });
  assert.deepEqual([missing.code, missing.stdout], [2, ""]);
  assert.match(missing.stderr, /not installed.*\n.*npm install -g @anthropic-ai\/claude-code/);
  const nobody = await interlinear(["run", "somebody", "hello"]);
  assert.equal(nobody.code, 2);
  assert.match(nobody.stderr, /which agent\? claude, codex/);
});

test("an agent that breaks down ends the turn with the reason", async () => {
  const crashed = await run("exit");
  assert.equal(crashed.code, 1);
  assert.match(crashed.stdout, /^✗ the agent exited with code 3: line 100$/m);
  const { code, stdout } = await run("--json", "die");
  assert.equal(code, 1);
  const { type, data } = eventsOf(stdout).at(-1);
  assert.deepEqual([type, data.reason], ["session.ended", "error"]);
});

test("a file goes with the prompt under its whole path, and one that is not there is named", async () => {
  const file = join(folder, "notes.txt");
  writeFileSync(file, "remember the milk");
  // It is meant from where the command runs, and the agent works elsewhere.
  const { stdout } = await run("--json", "--file", relative(root, file), "read");
  assert.match(stdout, new RegExp(`You said read @${file}\\.`));
  const missing = await run("--file", "nowhere.txt", "hello");
  assert.equal(missing.code, 2);
  assert.match(missing.stderr, /nowhere\.txt: there is no such file/);
});

/** A person who types these lines, and what became of it. */
async function typed(lines, ask) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const replies = [];
  const session = Object.fromEntries(
    ["replyPermission", "replyQuestion", "rejectQuestion"].map((name) => [
      name,
      async (...args) => void replies.push([name, ...args.filter((value) => value !== undefined)]),
    ]),
  );
  let next = 0;
  output.on("data", (chunk) => {
    // What has no line end waits for an answer.
    if (chunk.toString().endsWith("\n")) return;
    if (next < lines.length) input.write(`${lines[next++]}\n`);
    else input.end();
  });
  await ask(new Person(styleFor(false), () => {}, input, output), session, new AbortController().signal);
  return replies;
}

test("a person allows, refuses with words, or allows for the whole session", async () => {
  const data = { permission_id: "p", action: "Bash", title: "ls", options: ["accept", "accept_for_session", "reject"] };
  const answer = (line) => typed([line], (person, ...rest) => person.permission(rest[0], data, rest[1]));
  assert.deepEqual(await answer("y"), [["replyPermission", "p", "accept"]]);
  assert.deepEqual(await answer("a"), [["replyPermission", "p", "accept_for_session"]]);
  assert.deepEqual(await answer("n not now"), [["replyPermission", "p", "reject", "not now"]]);
  assert.deepEqual(await answer(""), [["replyPermission", "p", "reject"]]);
  assert.deepEqual(await answer(" Yes "), [["replyPermission", "p", "accept"]]);
  assert.deepEqual(await answer("always"), [["replyPermission", "p", "accept_for_session"]]);
  assert.deepEqual(await answer("No, not now."), [["replyPermission", "p", "reject", "not now."]]);
});

test("words that only begin like a yes allow nothing, and are told to the agent", async () => {
  const data = { permission_id: "p", action: "Bash", title: "ls", options: ["accept", "accept_for_session", "reject"] };
  for (const words of ["you must not", "abort", "always ask first", "yarn, not npm", "y?", "nothing of that kind"]) {
    const replies = await typed([words], (person, session, signal) => person.permission(session, data, signal));
    assert.deepEqual(replies, [["replyPermission", "p", "reject", words]]);
  }
  const once = { ...data, options: ["accept", "reject"] };
  const replies = await typed(["a"], (person, session, signal) => person.permission(session, once, signal));
  assert.deepEqual(replies, [["replyPermission", "p", "reject", "a"]]);
});

test("a person answers by number, by several, in words, or not at all", async () => {
  const options = [{ label: "Red" }, { label: "Blue" }];
  const one = { text: "Which?", options };
  const data = { question_id: "q", prompt: "Which?", options: [], questions: [one, { ...one, multi_select: true }] };
  const answer = (...lines) => typed(lines, (person, ...rest) => person.question(rest[0], data, rest[1]));
  assert.deepEqual(await answer("2", "1, 2"), [["replyQuestion", "q", [["Blue"], ["Red", "Blue"]]]]);
  assert.deepEqual(await answer("neither", "1"), [["replyQuestion", "q", [["neither"], ["Red"]]]]);
  assert.deepEqual(await answer("", ""), [["rejectQuestion", "q"]]);
});

test("a person who ends the input refuses what is asked: the agent does not wait for ever", {
  timeout: 10_000,
}, async () => {
  const permission = { permission_id: "p", action: "Bash", status: "requested" };
  const refused = await typed([], (person, session, signal) => person.permission(session, permission, signal));
  assert.deepEqual(refused, [["replyPermission", "p", "reject"]]);
  const question = { question_id: "q", prompt: "Which?", options: ["Red", "Blue"], status: "requested" };
  const dismissed = await typed([], (person, session, signal) => person.question(session, question, signal));
  assert.deepEqual(dismissed, [["rejectQuestion", "q"]]);
  const gone = new AbortController();
  const asked = typed([], (person, session) => {
    gone.abort();
    return person.permission(session, permission, gone.signal);
  });
  await assert.rejects(asked, { name: "AbortError" });
});

test("of several requests at once each is asked by itself, and a line answers one only", {
  timeout: 10_000,
}, async () => {
  const options = ["accept", "reject"];
  const requests = ["ls", "rm -rf build", "date"].map((title, at) => ({
    permission_id: `p${at}`,
    action: "Bash",
    title,
    options,
  }));
  const [input, output] = [new PassThrough(), new PassThrough()];
  const person = new Person(styleFor(false), () => {}, input, output);
  const replies = [];
  const session = { replyPermission: async (id, reply) => void replies.push([id, reply]) };
  const { signal } = new AbortController();
  const asked = Promise.all(requests.map((data) => person.permission(session, data, signal)));
  for (const line of ["y", "n", "y"]) {
    // A person is slower than the agent.
    await new Promise((resolve) => setTimeout(resolve, 50));
    input.write(`${line}\n`);
  }
  await asked;
  assert.deepEqual(replies, [
    ["p0", "accept"],
    ["p1", "reject"],
    ["p2", "accept"],
  ]);
});

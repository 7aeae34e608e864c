// The host runs agents that are played from recordings: what comes out is what a conversion of the recording gives.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { AgentHost } from "../../npm/interlinear/dist/host/index.js";
import { check, convert, silentLines, trace } from "../../npm/interlinear/dist/index.js";
import { root } from "../fixtures.mjs";

const command = join(root, "npm", "interlinear", "bin", "interlinear.js");
/** A recording; that of another version has its folder before its name. */
const fixture = (agent, name) => {
  const folder = name.includes("/") ? "other-versions" : "recordings";
  return join(root, "tests", "fixtures", agent, folder, `${name}.jsonl`);
};

/** The command that plays a recording. */
const played = (file) => [process.execPath, command, "replay-agent", "--speed", "max", file, "--"];

/** A folder to work in, and a host whose agent is played from a recording. */
async function withHost(agent, file, play) {
  const cwd = mkdtempSync(join(tmpdir(), "interlinear-replayed-"));
  const host = new AgentHost({ agents: { [agent]: { command: played(file) } }, graceMs: 2000 });
  try {
    await play(host, cwd);
  } finally {
    await host.close();
    rmSync(cwd, { recursive: true });
  }
}

/** All that comes. */
async function all(events) {
  const list = [];
  for await (const event of events) list.push(event);
  return list;
}

/** What a person would have seen of it: what was said and done, in order. */
function outline(events) {
  const items = events.filter(({ type, data }) => type === "item.completed" && data.item.agent_id === undefined);
  return items
    .map(({ data }) => data.item)
    .filter(({ kind, content }) => ["message", "tool_call", "tool_result"].includes(kind) && content.length > 0)
    .map(({ kind, role, status, content }) => ({
      kind,
      role,
      status,
      content: content.map(({ type, text, name, arguments: given, output }) => ({ type, text, name, given, output })),
    }));
}

const of = (events, type) => events.filter((event) => event.type === type).map(({ data }) => data);

/** Says again what was said in a recording, and answers what was answered. */
async function say(session, recorded) {
  const events = [];
  const decisions = of(recorded, "permission.resolved").map(({ status }) => status);
  const answers = of(recorded, "question.resolved");
  for (const prompt of prompts(recorded)) {
    for await (const event of session.prompt(prompt)) {
      events.push(event);
      if (event.type === "permission.requested") {
        await session.replyPermission(event.data.permission_id, decisions.shift());
      } else if (event.type === "question.requested") {
        const { status, answers: given } = answers.shift();
        const id = event.data.question_id;
        await (status === "answered" ? session.replyQuestion(id, given) : session.rejectQuestion(id));
      }
    }
  }
  return events;
}

/** What the user said in a recording. */
function prompts(recorded) {
  const own = ({ kind, role, agent_id }) => kind === "message" && role === "user" && agent_id === undefined;
  return of(recorded, "item.completed")
    .filter(({ item }) => own(item))
    .map(({ item }) => item.content.map(({ text = "" }) => text).join(""));
}

const RECORDINGS = {
  claude: [
    "hello_partial",
    "multi_turn",
    "edit_file",
    "parallel_tools",
    "permission_accept",
    "permission_reject",
    "question_multi",
    "question_rejected",
    "plan_approved",
    "subagent",
    "error_400_invalid",
    "unicode",
    "2.0.14/permission_accept",
    "2.1.325/question_answered",
  ],
  codex: [
    "hello",
    "multi-turn",
    "file-edit",
    "parallel-tools",
    "permission-accept",
    "permission-decline",
    "permission-parallel",
    "question-default-mode",
    "reasoning",
    "error-400",
    "v098-permission-accept",
  ],
  opencode: [
    "hello",
    "multi-turn",
    "edit-file",
    "parallel-tools",
    "permission-once",
    "permission-reject",
    "question-multi",
    "subagent",
    "error-400",
    "v1.1.65-permission",
  ],
  pi: [
    "hello",
    "multi-turn",
    "edit-file-diff",
    "parallel-tools",
    "question-select-answered",
    "question-select-cancelled",
    "thinking-anthropic",
    "error-400-bad-request",
    "0.87.1/parallel-tools",
  ],
  amp: ["stream-input-multi-turn"],
};

for (const [agent, names] of Object.entries(RECORDINGS)) {
  for (const name of names) {
    test(`${agent}: ${name} comes out of the host as it does of a conversion`, { timeout: 60_000 }, async () => {
      const file = fixture(agent, name);
      const recorded = convert(readFileSync(file));
      await withHost(agent, file, async (host, cwd) => {
        const session = await host.start({ agent, cwd });
        const turns = await say(session, recorded);
        assert.deepEqual(outline(turns), outline(recorded));
        assert.equal(turns.at(-1).type, "turn.ended");
        const errors = (events) => of(events, "error").map(({ message }) => message);
        assert.deepEqual(errors(turns), errors(recorded));
        await session.terminate();
        const whole = await all(session.events());
        assert.deepEqual(check(whole), []);
        assert.equal(whole.at(-1).type, "session.ended");
      });
    });
  }
}

test("claude: a turn after a setting that takes another process ends as the first one did", async () => {
  const file = fixture("claude", "hello");
  await withHost("claude", file, async (host, cwd) => {
    const session = await host.start({ agent: "claude", cwd });
    const turn = async () => (await all(session.prompt("Say hello.", { signal: AbortSignal.timeout(20_000) }))).at(-1);
    const ends = [await turn()];
    for (const variant of ["low", "high"]) {
      await session.setVariant(variant);
      ends.push(await turn());
    }
    const statuses = ends.map(({ type, data }) => [type, data.metadata.status]);
    assert.deepEqual(statuses, Array(3).fill(["turn.ended", "completed"]));
  });
});

/** What is said of lines that gave no event. */
const silence = (lines) =>
  lines.map(({ dir, kind, text, outcome, reason }) => ({ dir, kind, text: text.trimEnd(), outcome, reason }));

for (const [agent, name] of [
  ["claude", "hello_partial"],
  ["codex", "file-edit"],
  ["opencode", "edit-file"],
  ["pi", "edit-file-diff"],
  ["amp", "stream-input-multi-turn"],
]) {
  test(`${agent}: lines without an event are kept as a recording shows them`, { timeout: 60_000 }, async () => {
    const folder = mkdtempSync(join(tmpdir(), "interlinear-silent-"));
    const record = join(folder, "recording.jsonl");
    try {
      await withHost(agent, fixture(agent, name), async (host, cwd) => {
        const session = await host.start({ agent, cwd, record });
        await say(session, convert(readFileSync(fixture(agent, name))));
        await session.terminate();
        const kept = (await all(session.events({ includeSilent: true }))).flatMap(silentLines);
        await host.close();
        const shown = trace(readFileSync(record)).filter(
          ({ line, events }) => line !== undefined && events.length === 0,
        );
        // What is said after the end of the session goes with no event.
        assert.ok(kept.length > 0 && shown.length - kept.length <= 1);
        assert.deepEqual(silence(kept), silence(shown.slice(0, kept.length)));
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}

for (const agent of ["claude", "codex", "opencode"]) {
  test(`${agent}: fifty sessions at once`, { timeout: 240_000 }, async () => {
    const file = fixture(agent, "hello");
    const expected = outline(convert(readFileSync(file))).at(-1);
    await withHost(agent, file, async (host, cwd) => {
      const sessions = await Promise.all(Array.from({ length: 50 }, () => host.start({ agent, cwd })));
      const turns = await Promise.all(sessions.map((session) => all(session.prompt("Say hello."))));
      for (const turn of turns) assert.deepEqual(outline(turn).at(-1), expected);
      const pids = new Set(sessions.map(({ pid }) => pid));
      assert.equal(pids.size, agent === "claude" ? 50 : 1);
      await Promise.all(sessions.map((session) => session.terminate()));
      for (const session of sessions) assert.deepEqual(check(await all(session.events())), []);
      assert.deepEqual(host.sessions(), []);
    });
  });
}

for (const [agent, name] of [
  ["claude", "permission_accept"],
  ["codex", "permission-accept"],
  ["opencode", "permission-once"],
  ["pi", "question-select-answered"],
]) {
  test(`${agent}: what the host records can be played again`, { timeout: 60_000 }, async () => {
    const recorded = convert(readFileSync(fixture(agent, name)));
    const folder = mkdtempSync(join(tmpdir(), "interlinear-recorded-"));
    const [first, second] = ["first", "second"].map((take) => join(folder, `${take}.jsonl`));
    const take = (from, to) =>
      withHost(agent, from, async (host, cwd) => {
        const session = await host.start({ agent, cwd, record: to });
        assert.deepEqual(outline(await say(session, recorded)), outline(recorded));
      });
    try {
      await take(fixture(agent, name), first);
      await take(first, second);
      assert.deepEqual(outline(convert(readFileSync(second))), outline(recorded));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}

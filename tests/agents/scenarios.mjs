// One real agent, through the host, in everything that can happen to it. `npm run test:agents` runs this for each.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { recipe } from "../../npm/interlinear/dist/host/agents.js";
import { nothingLeft, running, until } from "./processes.mjs";
import { agent, isOther, keepsTheContract, onStage } from "./stage.mjs";

const { name, features, runtime } = recipe(agent);
const can = (feature) => features.includes(feature);
/** How many sessions are run at once: as many as a small machine can carry. Old servers start them one by one. */
const CROWD = runtime === "process" || isOther ? 6 : 50;

const LONG = "This takes a while, and then a while longer. ".repeat(40);

/** What the model says; `cwd` is the agent's folder. */
const scripts = (cwd) => ({
  hello: [{ think: "They greet me.", say: "Hello there, friend." }],
  again: [{ say: "I remember." }],
  command: [{ say: "I look.", calls: [{ tool: "command", command: "echo one; echo two" }] }, { say: "Done." }],
  edit: [
    { calls: [{ tool: "read", path: join(cwd, "poem.txt") }] },
    { calls: [{ tool: "edit", path: join(cwd, "poem.txt"), from: "roses\n", to: "violets\n" }] },
    { say: "Edited." },
  ],
  touch: [{ calls: [{ tool: "command", command: `touch ${join(cwd, "touched")}` }] }, { say: "That is that." }],
  ask: [{ calls: [{ tool: "ask", question: "Tea or coffee?", options: ["Tea", "Coffee"] }] }, { say: "Very well." }],
  slow: [{ say: LONG, everyMs: 200 }],
  behind: [
    // In a session of its own: no signal to the agent's group reaches it.
    { calls: [{ tool: "command", command: "setsid sleep 300 & tail -f /dev/null", timeout: 400_000 }] },
    { say: "Awake." },
  ],
  // The shell lives on when the command is killed: OpenCode does not notice the end of a shell that is killed.
  wait: [
    { calls: [{ tool: "command", command: "tail -f /dev/null; echo woken", timeout: 400_000 }] },
    { say: "Awake." },
  ],
  bad: [{ error: { status: 400, type: "invalid_request_error", message: "The script refuses." } }],
  busy: [{ error: { status: 529, type: "overloaded_error", message: "Too much to do.", times: 1 }, say: "Here I am." }],
});

/** A test on a fresh stage. */
const scene = (title, play) =>
  test(`${name}: ${title}`, { timeout: 240_000 }, ({ signal }) => onStage(scripts, play, signal));

scene("hello", async (stage) => {
  const talk = await stage.begin();
  const turn = await talk.prompt("play hello");
  assert.deepEqual(turn.said("user"), ["play hello"]);
  assert.deepEqual(turn.said("assistant"), ["Hello there, friend."]);
  assert.equal(turn.status, "completed");
  assert.equal(talk.session.status, "idle");
  assert.ok(talk.session.nativeSessionId);
  const { reason, terminated_by } = await talk.end();
  // An agent may take the signal for a wish, and end with exit code 0.
  assert.ok(["terminated by daemon", "completed by agent"].includes(`${reason} by ${terminated_by}`), reason);
});

scene("a tool call has its command, its output and its exit code", async (stage) => {
  const talk = await stage.begin();
  const turn = await talk.prompt("play command");
  const [call] = turn.parts("tool_call", "tool_call");
  const [result] = turn.parts("tool_result", "tool_result");
  assert.equal(call.tool_kind, "command");
  assert.match(call.title, /echo one; echo two/);
  assert.match(result.output, /one\r?\ntwo/);
  assert.equal(result.call_id, call.call_id);
  assert.equal(turn.status, "completed");
  assert.equal(turn.said("assistant").at(-1), "Done.");
  await talk.end();
});

scene("a file is edited, and the events show how", async (stage) => {
  const file = join(stage.cwd, "poem.txt");
  writeFileSync(file, "roses\nare red\n");
  const talk = await stage.begin();
  const turn = await talk.prompt("play edit");
  assert.equal(readFileSync(file, "utf8"), "violets\nare red\n");
  const changes = ["tool_call", "tool_result"].flatMap((kind) => turn.parts(kind, "file_ref"));
  const diffs = changes.map(({ diff }) => diff).filter(Boolean);
  assert.ok(
    diffs.some((diff) => /^-roses$/m.test(diff) && /^\+violets$/m.test(diff)),
    JSON.stringify(changes),
  );
  assert.equal(turn.said("assistant").at(-1), "Edited.");
  await talk.end();
});

if (can("permissions")) {
  scene("a permission is accepted", async (stage) => {
    const talk = await stage.begin();
    const turn = await talk.prompt("play touch", { permission: "accept" });
    assert.equal(turn.of("permission.requested").length, 1);
    assert.deepEqual(
      turn.of("permission.resolved").map(({ status }) => status),
      ["accept"],
    );
    assert.ok(existsSync(join(stage.cwd, "touched")));
    assert.equal(turn.said("assistant").at(-1), "That is that.");
    await talk.end();
  });

  scene("a permission is rejected", async (stage) => {
    const talk = await stage.begin();
    const turn = await talk.prompt("play touch", { permission: "reject" });
    assert.deepEqual(
      turn.of("permission.resolved").map(({ status }) => status),
      ["reject"],
    );
    assert.ok(!existsSync(join(stage.cwd, "touched")));
    assert.deepEqual(
      turn.items("tool_result").map(({ status }) => status),
      ["failed"],
    );
    await talk.end();
  });
}

if (can("questions")) {
  scene("a question is answered", async (stage) => {
    const talk = await stage.begin();
    const turn = await talk.prompt("play ask", { answer: "Coffee" });
    const [question] = turn.of("question.requested");
    // Older versions ask nothing, or in another mode only.
    if (isOther && question === undefined) return talk.end();
    assert.match(question.prompt, /Tea or coffee\?/);
    assert.deepEqual(
      question.options.filter((option) => option !== "Other"),
      ["Tea", "Coffee"],
    );
    assert.deepEqual(
      turn.of("question.resolved").map(({ status, response }) => ({ status, response })),
      [{ status: "answered", response: "Coffee" }],
    );
    assert.ok(
      stage.asked.some((body) => /call_\d+_step0/.test(body) && body.includes("Coffee")),
      "the model hears the answer",
    );
    await talk.end();
  });
}

scene("an interrupted answer ends its turn, and the session goes on", async (stage) => {
  const talk = await stage.begin();
  let interrupted;
  const turn = await talk.prompt("play slow", {
    on: ({ type, data }) => {
      const speaks = agent === "amp" ? type === "turn.started" : type === "item.delta" && LONG.startsWith(data.delta);
      if (speaks) interrupted ??= talk.session.interrupt();
    },
  });
  await interrupted;
  assert.equal(turn.status, "interrupted");
  assert.equal((await talk.prompt("play again")).said("assistant").at(-1), "I remember.");
  await talk.end();
});

scene("an interrupted command is stopped", async (stage) => {
  const talk = await stage.begin();
  const turn = talk.prompt("play wait");
  await until("the command runs", () => waiting(stage), 60_000);
  const interrupted = talk.session.interrupt();
  assert.equal((await turn).status, "interrupted");
  await interrupted;
  await until("the command is gone", () => waiting(stage) === undefined);
  await talk.end();
});

scene("terminate leaves nothing behind, not even what ran in the background", async (stage) => {
  const talk = await stage.begin();
  const turn = talk.prompt("play behind").catch(() => undefined);
  await until("the command runs", () => waiting(stage) && waiting(stage, "sleep 300"), 60_000);
  await talk.end();
  await turn;
  if (runtime !== "process") await stage.host.close();
  assert.deepEqual(await nothingLeft(stage.mark, 2000), []);
});

scene("a killed child of the agent fails its tool call only", async (stage) => {
  // Amp misses now and then the end of a command that was killed.
  for (let attempt = 1; attempt <= 3; attempt++) if (await survivesItsChild(stage)) return;
  assert.fail("the agent never noticed");
});

/** Kills the command that an agent runs; false if the agent does not notice in time. */
async function survivesItsChild(stage) {
  const talk = await stage.begin();
  const turn = talk.prompt("play wait");
  const { pid } = await until("the command runs", () => waiting(stage), 60_000);
  // Not at once: an agent may not listen yet.
  await new Promise((resolve) => setTimeout(resolve, 2000));
  process.kill(pid, "SIGKILL");
  const patience = new Promise((resolve) => setTimeout(resolve, 40_000, undefined).unref());
  const ended = await Promise.race([turn, patience]);
  if (ended === undefined) {
    turn.catch(() => {});
    await talk.session.terminate();
    return false;
  }
  assert.equal(ended.said("assistant").at(-1), "Awake.", JSON.stringify(ended));
  await talk.end();
  return true;
}

scene("a killed agent ends its turn", async (stage) => {
  const talk = await stage.begin();
  const turn = await talk.prompt("play slow", {
    on: ({ type }) => {
      if (type === "turn.started") setTimeout(() => process.kill(talk.session.pid, "SIGKILL"), 1500);
    },
  });
  assert.ok(["failed", "interrupted", "session.ended"].includes(turn.status), turn.status);
  if (runtime === "process") {
    await talk.over;
    const { reason, message } = talk.events.at(-1).data;
    assert.equal(reason, "error", message);
  } else {
    // The server is started again, and goes on with its sessions.
    assert.equal((await talk.prompt("play again")).said("assistant").at(-1), "I remember.");
  }
  await talk.session.terminate();
  await talk.over;
  keepsTheContract(talk.events);
});

scene("the agent remembers earlier turns, and a resumed session too", async (stage) => {
  // Amp takes in what was said a moment after it has said it: what comes before that, a prompt or its end, finds it without.
  let remembered = false;
  for (const pause of [2_000, 5_000, 15_000]) remembered ||= await remembers(stage, pause);
  assert.ok(remembered, "the second turn knows the first, and a resumed session knows both");
});

/** Whether an agent that is let alone so long after each turn knows its turns when it goes on. */
async function remembers(stage, pause) {
  const before = stage.asked.length;
  const wasTold = (holds) => stage.asked.slice(before).some(holds);
  const host = stage.newHost();
  const talk = await stage.begin({}, host);
  await talk.prompt("play hello");
  await sleep(pause);
  await talk.prompt("play again");
  const second = wasTold((body) => body.includes("Hello there, friend."));
  await sleep(pause);
  const { nativeSessionId } = talk.session;
  await talk.end();
  await host.close();
  const later = await stage.begin({ resume: nativeSessionId }, stage.newHost());
  const turn = await later.prompt("play again");
  assert.equal(turn.said("assistant").at(-1), "I remember.");
  assert.equal(later.session.nativeSessionId, nativeSessionId);
  await later.end();
  const again = (body) => body.split("play again").length - 1;
  return second && wasTold((body) => body.includes("play hello") && again(body) > 1);
}

scene("a model that refuses fails the turn, with its reason", async (stage) => {
  const talk = await stage.begin();
  const turn = await talk.prompt("play bad");
  assert.equal(turn.status, "failed");
  const errors = turn.of("error");
  assert.equal(errors.filter(({ will_retry }) => !will_retry).length, 1, JSON.stringify(errors));
  assert.match(errors.at(-1).message, /The script refuses/);
  await talk.end();
});

scene("a model that is overloaded is asked again", async (stage) => {
  const talk = await stage.begin();
  const turn = await talk.prompt("play busy");
  // Amp gives up at once.
  const expected = agent === "amp" ? ["failed", undefined] : ["completed", "Here I am."];
  assert.deepEqual([turn.status, turn.said("assistant").at(-1)], expected);
  await talk.end();
});

scene("two sessions at once keep apart", async (stage) => {
  const talks = await Promise.all([stage.begin(), stage.begin()]);
  const turns = await Promise.all([talks[0].prompt("play hello"), talks[1].prompt("play command")]);
  assert.deepEqual(
    turns.map((turn) => turn.said("assistant").at(-1)),
    ["Hello there, friend.", "Done."],
  );
  assert.equal(new Set(talks.map(({ session }) => session.nativeSessionId)).size, 2);
  for (const talk of talks) await talk.end();
});

scene(`${CROWD} sessions at once`, async (stage) => {
  const talks = await Promise.all(Array.from({ length: CROWD }, () => stage.begin()));
  const turns = await Promise.all(talks.map((talk) => talk.prompt("play hello")));
  for (const turn of turns) assert.deepEqual(turn.said("assistant"), ["Hello there, friend."]);
  await Promise.all(talks.map((talk) => talk.end()));
});

scene("a host that is killed takes everything with it", async (stage) => {
  const file = fileURLToPath(new URL("doomed-host.mjs", import.meta.url));
  const input = JSON.stringify({ settings: stage.settings, start: stage.start, prompt: "play behind" });
  const host = spawn(process.execPath, [file, input], { stdio: ["ignore", "pipe", "inherit"] });
  await Promise.race([once(host.stdout, "data"), once(host, "exit").then(() => assert.fail("it ended by itself"))]);
  await until("the command runs", () => waiting(stage) && waiting(stage, "sleep 300"), 60_000);
  host.kill("SIGKILL");
  await once(host, "exit");
  assert.deepEqual(await nothingLeft(stage.mark, 5000), []);
});

/** The command that the model has asked for, while it runs. */
function waiting({ mark }, command = "tail -f /dev/null") {
  return running(mark).find((process) => process.command === command);
}

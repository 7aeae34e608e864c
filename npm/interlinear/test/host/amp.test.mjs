import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { convert } from "interlinear";
import { all, breaks, cwd, hostFor, program, stored } from "./setting.mjs";

const agents = { amp: { command: program("amp.mjs") } };

test("a prompt that the agent answers without showing it is in the transcript, once", async (t) => {
  const host = hostFor(t, { agents });
  const session = await host.start({ agent: "amp", cwd });
  for (const prompt of ["hello", "quick", "hello"]) await all(session.prompt(prompt));
  await session.terminate();
  assert.deepEqual(await breaks(host, session.id), []);
  const completed = (await stored(host, session.id)).filter(({ type }) => type === "item.completed");
  const messages = completed.filter(({ data }) => data.item.kind === "message");
  assert.deepEqual(
    messages.map(({ source, data }) => [source, data.item.role, data.item.content[0].text]),
    [
      ["agent", "user", "hello"],
      ["agent", "assistant", "Good day."],
      ["daemon", "user", "quick"],
      ["agent", "assistant", "Good day."],
      ["agent", "user", "hello"],
      ["agent", "assistant", "Good day."],
    ],
  );
});

test("a session that was terminated says so, also where the agent ends with exit code 0", async (t) => {
  const host = hostFor(t, { agents });
  const record = join(cwd, "amp.jsonl");
  const session = await host.start({ agent: "amp", cwd, record });
  await all(session.prompt("hello"));
  await session.terminate();
  const { data } = (await stored(host, session.id)).at(-1);
  assert.deepEqual(data, { reason: "terminated", terminated_by: "daemon" });
  assert.deepEqual(convert(readFileSync(record)).at(-1).data, data, "its recording says the same");
});

test("what the agent does not take is refused at the start and later, and never left out in silence", async (t) => {
  const host = hostFor(t, { agents });
  const failure = { code: "unsupported", cure: /default, allow-all/ };
  await assert.rejects(host.start({ agent: "amp", cwd, permissionMode: "plan" }), failure);
  const session = await host.start({ agent: "amp", cwd, permissionMode: "default" });
  await assert.rejects(session.setPermissionMode("plan"), failure);
  await assert.rejects(session.setModel("large"), { code: "unsupported" });
  await session.setPermissionMode("allow-all");
  await all(session.prompt("hello"));
});

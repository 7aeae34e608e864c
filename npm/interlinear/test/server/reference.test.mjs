// A client as one would write it for the reference API (see src/server/api.ts), knowing nothing of this package.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startServer, token } from "./running.mjs";

let server;

before(async () => {
  server = await startServer();
});
after(() => server.stop());

async function send(method, path, body) {
  const headers = { Authorization: `Bearer ${token}`, Accept: "application/json" };
  const init = { method, headers };
  if (body !== undefined) {
    headers["Content-Type"] = "application/json";
    init.body = JSON.stringify(body);
  }
  const response = await fetch(`${server.url}/v1${path}`, init);
  if (!response.ok) throw Object.assign(new Error(), await response.json());
  const text = await response.text();
  return text === "" ? undefined : JSON.parse(text);
}

/** Takes whatever has data for an event, and looks at nothing else. */
async function* stream(method, path, body) {
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json", Accept: "text/event-stream" };
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  const response = await fetch(`${server.url}/v1${path}`, init);
  let text = "";
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    for (let end = text.indexOf("\n\n"); end !== -1; end = text.indexOf("\n\n")) {
      const lines = text.slice(0, end).split("\n");
      text = text.slice(end + 2);
      const data = lines.filter((line) => line.startsWith("data:")).map((line) => line.slice(5).trim());
      if (data.length > 0) yield JSON.parse(data.join("\n"));
    }
  }
}

test("it runs a session from beginning to end", async () => {
  assert.deepEqual(await send("GET", "/health"), { status: "ok" });
  const { agents } = await send("GET", "/agents");
  assert.ok(agents.some(({ id, installed }) => id === "claude" && installed));
  assert.ok(
    (await send("GET", "/agents/claude/modes")).modes.every((mode) => mode.id && mode.name && mode.description),
  );
  assert.ok((await send("GET", "/agents/claude/models")).models.every((model) => model.id));

  const mcp = {
    local: { type: "local", command: ["npx", "tool"], enabled: true },
    remote: { type: "remote", url: "http://127.0.0.1:1/mcp", headers: null },
  };
  const request = { agent: "claude", agentMode: "build", permissionMode: "default", model: null, variant: null, mcp };
  const created = await send("POST", "/sessions/my-session", request);
  assert.equal(created.healthy, true);
  await assert.rejects(send("POST", "/sessions/my-session", request), { status: 409 });

  const turn = [];
  for await (const event of stream("POST", "/sessions/my-session/messages/stream?includeRaw=true", {
    message: "hello",
  })) {
    turn.push(event);
  }
  assert.ok(turn.some(({ type, raw }) => type === "item.completed" && raw !== null));

  assert.equal(await send("POST", "/sessions/my-session/messages", { message: "permission" }), undefined);
  const offset = turn.at(-1).sequence;
  for await (const event of stream("GET", `/sessions/my-session/events/sse?offset=${offset}`)) {
    assert.ok(event.sequence > offset);
    if (event.type === "permission.requested") {
      const { permission_id } = event.data;
      await send("POST", `/sessions/my-session/permissions/${permission_id}/reply`, { reply: "once" });
    }
    if (event.type === "turn.ended") break;
  }

  const { events } = await send("GET", "/sessions/my-session/events");
  await send("POST", "/sessions/my-session/messages", { message: "question", attachments: [] });
  for await (const event of stream("GET", `/sessions/my-session/events/sse?offset=${events.at(-1).sequence}`)) {
    if (event.type === "question.requested") {
      const { question_id } = event.data;
      await send("POST", `/sessions/my-session/questions/${question_id}/reply`, { answers: [["red"]] });
    }
    if (event.type === "turn.ended") break;
  }

  await send("POST", "/sessions/my-session/terminate");
  const page = await send("GET", "/sessions/my-session/events?offset=0&limit=3&include_raw=true");
  assert.equal(page.events.length, 3);
  assert.equal(page.hasMore, true);
  const { sessions } = await send("GET", "/sessions");
  const { sessionId, agent, agentMode, permissionMode, ended, eventCount, createdAt, updatedAt } = sessions[0];
  assert.deepEqual(
    { sessionId, agent, agentMode, permissionMode, ended },
    { sessionId: "my-session", agent: "claude", agentMode: "build", permissionMode: "default", ended: true },
  );
  assert.ok(eventCount > 3 && createdAt <= updatedAt);
  await assert.rejects(send("GET", "/sessions/nowhere/events"), { status: 404, title: "Session not found" });
});

import assert from "node:assert/strict";
import { request } from "node:http";
import { after, before, test } from "node:test";
import { check, silentLines } from "interlinear";
import { Client, ClientError } from "interlinear/client";
import { MemoryStore } from "interlinear/store";
import { range, sequences } from "../store/story.mjs";
import { json, ofType, startServer, token, until } from "./running.mjs";

let server;
let client;

before(async () => {
  server = await startServer({ cors: ["https://app.example"], maxBody: 100_000 });
  client = server.client;
});
after(() => server.stop());

const problem = (status, code) => (error) =>
  error instanceof ClientError && error.status === status && error.code === code && error.cure !== "";

test("health needs no token, everything else does", async () => {
  const stranger = new Client({ baseUrl: server.url });
  assert.deepEqual(await stranger.health(), { status: "ok" });
  for (const refused of [stranger, new Client({ baseUrl: server.url, token: `${token}x` })]) {
    await assert.rejects(refused.agents(), problem(401, "token_invalid"));
    await assert.rejects(refused.getEvents("s"), problem(401, "token_invalid"));
  }
  assert.equal((await fetch(`${server.url}/openapi.json`)).status, 401);
});

test("agents are listed, with models and modes", async () => {
  const agents = await client.agents();
  assert.deepEqual(
    agents.map(({ id }) => id),
    ["claude", "codex", "opencode", "amp", "pi"],
  );
  const claude = agents.find(({ id }) => id === "claude");
  assert.equal(claude.installed, true);
  assert.ok(claude.features.includes("permissions"));
  assert.ok((await client.models("claude")).some(({ id, variants }) => id === "opus" && variants.includes("high")));
  const { modes, permissionModes } = await client.modes("claude");
  assert.deepEqual(
    modes.map(({ id }) => id),
    ["build", "plan"],
  );
  assert.ok(permissionModes.includes("acceptEdits"));
  await assert.rejects(client.models("nobody"), problem(400, "unknown_agent"));
});

test("a session is started, spoken to, read and ended", async () => {
  assert.deepEqual(await client.createSession("first", { agent: "claude", model: "opus" }), { healthy: true });
  await assert.rejects(client.createSession("first", { agent: "claude" }), problem(409, "session_exists"));
  const turn = await until(client.streamTurn("first", "hello"), () => false);
  assert.equal(turn.at(-1).type, "turn.ended");
  const text = turn.filter(ofType("item.delta")).map(({ data }) => data.delta);
  assert.deepEqual(text, ["hello", "Hel", "lo."]);
  const { createdAt, updatedAt, nativeSessionId, ...session } = await client.getSession("first");
  assert.deepEqual(session, {
    sessionId: "first",
    agent: "claude",
    agentMode: "build",
    permissionMode: "default",
    status: "idle",
    ended: false,
    eventCount: turn.at(-1).sequence,
    model: "test",
    directory: server.folder,
  });
  assert.match(nativeSessionId, /^5f0c/);
  assert.ok(updatedAt >= createdAt);
  await client.sendMessage("first", [{ type: "text", text: "hello" }]);
  await until(client.streamEvents("first", { offset: turn.at(-1).sequence }), ofType("turn.ended"));
  await client.terminate("first");
  await client.terminate("first");
  const events = await client.getEvents("first");
  assert.deepEqual(check(events), []);
  assert.equal(events.at(-1).type, "session.ended");
  assert.deepEqual(await until(client.streamEvents("first"), () => false), events);
  assert.equal((await client.listSessions()).find(({ sessionId }) => sessionId === "first").status, "ended");
  await assert.rejects(client.sendMessage("first", "hello"), problem(409, "session_ended"));
  await client.deleteSession("first");
  await assert.rejects(client.getSession("first"), problem(404, "unknown_session"));
});

test("a session that runs is not removed: whoever asks is told to end it first", async () => {
  await client.createSession("lives", { agent: "claude" });
  await assert.rejects(client.deleteSession("lives"), (error) => {
    assert.deepEqual([error.status, error.code, error.message], [409, "session_busy", "session lives is running"]);
    assert.match(error.cure, /terminate/);
    return true;
  });
  await client.terminate("lives");
  await client.deleteSession("lives");
});

test("events come by offset and limit, with native objects if asked for", async () => {
  await client.createSession("pages", { agent: "claude" });
  await until(client.streamTurn("pages", "flood 600"), () => false);
  const all = await client.getEvents("pages");
  assert.deepEqual(sequences(all), range(1, all.length));
  assert.ok(all.every(({ raw }) => raw === null));
  assert.deepEqual(await client.getEvents("pages", { offset: 100, limit: 50 }), all.slice(100, 150));
  const [event] = await client.getEvents("pages", { offset: 99, limit: 1, includeRaw: true });
  assert.equal(event.raw.event.delta.text, event.data.delta);
  assert.ok(all.every((event) => silentLines(event).length === 0));
  const page = async (query) => await (await server.call(`/v1/sessions/pages/events?${query}`)).json();
  assert.equal((await page("offset=10&limit=5")).hasMore, true);
  assert.equal((await page(`offset=${all.length - 5}&limit=5`)).hasMore, false);
  assert.equal((await page("limit=1&includeRaw=true")).events.length, 1);
  assert.deepEqual((await page("limit=0")).events, []);
  await client.terminate("pages");
});

test("lines that gave no event are handed out, page by page and in a stream, to those who ask", async () => {
  await client.createSession("silent", { agent: "claude" });
  await until(client.streamTurn("silent", "hello"), () => false);
  await client.terminate("silent");
  const reasons = (events) => events.flatMap((event) => silentLines(event).map(({ kind, reason }) => [kind, reason]));
  const events = await client.getEvents("silent", { includeSilent: true });
  assert.deepEqual(await until(client.streamEvents("silent", { includeSilent: true }), () => false), events);
  assert.deepEqual(
    reasons(events).filter(([kind]) => kind === "stream_event"),
    [
      ["stream_event", "start of a message"],
      ["stream_event", "start of a block"],
      ["stream_event", "end of a block"],
      ["stream_event", "end of a message"],
    ],
  );
  assert.deepEqual(check(events), []);
  assert.deepEqual(reasons(await client.getEvents("silent", { includeRaw: true })), []);
});

test("a stream goes on from Last-Event-ID or offset, and says when there will be no more", async () => {
  await client.createSession("resumed", { agent: "claude" });
  await until(client.streamTurn("resumed", "hello"), () => false);
  await client.terminate("resumed");
  const { length } = await client.getEvents("resumed");
  const ids = async (query, headers) => {
    const response = await server.call(`/v1/sessions/resumed/events/sse${query}`, { headers });
    assert.equal(response.headers.get("content-type"), "text/event-stream");
    return Array.from((await response.text()).matchAll(/^id: (\d+)$/gm), ([, id]) => Number(id));
  };
  assert.deepEqual(await ids("", {}), range(1, length));
  assert.deepEqual(await ids("?offset=4", {}), range(5, length));
  assert.deepEqual(await ids("?offset=4", { "last-event-id": "7" }), range(8, length));
  assert.deepEqual(await ids(`?offset=${length}`, {}), []);
  const headers = { "last-event-id": String(length) };
  assert.equal((await server.call("/v1/sessions/resumed/events/sse", { headers })).status, 204);
});

test("permissions and questions are answered", async () => {
  await client.createSession("asked", { agent: "claude" });
  for (const [reply, status] of [
    ["once", "accept"],
    ["always", "accept_for_session"],
    // As the events and the components have it.
    ["accept", "accept"],
    ["accept_for_session", "accept_for_session"],
    ["reject", "reject"],
  ]) {
    const events = [];
    for await (const event of client.streamTurn("asked", "permission")) {
      events.push(event);
      if (event.type === "permission.requested") await client.replyPermission("asked", event.data.permission_id, reply);
    }
    const { data } = events.find(ofType("permission.resolved"));
    assert.equal(data.status, status);
    const again = client.replyPermission("asked", data.permission_id, reply);
    await assert.rejects(again, problem(404, "unknown_request"));
  }
  for (const answer of [[["blue"]], undefined]) {
    const events = [];
    for await (const event of client.streamTurn("asked", "question")) {
      events.push(event);
      if (event.type !== "question.requested") continue;
      if (answer === undefined) await client.rejectQuestion("asked", event.data.question_id);
      else await client.replyQuestion("asked", event.data.question_id, answer);
    }
    const { data } = events.find(ofType("question.resolved"));
    assert.equal(data.status, answer === undefined ? "rejected" : "answered");
    if (answer !== undefined) assert.deepEqual(data.answers, answer);
  }
  await client.terminate("asked");
});

test("a turn is interrupted, and the session goes on", async () => {
  await client.createSession("stopped", { agent: "claude" });
  const turn = until(client.streamTurn("stopped", "wait"), () => false);
  await until(client.streamEvents("stopped"), ofType("turn.started"));
  await client.interrupt("stopped");
  assert.equal((await turn).at(-1).type, "turn.ended");
  assert.equal((await until(client.streamTurn("stopped", "hello"), () => false)).at(-1).type, "turn.ended");
  await client.terminate("stopped");
});

test("a prompt that the agent refuses ends its stream with the reason, and the session goes on", async () => {
  await client.createSession("refused", { agent: "codex" });
  const signal = AbortSignal.timeout(15_000);
  const refused = await until(client.streamTurn("refused", "refuse", { signal }), () => false);
  assert.equal(refused.at(-1).type, "error");
  assert.match(refused.at(-1).data.message, /the model is not available/);
  const events = await until(client.streamTurn("refused", "hello", { signal }), () => false);
  assert.equal(events.at(-1).type, "turn.ended");
  await client.terminate("refused");
});

test("who stops reading a turn does not stop the agent", async () => {
  await client.createSession("left", { agent: "claude" });
  const stop = new AbortController();
  await assert.rejects(
    until(client.streamTurn("left", "flood 300 1000", { signal: stop.signal }), ({ sequence }) => {
      if (sequence > 20) stop.abort();
      return false;
    }),
  );
  const events = await until(client.streamEvents("left"), ofType("turn.ended"));
  assert.equal(events.at(-1).data.metadata.status, "completed");
  await client.terminate("left");
});

test("a turn whose store fails ends its stream with an error, and not never", { timeout: 20_000 }, async (t) => {
  class BreakingStore extends MemoryStore {
    isBroken = false;

    async open(sessionId, meta) {
      const writer = await super.open(sessionId, meta);
      const append = async (events) => {
        if (this.isBroken) throw Object.assign(new Error("gone"), { code: "broken" });
        await writer.append(events);
      };
      const describe = (facts) => writer.describe(facts);
      return { sessionId, lastSequence: writer.lastSequence, append, describe, close: () => writer.close() };
    }
  }
  const store = new BreakingStore();
  const own = await startServer({ store });
  t.after(() => own.stop());
  await own.client.createSession("s", { agent: "claude" });
  const reading = async () => {
    for await (const { type, data } of own.client.streamTurn("s", "permission")) {
      if (type !== "permission.requested") continue;
      store.isBroken = true;
      await own.client.replyPermission("s", data.permission_id, "once");
    }
  };
  await assert.rejects(reading(), { name: "ClientError", code: "unreachable" });
});

test("common words for modes become the agent's own", async () => {
  await client.createSession("planned", { agent: "claude", agentMode: "plan" });
  const { agentMode, permissionMode } = await client.getSession("planned");
  assert.deepEqual({ agentMode, permissionMode }, { agentMode: "plan", permissionMode: "plan" });
  await client.terminate("planned");
  await assert.rejects(
    client.createSession("x", { agent: "pi", permissionMode: "bypass" }),
    problem(400, "unsupported_mode"),
  );
  await assert.rejects(
    client.createSession("x", { agent: "claude", agentMode: "dance" }),
    problem(400, "unsupported_mode"),
  );
});

test("what is wrong with a request is said, as a problem", async () => {
  await assert.rejects(client.getEvents("nowhere"), problem(404, "unknown_session"));
  await assert.rejects(
    until(client.streamEvents("nowhere"), () => true),
    problem(404, "unknown_session"),
  );
  await assert.rejects(client.createSession("x", { agent: "nobody" }), problem(400, "unknown_agent"));
  await assert.rejects(client.createSession("x", { agent: "claude", directory: "/no/such" }), problem(400, "bad_cwd"));
  const refusals = [
    ["/v1/sessions/x", json({}), 400, "bad_request", /`agent`/],
    ["/v1/sessions/x", json({ agent: 7 }), 400, "bad_request", /`agent` must be a string/],
    ["/v1/sessions/x", { ...json({}), body: "{" }, 400, "bad_request", /JSON/],
    ["/v1/sessions/x", { ...json({}), headers: { "content-type": "text/plain" } }, 415, "not_json", /JSON/],
    ["/v1/sessions/x/permissions/p/reply", json({ reply: "maybe" }), 400, "bad_request", /accept, .*, always/],
    ["/v1/sessions/x/questions/q/reply", json({ answers: ["a"] }), 400, "bad_request", /array/],
    ["/v1/sessions/x/messages", json({ parts: [{ type: "image", mime: "a" }] }), 400, "bad_request", /have `data`/],
    ["/v1/sessions/x/messages", json({ parts: [{ type: "song" }] }), 400, "bad_request", /`type`: text, image, file/],
    ["/v1/sessions/x/messages", json({ parts: ["a"] }), 400, "bad_request", /`type`: text, image, file/],
    ["/v1/sessions/x/events?offset=-1", {}, 400, "bad_request", /offset/],
    ["/v1/sessions/x/events?include_raw=perhaps", {}, 400, "bad_request", /include_raw/],
    ["/v1/sessions/x/messages", { method: "PUT" }, 405, "wrong_method", /PUT/],
    ["/v1/nothing", {}, 404, "unknown_path", /nothing/],
  ];
  for (const [path, init, status, code, detail] of refusals) {
    const response = await server.call(path, init);
    assert.equal(response.headers.get("content-type"), "application/problem+json");
    const body = await response.json();
    assert.deepEqual([response.status, body.status, body.code], [status, status, code], path);
    assert.match(body.detail, detail);
    assert.match(body.type, /^urn:interlinear:error:/);
    assert.ok(body.title !== "" && body.cure !== "");
  }
});

test("HEAD says what GET would, without a body, and a wrong method is told which are right", async () => {
  await client.createSession("headed", { agent: "claude" });
  for (const path of ["/v1/health", "/v1/sessions", "/v1/sessions/headed/events/sse", "/v1/sessions/headed"]) {
    const [head, get] = await Promise.all([server.call(path, { method: "HEAD" }), server.call(path)]);
    assert.equal(head.status, 200, path);
    assert.equal(head.headers.get("content-type"), get.headers.get("content-type"));
    assert.equal(await head.text(), "");
    await get.body.cancel();
  }
  assert.equal((await server.call("/v1/sessions/nobody", { method: "HEAD" })).status, 404);
  assert.equal((await fetch(`${server.url}/v1/sessions`, { method: "HEAD" })).status, 401);
  const refused = await server.call("/v1/sessions/headed", { method: "PATCH" });
  assert.deepEqual([refused.status, refused.headers.get("allow")], [405, "POST, GET, HEAD, DELETE"]);
  const health = await server.call("/v1/health", { method: "POST" });
  assert.equal(health.headers.get("allow"), "GET, HEAD");
  await client.terminate("headed");
});

test("a client that goes away in the middle of a body is no failure of the server", async (t) => {
  const errors = [];
  const own = await startServer({ onError: (error) => errors.push(error) });
  t.after(() => own.stop());
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", "content-length": 100 };
  const call = request(`${own.url}/v1/sessions/gone`, { method: "POST", headers });
  call.on("error", () => {});
  call.write('{"agent":');
  await new Promise((resolve) => setTimeout(resolve, 200));
  call.destroy();
  await new Promise((resolve) => setTimeout(resolve, 200));
  assert.deepEqual(errors, []);
});

test("a body that is too large is refused before it is read", async () => {
  const { port } = new URL(server.url);
  const status = await new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const sent = request({ port, method: "POST", path: "/v1/sessions/x", headers }, (response) => {
      resolve(response.statusCode);
      sent.destroy();
    });
    sent.on("error", reject);
    // It never ends: who waits for its end waits for ever.
    for (let count = 0; count < 20; count += 1) sent.write("x".repeat(10_000));
  });
  assert.equal(status, 413);
});

test("pages of listed origins may call, others may not", async () => {
  const asks = (origin) => ({
    method: "OPTIONS",
    headers: { origin, "access-control-request-method": "POST", "access-control-request-headers": "authorization" },
  });
  const allowed = await server.call("/v1/sessions", asks("https://app.example"));
  assert.equal(allowed.status, 204);
  assert.equal(allowed.headers.get("access-control-allow-origin"), "https://app.example");
  assert.match(allowed.headers.get("access-control-allow-headers"), /authorization/);
  const refused = await server.call("/v1/sessions", asks("https://evil.example"));
  assert.equal(refused.headers.get("access-control-allow-origin"), null);
  const listed = await server.call("/v1/sessions", { headers: { origin: "https://app.example" } });
  assert.equal(listed.headers.get("access-control-allow-origin"), "https://app.example");
  assert.equal((await server.call("/v1/sessions", { headers: { origin: "https://evil.example" } })).status, 403);
  assert.equal((await server.call("/v1/sessions", { headers: { origin: server.url } })).status, 200);
  const problem = await fetch(`${server.url}/v1/sessions`, { headers: { origin: "https://app.example" } });
  assert.equal(problem.headers.get("access-control-allow-origin"), "https://app.example", "problems can be read too");
});

test("no session id leaves the store's folder", async () => {
  for (const id of ["..%2F..%2Fescaped", "%2Fetc%2Fescaped", "a%00b", "..%5Cescaped"]) {
    const path = `/v1/sessions/${id}`;
    assert.equal((await server.call(path, json({ agent: "claude" }))).status, 200);
    assert.equal((await (await server.call(path)).json()).sessionId, decodeURIComponent(id));
    assert.equal((await server.call(`${path}/terminate`, { method: "POST" })).status, 204);
    assert.equal((await server.call(path, { method: "DELETE" })).status, 204);
  }
});

test("the handler needs no Node server", async () => {
  const headers = { authorization: `Bearer ${token}` };
  const response = await server.handler(new Request("http://any.example/v1/sessions", { headers }));
  assert.equal(response.status, 200);
});

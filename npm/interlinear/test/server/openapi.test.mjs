// The description of the API, against what the server really does.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import Ajv from "ajv/dist/2020.js";
import { json, startServer, until } from "./running.mjs";

let server;
let document;

before(async () => {
  server = await startServer();
  document = await (await server.call("/openapi.json")).json();
});
after(() => server.stop());

/** Checks answers against the document. */
function validator() {
  const ajv = new Ajv({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: "api", components: document.components });
  const absolute = (schema) => JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"api#/components'));
  return (path, method, status, type, body) => {
    const { schema } = document.paths[path][method].responses[status].content[type];
    const validate = ajv.compile(absolute(schema));
    assert.ok(validate(body), `${method} ${path}: ${ajv.errorsText(validate.errors)}`);
  };
}

// What that is stands in src/server/api.ts.
test("every path of the reference API is there", () => {
  const paths = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  for (const path of [
    "GET /v1/health",
    "GET /v1/agents",
    "GET /v1/agents/{agent}/models",
    "GET /v1/agents/{agent}/modes",
    "GET /v1/sessions",
    "POST /v1/sessions/{session_id}",
    "GET /v1/sessions/{session_id}",
    "POST /v1/sessions/{session_id}/messages",
    "POST /v1/sessions/{session_id}/messages/stream",
    "POST /v1/sessions/{session_id}/terminate",
    "GET /v1/sessions/{session_id}/events",
    "GET /v1/sessions/{session_id}/events/sse",
    "POST /v1/sessions/{session_id}/permissions/{permission_id}/reply",
    "POST /v1/sessions/{session_id}/questions/{question_id}/reply",
    "POST /v1/sessions/{session_id}/questions/{question_id}/reject",
  ]) {
    assert.ok(paths.includes(path), path);
  }
});

test("the document is whole: every reference leads somewhere, every operation has its own name", () => {
  const text = JSON.stringify(document);
  for (const [, name] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
    assert.ok(name in document.components.schemas, name);
  }
  assert.doesNotMatch(text, /\$defs/);
  const ids = Object.values(document.paths).flatMap((methods) => Object.values(methods).map((one) => one.operationId));
  assert.equal(new Set(ids).size, ids.length);
  assert.equal(document.openapi, "3.1.0");
});

test("answers are as described", async () => {
  const valid = validator();
  const get = async (path, described, status = 200, type = "application/json") => {
    const response = await server.call(path);
    assert.equal(response.status, status);
    valid(described, "get", status, type, await response.json());
  };
  const created = await server.call("/v1/sessions/s", json({ agent: "claude" }));
  valid("/v1/sessions/{session_id}", "post", 200, "application/json", await created.json());
  const turn = await until(server.client.streamTurn("s", "permission"), ({ type }) => type === "permission.requested");
  for (const event of turn) {
    valid("/v1/sessions/{session_id}/messages/stream", "post", 200, "text/event-stream", event);
  }
  await get("/v1/health", "/v1/health");
  await get("/v1/agents", "/v1/agents");
  await get("/v1/agents/claude/models", "/v1/agents/{agent}/models");
  await get("/v1/agents/claude/modes", "/v1/agents/{agent}/modes");
  await get("/v1/sessions", "/v1/sessions");
  await get("/v1/sessions/s", "/v1/sessions/{session_id}");
  await get("/v1/sessions/s/events?include_raw=true", "/v1/sessions/{session_id}/events");
  await get("/v1/sessions/s/events?include_silent=true", "/v1/sessions/{session_id}/events");
  await get("/v1/sessions/t", "/v1/sessions/{session_id}", 404, "application/problem+json");
  await server.client.terminate("s");
});

// Every event that the Rust tests produced is valid against the published JSON Schema, for an independent validator.
//
// `cargo test -p interlinear-core` leaves its events, one file a fixture, under target/tmp/events.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import Ajv from "ajv/dist/2020.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const target = process.env.CARGO_TARGET_DIR ?? join(root, "target");
const schema = JSON.parse(readFileSync(join(root, "npm/interlinear/schema/universal-event.schema.json"), "utf8"));
const validate = new Ajv({ allErrors: false, strict: true, strictTypes: false }).compile(schema);

const event = (type, data, more = {}) => ({
  event_id: "s-1",
  sequence: 1,
  time: "2026-01-01T00:00:00.000Z",
  session_id: "s",
  source: "agent",
  synthetic: false,
  type,
  data,
  raw: null,
  ...more,
});
const item = (more) => ({ item: { item_id: "i", kind: "message", status: "completed", content: [], ...more } });
const parts = (...content) => event("item.completed", item({ content }));

test("an event of every type is valid", () => {
  const permission = { permission_id: "p", action: "Bash", status: "requested", options: ["accept", "reject"] };
  const question = { question_id: "q", prompt: "Go on?", options: ["Yes"], status: "answered", answers: [["Yes"]] };
  for (const good of [
    event("session.started", { metadata: { agent: "claude", form: "live", of_the_host: 1 } }),
    event("session.ended", { reason: "error", terminated_by: "agent", message: "no", exit_code: 1 }),
    event("turn.started", { phase: "started" }),
    event("turn.ended", { phase: "ended", turn_id: "t", metadata: { status: "failed", usage: { cost_usd: 0.1 } } }),
    event("item.started", item({ role: "user", status: "in_progress", parent_id: "m", agent_id: "a" })),
    event("item.delta", { item_id: "i", delta: "x", part_type: "reasoning", part_index: 0, replace: true }),
    parts({ type: "text", text: "" }, { type: "status", label: "retry" }, { type: "json", json: null }),
    event("permission.requested", permission),
    event("permission.resolved", { ...permission, status: "accept_for_session", metadata: { input: {} } }),
    event("question.requested", { ...question, status: "requested" }),
    event("question.resolved", question),
    event("error", { message: "no", code: "rate_limit", details: [1], will_retry: true }),
    event("agent.unparsed", { error: "eof", location: "claude stdout 3" }, { raw: "{" }),
  ]) {
    assert.ok(validate(good), `${good.type}: ${JSON.stringify(validate.errors)}`);
  }
});

test("what is not ours is refused", () => {
  const { raw: _raw, ...withoutRaw } = event("turn.started", { phase: "started" });
  for (const bad of [
    withoutRaw,
    event("item.paused", {}),
    event("turn.started", { phase: "paused" }),
    event("turn.started", { phase: "started", turn: 1 }),
    event("turn.started", { phase: "started", turn_id: null }),
    event("turn.started", { phase: "started" }, { surprise: true }),
    event("turn.started", { phase: "started" }, { sequence: 0 }),
    event("turn.ended", { phase: "ended", metadata: { usage: { input_tokens: "many" } } }),
    event("item.delta", { item_id: "i" }),
    event("permission.resolved", { permission_id: "p", action: "Bash", status: "approved" }),
    parts({ type: "hologram" }),
    parts({ type: "text", text: "", colour: "red" }),
    parts({ type: "status", label: "weather" }),
    parts({ type: "tool_call", name: "Bash", arguments: {}, call_id: "c" }),
  ]) {
    assert.ok(!validate(bad), `accepted: ${JSON.stringify(bad)}`);
  }
});

test("every event that a test produced is valid", () => {
  const folder = join(target, "tmp/events");
  assert.ok(existsSync(folder), `${folder} is not there: run \`cargo test -p interlinear-core\` first`);
  const invalid = [];
  let events = 0;
  for (const name of readdirSync(folder).sort()) {
    const lines = readFileSync(join(folder, name), "utf8").split("\n");
    for (const line of lines.filter(Boolean)) {
      events += 1;
      const produced = JSON.parse(line);
      if (!validate(produced)) {
        invalid.push(`${name} ${produced.sequence} ${produced.type}: ${JSON.stringify(validate.errors?.at(-1))}`);
        break;
      }
    }
  }
  assert.deepEqual(invalid, []);
  assert.ok(events > 0, "no event was produced");
});

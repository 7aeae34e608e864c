import assert from "node:assert/strict";
import { test } from "node:test";
import { fold } from "interlinear";
import { call, frozen, itemEvents, message, random, result, status, story } from "./story.mjs";

/** A session in which anything may happen, in an order that the contract allows and some that it does not. */
function anySession(seed) {
  const below = random(seed);
  const event = story();
  const events = [event("session.started", { metadata: { agent: "claude" } })];
  const ids = [];
  const calls = [];
  const parent = () => (ids.length > 0 && below(2) === 0 ? { parent_id: ids[below(ids.length)] } : {});
  const newId = (prefix) => {
    ids.push(`${prefix}${ids.length}`);
    return ids.at(-1);
  };
  const happenings = [
    () => [event("turn.started", { phase: "started", turn_id: `t${below(5)}` })],
    () => [
      event("turn.ended", {
        phase: "ended",
        turn_id: `t${below(5)}`,
        metadata: { status: "completed", usage: { input_tokens: below(9) } },
      }),
    ],
    () =>
      itemEvents(event, message(newId("m"), "abc", parent()), [
        { delta: "a" },
        { delta: "b", part_index: 0 },
        { delta: "c" },
      ]),
    () =>
      itemEvents(event, message(newId("m"), "", parent()), [
        { delta: "?", part_type: "reasoning", part_index: below(3) },
      ]),
    () => {
      calls.push(`call${calls.length}`);
      return itemEvents(event, call(newId("c"), calls.at(-1), parent()), [{ delta: "{}", part_type: "tool_call" }]);
    },
    () =>
      itemEvents(event, result(newId("r"), calls[below(calls.length + 1)] ?? "never", "out"), [
        { delta: "o", part_type: "tool_result" },
        { delta: "out", part_type: "tool_result", replace: true },
      ]),
    () =>
      itemEvents(event, status(newId("s"), { label: "session" }, { type: "json", json: { model: `m${below(3)}` } })),
    () => itemEvents(event, status(newId("s"), { label: "retracted", retracts: [ids[below(ids.length)] ?? "never"] })),
    () => [
      event("permission.requested", {
        permission_id: `p${below(4)}`,
        action: "x",
        status: "requested",
        tool_call_id: calls[below(calls.length + 1)],
      }),
    ],
    () => [event("permission.resolved", { permission_id: `p${below(4)}`, action: "x", status: "accept" })],
    () => [event("question.requested", { question_id: `q${below(4)}`, prompt: "?", options: [], status: "requested" })],
    () => [event("question.resolved", { question_id: `q${below(4)}`, prompt: "?", options: [], status: "rejected" })],
    () => [event("error", { message: "no", turn_id: `t${below(5)}` })],
    () => [event("agent.unparsed", { error: "no", location: "line 1" })],
    () => [event("agent.dreamed", { of: "sheep" })],
    () => [event("item.delta", { item_id: ids[below(ids.length)] ?? "never", delta: "late" })],
  ];
  for (let n = 0; n < 40; n += 1) events.push(...happenings[below(happenings.length)]());
  return frozen(events);
}

test("however the events are cut into batches, the transcript is the same", () => {
  for (let seed = 1; seed <= 300; seed += 1) {
    const events = anySession(seed);
    const whole = fold(undefined, events);
    const below = random(seed * 7919);
    let cut = fold(undefined, []);
    for (let at = 0; at < events.length; ) {
      const next = at + 1 + below(1 + (seed % 9));
      cut = frozen(fold(cut, events.slice(at, next)));
      at = next;
    }
    assert.deepEqual(cut, whole, `seed ${seed}`);
  }
});

test("a delta costs the same at the end of a long session as at its beginning", () => {
  const event = story();
  let transcript = fold(undefined, [event("session.started", {})]);
  const turn = () => [
    event("turn.started", { phase: "started" }),
    ...Array.from({ length: 20 }, (_, n) => itemEvents(event, message(`m${transcript.sequence}-${n}`, "text"))).flat(),
    event("turn.ended", { phase: "ended" }),
  ];
  const microsecondsFor = (deltas) => {
    const id = `open-${transcript.sequence}`;
    transcript = fold(transcript, [
      event("turn.started", { phase: "started" }),
      event("item.started", { item: { ...message(id, ""), status: "in_progress" } }),
    ]);
    const began = process.cpuUsage().user;
    for (let n = 0; n < deltas; n += 1)
      transcript = fold(transcript, [event("item.delta", { item_id: id, delta: "word " })]);
    const took = process.cpuUsage().user - began;
    transcript = fold(transcript, [event("turn.ended", { phase: "ended" })]);
    return took;
  };
  microsecondsFor(20_000);
  const early = Math.min(microsecondsFor(20_000), microsecondsFor(20_000), microsecondsFor(20_000));
  for (let n = 0; n < 1000; n += 1) transcript = fold(transcript, turn());
  const late = Math.min(microsecondsFor(20_000), microsecondsFor(20_000), microsecondsFor(20_000));
  // 20,000 items stand before it now. What grows is the list of turns, which a delta copies: far from linear.
  assert.ok(late < early * 8, `${early} µs at the beginning, ${late} µs at the end`);
});

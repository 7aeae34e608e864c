import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { convert, fold } from "interlinear";
import { read, transcripts } from "../fixtures.mjs";
import { frozen } from "./story.mjs";

/** All entries of a transcript, results included, in the order in which they are drawn. */
function* entriesOf(transcript) {
  const below = function* (entry) {
    yield entry;
    for (const child of entry.children) yield* below(child);
    if (entry.result) yield* below(entry.result);
  };
  for (const turn of transcript.turns) for (const entry of turn.entries) yield* below(entry);
}

/** The events of each session. */
function bySession(events) {
  const sessions = new Map(events.map((event) => [event.session_id, []]));
  for (const event of events) sessions.get(event.session_id).push(event);
  return sessions;
}

/** What the events say that there is: the final item of each item id. */
function itemsOf(events) {
  const completed = events.filter((event) => event.type === "item.completed");
  return new Map(completed.map((event) => [event.data.item.item_id, event.data.item]));
}

const count = (events, type) => events.filter((event) => event.type === type).length;

describe("every real session", () => {
  for (const fixture of transcripts()) {
    for (const [id, events] of bySession(convert(read(fixture)))) {
      test(`${fixture.name} ${id}`, () => {
        frozen(events);
        const whole = fold(undefined, events);
        const entries = [...entriesOf(whole)];
        const items = entries.filter((entry) => entry.type === "item").map((entry) => entry.item);
        const byId = (a, b) => (a.item_id < b.item_id ? -1 : 1);
        assert.deepEqual(
          items.toSorted(byId),
          [...itemsOf(events).values()].sort(byId),
          "each item stands there once, as it ended",
        );
        assert.deepEqual(whole.pending, [], "nothing waits in a session that is over");
        assert.equal(whole.session.status, "ended");
        assert.equal(whole.missed, 0);
        assert.equal(whole.turns.filter((turn) => turn.status !== "outside").length, count(events, "turn.started"));
        assert.equal(whole.errors.length, count(events, "error"));
        for (const { item, result } of entries) {
          if (item?.kind === "tool_call") assert.ok(result, `${item.item_id} has its result`);
        }
        assert.deepEqual(
          events.reduce((state, event) => frozen(fold(state, [event])), undefined),
          whole,
          "event by event it is the same",
        );
      });
    }
  }
});

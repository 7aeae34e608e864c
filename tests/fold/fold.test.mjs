import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { emptyTranscript, fold, foldSessions } from "interlinear";
import { call, frozen, itemEvents, message, result, status, story } from "./story.mjs";

/** The first entry of the first turn. */
const firstEntry = (transcript) => transcript.turns[0].entries[0];

describe("the session", () => {
  test("a transcript without events is empty", () => {
    assert.equal(fold(undefined, []), emptyTranscript);
    assert.equal(emptyTranscript.session.status, "waiting");
  });

  test("facts of the start and of later status items are merged, the newest on top", () => {
    const event = story();
    const { session, turns } = fold(undefined, [
      event("session.started", { metadata: { agent: "claude", form: "live", model: "a" } }),
      ...itemEvents(event, status("i1", { label: "session" }, { type: "json", json: { model: "b", cwd: "/demo" } })),
      ...itemEvents(event, status("i2", { label: "title", detail: "Hello" })),
      ...itemEvents(event, status("i3", { label: "mode", detail: "plan" }, { type: "json", json: { mode: "plan" } })),
      ...itemEvents(event, status("i4", { label: "mode", detail: "review: all changes" })),
    ]);
    const said = { model: "b", cwd: "/demo", title: "Hello", mode: "plan" };
    assert.deepEqual(session.facts, { agent: "claude", form: "live", ...said });
    assert.equal(session.status, "running");
    assert.deepEqual(
      turns.map((turn) => turn.status),
      ["outside"],
    );
    assert.equal(turns[0].entries.length, 4);
  });

  test("json beside another status is not a fact", () => {
    const event = story();
    const { session } = fold(undefined, [
      event("session.started", {}),
      ...itemEvents(event, status("i1", { label: "notice" }, { type: "json", json: { model: "no" } })),
    ]);
    assert.deepEqual(session.facts, {});
  });

  test("its end says how it ended", () => {
    const event = story();
    const end = { reason: "error", terminated_by: "agent", exit_code: 1, message: "no" };
    const { session } = fold(undefined, [event("session.started", {}), event("session.ended", end)]);
    assert.deepEqual(
      [session.status, session.end, session.started_at, session.ended_at],
      ["ended", end, "2026-01-01T00:00:01.000Z", "2026-01-01T00:00:02.000Z"],
    );
  });

  test("the native id is the newest one", () => {
    const event = story();
    const { session } = fold(undefined, [
      event("session.started", {}),
      event("turn.started", { phase: "started" }, { native_session_id: "n1" }),
      event("turn.ended", { phase: "ended" }, { native_session_id: "n2" }),
    ]);
    assert.equal(session.native_session_id, "n2");
  });
});

describe("turns", () => {
  test("they carry how they ended, and usage adds up", () => {
    const event = story();
    const turn = (turn_id, metadata) => [
      event("turn.started", { phase: "started", turn_id }),
      event("turn.ended", { phase: "ended", turn_id, metadata }),
    ];
    const { turns, usage } = fold(undefined, [
      event("session.started", {}),
      ...turn("t1", { status: "completed", usage: { input_tokens: 2, cost_usd: 0.5 } }),
      ...turn("t2", { status: "interrupted", usage: { input_tokens: 3, output_tokens: 1 } }),
    ]);
    assert.deepEqual(
      turns.map((turn) => turn.status),
      ["completed", "interrupted"],
    );
    assert.deepEqual(turns[1].metadata.usage, { input_tokens: 3, output_tokens: 1 });
    assert.deepEqual(usage, { input_tokens: 5, output_tokens: 1, cost_usd: 0.5 });
  });

  test("what happens between turns stands between them", () => {
    const event = story();
    const { turns } = fold(undefined, [
      event("turn.started", { phase: "started", turn_id: "t1" }),
      event("turn.ended", { phase: "ended", turn_id: "t1" }),
      ...itemEvents(event, message("late", "between")),
      ...itemEvents(event, message("later", "between too")),
      event("turn.started", { phase: "started", turn_id: "t2" }),
      ...itemEvents(event, message("m", "within")),
    ]);
    assert.deepEqual(
      turns.map((turn) => [turn.status, turn.entries.length]),
      [
        ["completed", 0],
        ["outside", 2],
        ["running", 1],
      ],
    );
  });

  test("an item that names an earlier turn stands in that turn", () => {
    const event = story();
    const { turns } = fold(undefined, [
      event("turn.started", { phase: "started", turn_id: "t1" }),
      event("turn.ended", { phase: "ended", turn_id: "t1" }),
      event("turn.started", { phase: "started", turn_id: "t2" }),
      ...itemEvents(event, message("m", "of the first", { turn_id: "t1" })),
    ]);
    assert.deepEqual(
      turns.map((turn) => turn.entries.length),
      [1, 0],
    );
  });

  test("a turn whose start was missed is a turn all the same", () => {
    const event = story();
    const { turns } = fold(undefined, [
      event("turn.ended", { phase: "ended", turn_id: "t", metadata: { status: "failed" } }),
    ]);
    assert.deepEqual(
      turns.map(({ turn_id, status, started_at }) => ({ turn_id, status, started_at })),
      [{ turn_id: "t", status: "failed", started_at: undefined }],
    );
  });
});

describe("streaming", () => {
  test("text grows by its deltas", () => {
    const event = story();
    const [started, one, two, completed] = itemEvents(event, message("m", "Hello you"), [
      { delta: "Hello" },
      { delta: " you" },
    ]);
    const half = fold(undefined, [started, one]);
    assert.deepEqual(firstEntry(half).item.content, [{ type: "text", text: "Hello" }]);
    assert.equal(firstEntry(half).item.status, "in_progress");
    const whole = fold(half, [two, completed]);
    assert.deepEqual(firstEntry(whole).item.content, [{ type: "text", text: "Hello you" }]);
    assert.equal(firstEntry(whole).item.status, "completed");
    assert.deepEqual([firstEntry(whole).first, firstEntry(whole).last], [1, 4]);
  });

  test("the parts of a message grow each in its place", () => {
    const event = story();
    const delta = (data) => event("item.delta", { item_id: "m", ...data });
    const transcript = fold(undefined, [
      event("item.started", { item: { ...message("m", ""), status: "in_progress", content: [] } }),
      delta({ delta: "hm", part_type: "reasoning", part_index: 0 }),
      delta({ delta: "Hel", part_index: 1 }),
      delta({ delta: "m", part_type: "reasoning", part_index: 0 }),
      delta({ delta: "lo", part_index: 1 }),
      delta({ delta: " you" }),
    ]);
    assert.deepEqual(firstEntry(transcript).item.content, [
      { type: "reasoning", text: "hmm", visibility: "public" },
      { type: "text", text: "Hello you" },
    ]);
  });

  test("arguments and output grow, and a replaced part starts anew", () => {
    const event = story();
    const transcript = fold(undefined, [
      event("item.started", {
        item: { ...call("c", "1"), content: [{ type: "tool_call", name: "Bash", arguments: "", call_id: "1" }] },
      }),
      event("item.delta", { item_id: "c", delta: '{"a"', part_type: "tool_call" }),
      event("item.delta", { item_id: "c", delta: ":1}", part_type: "tool_call" }),
      event("item.started", { item: { ...result("r", "1", ""), status: "in_progress" } }),
      event("item.delta", { item_id: "r", delta: "line 1", part_type: "tool_result" }),
      event("item.delta", { item_id: "r", delta: "line 2", part_type: "tool_result", replace: true }),
    ]);
    assert.equal(firstEntry(transcript).item.content[0].arguments, '{"a":1}');
    assert.equal(firstEntry(transcript).result.item.content[0].output, "line 2");
  });

  test("a part of a kind that is not known is kept beside the one that grows", () => {
    const event = story();
    const hologram = { type: "hologram", rays: 3 };
    const transcript = fold(undefined, [
      event("item.started", { item: { ...message("m", ""), content: [hologram] } }),
      event("item.delta", { item_id: "m", delta: "Hi", part_index: 0 }),
    ]);
    assert.deepEqual(firstEntry(transcript).item.content, [hologram, { type: "text", text: "Hi" }]);
  });

  test("what is said about a completed item changes nothing", () => {
    const event = story();
    const events = itemEvents(event, message("m", "done"), [{ delta: "done" }]);
    const before = fold(undefined, events);
    const after = fold(before, [
      event("item.delta", { item_id: "m", delta: " late" }),
      event("item.started", { item: message("m", "") }),
    ]);
    assert.equal(firstEntry(after), firstEntry(before));
  });

  test("a delta whose item never began makes one, and the final item says what it is", () => {
    const event = story();
    const [, delta, completed] = itemEvents(event, message("m", "Hi"), [{ delta: "Hi" }]);
    const half = fold(undefined, [delta]);
    assert.deepEqual(
      [firstEntry(half).item.kind, firstEntry(half).item.content],
      ["unknown", [{ type: "text", text: "Hi" }]],
    );
    assert.equal(half.missed, 1);
    assert.equal(firstEntry(fold(half, [completed])).item.kind, "message");
  });
});

describe("the tree", () => {
  test("calls hang below their message, results beside their calls, subagents below the call", () => {
    const event = story();
    const transcript = fold(undefined, [
      ...itemEvents(event, message("m", "I look")),
      ...itemEvents(event, call("c1", "1", { parent_id: "m" })),
      ...itemEvents(event, call("c2", "2", { parent_id: "m" })),
      ...itemEvents(event, message("sub", "inner", { parent_id: "c1", agent_id: "a" })),
      ...itemEvents(event, call("c3", "3", { parent_id: "sub", agent_id: "a" })),
      ...itemEvents(event, result("r3", "3", "inner output", { parent_id: "sub", agent_id: "a" })),
      ...itemEvents(event, result("r2", "2", "two", { parent_id: "m" })),
      ...itemEvents(event, result("r1", "1", "one", { parent_id: "m" })),
    ]);
    const shape = (entry) => [
      entry.item.item_id,
      entry.children.map(shape),
      ...(entry.result ? [entry.result.item.item_id] : []),
    ];
    assert.deepEqual(transcript.turns[0].entries.map(shape), [
      [
        "m",
        [
          ["c1", [["sub", [["c3", [], "r3"]]]], "r1"],
          ["c2", [], "r2"],
        ],
      ],
    ]);
  });

  test("a result without its call, and an item without its parent, stand in the turn", () => {
    const event = story();
    const transcript = fold(undefined, [
      ...itemEvents(event, result("r", "never", "output")),
      ...itemEvents(event, message("m", "orphan", { parent_id: "never" })),
    ]);
    assert.deepEqual(
      transcript.turns[0].entries.map((entry) => entry.item.item_id),
      ["r", "m"],
    );
  });

  test("a second result of the same call is not lost", () => {
    const event = story();
    const transcript = fold(undefined, [
      ...itemEvents(event, call("c", "1")),
      ...itemEvents(event, result("r1", "1", "first")),
      ...itemEvents(event, result("r2", "1", "second")),
    ]);
    assert.deepEqual(
      transcript.turns[0].entries.map((entry) => [entry.item.item_id, entry.result?.item.item_id]),
      [
        ["c", "r1"],
        ["r2", undefined],
      ],
    );
  });

  test("items that are taken back are marked", () => {
    const event = story();
    const transcript = fold(undefined, [
      ...itemEvents(event, message("m1", "no")),
      ...itemEvents(event, message("m2", "yes")),
      ...itemEvents(event, status("s", { label: "retracted", retracts: ["m1", "never"] })),
    ]);
    assert.deepEqual(
      transcript.turns[0].entries.map((entry) => entry.retracted),
      [true, false, false],
    );
  });

  test("things to do are those of the main agent, as last shown", () => {
    const event = story();
    const todos = (text) => [{ text, status: "pending" }];
    const transcript = fold(undefined, [
      ...itemEvents(event, {
        ...result("r1", "1", ""),
        content: [{ type: "tool_result", call_id: "1", output: "", todos: todos("old") }],
      }),
      ...itemEvents(event, status("s", { label: "notice", todos: todos("new") })),
      ...itemEvents(event, { ...status("sub", { label: "notice", todos: todos("not mine") }), agent_id: "a" }),
    ]);
    assert.deepEqual(transcript.todos, todos("new"));
  });

  test("parents that reach a thousand deep neither fail nor lose an item", () => {
    const event = story();
    const events = Array.from({ length: 1000 }, (_, n) =>
      itemEvents(event, message(`m${n}`, "x", n > 0 ? { parent_id: `m${n - 1}` } : {})),
    ).flat();
    const count = (entries) => entries.reduce((sum, entry) => sum + 1 + count(entry.children), 0);
    assert.equal(count(fold(undefined, events).turns[0].entries), 1000);
  });
});

describe("permissions and questions", () => {
  const asked = { permission_id: "p", action: "Bash", status: "requested", tool_call_id: "1", title: "ls" };

  test("a permission hangs below its call, waits, and keeps what was asked when it is answered", () => {
    const event = story();
    const waiting = fold(undefined, [...itemEvents(event, call("c", "1")), event("permission.requested", asked)]);
    assert.deepEqual(
      waiting.pending.map((entry) => entry.permission),
      [asked],
    );
    assert.equal(firstEntry(waiting).children[0], waiting.pending[0]);
    const answered = fold(waiting, [
      event("permission.resolved", { permission_id: "p", action: "Bash", status: "accept" }),
    ]);
    assert.deepEqual(answered.pending, []);
    assert.deepEqual(firstEntry(answered).children[0].permission, { ...asked, status: "accept" });
    assert.equal(firstEntry(answered).children[0].resolved_at, "2026-01-01T00:00:04.000Z");
  });

  test("a question waits, and is answered", () => {
    const event = story();
    const question = { question_id: "q", prompt: "Which?", options: ["a", "b"], status: "requested" };
    const waiting = fold(undefined, [event("question.requested", question)]);
    assert.deepEqual(
      waiting.pending.map((entry) => entry.question),
      [question],
    );
    const answered = fold(waiting, [event("question.resolved", { ...question, status: "answered", response: "b" })]);
    assert.deepEqual([answered.pending, firstEntry(answered).question.response], [[], "b"]);
  });

  test("an answer to what was never asked is an entry and does not wait", () => {
    const event = story();
    const transcript = fold(undefined, [event("permission.resolved", { ...asked, status: "reject" })]);
    assert.deepEqual([transcript.pending, firstEntry(transcript).permission.status], [[], "reject"]);
  });
});

describe("nothing is lost", () => {
  test("errors and lines that could not be read stand in their place and in a list", () => {
    const event = story();
    const transcript = fold(undefined, [
      event("error", { message: "overloaded", will_retry: true }),
      event("agent.unparsed", { error: "no JSON", location: "claude stdout line 3" }),
    ]);
    assert.deepEqual(transcript.turns[0].entries, [...transcript.errors, ...transcript.unparsed]);
    assert.equal(transcript.errors[0].error.message, "overloaded");
    assert.equal(transcript.unparsed[0].unparsed.location, "claude stdout line 3");
  });

  test("an event of a type that is not known is kept whole", () => {
    const event = story();
    const unknown = event("agent.dreamed", { of: "sheep" });
    assert.equal(firstEntry(fold(undefined, [unknown])).event, unknown);
  });

  test("events that were folded before change nothing", () => {
    const event = story();
    const events = [event("session.started", {}), ...itemEvents(event, message("m", "Hi"), [{ delta: "Hi" }])];
    const transcript = fold(undefined, events);
    assert.equal(fold(transcript, events), transcript);
  });

  test("events that never came are counted", () => {
    const event = story();
    const events = [
      event("session.started", {}),
      ...itemEvents(event, message("m", "Hi"), [{ delta: "H" }, { delta: "i" }]),
    ];
    assert.equal(fold(undefined, [events[0], events[1], events[4]]).missed, 2);
  });
});

describe("several sessions", () => {
  test("events of another session leave a transcript as it is", () => {
    const one = story("one");
    const transcript = fold(undefined, [one("session.started", {})]);
    const other = story("other");
    other("session.started", {});
    assert.equal(fold(transcript, [other("error", { message: "not mine" })]), transcript);
  });

  test("foldSessions takes any identifier", () => {
    for (const id of ["constructor", "__proto__", "toString"]) {
      const event = story(id);
      const begun = foldSessions(undefined, [event("session.started", {})]);
      assert.deepEqual(Object.keys(begun), [id]);
      const failed = foldSessions(begun, [event("error", { message: "no" })]);
      assert.equal(Object.entries(failed)[0][1].errors.length, 1);
    }
  });

  test("foldSessions keeps a transcript for each, and those without news keep their identity", () => {
    const one = story("one");
    const two = story("two");
    const both = foldSessions(undefined, [one("session.started", {}), two("session.started", {})]);
    assert.deepEqual(Object.keys(both), ["one", "two"]);
    const next = foldSessions(both, [two("error", { message: "mine" })]);
    assert.equal(next.one, both.one);
    assert.equal(next.two.errors.length, 1);
    assert.equal(foldSessions(next, []), next);
  });
});

describe("sharing", () => {
  test("a delta changes only what holds its item", () => {
    const event = story();
    const before = frozen(
      fold(undefined, [
        event("session.started", {}),
        event("turn.started", { phase: "started", turn_id: "t1" }),
        ...itemEvents(event, message("m1", "one")),
        event("turn.ended", { phase: "ended", turn_id: "t1" }),
        event("turn.started", { phase: "started", turn_id: "t2" }),
        ...itemEvents(event, message("m2", "two")),
        ...itemEvents(event, call("c", "1", { parent_id: "m2" })),
        event("item.started", { item: { ...result("r", "1", ""), status: "in_progress" } }),
      ]),
    );
    const after = fold(before, frozen([event("item.delta", { item_id: "r", delta: "x", part_type: "tool_result" })]));
    assert.equal(after.session, before.session);
    assert.equal(after.errors, before.errors);
    assert.equal(after.turns[0], before.turns[0]);
    assert.notEqual(after.turns[1], before.turns[1]);
    assert.equal(after.turns[1].entries[0].item, before.turns[1].entries[0].item);
    assert.equal(after.turns[1].entries[0].children[0].item, before.turns[1].entries[0].children[0].item);
    assert.equal(after.turns[1].entries[0].children[0].result.item.content[0].output, "x");
    assert.equal(before.turns[1].entries[0].children[0].result.item.content[0].output, "");
  });

  test("parts whose final form is what was streamed keep their identity", () => {
    const event = story();
    const events = itemEvents(event, message("m", "Hello"), [{ delta: "Hello" }]);
    const streamed = fold(undefined, events.slice(0, -1));
    const final = fold(streamed, events.slice(-1));
    assert.equal(firstEntry(final).item.content, firstEntry(streamed).item.content);
  });

  test("a transcript can be folded on in two ways, and from its JSON", () => {
    const events = (text) => {
      const event = story();
      return [
        event("session.started", {}),
        ...itemEvents(event, call("c", "1")),
        ...itemEvents(event, message(`m-${text}`, text)),
        ...itemEvents(event, result("r", "1", text, {})),
      ];
    };
    const base = fold(undefined, events("one").slice(0, 3));
    const one = fold(base, events("one").slice(3));
    const two = fold(base, events("two").slice(3));
    const again = fold(JSON.parse(JSON.stringify(base)), events("one").slice(3));
    assert.deepEqual(one, fold(undefined, events("one")));
    assert.deepEqual(two, fold(undefined, events("two")));
    assert.deepEqual(again, one);
  });
});

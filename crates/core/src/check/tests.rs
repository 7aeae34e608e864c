//! For every rule that can be seen from the events: a stream that keeps it and streams that break it.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(clippy::needless_pass_by_value, reason = "JSON is written where it is passed")]

use serde_json::{Value, json};

use super::Checker;

/// A stream that is written event by event; the envelope is filled in and can be changed.
#[derive(Default)]
struct Stream(Vec<Value>);

impl Stream {
    /// A session that has started.
    fn new() -> Self {
        Self::default().add("session.started", json!({}))
    }

    fn add(mut self, kind: &str, data: Value) -> Self {
        let sequence = self.0.len() + 1;
        self.0.push(json!({
            "event_id": format!("s-{sequence}"), "sequence": sequence, "time": "2026-01-01T00:00:00.000Z",
            "session_id": "s", "source": "agent", "synthetic": false, "type": kind, "data": data, "raw": null,
        }));
        self
    }

    /// Changes a field of the last event's envelope.
    fn with(mut self, field: &str, value: Value) -> Self {
        self.0.last_mut().unwrap()[field] = value;
        self
    }

    fn start(self, item: Value) -> Self {
        self.add("item.started", json!({ "item": with_status(item, "in_progress") }))
    }

    fn complete(self, item: Value) -> Self {
        self.add("item.completed", json!({ "item": with_status(item, "completed") }))
    }

    fn delta(self, item_id: &str, delta: &str) -> Self {
        self.add("item.delta", json!({ "item_id": item_id, "delta": delta }))
    }

    fn turn_started(self, id: &str) -> Self {
        self.add("turn.started", json!({ "phase": "started", "turn_id": id }))
    }

    fn turn_ended(self, id: &str) -> Self {
        self.add("turn.ended", json!({ "phase": "ended", "turn_id": id }))
    }

    /// An item that begins and ends at once.
    fn item(self, item: &Value) -> Self {
        self.start(item.clone()).complete(item.clone())
    }

    /// A tool call that is begun and completed.
    fn call(self, call_id: &str) -> Self {
        self.item(&call(call_id))
    }

    fn ended(self) -> Self {
        self.add("session.ended", json!({ "reason": "completed", "terminated_by": "agent" }))
    }

    fn check(&self, mut checker: Checker) -> Vec<(u32, String)> {
        for event in &self.0 {
            checker.json(&event.to_string());
        }
        checker.breaks().into_iter().map(|found| (found.rule, found.message)).collect()
    }

    #[track_caller]
    fn keeps_the_contract(&self) {
        assert_eq!(self.check(Checker::new()), []);
    }

    /// The stream breaks one rule, and the message says how.
    #[track_caller]
    fn breaks(&self, rule: u32, message: &str) {
        let breaks = self.check(Checker::new());
        let found = breaks.iter().any(|(broken, said)| *broken == rule && said.contains(message));
        assert!(found, "no break of rule {rule} with {message:?} in {breaks:#?}");
        assert!(breaks.iter().all(|(broken, _)| *broken == rule), "other rules too: {breaks:#?}");
    }
}

fn with_status(mut item: Value, status: &str) -> Value {
    if item.get("status").is_none() {
        item["status"] = status.into();
    }
    item
}

fn message(id: &str, text: &str) -> Value {
    let content = if text.is_empty() { json!([]) } else { json!([{ "type": "text", "text": text }]) };
    json!({ "item_id": id, "kind": "message", "role": "assistant", "content": content })
}

fn call(call_id: &str) -> Value {
    let part =
        json!({ "type": "tool_call", "name": "Bash", "arguments": "{}", "call_id": call_id, "tool_kind": "command" });
    json!({ "item_id": format!("{call_id}-call"), "kind": "tool_call", "content": [part] })
}

fn result(call_id: &str, output: &str) -> Value {
    let part = json!({ "type": "tool_result", "call_id": call_id, "output": output });
    json!({ "item_id": format!("{call_id}-result"), "kind": "tool_result", "content": [part] })
}

fn notice(id: &str) -> Value {
    json!({ "item_id": id, "kind": "status", "content": [{ "type": "status", "label": "notice" }] })
}

fn below(mut item: Value, parent_id: &str, agent_id: &str) -> Value {
    item["parent_id"] = parent_id.into();
    if !agent_id.is_empty() {
        item["agent_id"] = agent_id.into();
    }
    item
}

fn permission(id: &str, status: &str) -> Value {
    json!({ "permission_id": id, "action": "Bash", "status": status })
}

fn question(id: &str, status: &str) -> Value {
    json!({ "question_id": id, "prompt": "Go on?", "options": ["Yes", "No"], "status": status })
}

#[test]
fn a_whole_session_keeps_the_contract() {
    Stream::new()
        .turn_started("t1")
        .start(message("m1", ""))
        .delta("m1", "Hel")
        .delta("m1", "lo")
        .start(below(call("c1"), "m1", ""))
        .add("permission.requested", permission("p1", "requested"))
        .add("permission.resolved", permission("p1", "accept"))
        .complete(below(call("c1"), "m1", ""))
        .start(below(result("c1", ""), "m1", ""))
        .add(
            "item.delta",
            json!({ "item_id": "c1-result", "delta": "ok", "part_type": "tool_result", "part_index": 0 }),
        )
        .complete(below(result("c1", "ok"), "m1", ""))
        .complete(message("m1", "Hello"))
        .add("error", json!({ "message": "Overloaded", "turn_id": "t1" }))
        .turn_ended("t1")
        .ended()
        .keeps_the_contract();
}

#[test]
fn rule_1_sequences_rise_by_one_in_each_session() {
    Stream::new().item(&notice("a")).keeps_the_contract();
    Stream::new().item(&notice("a")).with("sequence", json!(7)).breaks(1, "sequence is 7, expected 3");
    Stream::new().with("sequence", json!(0)).breaks(1, "expected 1");
    let mut two = Stream::new().item(&notice("a"));
    two = two.add("session.started", json!({})).with("session_id", json!("other")).with("sequence", json!(1));
    two.keeps_the_contract();
}

#[test]
fn rule_1_event_ids_are_unique_over_all_sessions() {
    Stream::new().item(&notice("a")).with("event_id", json!("s-1")).breaks(1, "s-1 is not unique");
    Stream::new().with("event_id", json!("")).breaks(1, "event_id is empty");
    Stream::new().with("session_id", json!("")).breaks(1, "session_id is empty");
}

#[test]
fn rule_1_what_is_no_event_is_a_break() {
    let mut checker = Checker::new();
    checker.json("{\"session_id\":\"s\",\"sequence\":4}");
    checker.json("nonsense");
    let breaks = checker.breaks();
    assert_eq!(breaks.iter().map(|found| (found.rule, found.sequence)).collect::<Vec<_>>(), [(1, 4), (1, 0)]);
    assert_eq!(breaks[0].session_id, "s");
    Stream::new().add("item.paused", json!({})).breaks(1, "\"item.paused\" is no event type");
}

#[test]
fn rule_2_time_has_a_zone_and_never_goes_backwards() {
    Stream::new().item(&notice("a")).with("time", json!("2026-01-01T01:00:00+01:00")).keeps_the_contract();
    Stream::new().with("time", json!("2026-01-01T00:00:00")).breaks(2, "not RFC 3339");
    Stream::new().item(&notice("a")).with("time", json!("2025-12-31T23:59:59.999Z")).breaks(2, "goes backwards");
}

#[test]
fn rule_3_the_daemon_is_the_source_of_what_is_synthetic() {
    Stream::new().with("source", json!("daemon")).with("synthetic", json!(true)).keeps_the_contract();
    Stream::new().with("source", json!("daemon")).breaks(3, "synthetic is false");
    Stream::new().with("synthetic", json!(true)).breaks(3, "synthetic is true");
    Stream::new().with("source", json!("host")).breaks(3, "\"host\"");
}

#[test]
fn rule_4_raw_is_there_when_asked_for_and_null_when_not() {
    let plain = Stream::new();
    let with_raw = Stream::new().with("raw", json!({ "type": "system" }));
    let synthetic = Stream::new().with("source", json!("daemon")).with("synthetic", json!(true));
    let rules = |stream: &Stream, asked| {
        stream.check(Checker::new().expect_raw(asked)).iter().map(|(rule, _)| *rule).collect::<Vec<_>>()
    };
    assert_eq!(rules(&plain, false), Vec::<u32>::new());
    assert_eq!(rules(&plain, true), [4]);
    assert_eq!(rules(&with_raw, true), Vec::<u32>::new());
    assert_eq!(rules(&with_raw, false), [4]);
    assert_eq!(rules(&synthetic, true), Vec::<u32>::new());
    let mut missing = Stream::new();
    missing.0[0].as_object_mut().unwrap().remove("raw");
    missing.breaks(4, "raw is missing");
}

#[test]
fn rule_8_a_session_starts_once_and_nothing_follows_its_end() {
    Stream::new().ended().keeps_the_contract();
    Stream::default().item(&notice("a")).breaks(8, "the first event is item.started");
    Stream::new().add("session.started", json!({})).breaks(8, "comes twice");
    Stream::new().ended().item(&notice("a")).breaks(8, "item.started comes after session.ended");
    Stream::new().ended().ended().breaks(8, "session.ended comes after session.ended");
}

#[test]
fn rule_9_turns_alternate_and_share_their_id() {
    Stream::new().turn_started("1").turn_ended("1").turn_started("2").turn_ended("2").ended().keeps_the_contract();
    Stream::new().turn_started("1").turn_started("2").breaks(9, "while a turn is open");
    Stream::new().turn_ended("1").breaks(9, "while no turn is open");
    Stream::new().turn_started("1").turn_ended("2").breaks(9, "the open one is Some(\"1\")");
    Stream::new().turn_started("1").turn_ended("1").turn_started("1").breaks(9, "starts twice");
    Stream::new().turn_started("1").ended().breaks(9, "a turn is open at session.ended");
    Stream::new().add("turn.started", json!({ "phase": "ended" })).breaks(9, "phase \"ended\"");
    Stream::new().add("error", json!({ "message": "x", "turn_id": "9" })).breaks(9, "turn 9 has not started");
    let mut item = notice("a");
    item["turn_id"] = "9".into();
    Stream::new().item(&item).breaks(9, "turn 9 has not started");
}

#[test]
fn rule_9_the_metadata_of_a_turn_can_be_read() {
    let ended = |metadata: Value| {
        Stream::new()
            .turn_started("1")
            .add("turn.ended", json!({ "phase": "ended", "turn_id": "1", "metadata": metadata }))
    };
    ended(json!({ "status": "interrupted", "usage": { "input_tokens": 1 }, "own": true })).keeps_the_contract();
    ended(json!({ "status": "exploded" })).breaks(9, "unknown status exploded");
    ended(json!({ "usage": { "input_tokens": "many" } })).breaks(9, "cannot be read");
}

#[test]
fn rule_10_the_end_of_a_session_says_what_happened() {
    let ended = |data: Value| Stream::new().add("session.ended", data);
    ended(json!({ "reason": "error", "terminated_by": "agent", "message": "exit code 1", "exit_code": 1 }))
        .keeps_the_contract();
    ended(json!({ "reason": "error", "terminated_by": "agent", "message": "killed" })).keeps_the_contract();
    ended(json!({ "reason": "terminated", "terminated_by": "daemon" })).keeps_the_contract();
    ended(json!({ "reason": "completed", "terminated_by": "daemon" })).breaks(10, "ended by the agent");
    ended(json!({ "reason": "terminated", "terminated_by": "agent" })).breaks(10, "ended by the daemon");
    ended(json!({ "reason": "error", "terminated_by": "agent" })).breaks(10, "lacks its message");
    ended(json!({ "reason": "completed", "terminated_by": "agent", "exit_code": 0 })).breaks(10, "reason error only");
    ended(json!({ "reason": "error", "terminated_by": "agent", "message": "", "exit_code": 0 })).breaks(10, "no error");
    ended(json!({ "reason": "error", "terminated_by": "agent", "message": "", "exit_code": 143 }))
        .breaks(10, "a termination");
    ended(json!({ "reason": "bored", "terminated_by": "agent" })).breaks(10, "no reason");
}

#[test]
fn rule_12_an_item_starts_once_and_ends_once() {
    Stream::new().item(&notice("a")).item(&notice("b")).keeps_the_contract();
    Stream::new().item(&notice("a")).start(notice("a")).breaks(12, "starts twice");
    Stream::new().item(&notice("a")).complete(notice("a")).breaks(12, "a, which is completed already");
    Stream::new().complete(notice("a")).breaks(12, "a, which has not started");
    Stream::new().delta("a", "x").breaks(12, "a, which has not started");
    Stream::new().item(&notice("a")).delta("a", "x").breaks(12, "item.delta of a, which is completed already");
    Stream::new().item(&with_status(notice("a"), "completed")).breaks(12, "item.started of a has the status");
    Stream::new().item(&with_status(notice("a"), "in_progress")).breaks(12, "item.completed of a has the status");
    Stream::new().start(notice("a")).complete(message("a", "")).breaks(12, "started as status");
}

#[test]
fn rule_12_what_is_unfinished_is_closed_before_its_turn_ends() {
    let open = || Stream::new().turn_started("1");
    open().start(message("a", "")).turn_ended("1").breaks(12, "a is open at turn.ended");
    Stream::new().start(notice("a")).ended().breaks(12, "a is open at session.ended");
    let requested = |stream: Stream| stream.add("permission.requested", permission("p", "requested"));
    requested(open()).turn_ended("1").breaks(12, "permission p is open at turn.ended");
    requested(Stream::new()).ended().breaks(12, "permission p is open at session.ended");
    let asked = open().add("question.requested", question("q", "requested"));
    asked.turn_ended("1").breaks(12, "question q is open at turn.ended");
}

#[test]
fn rule_12_background_work_may_outlive_its_turn_but_not_its_session() {
    let command = || Stream::new().turn_started("1").call("c").start(result("c", "")).turn_ended("1");
    command().complete(result("c", "")).ended().keeps_the_contract();
    command().ended().breaks(12, "c-result is open at session.ended");

    let subagents = || {
        let open = Stream::new().turn_started("1").call("c").item(&result("c", "launched"));
        open.start(below(message("m", ""), "c-call", "sub")).turn_ended("1")
    };
    subagents().complete(below(message("m", ""), "c-call", "sub")).ended().keeps_the_contract();
    subagents().ended().breaks(12, "m is open at session.ended");
}

#[test]
fn rule_13_text_deltas_put_together_are_the_final_text() {
    let said = |deltas: &[&str], text: &str| {
        let stream = Stream::new().start(message("m", ""));
        deltas.iter().fold(stream, |stream, delta| stream.delta("m", delta)).complete(message("m", text))
    };
    said(&["a", "", "b"], "ab").keeps_the_contract();
    said(&[], "").keeps_the_contract();
    said(&["a"], "ab").breaks(13, "1 bytes came, 2 are final");
    said(&["ab"], "a").breaks(13, "not its final text");
    said(&["ab"], "").breaks(13, "not its final text");
    said(&[], "ab").breaks(13, "without a delta");
    Stream::new().item(&message("m", "ab")).breaks(13, "");
}

#[test]
fn rule_13_each_part_has_its_own_deltas() {
    let item = |content: Value| json!({ "item_id": "m", "kind": "message", "role": "assistant", "content": content });
    let parts = json!([
        { "type": "reasoning", "text": "Hm.", "visibility": "public" },
        { "type": "text", "text": "One" },
        { "type": "text", "text": "Two" },
    ]);
    let delta = |stream: Stream, index: u64, part: Option<&str>, text: &str| {
        let mut data = json!({ "item_id": "m", "delta": text, "part_index": index });
        if let Some(part) = part {
            data["part_type"] = part.into();
        }
        stream.add("item.delta", data)
    };
    let open = || Stream::new().start(item(json!([])));
    let reasoned = || delta(open(), 0, Some("reasoning"), "Hm.");
    delta(delta(reasoned(), 1, None, "One"), 2, None, "Two").complete(item(parts.clone())).keeps_the_contract();
    delta(delta(reasoned(), 1, None, "Two"), 2, None, "One").complete(item(parts.clone())).breaks(13, "final text");
    delta(reasoned(), 1, None, "One").complete(item(parts.clone())).breaks(13, "without a delta");
    delta(reasoned(), 1, None, "One").delta("m", "Two").complete(item(parts.clone())).breaks(13, "part_index");
    reasoned().delta("m", "OneTwo").complete(item(parts.clone())).keeps_the_contract();
    delta(reasoned(), 3, None, "?").delta("m", "").complete(item(parts.clone())).breaks(13, "part_index");
    delta(open(), 0, Some("reasoning"), "Ha.").delta("m", "OneTwo").complete(item(parts)).breaks(13, "final reasoning");
    delta(open(), 5, None, "lost").complete(item(json!([]))).breaks(13, "text of part 5 of m is not in its final");
    delta(open(), 0, Some("music"), "la").complete(item(json!([]))).breaks(13, "unknown part_type");
}

#[test]
fn rule_13_halves_of_a_surrogate_pair_meet() {
    let mut checker = Checker::new();
    let stream =
        Stream::new().start(message("m", "")).delta("m", "HIGH").delta("m", "LOW").complete(message("m", "😀"));
    for event in &stream.0 {
        checker.json(&event.to_string().replace("HIGH", "\\ud83d").replace("LOW", "\\ude00"));
    }
    assert_eq!(checker.breaks(), []);
}

#[test]
fn rule_13_what_is_not_text_may_be_replaced() {
    let output = |stream: Stream, text: &str, replace: bool| {
        let part = json!({ "item_id": "c-result", "delta": text, "part_type": "tool_result", "replace": replace });
        stream.add("item.delta", part)
    };
    let open = || Stream::new().call("c").start(result("c", ""));
    output(output(open(), "old", false), "new", true).complete(result("c", "new")).keeps_the_contract();
    output(output(open(), "old", false), "new", false).complete(result("c", "new")).breaks(13, "final output");
    let replaced = json!({ "item_id": "m", "delta": "x", "replace": true });
    let message_replaced = Stream::new().start(message("m", "")).add("item.delta", replaced);
    message_replaced.complete(message("m", "x")).breaks(13, "replaces message text");
}

#[test]
fn rule_13_item_started_holds_no_text_that_deltas_bring() {
    let arguments = |stream: Stream, delta: &str| {
        stream.add("item.delta", json!({ "item_id": "c-call", "delta": delta, "part_type": "tool_call" }))
    };
    let mut empty = call("c");
    empty["content"][0]["arguments"] = "".into();
    arguments(Stream::new().start(empty), "{}").complete(call("c")).keeps_the_contract();
    arguments(Stream::new().start(call("c")), "{}").complete(call("c")).breaks(13, "held arguments that deltas bring");
    let mut empty = call("c");
    empty["content"][0]["arguments"] = "".into();
    Stream::new().start(empty).complete(call("c")).breaks(13, "arguments of c-call came without a delta");
    let mut other = call("c");
    other["content"][0]["arguments"] = "{\"x\":1}".into();
    Stream::new().start(call("c")).complete(other).breaks(13, "final arguments");
}

#[test]
fn rule_14_a_call_has_one_result_that_follows_it() {
    let open = || Stream::new().turn_started("1").call("c");
    open().item(&result("c", "ok")).turn_ended("1").ended().keeps_the_contract();
    open().turn_ended("1").breaks(14, "c has no result at turn.ended");
    Stream::new().call("c").ended().breaks(14, "c has no result");
    Stream::new().item(&result("c", "ok")).breaks(14, "comes before its call");
    let mut second = result("c", "ok");
    second["item_id"] = "again".into();
    open().item(&result("c", "ok")).item(&second).breaks(14, "c has two results");
    open().start(result("c", "")).start(second).breaks(14, "c has two results");
    let mut twice = call("c");
    twice["item_id"] = "again".into();
    open().item(&twice).breaks(14, "c is called twice");
    Stream::new().start(call("c")).item(&result("c", "")).breaks(14, "is completed before its call");
}

#[test]
fn rule_14_calls_and_results_are_items_with_one_part_of_their_own() {
    let mut two = call("c");
    two["content"] = json!([two["content"][0], two["content"][0]]);
    Stream::new().start(two).breaks(14, "holds 2 tool_call parts, expected 1");
    let mut none = call("c");
    none["content"] = json!([]);
    Stream::new().start(none).breaks(14, "holds 0 tool_call parts, expected 1");
    let mut inside = message("m", "");
    inside["content"] = call("c")["content"].clone();
    Stream::new().start(inside).breaks(14, "message item m holds 1 tool_call parts, expected 0");
    let mut other = result("d", "");
    other["item_id"] = "c-result".into();
    Stream::new().call("c").start(result("c", "")).complete(other).breaks(14, "not the one it started with");
    Stream::new().item(&notice("n")).item(&below(call("c"), "n", "")).breaks(14, "is not a message");
}

#[test]
fn rule_14_an_exit_code_that_is_an_error_means_failed() {
    let with_code = |status: &str| {
        let mut done = with_status(result("c", ""), status);
        done["content"][0]["exit_code"] = 1.into();
        Stream::new().call("c").start(result("c", "")).complete(done)
    };
    with_code("failed").keeps_the_contract();
    with_code("completed").breaks(14, "has not failed");
}

#[test]
fn rule_15_items_hold_what_their_kind_holds_in_known_words() {
    let with = |mut item: Value, key: &str, value: Value| {
        item[key] = value;
        Stream::new().item(&item)
    };
    with(notice("a"), "role", json!("system")).keeps_the_contract();
    with(notice("a"), "kind", json!("secret")).breaks(15, "unknown kind \"secret\"");
    with(notice("a"), "role", json!("boss")).breaks(15, "unknown role \"boss\"");
    with(message("a", ""), "role", json!("tool")).breaks(15, "neither the user's nor the assistant's");
    with(notice("a"), "content", json!([])).breaks(15, "holds no status part");
    let label = json!([{ "type": "status", "label": "weather" }]);
    with(notice("a"), "content", label).breaks(15, "unknown label \"weather\"");
    with(message("a", ""), "content", json!([{ "type": "status", "label": "notice" }])).breaks(15, "no status");
    with(message("a", ""), "content", json!([{ "type": "hologram" }])).breaks(15, "unknown type");
    with(message("a", ""), "content", json!([{ "type": "image", "path": "" }])).breaks(15, "neither a path");
    with(message("a", ""), "content", json!([{ "type": "file_ref", "path": "", "action": "read" }]))
        .breaks(15, "no path");
    let reasoning = json!([{ "type": "reasoning", "text": "", "visibility": "public" }]);
    with(message("a", ""), "content", reasoning.clone()).keeps_the_contract();
    with(json!({ "item_id": "a", "kind": "system" }), "content", reasoning).breaks(15, "which is no message");
}

#[test]
fn rule_16_parents_began_before_and_subagents_hang_below_their_call() {
    let launched = || Stream::new().call("c").item(&result("c", ""));
    let inner = below(message("m", ""), "c-call", "sub");
    launched().item(&inner).keeps_the_contract();
    launched().item(&inner).item(&below(notice("n"), "m", "sub")).keeps_the_contract();
    launched().item(&inner).item(&below(notice("n"), "m", "other")).breaks(16, "belongs to another agent");
    launched().item(&inner).item(&below(notice("n"), "m", "")).breaks(16, "belongs to another agent");
    Stream::new().item(&below(notice("n"), "later", "")).breaks(16, "later of n has not begun");
    let mut loose = notice("n");
    loose["agent_id"] = "sub".into();
    Stream::new().item(&loose).breaks(16, "does not hang below a tool call");
}

#[test]
fn rule_16_a_permission_is_requested_once_and_resolved_once() {
    let requested = |id: &str| Stream::new().add("permission.requested", permission(id, "requested"));
    let resolved = |stream: Stream, status: &str| stream.add("permission.resolved", permission("p", status));
    for status in ["accept", "accept_for_session", "reject", "approved", "denied"] {
        resolved(requested("p"), status).keeps_the_contract();
    }
    resolved(requested("p"), "requested").breaks(16, "resolves nothing");
    resolved(resolved(requested("p"), "accept"), "accept").breaks(16, "p is resolved again");
    resolved(Stream::new(), "accept").breaks(16, "without having been requested");
    resolved(requested("p"), "accept").add("permission.requested", permission("p", "requested")).breaks(16, "twice");
    Stream::new().add("permission.requested", permission("p", "accept")).breaks(16, "another status");
    requested("17").breaks(16, "not unique beyond its connection");
    let mut offers = permission("p", "requested");
    offers["options"] = json!(["accept", "maybe"]);
    Stream::new().add("permission.requested", offers).breaks(16, "offers maybe");
}

#[test]
fn rule_16_a_question_is_one_event_and_no_permission_as_well() {
    let mut asked = question("q", "requested");
    let options = json!([{ "label": "Yes" }, { "label": "No" }]);
    asked["questions"] = json!([{ "text": "Go on?", "options": options }, { "text": "Sure?", "options": [] }]);
    asked["tool_call_id"] = "c".into();
    let open = |asked: &Value| Stream::new().add("question.requested", asked.clone());
    let mut answered = asked.clone();
    answered["status"] = "answered".into();
    answered["answers"] = json!([["Yes"], []]);
    open(&asked).add("question.resolved", answered.clone()).keeps_the_contract();
    open(&asked).add("question.resolved", question("q", "rejected")).keeps_the_contract();
    answered["answers"] = json!([["Yes"]]);
    open(&asked).add("question.resolved", answered).breaks(16, "asks 2 questions and has 1 answers");
    let mut as_permission = permission("p", "requested");
    as_permission["tool_call_id"] = "c".into();
    open(&asked).add("permission.requested", as_permission).breaks(16, "as a permission and as a question");
    asked["prompt"] = "Stop?".into();
    open(&asked).breaks(16, "not those of its first question");
    let mut odd = question("q", "requested");
    odd["kind"] = "riddle".into();
    open(&odd).breaks(16, "unknown kind riddle");
}

#[test]
fn rule_16_a_subagents_request_may_outlive_the_turn_but_not_the_session() {
    let mut asked = permission("p", "requested");
    asked["agent_id"] = "sub".into();
    let open = || Stream::new().turn_started("1").add("permission.requested", asked.clone()).turn_ended("1");
    open().add("permission.resolved", permission("p", "reject")).ended().keeps_the_contract();
    open().ended().breaks(12, "permission p is open at session.ended");
}

#[test]
fn rule_19_a_line_that_could_not_be_read_is_a_break() {
    let unparsed = json!({ "error": "expected value", "location": "claude stdout line 3" });
    Stream::new().add("agent.unparsed", unparsed).breaks(19, "expected value (claude stdout line 3)");
}

#[test]
fn a_session_that_has_not_ended_yet_keeps_the_contract() {
    Stream::new().turn_started("1").start(message("m", "")).delta("m", "Hel").keeps_the_contract();
}

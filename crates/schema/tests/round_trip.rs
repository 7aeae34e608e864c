//! Every event survives JSON → Rust → JSON, what this version does not know included.
#![allow(clippy::expect_used, clippy::panic, reason = "a test that cannot go on fails")]

mod meaning;

use interlinear_schema::{ContentPart, EventData, Json, PermissionStatus, TodoStatus, UniversalEvent};
use meaning::meaning;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// The `data` of one event of every type, with every field it can have.
const EVENTS: [(&str, &str); 15] = [
    ("session.started", r#"{"metadata":{"agent":"claude","tools":["Read"],"mcp_servers":[{"name":"demo"}]}}"#),
    ("session.started", "{}"),
    (
        "session.ended",
        r#"{"reason":"error","terminated_by":"agent","message":"exit code 1","exit_code":-1,
            "stderr":{"truncated":true,"head":"a","tail":"z","total_lines":90}}"#,
    ),
    ("turn.started", r#"{"phase":"started","turn_id":"t1"}"#),
    (
        "turn.ended",
        r#"{"phase":"ended","turn_id":"t1","metadata":{"status":"completed","usage":{"cost_usd":0.1e-3},"z":1,"a":2}}"#,
    ),
    (
        "item.started",
        r#"{"item":{"item_id":"i1","native_item_id":"n","parent_id":"p","kind":"tool_call","role":"assistant",
            "status":"in_progress","turn_id":"t1","agent_id":"a1","content":[{"type":"tool_call","name":"mcp__x__y",
            "arguments":"{}","call_id":"c","tool_kind":"mcp","title":"y","cwd":"/","mcp":{"server":"x","tool":"y"},
            "agent":{"type":"general","name":"look"}}]}}"#,
    ),
    (
        "item.delta",
        r#"{"item_id":"i1","native_item_id":"n","delta":"x","part_type":"tool_result","part_index":2,"replace":true}"#,
    ),
    (
        "item.completed",
        r#"{"item":{"item_id":"i2","kind":"tool_result","status":"failed","content":[
            {"type":"tool_result","call_id":"c","output":"no","exit_code":1,"duration_ms":7,
             "todos":[{"text":"a","status":"pending"}]},
            {"type":"file_ref","path":"a.rs","action":"patch","diff":"@@ -1 +1 @@"},
            {"type":"image","path":"data:image/png;base64,","mime":"image/png"},
            {"type":"json","json":{"b":1,"a":[1.50,null]}}]}}"#,
    ),
    (
        "item.completed",
        r#"{"item":{"item_id":"i3","kind":"status","status":"completed","content":[
            {"type":"text","text":"t"},{"type":"reasoning","text":"r","visibility":"private"},
            {"type":"status","label":"retracted","detail":"d","retracts":["i1"],"todos":[]}]}}"#,
    ),
    (
        "permission.requested",
        r#"{"permission_id":"p","action":"Bash","status":"requested","tool_call_id":"c","title":"rm",
            "options":["accept","accept_for_session","reject"],"agent_id":"a","metadata":{"input":{"z":1,"a":2}}}"#,
    ),
    ("permission.resolved", r#"{"permission_id":"p","action":"Bash","status":"accept_for_session"}"#),
    (
        "question.requested",
        r#"{"question_id":"q","prompt":"?","options":["A"],"status":"requested","kind":"form","tool_call_id":"c",
            "questions":[{"text":"?","header":"h","multi_select":true,"free_text":false,
            "options":[{"label":"A","description":"d"}]}],"agent_id":"a"}"#,
    ),
    (
        "question.resolved",
        r#"{"question_id":"q","prompt":"?","options":["A"],"status":"answered","response":"A","answers":[["A"],[]]}"#,
    ),
    ("error", r#"{"message":"m","code":"c","details":{"z":1,"a":2},"will_retry":false,"turn_id":"t1","agent_id":"a"}"#),
    ("agent.unparsed", r#"{"error":"e","location":"claude stdout 3","raw_hash":"fnv1a64:00"}"#),
];

/// An event around `data`; `more` is put at the end of the envelope.
fn event(kind: &str, data: &str, more: &str) -> String {
    format!(
        r#"{{"event_id":"e","sequence":18446744073709551615,"time":"2026-01-01T00:00:00Z","session_id":"s",
            "native_session_id":"n","source":"daemon","synthetic":true,"type":"{kind}","data":{data},"raw":null{more}}}"#
    )
}

fn read(json: &str) -> UniversalEvent<'static> {
    serde_json::from_str(json).unwrap_or_else(|error| panic!("{error}\n{json}"))
}

fn written(event: &UniversalEvent<'_>) -> String {
    Json::of(event).as_str().to_owned()
}

#[track_caller]
fn survives(json: &str) {
    let event = read(json);
    assert_eq!(meaning(&written(&event)), meaning(json), "{json}");
    assert_eq!(read(&written(&event)), event, "read again: {json}");
}

#[test]
fn events_of_every_type_survive() {
    let known = |kind: &str| !matches!(read(&event(kind, "{}", "")).data, EventData::Unknown { .. });
    for (kind, data) in EVENTS {
        survives(&event(kind, data, ""));
        assert_eq!(read(&event(kind, data, "")).data.type_name(), kind);
    }
    assert!(known("session.started") && !known("session.paused"));
}

#[test]
fn all_thirteen_types_are_tried() {
    let types: std::collections::BTreeSet<_> = EVENTS.iter().map(|(kind, _)| kind).collect();
    assert_eq!(types.len(), 13);
}

#[test]
fn unknown_event_types_survive() {
    survives(&event("item.paused", r#"{"z":[1,{"b":2,"a":3}],"a":null}"#, ""));
    survives(&event("", "3", ""));
}

#[test]
fn unknown_fields_survive_everywhere() {
    for (kind, data) in EVENTS {
        let open = data.strip_suffix('}').expect("an object");
        let comma = if open == "{" { "" } else { "," };
        let with_field = format!("{open}{comma}\"of_the_future\":{{\"b\":1,\"a\":2}}}}");
        survives(&event(kind, &with_field, ",\"trace\":[1,2]"));
    }
    let part = r#"{"type":"text","text":"t","colour":"red"}"#;
    let item =
        format!(r#"{{"item":{{"item_id":"i","kind":"message","status":"completed","content":[{part}],"x":1}},"y":2}}"#);
    survives(&event("item.completed", &item, ""));
}

#[test]
fn unknown_parts_and_words_survive() {
    let content =
        r#"[{"type":"hologram","z":1,"a":2},{"type":"text"},{"no":"type"},7,{"type":"status","label":"weather"}]"#;
    let item =
        format!(r#"{{"item":{{"item_id":"i","kind":"dream","role":"muse","status":"paused","content":{content}}}}}"#);
    survives(&event("item.completed", &item, ""));
    survives(&event("permission.resolved", r#"{"permission_id":"p","action":"a","status":"later"}"#, ""));
    survives(&event("turn.started", r#"{"phase":"started"}"#, "").replace("daemon", "somebody"));
}

#[test]
fn a_known_part_that_does_not_fit_is_kept_whole() {
    let item = r#"{"item":{"item_id":"i","kind":"message","status":"completed","content":[{"type":"text","text":5}]}}"#;
    let EventData::ItemCompleted(data) = read(&event("item.completed", item, "")).data else { panic!("another event") };
    assert!(matches!(&data.item.content[..], [ContentPart::Unknown(json)] if json.as_str().contains("\"text\":5")));
}

#[test]
fn nulls_in_optional_fields_survive() {
    survives(&event("turn.started", r#"{"phase":"started","turn_id":null,"metadata":null}"#, ""));
    survives(&event("item.delta", r#"{"item_id":"i","delta":"","part_type":null,"replace":null}"#, ""));
    survives(&event("turn.started", r#"{"phase":"started"}"#, "").replace("\"n\"", "null"));
}

#[test]
fn of_doubled_keys_the_last_one_survives() {
    survives(&event("turn.started", r#"{"phase":"ended","phase":"started","turn_id":"a","turn_id":"b"}"#, ""));
    survives(&event("turn.started", r#"{"phase":"started","turn_id":"a","turn_id":null}"#, ""));
    survives(&event("turn.started", r#"{"phase":"started","turn_id":null,"turn_id":"a"}"#, ""));
    survives(&event("turn.started", r#"{"phase":"started","x":1,"x":2}"#, ""));
}

#[test]
fn lone_surrogates_survive() {
    let text = r"half \ud83d, other half \ude00, whole \ud83d\ude00, wrong way \ude00\ud83d, twice \ud83d\ud83d\ude00";
    survives(&event("item.delta", &format!(r#"{{"item_id":"i","delta":"{text}"}}"#), ""));
    survives(&event("error", &format!(r#"{{"message":"{text}","details":["{text}"]}}"#), ""));
    let raw = format!(r#"{{"line":"{text}"}}"#);
    survives(&event("error", r#"{"message":""}"#, "").replace("\"raw\":null", &format!("\"raw\":{raw}")));
}

#[test]
fn raw_json_keeps_its_very_text() {
    let raw = r#"{"z":1.0,"a":123456789012345678901234567890,"m":1e400,"s":"\u00e9\/","d":1,"d":2,"e":{ }}"#;
    let event = read(&event("error", r#"{"message":""}"#, "").replace("\"raw\":null", &format!("\"raw\":{raw}")));
    assert_eq!(event.raw.as_str(), raw);
    assert!(written(&event).contains(raw));
}

#[test]
fn a_missing_raw_reads_as_null() {
    let event = read(&event("error", r#"{"message":""}"#, "").replace(",\"raw\":null", ""));
    assert!(event.raw.is_null());
}

#[test]
fn what_is_no_event_says_what_is_missing() {
    let refused = |json: &str| serde_json::from_str::<UniversalEvent<'static>>(json).expect_err("refused").to_string();
    assert!(refused("{}").contains("event_id"));
    assert!(refused(&event("item.delta", r#"{"item_id":"i"}"#, "")).contains("item.delta: missing field `delta`"));
    assert!(refused("[]").contains("a universal event"));
}

#[test]
fn older_spellings_are_read_and_written_anew() {
    let status = |word: &str| {
        let data = format!(r#"{{"permission_id":"p","action":"a","status":"{word}"}}"#);
        let EventData::PermissionResolved(data) = read(&event("permission.resolved", &data, "")).data else {
            panic!("another event")
        };
        data.status
    };
    assert_eq!(status("approved"), PermissionStatus::Accept);
    assert_eq!(status("denied"), PermissionStatus::Reject);
    assert_eq!(status("approved").as_str(), "accept");
    assert_eq!(status("denied").as_str(), "reject");
    assert_eq!(TodoStatus::from("deleted").as_str(), "cancelled");
}

#[test]
fn the_fast_writer_writes_what_serde_writes() {
    macro_rules! same {
        ($data:expr) => {{
            let data = $data;
            assert_eq!(serde_json::to_string(data).expect("written"), Json::of(data).as_str());
        }};
    }
    for (kind, data) in EVENTS {
        let event = read(&event(kind, data, ",\"trace\":[1,2]"));
        same!(&event);
        match &event.data {
            EventData::SessionStarted(data) => same!(data),
            EventData::SessionEnded(data) => same!(data),
            EventData::TurnStarted(data) | EventData::TurnEnded(data) => same!(data),
            EventData::ItemStarted(data) | EventData::ItemCompleted(data) => {
                same!(data);
                data.item.content.iter().for_each(|part| same!(part));
            }
            EventData::ItemDelta(data) => same!(data),
            EventData::PermissionRequested(data) | EventData::PermissionResolved(data) => same!(data),
            EventData::QuestionRequested(data) | EventData::QuestionResolved(data) => same!(data),
            EventData::Error(data) => same!(data),
            EventData::Unparsed(data) => same!(data),
            EventData::Unknown { data, .. } => same!(data),
        }
    }
}

/// Any JSON value, as text.
fn any_json() -> impl Strategy<Value = String> {
    let string = proptest::collection::vec(any::<u16>(), 0..6)
        .prop_map(|units| units.iter().fold(String::new(), |text, unit| format!("{text}\\u{unit:04x}")));
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        any::<i64>().prop_map(|number| number.to_string()),
        (any::<i32>(), 0..400_u16).prop_map(|(digits, power)| format!("{digits}.5e{power}")),
        string.prop_map(|text| format!("\"{text}\"")),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(|items| format!("[{}]", items.join(","))),
            proptest::collection::vec(("[a-z_]{1,8}", inner), 0..4).prop_map(|members| {
                let members: Vec<_> = members.iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
                format!("{{{}}}", members.join(","))
            }),
        ]
    })
}

proptest! {
    // The same cases in every run.
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_json_survives_where_json_may_stand(json in any_json()) {
        survives(&event("of.the.future", &json, &format!(",\"extra\":{json}")));
        survives(&event("error", &format!(r#"{{"message":"m","details":{json},"unknown":{json}}}"#), ""));
        let content = format!(r#"[{{"type":"json","json":{json}}},{{"type":"unknown","value":{json}}}]"#);
        let item = format!(r#"{{"item":{{"item_id":"i","kind":"unknown","status":"completed","content":{content}}}}}"#);
        survives(&event("item.completed", &item, ""));
    }

    #[test]
    fn reading_answers_for_any_json(kind in 0..EVENTS.len(), json in any_json()) {
        // It may be refused; it must not panic, and what is read must survive.
        let text = event(EVENTS[kind].0, &json, "");
        if serde_json::from_str::<UniversalEvent<'static>>(&text).is_ok() {
            survives(&text);
        }
    }
}

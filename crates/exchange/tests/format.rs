//! The format itself: what is read, what is refused, and that what is written is read back.
#![allow(clippy::expect_used, clippy::panic, reason = "a test that cannot go on fails")]

use interlinear_exchange::{BlockBody, Event, EventType, Fidelity, Payload, ReadError, WriteError, recognises};
use interlinear_schema::Json;

const RUN: &str = "550e8400-e29b-41d4-a716-446655440000";
const CHILD: &str = "6ba7b810-9dad-41d1-80b4-00c04fd430c8";

fn line(r#type: &str, more: &str, payload: &str) -> String {
    format!(
        r#"{{"seq":1,"run_id":"{RUN}",{more}"type":"{type}","path":"analyze","iteration":0,"timestamp":"2026-06-08T08:14:42.123Z","payload":{payload}}}"#
    )
}

fn written(event: &Event) -> String {
    let mut out = Vec::new();
    event.write(&mut out).expect("it is written");
    String::from_utf8(out).expect("it is UTF-8")
}

#[test]
fn every_event_type_is_read_and_written_back_byte_for_byte() {
    let step = r#"{"name":"analyze","kind":"agent"}"#;
    let failed = r#"{"name":"analyze","kind":"agent","error":"no","result":{"b":1,"a":[1.50]}}"#;
    let blocks = concat!(
        r#"[{"type":"text","fidelity":"agent_emitted","text":"Found 2 issues. \u0000 \ud800"},"#,
        r#"{"type":"thinking","fidelity":"agent_emitted","thinking":"First I should..."},"#,
        r#"{"type":"tool_use","fidelity":"agent_emitted","tool_name":"Read","tool_id":"toolu_01","tool_input":{"path":"main.go"}},"#,
        r#"{"type":"tool_result","fidelity":"router","tool_id":"toolu_01","tool_content":"package main\n..."},"#,
        r#"{"type":"command","fidelity":"router","command":"go test ./..."},"#,
        r#"{"type":"stream","fidelity":"agent_emitted","text":"par"}]"#
    );
    let message = |role: &str| format!(r#"{{"role":"{role}","blocks":{blocks}}}"#);
    let call = r#"{"name":"Read","call_id":"tool_01H","input":{"path":"main.go"},"output":null,"fidelity":"router"}"#;
    let result = r#"{"name":"Read","call_id":"tool_01H","input":null,"output":"x","error":"no","fidelity":"router"}"#;
    let child = format!(r#""child_run_id":"{CHILD}","#);
    let parent = format!(r#""parent_run_id":"{CHILD}","#);
    let lines = [
        line("run.started", "", "null"),
        line("run.started", &parent, step),
        line("run.completed", "", failed),
        line("step.started", "", step),
        line("step.completed", "", failed),
        line("step.call_workflow.started", &child, step),
        line("step.call_workflow.completed", &child, failed),
        line("message.user", "", &message("user")),
        line("message.assistant", "", &message("assistant")),
        line("tool.call", "", call),
        line("tool.result", "", result),
    ];
    for line in lines {
        let event = Event::read(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert_eq!(written(&event), format!("{line}\n"));
    }
}

#[test]
fn a_payload_is_told_by_its_shape() {
    let read = |payload: &str| Event::read(&line("run.started", "", payload)).expect("it is read").payload;
    assert_eq!(read("null"), Payload::Null);
    assert!(
        matches!(read(r#"[{"type":"text","fidelity":"router","text":"x"}]"#), Payload::Blocks(blocks) if blocks.len() == 1)
    );
    assert!(matches!(read(r#"{"role":"user","call_id":"x","kind":"x"}"#), Payload::Message(_)));
    assert!(
        matches!(read(r#"{"call_id":"x","kind":"x"}"#), Payload::Tool(tool) if tool.fidelity == Fidelity::Unknown(String::new()))
    );
    assert!(matches!(read(r#"{"kind":"x","future":1}"#), Payload::Step(_)));
    assert_eq!(read(r#"{"other": 1}"#), Payload::Other(Json::from_text(r#"{"other": 1}"#)));
    assert_eq!(read("7"), Payload::Other(Json::from_text("7")));
    let missing =
        format!(r#"{{"seq":1,"run_id":"{RUN}","type":"run.started","timestamp":"2026-06-08T08:14:42Z","more":1}}"#);
    assert_eq!(Event::read(&missing).expect("it is read").payload, Payload::Null);
}

#[test]
fn unknown_types_have_errors_of_their_own_and_are_kept() {
    let later = line("step.paused", "", r#"{"why":1}"#);
    match Event::read(&later) {
        Err(ReadError::UnknownEventType(event)) => {
            assert_eq!(event.r#type, EventType::Unknown("step.paused".into()));
            assert_eq!(event.payload, Payload::Other(Json::from_text(r#"{"why":1}"#)));
            assert_eq!(event.write(&mut Vec::new()), Err(WriteError::UnknownEventType("step.paused".into())));
        }
        other => panic!("{other:?}"),
    }
    let block = r#"{"type":"video","fidelity":"router","url":"x"}"#;
    let later = line("message.user", "", &format!(r#"{{"role":"user","blocks":[{block}]}}"#));
    match Event::read(&later) {
        Err(ReadError::UnknownBlockType { r#type, event }) => {
            assert_eq!(r#type, "video");
            let body = &event.payload.blocks()[0].body;
            assert_eq!(*body, BlockBody::Unknown { r#type: "video".into(), json: Json::from_text(block) });
            assert_eq!(event.write(&mut Vec::new()), Err(WriteError::UnknownBlockType("video".into())));
        }
        other => panic!("{other:?}"),
    }
    assert!(matches!(Event::read("{}"), Err(ReadError::Malformed(_))));
    assert!(recognises(&format!("\n{later}\nrest")) && !recognises("{\"type\":\"system\"}\n") && !recognises(""));
}

#[test]
fn what_the_vocabulary_does_not_know_is_not_written() {
    let good = Event::read(&line("tool.call", "", r#"{"name":"a","call_id":"b","fidelity":"router"}"#)).expect("read");
    let refused = |change: &dyn Fn(&mut Event)| {
        let mut event = good.clone();
        change(&mut event);
        let mut out = Vec::new();
        let error = event.write(&mut out).expect_err("it is refused");
        assert!(out.is_empty(), "nothing is written");
        error
    };
    assert_eq!(refused(&|event| event.seq = 0), WriteError::BadField("seq"));
    assert_eq!(refused(&|event| event.run_id = "session".into()), WriteError::BadField("run_id"));
    assert_eq!(refused(&|event| event.timestamp = "now".into()), WriteError::BadField("timestamp"));
    assert_eq!(refused(&|event| event.payload = Payload::Null), WriteError::WrongPayload("a tool's"));
    assert_eq!(refused(&|event| event.r#type = EventType::StepStarted), WriteError::WrongPayload("a step's"));
    assert_eq!(refused(&|event| event.r#type = EventType::UserMessage), WriteError::WrongPayload("a message"));
    let word = |event: &mut Event| {
        if let Payload::Tool(tool) = &mut event.payload {
            tool.fidelity = Fidelity::from("hearsay");
        }
    };
    assert_eq!(refused(&word), WriteError::UnknownWord("hearsay".into()));
}

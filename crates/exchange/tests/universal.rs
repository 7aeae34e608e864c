//! To and from universal events, on every recording and stored session of the project.
#![allow(clippy::expect_used, clippy::panic, reason = "a test that cannot go on fails")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use interlinear_core::{Checker, ConvertOptions, Converter, Encoding, Output};
use interlinear_exchange::{Event, Exporter, Importer, Layout};
use interlinear_schema::{ContentPart, EventData, ItemKind, ItemRole, Text, UniversalEvent};

/// The recordings of all agents.
fn recordings() -> Vec<PathBuf> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures");
    let mut found = Vec::new();
    let mut folders = vec![fixtures];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("the fixtures are there") {
            let path = entry.expect("it can be listed").path();
            let in_recordings = path.components().any(|part| part.as_os_str() == "recordings");
            if path.is_dir() {
                folders.push(path);
            } else if in_recordings && path.extension().is_some_and(|ending| ending == "jsonl") {
                found.push(path);
            }
        }
    }
    found.sort();
    assert!(found.len() > 500, "there are recordings");
    found
}

fn events(path: &Path) -> Vec<UniversalEvent<'static>> {
    let mut converter = Converter::new(&ConvertOptions::default());
    let mut output = Output::new(Encoding::Ndjson);
    let bytes = fs::read(path).expect("it can be read");
    let name = path.to_string_lossy();
    converter.push(&name, &bytes, &mut output).expect("it is a transcript");
    converter.plan(&mut output).expect("it is a transcript");
    converter.end(&mut output).expect("it is a transcript");
    universal(&output.take())
}

fn universal(bytes: &[u8]) -> Vec<UniversalEvent<'static>> {
    let lines = std::str::from_utf8(bytes).expect("it is UTF-8").lines();
    lines.map(|line| serde_json::from_str(line).expect("it is an event")).collect()
}

/// What is written for events: the lines of each file.
fn exported(events: &[UniversalEvent<'static>], layout: Layout) -> BTreeMap<String, Vec<u8>> {
    let mut exporter = Exporter::new(layout);
    let mut files: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    for event in events {
        exporter.event(event, |line| {
            let file = if layout == Layout::OneFile { "all" } else { line.run_id };
            files.entry(file.to_owned()).or_default().extend_from_slice(line.bytes);
        });
    }
    files
}

fn imported(files: &BTreeMap<String, Vec<u8>>) -> Vec<UniversalEvent<'static>> {
    let mut importer = Importer::new(None, false);
    for (name, bytes) in files {
        importer.push(name, bytes);
    }
    let events = universal(&importer.end());
    assert_eq!(importer.counts().unparsed, 0);
    assert!(importer.counts().unknown.is_empty());
    events
}

fn text(text: &Text<'_>) -> String {
    text.to_str_lossy().into_owned()
}

/// What survives both ways: messages, calls, results, requests, turns, statuses; whose they are.
fn outline(events: &[UniversalEvent<'static>]) -> Vec<String> {
    let mut outline = Vec::new();
    for event in events {
        let told = match &event.data {
            EventData::ItemCompleted(data) => {
                let item = &data.item;
                let parts: Vec<_> = item.content.iter().filter_map(part).collect();
                let words = matches!(item.kind, ItemKind::Message).then(|| match item.role {
                    Some(ItemRole::Assistant) => "assistant",
                    _ => "user",
                });
                if words.is_some() && parts.is_empty() {
                    continue;
                }
                let agent = item.agent_id.as_deref().unwrap_or_default();
                let failed = item.kind == ItemKind::ToolResult && item.status.as_str() == "failed";
                format!("{} {agent} {} {failed} {}", item.kind.as_str(), words.unwrap_or_default(), parts.join(" "))
            }
            EventData::TurnEnded(data) => {
                format!("turn {}", data.metadata.as_ref().map_or("", |metadata| metadata.as_str()))
            }
            EventData::PermissionResolved(data) => {
                format!("permission {} {}", data.permission_id, data.status.as_str())
            }
            EventData::QuestionResolved(data) => format!("question {} {:?}", data.question_id, data.answers),
            EventData::Error(data) => format!("error {}", text(&data.message)),
            _ => continue,
        };
        outline.push(told);
    }
    outline
}

fn part(part: &ContentPart<'_>) -> Option<String> {
    Some(match part {
        ContentPart::Text(part) => text(&part.text),
        ContentPart::Reasoning(part) if part.text.is_empty() => return None,
        ContentPart::Reasoning(part) => text(&part.text),
        ContentPart::ToolCall(part) => {
            let arguments = text(&part.arguments);
            let arguments = serde_json::from_str::<serde_json::Value>(&arguments).unwrap_or_else(|_| arguments.into());
            format!("{} {} {arguments}", part.call_id, part.name)
        }
        ContentPart::ToolResult(part) => format!("{} {}", part.call_id, text(&part.output)),
        ContentPart::Image(part) if part.path.to_str_lossy().starts_with("data:") => {
            format!("[image: {}]", part.mime.as_deref().unwrap_or("data"))
        }
        ContentPart::Image(part) => format!("[image: {}]", text(&part.path)),
        ContentPart::FileRef(part) => format!("[file: {}]", part.path),
        ContentPart::Status(part) => format!("{} {:?}", part.label.as_str(), part.detail.as_ref().map(text)),
        ContentPart::Json(part) => part.json.as_str().to_owned(),
        ContentPart::Unknown(json) => json.as_str().to_owned(),
    })
}

/// Files and images of results are lost: in results only the output is compared.
fn without_result_files(outline: Vec<String>) -> Vec<String> {
    let strip = |line: String| {
        if line.starts_with("tool_result") { line.split(" [").next().unwrap_or_default().to_owned() } else { line }
    };
    outline.into_iter().map(strip).collect()
}

#[test]
fn every_recording_goes_there_and_back_and_keeps_the_contract() {
    for path in recordings() {
        let original = events(&path);
        let expected = without_result_files(outline(&original));
        for layout in [Layout::OneFile, Layout::FilePerRun] {
            let files = exported(&original, layout);
            for lines in files.values() {
                strictly_written(lines, &path);
            }
            let back = imported(&files);
            let mut checker = Checker::new().expect_raw(false);
            for event in &back {
                checker.event(event);
            }
            let breaks = checker.breaks();
            assert!(breaks.is_empty(), "{}: {:?}", path.display(), breaks.first());
            let mut told = without_result_files(outline(&back));
            let mut expected = expected.clone();
            if layout == Layout::FilePerRun {
                // Runs are read along with each other, by time: those of one millisecond may change places.
                told.sort();
                expected.sort();
            }
            for (told, expected) in told.iter().zip(&expected) {
                assert_eq!(told, expected, "{} {layout:?}", path.display());
            }
            assert_eq!(told.len(), expected.len(), "{} {layout:?}", path.display());
        }
    }
}

/// Every line is read without complaint, numbers rise by one, times never fall.
fn strictly_written(lines: &[u8], path: &Path) {
    let lines = std::str::from_utf8(lines).expect("it is UTF-8").lines();
    for (seq, line) in (1..).zip(lines) {
        let event = Event::read(line).unwrap_or_else(|error| panic!("{}: {error}: {line}", path.display()));
        assert_eq!(event.seq, seq, "{}", path.display());
        let mut again = Vec::new();
        event.write(&mut again).expect("it is written again");
        assert_eq!(String::from_utf8_lossy(&again).trim_end(), line);
    }
}

/// A workflow that no agent's session was: a command, an agent, a workflow that it calls, a later version's words.
#[test]
fn a_foreign_run_tree_becomes_one_session_whose_called_runs_are_subagents() {
    let (parent, child) = ("550e8400-e29b-41d4-a716-446655440000", "6ba7b810-9dad-41d1-80b4-00c04fd430c8");
    let line = |seq: u64, run: &str, more: &str, r#type: &str, second: u64, payload: &str| {
        let time = format!("2026-06-08T08:14:{second:02}Z");
        format!(
            r#"{{"seq":{seq},"run_id":"{run}",{more}"type":"{type}","path":"review","iteration":0,"timestamp":"{time}","payload":{payload}}}"#
        )
    };
    let calls = format!(r#""child_run_id":"{child}","#);
    let called = format!(r#""parent_run_id":"{parent}","#);
    let message = |role: &str, text: &str| {
        format!(r#"{{"role":"{role}","blocks":[{{"type":"text","fidelity":"agent_emitted","text":"{text}"}}]}}"#)
    };
    let parents = [
        line(1, parent, "", "run.started", 0, r#"{"name":"nightly","kind":"workflow"}"#),
        line(2, parent, "", "step.started", 1, r#"{"name":"lint","kind":"command"}"#),
        line(
            3,
            parent,
            "",
            "step.completed",
            2,
            r#"{"name":"lint","kind":"command","error":"exit 1","result":{"x":1}}"#,
        ),
        line(4, parent, "", "step.started", 3, r#"{"name":"review","kind":"agent"}"#),
        line(5, parent, "", "message.user", 3, &message("user", "Review.")),
        line(6, parent, &calls, "step.call_workflow.started", 4, r#"{"name":"deep","kind":"call_workflow"}"#),
        line(
            7,
            parent,
            &calls,
            "step.call_workflow.completed",
            5,
            r#"{"name":"deep","kind":"call_workflow","result":"fine"}"#,
        ),
        line(
            8,
            parent,
            "",
            "tool.call",
            9,
            r#"{"name":"Read","call_id":"t1","input":{"a":1},"output":null,"fidelity":"router"}"#,
        ),
        line(9, parent, "", "step.paused", 9, r#"{"why":"later"}"#),
        line(10, parent, "", "step.completed", 9, r#"{"name":"review","kind":"agent","error":"no model"}"#),
        "no json".to_owned(),
        line(11, parent, "", "run.completed", 9, r#"{"name":"nightly","kind":"workflow","error":"no model"}"#),
    ];
    let children = [
        line(1, child, &called, "run.started", 4, "null"),
        line(2, child, &called, "message.assistant", 8, &message("assistant", "Deep thought.")),
        line(3, child, &called, "run.completed", 8, "null"),
    ];
    let mut importer = Importer::new(Some("mine".into()), true);
    importer.push("parent", parents.join("\n").as_bytes());
    assert_eq!(importer.missing(), [child]);
    importer.push("child", children.join("\n").as_bytes());
    assert!(importer.missing().is_empty());
    let events = universal(&importer.end());

    let mut checker = Checker::new();
    for event in &events {
        checker.event(event);
    }
    let breaks = checker.breaks();
    assert!(breaks.iter().all(|one| one.rule == 19), "{breaks:?}");
    assert!(
        events.iter().all(|event| event.session_id == "mine" && event.native_session_id.as_deref() == Some(parent))
    );
    let told = outline(&events);
    let expected = [
        "status   false notice Some(\"command lint started\")",
        "status   false notice Some(\"command lint completed: exit 1\") {\"x\":1}",
        "message  user false Review.",
        &format!("tool_call   false {child} deep \"\""),
        &format!("message {child} assistant false Deep thought."),
        &format!("tool_result   false {child} fine"),
        "tool_call   false t1 Read {\"a\":1}",
        &format!("unknown   false {}", parents[8]),
        "error no model",
        "tool_result   true t1 ",
        "turn {\"status\":\"failed\"}",
    ];
    assert_eq!(told, expected);
    assert_eq!(importer.counts().unparsed, 1);
    assert_eq!(importer.counts().unknown, BTreeMap::from([("event step.paused".to_owned(), 1)]));
    assert_eq!(importer.counts().lines, 15);
}

/// Transcripts that are converted one by one are all called the same.
#[test]
fn sessions_that_began_otherwise_have_other_runs_and_the_same_one_always_the_same() {
    let all = recordings();
    let of = |name: &str| all.iter().find(|path| path.ends_with(name)).map(|path| events(path)).expect("a recording");
    let runs = |name: &str| exported(&of(name), Layout::FilePerRun).into_keys().collect::<Vec<_>>();
    let (hello, subagent) = (runs("codex/recordings/hello.jsonl"), runs("codex/recordings/subagent.jsonl"));
    assert_eq!(hello, runs("codex/recordings/hello.jsonl"));
    assert!(subagent.len() > 1 && subagent.iter().all(|run| !hello.contains(run)), "{hello:?} {subagent:?}");
    // One that is called by a UUID is called so.
    let id = "7f1b2c3d-0000-4000-8000-000000000001";
    let named = of("codex/recordings/hello.jsonl").into_iter().map(|mut event| {
        event.session_id = id.into();
        event
    });
    assert_eq!(exported(&named.collect::<Vec<_>>(), Layout::FilePerRun).into_keys().collect::<Vec<_>>(), [id]);
}

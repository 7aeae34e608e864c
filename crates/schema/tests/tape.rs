//! The tape reads what a JSON parser reads, and nothing else.
#![allow(clippy::expect_used, reason = "a test that cannot go on fails")]

use interlinear_schema::tape::{Kind, Tape, Value};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::Value as Json;

/// Any JSON. Names and texts are of few letters, so that keys are doubled, and of such that must be escaped.
fn json() -> impl Strategy<Value = Json> {
    let text = r#"[ab"\\\n/é😀]{0,4}"#;
    let scalar = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<i64>().prop_map(Json::from),
        any::<i32>().prop_map(|halves| Json::from(f64::from(halves) / 2.0)),
        text.prop_map(Json::from),
    ];
    scalar.prop_recursive(4, 40, 6, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Json::from),
            proptest::collection::btree_map(text, inner, 0..6).prop_map(|members| members.into_iter().collect()),
        ]
    })
}

/// The value with every way of asking for it.
fn read(value: Value<'_>) -> Json {
    match value.kind() {
        Kind::Null => Json::Null,
        Kind::True | Kind::False => value.bool().into(),
        Kind::Number => serde_json::from_str(value.raw()).expect("a number"),
        Kind::Plain | Kind::Escaped => {
            let text = value.str().expect("a string");
            assert_eq!(value.text().expect("a text").to_str_lossy(), text);
            assert_eq!(value.str(), Some(text), "decoded once more");
            text.into()
        }
        Kind::Array => value.elements().map(read).collect(),
        Kind::Object => {
            let members: serde_json::Map<_, _> =
                value.members().map(|(key, value)| (key.into(), read(value))).collect();
            for (key, known) in &members {
                assert_eq!(value.get(key).map(read).as_ref(), Some(known));
            }
            members.into()
        }
    }
}

fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 20_000,
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    /// Small or indented, one after the other on the same tape: nothing is left of the line before.
    #[test]
    fn what_is_written_is_read(lines in proptest::collection::vec((json(), any::<bool>()), 1..4)) {
        let mut tape = Tape::default();
        for (json, indented) in lines {
            let text = if indented { format!("{json:#}") } else { json.to_string() };
            let mut reading = tape;
            let value = reading.read(&text).map(read);
            prop_assert_eq!(value, Ok(json));
            tape = reading.emptied();
        }
    }

    /// What is damaged anywhere is refused, unless it is still JSON. (Lone surrogates and endless numbers are that here.)
    #[test]
    fn what_is_damaged_is_refused(json in json(), at: prop::sample::Index, letter in "[ -DF-df-~]", cut: bool) {
        let mut letters: Vec<char> = json.to_string().chars().collect();
        let at = at.index(letters.len());
        letters.splice(at..=at, if cut { None } else { letter.chars().next() });
        let text: String = letters.into_iter().collect();
        let expected = serde_json::from_str::<Json>(&text).ok();
        let mut tape = Tape::default();
        let value = tape.read(&text).map(read).ok();
        if !text.contains("\\u") {
            prop_assert_eq!(value, expected, "{}", text);
        }
    }
}

/// Escapes and ends of strings at every place of what is looked at at once.
#[test]
fn strings_of_any_length_are_read() {
    for before in 0..140 {
        for text in ["", "\"", "\\", "\n\n", "\\\"", "é\u{1}", "x\"x\\x\n"] {
            for repeated in [1, 2, 40] {
                let json = Json::from(["a".repeat(before), text.repeat(repeated), "b".to_owned()].concat());
                let line = Json::from(vec![json.clone(), json]).to_string();
                let mut tape = Tape::default();
                assert_eq!(tape.read(&line).map(read), Ok(serde_json::from_str(&line).expect("JSON")));
                // What is cut off anywhere is no JSON.
                let mut tape = Tape::default();
                assert!(tape.read(line.get(..line.len() - 4).unwrap_or_default()).is_err());
                let mut tape = Tape::default();
                assert!(tape.read(&line.replace('b', "\u{2}")).is_err());
            }
        }
    }
}

#[test]
fn an_escaped_name_is_found_by_what_it_means() {
    let mut tape = Tape::default();
    let value = tape.read(r#"{"\u0061b":1,"c":"x\ty","ab":2,"\ud800":3}"#).expect("JSON");
    assert_eq!(value.get("ab").and_then(Value::u64), Some(2));
    assert_eq!(value.get("c").and_then(Value::str), Some("x\ty"));
    assert_eq!(value.get("\u{FFFD}").and_then(Value::u64), Some(3));
    assert_eq!(value.members().map(|(key, _)| key).collect::<Vec<_>>(), ["ab", "c", "ab", "\u{FFFD}"]);
}

//! The packed form: one array of ASCII, whatever the events hold. That it says the same as the full JSON is held by the
//! tests that cross the boundary, with the decoder that is shipped.
#![allow(clippy::expect_used, clippy::panic, reason = "a test that cannot go on fails")]

use std::borrow::Cow;

use interlinear_schema::packed::{IDS, Pack as _, Packer, op};
use interlinear_schema::{EventData, Extra, ItemDeltaData, Json, Text, UniversalEvent};
use proptest::prelude::*;

/// WTF-8: any text, with lone surrogates in their three-byte form.
fn wtf8() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        any::<String>().prop_map(String::into_bytes),
        "[ -~]{0,40}".prop_map(String::into_bytes),
        Just(b"\"\\\n\x00\x7f".to_vec()),
        (0xD800_u16..0xE000).prop_map(|unit| vec![0xED, 0x80 | (unit >> 6 & 0x3F) as u8, 0x80 | (unit & 0x3F) as u8]),
    ];
    proptest::collection::vec(piece, 0..6).prop_map(|pieces| {
        // Joined as texts are: halves of a pair that meet become one character.
        let mut whole = Vec::new();
        for piece in pieces {
            Text::from_wtf8(piece).append_to(&mut whole);
        }
        whole
    })
}

fn packed(write: impl FnOnce(&mut Packer)) -> String {
    let mut packer = Packer::default();
    write(&mut packer);
    let bytes = std::mem::take(packer.close());
    assert!(bytes.is_ascii());
    String::from_utf8(bytes).expect("ASCII")
}

fn delta(sequence: u64, text: &str) -> UniversalEvent<'_> {
    UniversalEvent {
        event_id: Cow::Owned(format!("evt_s_{sequence}")),
        sequence,
        time: "2026-01-01T00:00:00.000Z".into(),
        session_id: "s".into(),
        data: EventData::ItemDelta(ItemDeltaData {
            item_id: "item".into(),
            delta: text.into(),
            ..ItemDeltaData::default()
        }),
        ..UniversalEvent::default()
    }
}

proptest! {
    #[test]
    fn text_is_ascii_and_reads_back_as_it_was(text in wtf8()) {
        let text = Text::from_wtf8(text);
        let read: Vec<Text<'static>> = serde_json::from_str(&packed(|packer| text.pack(packer))).expect("JSON");
        prop_assert_eq!(read, vec![text]);
    }

    #[test]
    fn json_is_ascii_and_stays_the_same(text in any::<String>(), key in any::<String>()) {
        let value = serde_json::json!({ key: [text, 1.5, null] });
        let json = Json::from_text(value.to_string());
        let read: Vec<serde_json::Value> = serde_json::from_str(&packed(|packer| json.pack(packer))).expect("JSON");
        prop_assert_eq!(read, vec![value]);
    }

    #[test]
    fn an_identifier_is_said_once_as_long_as_it_is_remembered(ids in proptest::collection::vec("[a-z\"é]{0,3}|é|\\\\u00e9", 0..60)) {
        let text = packed(|packer| ids.iter().for_each(|id| packer.id(id)));
        let elements: Vec<serde_json::Value> = if ids.is_empty() { vec![] } else { serde_json::from_str(&text).expect("JSON") };
        let mut ring: Vec<String> = vec![String::new(); IDS];
        let mut next = 0;
        let read: Vec<String> = elements.iter().map(|element| match element.as_str() {
            Some(id) => {
                id.clone_into(&mut ring[next % IDS]);
                next += 1;
                id.to_owned()
            }
            None => ring[element.as_u64().expect("a place") as usize].clone(),
        }).collect();
        prop_assert_eq!(read, ids);
    }
}

#[test]
fn what_events_share_is_said_once() {
    let text = packed(|packer| {
        packer.event(&delta(1, "a"));
        packer.event(&delta(2, "é"));
    });
    assert_eq!(text, r#"[101,"s",null,"evt_s_",0,"2026-01-01T00:00:00.000Z","item","a","\u00e9"]"#);
}

#[test]
fn text_that_comes_again_is_said_once() {
    let text = packed(|packer| {
        for text in [Text::from("it's \"quoted\""), Text::from_json_body(r#"it's \"quoted\""#), Text::from("new")] {
            text.pack(packer);
        }
    });
    assert_eq!(text, r#"["it's \"quoted\"",0,"new"]"#);
}

#[test]
fn an_event_that_the_core_would_not_make_goes_as_plain_json() {
    let odd = UniversalEvent { extra: Extra(vec![("later".into(), Json::from_text("1"))]), ..delta(2, "b") };
    let text = packed(|packer| {
        packer.event(&delta(1, "a"));
        packer.event(&odd);
        packer.event(&delta(3, "c"));
    });
    let elements: Vec<serde_json::Value> = serde_json::from_str(&text).expect("JSON");
    let plain = elements.iter().position(|element| element == 14).expect("an escape");
    let read: UniversalEvent<'static> = serde_json::from_value(elements[plain + 1].clone()).expect("an event");
    assert_eq!(read, odd);
    // Nothing of what came before is referred to.
    assert_eq!(elements[plain + 2..], elements_of(&delta(3, "c"))[..]);
}

#[test]
fn a_native_object_is_named_by_its_place_in_the_input() {
    let input = br#"{"native":true}"#;
    let with_raw = |sequence, text| UniversalEvent { raw: Json::from_text(text), ..delta(sequence, "a") };
    let text = std::str::from_utf8(input).expect("ASCII");
    let packed = packed(|packer| {
        packer.reads(input);
        packer.event(&with_raw(1, text));
        packer.event(&with_raw(2, text));
        packer.event(&with_raw(3, "{}"));
        packer.event(&with_raw(4, "{}"));
    });
    let elements: Vec<serde_json::Value> = serde_json::from_str(&packed).expect("JSON");
    assert_eq!(elements[6..8], [0, 15]);
    let again = |raw: u32| serde_json::json!(op::AGAIN | raw);
    assert_eq!(elements[10..12], [again(op::SAME_RAW), "a".into()]);
    assert_eq!(elements[12..15], [again(op::TEXT_RAW), "{}".into(), "a".into()]);
    assert_eq!(elements[15..], [again(op::SAME_RAW), "a".into()]);
}

fn elements_of(event: &UniversalEvent<'_>) -> Vec<serde_json::Value> {
    serde_json::from_str(&packed(|packer| packer.event(event))).expect("JSON")
}

//! The packed form: ASCII, whatever the events hold. That it says the same as the full JSON is held by the
//! tests that cross the boundary, with the decoder that is shipped.
#![allow(clippy::expect_used, clippy::panic, reason = "a test that cannot go on fails")]

use std::borrow::Cow;

use interlinear_schema::packed::{CODE_BITS, COUNT, IDS, NO_ID, Pack as _, Packer, op};
use interlinear_schema::{EventData, ItemDeltaData, Json, Text, UniversalEvent};
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

/// What was written: the values, as JSON, and the numbers that say what they are.
fn packed(write: impl FnOnce(&mut Packer)) -> (String, Vec<u64>) {
    let mut packer = Packer::default();
    write(&mut packer);
    let bytes = std::mem::take(packer.close());
    assert!(bytes.is_ascii());
    let (rest, count) = bytes.split_at(bytes.len().saturating_sub(COUNT));
    let count = count.iter().rev().fold(0, |sum, digit| sum << CODE_BITS | usize::from(*digit));
    let (values, codes) = rest.split_at(rest.len() - count);
    (String::from_utf8(values.to_vec()).expect("ASCII"), numbers(codes))
}

fn numbers(codes: &[u8]) -> Vec<u64> {
    let ends = |code: &u8| *code < 1 << CODE_BITS;
    let number =
        |codes: &[u8]| codes.iter().rev().fold(0, |sum, code| sum << CODE_BITS | u64::from(code % (1 << CODE_BITS)));
    codes.split_inclusive(ends).map(number).collect()
}

fn values(json: &str) -> Vec<serde_json::Value> {
    if json.is_empty() { Vec::new() } else { serde_json::from_str(json).expect("JSON") }
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
        let read: Vec<Text<'static>> = serde_json::from_str(&packed(|packer| text.pack(packer)).0).expect("JSON");
        prop_assert_eq!(read, vec![text]);
    }

    #[test]
    fn json_is_ascii_and_stays_the_same(text in any::<String>(), key in any::<String>()) {
        let value = serde_json::json!({ key: [text, 1.5, null] });
        let json = Json::from_text(value.to_string());
        let (read, _) = packed(|packer| {
            packer.number(0);
            json.pack(packer);
        });
        prop_assert_eq!(values(&read), vec![value]);
    }

    #[test]
    fn numbers_are_what_they_were(written in proptest::collection::vec(prop_oneof![0..200_u64, any::<u64>()], 0..20)) {
        let (_, read) = packed(|packer| written.iter().for_each(|number| packer.number(*number)));
        prop_assert_eq!(read, written);
    }

    #[test]
    fn an_identifier_is_said_once_as_long_as_it_is_remembered(ids in proptest::collection::vec("[a-z\"é]{0,3}|é|\\\\u00e9", 0..60)) {
        let (said, places) = packed(|packer| ids.iter().for_each(|id| packer.id(id)));
        let said = values(&said);
        let mut new = said.iter().map(|id| id.as_str().expect("an identifier"));
        let mut ring = [""; IDS];
        let mut next = 0;
        let read: Vec<&str> = places.iter().map(|place| {
            if let Some(place) = (*place as usize).checked_sub(1) {
                return ring[place];
            }
            let id = new.next().expect("a new one");
            ring[next % IDS] = id;
            next += 1;
            id
        }).collect();
        prop_assert_eq!(read, ids);
    }
}

#[test]
fn what_events_share_is_said_once() {
    let (values, numbers) = packed(|packer| {
        packer.event(&delta(1, "a"));
        packer.event(&delta(2, "é"));
    });
    assert_eq!(values, r#"["s","evt_s_","2026-01-01T00:00:00.000Z","item","a","\u00e9"]"#);
    let first = u64::from(5 | op::TIME | op::SESSION);
    // The session, the item and its part, each new; then what repeats it.
    assert_eq!(numbers, [first, 0, NO_ID as u64, 0, 0, 0, 0, u64::from(op::AGAIN)]);
}

#[test]
fn text_that_comes_again_is_said_once() {
    let (values, places) = packed(|packer| {
        for text in [Text::from("it's \"quoted\""), Text::from_json_body(r#"it's \"quoted\""#), Text::from("new")] {
            text.pack(packer);
        }
    });
    assert_eq!(values, r#"["it's \"quoted\"","new"]"#);
    assert_eq!(places, [0, 1, 0]);
}

#[test]
fn an_event_that_the_core_would_not_make_goes_as_plain_json() {
    let mut odd = delta(2, "b");
    odd.extra.insert("later", Json::from_text("1"));
    let (json, numbers) = packed(|packer| {
        packer.event(&delta(1, "a"));
        packer.event(&odd);
        packer.event(&delta(3, "c"));
    });
    let plain = numbers.iter().position(|number| *number == u64::from(op::PLAIN)).expect("an escape");
    let (mut values, (last, after)) = (values(&json), packed(|packer| packer.event(&delta(3, "c"))));
    // Nothing of what came before is referred to.
    assert_eq!(numbers[plain + 1..], after);
    let after = values.split_off(values.len() - self::values(&last).len());
    assert_eq!(after, self::values(&last));
    let read: UniversalEvent<'static> = serde_json::from_value(values.pop().expect("the event")).expect("an event");
    assert_eq!(read, odd);
}

#[test]
fn a_native_object_is_named_by_its_place_in_the_input() {
    let input = br#"{"native":true}"#;
    let with_raw = |sequence, text| UniversalEvent { raw: Json::from_text(text), ..delta(sequence, "a") };
    let text = std::str::from_utf8(input).expect("ASCII");
    let (values, numbers) = packed(|packer| {
        packer.reads(input);
        packer.event(&with_raw(1, text));
        packer.event(&with_raw(2, text));
        packer.event(&with_raw(3, "{}"));
        packer.event(&with_raw(4, "{}"));
    });
    // After the operation and the four numbers of the session.
    assert_eq!(numbers[5..7], [0, 15]);
    let again = [op::SAME_RAW, op::TEXT_RAW, op::SAME_RAW].map(|raw| u64::from(op::AGAIN | raw));
    assert!(numbers.ends_with(&again));
    assert!(values.ends_with(r#","a","a","{}","a","a"]"#), "{values}");
}

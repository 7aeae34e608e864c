//! Text carries whatever a JSON string can. UTF-16 units are the measure: that is what JSON escapes are.
#![allow(clippy::expect_used, reason = "a test that cannot go on fails")]

use interlinear_schema::{IntoOwned as _, Json, Text};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// UTF-16 with many surrogates, alone and in pairs.
fn units() -> impl Strategy<Value = Vec<u16>> {
    let unit = prop_oneof![
        4 => 0x20..0x7F_u16,
        2 => 0..0x20_u16,
        2 => 0xD800..0xDC00_u16,
        2 => 0xDC00..0xE000_u16,
        1 => any::<u16>(),
    ];
    proptest::collection::vec(unit, 0..24)
}

/// Text like code: long, with something to escape after stretches of any length.
fn code() -> impl Strategy<Value = String> {
    let piece = prop_oneof![r"[a-z (){};]{0,90}", r#"["\\\n\t\r/]{1,3}"#, "[\u{1}\u{8}\u{c}\u{1f}éℵ😀]"];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// The body of a JSON string in which every unit is escaped.
fn escaped(units: &[u16]) -> String {
    units.iter().fold(String::new(), |body, unit| format!("{body}\\u{unit:04x}"))
}

/// The body of a JSON string in which only what must be is escaped.
fn mixed(units: &[u16]) -> String {
    char::decode_utf16(units.iter().copied()).fold(String::new(), |body, unit| match unit {
        Ok(letter @ ('"' | '\\')) => format!("{body}\\{letter}"),
        Ok(letter) if letter < ' ' => format!("{body}\\u{:04x}", u32::from(letter)),
        Ok(letter) => format!("{body}{letter}"),
        Err(lone) => format!("{body}\\u{:04X}", lone.unpaired_surrogate()),
    })
}

/// The UTF-16 of WTF-8, by the book.
fn utf16(wtf8: &[u8]) -> Vec<u16> {
    let mut units = Vec::new();
    for chunk in wtf8.chunk_by(|_, next| next & 0xC0 == 0x80) {
        match std::str::from_utf8(chunk) {
            Ok(text) => units.extend(text.encode_utf16()),
            Err(_) => units.push(0xD000 | (u16::from(chunk[1] & 0x3F) << 6) | u16::from(chunk[2] & 0x3F)),
        }
    }
    units
}

fn wtf8(units: &[u16]) -> Vec<u8> {
    Text::from_json_body(&escaped(units)).as_wtf8().into_owned()
}

proptest! {
    // The same cases in every run.
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn decoding_gives_the_units_that_were_escaped(units in units()) {
        prop_assert_eq!(utf16(&wtf8(&units)), units.clone());
        let (mixed, escaped) = (mixed(&units), escaped(&units));
        prop_assert_eq!(Text::from_json_body(&mixed), Text::from_json_body(&escaped));
    }

    #[test]
    fn writing_and_reading_again_gives_the_same_text(units in units()) {
        let body = escaped(&units);
        let text = Text::from_json_body(&body);
        let owned = text.clone().into_owned();
        prop_assert_eq!(&owned, &text);
        for json in [Json::of(&text), Json::of(&owned)] {
            let read: Text<'static> = json.parse().expect("a string");
            prop_assert_eq!(utf16(&read.as_wtf8()), units.clone());
        }
    }

    #[test]
    fn serde_writes_the_same_text(units in units()) {
        let body = mixed(&units);
        let json = serde_json::to_string(&Text::from_json_body(&body)).expect("written");
        let read: Text<'static> = serde_json::from_str(&json).expect("read");
        prop_assert_eq!(utf16(&read.as_wtf8()), units);
    }

    #[test]
    fn what_is_cut_anywhere_is_whole_again_when_appended(units in units(), cuts in proptest::collection::vec(0..24_usize, 0..4)) {
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(units.len())).collect();
        cuts.extend([0, units.len()]);
        cuts.sort_unstable();
        let mut out = Vec::new();
        let mut out_owned = Vec::new();
        for piece in cuts.windows(2) {
            let body = escaped(&units[piece[0]..piece[1]]);
            Text::from_json_body(&body).append_to(&mut out);
            Text::from_json_body(&body).into_owned().append_to(&mut out_owned);
        }
        prop_assert_eq!(&out, &wtf8(&units));
        prop_assert_eq!(&out_owned, &out);
    }

    #[test]
    fn shown_to_a_person_a_lone_surrogate_is_a_replacement_character(units in units()) {
        let body = escaped(&units);
        let text = Text::from_json_body(&body);
        prop_assert_eq!(text.to_str_lossy(), String::from_utf16_lossy(&units));
        prop_assert_eq!(text.is_empty(), units.is_empty());
    }

    #[test]
    fn long_texts_are_written_and_read_as_everywhere(text in code(), at in 0..64_usize) {
        let json = serde_json::to_string(&text).expect("a string");
        let body = &json[1..json.len() - 1];
        let decoded = Text::from(text.as_str());
        prop_assert_eq!(Json::of(&decoded), Json::from_text(json.as_str()));
        prop_assert_eq!(decoded.to_json_body(), Some(body.to_owned()).filter(|_| text.len() >= 256));
        let read = Text::from_json_body(body);
        prop_assert_eq!(&read.as_wtf8()[..], text.as_bytes());
        let beginning = read.beginning();
        prop_assert!(text.starts_with(&beginning[..beginning.floor_char_boundary(beginning.len().saturating_sub(6))]));
        prop_assert!(beginning.len() >= text.len().min(40));
        // Escaped as nobody has to.
        let (plain, rest) = text.split_at(text.floor_char_boundary(at));
        let units: Vec<u16> = rest.encode_utf16().collect();
        let mixed = serde_json::to_string(plain).expect("a string");
        let strange = format!("{}{}", &mixed[1..mixed.len() - 1], escaped(&units)).replace("\\\"", "\\u0022").replace('/', "\\/");
        prop_assert_eq!(Text::from_json_body(&strange), decoded);
    }

    #[test]
    fn what_is_written_is_json_for_everyone(text in any::<String>()) {
        let written = Json::of(&Text::from(text.as_str()));
        prop_assert_eq!(&serde_json::from_str::<String>(written.as_str()).expect("a string"), &text);
        prop_assert_eq!(Json::of(text.as_str()), written);
    }
}

#[test]
fn every_short_escape_is_read() {
    let text = Text::from_json_body(r#"\"\\\/\b\f\n\r\t\u00e9"#);
    assert_eq!(text.to_str_lossy(), "\"\\/\u{8}\u{c}\n\r\té");
}

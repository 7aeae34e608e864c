//! Milliseconds since 1970 ↔ RFC 3339. The core reads no clock: time is handed in, or stands in the transcript.

use std::fmt::Write as _;

/// Writes `2026-01-28T12:00:00.000Z`. Years outside 0–9999 are held at their ends.
pub fn format(ms: i64, out: &mut String) {
    let ms = ms.clamp(-62_167_219_200_000, 253_402_300_799_999);
    let (days, rest) = (ms.div_euclid(86_400_000), ms.rem_euclid(86_400_000));
    let (year, month, day) = civil(days);
    let (hour, minute) = (rest / 3_600_000, rest / 60_000 % 60);
    let (second, milli) = (rest / 1000 % 60, rest % 1000);
    out.clear();
    let _ = write!(out, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z");
}

/// Reads an RFC 3339 timestamp.
pub fn parse(text: &str) -> Option<i64> {
    let bytes = text.as_bytes();
    let number = |from: usize, to: usize| -> Option<i64> {
        let digits = text.get(from..to)?;
        if digits.bytes().all(|byte| byte.is_ascii_digit()) { digits.parse().ok() } else { None }
    };
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    let separators = bytes.get(4) == Some(&b'-')
        && bytes.get(7) == Some(&b'-')
        && matches!(bytes.get(10), Some(b'T' | b't' | b' '))
        && bytes.get(13) == Some(&b':')
        && bytes.get(16) == Some(&b':');
    if !separators || !(1..=12).contains(&month) || !(1..=31).contains(&day) || hour > 23 || minute > 59 || second > 60
    {
        return None;
    }
    let mut at = 19;
    let mut milli = 0;
    if bytes.get(at) == Some(&b'.') {
        let fraction = bytes[at + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        for place in 0..3 {
            let digit = if place < fraction { i64::from(bytes[at + 1 + place] - b'0') } else { 0 };
            milli = milli * 10 + digit;
        }
        at += 1 + fraction;
    }
    let offset = match bytes.get(at)? {
        b'Z' | b'z' => 0,
        sign @ (b'+' | b'-') => {
            let minutes = number(at + 1, at + 3)? * 60 + number(at + 4, at + 6)?;
            if *sign == b'-' { -minutes } else { minutes }
        }
        _ => return None,
    };
    let seconds = days(year, month, day) * 86_400 + hour * 3600 + (minute - offset) * 60 + second;
    Some(seconds * 1000 + milli)
}

/// Days since 1970 of a date, by the Gregorian calendar.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// The date of a day since 1970.
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let (day, month) = (of_year - (153 * shifted + 2) / 5 + 1, if shifted < 10 { shifted + 3 } else { shifted - 9 });
    (year + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let mut text = String::new();
        for ms in [0, 1, -1, 951_782_400_000, 1_763_253_664_046, 4_102_444_799_999, 253_402_300_799_999] {
            format(ms, &mut text);
            assert_eq!(parse(&text), Some(ms), "{text}");
        }
        format(1_763_253_664_046, &mut text);
        assert_eq!(text, "2025-11-16T00:41:04.046Z");
    }

    #[test]
    fn zones_and_fractions_are_read() {
        assert_eq!(parse("1970-01-01T01:00:00+01:00"), Some(0));
        assert_eq!(parse("1970-01-01T00:00:00.123456789Z"), Some(123));
        assert_eq!(parse("1970-01-01 00:00:00.5z"), Some(500));
        for bad in ["", "now", "1970-13-01T00:00:00Z", "1970-01-01T00:00:00", "1970-01-01", "197é-01-01T00:00:00Z"] {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }
}

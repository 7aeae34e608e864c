//! RFC 3339 timestamps, compared as instants.

/// A moment: seconds since 1970 and nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Moment {
    seconds: i64,
    nanos: u32,
}

/// Reads `2026-01-31T12:00:00.123Z` or `…+02:00`. Without a zone it is no moment.
pub(super) fn parse(text: &str) -> Option<Moment> {
    let bytes = text.as_bytes();
    let separators = [(4, b'-'), (7, b'-'), (13, b':'), (16, b':')];
    if bytes.len() < 20 || separators.iter().any(|(at, byte)| bytes[*at] != *byte) {
        return None;
    }
    if !matches!(bytes[10], b'T' | b't' | b' ') {
        return None;
    }
    let (year, month, day) = (digits(bytes, 0, 4)?, digits(bytes, 5, 2)?, digits(bytes, 8, 2)?);
    let (hour, minute, second) = (digits(bytes, 11, 2)?, digits(bytes, 14, 2)?, digits(bytes, 17, 2)?);
    if !(1..=12).contains(&month) || day < 1 || day > days_in(year, month) || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let (nanos, zone) = fraction(&bytes[19..])?;
    let local = days_since_1970(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second;
    Some(Moment { seconds: local - offset(zone)?, nanos })
}

fn digits(bytes: &[u8], at: usize, count: usize) -> Option<i64> {
    let digits = bytes.get(at..at + count)?;
    digits.iter().try_fold(0, |number, digit| digit.is_ascii_digit().then(|| number * 10 + i64::from(digit - b'0')))
}

/// The fraction of a second, and what follows it.
fn fraction(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let Some(rest) = bytes.strip_prefix(b".") else { return Some((0, bytes)) };
    let length = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let nanos = (0..9).fold(0, |nanos, place| {
        let digit = if place < length { rest[place] - b'0' } else { 0 };
        nanos * 10 + u32::from(digit)
    });
    (length > 0).then(|| (nanos, &rest[length..]))
}

/// The zone's distance from UTC, in seconds.
fn offset(zone: &[u8]) -> Option<i64> {
    match zone {
        b"Z" | b"z" => Some(0),
        [sign @ (b'+' | b'-'), ..] if zone.len() == 6 && zone[3] == b':' => {
            let (hours, minutes) = (digits(zone, 1, 2)?, digits(zone, 4, 2)?);
            let seconds = hours * 3600 + minutes * 60;
            (hours < 24 && minutes < 60).then_some(if *sign == b'-' { -seconds } else { seconds })
        }
        _ => None,
    }
}

fn is_leap(year: i64) -> bool {
    (year % 4 == 0 && year % 100 != 0) || year % 400 == 0
}

fn days_in(year: i64, month: i64) -> i64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    // Leap days up to the end of the year before; the year 0 counts as one.
    let leap_days = |year: i64| (year + 3) / 4 - (year + 99) / 100 + (year + 399) / 400;
    let years = year * 365 + leap_days(year) - (1970 * 365 + leap_days(1970));
    years + (1..month).map(|month| days_in(year, month)).sum::<i64>() + day - 1
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn reads_moments_with_any_zone_as_the_same_instant() {
        let noon = parse("2026-02-28T12:00:00Z");
        assert!(noon.is_some());
        assert_eq!(noon, parse("2026-02-28T14:00:00.000+02:00"));
        assert_eq!(noon, parse("2026-02-27T23:30:00-12:30"));
        assert_eq!(parse("1970-01-01T00:00:00.000Z").map(|moment| moment.seconds), Some(0));
        assert_eq!(parse("2024-02-29T00:00:00Z").map(|moment| moment.seconds), Some(1_709_164_800));
    }

    #[test]
    fn orders_moments_down_to_the_nanosecond() {
        assert!(parse("2026-01-01T00:00:00.000000001Z") > parse("2026-01-01T00:00:00Z"));
        assert!(parse("2026-01-01T00:00:00.9Z") < parse("2026-01-01T00:00:01Z"));
    }

    #[test]
    fn refuses_what_is_not_rfc_3339_with_a_zone() {
        for text in [
            "",
            "now",
            "2026-01-01",
            "2026-01-01T00:00:00",
            "2026-02-30T00:00:00Z",
            "2025-02-29T00:00:00Z",
            "2026-13-01T00:00:00Z",
            "2026-01-01T24:00:00Z",
            "2026-01-01T00:00:00.Z",
            "2026-01-01T00:00:00+0200",
            "2026-01-01T00:00:00Zulu",
            "1767225600000",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}

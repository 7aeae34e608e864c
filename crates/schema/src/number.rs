//! Numbers with a fraction: read from JSON and written to it, exactly. There are few of them (a price at the end of a
//! turn), so this is small rather than fast: the standard library's own way brings tables that are larger than an
//! agent, which only WebAssembly minds.

#![allow(clippy::float_cmp, reason = "digits are enough when they are read as the very same number")]

use std::cmp::Ordering;

/// Powers of ten that are exact.
const TENS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];

/// A number of so many digits is exact, and no other of so many is read as the same.
const EXACT: usize = 15;

/// What is written with a point and few zeros.
const PRICES: std::ops::Range<f64> = 1e-4..TENS[EXACT];

/// Reads a number as JSON writes it: the nearest one that there is, the even one of two.
pub(crate) fn parse(text: &str) -> f64 {
    if cfg!(target_family = "wasm") { small_parse(text) } else { text.parse().unwrap_or_default() }
}

fn small_parse(text: &str) -> f64 {
    let (text, negative) = text.strip_prefix('-').map_or((text, false), |text| (text, true));
    let (digits, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    // What does not fit is far out of range, whichever way.
    let huge = if exponent.starts_with('-') { -9999 } else { 9999 };
    let exponent = exponent.parse().unwrap_or(huge).clamp(-9999, 9999) - fraction.len() as i64;
    let digits = || whole.bytes().chain(fraction.bytes()).map(|digit| u32::from(digit - b'0'));
    let power = exponent.unsigned_abs() as usize;
    let value = if whole.len() + fraction.len() <= EXACT && power < TENS.len() {
        // Both are exact, so that rounding once is right.
        let number = digits().fold(0_u64, |number, digit| number * 10 + u64::from(digit)) as f64;
        if exponent < 0 { number / TENS[power] } else { number * TENS[power] }
    } else {
        let mut number = Big::default();
        digits().for_each(|digit| number.multiply(10, digit));
        scaled(number, exponent)
    };
    if negative { -value } else { value }
}

/// `number × 10^exponent`, rounded once.
fn scaled(mut number: Big, exponent: i64) -> f64 {
    let power = exponent.unsigned_abs() as usize;
    // 10^308 is the largest power that there is, and 10^-324 the smallest.
    let digits = number.bits() as i64 * 30103 / 100_000;
    if digits + exponent < -330 || number.0.is_empty() {
        return 0.0;
    }
    if digits + exponent > 310 {
        return f64::INFINITY;
    }
    let mut below = Big(vec![1]);
    let larger = if exponent < 0 { &mut below } else { &mut number };
    larger.raise(power);
    // The quotient is to have 64 or 65 bits: more than a number keeps.
    let shift = 64 + below.bits() as i64 - number.bits() as i64;
    if shift > 0 {
        number.shift(shift as usize);
    } else {
        below.shift(-shift as usize);
    }
    let (quotient, rest) = number.divide(below);
    let bits = 128 - i64::from(quotient.leading_zeros());
    let dropped = (bits - 53).max(shift - 1074);
    if dropped > bits {
        return 0.0;
    }
    let (half, kept) = (1_u128 << (dropped - 1), (quotient >> dropped) as u64);
    let up = match (quotient & ((half << 1) - 1)).cmp(&half) {
        Ordering::Less => false,
        Ordering::Equal => rest != Rest::None || kept % 2 == 1,
        Ordering::Greater => true,
    };
    let kept = kept + u64::from(up);
    // One that rounds up to the next power of two carries over into the exponent.
    let power = (dropped - shift + 1075 - 1).max(0) as u64;
    if power < 0x7FE { f64::from_bits((power << 52) + kept) } else { f64::INFINITY }
}

/// Writes a number in as few digits as tell it from every other; what is not finite has no JSON and becomes `null`.
pub(crate) fn write(number: f64, out: &mut Vec<u8>) {
    if !number.is_finite() {
        return out.extend_from_slice(b"null");
    }
    if number.is_sign_negative() {
        out.push(b'-');
    }
    let (digits, point) = shortest(number.abs());
    let length = digits.len() as i64;
    let zeros = |out: &mut Vec<u8>, count: i64| (0..count).for_each(|_| out.push(b'0'));
    let digits = digits.as_bytes();
    if (-4..=0).contains(&point) {
        out.extend_from_slice(b"0.");
        zeros(out, -point);
        out.extend_from_slice(digits);
    } else if (1..=16).contains(&point) {
        let (whole, fraction) = digits.split_at(point.min(length) as usize);
        out.extend_from_slice(whole);
        zeros(out, point - length);
        out.push(b'.');
        out.extend_from_slice(if fraction.is_empty() { b"0" } else { fraction });
    } else {
        out.push(digits[0]);
        if length > 1 {
            out.push(b'.');
            out.extend_from_slice(&digits[1..]);
        }
        out.extend_from_slice(if point > 0 { b"e+" } else { b"e" });
        out.extend_from_slice((point - 1).to_string().as_bytes());
    }
}

/// The same for a number of few digits, as prices are.
fn short(number: f64) -> Option<(String, i64)> {
    if !PRICES.contains(&number) {
        return None;
    }
    TENS[..=EXACT].iter().zip(0_i64..).find_map(|(ten, decimals)| {
        let digits = (number * ten + 0.5) as u64;
        // Only one number of so many digits is read as this one: if it is this, it is the shortest.
        let same = digits < TENS[EXACT] as u64 && digits as f64 / ten == number;
        let digits = same.then(|| digits.to_string())?;
        let point = digits.len() as i64 - decimals;
        Some((digits, point))
    })
}

/// The digits of a number, and where its point stands: `0.digits × 10^point`.
fn shortest(number: f64) -> (String, i64) {
    if number == 0.0 {
        return ("0".to_owned(), 1);
    }
    if let Some(found) = short(number) {
        return found;
    }
    let bits = number.to_bits();
    let (mantissa, exponent) = match bits >> 52 {
        0 => (bits, -1074),
        power => (bits & ((1 << 52) - 1) | 1 << 52, power as i64 - 1075),
    };
    let mut point = ((i64::from(64 - mantissa.leading_zeros()) + exponent - 1) * 30103).div_euclid(100_000);
    // So many were tried if it is a price.
    let tried = if PRICES.contains(&number) { EXACT as i64 + point.min(0) } else { 0 };
    for count in tried.max(0) + 1..=17 {
        loop {
            let decimals = count - point;
            let mut above = Big(vec![mantissa as u32, (mantissa >> 32) as u32]);
            let mut below = Big(vec![1]);
            if exponent < 0 {
                below.shift(-exponent as usize);
            } else {
                above.shift(exponent as usize);
            }
            let larger = if decimals < 0 { &mut below } else { &mut above };
            larger.raise(decimals.unsigned_abs() as usize);
            let (digits, rest) = above.divide(below);
            let up = match rest {
                Rest::None | Rest::Less => false,
                Rest::Half => digits % 2 == 1,
                Rest::More => true,
            };
            let digits = (digits as u64 + u64::from(up)).to_string();
            if digits.len() as i64 > count {
                point += 1;
                continue;
            }
            let enough = parse(&format!("{digits}e{}", -decimals)) == number;
            if enough {
                let point = digits.len() as i64 - decimals;
                return (digits.trim_end_matches('0').to_owned(), point);
            }
            break;
        }
    }
    ("0".to_owned(), 1)
}

/// A whole number of any size, its smallest digits first; without zeros at its end.
#[derive(Debug, Default)]
struct Big(Vec<u32>);

impl Big {
    /// `self × factor + more`
    fn multiply(&mut self, factor: u32, more: u32) {
        let mut carry = u64::from(more);
        for digit in &mut self.0 {
            carry += u64::from(*digit) * u64::from(factor);
            *digit = carry as u32;
            carry >>= 32;
        }
        self.0.push(carry as u32);
        self.trim();
    }

    /// `self × 10^power`
    fn raise(&mut self, power: usize) {
        (0..power / 9).for_each(|_| self.multiply(1_000_000_000, 0));
        self.multiply(10_u32.pow((power % 9) as u32), 0);
    }

    fn trim(&mut self) {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
    }

    fn bits(&self) -> usize {
        self.0.last().map_or(0, |last| self.0.len() * 32 - last.leading_zeros() as usize)
    }

    /// `self × 2^count`
    fn shift(&mut self, count: usize) {
        self.multiply(1 << (count % 32), 0);
        if !self.0.is_empty() {
            self.0.splice(0..0, std::iter::repeat_n(0, count / 32));
        }
    }

    fn compare(&self, other: &Self) -> Ordering {
        self.0.len().cmp(&other.0.len()).then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }

    /// Takes away what is not larger.
    fn subtract(&mut self, other: &Self) {
        let mut borrow = 0;
        for (at, digit) in self.0.iter_mut().enumerate() {
            let taken = i64::from(*digit) - i64::from(other.0.get(at).copied().unwrap_or(0)) - borrow;
            *digit = taken as u32;
            borrow = i64::from(taken < 0);
        }
        self.trim();
    }

    /// The quotient, which has at most 66 bits, and what is left.
    fn divide(mut self, mut by: Self) -> (u128, Rest) {
        const BITS: usize = 66;
        self.trim();
        by.shift(BITS);
        let mut quotient = 0;
        for _ in 0..BITS {
            self.shift(1);
            quotient <<= 1;
            if self.compare(&by) != Ordering::Less {
                self.subtract(&by);
                quotient |= 1;
            }
        }
        if self.0.is_empty() {
            return (quotient, Rest::None);
        }
        self.shift(1);
        let rest = match self.compare(&by) {
            Ordering::Less => Rest::Less,
            Ordering::Equal => Rest::Half,
            Ordering::Greater => Rest::More,
        };
        (quotient, rest)
    }
}

/// What is left of a division, beside the divisor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rest {
    None,
    /// Less than half of it.
    Less,
    Half,
    More,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(number: f64) -> String {
        let mut out = Vec::new();
        write(number, &mut out);
        String::from_utf8(out).unwrap_or_default()
    }

    #[track_caller]
    fn same(number: f64) {
        assert_eq!(written(number), serde_json::to_string(&number).unwrap_or_default());
        assert_eq!(small_parse(&written(number)).to_bits(), number.to_bits(), "{number}");
    }

    #[test]
    fn numbers_at_the_edges_are_read_and_written_like_elsewhere() {
        let edges =
            [0.0, -0.0, 1.0, 0.1, 1e16, 1e17, 123_456_789.0, 1e-5, 1.5e-5, 1e22, 1e23, f64::MAX, f64::MIN_POSITIVE];
        edges.into_iter().for_each(same);
        for number in
            [5e-324, f64::MIN_POSITIVE / 2.0, 2.225_073_858_507_201e-308, 9_007_199_254_740_993.0, 0.3, 2.0 / 3.0]
        {
            same(number);
            same(-number);
        }
        for text in [
            "1e400",
            "1e-400",
            "-1E+2",
            "0e9",
            "1e99999999999999999999",
            "9007199254740993",
            "1.7976931348623159e308",
            "2e308",
        ] {
            assert_eq!(Ok(small_parse(text)), text.parse::<f64>(), "{text}");
        }
        assert_eq!((written(f64::NAN), written(f64::INFINITY)), ("null".to_owned(), "null".to_owned()));
    }

    proptest! {
        #[test]
        fn any_number_is_read_and_written_like_elsewhere(bits in any::<u64>()) {
            let number = f64::from_bits(bits);
            if number.is_finite() {
                same(number);
            }
        }

        #[test]
        fn prices_are_too(units in 0_u64..100_000_000_000, decimals in 0_i32..20) {
            same(units as f64 / 10_f64.powi(decimals));
        }

        #[test]
        fn any_digits_are_read_like_elsewhere(text in "-?(0|[1-9][0-9]{0,30})(\\.[0-9]{1,30})?([eE][-+]?[0-9]{1,3})?") {
            prop_assert_eq!(Ok(small_parse(&text)), text.parse::<f64>());
        }
    }
}

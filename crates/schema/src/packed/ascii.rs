//! Text in ASCII, whatever it holds.

use wide::u8x16;

use crate::json::{length_before, special};

/// Appends WTF-8 in ASCII, as the body of a JSON string (`STRING`) or as JSON text that has such strings within.
pub(super) fn escape<const STRING: bool>(mut bytes: &[u8], out: &mut Vec<u8>) {
    loop {
        let clean = clean_length::<STRING>(bytes);
        out.extend_from_slice(&bytes[..clean]);
        bytes = &bytes[clean..];
        let Some(&first) = bytes.first() else { return };
        let length = match first {
            0x00..0x80 => {
                escape_ascii(first, out);
                1
            }
            _ => escape_other(bytes, out),
        };
        bytes = &bytes[length..];
    }
}

fn escape_ascii(byte: u8, out: &mut Vec<u8>) {
    let short = match byte {
        b'"' | b'\\' => byte,
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        _ => return escape_unit(u32::from(byte), out),
    };
    out.extend_from_slice(&[b'\\', short]);
}

/// Appends the first character that is not ASCII as its UTF-16 units; gives its length.
fn escape_other(bytes: &[u8], out: &mut Vec<u8>) -> usize {
    let low = |at: usize| u32::from(bytes.get(at).map_or(0, |byte| byte & 0x3F));
    let first = u32::from(bytes[0]);
    let (code, length) = match first {
        0x00..0xE0 => ((first & 0x1F) << 6 | low(1), 2),
        0xE0..0xF0 => ((first & 0x0F) << 12 | low(1) << 6 | low(2), 3),
        _ => ((first & 0x07) << 18 | low(1) << 12 | low(2) << 6 | low(3), 4),
    };
    if let Some(above) = code.checked_sub(0x1_0000) {
        escape_unit(0xD800 | above >> 10, out);
        escape_unit(0xDC00 | above & 0x3FF, out);
    } else {
        escape_unit(code, out);
    }
    length.min(bytes.len())
}

fn escape_unit(unit: u32, out: &mut Vec<u8>) {
    let digit = |shift: u32| b"0123456789abcdef"[(unit >> shift & 0xF) as usize];
    out.extend_from_slice(&[b'\\', b'u', digit(12), digit(8), digit(4), digit(0)]);
}

/// How many bytes at the beginning need no escape.
#[inline]
fn clean_length<const STRING: bool>(bytes: &[u8]) -> usize {
    length_before(bytes, |block| {
        let other = u8x16::new(block).to_bitmask();
        if STRING { other | special(block) } else { other }
    })
}

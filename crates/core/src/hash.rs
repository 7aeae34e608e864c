//! Small hashes of 64 bits.

/// FNV-1a, of lines: it stands in events, as `raw_hash`.
pub fn of(bytes: &[u8]) -> u64 {
    more(0xcbf2_9ce4_8422_2325, bytes)
}

/// Goes on hashing.
pub fn more(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// As it stands in events.
pub fn hex(hash: u64) -> String {
    format!("fnv1a64:{hash:016x}")
}

/// A quicker one, of what is only remembered: eight bytes at once.
pub(crate) fn id(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks();
    // Of the last eight some were mixed in before.
    let last = bytes.last_chunk().copied().unwrap_or_else(|| {
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        last
    });
    let hash = words.iter().fold(bytes.len() as u64, |hash, word| mix(hash, u64::from_le_bytes(*word)));
    mix(mix(hash, u64::from_le_bytes(last)), 0)
}

/// The same of several texts, one after the other: another one than that of any text.
pub(crate) fn of_all(texts: &[&str]) -> u64 {
    texts.iter().fold(1, |hash, text| and(hash, text.as_bytes()))
}

/// Goes on with another one.
pub(crate) fn and(hash: u64, bytes: &[u8]) -> u64 {
    mix(hash, id(bytes))
}

/// The same of a long text by both of its ends and its length: to know one of a few again.
pub(crate) fn roughly(bytes: &[u8]) -> u64 {
    const END: usize = 256;
    let (start, end) = (&bytes[..bytes.len().min(END)], &bytes[bytes.len().saturating_sub(END)..]);
    mix(mix(bytes.len() as u64, id(start)), id(end))
}

/// A product has the low bits of a word in all of its bits, but the high ones only in its own: these go down first.
fn mix(hash: u64, word: u64) -> u64 {
    let product = (hash ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    product ^ (product >> 29)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_that_differ_little_have_hashes_that_differ_much() {
        // By chance alone, 4000 of 16384 places would be taken about 3550 times.
        for name in ["message_", "itm_status_", "toolu_01", "a-very-long-identifier-that-is-counted-up-", ""] {
            for end in ["", "_result", "-4f2a-9d1e-000000000000"] {
                let hashes = (0..4000).map(|number| id(format!("{name}{number}{end}").as_bytes()));
                let mut places: Vec<_> = hashes.map(|hash| (hash ^ (hash >> 32)) % 16384).collect();
                places.sort_unstable();
                places.dedup();
                assert!(places.len() > 3400, "{name}{end}: {}", places.len());
            }
        }
    }
}

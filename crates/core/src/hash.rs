//! A small stable hash (FNV-1a, 64 bits): of lines, for `raw_hash`, and of identifiers of what is finished.

/// The hash of bytes.
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

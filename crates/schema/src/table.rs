//! The keys of objects, and which of their fields they belong to.

use wide::u8x16;

/// The keys of an object: made from one text when the core is compiled, so that one function reads all objects.
#[derive(Debug)]
pub struct Table {
    /// A line for each field: its name, then its keys, if they are others. In the last line, the keys that are known and not used.
    text: &'static str,
    /// The keys, in the order of their hashes.
    keys: &'static [Key],
    /// Where the keys of each hash begin, and where the last ones end.
    starts: [u8; HASHES + 1],
}

const HASHES: usize = 64;

/// A number below [`HASHES`].
#[inline]
const fn hash(key: &[u8]) -> usize {
    (mixed(key) >> (u64::BITS - HASHES.ilog2())) as usize
}

/// Both ends of a text, mixed: the highest bits tell most texts apart.
#[inline]
pub const fn mixed(key: &[u8]) -> u64 {
    let (first, last) = match (key.first_chunk(), key.last_chunk(), key.first_chunk(), key.last_chunk(), key) {
        (Some(first), Some(last), ..) => (u64::from_le_bytes(*first), u64::from_le_bytes(*last)),
        (_, _, Some(first), Some(last), _) => {
            (u32::from_le_bytes(*first) as u64, (u32::from_le_bytes(*last) as u64) << 32)
        }
        (.., [first, .., last]) => (*first as u64, (*last as u64) << 8),
        (.., key) => (key.len() as u64, 0),
    };
    (first.rotate_left(5) ^ last).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// A key, as a place in the table's text.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    start: u16,
    length: u8,
    /// The number of its field; that of the last line for a key that is not used.
    field: u8,
}

impl Key {
    const fn hash(self, text: &[u8]) -> usize {
        let (_, from) = text.split_at(self.start as usize);
        hash(from.split_at(self.length as usize).0)
    }
}

/// The keys in a table's text: how many there are, and the first `N` of them, in the order of their hashes.
///
/// # Panics
/// At compile time, where a table has too many fields or a key is too long.
pub const fn keys<const N: usize>(text: &str, fields: usize) -> (usize, [Key; N]) {
    let text = text.as_bytes();
    let mut found = [Key { start: 0, length: 0, field: 0 }; N];
    let (mut count, mut line, mut start, mut at) = (0, 0, 0, 0);
    let mut is_name = fields > 0;
    while at <= text.len() {
        let end = at == text.len() || text[at] == b' ' || text[at] == b'\n';
        if end && at > start && (!is_name || text[at] == b'\n') {
            assert!(at - start < 256 && line < MOST_FIELDS, "a key or a list of fields is too long");
            let key = Key { start: start as u16, length: (at - start) as u8, field: line as u8 };
            let mut to = count;
            while to > 0 && to < N && found[to - 1].hash(text) > key.hash(text) {
                found[to] = found[to - 1];
                to -= 1;
            }
            if to < N {
                found[to] = key;
            }
            count += 1;
        }
        if end {
            start = at + 1;
            is_name = false;
        }
        if at < text.len() && text[at] == b'\n' {
            line += 1;
            is_name = line < fields;
        }
        at += 1;
    }
    (count, found)
}

/// No object has more fields.
pub const MOST_FIELDS: usize = 64;

impl Table {
    /// The table of a text and its keys.
    ///
    /// # Panics
    /// If there are too many keys: when the core is compiled.
    pub const fn new(text: &'static str, keys: &'static [Key]) -> Self {
        assert!(keys.len() < 256, "an object has too many keys");
        let mut starts = [0; HASHES + 1];
        let (mut hash, mut at) = (0, 0);
        while hash <= HASHES {
            while at < keys.len() && keys[at].hash(text.as_bytes()) < hash {
                at += 1;
            }
            starts[hash] = at as u8;
            hash += 1;
        }
        Self { text, keys, starts }
    }

    /// The number of a key's field; nothing if the key is not known.
    #[inline]
    pub fn field(&self, key: &[u8]) -> Option<usize> {
        let hash = hash(key);
        let alike = self.keys.get(usize::from(self.starts[hash])..usize::from(self.starts[hash + 1]))?;
        let text = self.text.as_bytes();
        let is_it = |known: &&Key| {
            let start = usize::from(known.start);
            text.get(start..start + usize::from(known.length)).is_some_and(|known| same(known, key))
        };
        alike.iter().find(is_it).map(|known| usize::from(known.field))
    }

    /// The name of a field.
    pub fn name(&self, field: usize) -> &'static str {
        let line = self.text.split('\n').nth(field).unwrap_or_default();
        line.split(' ').next().unwrap_or_default()
    }
}

/// Whether the bytes are the same. Most are few: less than a call to the system's comparison costs, which goes byte by
/// byte in WebAssembly.
#[inline]
pub fn same(one: &[u8], other: &[u8]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    if one.len() > 64 && !cfg!(target_family = "wasm") {
        return one == other;
    }
    if let (Some(last), Some(other_last)) = (one.last_chunk(), other.last_chunk()) {
        let mut blocks = one.as_chunks().0.iter().zip(other.as_chunks().0);
        return blocks.all(|(one, other)| same_block(one, other)) && same_block(last, other_last);
    }
    if let (Some(last), Some(other_last)) = (one.last_chunk::<8>(), other.last_chunk::<8>()) {
        return last == other_last && one.first_chunk::<8>() == other.first_chunk::<8>();
    }
    if let (Some(last), Some(other_last)) = (one.last_chunk::<4>(), other.last_chunk::<4>()) {
        return last == other_last && one.first_chunk::<4>() == other.first_chunk::<4>();
    }
    one.iter().zip(other).all(|(one, other)| one == other)
}

/// The same for text.
pub(crate) fn same_text(one: &str, other: &str) -> bool {
    same(one.as_bytes(), other.as_bytes())
}

/// The same for text that may not be there.
pub(crate) fn same_option(one: Option<&str>, other: Option<&str>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => same_text(one, other),
        (one, other) => one.is_none() && other.is_none(),
    }
}

#[inline]
fn same_block(one: &[u8; 16], other: &[u8; 16]) -> bool {
    u8x16::new(*one).simd_eq(u8x16::new(*other)).all()
}

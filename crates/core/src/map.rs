//! Maps and sets for what is open at a time: sorted lists. What is searched does not know what is found, so the code
//! exists once for each type of key, not for each map. [`Hashes`] is for what grows with a session.

use std::borrow::Borrow;
use std::cmp::Ordering;

use interlinear_schema::table::same;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::state::{Kept, Snapshot};

/// A map in the order of its keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Map<K, V> {
    keys: Vec<K>,
    values: Vec<V>,
}

/// What maps are ordered by.
pub trait Key: Ord {
    /// The same as [`Ord::cmp`].
    fn order(&self, other: &Self) -> Ordering {
        self.cmp(other)
    }

    /// The same as [`PartialEq::eq`].
    fn is(&self, other: &Self) -> bool {
        self == other
    }
}

impl Key for u64 {}
impl Key for usize {}
impl<A: Ord, B: Ord> Key for (A, B) {}

impl Key for str {
    /// Mostly the first byte tells. And where the system's comparison masks what it loads, one of nothing costs more
    /// than all the rest; in WebAssembly it goes byte by byte, and identifiers begin alike.
    fn order(&self, other: &Self) -> Ordering {
        match (self.as_bytes().first(), other.as_bytes().first()) {
            (Some(one), Some(another)) if one == another => {}
            (one, another) => return one.cmp(&another),
        }
        if cfg!(target_family = "wasm") { by_words(self.as_bytes(), other.as_bytes()) } else { self.cmp(other) }
    }

    fn is(&self, other: &Self) -> bool {
        same(self.as_bytes(), other.as_bytes())
    }
}

/// The order of bytes, eight at once.
fn by_words(one: &[u8], other: &[u8]) -> Ordering {
    let (words, other_words) = (one.as_chunks().0, other.as_chunks().0);
    let alike = words.iter().zip(other_words).take_while(|(word, other)| word == other).count();
    match (words.get(alike), other_words.get(alike)) {
        (Some(word), Some(other)) => u64::from_be_bytes(*word).cmp(&u64::from_be_bytes(*other)),
        _ => one[alike * 8..].cmp(&other[alike * 8..]),
    }
}

impl Key for String {
    fn order(&self, other: &Self) -> Ordering {
        self.as_str().order(other)
    }
}

/// Where a key stands, or where it would.
#[inline(never)]
fn place<K: Borrow<Q>, Q: Key + ?Sized>(keys: &[K], key: &Q) -> Result<usize, usize> {
    // What is asked for, and what comes new, is mostly the last.
    match keys.last().map(Borrow::borrow) {
        None => Err(0),
        Some(last) if last.is(key) => Ok(keys.len() - 1),
        Some(last) if last.order(key) == Ordering::Less => Err(keys.len()),
        Some(_) => keys.binary_search_by(|known| known.borrow().order(key)),
    }
}

impl<K, V> Default for Map<K, V> {
    fn default() -> Self {
        Self { keys: Vec::new(), values: Vec::new() }
    }
}

impl<K: Key, V> Map<K, V> {
    /// The value of a key.
    pub fn get<Q: Key + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        place(&self.keys, key).ok().and_then(|at| self.values.get(at))
    }

    pub(crate) fn get_mut<Q: Key + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        place(&self.keys, key).ok().and_then(|at| self.values.get_mut(at))
    }

    /// Whether there is such a key.
    pub fn contains_key<Q: Key + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        // Many are empty most of the time: that is seen without a search.
        !self.keys.is_empty() && place(&self.keys, key).is_ok()
    }

    pub(crate) fn insert(&mut self, key: K, value: V) -> Option<V> {
        match place(&self.keys, &key) {
            Ok(at) => Some(std::mem::replace(&mut self.values[at], value)),
            Err(at) => {
                self.keys.insert(at, key);
                self.values.insert(at, value);
                None
            }
        }
    }

    /// The value of a key; a new key gets one.
    pub(crate) fn or_insert_with(&mut self, key: K, new: impl FnOnce() -> V) -> &mut V {
        let at = match place(&self.keys, &key) {
            Ok(at) => at,
            Err(at) => {
                self.keys.insert(at, key);
                self.values.insert(at, new());
                at
            }
        };
        &mut self.values[at]
    }

    /// The value of a key; that of a new key is empty.
    pub(crate) fn or_default<Q: Key + ToOwned<Owned = K> + ?Sized>(&mut self, key: &Q) -> &mut V
    where
        K: Borrow<Q>,
        V: Default,
    {
        let at = place(&self.keys, key).unwrap_or_else(|at| {
            self.keys.insert(at, key.to_owned());
            self.values.insert(at, V::default());
            at
        });
        &mut self.values[at]
    }

    pub(crate) fn remove<Q: Key + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let at = place(&self.keys, key).ok()?;
        Some(self.remove_at(at))
    }

    /// Takes out the key that stands there, with its value.
    pub(crate) fn remove_at(&mut self, at: usize) -> V {
        self.keys.remove(at);
        self.values.remove(at)
    }

    /// How many keys there are.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        self.keys.clear();
        self.values.clear();
    }

    /// Keeps only what is wanted.
    pub(crate) fn retain(&mut self, mut wanted: impl FnMut(&K, &mut V) -> bool) {
        let mut at = 0;
        while at < self.keys.len() {
            if wanted(&self.keys[at], &mut self.values[at]) {
                at += 1;
            } else {
                self.keys.remove(at);
                self.values.remove(at);
            }
        }
    }

    /// The keys with their values, in the order of the keys.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&K, &V)> + ExactSizeIterator {
        self.keys.iter().zip(&self.values)
    }

    pub(crate) fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = (&K, &mut V)> {
        self.keys.iter().zip(&mut self.values)
    }

    /// The keys, in their order.
    pub fn keys(&self) -> std::slice::Iter<'_, K> {
        self.keys.iter()
    }

    /// Where a key stands.
    pub(crate) fn position<Q: Key + ?Sized>(&self, key: &Q) -> Option<usize>
    where
        K: Borrow<Q>,
    {
        place(&self.keys, key).ok()
    }

    /// The key of the value that stands there.
    pub(crate) fn key_at(&self, at: usize) -> K
    where
        K: Copy,
    {
        self.keys[at]
    }

    /// The values, in the order of their keys.
    pub fn values(&self) -> std::slice::Iter<'_, V> {
        self.values.iter()
    }

    pub(crate) fn values_mut(&mut self) -> std::slice::IterMut<'_, V> {
        self.values.iter_mut()
    }
}

impl<K, V> IntoIterator for Map<K, V> {
    type Item = (K, V);
    type IntoIter = std::iter::Zip<std::vec::IntoIter<K>, std::vec::IntoIter<V>>;

    fn into_iter(self) -> Self::IntoIter {
        self.keys.into_iter().zip(self.values)
    }
}

impl<K: Key, V> FromIterator<(K, V)> for Map<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut map = Self::default();
        for (key, value) in entries {
            map.insert(key, value);
        }
        map
    }
}

/// As an object.
impl<'de, K: Key + Deserialize<'de>, V: Deserialize<'de>> Deserialize<'de> for Map<K, V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        std::collections::BTreeMap::deserialize(deserializer).map(Self::from_iter)
    }
}

impl<K: AsRef<str> + Key + Serialize, V: Serialize> Serialize for Map<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<K: Kept + Default, V: Kept + Default> Kept for Map<K, V> {
    fn pass(&mut self, through: &mut Snapshot<'_>) {
        self.keys.pass(through);
        self.values.pass(through);
        if self.keys.len() != self.values.len() {
            through.refuse();
        }
    }
}

/// A set in the order of its members.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Set<K>(Vec<K>);

impl<K> Default for Set<K> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<K: Key> Set<K> {
    /// True if it is new.
    pub(crate) fn insert(&mut self, member: K) -> bool {
        match place(&self.0, &member) {
            Ok(_) => false,
            Err(at) => {
                self.0.insert(at, member);
                true
            }
        }
    }

    pub(crate) fn contains<Q: Key + ?Sized>(&self, member: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        !self.0.is_empty() && place(&self.0, member).is_ok()
    }

    /// True if it was there.
    pub(crate) fn remove<Q: Key + ?Sized>(&mut self, member: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        place(&self.0, member).map(|at| self.0.remove(at)).is_ok()
    }
}

impl<K: Key> Extend<K> for Set<K> {
    fn extend<I: IntoIterator<Item = K>>(&mut self, members: I) {
        for member in members {
            self.insert(member);
        }
    }
}

impl<K: Key> FromIterator<K> for Set<K> {
    fn from_iter<I: IntoIterator<Item = K>>(members: I) -> Self {
        let mut set = Self::default();
        set.extend(members);
        set
    }
}

impl<K: Kept + Default> Kept for Set<K> {
    fn pass(&mut self, through: &mut Snapshot<'_>) {
        self.0.pass(through);
    }
}

/// Hashes that were seen; any number of them. Where there are many, they are kept in several tables that grow one by
/// one: no growth takes long, nor much memory beside what is there.
#[derive(Debug, Default)]
pub(crate) struct Hashes {
    /// One, or [`TABLES`].
    tables: Vec<Table>,
    /// What was numbered lately, and the last number of each: where to look on. Nothing hangs on it but time.
    numbered: Vec<(u64, u64)>,
}

const NUMBERED: usize = 1 << 12;

/// So many hashes are kept in one table, then in so many tables.
const FEW: usize = 1 << 12;
const TABLES: usize = 1 << 8;

impl Hashes {
    /// True if it is new.
    pub(crate) fn insert(&mut self, hash: u64) -> bool {
        match self.tables.as_slice() {
            [] => self.tables.push(Table::default()),
            [all] if all.used >= FEW => self.divide(),
            _ => {}
        }
        let at = self.table_of(hash);
        self.tables[at].insert(hash.max(1))
    }

    pub(crate) fn contains(&self, hash: u64) -> bool {
        self.tables.get(self.table_of(hash)).is_some_and(|table| table.contains(hash.max(1)))
    }

    /// A number that was given to this, and all before it.
    pub(crate) fn last_number(&self, hash: u64) -> u64 {
        let known = self.numbered.get((spread(hash) >> 32) as usize % NUMBERED).filter(|(known, _)| *known == hash);
        known.map_or(1, |(_, number)| *number)
    }

    /// It was given this number.
    pub(crate) fn note_number(&mut self, hash: u64, number: u64) {
        self.numbered.resize(NUMBERED, (0, 1));
        self.numbered[(spread(hash) >> 32) as usize % NUMBERED] = (hash, number);
    }

    fn table_of(&self, hash: u64) -> usize {
        if self.tables.len() > 1 { (spread(hash.max(1)) >> 56) as usize } else { 0 }
    }

    fn divide(&mut self) {
        let all = std::mem::take(&mut self.tables);
        self.tables.resize_with(TABLES, Table::default);
        for hash in all.iter().flat_map(Table::hashes) {
            let at = self.table_of(hash);
            self.tables[at].insert(hash);
        }
    }
}

/// Hashes of names that are alike differ in few bits: they are spread, so that neighbours do not crowd.
fn spread(hash: u64) -> u64 {
    hash.wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// A table with open addressing: the hash says its place.
#[derive(Debug, Default)]
struct Table {
    /// 0 is a free slot.
    slots: Vec<u64>,
    used: usize,
}

impl Table {
    fn insert(&mut self, hash: u64) -> bool {
        if self.used * 3 >= self.slots.len() * 2 {
            self.grow();
        }
        let at = self.find(hash);
        let new = self.slots[at] == 0;
        if new {
            self.slots[at] = hash;
            self.used += 1;
        }
        new
    }

    fn contains(&self, hash: u64) -> bool {
        !self.slots.is_empty() && self.slots[self.find(hash)] != 0
    }

    /// The slot of a hash, or the free one that it would take. There is always a free one.
    fn find(&self, hash: u64) -> usize {
        let slots = self.slots.as_slice();
        // The highest bits say which table it is.
        let part = (spread(hash) << 8) >> 32;
        let mut at = ((part * slots.len() as u64) >> 32) as usize;
        while slots[at] != 0 && slots[at] != hash {
            at = if at + 1 < slots.len() { at + 1 } else { 0 };
        }
        at
    }

    fn grow(&mut self) {
        let size = match self.slots.len() {
            0 => 16,
            few @ ..1024 => few * 2,
            // There are many tables of this size at once, and then it is memory that counts.
            many => many / 2 * 3,
        };
        for hash in std::mem::replace(&mut self.slots, vec![0; size]).into_iter().filter(|hash| *hash != 0) {
            let at = self.find(hash);
            self.slots[at] = hash;
        }
    }

    fn hashes(&self) -> impl Iterator<Item = u64> {
        self.slots.iter().copied().filter(|hash| *hash != 0)
    }
}

impl Kept for Hashes {
    fn pass(&mut self, through: &mut Snapshot<'_>) {
        // In one order, however they came: equal states have equal snapshots.
        let mut hashes = sorted(self.tables.iter().flat_map(Table::hashes).collect(), |a, b| a <= b);
        hashes.pass(through);
        if through.reads() {
            // It grows by its own rule: a table without a free slot is searched for ever.
            *self = Self::default();
            for hash in hashes {
                self.insert(hash);
            }
        }
    }
}

/// Sorts a list; what is equal stays in its order. `ordered` says whether two may follow each other like this.
pub(crate) fn sorted<T>(list: Vec<T>, ordered: impl Fn(&T, &T) -> bool) -> Vec<T> {
    if list.len() < 2 {
        return list;
    }
    let mut order: Vec<usize> = (0..list.len()).collect();
    sort(&mut order, &|a, b| ordered(&list[a], &list[b]));
    let mut list: Vec<_> = list.into_iter().map(Some).collect();
    order.into_iter().filter_map(|at| list[at].take()).collect()
}

/// By halves that are merged; it knows only the places of what it sorts, so there is one for all lists.
fn sort(places: &mut [usize], ordered: &dyn Fn(usize, usize) -> bool) {
    let middle = places.len() / 2;
    if middle == 0 {
        return;
    }
    sort(&mut places[..middle], ordered);
    sort(&mut places[middle..], ordered);
    let half = places[..middle].to_vec();
    let (mut left, mut right) = (half.as_slice(), middle);
    for at in 0..places.len() {
        let Some((first, rest)) = left.split_first() else { return };
        if right == places.len() || ordered(*first, places[right]) {
            places[at] = *first;
            left = rest;
        } else {
            places[at] = places[right];
            right += 1;
        }
    }
}

/// Where things stand, by hashes of their names: made once, then asked.
#[derive(Debug)]
pub(crate) struct Places(Vec<(u64, usize)>);

impl Places {
    /// Of doubled names the last place counts.
    pub(crate) fn new(places: impl Iterator<Item = (u64, usize)>) -> Self {
        Self(sorted(places.collect(), |a, b| a <= b))
    }

    pub(crate) fn get(&self, hash: u64) -> Option<usize> {
        let after = self.0.partition_point(|(known, _)| *known <= hash);
        let (known, place) = self.0.get(after.checked_sub(1)?)?;
        (*known == hash).then_some(*place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_keeps_the_order_of_its_keys_and_the_last_value_of_each() {
        let mut map: Map<String, u32> =
            [("b", 1), ("a", 2), ("c", 3), ("a", 4)].map(|(k, v)| (k.to_owned(), v)).into_iter().collect();
        assert!(map.iter().map(|(key, value)| (key.as_str(), *value)).eq([("a", 4), ("b", 1), ("c", 3)]));
        assert_eq!((map.remove("b"), map.get("b"), map.get("c")), (Some(1), None, Some(&3)));
        *map.or_default("b") += 7;
        map.retain(|key, _| key != "a");
        assert_eq!(map.into_iter().collect::<Vec<_>>(), [("b".to_owned(), 7), ("c".to_owned(), 3)]);
    }

    #[test]
    fn names_are_in_the_order_of_their_bytes() {
        let long = "ses_0123456789abcdef0123";
        let names: Vec<&str> =
            (0..long.len()).flat_map(|end| [&long[..end], &long[end..]]).chain(["é", "\u{1F600}"]).collect();
        for (one, other) in names.iter().flat_map(|one| names.iter().map(move |other| (*one, *other))) {
            assert_eq!((one.order(other), one.is(other)), (one.cmp(other), one == other), "{one} {other}");
            assert_eq!(by_words(one.as_bytes(), other.as_bytes()), one.cmp(other), "{one} {other}");
        }
    }

    #[test]
    fn hashes_are_new_once_however_many_there_are() {
        let mut hashes = Hashes::default();
        assert!(!hashes.contains(7));
        let all: Vec<u64> = (0..20_000_u64).map(|n| n.wrapping_mul(0x9E37_79B9_7F4A_7C15)).collect();
        assert!(all.iter().all(|hash| hashes.insert(*hash)));
        assert!(all.iter().all(|hash| hashes.contains(*hash) && !hashes.insert(*hash)));
        assert!(!hashes.contains(3));
    }

    #[test]
    fn lists_are_sorted_and_what_is_equal_stays_in_its_order() {
        for length in 0..40_usize {
            let list: Vec<_> = (0..length).map(|at| (at * 7 % 5, at)).collect();
            let mut expected = list.clone();
            expected.sort_unstable();
            assert_eq!(sorted(list, |a, b| a.0 <= b.0), expected);
        }
    }

    #[test]
    fn of_doubled_names_the_last_place_counts() {
        let places = Places::new([(9, 0), (4, 1), (9, 2)].into_iter());
        assert_eq!([places.get(9), places.get(4), places.get(5), places.get(1)], [Some(2), Some(1), None, None]);
    }
}

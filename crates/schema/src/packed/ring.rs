//! The last strings that were written.

use std::ops::Range;

use wide::u8x16;

use crate::table::{mixed, same};

/// No ring is larger: so many tags are compared at once.
const MOST: usize = 16;

/// Where the last strings stand in the output, between their quotes.
#[derive(Debug)]
pub(super) struct Ring<const SIZE: usize> {
    /// A few bits of each string that tell most of them apart; 0 where there is none to be found.
    tags: [u8; MOST],
    places: [(u32, u32); SIZE],
    next: usize,
}

impl<const SIZE: usize> Default for Ring<SIZE> {
    fn default() -> Self {
        const { assert!(SIZE <= MOST) };
        Self { tags: [0; MOST], places: [(0, 0); SIZE], next: 0 }
    }
}

impl<const SIZE: usize> Ring<SIZE> {
    /// The place of a string, as it is written.
    #[inline]
    pub(super) fn find(&self, written: &[u8], out: &[u8]) -> Option<usize> {
        let mut alike = u8x16::new(self.tags).simd_eq(u8x16::splat(tag(written))).to_bitmask();
        while alike != 0 {
            let place = alike.trailing_zeros() as usize;
            let (start, end) = *self.places.get(place)?;
            if out.get(start as usize..end as usize).is_some_and(|known| same(known, written)) {
                return Some(place);
            }
            alike &= alike - 1;
        }
        None
    }

    /// The string that was just written, to be found as it is written.
    pub(super) fn add(&mut self, place: Range<usize>, out: &[u8]) {
        let tag = tag(out.get(place.clone()).unwrap_or_default());
        self.put(place, tag);
    }

    /// A string that is not to be found: it only takes its place.
    pub(super) fn skip(&mut self) {
        self.put(0..0, 0);
    }

    fn put(&mut self, place: Range<usize>, tag: u8) {
        self.tags[self.next] = tag;
        self.places[self.next] = (place.start as u32, place.end as u32);
        self.next = (self.next + 1) % SIZE;
    }
}

fn tag(written: &[u8]) -> u8 {
    (mixed(written) >> (u64::BITS - 7)) as u8 | 0x80
}

//! Small pieces of memory, of which events are made: each is taken from a list of those of its size, and given back to it.
//!
//! The allocator that comes with this target looks for the piece that fits best and joins those that lie side by side. Few
//! sizes are ever asked for, again and again, so that is left out here: what was needed once is kept for what comes next.
#![expect(unsafe_code, reason = "memory is handed out here")]
#![expect(clippy::cast_ptr_alignment, reason = "pieces are aligned to more than a pointer")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ptr::null_mut;

#[cfg(target_feature = "atomics")]
compile_error!("the lists of free pieces have no lock: build without threads");

/// Sizes are rounded up to a multiple of this.
const STEP: usize = 16;

/// How a piece is aligned: as the system does it without being asked. What needs more is not for the lists.
const ALIGN: usize = 8;

/// Sizes up to `STEP` times this have a list.
const LISTS: usize = 32;

/// Hands out memory; what is larger than any list comes from the system.
pub(crate) struct Memory {
    /// The first free piece of each size; each has the place of the next in its first bytes.
    free: [Cell<*mut u8>; LISTS],
}

// SAFETY: without threads (see above) nobody shares it.
unsafe impl Sync for Memory {}

impl Memory {
    pub(crate) const fn new() -> Self {
        Self { free: [const { Cell::new(null_mut()) }; LISTS] }
    }

    /// The list that has pieces for this, if there is one.
    #[inline]
    fn list(&self, layout: Layout) -> Option<&Cell<*mut u8>> {
        let list = self.free.get(layout.size().wrapping_sub(1) / STEP);
        list.filter(|_| layout.align() <= ALIGN)
    }
}

/// What is asked for, as large as all pieces of its list.
fn piece(layout: Layout) -> Layout {
    Layout::from_size_align(layout.size().next_multiple_of(STEP), ALIGN).unwrap_or(layout)
}

// SAFETY: a piece is at least as large and as well aligned as was asked for. It is in no list while it is used, and in the
// one list of its size, which only its layout decides, when it is given back. Its first bytes are written only then.
unsafe impl GlobalAlloc for Memory {
    #[inline(never)]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let Some(list) = self.list(layout) else { return unsafe { System.alloc(layout) } };
        let first = list.get();
        if first.is_null() {
            return unsafe { System.alloc(piece(layout)) };
        }
        list.set(unsafe { first.cast::<*mut u8>().read() });
        first
    }

    #[inline(never)]
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        let Some(list) = self.list(layout) else { return unsafe { System.dealloc(memory, layout) } };
        unsafe { memory.cast::<*mut u8>().write(list.get()) };
        list.set(memory);
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let Ok(larger) = Layout::from_size_align(size, layout.align()) else { return null_mut() };
        match (self.list(layout), self.list(larger)) {
            (None, None) => unsafe { System.realloc(memory, layout, size) },
            (Some(list), Some(other)) if std::ptr::eq(list, other) => memory,
            _ => unsafe {
                let moved = self.alloc(larger);
                if !moved.is_null() {
                    moved.copy_from_nonoverlapping(memory, layout.size().min(size));
                    self.dealloc(memory, layout);
                }
                moved
            },
        }
    }
}

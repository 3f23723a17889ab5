//! Memory of the system for the heaps of engines.
#![allow(unsafe_code, clippy::allow_attributes)]

use dlmalloc::Dlmalloc;

/// A heap is taken from the system in pieces of this many bytes, which is the size of a large page of today's processors.
const PIECE: usize = 2 << 20;

/// What gives the blocks of a heap.
#[cfg(target_os = "linux")]
pub(super) type Blocks = Dlmalloc<linux::LargePages>;
/// What gives the blocks of a heap.
#[cfg(not(target_os = "linux"))]
pub(super) type Blocks = Dlmalloc;

/// An empty heap.
pub(super) fn blocks() -> Blocks {
    #[cfg(target_os = "linux")]
    let mut blocks = Dlmalloc::new_with_allocator(linux::LargePages);
    #[cfg(not(target_os = "linux"))]
    let mut blocks = Dlmalloc::new();
    blocks.set_granularity(PIECE);
    blocks
}

#[cfg(target_os = "linux")]
mod linux {
    use std::ptr::null_mut;

    use dlmalloc::Allocator;
    use rustix::mm::{Advice, MapFlags, MremapFlags, ProtFlags, madvise, mmap_anonymous, mremap, munmap};

    use super::PIECE;

    /// Pieces that lie where a large page can be put. An engine uses much of its first piece before the first event, and
    /// two hundred small pages take the system several times as long as a large one.
    pub(in crate::raw) struct LargePages;

    fn map(size: usize) -> Option<*mut u8> {
        // SAFETY: new pages, anywhere.
        let start = unsafe { mmap_anonymous(null_mut(), size, ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE) };
        start.ok().map(|start| start.cast())
    }

    /// Gives pages back.
    ///
    /// # Safety
    /// Nobody uses what is on them.
    unsafe fn unmap(start: *mut u8, size: usize) -> bool {
        // SAFETY: as the caller says.
        size == 0 || unsafe { munmap(start.cast(), size) }.is_ok()
    }

    /// Pages that begin where a large page can.
    fn map_aligned(size: usize) -> Option<*mut u8> {
        let start = map(size)?;
        if start.addr().is_multiple_of(PIECE) {
            return Some(start);
        }
        // SAFETY: nothing is on these pages, nor on what is cut off below.
        unsafe {
            unmap(start, size);
            let wide = map(size.checked_add(PIECE)?)?;
            let before = wide.addr().next_multiple_of(PIECE) - wide.addr();
            let start = wide.add(before);
            unmap(wide, before);
            unmap(start.add(size), PIECE - before);
            Some(start)
        }
    }

    // SAFETY: what is given is fresh and nobody else's; the rest is asked of the system as it is.
    unsafe impl Allocator for LargePages {
        fn alloc(&self, size: usize) -> (*mut u8, usize, u32) {
            let start = if size.is_multiple_of(PIECE) { map_aligned(size) } else { map(size) };
            let Some(start) = start else { return (null_mut(), 0, 0) };
            if size.is_multiple_of(PIECE) {
                // SAFETY: the pages are ours. A system without large pages gives small ones.
                let _ = unsafe { madvise(start.cast(), size, Advice::LinuxHugepage) };
            }
            (start, size, 0)
        }

        fn remap(&self, start: *mut u8, old: usize, new: usize, can_move: bool) -> *mut u8 {
            let flags = if can_move { MremapFlags::MAYMOVE } else { MremapFlags::empty() };
            // SAFETY: the pages are those of a block that is to have another size.
            unsafe { mremap(start.cast(), old, new, flags) }.map_or(null_mut(), |start| start.cast())
        }

        fn free_part(&self, start: *mut u8, old: usize, new: usize) -> bool {
            // SAFETY: what is behind the new end is unused.
            unsafe { unmap(start.add(new), old - new) }
        }

        fn free(&self, start: *mut u8, size: usize) -> bool {
            // SAFETY: nothing is left there.
            unsafe { unmap(start, size) }
        }

        fn can_release_part(&self, _: u32) -> bool {
            true
        }

        fn allocates_zeros(&self) -> bool {
            true
        }

        fn page_size(&self) -> usize {
            rustix::param::page_size()
        }
    }
}

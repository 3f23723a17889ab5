//! The heap of an engine.
#![allow(unsafe_code, clippy::allow_attributes)]

use std::collections::HashSet;
use std::sync::Arc;

use rquickjs::allocator::Allocator;

use super::pages::{Blocks, blocks};
use crate::engine::{Activity, Memory, Verdict};

/// What the engine asks for is aligned to this many bytes.
const ALIGN: usize = 8;

/// In front of what the engine keeps in a block it has notes of so many bytes.
const ENGINE_HEADER: usize = 8;

/// In front of every block stands its size in bytes.
const HEADER: usize = ALIGN;

/// A heap that only one engine uses, on its own thread, with a count of the bytes it holds.
///
/// It needs no lock, and no other thread waits for one while an engine grows. All of it goes back to the system with
/// the engine. The engine can tell what it holds by walking everything, which takes milliseconds; here it takes an
/// addition. Memory is refused to a stretch that holds too much, or is far over its time; an engine that would not survive
/// that is given up.
pub struct Heap {
    blocks: Blocks,
    activity: Arc<Activity>,
    /// Where descriptions of functions that are being compiled may lie.
    descriptions: HashSet<usize>,
}

impl Heap {
    /// The heap of the engine whose thread this is; its bytes count in the memory of its limits.
    pub fn new(activity: Arc<Activity>) -> Self {
        Self { blocks: blocks(), activity, descriptions: HashSet::new() }
    }

    fn memory(&self) -> &Memory {
        self.activity.limits().memory()
    }

    /// Makes a block with what `make` gives for its whole size; `before` is the size of the block whose place it takes.
    fn block(&mut self, size: usize, before: usize, make: impl FnOnce(&mut Blocks, usize) -> *mut u8) -> *mut u8 {
        let Some(whole) = size.checked_add(HEADER) else { return std::ptr::null_mut() };
        match self.activity.limits().judge(size, before, || self.compiles()) {
            Verdict::Give => {}
            Verdict::Refuse => return std::ptr::null_mut(),
            Verdict::GiveUp => self.give_up(),
        }
        let start = make(&mut self.blocks, whole);
        if start.is_null() && self.memory().is_needed(size, || self.compiles()) {
            self.give_up();
        }
        self.finish(start, size)
    }

    /// There is no memory for something that the engine takes for granted, and what it does without can end the process.
    /// So its thread stops here for good. Nobody else looks at this heap, so its memory goes back to the system.
    fn give_up(&mut self) -> ! {
        let blocks = std::mem::replace(&mut self.blocks, blocks());
        // SAFETY: this thread, the only one that knows of these blocks, never goes on.
        unsafe {
            blocks.destroy();
        }
        self.activity.starve();
        loop {
            std::thread::park();
        }
    }

    /// Whether the engine is compiling: one of the descriptions is one.
    fn compiles(&self) -> bool {
        let context = self.memory().context();
        // SAFETY: the blocks are there, and larger than a word.
        self.descriptions.iter().any(|at| unsafe { std::ptr::with_exposed_provenance::<usize>(*at).read() } == context)
    }

    /// Writes a block's header, if there is a block; gives what stands behind it.
    fn finish(&self, start: *mut u8, size: usize) -> *mut u8 {
        if start.is_null() {
            return start;
        }
        self.memory().take(size);
        // SAFETY: the block was just made, has `HEADER + size` bytes and is aligned for a size.
        unsafe {
            start.cast::<usize>().write(size);
            start.add(HEADER)
        }
    }
}

/// Where what the engine keeps in a block of its own begins: behind its own header.
fn inner(block: *mut u8) -> usize {
    block.wrapping_add(ENGINE_HEADER).expose_provenance()
}

/// The size of a block.
///
/// # Safety
/// The pointer must come from [`Heap::finish`].
unsafe fn size_of(pointer: *mut u8) -> usize {
    // SAFETY: the header stands in front of it.
    unsafe { pointer.sub(HEADER).cast::<usize>().read() }
}

// SAFETY: blocks are those of the inner allocator, whose blocks are aligned to two words, with the header cut off.
unsafe impl Allocator for Heap {
    fn alloc(&mut self, size: usize) -> *mut u8 {
        // SAFETY: any size may be asked for.
        self.block(size, 0, |blocks, whole| unsafe { blocks.c_malloc(whole) })
    }

    fn calloc(&mut self, count: usize, size: usize) -> *mut u8 {
        let Some(size) = count.checked_mul(size) else { return std::ptr::null_mut() };
        // SAFETY: as above.
        let block = self.block(size, 0, |blocks, whole| unsafe { blocks.calloc(whole, ALIGN) });
        self.memory().learn_description(size);
        if !block.is_null() && self.memory().is_description(size) {
            self.descriptions.insert(inner(block));
        }
        block
    }

    unsafe fn dealloc(&mut self, pointer: *mut u8) {
        if pointer.is_null() {
            return;
        }
        // SAFETY: the engine hands back what it got from here.
        unsafe {
            let size = size_of(pointer);
            if self.memory().is_description(size) {
                self.descriptions.remove(&inner(pointer));
            }
            self.memory().give_back(size);
            self.blocks.c_free(pointer.sub(HEADER));
        }
    }

    unsafe fn realloc(&mut self, pointer: *mut u8, size: usize) -> *mut u8 {
        if pointer.is_null() {
            return self.alloc(size);
        }
        // SAFETY: as above.
        let before = unsafe { size_of(pointer) };
        if self.memory().is_description(before) {
            self.descriptions.remove(&inner(pointer));
        }
        // SAFETY: as above. A block that cannot be moved stays as it is.
        let moved = self.block(size, before, |blocks, whole| unsafe { blocks.c_realloc(pointer.sub(HEADER), whole) });
        if !moved.is_null() {
            self.memory().give_back(before);
        }
        moved
    }

    unsafe fn usable_size(pointer: *mut u8) -> usize {
        // SAFETY: as above.
        unsafe { size_of(pointer) }
    }
}

impl Drop for Heap {
    fn drop(&mut self) {
        let blocks = std::mem::replace(&mut self.blocks, blocks());
        // SAFETY: the engine is gone, and with it whoever had blocks.
        unsafe {
            blocks.destroy();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::engine::Limits;

    #[derive(Debug, Clone)]
    enum Step {
        Alloc(usize),
        Calloc(usize, usize),
        Realloc(usize, usize),
        Dealloc(usize),
    }

    /// Mostly small, and some of more than a piece.
    fn size() -> impl Strategy<Value = usize> {
        prop_oneof![6 => 0..600usize, 3 => 600..70_000usize, 1 => 200_000..3_000_000usize]
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            size().prop_map(Step::Alloc),
            (1..9usize, size()).prop_map(|(count, size)| Step::Calloc(count, size)),
            (any::<usize>(), size()).prop_map(|(which, size)| Step::Realloc(which, size)),
            any::<usize>().prop_map(Step::Dealloc),
        ]
    }

    /// What a test keeps of a block: where it is, how large, and what it wrote.
    type Block = (*mut u8, usize, u8);

    /// Writes to every page of a block and to its end.
    fn fill((pointer, size, mark): Block) {
        for at in (0..size).step_by(512).chain(size.checked_sub(1)) {
            // SAFETY: the block has this size.
            unsafe { pointer.add(at).write(mark) };
        }
    }

    fn holds((pointer, size, mark): Block, upto: usize) -> bool {
        let end = size.min(upto);
        // SAFETY: as above.
        (0..end).step_by(512).all(|at| unsafe { pointer.add(at).read() } == mark)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Blocks are aligned, keep what is in them however others come and go, and are all counted.
        #[test]
        fn blocks_keep_what_is_in_them(steps in vec(step(), 1..200)) {
            let limits = Arc::new(Limits::new(Duration::from_secs(5)));
            let mut heap = Heap::new(Activity::new(Arc::clone(&limits)));
            let mut blocks: Vec<Block> = Vec::new();
            for (at, step) in steps.into_iter().enumerate() {
                let mark = u8::try_from(at % 251).unwrap_or_default() + 1;
                match step {
                    Step::Alloc(size) => blocks.push((heap.alloc(size), size, mark)),
                    Step::Calloc(count, size) => {
                        let block = (heap.calloc(count, size), count * size, 0);
                        prop_assert!(holds(block, usize::MAX), "it is not empty");
                        blocks.push((block.0, block.1, mark));
                    }
                    Step::Realloc(which, size) if !blocks.is_empty() => {
                        let which = which % blocks.len();
                        let (pointer, before, old) = blocks[which];
                        // SAFETY: the block is one of this heap's.
                        let moved = unsafe { heap.realloc(pointer, size) };
                        prop_assert!(holds((moved, size, old), before), "it lost what was in it");
                        blocks[which] = (moved, size, mark);
                        fill(blocks[which]);
                        continue;
                    }
                    Step::Dealloc(which) if !blocks.is_empty() => {
                        let block = blocks.swap_remove(which % blocks.len());
                        prop_assert!(holds(block, usize::MAX), "another block lies on it");
                        // SAFETY: as above.
                        unsafe { heap.dealloc(block.0) };
                        continue;
                    }
                    Step::Realloc(..) | Step::Dealloc(..) => continue,
                }
                let &block = blocks.last().expect("one was made");
                prop_assert!(!block.0.is_null() && block.0.addr().is_multiple_of(ALIGN));
                // SAFETY: as above.
                prop_assert_eq!(unsafe { Heap::usable_size(block.0) }, block.1);
                fill(block);
            }
            prop_assert!(blocks.iter().all(|&block| holds(block, usize::MAX)));
            let all: usize = blocks.iter().map(|(_, size, _)| size).sum();
            prop_assert_eq!(limits.memory().heap(), all);
        }
    }

    #[test]
    fn what_cannot_be_had_is_refused_and_changes_nothing() {
        let limits = Arc::new(Limits::new(Duration::from_secs(5)));
        let mut heap = Heap::new(Activity::new(Arc::clone(&limits)));
        let block = (heap.alloc(1000), 1000, 7);
        fill(block);
        assert!(heap.alloc(usize::MAX).is_null());
        assert!(heap.alloc(usize::MAX - HEADER).is_null());
        assert!(heap.calloc(usize::MAX, 2).is_null());
        // SAFETY: the block is one of this heap's.
        assert!(unsafe { heap.realloc(block.0, usize::MAX / 2) }.is_null());
        assert!(holds(block, usize::MAX));
        assert_eq!(limits.memory().heap(), 1000);
        // SAFETY: no block is none.
        unsafe { heap.dealloc(std::ptr::null_mut()) };
    }
}

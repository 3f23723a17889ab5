//! How much memory an engine may hold.
//!
//! Two sums count together: what lies in the engine's heap, and what the rest of the program holds outside of it on
//! behalf of extensions ([`Memory::charge`]). The limit of the settings is a soft one: past it the running code is
//! stopped, by an error that no program can catch, where the engine asks whether to stop. Until it asks, small pieces
//! are still given, because the engine itself does not survive it everywhere when one is missing; large ones, which are
//! what fills memory between two questions, are refused. Only at the hard limit, far behind, small pieces fail too.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Memory for stopping what runs, and for telling about it: a quarter of the limit, and at least so many bytes.
const RESERVE: usize = 64 << 20;

/// What an extension may hold at least besides the runtime, in bytes, however small the limit.
const LEAST: usize = 8 << 20;

/// Pieces of up to so many bytes are small: the engine takes memory for objects and short texts in pages of 4 KiB.
const SMALL: usize = 4 << 10;

/// Pieces of up to so many bytes come from pages that the engine divides itself.
const PAGED: usize = 512;

/// What may be taken past the hard limit at least while source is compiled, in bytes.
const COMPILING: usize = 256 << 20;

/// How often the engine asks whether to stop: after so many calls and jumps.
const STEPS: usize = 10_000;

/// What an engine holds, and what it may hold.
#[derive(Debug)]
pub(crate) struct Memory {
    /// Bytes in the heap.
    heap: AtomicUsize,
    /// Bytes outside of the heap.
    outside: AtomicUsize,
    /// Past so many bytes what runs is stopped; the largest number where there is no limit.
    soft: AtomicUsize,
    /// What the engine holds before any extension.
    base: AtomicUsize,
    /// Something was refused outside of the heap: garbage may be what holds the rest.
    pressed: AtomicBool,
    /// What the engine begins a compilation with: see [`Memory::watch_compiler`].
    compiler: Compiler,
    /// Past so many bytes the next small piece is refused.
    wall: AtomicUsize,
    /// What was left when garbage was last looked for because of the limit.
    kept: AtomicUsize,
}

/// How the heap knows that the engine compiles: each function that is being compiled has a description, whose size is
/// no other's and which begins with the address of the context.
#[derive(Debug, Default)]
struct Compiler {
    /// The address of the context; zero before it is known.
    context: AtomicUsize,
    /// The size of a description in bytes; zero before it is known.
    description: AtomicUsize,
}

/// How much of what is left above the soft limit a single piece may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Share {
    /// So little that what is left lasts until the engine asks whether to stop.
    Step,
    /// Enough for code that ends by itself: what tells of an error, what must not be cut in two.
    Whole,
}

/// There is no room for so many bytes more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("out of memory: extensions may hold {limit} bytes, and {wanted} more were asked for")]
pub(crate) struct MemoryFull {
    /// What was asked for, in bytes.
    pub(crate) wanted: usize,
    /// The limit, in bytes.
    pub(crate) limit: usize,
}

/// Bytes outside of the heap that count against an engine until this is dropped, on any thread.
#[derive(Debug)]
#[must_use = "the bytes count only as long as this is kept"]
pub(crate) struct Charge {
    memory: Arc<Memory>,
    bytes: usize,
}

impl Charge {
    /// How many bytes it is about.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Makes it one of so many bytes. Fewer always works; what does not fit changes nothing.
    ///
    /// # Errors
    /// When the limit leaves no room.
    pub(crate) fn resize(&mut self, bytes: usize) -> Result<(), MemoryFull> {
        match bytes.checked_sub(self.bytes) {
            Some(more) => self.memory.add_outside(more)?,
            None => self.memory.release(self.bytes - bytes),
        }
        self.bytes = bytes;
        Ok(())
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.memory.release(self.bytes);
    }
}

impl Memory {
    /// Without a limit.
    pub(crate) fn new() -> Self {
        Self {
            heap: AtomicUsize::new(0),
            outside: AtomicUsize::new(0),
            soft: AtomicUsize::new(usize::MAX),
            base: AtomicUsize::new(0),
            pressed: AtomicBool::new(false),
            compiler: Compiler::default(),
            wall: AtomicUsize::new(usize::MAX),
            kept: AtomicUsize::new(0),
        }
    }

    /// The runtime is there, and no extension yet.
    pub(crate) fn booted(&self) {
        self.base.store(self.held(), Ordering::Relaxed);
    }

    /// Sets the soft limit, in bytes; zero is none.
    pub(crate) fn set_limit(&self, bytes: usize) {
        let least = self.base.load(Ordering::Relaxed).saturating_add(LEAST);
        let soft = if bytes == 0 { usize::MAX } else { bytes.max(least) };
        self.soft.store(soft, Ordering::Relaxed);
        self.kept.store(0, Ordering::Relaxed);
        self.rebuild();
    }

    /// What may be taken above the soft limit before small pieces are refused.
    fn reserve(&self) -> usize {
        (self.limit() / 4).max(RESERVE)
    }

    /// The hard limit is where it was: a stretch begins.
    pub(crate) fn rebuild(&self) {
        let hard = self.limit().saturating_add(self.reserve());
        let step = self.held().saturating_add(self.reserve() / 8);
        self.wall.store(hard.max(step), Ordering::Relaxed);
    }

    /// So many bytes more are in the heap.
    pub(crate) fn take(&self, bytes: usize) {
        self.heap.fetch_add(bytes, Ordering::Relaxed);
    }

    /// So many bytes of the heap were given back.
    pub(crate) fn give_back(&self, bytes: usize) {
        self.heap.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Whether a piece of that many bytes, which takes the place of one of `before` bytes, must not be given.
    ///
    /// A small one is refused once at the hard limit, and then only after another step: what the engine does about the
    /// missing one takes memory too.
    pub(crate) fn refuses(&self, size: usize, before: usize, share: Share) -> bool {
        let after = self.held().saturating_add(size.saturating_sub(before));
        if after <= self.limit() {
            return false;
        }
        let wall = self.wall.load(Ordering::Relaxed);
        let part = match share {
            Share::Step => STEPS,
            Share::Whole => 16,
        };
        let room = wall.saturating_sub(self.held());
        if size > SMALL {
            return size > room / part;
        }
        if after <= wall {
            return false;
        }
        self.wall.store(after.saturating_add(self.reserve() / 8), Ordering::Relaxed);
        true
    }

    /// From now on compilations are seen: the engine does not survive it everywhere in its compiler when memory is
    /// missing, so there nothing is refused but what passes a limit of its own. What is compiled next shows the size of
    /// a description.
    pub(crate) fn watch_compiler(&self, context: usize) {
        self.compiler.context.store(context, Ordering::Relaxed);
    }

    /// An empty piece of this size was asked for: the first large one of the first compilation is a description.
    pub(crate) fn learn_description(&self, size: usize) {
        let watches = self.compiler.context.load(Ordering::Relaxed) != 0;
        if watches && size > PAGED && self.compiler.description.load(Ordering::Relaxed) == 0 {
            self.compiler.description.store(size, Ordering::Relaxed);
        }
    }

    /// Whether a piece of this size may be the description of a function that is compiled.
    pub(crate) fn is_description(&self, size: usize) -> bool {
        size == self.compiler.description.load(Ordering::Relaxed)
    }

    /// The word that descriptions begin with.
    pub(crate) fn context(&self) -> usize {
        self.compiler.context.load(Ordering::Relaxed)
    }

    /// Whether even a compilation gets no more than `size` bytes instead of `before`.
    pub(crate) fn refuses_compiler(&self, size: usize, before: usize) -> bool {
        let limit = self.limit().saturating_add(self.reserve()).saturating_add(self.limit().max(COMPILING));
        self.held().saturating_add(size.saturating_sub(before)) > limit
    }

    /// Whether the running code holds more than it may, or was refused something outside of the heap.
    pub(crate) fn is_over(&self) -> bool {
        self.held() > self.limit() || self.pressed.load(Ordering::Relaxed)
    }

    /// Whether the running code must end because it holds too much, if it still does after `collect` has looked for
    /// garbage. That takes long when there is much: code that is allowed to go on got a good part of the limit back.
    pub(crate) fn must_end(&self, collect: impl FnOnce()) -> bool {
        let kept = self.kept.load(Ordering::Relaxed);
        let pressed = self.pressed.swap(false, Ordering::Relaxed);
        let limit = self.limit();
        if self.held() > limit && kept > limit - limit / 16 && self.held() < kept.saturating_add(self.reserve() / 8) {
            return true;
        }
        collect();
        let held = self.held();
        self.kept.store(held, Ordering::Relaxed);
        // What was refused was an error for the program, which may have ended well.
        !pressed && held > limit - limit / 16 || held > limit
    }

    /// Bytes in the heap.
    pub(crate) fn heap(&self) -> usize {
        self.heap.load(Ordering::Relaxed)
    }

    /// The soft limit, in bytes.
    pub(crate) fn limit(&self) -> usize {
        self.soft.load(Ordering::Relaxed)
    }

    /// What the engine holds, in and outside of its heap.
    pub(crate) fn held(&self) -> usize {
        self.heap.load(Ordering::Relaxed).saturating_add(self.outside.load(Ordering::Relaxed))
    }

    /// Counts bytes outside of the heap, until the [`Charge`] is dropped.
    ///
    /// # Errors
    /// When the soft limit leaves no room for them. Nothing is counted then.
    pub(crate) fn charge(self: &Arc<Self>, bytes: usize) -> Result<Charge, MemoryFull> {
        self.add_outside(bytes)?;
        Ok(Charge { memory: Arc::clone(self), bytes })
    }

    fn add_outside(&self, bytes: usize) -> Result<(), MemoryFull> {
        let limit = self.limit();
        let heap = self.heap.load(Ordering::Relaxed);
        let fits = |outside: usize| {
            let sum = outside.checked_add(bytes)?;
            (heap.saturating_add(sum) <= limit).then_some(sum)
        };
        let added = self.outside.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits);
        added.map(|_| ()).map_err(|_| {
            self.pressed.store(true, Ordering::Relaxed);
            MemoryFull { wanted: bytes, limit }
        })
    }

    fn release(&self, bytes: usize) {
        self.outside.fetch_sub(bytes, Ordering::Relaxed);
    }
}

//! How much memory an engine may hold.
//!
//! Two sums count together: what lies in the engine's heap, and what the rest of the program holds outside of it on
//! behalf of extensions ([`Memory::charge`]).
//!
//! The limit of the settings is the *soft* one. Past it the running code is stopped by an error that no program can
//! catch, at the next place where the engine asks whether to stop. Until then it still gets small pieces of memory,
//! because the engine does not check everywhere whether it got one; large pieces, with which memory fills fastest, it is
//! refused. The *hard* limit lies far behind. Code that gets there without having asked once is in a native call that
//! cannot be stopped, so its engine is given up instead of refusing it a small piece: it never sees one missing.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use parking_lot::Mutex;

/// What lies between the soft limit and the hard one: as much as the soft limit, and at least so many bytes.
const LEAST_RESERVE: usize = 128 << 20;

/// What an extension may hold at least besides the runtime, in bytes, however small the limit.
const LEAST: usize = 8 << 20;

/// Pieces of up to so many bytes are small. The engine divides pages of 4 KiB among objects and short texts.
const SMALL: usize = 4 << 10;

/// Pieces of up to so many bytes come from pages that the engine divides itself.
const PAGED: usize = 512;

/// What an engine holds, and what it may hold.
#[derive(Debug)]
pub struct Memory {
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
    /// What was left when garbage was last looked for because of the limit.
    kept: AtomicUsize,
    /// The setting that the soft limit comes from.
    setting: Mutex<&'static str>,
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

/// What becomes of a wish for a piece of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It is given.
    Give,
    /// It is refused, which the engine survives.
    Refuse,
    /// Nothing is left for a piece that the engine does not survive without.
    GiveUp,
}

/// There is no room for so many bytes more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("out of memory: extensions may hold {limit} bytes ({setting}), and {wanted} more were asked for")]
pub struct MemoryFull {
    /// What was asked for, in bytes.
    pub wanted: usize,
    /// The limit, in bytes.
    pub limit: usize,
    /// The setting that says so.
    pub setting: &'static str,
}

/// Bytes outside of the heap that count against an engine until this is dropped, on any thread.
#[derive(Debug)]
#[must_use = "the bytes count only as long as this is kept"]
pub struct Charge {
    memory: Arc<Memory>,
    bytes: usize,
}

impl Charge {
    /// How many bytes it is about.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Makes it one of the bytes of both.
    pub fn add(&mut self, mut other: Self) {
        debug_assert!(Arc::ptr_eq(&self.memory, &other.memory), "both count in the same memory");
        self.bytes += std::mem::take(&mut other.bytes);
    }

    /// Makes it one of so many bytes. Fewer always works; what does not fit changes nothing.
    ///
    /// # Errors
    /// When the limit leaves no room.
    pub fn resize(&mut self, bytes: usize) -> Result<(), MemoryFull> {
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

impl Default for Memory {
    /// Without a limit.
    fn default() -> Self {
        Self {
            heap: AtomicUsize::new(0),
            outside: AtomicUsize::new(0),
            soft: AtomicUsize::new(usize::MAX),
            base: AtomicUsize::new(0),
            pressed: AtomicBool::new(false),
            compiler: Compiler::default(),
            kept: AtomicUsize::new(0),
            setting: Mutex::new("tau.limits.memoryMb"),
        }
    }
}

impl Memory {
    /// The runtime is there, and no extension yet.
    pub fn booted(&self) {
        self.base.store(self.held(), Ordering::Relaxed);
    }

    /// Sets the soft limit, in bytes; zero is none.
    pub fn set_limit(&self, bytes: usize) {
        let least = self.base.load(Ordering::Relaxed).saturating_add(LEAST);
        let soft = if bytes == 0 { usize::MAX } else { bytes.max(least) };
        self.soft.store(soft, Ordering::Relaxed);
        self.kept.store(0, Ordering::Relaxed);
    }

    /// Says which setting the limit comes from, for those who read that it was passed.
    pub fn set_setting(&self, setting: &'static str) {
        *self.setting.lock() = setting;
    }

    /// The limit with its setting, for those who read that it was passed.
    pub fn shown_limit(&self) -> String {
        format!("{} MB ({})", self.limit() >> 20, self.setting.lock())
    }

    /// Past so many bytes nothing is given any more.
    fn hard(&self) -> usize {
        let soft = self.limit();
        soft.saturating_add(soft.max(LEAST_RESERVE))
    }

    /// So many bytes more are in the heap.
    pub fn take(&self, bytes: usize) {
        self.heap.fetch_add(bytes, Ordering::Relaxed);
    }

    /// So many bytes of the heap were given back.
    pub fn give_back(&self, bytes: usize) {
        self.heap.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// What becomes of the wish for a piece of that many bytes, which takes the place of one of `before` bytes. Code that
    /// `runs` gets no large piece past the soft limit; what cleans up behind it does.
    pub fn judge(&self, size: usize, before: usize, runs: bool, compiles: impl FnOnce() -> bool) -> Verdict {
        let after = self.held().saturating_add(size.saturating_sub(before));
        if after <= self.limit() {
            return Verdict::Give;
        }
        let fits = after <= self.hard();
        match self.is_needed(size, compiles) {
            true if fits => Verdict::Give,
            true => Verdict::GiveUp,
            false if fits && !runs => Verdict::Give,
            false => Verdict::Refuse,
        }
    }

    /// Whether the engine does not survive it everywhere when it does not get a piece of that size.
    pub fn is_needed(&self, size: usize, compiles: impl FnOnce() -> bool) -> bool {
        size <= SMALL || compiles()
    }

    /// From now on compilations are seen: in its compiler the engine does not survive it everywhere when memory is
    /// missing, so large pieces count as small ones there. What is compiled next shows the size of a description.
    pub fn watch_compiler(&self, context: usize) {
        self.compiler.context.store(context, Ordering::Relaxed);
    }

    /// An empty piece of this size was asked for: the first large one of the first compilation is a description.
    pub fn learn_description(&self, size: usize) {
        let watches = self.compiler.context.load(Ordering::Relaxed) != 0;
        if watches && size > PAGED && self.compiler.description.load(Ordering::Relaxed) == 0 {
            self.compiler.description.store(size, Ordering::Relaxed);
        }
    }

    /// Whether a piece of this size may be the description of a function that is compiled.
    pub fn is_description(&self, size: usize) -> bool {
        size == self.compiler.description.load(Ordering::Relaxed)
    }

    /// The word that descriptions begin with.
    pub fn context(&self) -> usize {
        self.compiler.context.load(Ordering::Relaxed)
    }

    /// Whether the running code holds more than it may, or was refused something outside of the heap.
    pub fn is_over(&self) -> bool {
        self.held() > self.limit() || self.pressed.load(Ordering::Relaxed)
    }

    /// Whether the running code must end because it holds too much, if it still does after `collect` has looked for
    /// garbage. Code that is allowed to go on got a good part of the limit back.
    pub fn must_end(&self, collect: impl FnOnce()) -> bool {
        let pressed = self.pressed.swap(false, Ordering::Relaxed);
        let limit = self.limit();
        let full = limit - limit / 16;
        if self.held() > limit && self.kept.load(Ordering::Relaxed) > full && !self.has_grown() {
            return true;
        }
        self.collect(collect);
        let held = self.held();
        // What was refused outside of the heap was an error for the program, which may have ended well.
        held > if pressed { limit } else { full }
    }

    /// Code was cut off because of what it holds: what is garbage now must not be held against who is called next.
    pub fn collect_rest(&self, collect: impl FnOnce()) {
        let kept = self.kept.load(Ordering::Relaxed);
        if kept == 0 || self.has_grown() {
            self.collect(collect);
        }
    }

    /// Whether so much was added since garbage was last looked for that looking again is worth its time: with much in the
    /// heap that takes a good part of a second.
    fn has_grown(&self) -> bool {
        let step = (self.limit() / 32).max(LEAST);
        self.held() >= self.kept.load(Ordering::Relaxed).saturating_add(step)
    }

    fn collect(&self, collect: impl FnOnce()) {
        collect();
        self.kept.store(self.held(), Ordering::Relaxed);
    }

    /// Bytes in the heap.
    pub fn heap(&self) -> usize {
        self.heap.load(Ordering::Relaxed)
    }

    /// The soft limit, in bytes.
    pub fn limit(&self) -> usize {
        self.soft.load(Ordering::Relaxed)
    }

    /// What the engine holds, in and outside of its heap.
    pub fn held(&self) -> usize {
        self.heap.load(Ordering::Relaxed).saturating_add(self.outside.load(Ordering::Relaxed))
    }

    /// Counts bytes outside of the heap, until the [`Charge`] is dropped.
    ///
    /// # Errors
    /// When the soft limit leaves no room for them. Nothing is counted then.
    pub fn charge(self: &Arc<Self>, bytes: usize) -> Result<Charge, MemoryFull> {
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
            MemoryFull { wanted: bytes, limit, setting: *self.setting.lock() }
        })
    }

    fn release(&self, bytes: usize) {
        self.outside.fetch_sub(bytes, Ordering::Relaxed);
    }
}

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
        }
    }

    /// Sets the soft limit, in bytes; zero is none.
    pub(crate) fn set_limit(&self, bytes: usize) {
        let least = self.base.load(Ordering::Relaxed).saturating_add(LEAST);
        let soft = if bytes == 0 { usize::MAX } else { bytes.max(least) };
        self.soft.store(soft, Ordering::Relaxed);
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

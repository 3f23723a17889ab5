//! The buffers that show the bytes of memories to JavaScript.
//!
//! A buffer does not copy: it is the memory. When a memory grows, its bytes may move; the buffer is detached before
//! JavaScript runs again. A program can take the bytes of a buffer away, by transferring it, and then nobody knows who has
//! them: from then on nothing runs that could move them.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use rquickjs::{Ctx, Persistent, Value};
use wasmi::Memory;

use super::super::OpError;
use super::errors::RUNTIME;
use super::store::Inner;
use crate::raw::MemoryView;

/// The buffers that JavaScript has, by the numbers of their memories.
#[derive(Default)]
pub(super) struct Views {
    shown: RefCell<HashMap<u32, Shown>>,
    /// A program took the bytes of a buffer away.
    is_taken: Cell<bool>,
}

struct Shown {
    memory: Memory,
    at: (*mut u8, usize),
    buffer: Persistent<Value<'static>>,
}

/// Where the bytes of a memory are, and how many.
fn place(memory: Memory, inner: &Inner) -> (*mut u8, usize) {
    (memory.data_ptr(&inner.store), memory.data_size(&inner.store))
}

impl Views {
    /// Fails when bytes may be in use that nobody knows of.
    pub(super) fn check(&self, ctx: &Ctx<'_>) -> Result<(), OpError> {
        let is_taken = |shown: &Shown| {
            let buffer = shown.buffer.clone().restore(ctx);
            buffer.map_or(true, |buffer| MemoryView::is_detached(ctx, &buffer))
        };
        if !self.is_taken.get() && self.shown.borrow().values().any(is_taken) {
            self.is_taken.set(true);
        }
        if self.is_taken.get() {
            let message = "the buffer of a WebAssembly.Memory was transferred, so nothing more of WebAssembly runs";
            return Err(OpError::new(RUNTIME, message));
        }
        Ok(())
    }

    /// Detaches the buffers of memories that have moved.
    pub(super) fn settle(&self, ctx: &Ctx<'_>, inner: &Inner) -> rquickjs::Result<()> {
        let moved = |shown: &mut Shown| place(shown.memory, inner) != shown.at;
        let gone: Vec<Shown> = {
            let mut shown = self.shown.borrow_mut();
            let numbers: Vec<u32> =
                shown.iter_mut().filter_map(|(number, shown)| moved(shown).then_some(*number)).collect();
            numbers.iter().filter_map(|number| shown.remove(number)).collect()
        };
        for shown in gone {
            MemoryView::detach(ctx, &shown.buffer.restore(ctx)?);
        }
        Ok(())
    }

    /// The buffer of a memory: the same one until the memory grows.
    pub(super) fn buffer<'js>(
        &self,
        ctx: &Ctx<'js>,
        inner: &Rc<RefCell<Inner>>,
        number: u32,
    ) -> rquickjs::Result<Value<'js>> {
        if let Some(shown) = self.shown.borrow().get(&number) {
            return shown.buffer.clone().restore(ctx);
        }
        let found = inner.borrow().memory(number).map(|memory| (memory, place(memory, &inner.borrow())));
        let (memory, at) = found.map_err(|error| error.throw(ctx))?;
        let buffer = MemoryView::make(ctx, at, Rc::clone(inner) as Rc<dyn std::any::Any>)?;
        let shown = Shown { memory, at, buffer: Persistent::save(ctx, buffer.clone()) };
        self.shown.borrow_mut().insert(number, shown);
        Ok(buffer)
    }
}

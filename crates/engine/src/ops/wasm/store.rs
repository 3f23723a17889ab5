//! The store of an engine, what is in it, and what it may hold.

use std::collections::HashMap;
use std::sync::Arc;

use wasmi::errors::{MemoryError, TableError};
use wasmi::{Engine, Extern, Func, ResourceLimiter, Store};

use super::super::OpError;
use super::compiled::Compiled;
use crate::engine::{Charge, Memory};

/// What an entry of a table takes, in bytes.
const ENTRY: usize = 8;

/// The largest memory in bytes: no larger buffer can be shown to JavaScript.
const LARGEST: usize = (i32::MAX as usize) & !0xffff;

/// How many of each kind an engine may make.
const MOST: usize = 10_000;

/// Which part of the memory of scripts WebAssembly may have. What it has stays, so the rest is for everything else.
const SHARE: usize = 2;

/// What the store holds for scripts, and what limits that.
pub(super) struct Held {
    charge: Charge,
    memory: Arc<Memory>,
    /// By how much the last growth added to that.
    last: usize,
}

impl Held {
    fn has_room_for(&self, bytes: usize) -> bool {
        self.charge.bytes().saturating_add(bytes) <= self.memory.limit() / SHARE
    }

    fn grow(&mut self, bytes: usize) -> bool {
        let fits = self.has_room_for(bytes) && self.charge.resize(self.charge.bytes().saturating_add(bytes)).is_ok();
        self.last = if fits { bytes } else { 0 };
        fits
    }

    fn shrink_back(&mut self) {
        let bytes = self.charge.bytes().saturating_sub(std::mem::take(&mut self.last));
        let given_back = self.charge.resize(bytes);
        debug_assert!(given_back.is_ok(), "fewer bytes always fit");
    }
}

impl ResourceLimiter for Held {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> Result<bool, wasmi_core::LimiterError> {
        Ok(desired <= maximum.unwrap_or(LARGEST).min(LARGEST) && self.grow(desired.saturating_sub(current)))
    }

    fn table_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> Result<bool, wasmi_core::LimiterError> {
        let more = desired.saturating_sub(current).saturating_mul(ENTRY);
        Ok(maximum.is_none_or(|maximum| desired <= maximum) && self.grow(more))
    }

    fn memory_grow_failed(&mut self, _: &MemoryError) -> Result<(), wasmi_core::LimiterError> {
        self.shrink_back();
        Ok(())
    }

    fn table_grow_failed(&mut self, _: &TableError) -> Result<(), wasmi_core::LimiterError> {
        self.shrink_back();
        Ok(())
    }

    fn instances(&self) -> usize {
        MOST
    }

    fn tables(&self) -> usize {
        MOST
    }

    fn memories(&self) -> usize {
        MOST
    }
}

/// The store with what is known of it. Buffers of JavaScript keep it: they show its bytes.
pub(crate) struct Inner {
    pub(super) store: Store<Held>,
    externs: Vec<Extern>,
    numbers: HashMap<String, u32>,
    /// Which functions are those of JavaScript, by their numbers, and which ones.
    pub(super) hosts: HashMap<u32, u32>,
    pub(super) modules: Vec<Compiled>,
}

impl Inner {
    pub(super) fn new(engine: &Engine, charge: Charge, memory: Arc<Memory>) -> Self {
        let mut store = Store::new(engine, Held { charge, memory, last: 0 });
        store.limiter(|held| held);
        Self { store, externs: Vec::new(), numbers: HashMap::new(), hosts: HashMap::new(), modules: Vec::new() }
    }

    /// The number of something in the store.
    pub(super) fn number(&mut self, what: Extern) -> u32 {
        // Handles can be compared by nothing else.
        let key = format!("{what:?}");
        let next = u32::try_from(self.externs.len()).unwrap_or(u32::MAX);
        let number = *self.numbers.entry(key).or_insert(next);
        if number == next {
            self.externs.push(what);
        }
        number
    }

    /// What has this number.
    pub(super) fn numbered(&self, number: u32) -> Result<Extern, OpError> {
        self.externs.get(number as usize).copied().ok_or_else(unknown)
    }

    /// The function of this number.
    pub(super) fn function(&self, number: u32) -> Result<Func, OpError> {
        self.numbered(number)?.into_func().ok_or_else(unknown)
    }

    /// The memory of this number.
    pub(super) fn memory(&self, number: u32) -> Result<wasmi::Memory, OpError> {
        self.numbered(number)?.into_memory().ok_or_else(unknown)
    }

    /// The table of this number.
    pub(super) fn table(&self, number: u32) -> Result<wasmi::Table, OpError> {
        self.numbered(number)?.into_table().ok_or_else(unknown)
    }

    /// The global of this number.
    pub(super) fn global(&self, number: u32) -> Result<wasmi::Global, OpError> {
        self.numbered(number)?.into_global().ok_or_else(unknown)
    }

    /// The module of this number.
    pub(super) fn module(&self, number: u32) -> Result<&Compiled, OpError> {
        self.modules.get(number as usize).ok_or_else(unknown)
    }

    /// So many bytes more are held for good.
    ///
    /// # Errors
    /// When WebAssembly has its share of the memory already.
    pub(super) fn keep(&mut self, counted: Charge) -> Result<(), OpError> {
        let held = self.store.data_mut();
        if !held.has_room_for(counted.bytes()) {
            let message = "WebAssembly would need more than half of the memory that scripts may take";
            return Err(OpError::range_error("ERR_MEMORY_ALLOCATION_FAILED", message));
        }
        held.charge.add(counted);
        Ok(())
    }
}

fn unknown() -> OpError {
    OpError::type_error("ERR_INVALID_ARG_VALUE", "there is no such part of a WebAssembly instance")
}

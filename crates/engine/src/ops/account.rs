//! Memory outside of the JavaScript heap, counted against the engine that asked for it.
//!
//! What crosses into JavaScript lies in its heap, which has a limit of its own. Everything else that grows with what an
//! extension asks for goes through here: arguments that an asynchronous op keeps, what is read to an end, what is
//! decompressed, and values on their way to Rust.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::hash::Hash;
use std::io::{self, Read};
use std::rc::Rc;
use std::sync::Arc;

use rquickjs::{Ctx, IntoJs, Result, Value};

use super::{OpError, defect};
use crate::engine::{Charge, Memory, MemoryFull};

/// How much is read or converted between two looks at what is left, in bytes.
const STEP: usize = 64 << 10;

/// What the values that cross are counted against. Kept with the runtime, and by what ops share.
#[derive(Clone)]
pub struct Account {
    memory: Arc<Memory>,
    /// What the arguments of the op that is being called take outside of the heap.
    arguments: Rc<Cell<usize>>,
    /// What the session was given for good.
    given: Rc<RefCell<Option<Charge>>>,
}

/// What the session keeps of something beside its data, in bytes.
const KEPT: usize = 512;

impl Account {
    /// What crosses counts against this memory.
    pub fn new(memory: Arc<Memory>) -> Self {
        Self { memory, arguments: Rc::default(), given: Rc::default() }
    }

    /// That of the engine.
    ///
    /// # Errors
    /// While the engine itself is being set up.
    pub fn of(ctx: &Ctx<'_>) -> Result<Self> {
        let account = ctx.userdata::<Self>().map(|account| account.clone());
        account.ok_or_else(|| defect(ctx, "an engine has no account of its memory"))
    }

    /// The memory that is counted against.
    pub fn memory(&self) -> &Arc<Memory> {
        &self.memory
    }

    /// An argument takes so many bytes.
    pub fn add_argument(ctx: &Ctx<'_>, bytes: usize) {
        if let Some(account) = ctx.userdata::<Self>() {
            account.arguments.set(account.arguments.get().saturating_add(bytes));
        }
    }

    /// An op is called: its arguments are counted from zero.
    pub(super) fn begin_call(&self) {
        self.arguments.set(0);
    }

    /// What the arguments of the op that was called take outside of the heap, in bytes.
    pub fn argument_bytes(&self) -> usize {
        self.arguments.get()
    }

    /// Another session begins: what the one before it was given went with that.
    pub fn forget_given(&self) {
        drop(self.given.borrow_mut().take());
    }

    /// Counts the arguments of the op that was called, for as long as it is at work.
    pub(super) fn keep_arguments(&self) -> std::result::Result<Option<Charge>, OpError> {
        match self.arguments.take() {
            0 => Ok(None),
            bytes => charge(&self.memory, bytes, "the arguments of the call").map(Some),
        }
    }

    /// Lets `give` hand the arguments of the op that was called to the session, which keeps them: if it takes them, they
    /// count until another session begins. An op without such arguments only asks, and costs nothing.
    pub fn giving<T, E>(
        &self,
        give: impl FnOnce() -> std::result::Result<T, E>,
    ) -> std::result::Result<std::result::Result<T, E>, OpError> {
        let bytes = match self.arguments.take() {
            0 => return Ok(give()),
            bytes => bytes.saturating_add(KEPT),
        };
        let counted = charge(&self.memory, bytes, "what scripts gave to the session")?;
        let given = give();
        if given.is_ok() {
            match &mut *self.given.borrow_mut() {
                Some(all) => all.add(counted),
                none => *none = Some(counted),
            }
        }
        Ok(given)
    }
}

/// Counts what is kept under names, until it is replaced or removed.
pub struct Named<K>(RefCell<HashMap<K, Charge>>);

impl<K> Default for Named<K> {
    fn default() -> Self {
        Self(RefCell::default())
    }
}

impl<K: Eq + Hash> Named<K> {
    /// What is kept under the name takes so many bytes from now on.
    ///
    /// # Errors
    /// When they do not fit; then what was counted before still is.
    pub fn set(&self, memory: &Arc<Memory>, name: K, bytes: usize, what: &str) -> std::result::Result<(), OpError> {
        let bytes = bytes.saturating_add(KEPT);
        let mut kept = self.0.borrow_mut();
        if let Some(counted) = kept.get_mut(&name) {
            return counted.resize(bytes).map_err(|full| too_large(what, &full));
        }
        kept.insert(name, charge(memory, bytes, what)?);
        Ok(())
    }

    /// What is kept under these names is gone.
    pub fn forget(&self, gone: impl Fn(&K) -> bool) {
        self.0.borrow_mut().retain(|name, _| !gone(name));
    }
}

/// Counts so many bytes.
///
/// # Errors
/// When they do not fit; the error says what did not.
pub fn charge(memory: &Arc<Memory>, bytes: usize, what: &str) -> std::result::Result<Charge, OpError> {
    memory.charge(bytes).map_err(|full| too_large(what, &full))
}

/// The error for something that does not fit into what an engine may hold.
pub fn too_large(what: &str, full: &MemoryFull) -> OpError {
    let (limit, setting) = (full.limit >> 20, full.setting);
    let message = format!("{what} would need more memory than scripts may take, which is {limit} MB ({setting})");
    OpError::range_error("ERR_MEMORY_ALLOCATION_FAILED", message)
}

/// A value that counts until JavaScript has it.
pub struct Charged<T> {
    value: T,
    /// None for what is small.
    charge: Option<Charge>,
}

impl<T> Charged<T> {
    /// A value with what it counts.
    pub fn new(value: T, charge: Charge) -> Self {
        Self { value, charge: Some(charge) }
    }

    /// The same bytes as another value.
    pub fn map<U>(self, make: impl FnOnce(T) -> U) -> Charged<U> {
        Charged { value: make(self.value), charge: self.charge }
    }
}

impl<'js, T: IntoJs<'js>> IntoJs<'js> for Charged<T> {
    fn into_js(self, ctx: &Ctx<'js>) -> Result<Value<'js>> {
        let value = self.value.into_js(ctx);
        drop(self.charge);
        value
    }
}

/// Reads to the end. There must be room for it twice: JavaScript gets a copy.
///
/// # Errors
/// Of reading; `OutOfMemory` when there is more than fits.
pub fn read_to_end(mut from: impl Read, memory: &Arc<Memory>) -> io::Result<Charged<Vec<u8>>> {
    let full = |_| io::Error::from(io::ErrorKind::OutOfMemory);
    let mut charge = memory.charge(0).map_err(full)?;
    let mut bytes = Vec::new();
    loop {
        if bytes.len() == bytes.capacity() {
            let more = bytes.len().max(STEP);
            charge.resize((bytes.len() + more).saturating_mul(2)).map_err(full)?;
            bytes.try_reserve_exact(more)?;
        }
        let room = bytes.capacity() - bytes.len();
        // Never more than there is room for, so that nothing grows behind the count.
        if from.by_ref().take(room as u64).read_to_end(&mut bytes)? < room {
            charge.resize(bytes.capacity()).map_err(full)?;
            return Ok(Charged::new(bytes, charge));
        }
    }
}

/// Room for the output of a program; what it holds counts until the room is dropped.
pub fn output_room(memory: &Arc<Memory>) -> tau_tools::OutputRoom {
    let mut charge = memory.charge(0).ok();
    Box::new(move |held| charge.as_mut().is_some_and(|charge| held <= charge.bytes() || charge.resize(held).is_ok()))
}

/// Counts a value that is being made piece by piece.
pub struct Meter {
    account: Option<Account>,
    charge: Option<Charge>,
    counted: usize,
    noticed: usize,
}

impl Meter {
    /// For a value of this engine; nothing is counted yet.
    pub fn new(ctx: &Ctx<'_>) -> Self {
        Self { account: Account::of(ctx).ok(), charge: None, counted: 0, noticed: STEP }
    }

    /// How large the value is, in bytes.
    pub fn counted(&self) -> usize {
        self.counted
    }

    /// The value grew by so many bytes.
    ///
    /// # Errors
    /// When it does not fit any more.
    pub fn add(&mut self, bytes: usize) -> std::result::Result<(), MemoryFull> {
        self.counted = self.counted.saturating_add(bytes);
        // Most values are small, and the count is shared with other threads.
        if self.counted <= self.noticed {
            return Ok(());
        }
        let Some(account) = &self.account else { return Ok(()) };
        let wanted = self.counted.saturating_add(STEP);
        match &mut self.charge {
            Some(charge) => charge.resize(wanted)?,
            none => *none = Some(account.memory.charge(wanted)?),
        }
        self.noticed = wanted;
        Ok(())
    }
}

//! What an engine has of WebAssembly, made when it is first needed.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use std::sync::Arc;

use rquickjs::Ctx;
use wasmi::{Config, CustomFuelCosts, Engine};

use super::super::table::{Arguments, Param, Signature};
use super::super::{OpError, OpHost, charge};
use super::errors::Failed;
use super::store::Inner;
use super::views::Views;
use crate::engine::Memory;

/// How deep calls of WebAssembly may be within each other, and how many bytes the values of one may take.
const DEEPEST: usize = 10_000;
const HIGHEST: usize = 2 << 20;

/// What the engine has of WebAssembly.
pub(super) struct Machine {
    inner: Rc<RefCell<Inner>>,
    views: Views,
    /// How many calls of WebAssembly wait for JavaScript.
    pub(super) waiting: Rc<Cell<usize>>,
    memory: Arc<Memory>,
}

impl Machine {
    fn new(memory: &Arc<Memory>) -> Result<Self, OpError> {
        let mut config = Config::default();
        // Functions are translated when they are first called, which must not be what runs out of fuel.
        let costs =
            CustomFuelCosts { bytes_copied_per_fuel: 64, fuel_per_bytes_translated: 0, fuel_per_bytes_validated: 0 };
        config.consume_fuel(true).fuel_cost(costs).allow_start_fn(false);
        config.wasm_tail_call(false).wasm_custom_page_sizes(false).wasm_wide_arithmetic(false);
        config.set_max_recursion_depth(DEEPEST).set_max_stack_height(HIGHEST);
        let inner = Inner::new(&Engine::new(&config), charge(memory, 0, "WebAssembly")?, Arc::clone(memory));
        Ok(Self {
            inner: Rc::new(RefCell::new(inner)),
            views: Views::default(),
            waiting: Rc::default(),
            memory: Arc::clone(memory),
        })
    }

    /// What counts what the store holds.
    pub(super) fn memory(&self) -> &Arc<Memory> {
        &self.memory
    }

    /// Works with the store. Before JavaScript sees it again, the buffers of memories that have moved are detached.
    pub(super) fn with<T>(
        &self,
        ctx: &Ctx<'_>,
        work: impl FnOnce(&mut Inner) -> Result<T, Failed>,
    ) -> rquickjs::Result<T> {
        self.views.check(ctx).map_err(|error| error.throw(ctx))?;
        let done = work(&mut self.inner.borrow_mut());
        self.views.settle(ctx, &self.inner.borrow())?;
        done.map_err(|failed| failed.throw(ctx))
    }

    /// The buffer that shows the bytes of a memory.
    pub(super) fn buffer<'js>(&self, ctx: &Ctx<'js>, number: u32) -> rquickjs::Result<rquickjs::Value<'js>> {
        self.views.check(ctx).map_err(|error| error.throw(ctx))?;
        self.views.buffer(ctx, &self.inner, number)
    }
}

/// Where an engine keeps its machine: its resources, which go before the engine does.
#[derive(Default)]
struct Slot(RefCell<Weak<Machine>>);

/// The machine of the engine that calls, made when it is first needed.
pub(super) struct Wasm {
    pub(super) machine: Rc<Machine>,
    pub(super) host: Rc<OpHost>,
}

impl<'js> Param<'js> for Wasm {
    const LEAST: usize = 0;

    fn take(arguments: &mut Arguments<'_, 'js>) -> rquickjs::Result<Self> {
        let host = Rc::clone(arguments.host());
        let slot = host.part_or_default::<Slot>();
        let found = slot.0.borrow().upgrade();
        if let Some(machine) = found {
            return Ok(Self { machine, host });
        }
        let machine = Machine::new(host.memory()).map_err(|error| error.throw(arguments.ctx()))?;
        let machine = Rc::new(machine);
        *slot.0.borrow_mut() = Rc::downgrade(&machine);
        host.resources().add(machine.clone());
        Ok(Self { machine, host })
    }

    fn describe(_: &mut Signature) {}
}

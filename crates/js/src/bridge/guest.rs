//! What the engine asks of the bridge.

use std::rc::Rc;
use std::sync::Arc;

use tau_hooks::events::{EventId, TABLE};
use tau_hooks::{Ctx, Owner};

use super::{Bridge, tables};
use crate::engine::{CallGuest, CallState, Core, ExtensionId, Guest, Tenant, WeakEngine};
use crate::ops::table::Tables;

/// The guest of engines that run extensions.
pub(super) fn make(engine: WeakEngine) -> Rc<dyn Guest> {
    Bridge::new(engine)
}

impl Guest for Bridge {
    fn tables(&self) -> &'static Tables {
        tables()
    }

    fn begin(self: Rc<Self>, core: &Rc<Core>) {
        self.attach(core);
        core.host().add_part(self);
    }

    fn numbers_handlers(&self) -> bool {
        self.are_commands_held()
    }

    /// A command may end the program, and so may a handler of its end.
    fn leaves(&self, extension: ExtensionId, call: &CallState, code: i32) -> bool {
        let Some(context) = call.guest::<Called>().and_then(|called| called.contexts.last()) else { return false };
        let extension = self.get(extension.0);
        let Some(hooks) = extension.and_then(|extension| extension.hooks().ok()) else { return false };
        let may = context.is_command() || hooks.exit.is_ending();
        if may {
            hooks.exit.ask(code);
            context.host().shutdown();
        }
        may
    }

    fn would_exit_with(&self, extension: ExtensionId, code: Option<i32>) {
        if let Some(hooks) = self.get(extension.0).and_then(|extension| extension.hooks().ok()) {
            hooks.exit.set_otherwise(code);
        }
    }

    fn close(&self) {
        self.let_go();
    }
}

/// What belongs to a call of the hook system while it is under way.
#[derive(Default)]
pub(crate) struct Called {
    /// What the hook system gave those who were called; a visit calls handlers of several extensions.
    contexts: Vec<Ctx>,
    /// The visit that the call is.
    visit: Option<Rc<dyn CallGuest>>,
}

impl Called {
    /// The context that an extension was called with.
    pub(super) fn context_of(&self, owner: &Arc<Owner>) -> Option<Ctx> {
        self.contexts.iter().rev().find(|context| Arc::ptr_eq(context.owner(), owner)).cloned()
    }
}

impl CallGuest for Called {
    fn is_handler(&self) -> bool {
        self.visit.is_some()
    }

    fn is_waiting_gate(&self) -> bool {
        self.visit.as_ref().is_some_and(|visit| visit.is_waiting_gate())
    }

    fn is_at(&self, handler: u32) -> bool {
        self.visit.as_ref().is_some_and(|visit| visit.is_at(handler))
    }

    fn needs_whole_answers(&self) -> bool {
        self.visit.as_ref().is_some_and(|visit| visit.needs_whole_answers())
    }

    fn cut(&self) {
        if let Some(visit) = &self.visit {
            visit.cut();
        }
    }
}

/// What the bridge asks of the engine that it stands in front of.
pub(super) trait HasBridge {
    /// The extensions of the engine.
    fn bridge(&self) -> Rc<Bridge>;

    /// A call was made with this context.
    fn add_context(&self, call: u32, context: Ctx);

    /// Continues a call with an extension, in a new stretch. `context` is asked when the extension changed.
    fn go_on_with(&self, call: u32, extension: ExtensionId, context: impl FnOnce() -> Option<Ctx>);

    /// A call is this visit.
    fn set_visit(&self, call: u32, visit: Rc<dyn CallGuest>);

    /// The visit that a call is.
    fn visit(&self, call: u32) -> Option<Rc<dyn CallGuest>>;

    /// Says who an extension is.
    fn name(&self, extension: ExtensionId, owner: &Arc<Owner>);

    /// Handlers of an event are called from now on; of none when it is none.
    fn set_event(&self, event: Option<EventId>);
}

impl HasBridge for Core {
    fn bridge(&self) -> Rc<Bridge> {
        self.host().part_or_else(|| {
            tau_ai::broken("an engine has no bridge");
            Bridge::new(WeakEngine::default())
        })
    }

    fn add_context(&self, call: u32, context: Ctx) {
        self.with_call(call, |state| state.guest_mut::<Called>().contexts.push(context));
    }

    fn go_on_with(&self, call: u32, extension: ExtensionId, context: impl FnOnce() -> Option<Ctx>) {
        self.hand_over(call, extension, |state, is_another| {
            let called = state.guest_mut::<Called>();
            if is_another || called.contexts.is_empty() {
                called.contexts.extend(context());
            }
        });
    }

    fn set_visit(&self, call: u32, visit: Rc<dyn CallGuest>) {
        self.with_call(call, |state| state.guest_mut::<Called>().visit = Some(visit));
    }

    fn visit(&self, call: u32) -> Option<Rc<dyn CallGuest>> {
        self.with_call(call, |state| state.guest::<Called>()?.visit.clone()).flatten()
    }

    fn name(&self, extension: ExtensionId, owner: &Arc<Owner>) {
        let (name, path) = (owner.name.clone(), Arc::clone(&owner.path));
        self.activity().name(extension, Tenant { name, path, who: owner.clone() });
    }

    fn set_event(&self, event: Option<EventId>) {
        self.activity().set_task(event.map(|event| event as u32));
    }
}

/// Who a tenant of an engine is.
pub(super) fn owner_of(tenant: &Tenant) -> Option<Arc<Owner>> {
    Arc::clone(&tenant.who).downcast().ok()
}

/// The event whose handlers an engine calls.
pub(super) fn event_of(task: u32) -> Option<EventId> {
    TABLE.get(usize::try_from(task).ok()?).map(|row| row.id)
}

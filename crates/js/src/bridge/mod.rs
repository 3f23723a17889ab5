//! What stands between extensions in JavaScript and the hook system.
//!
//! The TypeScript in `runtime/host/` builds what extensions see (`pi`, `ctx`, their tools' `execute`); the ops here
//! are the few things it asks of Rust. Functions of extensions are kept on the JavaScript side by number: Rust calls
//! them through [`Callback`], from any thread.

mod accessors;
mod actions;
mod answer;
mod builtins;
mod bus;
mod callback;
mod children;
mod context;
mod dialect;
mod events;
mod extension;
mod extract;
mod guest;
mod hook_files;
mod host;
mod items;
mod lazy;
mod live;
mod loss;
mod mcp;
mod model_answers;
mod model_source;
mod models;
mod mount;
mod nested;
mod oauth;
mod payload;
mod progress;
mod register;
mod replace;
mod routing;
mod session;
mod settings;
mod signal;
mod together;
mod tool_spec;
mod tools;
mod ui;
mod visit;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::{Rc, Weak};
use std::sync::{Arc, LazyLock};

use rquickjs::Ctx as JsCtx;
use tau_hooks::bus::ListenerId;
use tau_hooks::{ActionError, Ctx};
use tau_script::HookFinder;

use crate::engine::{Core, EngineOptions, ExtensionId, MakeGuest, WeakEngine};
use crate::ops::table::{Area, Tables};
use crate::ops::{Account, Named, OpError};

pub(crate) use callback::Callback;
pub(crate) use extension::Extension;
pub use host::JsHost;

/// The extensions of one engine.
pub(crate) struct Bridge {
    engine: WeakEngine,
    core: RefCell<Weak<Core>>,
    /// By the number their `pi` has.
    extensions: RefCell<HashMap<u32, Rc<Extension>>>,
    /// The modules of files that were loaded, for when their factories run again.
    graphs: RefCell<HashMap<PathBuf, ExtensionId>>,
    /// Counts what extensions gave to the session, by what it is.
    given: Named<(ExtensionId, String)>,
    accessors: accessors::Accessors,
    functions: events::Functions,
    bus: RefCell<Option<Rc<bus::Link>>>,
    /// Finds hooks for scripts; there is none before something is loaded.
    finder: RefCell<Option<Arc<dyn HookFinder>>>,
    /// Listeners for events of others, by the number of their functions.
    listeners: RefCell<HashMap<u32, ListenerId>>,
    tokens: signal::Tokens,
    mounts: Rc<mount::Mounts>,
    next: Cell<u32>,
    /// How many contexts of commands scripts hold.
    commands_held: Rc<Cell<usize>>,
}

/// A context of a command that a script holds.
struct HeldCommand(Rc<Cell<usize>>);

impl Drop for HeldCommand {
    fn drop(&mut self) {
        self.0.set(self.0.get().saturating_sub(1));
    }
}

impl Bridge {
    pub(crate) fn new(engine: WeakEngine) -> Rc<Self> {
        Rc::new(Self {
            engine,
            core: RefCell::default(),
            extensions: RefCell::default(),
            graphs: RefCell::default(),
            given: Named::default(),
            accessors: accessors::Accessors::default(),
            functions: events::Functions::default(),
            bus: RefCell::default(),
            finder: RefCell::default(),
            listeners: RefCell::default(),
            tokens: signal::Tokens::default(),
            mounts: Rc::default(),
            // Number one is a plain script's.
            next: Cell::new(1),
            commands_held: Rc::default(),
        })
    }

    /// A script gets the context of a command, which it holds until the result is dropped.
    fn hold_command(&self) -> HeldCommand {
        self.commands_held.set(self.commands_held.get() + 1);
        HeldCommand(Rc::clone(&self.commands_held))
    }

    /// Whether scripts hold contexts of commands.
    pub(crate) fn are_commands_held(&self) -> bool {
        self.commands_held.get() > 0
    }

    /// Says which engine it belongs to.
    pub(crate) fn attach(&self, core: &Rc<Core>) {
        *self.core.borrow_mut() = Rc::downgrade(core);
    }

    /// Adds an extension that is about to be loaded; gives the number of its `pi`. When this engine has had its file
    /// before, its modules are those of then.
    pub(crate) fn add(&self, path: &Path, make: impl FnOnce(ExtensionId) -> Extension) -> (u32, Rc<Extension>) {
        let known = self.graphs.borrow().get(path).copied();
        if let Some(known) = known {
            // What its factory gave to another session went with that.
            self.given.forget(|(extension, _)| *extension == known);
        }
        self.keep(|id| make(known.unwrap_or(ExtensionId(id))))
    }

    fn keep(&self, make: impl FnOnce(u32) -> Extension) -> (u32, Rc<Extension>) {
        let id = self.next.get() + 1;
        self.next.set(id);
        let extension = Rc::new(make(id));
        if self.bus.borrow().is_none()
            && let Ok(hooks) = extension.hooks()
        {
            *self.bus.borrow_mut() = Some(Rc::new(bus::Link::new(hooks.bus.clone(), self.engine.clone())));
        }
        self.extensions.borrow_mut().insert(id, Rc::clone(&extension));
        (id, extension)
    }

    /// Notes the modules of a file, for when its factory runs again. Also when it failed: then they are evaluated anew,
    /// and code of that file still belongs to the same extension.
    pub(crate) fn remember(&self, path: &Path, modules: ExtensionId) {
        self.graphs.borrow_mut().insert(path.to_owned(), modules);
    }

    /// What an extension is now that its session was replaced: it has another `pi`. `None` when it is not loaded.
    fn successor(&self, extension: &Extension) -> Option<u32> {
        let hooks = extension.hooks().ok()?;
        let path = &extension.owner.path;
        let owner = hooks.extensions().into_iter().find(|owner| owner.path == *path)?;
        let here =
            self.extensions.borrow().iter().find(|(_, other)| Arc::ptr_eq(&other.owner, &owner)).map(|(id, _)| *id);
        // In another working directory it runs in another engine; this one still ends what it began.
        Some(here.unwrap_or_else(|| self.keep(|_| extension.as_owner(&hooks, &owner)).0))
    }

    /// The getters and setters of what is made when somebody looks.
    fn accessors(&self) -> &accessors::Accessors {
        &self.accessors
    }

    /// The functions of handlers.
    fn functions(&self) -> &events::Functions {
        &self.functions
    }

    fn core(&self, ctx: &JsCtx<'_>) -> rquickjs::Result<Rc<Core>> {
        self.core.borrow().upgrade().ok_or_else(|| OpError::message("the engine has ended").throw(ctx))
    }

    /// An extension, by number.
    pub(crate) fn get(&self, id: u32) -> Option<Rc<Extension>> {
        self.extensions.borrow().get(&id).cloned()
    }

    /// One whose session is there, for what is the same to all.
    fn any_extension(&self) -> Option<Rc<Extension>> {
        let extensions = self.extensions.borrow();
        extensions.values().find(|extension| extension.hooks().is_ok()).cloned()
    }

    fn extension(&self, ctx: &JsCtx<'_>, id: u32) -> rquickjs::Result<Rc<Extension>> {
        self.get(id).ok_or_else(|| OpError::message("the extension is not loaded").throw(ctx))
    }

    /// Counts the arguments of the op that was called: the session keeps them for the extension, under a name, in place of
    /// what it kept there before.
    fn count(&self, ctx: &JsCtx<'_>, extension: &Extension, kind: &str, name: &str) -> rquickjs::Result<()> {
        let account = Account::of(ctx)?;
        let bytes = account.argument_bytes().saturating_add(name.len());
        let name = (extension.modules, format!("{kind} {name}"));
        let counted = self.given.set(account.memory(), name, bytes, "what scripts gave to the session");
        counted.map_err(|error| error.throw(ctx))
    }

    /// The session keeps it no more.
    fn forget(&self, extension: &Extension, kind: &str, name: &str) {
        let gone = (extension.modules, format!("{kind} {name}"));
        self.given.forget(|known| *known == gone);
    }

    /// The engine's place on the bus; there is none before the first extension came.
    fn link(&self) -> Option<Rc<bus::Link>> {
        self.bus.borrow().clone()
    }

    /// A function that an extension gave to tau, by its number.
    fn callback(&self, extension: u32, id: u32, location: Option<Arc<str>>) -> Arc<Callback> {
        Callback::new(self.engine.clone(), self.modules(extension), id, location)
    }

    /// The modules that the `pi` of a number belongs to, by which code is blamed.
    fn modules(&self, extension: u32) -> ExtensionId {
        self.get(extension).map_or(ExtensionId(extension), |extension| extension.modules)
    }

    /// The context of a call, or, when it has come back, one outside any call: contexts stay usable.
    fn context(&self, extension: &Extension, call: u32, command: bool) -> Result<Ctx, ActionError> {
        let core = self.core.borrow().upgrade();
        match core.and_then(|core| {
            core.with_call(call, |state| state.guest::<guest::Called>()?.context_of(&extension.owner)).flatten()
        }) {
            Some(ctx) => ctx.check().map(|()| ctx),
            None => extension.api.ctx(tokio_util::sync::CancellationToken::new(), command),
        }
    }

    /// Says who finds hooks.
    fn set_finder(&self, finder: Arc<dyn HookFinder>) {
        *self.finder.borrow_mut() = Some(finder);
    }

    /// Who finds hooks.
    fn finder(&self) -> Option<Arc<dyn HookFinder>> {
        self.finder.borrow().clone()
    }

    /// Lets go of everything.
    fn let_go(&self) {
        self.listeners.borrow_mut().clear();
        self.mounts.clear();
        self.bus.borrow_mut().take();
        self.functions.clear();
        self.accessors.clear();
        self.extensions.borrow_mut().clear();
        self.graphs.borrow_mut().clear();
    }
}

/// The ops of the bridge.
static AREAS: &[&Area] = &[
    &actions::OPS,
    &answer::OPS,
    &builtins::OPS,
    &bus::OPS,
    &children::OPS,
    &children::acting::OPS,
    &children::asking::OPS,
    &context::OPS,
    &events::OPS,
    &hook_files::OPS,
    &mcp::OPS,
    &model_answers::OPS,
    &models::OPS,
    &mount::blocks::OPS,
    &mount::facts::OPS,
    &mount::ops::OPS,
    &nested::OPS,
    &register::OPS,
    &replace::OPS,
    &routing::OPS,
    &session::OPS,
    &settings::OPS,
    &signal::OPS,
    &ui::OPS,
];

/// The defaults of an engine that extensions can live in, for a working directory.
pub fn options(cwd: impl Into<PathBuf>) -> EngineOptions {
    // An environment that leaves it out would leave a session in a child without the gates of this one.
    EngineOptions { guest: MakeGuest(guest::make), firm: &[tau_script::PARENT_GATES], ..EngineOptions::new(cwd) }
}

/// All areas of ops that an engine has.
pub(crate) fn areas() -> Vec<&'static Area> {
    [&*crate::engine::areas(), crate::pi::AREAS, AREAS].concat()
}

/// All ops of an engine.
pub(crate) fn tables() -> &'static Tables {
    static TABLES: LazyLock<Tables> = LazyLock::new(|| Tables::new(&areas()));
    &TABLES
}

/// An action that was refused, as JavaScript's error.
fn refused(ctx: &JsCtx<'_>, error: &ActionError) -> rquickjs::Error {
    OpError::message(error.to_string()).throw(ctx)
}

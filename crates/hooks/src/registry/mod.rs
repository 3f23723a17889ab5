//! Everything extensions have registered with one session, and what it takes to load and remove them.

mod above;
mod sets;

use std::any::Any;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use parking_lot::{Mutex, RwLock};
use tau_ai::Sources;
use tau_tools::{Tool, ToolSpec};
use tokio_util::sync::CancellationToken;

use crate::action_error::ActionError;
use crate::api::Api;
use crate::bus::Bus;
use crate::context::Ctx;
use crate::dialect::{Commands, Dialect, Failures, PI};
use crate::dialogs::DialogBroker;
use crate::dispatch::{Dispatcher, panicked};
use crate::error::HandlerError;
use crate::exit::Exit;
use crate::extension::{
    Command, Extension, FlagSpec, FlagValue, Provider, Registered, Registrar, Shortcut, add_mcp_server, add_provider,
    add_virtual_model,
};
use crate::future::BoxFuture;
use crate::handle::Handle;
use crate::host::Host;
use crate::mcp::{HostedMcpServer, McpServer};
use crate::owner::{Owner, Phase};
use crate::queue::UpdateQueue;
use crate::rendering::{MarkdownTransformer, ToolRenderers};
use crate::report::{Report, ReportKind};
use crate::routing::VirtualModel;
use crate::services::{Services, SharedValues};
use crate::status::StatusStore;
use crate::tasks::Tasks;
use crate::ui::UiSource;
use crate::variables::Variables;

pub use sets::{Demand, LoadError, Required};
use sets::{Guard, conflicts};

/// The hook system of one session.
pub struct Hooks {
    /// Calls handlers.
    pub dispatcher: Arc<Dispatcher>,
    /// Calls handlers of updates without stopping the stream.
    pub updates: UpdateQueue,
    /// The bus all extensions share.
    pub bus: Bus,
    /// Dialogs and notices.
    pub dialogs: DialogBroker,
    /// The status line.
    pub status: StatusStore,
    /// The exit code that extensions want.
    pub exit: Exit,
    /// Environment variables that extensions changed.
    pub variables: Variables,
    /// What extensions do beside their handlers.
    pub tasks: Tasks,
    /// Where time, ids and chance come from.
    pub sources: Sources,
    /// The hooks of the session that opened this one.
    parent: OnceLock<Weak<Self>>,
    host: RwLock<Option<Weak<dyn Host>>>,
    pub(crate) services: RwLock<Option<Arc<dyn Services>>>,
    pub(crate) shared: SharedValues,
    /// Another session opened this one, in this program or in another.
    of_child: AtomicBool,
    loaded: RwLock<Vec<Loaded>>,
    flags: RwLock<HashMap<String, FlagValue>>,
    /// Servers that the program around tau hands over.
    hosted: RwLock<Vec<HostedMcpServer>>,
    /// Extensions of the program that the session does without.
    withheld: RwLock<BTreeSet<String>>,
    /// Extensions that guarded gates before they were removed.
    guards: RwLock<Vec<Guard>>,
    next_rank: AtomicU64,
    /// The first rank of the set that is being loaded, or was loaded last.
    set_from: AtomicU64,
    /// What extensions share.
    /// What lives as long as the hooks.
    kept: Mutex<Vec<Box<dyn Any + Send + Sync>>>,
    /// The session is over, so its extensions decide about nothing any more.
    ended: AtomicBool,
    /// A set is being loaded: who comes first, and so who wins, is known when it is complete.
    in_set: AtomicBool,
}

struct Loaded {
    owner: Arc<Owner>,
    registered: Registered,
}

/// A command as it can be typed.
#[derive(Clone)]
pub struct CommandEntry {
    /// Without the slash; a name several extensions use has `:1`, `:2`, … behind it.
    pub name: String,
    /// The command.
    pub command: Command,
    /// The extension.
    pub owner: Arc<Owner>,
}

impl Hooks {
    /// An empty hook system.
    pub fn new() -> Arc<Self> {
        Self::with_sources(Sources::default())
    }

    /// As [`Hooks::new`], with other sources of time, ids and chance than the system's: whatever belongs to the session of
    /// these hooks takes them from here, its scripts too.
    pub fn with_sources(sources: Sources) -> Arc<Self> {
        let dialogs = DialogBroker::new();
        let status = StatusStore::new();
        let dispatcher =
            Arc::new(Dispatcher::new(UiSource::new(dialogs.clone(), status.clone()), sources.clock.clone()));
        let reports = Arc::downgrade(&dispatcher);
        let bus = Bus::new(Arc::new(move |error| {
            if let Some(dispatcher) = reports.upgrade() {
                dispatcher.reports.send(&Report {
                    extension: Arc::clone(&error.owner),
                    event: format!("bus:{}", error.channel),
                    kind: ReportKind::Error { message: error.message.clone(), stack: None },
                    location: None,
                    failures: Failures::Extension,
                });
            }
        }));
        Arc::new(Self {
            updates: UpdateQueue::new(Arc::clone(&dispatcher)),
            tasks: Tasks::new(&dispatcher),
            sources,
            dispatcher,
            bus,
            dialogs,
            status,
            exit: Exit::default(),
            variables: Variables::default(),
            parent: OnceLock::new(),
            host: RwLock::default(),
            services: RwLock::default(),
            shared: SharedValues::default(),
            of_child: AtomicBool::new(false),
            loaded: RwLock::default(),
            flags: RwLock::default(),
            hosted: RwLock::default(),
            withheld: RwLock::default(),
            guards: RwLock::default(),
            next_rank: AtomicU64::new(0),
            set_from: AtomicU64::new(0),
            in_set: AtomicBool::new(false),
            kept: Mutex::default(),
            ended: AtomicBool::new(false),
        })
    }

    /// Keeps something for as long as the hooks are there.
    pub fn keep(&self, thing: Box<dyn Any + Send + Sync>) {
        self.kept.lock().push(thing);
    }

    /// The session is over. From now on the gates of its children are shut.
    pub fn end(&self) {
        self.ended.store(true, Ordering::Release);
    }

    pub(crate) fn is_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    /// Whether a set of extensions is being loaded, so that some of its gates may not be there yet.
    pub(crate) fn is_loading(&self) -> bool {
        self.in_set.load(Ordering::Acquire)
    }

    /// Connects extensions with their session: from now on their actions work.
    pub fn bind(&self, host: &Arc<dyn Host>) {
        *self.host.write() = Some(Arc::downgrade(host));
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            self.tasks.open(runtime);
        }
    }

    pub(crate) fn host(&self) -> Result<Arc<dyn Host>, ActionError> {
        let host = self.host.read();
        host.as_ref().ok_or(ActionError::Loading)?.upgrade().ok_or(ActionError::Stale)
    }

    pub(crate) fn ui_source(&self) -> UiSource {
        UiSource::new(self.dialogs.clone(), self.status.clone())
    }

    /// What an extension can do.
    pub fn api(self: &Arc<Self>, owner: &Arc<Owner>) -> Api {
        Api::new(self, owner)
    }

    /// Loads an extension written in Rust under the rules of current extensions.
    ///
    /// # Errors
    /// When its registration fails or panics; then nothing of it stays, and the user has been told.
    pub fn load(self: &Arc<Self>, extension: &dyn Extension) -> Result<Arc<Owner>, LoadError> {
        self.load_as(extension, &PI)
    }

    /// Loads an extension under the rules of a dialect.
    ///
    /// # Errors
    /// As [`Hooks::load`].
    pub fn load_as(
        self: &Arc<Self>,
        extension: &dyn Extension,
        dialect: &'static Dialect,
    ) -> Result<Arc<Owner>, LoadError> {
        let owner = Owner::native(extension.name(), dialect);
        self.load_with(owner, |registrar| extension.register(registrar))
    }

    /// Loads an extension that `register` registers; for hosts of extensions in other languages.
    ///
    /// # Errors
    /// As [`Hooks::load`].
    pub fn load_with(
        self: &Arc<Self>,
        owner: Arc<Owner>,
        register: impl FnOnce(&mut Registrar) -> Result<(), HandlerError>,
    ) -> Result<Arc<Owner>, LoadError> {
        let path = Arc::clone(&owner.path);
        let mut registrar = self.registrar(owner);
        let done = std::panic::catch_unwind(AssertUnwindSafe(|| register(&mut registrar)));
        let done = done.map_err(panicked).and_then(|done| done).and_then(|()| registrar.commit());
        done.map_err(|error| self.failed_to_load(&path, &error))
    }

    /// Begins to register an extension whose registration takes a while. It ends with [`Registrar::commit`]; when the
    /// registrar is dropped before that, nothing of it stays. Failures are for the caller to tell, by
    /// [`Hooks::failed_to_load`].
    pub fn registrar(self: &Arc<Self>, owner: Arc<Owner>) -> Registrar {
        Registrar::new(self, owner)
    }

    pub(crate) fn commit(self: &Arc<Self>, owner: &Arc<Owner>, mut registered: Registered) {
        if !registered.offers.bash_wrappers.is_empty() {
            owner.set_wraps_bash();
        }
        owner.set_rank(self.next_rank.fetch_add(1, Ordering::Relaxed));
        owner.enter(Phase::Loaded);
        for (event, handler, location) in &registered.handlers {
            self.dispatcher.add(*event, Arc::clone(owner), handler.clone(), Arc::clone(location));
        }
        self.guards.write().retain(|guard| guard.path != owner.path);
        self.dispatcher.open_gates_of(&owner.path);
        let tasks = std::mem::take(&mut registered.tasks);
        let loaded = Loaded { owner: Arc::clone(owner), registered };
        let conflicts = if self.in_set.load(Ordering::Acquire) {
            Vec::new()
        } else {
            conflicts(&self.loaded.read().iter().collect::<Vec<_>>(), &loaded)
        };
        self.loaded.write().push(loaded);
        for text in conflicts {
            self.dispatcher.reports.send(&Report::diagnostic(Arc::clone(&owner.path), "load", text));
        }
        tasks.into_iter().for_each(|task| self.tasks.begin(self.api(owner), task));
    }

    /// Takes the model provider of a name away from whoever registered it.
    pub fn remove_provider(&self, name: &str) {
        for entry in self.loaded.write().iter_mut() {
            entry.registered.providers.retain(|provider| provider.name != name);
        }
    }

    /// Changes the configuration of a provider of an extension, as if it had been registered with that too.
    pub fn change_provider(&self, owner: &Arc<Owner>, name: &str, config: serde_json::Value) {
        let mut loaded = self.loaded.write();
        let Some(entry) = loaded.iter_mut().find(|loaded| Arc::ptr_eq(&loaded.owner, owner)) else { return };
        let Some(known) = entry.registered.providers.iter().find(|provider| provider.name == name) else { return };
        let changed = Provider {
            name: name.to_owned(),
            config,
            api: None,
            oauth: None,
            operations: tau_ai::Operations::default(),
            source: known.source.clone(),
        };
        add_provider(&mut entry.registered.providers, changed);
    }

    /// Adds registrations to an extension that is loaded; of things with a name the new one counts.
    pub(crate) fn amend(self: &Arc<Self>, owner: &Arc<Owner>, new: Registered) -> Result<(), ActionError> {
        Self::check_loaded(owner)?;
        let mut loaded = self.loaded.write();
        let entry = loaded.iter_mut().find(|loaded| Arc::ptr_eq(&loaded.owner, owner)).ok_or(ActionError::Stale)?;
        let old = &mut entry.registered;
        old.tools.put_all(new.tools);
        replace(&mut old.tool_renderers, new.tool_renderers, |(name, _)| name);
        old.commands.put_all(new.commands);
        replace(&mut old.shortcuts, new.shortcuts, |shortcut| &shortcut.key);
        old.flags.put_all(new.flags);
        replace(&mut old.message_renderers, new.message_renderers, |(name, _)| name);
        old.entry_renderers.put_all(new.entry_renderers);
        old.tool_resolvers.extend(new.tool_resolvers);
        old.markdown_transformers.extend(new.markdown_transformers);
        new.providers.into_iter().for_each(|provider| add_provider(&mut old.providers, provider));
        new.mcp_servers.into_iter().for_each(|server| add_mcp_server(&mut old.mcp_servers, server));
        new.virtual_models.into_iter().for_each(|model| add_virtual_model(&mut old.virtual_models, model));
        old.settings.put_all(new.settings);
        if !new.offers.bash_wrappers.is_empty() {
            owner.set_wraps_bash();
        }
        old.offers.add(new.offers);
        old.handlers.extend(new.handlers.iter().cloned());
        drop(loaded);
        for (event, handler, location) in new.handlers {
            self.dispatcher.add(event, Arc::clone(owner), handler, location);
        }
        new.tasks.into_iter().for_each(|task| self.tasks.begin(self.api(owner), task));
        Ok(())
    }

    /// Removes an extension with everything it registered. Gates that it guarded shut at once: they open when it is
    /// loaded again, or when [`Hooks::finish_set`] says that it is not coming back.
    pub fn unload(&self, owner: &Arc<Owner>) {
        let is_loaded = self.loaded.read().iter().any(|loaded| Arc::ptr_eq(&loaded.owner, owner));
        let gates = self.gates_of(owner);
        if is_loaded && !gates.is_empty() {
            let guard = Guard { path: Arc::clone(&owner.path), gates };
            // Before anything of it is gone, so that there is no moment without either.
            self.shut_gates_of(&guard, None);
            self.guards.write().push(guard);
        }
        self.loaded.write().retain(|loaded| !Arc::ptr_eq(&loaded.owner, owner));
        self.dispatcher.remove_owner(owner);
        self.clear_away(owner, Phase::Gone);
    }

    /// Removes what an extension left outside of what it registered, and ends its actions.
    pub(crate) fn clear_away(&self, owner: &Arc<Owner>, phase: Phase) {
        owner.enter(phase);
        self.bus.remove_owner(&owner.path);
        self.status.remove_owner(&owner.path);
        self.dialogs.remove_owner(&owner.path);
    }

    /// Fails unless the extension is loaded.
    pub(crate) fn check_loaded(owner: &Arc<Owner>) -> Result<(), ActionError> {
        match owner.phase() {
            Phase::Registering => Err(ActionError::Loading),
            _ => owner.check(),
        }
    }

    /// The loaded extensions, in load order.
    pub fn extensions(&self) -> Vec<Arc<Owner>> {
        self.loaded.read().iter().map(|loaded| Arc::clone(&loaded.owner)).collect()
    }

    /// The tools of extensions, the first of a name.
    pub fn tools(&self) -> Vec<(Arc<Owner>, Arc<dyn Tool>)> {
        self.first_of(|registered| &registered.tools, |tool| tool.spec().name.clone())
    }

    /// Adds a tool of an extension that is already loaded.
    ///
    /// # Errors
    /// When the extension is not loaded, or the tool's schema is not that of an object.
    pub fn add_tool(&self, owner: &Arc<Owner>, tool: Arc<dyn Tool>) -> Result<(), ActionError> {
        match self.add_tools(owner, vec![tool])?.pop() {
            Some((_, refused)) => Err(refused),
            None => Ok(()),
        }
    }

    /// As [`Self::add_tool`], for many at once. Gives those that were refused, each with the reason.
    ///
    /// # Errors
    /// When the extension is not loaded.
    pub fn add_tools(
        &self,
        owner: &Arc<Owner>,
        tools: Vec<Arc<dyn Tool>>,
    ) -> Result<Vec<(String, ActionError)>, ActionError> {
        let mut refused = Vec::new();
        let mut fit = Vec::with_capacity(tools.len());
        for tool in tools {
            match check_tool(owner, &*tool) {
                Ok(()) => fit.push(tool),
                Err(error) => refused.push((tool.spec().name.clone(), ActionError::Refused(error.to_string()))),
            }
        }
        let mut loaded = self.loaded.write();
        let entry = loaded.iter_mut().find(|loaded| Arc::ptr_eq(&loaded.owner, owner)).ok_or(ActionError::Stale)?;
        entry.registered.tools.put_all(fit);
        Ok(refused)
    }

    /// How the calls and results of a tool are shown.
    pub fn tool_renderers(&self, tool: &str) -> Option<(Arc<Owner>, ToolRenderers)> {
        let all = self.first_of(|registered| &registered.tool_renderers, |(name, _)| name.clone());
        all.into_iter().find(|(_, (name, _))| name == tool).map(|(owner, (_, renderers))| (owner, renderers))
    }

    /// How messages of a kind are shown.
    pub fn message_renderer(&self, custom_type: &str) -> Option<(Arc<Owner>, Handle)> {
        let all = self.first_of(|registered| &registered.message_renderers, |(name, _)| name.clone());
        all.into_iter().find(|(_, (name, _))| name == custom_type).map(|(owner, (_, renderer))| (owner, renderer))
    }

    /// How entries of a kind are shown.
    pub fn entry_renderer(&self, custom_type: &str) -> Option<(Arc<Owner>, Handle)> {
        let all = self.first_of(|registered| &registered.entry_renderers, |(name, _)| name.clone());
        all.into_iter().find(|(_, (name, _))| name == custom_type).map(|(owner, (_, renderer))| (owner, renderer))
    }

    /// What chooses how tools are shown, in the order in which it is asked; the last one stands next to the tool itself.
    pub fn tool_resolvers(&self) -> Vec<(Arc<Owner>, Handle)> {
        let loaded = self.loaded.read();
        let of = |loaded: &Loaded| {
            let owner = Arc::clone(&loaded.owner);
            let all = loaded.registered.tool_resolvers.clone();
            all.into_iter().map(move |resolver| (Arc::clone(&owner), resolver))
        };
        loaded.iter().flat_map(of).collect()
    }

    /// What changes Markdown before it is shown, in the order in which it is applied.
    pub fn markdown_transformers(&self) -> Vec<(Arc<Owner>, MarkdownTransformer)> {
        let loaded = self.loaded.read();
        let of = |loaded: &Loaded| {
            let owner = Arc::clone(&loaded.owner);
            let all = loaded.registered.markdown_transformers.clone();
            all.into_iter().map(move |transformer| (Arc::clone(&owner), transformer))
        };
        loaded.iter().flat_map(of).collect()
    }

    /// What each extension registered of a kind, in load order.
    pub(crate) fn all_of<T: Clone>(&self, list: impl Fn(&Registered) -> &[T]) -> Vec<(Arc<Owner>, T)> {
        let loaded = self.loaded.read();
        let of = |loaded: &Loaded| {
            let owner = Arc::clone(&loaded.owner);
            list(&loaded.registered).to_vec().into_iter().map(move |one| (Arc::clone(&owner), one))
        };
        loaded.iter().flat_map(of).collect()
    }

    /// The tools and commands that an extension registered, as people read them.
    pub fn names_of(&self, owner: &Arc<Owner>) -> Vec<String> {
        let loaded = self.loaded.read();
        let Some(entry) = loaded.iter().find(|loaded| Arc::ptr_eq(&loaded.owner, owner)) else { return Vec::new() };
        let tools = entry.registered.tools.iter().map(|tool| format!("the tool {}", tool.spec().name));
        let commands = entry.registered.commands.iter().map(|command| format!("the command /{}", command.name));
        tools.chain(commands).collect()
    }

    /// The command-line flags of extensions, the first of a name.
    pub fn flag_specs(&self) -> Vec<(Arc<Owner>, FlagSpec)> {
        self.first_of(|registered| &registered.flags, |flag| flag.name.clone())
    }

    /// Sets the values given on the command line.
    pub fn set_flags(&self, values: HashMap<String, FlagValue>) {
        *self.flags.write() = values;
    }

    pub(crate) fn flag(&self, owner: &Arc<Owner>, name: &str) -> Option<FlagValue> {
        let loaded = self.loaded.read();
        let registered = &loaded.iter().find(|loaded| Arc::ptr_eq(&loaded.owner, owner))?.registered;
        let flag = registered.flags.iter().find(|flag| flag.name == name)?;
        self.given_flag(name).or_else(|| flag.default.clone())
    }

    pub(crate) fn given_flag(&self, name: &str) -> Option<FlagValue> {
        self.flags.read().get(name).cloned()
    }

    /// The model providers of extensions, in load order; a later one of a name changes what an earlier one said.
    pub fn providers(&self) -> Vec<(Arc<Owner>, Provider)> {
        let loaded = self.loaded.read();
        loaded
            .iter()
            .flat_map(|loaded| {
                loaded.registered.providers.iter().map(|provider| (Arc::clone(&loaded.owner), provider.clone()))
            })
            .collect()
    }

    /// The MCP servers that extensions registered, in load order.
    pub fn mcp_servers(&self) -> Vec<McpServer> {
        self.loaded.read().iter().flat_map(|loaded| loaded.registered.mcp_servers.iter().cloned()).collect()
    }

    /// The program around tau hands these MCP servers over, in the place of those before.
    pub fn host_mcp_servers(&self, servers: Vec<HostedMcpServer>) {
        *self.hosted.write() = servers;
    }

    /// The MCP servers that the program around tau hands over.
    pub fn hosted_mcp_servers(&self) -> Vec<HostedMcpServer> {
        self.hosted.read().clone()
    }

    /// The session does without these extensions of the program, and so do sessions that it opens from now on.
    pub fn withhold(&self, names: impl IntoIterator<Item = String>) {
        *self.withheld.write() = names.into_iter().collect();
    }

    /// Whether the session does without an extension of the program.
    pub fn is_withheld(&self, name: &str) -> bool {
        self.withheld.read().contains(name)
    }

    /// Removes an MCP server of an extension; whether there was one.
    pub fn remove_mcp_server(&self, owner: &Arc<Owner>, name: &str) -> bool {
        let mut loaded = self.loaded.write();
        let Some(entry) = loaded.iter_mut().find(|loaded| Arc::ptr_eq(&loaded.owner, owner)) else { return false };
        let servers = &mut entry.registered.mcp_servers;
        let before = servers.len();
        servers.retain(|server| server.name != name);
        servers.len() != before
    }

    /// The virtual models of extensions, in load order; the last of a name.
    pub fn virtual_models(&self) -> Vec<(Arc<Owner>, VirtualModel)> {
        let loaded = self.loaded.read();
        let mut all: Vec<(Arc<Owner>, VirtualModel)> = Vec::new();
        for entry in loaded.iter() {
            for model in &entry.registered.virtual_models {
                all.retain(|(_, other)| !is_named(other, &model.model.provider, &model.model.id));
                all.push((Arc::clone(&entry.owner), model.clone()));
            }
        }
        all
    }

    /// The virtual model of that name, and whose it is.
    pub fn virtual_model(&self, provider: &str, id: &str) -> Option<(Arc<Owner>, VirtualModel)> {
        let loaded = self.loaded.read();
        loaded.iter().rev().find_map(|entry| {
            let found = entry.registered.virtual_models.iter().find(|model| is_named(model, provider, id))?;
            Some((Arc::clone(&entry.owner), found.clone()))
        })
    }

    /// Removes a virtual model of an extension; whether there was one. Those of others stay.
    pub fn remove_virtual_model(&self, owner: &Arc<Owner>, provider: &str, id: &str) -> bool {
        let mut loaded = self.loaded.write();
        let Some(entry) = loaded.iter_mut().find(|loaded| Arc::ptr_eq(&loaded.owner, owner)) else { return false };
        let models = &mut entry.registered.virtual_models;
        let before = models.len();
        models.retain(|model| !is_named(model, provider, id));
        models.len() != before
    }

    /// The keyboard shortcuts of extensions; the last of a key wins.
    pub fn shortcuts(&self) -> Vec<(Arc<Owner>, Shortcut)> {
        let loaded = self.loaded.read();
        let mut shortcuts: Vec<(Arc<Owner>, Shortcut)> = Vec::new();
        for entry in loaded.iter() {
            for shortcut in &entry.registered.shortcuts {
                shortcuts.retain(|(_, other)| other.key != shortcut.key);
                shortcuts.push((Arc::clone(&entry.owner), shortcut.clone()));
            }
        }
        shortcuts
    }

    /// The commands of extensions under the names that reach them.
    pub fn commands(&self) -> Vec<CommandEntry> {
        let loaded = self.loaded.read();
        let all: Vec<(&Arc<Owner>, &Command)> = loaded
            .iter()
            .flat_map(|loaded| loaded.registered.commands.iter().map(move |command| (&loaded.owner, command)))
            .collect();
        let (numbers, firsts): (Vec<_>, Vec<_>) =
            all.iter().partition(|(owner, _)| owner.dialect.commands == Commands::Numbered);
        let mut taken: HashSet<String> = all.iter().map(|(_, command)| command.name.clone()).collect();
        let mut sharing: HashMap<&str, usize> = HashMap::new();
        numbers.iter().for_each(|(_, command)| *sharing.entry(&command.name).or_default() += 1);
        let entry = |name: String, (owner, command): (&Arc<Owner>, &Command)| CommandEntry {
            name,
            command: command.clone(),
            owner: Arc::clone(owner),
        };
        let mut entries: Vec<CommandEntry> = numbers
            .iter()
            .map(|(owner, command)| {
                let shared = sharing.get(command.name.as_str()).is_some_and(|count| *count > 1);
                let name = if shared { numbered(&command.name, &mut taken) } else { command.name.clone() };
                entry(name, (owner, command))
            })
            .collect();
        let mut named: HashSet<String> = entries.iter().map(|entry| entry.name.clone()).collect();
        for (owner, command) in firsts {
            if named.insert(command.name.clone()) {
                entries.push(entry(command.name.clone(), (owner, command)));
            }
        }
        entries
    }

    /// Runs an extension's command; gives whether it worked, nothing when no extension has it. A failure is reported.
    pub async fn run_command(self: &Arc<Self>, name: &str, args: &str, signal: CancellationToken) -> Option<bool> {
        let entry = self.commands().into_iter().find(|entry| entry.name == name)?;
        let handler = Arc::clone(&entry.command.handler);
        let args = args.to_owned();
        let run = |ctx| handler(args, ctx);
        Some(self.run_for_user(&entry.owner, "command", format!("command:{name}"), run, signal).await)
    }

    /// Runs an extension's shortcut; gives whether it worked. A failure is reported.
    pub async fn run_shortcut(
        self: &Arc<Self>,
        owner: &Arc<Owner>,
        shortcut: &Shortcut,
        signal: CancellationToken,
    ) -> bool {
        let run = |ctx| (shortcut.handler)(ctx);
        self.run_for_user(owner, "shortcut", format!("shortcut:{}", shortcut.key), run, signal).await
    }

    /// Runs what an extension does because the user asked for it; gives whether it worked.
    async fn run_for_user(
        self: &Arc<Self>,
        owner: &Arc<Owner>,
        event: &str,
        name: String,
        run: impl FnOnce(Ctx) -> BoxFuture<Result<(), HandlerError>>,
        signal: CancellationToken,
    ) -> bool {
        let done = match self.api(owner).ctx(signal, true) {
            Ok(ctx) => {
                let run = async move { run(ctx).await };
                let run = futures_util::FutureExt::catch_unwind(AssertUnwindSafe(run));
                run.await.map_err(panicked).and_then(|done| done)
            }
            Err(error) => Err(error.into()),
        };
        let worked = done.is_ok();
        if let Err(error) = done {
            let message = error.to_string();
            let (stack, location) = match error {
                HandlerError::Failed { stack, location, .. } => (stack, location),
                _ => (None, None),
            };
            self.dispatcher.reports.send(&Report {
                extension: name.into(),
                event: event.to_owned(),
                kind: ReportKind::Error { message, stack },
                location: location.or_else(|| Some(owner.path.to_string())),
                failures: owner.dialect.failures,
            });
        }
        worked
    }

    pub(crate) fn first_of<T: Clone>(
        &self,
        items: impl Fn(&Registered) -> &[T],
        name: impl Fn(&T) -> String,
    ) -> Vec<(Arc<Owner>, T)> {
        let mut seen = HashSet::new();
        let loaded = self.loaded.read();
        let mut first = Vec::new();
        for entry in loaded.iter() {
            for item in items(&entry.registered) {
                if seen.insert(name(item)) {
                    first.push((Arc::clone(&entry.owner), item.clone()));
                }
            }
        }
        first
    }
}

/// A tool needs a schema that describes an object, because providers take no other.
pub(crate) fn check_tool(owner: &Owner, tool: &dyn Tool) -> Result<(), HandlerError> {
    let ToolSpec { name, parameters, .. } = tool.spec();
    // A schema may leave the type out, as unions do.
    let is_object = match parameters.get("type") {
        Some(kind) => kind == "object" || kind.as_array().is_some_and(|kinds| kinds.contains(&"object".into())),
        None => parameters.is_object(),
    };
    if !is_object {
        let path = &owner.path;
        return Err(HandlerError::msg(format!(
            "Tool \"{name}\" registered by extension \"{path}\" must define an object parameter schema."
        )));
    }
    tau_tools::arguments::check_schema(parameters)
        .map_err(|error| HandlerError::msg(format!("Tool \"{name}\": {error}")))
}

fn is_named(virtual_model: &VirtualModel, provider: &str, id: &str) -> bool {
    virtual_model.model.provider == provider && virtual_model.model.id == id
}

fn replace<T>(old: &mut Vec<T>, new: Vec<T>, name: impl Fn(&T) -> &String) {
    for item in new {
        old.retain(|other| name(other) != name(&item));
        old.push(item);
    }
}

/// `name:1`, `name:2`, …: the first that nobody has.
fn numbered(name: &str, taken: &mut HashSet<String>) -> String {
    let free = (1..).map(|n| format!("{name}:{n}")).find(|candidate| !taken.contains(candidate)).unwrap_or_default();
    taken.insert(free.clone());
    free
}

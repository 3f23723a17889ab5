//! The servers of the session that is open.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::{Mutex, RwLock};
use tau_hooks::{ActionError, Api, Ctx, HandlerError, MissingTools, Reach};
use tokio_util::sync::CancellationToken;

use super::Ask;
use super::activate::activate;
use super::dialogs::Dialogs;
use super::memory::Kept;
use super::options::Options;
use super::providers::Providers;
use super::report::Reporter;
use super::sources::{Sources, entries};
use super::sync::{Home, Registered};
use crate::auth::StoredLogins;
use crate::config::{Config, Exposure};
use crate::log::ServerLog;
use crate::manager::{Manager, Server, State, World};
use crate::names::namespace;
use crate::summary::{Listed, section};

/// How long after the start of a session its servers are connected, unless a prompt comes before. Programs that start take the
/// processors from a session that starts.
const AFTER_START: Duration = Duration::from_millis(200);

/// The one session that is open, if it has servers.
pub(super) struct Sessions {
    api: Api,
    options: Ask,
    sources: Sources,
    told: Reporter,
    registered: Arc<Registered>,
    open: Mutex<Option<Arc<Open>>>,
}

/// A session with servers.
pub(super) struct Open {
    pub(super) manager: Manager,
    pub(super) options: Arc<Options>,
    pub(super) logins: Arc<StoredLogins>,
    pub(super) api: Api,
    sources: Sources,
    config: RwLock<Config>,
    registered: Arc<Registered>,
    pub(super) reporter: Reporter,
    /// What the prompt says; does not change any more once a prompt was sent.
    listed: Mutex<Vec<Listed>>,
    is_frozen: AtomicBool,
    has_waited: AtomicBool,
    /// What the user says about tools was checked.
    has_checked: AtomicBool,
    /// Servers are being connected.
    has_begun: AtomicBool,
}

impl Sessions {
    pub(super) fn new(api: Api, options: Ask, sources: Sources) -> Self {
        Self { api, options, sources, told: Reporter::default(), registered: Arc::default(), open: Mutex::default() }
    }

    /// What the program says about itself.
    pub(super) fn options(&self) -> Result<Options, ActionError> {
        (self.options)(&self.api)
    }

    pub(super) fn open(&self) -> Option<Arc<Open>> {
        self.open.lock().clone()
    }

    /// Whether the session has servers.
    pub(super) fn is_open(&self) -> bool {
        self.open.lock().is_some()
    }

    /// Whether a session that begins now may have servers, or the one before has left something.
    pub(super) fn may_begin(&self) -> bool {
        // The handler finds out what is wrong.
        self.is_open() || self.registered.has_any() || self.sources.may_have_any(&self.api).unwrap_or(true)
    }

    /// Whether a run that begins now may need servers: extensions may have registered some while the session began.
    pub(super) fn may_run(&self) -> bool {
        self.is_open() || self.api.mcp_servers().is_ok_and(|servers| !servers.is_empty())
    }

    /// Whether the user does without servers here, or in the session that opened this one.
    fn is_withheld(&self) -> Result<bool, ActionError> {
        Ok(self.sources.is_of_program() && self.api.is_withheld(super::NAME)?)
    }

    /// A session begins.
    pub(super) async fn begin(&self, ctx: &Ctx) -> Result<(), HandlerError> {
        let before = self.open.lock().take();
        if let Some(before) = before {
            before.manager.close().await;
        }
        self.registered.begin_anew();
        self.set_up(ctx)?;
        if !self.is_open() {
            self.forget(ctx)?;
        }
        Ok(())
    }

    /// Hides the tools of servers of an earlier session.
    fn forget(&self, ctx: &Ctx) -> Result<(), HandlerError> {
        let (api, options) = (ctx.api()?, Arc::new(self.options()?));
        let manager = no_servers(ctx, &api, &options).0;
        self.registered.sync(&Home { manager: &manager, options: &options, api: &api });
        Ok(())
    }

    /// Connects the servers that there are, if there are some.
    pub(super) fn set_up(&self, ctx: &Ctx) -> Result<(), HandlerError> {
        if self.is_withheld()? {
            let why = "no servers are connected: this session, or the one that opened it, does without them \
                       (--no-mcp, -ne, or the setting extensions)";
            self.told.say_once(ctx, why);
            return Ok(());
        }
        let (api, options) = (ctx.api()?, Arc::new(self.options()?));
        let (config, mut problems) = self.sources.config(ctx, &options, &api)?;
        let (entries, others) = entries(&config, &api)?;
        problems.extend(others);
        if entries.is_empty() && problems.is_empty() {
            return Ok(());
        }
        let (manager, logins) = no_servers(ctx, &api, &options);
        let open = Arc::new(Open {
            manager,
            options,
            logins,
            api,
            sources: self.sources.clone(),
            config: RwLock::new(config),
            registered: Arc::clone(&self.registered),
            reporter: Reporter::default(),
            listed: Mutex::default(),
            is_frozen: AtomicBool::new(false),
            has_waited: AtomicBool::new(false),
            has_checked: AtomicBool::new(false),
            has_begun: AtomicBool::new(false),
        });
        {
            // A server that an extension registers may be noticed twice at once.
            let mut current = self.open.lock();
            if current.is_some() {
                return Ok(());
            }
            *current = Some(Arc::clone(&open));
        }
        open.reporter.say(ctx, &problems);
        activate(ctx, &open.reporter, open.may_script(), &entries);
        open.manager.expect(entries);
        open.list()?;
        let begun = Arc::clone(&open);
        ctx.spawn("start of servers", move |task| async move {
            tokio::select! {
                biased;
                () = task.ends().cancelled() => {}
                () = tokio::time::sleep(AFTER_START) => begun.begin(),
            }
            Ok(())
        })?;
        let (followed, told) = (Arc::clone(&open), ctx.clone());
        ctx.spawn("servers", move |task| async move { followed.follow(&told, task.ends()).await })?;
        Ok(())
    }

    /// The session ends.
    pub(super) async fn end(&self, ctx: &Ctx) -> Result<(), HandlerError> {
        let open = self.open.lock().take();
        if let Some(open) = open {
            open.reporter.say_failures(ctx, &open.manager, true);
            open.check_tool_names(true)?;
            open.manager.close().await;
        }
        Ok(())
    }

    /// Extensions registered other servers.
    pub(super) async fn registered(&self, ctx: &Ctx) -> Result<(), HandlerError> {
        let Some(open) = self.open() else { return self.set_up(ctx) };
        open.take_up(ctx, Vec::new())
    }

    /// A run is about to begin. The first one waits for tools that its request declares.
    pub(super) async fn before_run(&self, ctx: &Ctx) -> Result<(), HandlerError> {
        if !self.is_open() {
            self.set_up(ctx)?;
        }
        let Some(open) = self.open() else { return Ok(()) };
        open.manager.retry_signed_in();
        if !open.has_waited.swap(true, Ordering::SeqCst) {
            let servers = open.manager.servers();
            let direct = servers.iter().filter(|server| server.entry().has_direct_tools());
            let all = futures_util::future::join_all(direct.map(|server| server.settled()));
            let _pause = ctx.pause_deadline();
            tokio::select! {
                biased;
                _ = all => {}
                () = ctx.signal().cancelled() => {}
                () = tokio::time::sleep(open.options.start) => open.say_late(ctx),
            }
        }
        open.begin();
        open.is_frozen.store(true, Ordering::SeqCst);
        open.sync();
        Ok(())
    }

    /// Waits for servers that somebody needs, and says which of them are not there.
    pub(super) async fn wait(&self, reach: &Reach, cancel: &CancellationToken) -> Vec<MissingTools> {
        let Some(open) = self.open() else { return Vec::new() };
        open.manager.settled(reach, cancel).await;
        open.sync();
        let wanted = open.manager.servers().into_iter().filter(|server| reach.wants(&namespace(&server.name())));
        wanted.filter_map(|server| missing(&server)).collect()
    }

    /// What is wrong with the server that a tool of this name would be of.
    pub(super) fn hint(&self, tool: &str) -> Option<String> {
        let all = self.open()?.manager.servers().into_iter().filter_map(|server| missing(&server));
        let is_of = |group: &MissingTools| tool.strip_prefix(&group.prefix).is_some_and(|rest| rest.starts_with("__"));
        all.into_iter().find(is_of).map(|group| group.problem)
    }

    /// What the prompt says of servers that can be reached with these tools.
    pub(super) fn section(&self, tools: &[String]) -> Option<String> {
        let open = self.open()?;
        let has = |name: &str| tools.iter().any(|tool| tool == name);
        let (scripts, search) = (has("codemode"), has("tool_search"));
        let listed = open.listed.lock();
        let reachable = listed.iter().filter_map(|server| {
            // Scripts reach what a search finds, and a search finds what scripts reach.
            let reach = match (server.reach, scripts, search) {
                (_, false, false) => return None,
                (Exposure::Codemode, true, _) | (_, true, false) => Exposure::Codemode,
                _ => Exposure::Deferred,
            };
            Some(Listed { reach, ..server.clone() })
        });
        section(&reachable.collect::<Vec<_>>())
    }
}

/// A manager that has no servers yet, in the surroundings of a session, and whose logins it uses.
fn no_servers(ctx: &Ctx, api: &Api, options: &Options) -> (Manager, Arc<StoredLogins>) {
    let logins = StoredLogins::new(&options.agent_dir, Arc::clone(&options.clients));
    let logins = Arc::new(logins.with_providers(Arc::new(Providers(api.clone()))));
    let manager = Manager::new(World {
        cwd: ctx.cwd(),
        environment: options.server_environment(),
        values: Arc::new(options.values(ctx.cwd())),
        log: ServerLog::new(options.log_file()),
        clients: Arc::clone(&options.clients),
        logins: Arc::clone(&logins) as _,
        elicit: ctx.has_ui().then(|| Arc::new(Dialogs::new(ctx.clone())) as _),
        memory: Arc::new(Kept::new(api.clone())),
    });
    (manager, logins)
}

/// The tools of a server that is not there.
fn missing(server: &Server) -> Option<MissingTools> {
    let (name, state) = (server.name(), server.status().state);
    let problem = match state {
        // One that was there is connected again by the call.
        State::Connected | State::Disconnected => return None,
        State::Disabled | State::NeedsSignIn => server.absence(),
        State::Starting | State::Connecting => format!("{}; try it again later", server.absence()),
        State::Failed => format!("{}; the user can connect it with /mcp reconnect {name}", server.absence()),
    };
    Some(MissingTools { prefix: namespace(&name), problem, is_off: state == State::Disabled })
}

impl Open {
    /// Connects the servers in the background.
    fn begin(&self) {
        self.has_begun.store(true, Ordering::SeqCst);
        self.manager.begin();
    }

    /// Whether the tool for scripts is switched on for servers that need it.
    fn may_script(&self) -> bool {
        self.config.read().auto_enable_codemode.unwrap_or(true)
    }

    /// Says which servers the first prompt does without, although its request would declare their tools.
    fn say_late(&self, ctx: &Ctx) {
        let is_late = |server: &&Arc<Server>| {
            server.entry().has_direct_tools() && matches!(server.status().state, State::Starting | State::Connecting)
        };
        let servers = self.manager.servers();
        let late = servers.iter().filter(is_late).map(|server| {
            let (name, waited) = (server.name(), self.options.start.as_secs());
            format!("MCP server \"{name}\" is not connected after {waited} s: this prompt does without its tools")
        });
        self.reporter.say(ctx, &late.collect::<Vec<_>>());
    }

    /// Has what the user says about tools checked, once all servers were tried, or at the end.
    fn check_tool_names(&self, is_end: bool) -> Result<(), HandlerError> {
        let is_trying = |server: &Arc<Server>| matches!(server.status().state, State::Starting | State::Connecting);
        if (!is_end && self.manager.servers().iter().any(is_trying)) || self.has_checked.swap(true, Ordering::SeqCst) {
            return Ok(());
        }
        let missing: Vec<MissingTools> = self.manager.servers().iter().filter_map(|server| missing(server)).collect();
        Ok(self.api.late_tools_came(&missing)?)
    }

    /// What the files said when they were read last.
    pub(super) fn config(&self) -> Config {
        self.config.read().clone()
    }

    /// Has the servers that the files and extensions name.
    fn take_up(&self, ctx: &Ctx, mut problems: Vec<String>) -> Result<(), HandlerError> {
        let (entries, others) = entries(&self.config(), &self.api)?;
        problems.extend(others);
        self.reporter.say(ctx, &problems);
        activate(ctx, &self.reporter, self.may_script(), &entries);
        self.manager.expect(entries);
        if self.has_begun.load(Ordering::SeqCst) {
            self.manager.begin();
        }
        Ok(())
    }

    /// Reads the files again, because the user changed something.
    pub(super) fn reload(&self, ctx: &Ctx) -> Result<(), HandlerError> {
        let (config, problems) = self.sources.config(ctx, &self.options, &self.api)?;
        *self.config.write() = config;
        self.take_up(ctx, problems)?;
        self.sync();
        self.thaw()
    }

    /// Notes what the prompt says, unless a prompt has been sent.
    fn list(&self) -> Result<(), HandlerError> {
        if self.is_frozen.load(Ordering::SeqCst) {
            return Ok(());
        }
        let servers = self.manager.servers();
        let new: Vec<Listed> = servers
            .iter()
            .filter_map(|server| {
                let entry = server.entry();
                let reach = entry.indirect().filter(|_| entry.config.enabled)?;
                Some(Listed { name: entry.name, reach, summary: server.summary() })
            })
            .collect();
        let is_other = {
            let mut listed = self.listed.lock();
            let is_other = *listed != new;
            *listed = new;
            is_other
        };
        if is_other {
            self.api.prompt_changed()?;
        }
        Ok(())
    }

    /// The user changed something, so the prompt may, too.
    pub(super) fn thaw(&self) -> Result<(), HandlerError> {
        self.is_frozen.store(false, Ordering::SeqCst);
        self.list()
    }

    /// Follows the servers until the session ends.
    async fn follow(self: Arc<Self>, ctx: &Ctx, ends: &CancellationToken) -> Result<(), HandlerError> {
        let mut changes = self.manager.changes();
        loop {
            self.sync();
            self.list()?;
            self.reporter.say_failures(ctx, &self.manager, false);
            self.reporter.say_left_out(ctx, &self.manager);
            self.check_tool_names(false)?;
            tokio::select! {
                biased;
                () = ends.cancelled() => return Ok(()),
                changed = changes.changed() => if changed.is_err() { return Ok(()) },
            }
        }
    }

    /// Registers the tools that servers have now. Before the first prompt, tools that are declared wait for each other: their
    /// order shall not depend on which server is the fastest.
    pub(super) fn sync(&self) {
        let is_trying = || {
            let servers = self.manager.servers();
            let direct = servers.iter().filter(|server| server.entry().has_direct_tools());
            direct.into_iter().any(|server| matches!(server.status().state, State::Starting | State::Connecting))
        };
        if self.is_frozen.load(Ordering::SeqCst) || !is_trying() {
            self.registered.sync(&Home { manager: &self.manager, options: &self.options, api: &self.api });
        }
    }
}

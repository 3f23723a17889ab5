//! How a session begins and ends, and what it waits for on the way.
//!
//! The two asynchronous locks are taken in this order: [`Lifecycle::changing`], then [`Lifecycle::settle_gate`].

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use tau_hooks::Hooks;
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use super::lane::Lane;
use super::lock::{Mutex, Part, Rank};
use crate::work::Work;

const SERVERS: Rank = Rank::new(Part::Lifecycle, 0);

/// The life of a session.
pub(crate) struct Lifecycle {
    /// Runs, prompts on their way to one, and handlers that nobody waits for.
    pub(crate) background: Work,
    /// Logins that are being renewed, which outlive the requests that need them.
    pub(crate) renewals: Work,
    /// Commands of extensions that an extension sent as text.
    pub(crate) commands: Work,
    pub(crate) lanes: Lanes,
    /// Held while extensions are loaded again, the session is replaced, or its leaf moves.
    pub(crate) changing: tokio::sync::Mutex<()>,
    /// Read-locked to begin a run; write-locked while no run may begin.
    pub(crate) settle_gate: tokio::sync::RwLock<()>,
    /// Fires when the program shall end.
    pub(crate) exit: CancellationToken,
    /// Fires when the session ends.
    pub(crate) ending: CancellationToken,
    has_ended: AtomicBool,
    /// How often front ends heard that the session is idle.
    settled: AtomicU64,
    servers: Mutex<Servers>,
}

/// What is done without anybody waiting for it. Each kind keeps its own order, and none waits for another: a handler may
/// well open a dialog.
pub(crate) struct Lanes {
    /// Prompts and runs that extensions ask for, up to where they are queued or have begun. They wait for `recorded`,
    /// except for what is on its way to a run that is under way.
    pub(crate) prompts: Lane,
    pub(crate) dialogs: Lane,
    pub(crate) thinking: Lane,
    pub(crate) name: Lane,
    pub(crate) servers: Lane,
    pub(crate) recorded: Lane,
}

impl Lanes {
    fn new(runtime: &Handle, hooks: &Arc<Hooks>) -> Self {
        let lane = || Lane::new(runtime, hooks);
        Self { prompts: lane(), dialogs: lane(), thinking: lane(), name: lane(), servers: lane(), recorded: lane() }
    }
}

/// MCP servers that nobody connects.
#[derive(Default)]
struct Servers {
    /// Names of those that the user has read about.
    reported: HashSet<String>,
    /// Extensions are starting: who connects servers is not known yet.
    is_early: bool,
}

impl Lifecycle {
    pub(crate) fn new(runtime: &Handle, hooks: &Arc<Hooks>) -> Self {
        Self {
            background: Work::default(),
            renewals: Work::default(),
            commands: Work::default(),
            lanes: Lanes::new(runtime, hooks),
            changing: tokio::sync::Mutex::default(),
            settle_gate: tokio::sync::RwLock::default(),
            exit: CancellationToken::new(),
            ending: CancellationToken::new(),
            has_ended: AtomicBool::new(false),
            settled: AtomicU64::new(0),
            servers: Mutex::new(SERVERS, Servers::default()),
        }
    }

    /// Whether the session has ended.
    pub(crate) fn has_ended(&self) -> bool {
        self.has_ended.load(Ordering::Acquire)
    }

    /// The session ends; whether it had not before.
    pub(crate) fn begin_end(&self) -> bool {
        !self.has_ended.swap(true, Ordering::AcqRel)
    }

    /// Waits until no run is under way and none is on its way, and until commands that extensions sent are done.
    pub(crate) async fn wait_until_idle(&self) {
        loop {
            self.background.done().await;
            if self.commands.count() == 0 {
                return;
            }
            // A command may begin another run.
            self.commands.done().await;
        }
    }

    /// Whether nothing goes on in the background.
    pub(crate) fn is_quiet(&self) -> bool {
        self.background.count() == 0 && self.commands.count() == 0
    }

    /// How often front ends heard that the session is idle.
    pub(crate) fn settled_mark(&self) -> u64 {
        self.settled.load(Ordering::Acquire)
    }

    pub(crate) fn note_settled(&self) {
        self.settled.fetch_add(1, Ordering::AcqRel);
    }

    /// Reports about servers wait until [`Self::servers_are_known`]; earlier reports were about earlier extensions.
    pub(crate) fn expect_servers(&self) {
        *self.servers.lock() = Servers { reported: HashSet::new(), is_early: true };
    }

    pub(crate) fn servers_are_known(&self) {
        self.servers.lock().is_early = false;
    }

    /// Whether the user is to be told now that nobody connects a server; once for each.
    pub(crate) fn note_unconnected(&self, server: &str) -> bool {
        let mut servers = self.servers.lock();
        !servers.is_early && servers.reported.insert(server.to_owned())
    }
}

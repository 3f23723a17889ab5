//! Extensions as owners of what they register.

use std::any::Any;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use tokio_util::sync::CancellationToken;

use crate::action_error::ActionError;
use crate::dialect::Dialect;

/// Who registered something.
#[derive(Debug)]
pub struct Owner {
    /// The file, or `<native:name>`.
    pub path: Arc<str>,
    /// The short name.
    pub name: Arc<str>,
    /// The rules its handlers run under.
    pub dialect: &'static Dialect,
    phase: AtomicU8,
    /// Place among the extensions of its dialect.
    rank: AtomicU64,
    /// It was told that a session started.
    begun: AtomicBool,
    /// Fires when it is gone.
    life: CancellationToken,
    /// It changes how commands start.
    wraps_bash: AtomicBool,
    /// Where it registers.
    home: OnceLock<Weak<dyn Any + Send + Sync>>,
    /// Which code it is, where that is known.
    code: OnceLock<Arc<str>>,
}

/// Where an extension is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Phase {
    /// It is being registered, or was never meant to be.
    Registering = 0,
    /// It is at work.
    Loaded = 1,
    /// Its registration failed.
    Failed = 2,
    /// It was removed.
    Gone = 3,
}

impl Owner {
    /// An extension that is about to be registered. `path` is its file, `name` its short name.
    pub fn new(path: impl Into<Arc<str>>, name: impl Into<Arc<str>>, dialect: &'static Dialect) -> Arc<Self> {
        Arc::new(Self {
            path: path.into(),
            name: name.into(),
            dialect,
            phase: AtomicU8::new(Phase::Registering as u8),
            rank: AtomicU64::new(u64::MAX),
            begun: AtomicBool::new(false),
            life: CancellationToken::new(),
            wraps_bash: AtomicBool::new(false),
            home: OnceLock::new(),
            code: OnceLock::new(),
        })
    }

    /// An extension written in Rust under the rules of `dialect`.
    pub fn native(name: &str, dialect: &'static Dialect) -> Arc<Self> {
        Self::new(format!("<native:{name}>"), name, dialect)
    }

    /// What the model reads when this extension blocks: its reason, else the words of its dialect and who it was.
    pub fn blocks_with(&self, reason: Option<String>) -> String {
        let reason = reason.filter(|reason| !reason.trim().is_empty());
        reason.unwrap_or_else(|| format!("{}: {} gives no reason", self.dialect.default_block_reason, self.path))
    }

    /// Whether the extension was removed or failed to register: nothing it kept may act any more.
    pub fn is_gone(&self) -> bool {
        matches!(self.phase(), Phase::Failed | Phase::Gone)
    }

    /// Fails once the extension was removed, as by a reload, or failed to register.
    ///
    /// # Errors
    /// [`ActionError::Stale`], or [`ActionError::FailedToLoad`] when the extension never got to work.
    pub fn check(&self) -> Result<(), ActionError> {
        match self.phase() {
            Phase::Registering | Phase::Loaded => Ok(()),
            Phase::Failed => Err(ActionError::FailedToLoad(Arc::clone(&self.path))),
            Phase::Gone => Err(ActionError::Stale),
        }
    }

    /// Whether it is at work.
    pub(crate) fn is_loaded(&self) -> bool {
        self.phase() == Phase::Loaded
    }

    /// Whether `wanted` can mean this extension: its short name, its path, or the end of its path. Anybody can call a
    /// file so: what depends on an extension for safety asks besides where it comes from.
    pub fn answers_to(&self, wanted: &str) -> bool {
        answers_to(&self.path, &self.name, wanted)
    }

    /// Whether it was told of the start of a session before: for dialects whose extensions outlive sessions.
    pub(crate) fn has_begun(&self) -> bool {
        self.begun.load(Ordering::Acquire)
    }

    pub(crate) fn set_begun(&self) {
        self.begun.store(true, Ordering::Release);
    }

    pub(crate) fn phase(&self) -> Phase {
        match self.phase.load(Ordering::Acquire) {
            0 => Phase::Registering,
            1 => Phase::Loaded,
            2 => Phase::Failed,
            _ => Phase::Gone,
        }
    }

    pub(crate) fn wraps_bash(&self) -> bool {
        self.wraps_bash.load(Ordering::Acquire)
    }

    pub(crate) fn set_wraps_bash(&self) {
        self.wraps_bash.store(true, Ordering::Release);
    }

    /// Fires when the extension was removed, as by a reload, or failed to register: what it has open ends.
    pub fn life(&self) -> &CancellationToken {
        &self.life
    }

    /// Registers in this place, and in no other later.
    pub(crate) fn join(&self, home: Weak<dyn Any + Send + Sync>) {
        self.home.get_or_init(|| home);
    }

    /// Where it registered, while that is there.
    pub(crate) fn home(&self) -> Option<Arc<dyn Any + Send + Sync>> {
        self.home.get()?.upgrade()
    }

    /// Notes which code the extension is: the places and the content of everything that was read of it. Two extensions of
    /// one dialect with the same code, in a session and in a child of it, answer alike, so only one of them is asked. A
    /// host that cannot tell says nothing. The first word counts.
    pub fn set_code(&self, code: &str) {
        self.code.get_or_init(|| format!("{}:{code}", self.dialect.id).into());
    }

    /// Which code it is, where that is known.
    pub(crate) fn code(&self) -> Option<&Arc<str>> {
        self.code.get()
    }

    pub(crate) fn enter(&self, phase: Phase) {
        self.phase.store(phase as u8, Ordering::Release);
        if self.is_gone() {
            self.life.cancel();
        }
    }

    pub(crate) fn rank(&self) -> u64 {
        self.rank.load(Ordering::Acquire)
    }

    pub(crate) fn set_rank(&self, rank: u64) {
        self.rank.store(rank, Ordering::Release);
    }
}

/// Whether `wanted` names the extension with this path and short name.
pub(crate) fn answers_to(path: &str, name: &str, wanted: &str) -> bool {
    path == wanted || name == wanted || path.strip_suffix(wanted).is_some_and(|before| before.ends_with('/'))
}

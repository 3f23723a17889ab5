//! The parts of a session. Each owns its state, has locks of its own and knows no other part.
//!
//! Architecture Invariant: a function that needs two parts asks one after the other; it never holds locks of both. See
//! [`lock`] for the order within a part.

mod activity;
mod asides;
mod choices;
mod conversation;
mod events;
mod family;
mod lane;
mod lifecycle;
mod line;
pub(crate) mod lock;
mod prompting;
mod queues;
mod routers;
mod services;
mod tool_choice;
pub(crate) mod tools;
mod warming;

use std::ops::Deref;
use std::path::PathBuf;
use std::sync::{Arc, Weak};

use tau_hooks::{Hooks, Host, Mode, Report, Scope};
use tokio_util::sync::CancellationToken;

use crate::extensions::Extensions;
use crate::settings::{RetrySettings, Settings};
use tau_hooks::QueueMode;

pub(crate) use activity::Activity;
pub(crate) use choices::Choices;
pub(crate) use conversation::{Conversation, KeptCommand, history_of};
pub(crate) use events::Events;
pub use events::{Listening, SessionEvent, Update};
pub(crate) use family::{Family, Lineage, MOST as MOST_CHILDREN};
pub(crate) use lane::Lane;
pub(crate) use lifecycle::Lifecycle;
pub(crate) use line::{Line, Place};
pub(crate) use prompting::Prompting;
pub(crate) use queues::{NoRun, Queued};
pub(crate) use routers::ROUTING;
pub(crate) use services::{Services, Stopwatch};
pub(crate) use tool_choice::Selection;
pub use tool_choice::ToolChoice;
pub(crate) use tools::ToolSet;
pub(crate) use warming::{Warmed, Warming};
pub use warming::{WarmingStatus, WarmingStopped};

/// Everything that a session is made of.
pub(crate) struct Parts {
    pub(crate) services: Services,
    /// How tau was started.
    pub(crate) mode: Mode,
    /// What extensions have registered.
    pub(crate) hooks: Arc<Hooks>,
    /// Extensions that were found and loaded; `None` when there are only those of the program.
    pub(crate) extensions: Option<Arc<Extensions>>,
    /// Where long output of commands goes, unless it is the system's directory for that.
    pub(crate) temp_dir: Option<PathBuf>,
    /// The front ends that listen.
    pub(crate) events: Events,
    pub(crate) conversation: Conversation,
    pub(crate) activity: Activity,
    pub(crate) choices: Choices,
    pub(crate) prompting: Prompting,
    pub(crate) lifecycle: Lifecycle,
    pub(crate) family: Family,
    pub(crate) warming: Warming,
}

impl Parts {
    /// The settings as they are now.
    pub(crate) fn settings(&self) -> Arc<Settings> {
        self.services.snapshot()
    }

    /// Tells the user that something is wrong.
    pub(crate) fn report(&self, extension: impl Into<Arc<str>>, event: &str, text: impl Into<String>) {
        self.hooks.dispatcher.reports.send(&Report::diagnostic(extension, event, text));
    }

    /// Stops the run that is under way, or the summary of a branch that is being left, what scripts are at, and what child
    /// sessions are at; does not wait for any of it.
    pub(crate) fn abort(&self) {
        self.activity.cancel_run();
        self.activity.asides.expansions.stop();
        self.family.abort_children();
        if let Some(extensions) = &self.extensions {
            extensions.interrupt();
        }
    }

    /// Where programs of tau's own are kept.
    pub(crate) fn bin_dir(&self) -> PathBuf {
        self.conversation.env().agent_dir().join("bin")
    }

    /// Where long output of commands goes.
    pub(crate) fn temp_dir(&self) -> PathBuf {
        self.temp_dir.clone().unwrap_or_else(std::env::temp_dir)
    }

    /// How many steering messages go along with one request.
    pub(crate) fn steering_mode(&self) -> QueueMode {
        self.choices.switches().steering.unwrap_or_else(|| self.settings().steering_mode())
    }

    /// How many follow-up messages are sent at once.
    pub(crate) fn follow_up_mode(&self) -> QueueMode {
        self.choices.switches().follow_up.unwrap_or_else(|| self.settings().follow_up_mode())
    }

    /// Whether the conversation is compacted by itself when the context is nearly full.
    pub(crate) fn compacts_by_itself(&self) -> bool {
        self.choices.switches().compaction.unwrap_or_else(|| self.settings().compaction(None).enabled)
    }

    pub(crate) fn retry_settings(&self) -> RetrySettings {
        let settings = self.settings().retry();
        RetrySettings { enabled: self.choices.switches().retry.unwrap_or(settings.enabled), ..settings }
    }
}

/// A session at work: its parts, and the session as extensions see it.
#[derive(Clone)]
pub(crate) struct Live {
    pub(crate) host: Arc<dyn Host>,
    pub(crate) parts: Arc<Parts>,
}

impl Live {
    /// For what must not keep the session.
    pub(crate) fn downgrade(&self) -> WeakLive {
        WeakLive { host: Arc::downgrade(&self.host), parts: Arc::downgrade(&self.parts) }
    }

    /// Where events are fired that nothing ends.
    pub(crate) fn scope(&self) -> Scope {
        Scope::new(Arc::clone(&self.host))
    }

    /// Where events are fired that end with `cancel`.
    pub(crate) fn scope_until(&self, cancel: &CancellationToken) -> Scope {
        Scope::until(Arc::clone(&self.host), cancel.clone())
    }
}

/// A session that may be gone.
#[derive(Clone)]
pub(crate) struct WeakLive {
    host: Weak<dyn Host>,
    parts: Weak<Parts>,
}

impl WeakLive {
    pub(crate) fn upgrade(&self) -> Option<Live> {
        Some(Live { host: self.host.upgrade()?, parts: self.parts.upgrade()? })
    }
}

impl Deref for Live {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.parts
    }
}

//! The slots of a session.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use jiff::tz::TimeZone;
use parking_lot::Mutex;
use tau_ai::Message;
use tau_git::{Found, GitFacts};
use tau_hooks::dialogs::NotifyLevel;
use tau_hooks::{Ctx, HandlerError, Task};
use tau_session::{EntryBody, EntryKind, Session};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::{git, time};
use crate::shared::container::is_container;
use crate::shared::repository::facts_of;

/// The slots, which are shown in the order of their names.
const TIME: &str = "0-time";
const GIT: &str = "3-git";
const CONTAINER: &str = "4-container";

/// How often the age of the last prompt is written anew, in milliseconds.
const EVERY_MS: i64 = 30_000;
/// How far back the last prompt is looked for, in entries.
const FARTHEST: usize = 2_000;

/// What the slots are made of.
#[derive(Default)]
pub(super) struct Line {
    /// When the last prompt was, in milliseconds since the epoch.
    prompted: watch::Sender<Option<i64>>,
    git: Mutex<Option<Arc<GitFacts>>>,
    /// When the run that is under way began.
    run: Mutex<Option<i64>>,
    /// What the slots say.
    shown: Mutex<BTreeMap<&'static str, String>>,
    /// Ends the task of the session before.
    work: Mutex<CancellationToken>,
}

impl Line {
    /// A session is open.
    pub(super) fn begin(self: &Arc<Self>, ctx: &Ctx) -> Result<(), HandlerError> {
        let git = facts_of(&ctx.cwd());
        let stop = CancellationToken::new();
        std::mem::replace(&mut *self.work.lock(), stop.clone()).cancel();
        *self.git.lock() = Some(Arc::clone(&git));
        // A new session begins with an empty status line.
        self.shown.lock().clear();
        self.prompted.send_replace(last_prompt(&ctx.session()));
        let line = Arc::clone(self);
        Ok(ctx.spawn("status", |task| async move {
            let ends = stop.clone();
            ends.run_until_cancelled(line.work(task, &git)).await.unwrap_or(Ok(()))
        })?)
    }

    /// There was a prompt.
    pub(super) fn prompted(&self, at_ms: i64) {
        self.prompted.send_replace(Some(at_ms));
    }

    /// Files may have changed. Never waits.
    pub(super) fn refresh(&self) {
        if let Some(git) = &*self.git.lock() {
            git.refresh();
        }
    }

    pub(super) fn note_start(&self, now_ms: i64) {
        self.run.lock().get_or_insert(now_ms);
    }

    /// How long the run took that is over.
    pub(super) fn take_run(&self, now_ms: i64) -> Option<Duration> {
        let began = self.run.lock().take()?;
        u64::try_from(now_ms.saturating_sub(began)).ok().map(Duration::from_millis)
    }

    /// Writes the slots for as long as the session is open.
    async fn work(&self, task: Task, git: &GitFacts) -> Result<(), HandlerError> {
        let (ctx, clock) = (task.ctx()?, task.api().sources()?.clock);
        let (mut prompted, mut views) = (self.prompted.subscribe(), git.subscribe());
        self.set(&ctx, CONTAINER, is_container().then(|| "container".to_owned()));
        let mut told = None;
        loop {
            let (at, view) = (*prompted.borrow_and_update(), Arc::clone(&views.borrow_and_update()));
            self.set(&ctx, TIME, at.map(|at| time::prompt(at, clock.now_ms(), TimeZone::system())));
            self.set(&ctx, GIT, git::shown(&view));
            if let Found::Failed(error) = &view.found
                && told.as_ref() != Some(error)
            {
                ctx.ui().notify(&error.to_string(), NotifyLevel::Warning);
                told = Some(error.clone());
            }
            let later = clock.now_ms().saturating_add(EVERY_MS);
            tokio::select! {
                biased;
                () = task.ends().cancelled() => return Ok(()),
                // Both senders live as long as this task.
                Ok(()) = prompted.changed() => {}
                Ok(()) = views.changed() => {}
                () = clock.reached(later), if at.is_some() => {}
            }
        }
    }

    fn set(&self, ctx: &Ctx, key: &'static str, text: Option<String>) {
        let before = {
            let mut shown = self.shown.lock();
            match &text {
                Some(text) => shown.insert(key, text.clone()),
                None => shown.remove(key),
            }
        };
        if before != text {
            ctx.ui().set_status(key, text.as_deref());
        }
    }
}

/// When the last prompt on the branch of a session was.
fn last_prompt(session: &Session) -> Option<i64> {
    let mut current = session.leaf();
    for _ in 0..FARTHEST {
        let entry = current.and_then(|id| session.entry(&id))?;
        if entry.kind() == EntryKind::Message
            && let EntryBody::Message(body) = &*entry.body()
            && let Message::User(user) = &*body.message
        {
            return Some(user.timestamp);
        }
        current = entry.parent_id().cloned();
    }
    None
}

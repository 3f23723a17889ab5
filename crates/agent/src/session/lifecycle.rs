//! How a session begins and ends.

use std::sync::Arc;
use std::time::Duration;

use tau_hooks::Report;
use tau_hooks::dialogs::{PromptEdge, PromptPhase};
use tau_hooks::events::{
    EventId, SessionFork, SessionShutdown, SessionStart, SessionSwitch, UiPromptEnd, UiPromptStart,
};
use tau_hooks::payload::{
    DiscoverReason, SessionForkEvent, SessionShutdownEvent, SessionShutdownReason, SessionStartEvent,
    SessionStartReason, SessionSwitchEvent, UiPromptEvent,
};
use tau_session::{Problem, Session};

use super::AgentSession;

/// How long the end of a session waits for what goes on in the background.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// How long the end of a session waits for whatever runs extensions.
const ENGINE_PATIENCE: Duration = Duration::from_secs(2);

impl AgentSession {
    /// Tells extensions that the session is ready, and takes in what they bring along.
    pub(crate) async fn announce(self: &Arc<Self>, reason: SessionStartReason, previous: Option<String>) {
        let scope = self.scope();
        let dispatcher = &self.hooks.dispatcher;
        let changes =
            dispatcher.has_handlers(EventId::SessionStart) || dispatcher.has_handlers(EventId::ResourcesDiscover);
        self.expect_servers();
        let event = || SessionStartEvent { reason, previous_session_file: previous.clone() };
        dispatcher.dispatch::<SessionStart>(&scope, event).await;
        // Extensions of an earlier generation listen to these in its place.
        if let Some(reason) = reason.as_switch() {
            let event = || SessionSwitchEvent { reason, previous_session_file: previous.clone() };
            dispatcher.dispatch::<SessionSwitch>(&scope, event).await;
        }
        if reason == SessionStartReason::Fork {
            let event = || SessionForkEvent { previous_session_file: previous.clone() };
            dispatcher.dispatch::<SessionFork>(&scope, event).await;
        }
        if let Some(extensions) = &self.extensions {
            extensions.session_started().await;
        }
        self.report_servers();
        self.discover_resources(DiscoverReason::Startup).await;
        self.report_theme();
        if changes {
            self.tools.refresh(&self.hooks);
            self.rebuild_prompt();
        }
    }

    /// Tells what is wrong with the settings.
    pub(super) fn report_settings(&self) {
        let settings = self.settings.snapshot();
        for text in settings.problems() {
            self.hooks.dispatcher.reports.send(&Report::diagnostic("settings", "settings", text));
        }
    }

    pub(super) fn watch_dialogs(self: &Arc<Self>) {
        let me = Arc::downgrade(self);
        self.hooks.dialogs.set_prompt_observer(Arc::new(move |edge: PromptEdge| {
            let Some(me) = me.upgrade() else { return };
            let event = UiPromptEvent { reason: "ui_prompt".to_owned(), kind: edge.kind, title: edge.title };
            match edge.phase {
                PromptPhase::Start => me.tell_later::<UiPromptStart>(&me.lanes.dialogs, event),
                PromptPhase::End => me.tell_later::<UiPromptEnd>(&me.lanes.dialogs, event),
            }
        }));
    }

    /// Whether the session has ended.
    pub fn is_shut_down(&self) -> bool {
        *self.shut.lock()
    }

    /// Ends the session: stops what is under way, tells extensions once, and brings the file to the disk. Later
    /// calls do nothing.
    pub async fn shut_down(self: &Arc<Self>, reason: SessionShutdownReason) {
        {
            let mut shut = self.shut.lock();
            if std::mem::replace(&mut *shut, true) {
                return;
            }
        }
        self.ending.cancel();
        self.hooks.end();
        self.abort();
        self.abort_bash();
        self.close_children().await;
        // A replacement that is under way comes to its end first, so that every start is followed by one shutdown.
        let _changing = tokio::time::timeout(PATIENCE, self.changing.lock()).await;
        if !self.background.done_within(PATIENCE).await {
            self.hooks.dispatcher.reports.send(&Report::diagnostic(
                "session",
                "session_shutdown",
                "ended with work left undone",
            ));
        }
        // A provider that renewed a token has made the old one void: the new one goes into its file first.
        if !self.renewals.done_within(crate::logins::RENEWAL_PATIENCE).await {
            let text = "ended while a login was being renewed; log in again if it stops working";
            self.hooks.dispatcher.reports.send(&Report::diagnostic("session", "session_shutdown", text));
        }
        self.tell_shutdown(reason, None).await;
        self.sync_session().await;
        if let Some(extensions) = &self.extensions {
            extensions.shut_down(ENGINE_PATIENCE).await;
        }
        // Work that was left undone may still come to something.
        self.session().stop_writing();
        if let Some(error) = self.hooks.dispatcher.trace.flush() {
            self.hooks.dispatcher.reports.send(&Report::diagnostic("trace", "trace", error));
        }
    }

    /// Tells extensions that they end, and which session comes next.
    pub(super) async fn tell_shutdown(self: &Arc<Self>, reason: SessionShutdownReason, next: Option<String>) {
        self.hooks.exit.set_ending(true);
        let event = || SessionShutdownEvent { reason, target_session_file: next };
        self.hooks.dispatcher.dispatch::<SessionShutdown>(&self.scope(), event).await;
        // What extensions did not close themselves ends with the session, also when another one takes its place.
        self.close_children().await;
        self.hooks.exit.set_ending(false);
    }

    /// Waits until no run is under way and none is on its way, and until commands that extensions sent are done.
    pub async fn wait_until_idle(&self) {
        loop {
            self.background.done().await;
            if self.commands.count() == 0 {
                return;
            }
            // A command may begin another run.
            self.commands.done().await;
        }
    }

    /// Says what is wrong with the file of a session that was just opened, and from now on what happens to it.
    pub(super) fn watch_file(&self, session: &Session) {
        let file = session.problem_file().or(session.file()).map(|file| file.display().to_string()).unwrap_or_default();
        let problems: Vec<Problem> = session.problems().iter().cloned().chain(session.branch_problems()).collect();
        if let Some(text) = Problem::summary(&problems) {
            self.hooks.dispatcher.reports.send(&Report::diagnostic(file, "session", text));
        }
        let me = self.me.clone();
        session.listen(move |notice| match me.upgrade() {
            Some(me) => me.hooks.dispatcher.reports.send(&Report::diagnostic("session", "session", notice.to_string())),
            None => tracing::warn!(%notice, "a session file changed"),
        });
    }

    /// Brings the session file to the disk, off the threads that do the work.
    pub(crate) async fn sync_session(&self) {
        let session = self.session();
        if !session.is_persisted() {
            return;
        }
        let file = session.file().map(|file| file.display().to_string()).unwrap_or_default();
        if let Ok(Err(error)) =
            tokio::task::spawn_blocking(move || session.catch_up().and_then(|()| session.sync())).await
        {
            self.hooks.dispatcher.reports.send(&Report::diagnostic(file, "session", error.to_string()));
        }
    }
}

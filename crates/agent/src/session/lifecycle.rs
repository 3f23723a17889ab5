//! How a session begins and ends.

use std::sync::Arc;
use std::time::Duration;

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
use crate::parts::{Live, Parts, WarmingStopped};
use crate::pipeline::settle::sync_session;
use crate::pipeline::system_prompt::rebuild_prompt;
use crate::pipeline::tell::tell_later;
use crate::session::mcp::report_servers;
use crate::session::resources::discover_resources;
use crate::session::themes::report_theme;
use crate::settings::Declared;

/// How long the end of a session waits for what goes on in the background.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// How long the end of a session waits for whatever runs extensions.
pub(super) const ENGINE_PATIENCE: Duration = Duration::from_secs(2);

impl AgentSession {
    /// Ends the session: stops what is under way, tells extensions once, and brings the file to the disk. Later
    /// calls do nothing.
    pub async fn shut_down(self: &Arc<Self>, reason: SessionShutdownReason) {
        let live = self.live();
        if !self.parts.lifecycle.begin_end() {
            return;
        }
        self.parts.lifecycle.ending.cancel();
        self.parts.warming.stop(WarmingStopped::Ended);
        // Nobody asks the gates of a session that ends: what a child still wants to do is blocked.
        self.parts.hooks.end();
        self.parts.abort();
        self.parts.activity.asides.commands.stop();
        self.parts.family.close_children().await;
        // A replacement that is under way comes to its end first, so that every start is followed by one shutdown.
        let _changing = tokio::time::timeout(PATIENCE, self.parts.lifecycle.changing.lock()).await;
        if !self.parts.lifecycle.background.done_within(PATIENCE).await {
            self.parts.report("session", "session_shutdown", "ended with work left undone");
        }
        // A provider that renewed a token has made the old one void: the new one goes into its file first.
        if !self.parts.lifecycle.renewals.done_within(crate::logins::RENEWAL_PATIENCE).await {
            let text = "ended while a login was being renewed; log in again if it stops working";
            self.parts.report("session", "session_shutdown", text);
        }
        tell_shutdown(&live, reason, None).await;
        for left in self.parts.hooks.tasks.end().await {
            let text = format!("the task `{}` keeps a thread busy and was left behind", left.name);
            self.parts.report(left.extension, "session_shutdown", text);
        }
        sync_session(&self.parts).await;
        if let Some(extensions) = &self.parts.extensions {
            extensions.shut_down(ENGINE_PATIENCE).await;
        }
        self.parts.family.leave();
        // Work that was left undone may still come to something.
        self.parts.conversation.session().stop_writing();
        if let Some(error) = self.parts.hooks.dispatcher.trace.flush() {
            self.parts.report("trace", "trace", error);
        }
    }

    /// For the end of a program that has shut the session down: it need not give back the history piece by piece, which is
    /// a good part of what it takes to open a long one.
    pub fn leave_to_system(&self) {
        self.parts.conversation.leave_to_system();
    }
}

/// Tells extensions that the session is ready, and takes in what they bring along.
pub(super) async fn announce(live: &Live, reason: SessionStartReason, previous: Option<String>) {
    let scope = live.scope();
    let dispatcher = &live.hooks.dispatcher;
    let changes = dispatcher.has_handlers(EventId::SessionStart) || dispatcher.has_handlers(EventId::ResourcesDiscover);
    live.lifecycle.expect_servers();
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
    if let Some(extensions) = &live.extensions {
        extensions.session_started().await;
    }
    report_servers(live);
    discover_resources(live, DiscoverReason::Startup).await;
    report_theme(live);
    if changes {
        live.choices.tools.refresh(&live.hooks);
        rebuild_prompt(live);
    }
}

/// Tells what is wrong with the settings.
pub(super) fn report_settings(parts: &Parts) {
    let settings = parts.settings();
    for text in settings.problems() {
        parts.report("settings", "settings", text);
    }
    report_declared_settings(parts);
}

/// Tells what is wrong with the settings of extensions.
pub(super) fn report_declared_settings(parts: &Parts) {
    let all = parts.extensions.as_ref().is_some_and(|extensions| extensions.are_all_loaded());
    for text in parts.settings().declared_problems(&Declared::all(&parts.hooks), all) {
        parts.report("settings", "settings", text);
    }
}

/// Tells extensions that they end, and which session comes next.
pub(super) async fn tell_shutdown(live: &Live, reason: SessionShutdownReason, next: Option<String>) {
    live.hooks.exit.set_ending(true);
    let event = || SessionShutdownEvent { reason, target_session_file: next };
    live.hooks.dispatcher.dispatch::<SessionShutdown>(&live.scope(), event).await;
    // What extensions did not close themselves ends with the session, also when another one takes its place.
    live.family.close_children().await;
    live.hooks.exit.set_ending(false);
}

/// Tells handlers of the dialogs that are shown.
pub(super) fn watch_dialogs(live: &Live) {
    let weak = live.downgrade();
    live.hooks.dialogs.set_prompt_observer(Arc::new(move |edge: PromptEdge| {
        let Some(live) = weak.upgrade() else { return };
        let event = UiPromptEvent { reason: "ui_prompt".to_owned(), kind: edge.kind, title: edge.title };
        let dialogs = &live.lifecycle.lanes.dialogs;
        match edge.phase {
            PromptPhase::Start => tell_later::<UiPromptStart>(&live, dialogs, event),
            PromptPhase::End => tell_later::<UiPromptEnd>(&live, dialogs, event),
        }
    }));
}

/// Says what is wrong with the file of a session that was just opened, and from now on what happens to it.
pub(super) fn watch_file(live: &Live, session: &Session) {
    let file = session.problem_file().or(session.file()).map(|file| file.display().to_string()).unwrap_or_default();
    let problems: Vec<Problem> = session.problems().iter().cloned().chain(session.context_problems()).collect();
    if let Some(text) = Problem::summary(&problems) {
        live.report(file, "session", text);
    }
    let weak = live.downgrade();
    session.listen(move |notice| match weak.upgrade() {
        Some(live) => live.report("session", "session", notice.to_string()),
        None => tracing::warn!(%notice, "a session file changed"),
    });
}

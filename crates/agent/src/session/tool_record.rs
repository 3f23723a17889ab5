//! What a session's file says about its tools: read when a branch is opened, written when the tools change. And what
//! tools say about how others are shown.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use tau_hooks::dialect::Failures;
use tau_hooks::{Report, ReportKind};
use tau_session::{EntryBody, SessionError};
use tau_tools::{LoadoutChanges, Tool, ToolFailure};
use tokio_util::sync::CancellationToken;

use super::AgentSession;
use super::builder::note_choices;
use super::tools::ToolEntry;
use crate::crash::guarded;

impl AgentSession {
    /// The tool of a name that other tools may call: an active `direct` one, or any `codemode` or `deferred` one that is
    /// registered, active or not.
    pub fn callable_tool(&self, name: &str) -> Option<Arc<dyn Tool>> {
        self.tools.callable(name)
    }

    /// Makes active what the branch that is open says; see [`super::ToolSet::restore`].
    pub(super) fn restore_tools(&self, opened: bool) {
        self.tools.restore(self.session().recorded_tools(), opened);
    }

    /// The leaf is on another branch, which may say something else about model, thinking level and tools.
    pub(super) fn branch_moved(&self) {
        self.choices_unrecorded.store(true, Ordering::Release);
        self.restore_tools(false);
        self.rebuild_prompt();
    }

    /// A run begins: the branch says what it is done with.
    ///
    /// # Errors
    /// When the session file cannot be written.
    pub(crate) fn record_choices(&self) -> Result<(), SessionError> {
        if self.choices_unrecorded.swap(false, Ordering::AcqRel) {
            let (session, model) = (self.session(), self.model());
            let noted = note_choices(&session, &self.models, model.as_deref(), self.thinking_level());
            noted.inspect_err(|_| self.choices_unrecorded.store(true, Ordering::Release))?;
        }
        self.record_tools()?;
        if let Some(missing) = self.tools.all_missing() {
            self.report_no_tools("session", &missing);
        }
        self.tools.stop_waiting();
        Ok(())
    }

    /// Writes which tools are active, if the session does not say it. Must not come between a call and its result.
    ///
    /// # Errors
    /// When the session file cannot be written.
    pub(crate) fn record_tools(&self) -> Result<(), SessionError> {
        let Some(change) = self.tools.unrecorded() else { return Ok(()) };
        let body = EntryBody::tools_change(&change.added, &change.removed, self.now_ms());
        let done = self.session().append(body);
        self.tools.note_recorded(&change, done.is_ok());
        done.map(drop)
    }

    /// As [`AgentSession::record_tools`], while no run would do it. A session without a file has nobody to tell yet.
    pub(super) fn record_tools_while_idle(&self) {
        let session = self.session();
        // A choice made while the leaf leaves a branch is not part of that branch.
        if !self.is_idle() || self.leaves_branch() || !session.is_persisted() {
            return;
        }
        if let Err(error) = self.record_tools() {
            let file = session.file().map(|file| file.display().to_string()).unwrap_or_default();
            self.hooks.dispatcher.reports.send(&Report::diagnostic(file, "session", error.to_string()));
        }
    }

    /// Asks the active tools how tools are shown, when they changed or `anyway`, and builds the prompt accordingly. A tool
    /// that fails or takes too long changes nothing. When `cancel` fires, tools are shown as before, and asked again the next time.
    pub(crate) async fn prepare_loadout(&self, anyway: bool, cancel: &CancellationToken) {
        let Some((asked, loadout)) = self.tools.to_prepare(anyway) else { return };
        let mut all = LoadoutChanges::default();
        for ToolEntry { tool, extension } in asked {
            let asked = guarded(tool.prepare_loadout(&loadout));
            let answer = tokio::select! {
                biased;
                answer = self.within_limit(asked) => match answer {
                    Ok(answer) => answer.unwrap_or_else(|crash| Err(ToolFailure::new(crash.of_extension()))),
                    Err(late) => Err(ToolFailure::new(late)),
                },
                () = cancel.cancelled() => return self.tools.prepare_again(),
            };
            match answer {
                Ok(changes) => {
                    all.descriptions.extend(changes.descriptions);
                    all.hidden_declarations.extend(changes.hidden_declarations);
                }
                Err(failure) => self.hooks.dispatcher.reports.send(&Report {
                    extension: extension.unwrap_or_else(|| format!("builtin:{}", tool.spec().name).into()),
                    event: "prepare_loadout".to_owned(),
                    kind: ReportKind::Error { message: failure.message, stack: None },
                    location: None,
                    failures: Failures::Extension,
                }),
            }
        }
        if self.tools.show(all) {
            self.rebuild_prompt();
        }
    }

    /// Says that no tool is active although these were asked for.
    pub(super) fn report_no_tools(&self, place: &str, asked: &[String]) {
        let names = asked.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
        let text = format!("no tool is active: nothing that can be active is named {names}");
        self.hooks.dispatcher.reports.send(&Report::diagnostic(place, "tools", text));
    }

    /// Names what the user said about tools that do not exist, or that no model ever sees.
    pub(super) fn report_unmatched_tools(&self) {
        for name in self.tools.hidden_and_wanted() {
            let text = format!("\"{name}\" is a tool that its extension hides, so the model does not see it");
            self.hooks.dispatcher.reports.send(&Report::diagnostic("--tools", "tools", text));
        }
        for (place, entry, nearest) in self.tools.unmatched() {
            let hint = nearest.map(|name| format!("; did you mean {name}?")).unwrap_or_default();
            let text = format!("\"{entry}\" matches no tool{hint}");
            let origin = self.settings.snapshot().why(place);
            let place = origin.map_or(place.to_owned(), |origin| format!("{}: {place}", origin.path.display()));
            self.hooks.dispatcher.reports.send(&Report::diagnostic(place, "tools", text));
        }
    }
}

//! What a session's file says about its model, thinking level and tools: read when a branch is opened, written when they
//! change. And what tools say about how others are shown.

use tau_ai::{Model, ModelRegistry, ThinkingLevel};
use tau_hooks::dialect::Failures;
use tau_hooks::{MissingTools, Report, ReportKind};
use tau_session::{Choices, EntryBody, ModelChoice, Session, SessionError};
use tau_tools::{LoadoutChanges, ToolFailure};
use tokio_util::sync::CancellationToken;

use super::limited::within_limit;
use super::system_prompt::rebuild_prompt;
use crate::crash::guarded;
use crate::parts::Parts;
use crate::parts::tools::ToolEntry;
use crate::settings::KeyPath;

/// The model that a session's file says: the one that answered last or was chosen since. A virtual model that was chosen
/// stays while it is known, because answers name the models they came from.
pub fn recorded_model<'a>(choices: &'a Choices, models: &ModelRegistry) -> Option<&'a ModelChoice> {
    let is_virtual =
        |choice: &&ModelChoice| models.find(&choice.provider, &choice.model_id).is_some_and(|model| model.is_virtual());
    choices.chosen.as_ref().filter(is_virtual).or(choices.model.as_ref())
}

/// A new session begins with its model and thinking level; an old one gets what differs from its file.
pub(crate) fn note_choices(
    session: &Session,
    models: &ModelRegistry,
    model: Option<&Model>,
    thinking: ThinkingLevel,
) -> Result<(), SessionError> {
    let (choices, fresh) = (session.choices(), session.entries().is_empty());
    if let Some(model) = model {
        let known = recorded_model(&choices, models);
        if !known.is_some_and(|known| known.provider == model.provider && known.model_id == model.id) {
            session.append(EntryBody::model_change(model.provider.clone(), model.id.clone()))?;
        }
    }
    if fresh || choices.thinking_level.as_deref() != Some(thinking.as_str()) {
        session.append(EntryBody::thinking_level_change(thinking.as_str()))?;
    }
    Ok(())
}

/// Makes active what the branch that is open says; see [`crate::parts::ToolSet::restore`].
pub(crate) fn restore_tools(parts: &Parts, opened: bool) {
    parts.choices.tools.restore(parts.conversation.session().recorded_tools(), opened);
}

/// The leaf is on another branch, which may say something else about model, thinking level and tools.
pub(crate) fn branch_moved(parts: &Parts) {
    parts.choices.note_unrecorded();
    restore_tools(parts, false);
    rebuild_prompt(parts);
}

/// A run begins: the branch says what it is done with.
///
/// # Errors
/// When the session file cannot be written.
pub(crate) fn record_choices(parts: &Parts) -> Result<(), SessionError> {
    if parts.choices.take_unrecorded() {
        let (session, model) = (parts.conversation.session(), parts.choices.model());
        let noted = note_choices(&session, &parts.services.models, model.as_deref(), parts.choices.thinking_level());
        noted.inspect_err(|_| parts.choices.note_unrecorded())?;
    }
    record_tools(parts)?;
    if let Some(missing) = parts.choices.tools.all_missing() {
        report_no_tools(parts, "session", &missing);
    }
    parts.choices.tools.stop_waiting();
    Ok(())
}

/// Writes which tools are active, if the session does not say it. Must not come between a call and its result.
///
/// # Errors
/// When the session file cannot be written.
pub(crate) fn record_tools(parts: &Parts) -> Result<(), SessionError> {
    let Some(change) = parts.choices.tools.unrecorded() else { return Ok(()) };
    let body = EntryBody::tools_change(&change.added, &change.removed, parts.services.now_ms());
    let done = parts.conversation.session().append(body);
    parts.choices.tools.note_recorded(&change, done.is_ok());
    done.map(drop)
}

/// As [`record_tools`], while no run would do it. A session without a file has nobody to tell yet.
pub(crate) fn record_tools_while_idle(parts: &Parts) {
    let session = parts.conversation.session();
    // A choice made while the leaf leaves a branch is not part of that branch.
    if !parts.activity.is_idle() || parts.activity.is_leaving_branch() || !session.is_persisted() {
        return;
    }
    if let Err(error) = record_tools(parts) {
        let file = session.file().map(|file| file.display().to_string()).unwrap_or_default();
        parts.report(file, "session", error.to_string());
    }
}

/// Asks the active tools how tools are shown, when they changed or `anyway`, and builds the prompt accordingly. A tool
/// that fails or takes too long changes nothing. When `cancel` fires, tools are shown as before, and asked again the next time.
pub(crate) async fn prepare_loadout(parts: &Parts, anyway: bool, cancel: &CancellationToken) {
    let Some((asked, loadout)) = parts.choices.tools.to_prepare(anyway) else { return };
    let mut all = LoadoutChanges::default();
    for ToolEntry { tool, extension } in asked {
        let asked = guarded(tool.prepare_loadout(&loadout));
        let answer = tokio::select! {
            biased;
            answer = within_limit(parts, asked) => match answer {
                Ok(answer) => answer.unwrap_or_else(|crash| Err(ToolFailure::new(crash.of_extension()))),
                Err(late) => Err(ToolFailure::new(late)),
            },
            () = cancel.cancelled() => return parts.choices.tools.prepare_again(),
        };
        match answer {
            Ok(changes) => {
                all.descriptions.extend(changes.descriptions);
                all.hidden_declarations.extend(changes.hidden_declarations);
            }
            Err(failure) => parts.hooks.dispatcher.reports.send(&Report {
                extension: extension.unwrap_or_else(|| format!("builtin:{}", tool.spec().name).into()),
                event: "prepare_loadout".to_owned(),
                kind: ReportKind::Error { message: failure.message, stack: None },
                location: None,
                failures: Failures::Extension,
            }),
        }
    }
    if parts.choices.tools.show(all) {
        rebuild_prompt(parts);
    }
}

/// Says that no tool is active although these were asked for.
pub(crate) fn report_no_tools(parts: &Parts, place: &str, asked: &[String]) {
    let names = asked.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
    let text = format!("no tool is active: nothing that can be active is named {names}");
    parts.report(place, "tools", text);
}

/// Names what the user said about tools that do not exist, or that no model ever sees.
pub(crate) fn report_unmatched_tools(parts: &Parts) {
    for name in parts.choices.tools.hidden_and_wanted() {
        let text = format!("\"{name}\" is a tool that its extension hides, so the model does not see it");
        parts.report("--tools", "tools", text);
    }
    let expects_more = parts.hooks.expects_late_tools();
    report_unmatched(parts, |entry| !expects_more || !may_be_late(entry));
}

/// As [`report_unmatched_tools`], for what was left out then because such tools come late. All came, except those of these
/// groups.
pub(crate) fn report_unmatched_late_tools(parts: &Parts, missing: &[MissingTools]) {
    let may_be_missing =
        |entry: &str| missing.iter().any(|group| entry.contains('*') || entry.starts_with(&group.prefix));
    report_unmatched(parts, |entry| may_be_late(entry) && !may_be_missing(entry));
}

/// Whether what the user says about tools can be about tools that come after the session started.
fn may_be_late(entry: &str) -> bool {
    entry.contains('*') || tau_tools::is_mcp_tool(entry)
}

fn report_unmatched(parts: &Parts, is_judged: impl Fn(&str) -> bool) {
    for (place, entry, nearest) in parts.choices.tools.unmatched() {
        if !is_judged(entry.strip_prefix(['+', '-']).unwrap_or(&entry)) {
            continue;
        }
        let hint = nearest.map(|name| format!("; did you mean {name}?")).unwrap_or_default();
        let text = format!("\"{entry}\" matches no tool{hint}");
        let origin = parts.settings().why(KeyPath::dotted(place));
        let place = origin.map_or(place.to_owned(), |origin| format!("{}: {place}", origin.path.display()));
        parts.report(place, "tools", text);
    }
}

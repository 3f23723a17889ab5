//! What the model reads when a call does not run, or ran with a warning.

use tau_policy::rules::{Action, FileVerdict, Finding, Verdict};
use tau_policy::{Evaluation, show};
use tau_view::untrusted::plain;

/// What a call that nobody could confirm is answered with, by the group of the rule.
const WITHOUT_UI: &[(&str, &str)] = &[("dangerous", "Dangerous command blocked (no UI for confirmation)")];
/// The same for rules of no such group.
const UNCONFIRMED: &str = "Blocked: this needs the user's confirmation (no UI for confirmation)";
/// The rule about commands that come again and again.
pub(super) const REPETITION: &str = "repetition";
/// How many characters of such a command are shown.
const LONGEST: usize = 200;
/// What a call that the user refused is answered with.
pub(super) const BY_USER: &str = "Blocked by user";

/// The findings of one action, as the model and the user read them.
pub(super) fn shown(findings: &[Finding], action: Action, evaluation: &Evaluation) -> String {
    let of_action = findings.iter().filter(|finding| finding.action == action);
    of_action.map(|finding| show(finding, evaluation)).collect::<Vec<_>>().join("\n\n")
}

/// Why a command does not run.
pub(super) fn blocked(verdict: &Verdict) -> String {
    shown(&verdict.findings, Action::Block, &verdict.evaluation)
}

/// Why a command that needs a confirmation does not run where nobody can be asked.
pub(super) fn unconfirmed(findings: &[Finding], evaluation: &Evaluation) -> String {
    let questions = || findings.iter().filter(|finding| finding.action == Action::Ask);
    let groups = || questions().filter_map(|finding| finding.group.as_deref());
    let text = WITHOUT_UI.iter().find(|(group, _)| groups().any(|other| other == *group));
    let text = text.map_or(UNCONFIRMED, |(_, text)| text);
    format!("{text}\n\n{}", shown(findings, Action::Ask, evaluation))
}

/// Why a file is not touched.
pub(super) fn file_blocked(verdict: &FileVerdict) -> String {
    shown(&verdict.findings, Action::Block, &Evaluation::default())
}

/// What the result of a command says besides.
pub(super) fn warning(findings: &[Finding], evaluation: &Evaluation) -> Option<String> {
    let text = shown(findings, Action::Warn, evaluation);
    (!text.is_empty()).then(|| format!("\n[Warning]\n{text}"))
}

/// Why a command that came again and again does not run.
pub(super) fn repeated(command: &str, message: &str, times: usize) -> String {
    let why = message.replace("{count}", &times.to_string());
    let command = plain(command);
    let mut lines = command.trim().lines();
    let first: String = lines.next().unwrap_or_default().chars().take(LONGEST).collect();
    let more = if lines.next().is_some() || first.chars().count() == LONGEST { "…" } else { "" };
    format!("Rule {REPETITION} blocks this:\n  {first}{more}\n{why}")
}

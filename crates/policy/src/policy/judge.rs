//! Asking all rules.

use super::merge::{in_order, strongest};
use super::{Entry, Policy};
use crate::evaluation::Evaluation;
use crate::paths::{FileUse, Places};
use crate::rules::{
    Action, Answer, Context, Edit, Evidence, FileVerdict, Finding, Origin, Otherwise, Rewrite, Subject, Verdict, apply,
    has_trailer, trailer_edit,
};
use crate::world::World;

/// What the rules say about a command.
pub(super) fn command(policy: &Policy, evaluation: Evaluation, world: &dyn World) -> Verdict {
    let places = Places::of(world);
    let mut findings = Vec::new();
    let mut edits: Vec<Edit> = Vec::new();
    let mut drops_timeout = false;
    let claude = policy.claude_allows_all(&evaluation, &places, world);
    for (index, subject) in evaluation.subjects() {
        let context = Context { world, places: &places, subject };
        for entry in policy.entries.iter().filter(|entry| entry.off.is_none() && entry.rule.action != Action::Allow) {
            let Some((action, evidence)) = entry.ask(&context) else { continue };
            let mut finding = entry.finding(action, evidence, index, &context);
            match (&entry.rule.rewrite, subject) {
                (Some(Rewrite::DropTimeout), _) => drops_timeout = true,
                (Some(Rewrite::Trailer(otherwise)), Subject::Invocation(invocation)) => {
                    let Some(trailer) = policy.trailer.as_deref().filter(|trailer| !has_trailer(invocation, trailer))
                    else {
                        continue;
                    };
                    match trailer_edit(invocation, trailer) {
                        Some(edit) => edits.push(edit),
                        None => finding.action = otherwise.action(),
                    }
                }
                _ => {}
            }
            let is_answered = policy.allows(entry, claude, &context);
            if finding.action != Action::Ask || !is_answered {
                findings.push(finding);
            }
        }
    }
    edits.sort_by_key(|edit| (edit.span, edit.text.clone()));
    edits.dedup();
    let command = evaluation.scripts.first().filter(|_| !edits.is_empty()).map(|script| apply(&script.text, &edits));
    let findings = in_order(findings);
    Verdict { action: strongest(&findings), findings, edits, command, drops_timeout, evaluation }
}

/// What the rules say about the use of a file.
pub(super) fn file(policy: &Policy, file: &FileUse, world: &dyn World) -> FileVerdict {
    let places = Places::of(world);
    let context = Context { world, places: &places, subject: Subject::File(file) };
    let mut findings = Vec::new();
    for entry in policy.entries.iter().filter(|entry| entry.off.is_none() && entry.rule.action != Action::Allow) {
        let Some((action, evidence)) = entry.ask(&context) else { continue };
        let is_answered = policy.allows(entry, true, &context);
        if action != Action::Ask || !is_answered {
            findings.push(entry.finding(action, evidence, None, &context));
        }
    }
    let findings = in_order(findings);
    FileVerdict { action: strongest(&findings), findings }
}

impl Otherwise {
    fn action(self) -> Action {
        match self {
            Self::Warn => Action::Warn,
            Self::Ask => Action::Ask,
        }
    }
}

impl Policy {
    /// Whether an allow rule answers what a rule asks. One of Claude Code answers only for a command all of which such rules
    /// allow, and not for a rule of Claude Code.
    fn allows(&self, asking: &Entry, claude_counts: bool, context: &Context<'_>) -> bool {
        let may_answer = |entry: &&Entry| {
            let is_claude = entry.origin == Origin::Claude;
            entry.is_allow()
                && entry.rule.answers_for(&asking.rule.id)
                && (!is_claude || (claude_counts && asking.origin != Origin::Claude))
        };
        self.entries.iter().filter(may_answer).any(|entry| entry.allows(context))
    }

    /// Whether rules of Claude Code allow every part of a command.
    fn claude_allows_all(&self, evaluation: &Evaluation, places: &Places, world: &dyn World) -> bool {
        let claude = |entry: &&Entry| entry.is_allow() && entry.origin == Origin::Claude;
        let rules: Vec<&Entry> = self.entries.iter().filter(claude).collect();
        !rules.is_empty()
            && evaluation.opaque.is_empty()
            && evaluation.subjects().all(|(_, subject)| {
                let context = Context { world, places, subject };
                rules.iter().any(|entry| entry.allows(&context))
            })
    }
}

impl Entry {
    /// What the rule does here; `None` if it has nothing to say.
    fn ask(&self, context: &Context<'_>) -> Option<(Action, Evidence)> {
        if !self.rule.scope.holds(context, true) {
            return None;
        }
        let (action, evidence) = match self.rule.when.as_ref()?.ask(context)? {
            Answer::No => return None,
            Answer::Yes(evidence) => (self.rule.action, evidence),
            Answer::Maybe(_) if !self.rule.asks_when_unknown => return None,
            Answer::Maybe(mut evidence) => {
                evidence.unknown.get_or_insert_default();
                return Some((Action::Ask, evidence));
            }
        };
        let is_missing = action == Action::Block && !self.missing(context.world).is_empty();
        Some((if is_missing { Action::Ask } else { action }, Evidence { unknown: None, ..evidence }))
    }

    fn is_allow(&self) -> bool {
        self.off.is_none() && self.rule.action == Action::Allow
    }

    /// Whether the rule allows something: only what is known as a whole.
    fn allows(&self, context: &Context<'_>) -> bool {
        if let Subject::Invocation(invocation) = context.subject
            && !self.rule.may_allow(invocation)
        {
            return false;
        }
        let answer = self.rule.when.as_ref().and_then(|when| when.ask(context));
        self.rule.scope.holds(context, false)
            && self.missing(context.world).is_empty()
            && matches!(answer, Some(Answer::Yes(_)))
    }

    fn finding(&self, action: Action, evidence: Evidence, index: Option<usize>, context: &Context<'_>) -> Finding {
        let mut message = self.rule.message.clone();
        let mut instead = self.rule.instead.clone();
        for (name, value) in &evidence.values {
            let place = format!("{{{name}}}");
            message = message.replace(&place, value);
            instead = instead.map(|instead| instead.replace(&place, value));
        }
        match evidence.unknown.as_deref() {
            Some("") => message.push_str(" This is only certain when the command runs."),
            Some(what) => {
                message.push_str(&format!(" This depends on \"{what}\", which is only known when the command runs."))
            }
            None => {}
        }
        let missing = self.missing(context.world);
        if !missing.is_empty() {
            let end = if message.ends_with(['.', '!', '?']) { "" } else { "." };
            let names: Vec<String> = missing.iter().map(|fact| fact.replacen(':', " ", 1)).collect();
            message.push_str(&format!("{end} This rule needs the {}, which is missing here.", names.join(" and the ")));
        }
        let mut sites = evidence.sites;
        if sites.is_empty() {
            sites.extend(match context.subject {
                Subject::Invocation(invocation) => Some(invocation.site),
                Subject::Opaque(opaque) => Some(opaque.site),
                Subject::File(_) => None,
            });
        }
        Finding {
            rule: self.rule.id.clone(),
            origin: self.origin,
            group: self.rule.group.clone(),
            action,
            message,
            sites,
            invocations: index.into_iter().collect(),
            instead,
        }
    }
}

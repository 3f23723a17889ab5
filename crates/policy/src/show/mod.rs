//! A finding for people and for models: the rule, the place in the command, why, and what to run instead.

mod excerpt;

use std::collections::BTreeMap;

use tau_view::untrusted::visible;

use self::excerpt::excerpt;
use crate::evaluation::{Evaluation, ScriptKind};
use crate::rules::{Action, Finding};
use crate::site::{Site, Span};

/// A finding as text without control characters: its rule, the lines of the command with the place underlined, the message,
/// and the nearest command that the rule allows.
pub fn show(finding: &Finding, evaluation: &Evaluation) -> String {
    let mut lines = vec![format!("Rule {} {}:", visible(&finding.rule), what_it_does(finding.action))];
    let mut spans: BTreeMap<usize, Vec<Span>> = BTreeMap::new();
    for Site { script, span } in &finding.sites {
        spans.entry(*script).or_default().push(*span);
    }
    for (script, spans) in spans {
        lines.extend(place(script, &spans, evaluation));
    }
    lines.push(visible(&finding.message));
    if let Some(instead) = &finding.instead {
        lines.push(format!("Allowed instead: {}", visible(instead)));
    }
    lines.join("\n")
}

fn what_it_does(action: Action) -> &'static str {
    match action {
        Action::Allow => "allows this",
        Action::Warn => "warns",
        Action::Rewrite => "changes the command",
        Action::Ask => "asks",
        Action::Block => "blocks this",
    }
}

/// The place in a script, and how the command comes to it.
fn place(script: usize, spans: &[Span], evaluation: &Evaluation) -> Vec<String> {
    let mut lines = Vec::new();
    let mut at = (script, spans.to_vec());
    // A script stands behind its parent; anything else would not end.
    while let Some(script) = evaluation.scripts.get(at.0) {
        match &script.kind {
            ScriptKind::Command => {}
            ScriptKind::Text => lines.push("in a text that the command runs:".to_owned()),
            ScriptKind::File(path) => lines.push(format!("in the file {}:", visible(&path.to_string_lossy()))),
        }
        lines.extend(excerpt(&script.text, &at.1));
        match script.parent.filter(|parent| parent.script < at.0) {
            Some(parent) => {
                lines.push("which is run here:".to_owned());
                at = (parent.script, vec![parent.span]);
            }
            None => break,
        }
    }
    lines
}

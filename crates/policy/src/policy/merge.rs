//! Findings in the order of what they do.

use std::cmp::Reverse;

use crate::rules::{Action, Finding};

/// The strongest first; what one rule says several times with the same words is one finding.
pub(super) fn in_order(findings: Vec<Finding>) -> Vec<Finding> {
    let mut merged: Vec<Finding> = Vec::new();
    for finding in findings {
        let same = |known: &&mut Finding| {
            (&known.rule, known.origin, known.action, &known.message)
                == (&finding.rule, finding.origin, finding.action, &finding.message)
        };
        match merged.iter_mut().find(same) {
            Some(known) => {
                known.sites.extend(finding.sites);
                known.sites.sort();
                known.sites.dedup();
                known.invocations.extend(finding.invocations);
                known.invocations.dedup();
            }
            None => merged.push(finding),
        }
    }
    merged.sort_by_key(|finding| Reverse(finding.action));
    merged
}

/// The strongest action.
pub(super) fn strongest(findings: &[Finding]) -> Action {
    findings.iter().map(|finding| finding.action).max().unwrap_or(Action::Allow)
}

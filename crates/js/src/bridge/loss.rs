//! An engine does not answer any more: what the user reads of that, and what goes with it.

use tau_hooks::dialect::Failures;
use tau_hooks::{Hooks, Report, ReportKind};

use super::guest::{event_of, owner_of};
use crate::engine::{Loss, Why};

/// Takes away what its extensions show and ask, and says who it was, at what, what went with it, and what to do.
pub(super) fn tell(hooks: &Hooks, loss: &Loss) {
    for tenant in &loss.tenants {
        hooks.status.remove_owner(&tenant.path);
        hooks.dialogs.remove_owner(&tenant.path);
    }
    let culprit = loss.culprit.as_ref().and_then(owner_of);
    let culprit = culprit.as_deref();
    let event = match (loss.task.and_then(event_of), culprit) {
        (Some(event), Some(culprit)) => culprit.dialect.name_of(event),
        (Some(event), None) => event.name(),
        (None, _) => "engine",
    };
    let what = match &loss.waiting {
        _ if loss.why == Why::Starved => {
            "it needs more memory than it may have, in a call that cannot be interrupted".to_owned()
        }
        _ if loss.why == Why::Flooded => "it was stopped and left more jobs than can be cleared".to_owned(),
        Some(waiting) => format!("it waits for {waiting}"),
        None => "it is in a call that cannot be interrupted".to_owned(),
    };
    let names: Vec<&str> = loss.tenants.iter().map(|tenant| &*tenant.name).collect();
    let message = format!(
        "does not answer any more: {what}. Its script engine is lost, and with it: {}. They are not called any more, and \
         what they guard is blocked. /reload starts a fresh engine",
        names.join(", ")
    );
    hooks.dispatcher.reports.send(&Report {
        extension: culprit.map_or_else(|| "<runtime>".into(), |owner| owner.path.clone()),
        event: event.to_owned(),
        kind: ReportKind::Error { message, stack: None },
        location: None,
        failures: culprit.map_or(Failures::Extension, |owner| owner.dialect.failures),
    });
}

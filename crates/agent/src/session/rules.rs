//! The stream rules of a session.

use std::sync::Arc;

use crate::parts::Parts;
use crate::resources::Resources;
use crate::rules::RuleSet;

/// Makes the rules among the resources ready, and adds what is wrong with them.
pub(super) fn renew_rules(parts: &Parts, resources: &mut Resources) {
    let settings = parts.settings().rules();
    if resources.rules.is_empty() {
        return parts.prompting.set_rules(None);
    }
    let Some(engine) = &parts.prompting.patterns else {
        tracing::debug!(target: "tau::rules", "there are stream rules, but nothing to look for them with");
        return;
    };
    let mut set = parts.prompting.rules();
    if !set.as_ref().is_some_and(|set| set.is_of(&resources.rules, settings)) {
        set = match RuleSet::new(&resources.rules, &**engine, settings) {
            Ok(made) => Some(Arc::new(made)),
            Err(error) => {
                parts.report("rules", "resources", error.to_string());
                None
            }
        };
        parts.prompting.set_rules(set.clone());
    }
    resources.diagnostics.extend(set.iter().flat_map(|set| set.diagnostics().iter().cloned()));
}

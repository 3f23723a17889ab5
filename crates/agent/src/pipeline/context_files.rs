//! Context files that changed since they were read.

use std::sync::Arc;

use super::system_prompt::rebuild_prompt;
use crate::parts::Parts;
use crate::resources::{ContextWatch, Diagnostic, Resources, load_context_files};

/// Reads the context files again if they may have changed since they were last read; gives whether they did.
pub(crate) fn refresh_context_files(parts: &Parts) -> bool {
    if parts.prompting.options.no_context_files || !parts.prompting.contexts_may_have_changed() {
        return false;
    }
    let (env, mut diagnostics) = (parts.conversation.env(), Vec::new());
    let contexts = ContextWatch::new(&env);
    let files = load_context_files(&env, &contexts, &mut diagnostics);
    parts.prompting.watch_contexts(contexts);
    let known = parts.prompting.resources();
    let news: Vec<Diagnostic> =
        diagnostics.into_iter().filter(|diagnostic| !known.diagnostics.contains(diagnostic)).collect();
    report_resources(parts, news.iter());
    let has_changed = files != known.context_files;
    if has_changed || !news.is_empty() {
        let mut resources = Resources::clone(&known);
        resources.context_files = files;
        resources.diagnostics.extend(news);
        parts.prompting.set_resources(Arc::new(resources));
    }
    if has_changed {
        tracing::info!(target: "tau::resources", "context files changed");
        rebuild_prompt(parts);
    }
    has_changed
}

/// Tells what is wrong with resources.
pub(crate) fn report_resources<'a>(parts: &Parts, diagnostics: impl Iterator<Item = &'a Diagnostic>) {
    for diagnostic in diagnostics {
        parts.report(diagnostic.path.display().to_string(), "resources", diagnostic.to_string());
    }
}

//! Stage 4: skills, then prompt templates.

use tau_hooks::Report;

use crate::resources::{Expansion, expand_skill, expand_template};
use crate::session::AgentSession;

impl AgentSession {
    /// Replaces `/skill:name` and `/template` by their text. A file that cannot be read is reported and leaves the
    /// text as it is.
    pub(crate) fn expand(&self, text: String) -> String {
        let resources = self.resources();
        let text = self.expanded(text, "skill_expansion", |text| expand_skill(text, &resources.skills));
        self.expanded(text, "template_expansion", |text| expand_template(text, &resources.prompt_templates))
    }

    fn expanded(&self, text: String, what: &str, expand: impl Fn(&str) -> Expansion) -> String {
        match expand(&text) {
            Expansion::Unchanged => text,
            Expansion::Expanded { text, .. } => text,
            Expansion::Failed { path, message } => {
                let path = path.display().to_string();
                self.hooks().dispatcher.reports.send(&Report::diagnostic(path, what, message));
                text
            }
        }
    }
}

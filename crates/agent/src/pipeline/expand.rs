//! Stage 4: skills, then prompt templates.

use crate::parts::Parts;
use crate::resources::{Expansion, expand_skill, expand_template};

/// Replaces `/skill:name` and `/template` by their text. A file that cannot be read is reported and leaves the
/// text as it is.
pub(crate) fn expand(parts: &Parts, text: String) -> String {
    let resources = parts.prompting.resources();
    let text = expanded(parts, text, "skill_expansion", |text| expand_skill(text, &resources.skills));
    expanded(parts, text, "template_expansion", |text| expand_template(text, &resources.prompt_templates))
}

fn expanded(parts: &Parts, text: String, what: &str, expand: impl Fn(&str) -> Expansion) -> String {
    match expand(&text) {
        Expansion::Unchanged => text,
        Expansion::Expanded { text, .. } => text,
        Expansion::Failed { path, message } => {
            let path = path.display().to_string();
            parts.report(path, what, message);
            text
        }
    }
}

//! Stage 4: skills, then prompt templates: those of files, then those of extensions.

use super::prompt::{Prompt, PromptError};
use crate::parts::Parts;
use crate::resources::{Expansion, expand_skill, expand_template};
use crate::text::is_space;

/// Replaces `/skill:name` and `/template` by their text. A file that cannot be read is reported and leaves the
/// text as it is.
///
/// # Errors
/// When a template of an extension says why it becomes nothing.
pub(crate) async fn expand(parts: &Parts, prompt: &mut Prompt) -> Result<(), PromptError> {
    if !prompt.text.starts_with('/') {
        return Ok(());
    }
    let before = prompt.text.clone();
    {
        let resources = parts.prompting.resources();
        let text = std::mem::take(&mut prompt.text);
        let text = expanded(parts, text, "skill_expansion", |text| expand_skill(text, &resources.skills));
        prompt.text =
            expanded(parts, text, "template_expansion", |text| expand_template(text, &resources.prompt_templates));
    }
    // On the heap: few prompts are templates of extensions, and every prompt would carry the space.
    if prompt.text == before { Box::pin(offered(parts, prompt)).await } else { Ok(()) }
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

/// Replaces the template of an extension by what it becomes.
async fn offered(parts: &Parts, prompt: &mut Prompt) -> Result<(), PromptError> {
    let Some(rest) = prompt.text.strip_prefix('/') else { return Ok(()) };
    let (name, arguments) = rest.split_once(is_space).unwrap_or((rest, ""));
    let aside = parts.activity.asides.begin_expansion(&parts.lifecycle.ending);
    let stopped = aside.token();
    let expanded = parts.hooks.expand_template(name, arguments, &stopped);
    // Whether or not the extension looks at the token.
    let Some(expanded) = stopped.run_until_cancelled(expanded).await else { return Err(PromptError::Aborted) };
    match expanded {
        None => Ok(()),
        Some(Ok(content)) => {
            prompt.text = content.text;
            prompt.images.extend(content.images);
            Ok(())
        }
        Some(Err(error)) => Err(PromptError::Template { name: name.to_owned(), why: error.to_string() }),
    }
}

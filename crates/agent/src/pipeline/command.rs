//! Stage 1: commands of extensions.

use crate::parts::Parts;

/// Runs an extension's command if the text is one. The name ends at the first space; the rest is the argument,
/// verbatim. No event fires, and a run that is under way goes on. Gives whether the command worked, nothing when it is none.
pub(crate) async fn extension_command(parts: &Parts, text: &str) -> Option<bool> {
    let (name, args) = split(text)?;
    parts.hooks.run_command(name, args, parts.activity.run_signal()).await
}

/// The extension's command that the text is, if any.
pub(crate) fn extension_command_name(parts: &Parts, text: &str) -> Option<String> {
    let (name, _) = split(text)?;
    parts.hooks.commands().into_iter().map(|entry| entry.name).find(|known| known == name)
}

fn split(text: &str) -> Option<(&str, &str)> {
    let line = text.strip_prefix('/')?;
    Some(line.split_once(' ').unwrap_or((line, "")))
}

//! The prompts of a run that does not ask for any.

/// Puts piped input and the text of `@file` arguments in front of the first prompt; the others follow as
/// prompts of their own.
///
/// The parts are joined without anything between them: a file's text ends with a newline already. Piped
/// input is trimmed and does not count when nothing remains, nor does a first prompt that ends up empty.
pub fn initial_prompts(messages: Vec<String>, file_text: &str, stdin_text: Option<&str>) -> Vec<String> {
    let mut messages = messages.into_iter();
    let piped = stdin_text.unwrap_or_default().trim();
    let first = format!("{piped}{file_text}{}", messages.next().unwrap_or_default());
    Some(first).filter(|first| !first.is_empty()).into_iter().chain(messages).collect()
}

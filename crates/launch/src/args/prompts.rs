//! The prompts of a run that does not ask for any.

/// Puts piped input and the text of `@file` arguments in front of the first prompt; the others follow as
/// prompts of their own.
///
/// Piped input is trimmed, and an empty line divides it from what follows; a file's text ends with a newline already. What is
/// empty is left out.
pub fn initial_prompts(messages: Vec<String>, file_text: &str, stdin_text: Option<&str>) -> Vec<String> {
    let mut messages = messages.into_iter();
    let piped = stdin_text.unwrap_or_default().trim();
    let asked = format!("{file_text}{}", messages.next().unwrap_or_default());
    let between = if piped.is_empty() || asked.is_empty() { "" } else { "\n\n" };
    let first = format!("{piped}{between}{asked}");
    Some(first).filter(|first| !first.is_empty()).into_iter().chain(messages).collect()
}

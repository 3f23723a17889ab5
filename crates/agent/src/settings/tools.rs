//! Lists of tools as flags and the setting `defaultTools` have them: what such a list must look like.

use serde_json::Value;

/// What is wrong with a list of tools.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ToolListError {
    /// It names no tool.
    #[error("the list is empty; for no tools at all there is --no-tools")]
    Empty,
    /// An entry names no tool.
    #[error("{0:?} names no tool")]
    Nameless(String),
    /// It both replaces a set of tools and changes one.
    #[error(
        "the list mixes plain names with +name or -name: plain names replace the default tools, + and - change them"
    )]
    Mixed,
    /// A change names no tool.
    #[error("{0:?} is a pattern: + and - take the exact name of a tool")]
    Pattern(String),
    /// An entry of the setting matches tools instead of naming one.
    #[error("{0:?} is a pattern: this setting takes exact names of tools")]
    PatternInSetting(String),
}

/// Whether an entry changes a list instead of being part of it.
pub(crate) fn is_edit(entry: &str) -> bool {
    entry.starts_with(['+', '-'])
}

/// Checks the list of a flag: either names and patterns, or `+name` and `-name` alone.
///
/// # Errors
/// When the list is neither, or empty.
pub fn check_tool_list(entries: &[String]) -> Result<(), ToolListError> {
    if entries.is_empty() {
        return Err(ToolListError::Empty);
    }
    if let Some(nameless) = entries.iter().find(|entry| entry.strip_prefix(['+', '-']).unwrap_or(entry).is_empty()) {
        return Err(ToolListError::Nameless(nameless.clone()));
    }
    let edits = entries.iter().filter(|entry| is_edit(entry)).count();
    if edits != 0 && edits != entries.len() {
        return Err(ToolListError::Mixed);
    }
    match entries.iter().find(|entry| is_edit(entry) && entry.contains('*')) {
        Some(pattern) => Err(ToolListError::Pattern(pattern.clone())),
        None => Ok(()),
    }
}

/// Checks the list of the setting in one file, where an empty one means no built-in tools. `None` when the value is no
/// list of texts.
pub(super) fn check_setting(value: &Value) -> Option<Result<(), ToolListError>> {
    let texts: Option<Vec<String>> = value.as_array()?.iter().map(|entry| entry.as_str().map(str::to_owned)).collect();
    let entries = texts?;
    if entries.is_empty() {
        return Some(Ok(()));
    }
    let pattern = || entries.iter().find(|entry| !is_edit(entry) && entry.contains('*'));
    Some(check_tool_list(&entries).and_then(|()| match pattern() {
        Some(pattern) => Err(ToolListError::PatternInSetting(pattern.clone())),
        None => Ok(()),
    }))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(entries: &[&str]) -> Result<(), ToolListError> {
        check_tool_list(&entries.iter().map(|&entry| entry.to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn a_list_of_a_flag_says_one_thing() {
        assert_eq!(check(&["read", "mcp__*"]), Ok(()));
        assert_eq!(check(&["+read", "-bash"]), Ok(()));
        assert_eq!(check(&["+read", "bash"]), Err(ToolListError::Mixed));
        assert_eq!(check(&["+read", "-b*"]), Err(ToolListError::Pattern("-b*".to_owned())));
        assert_eq!(check(&["+read", "-"]), Err(ToolListError::Nameless("-".to_owned())));
        assert_eq!(check(&[]), Err(ToolListError::Empty));
    }

    #[test]
    fn a_list_of_the_settings_has_exact_names() {
        assert_eq!(check_setting(&json!([])), Some(Ok(())));
        assert_eq!(check_setting(&json!(["read"])), Some(Ok(())));
        assert_eq!(check_setting(&json!(["r*"])), Some(Err(ToolListError::PatternInSetting("r*".to_owned()))));
        assert_eq!(check_setting(&json!([["read"]])), None);
    }
}

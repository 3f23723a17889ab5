//! Keys in files of other programs: an `auth.json` at another place, or a file of environment variables.

use std::collections::BTreeMap;

use serde_json::Value;
use tau_ai::{JsonMap, PROVIDER_VARIABLES, provider_name};

use crate::json;

/// A key that can be taken over. Debug output does not show it.
#[derive(Clone)]
pub struct FoundKey {
    /// The provider.
    pub provider: String,
    /// What it is, for people: never the key.
    pub what: String,
    /// The entry for `auth.json`.
    pub(super) entry: JsonMap,
}

/// What a file holds.
#[derive(Clone, Default)]
pub struct FoundKeys {
    /// What can be taken over, in the order of the file.
    pub keys: Vec<FoundKey>,
    /// What cannot, with the reason, a sentence each.
    pub skipped: Vec<String>,
}

/// Why a file holds no keys.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// It is neither of the two.
    #[error("line {0}: neither an auth.json nor lines of the form NAME=value")]
    Unknown(usize),
}

/// Reads the text of a file.
///
/// # Errors
/// When it is of another kind.
pub fn find_keys(text: &str) -> Result<FoundKeys, ImportError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if !text.trim_start().starts_with('{') {
        return of_variables(text);
    }
    let (all, _) = json::parse(text).map_err(|error| ImportError::Unknown(error.line().max(1)))?;
    let mut found = FoundKeys::default();
    for (name, entry) in all.as_object().into_iter().flatten() {
        let provider = provider_name(name);
        let kind = entry.get("type").and_then(Value::as_str);
        match (kind, entry.get("key").and_then(Value::as_str).filter(|key| !key.is_empty()), entry) {
            (Some("api_key"), Some(key), Value::Object(entry)) => {
                let (provider, what) = (provider.to_owned(), kind_of(key));
                found.keys.push(FoundKey { provider, what, entry: entry.clone() });
            }
            (Some("oauth"), ..) => found.skipped.push(format!(
                "{provider}: a login is good for one program only, because it is renewed; log in with `tau auth login {provider}`."
            )),
            _ => found.skipped.push(format!("{provider}: tau does not know entries of this kind.")),
        }
    }
    Ok(found)
}

/// What a value is, as far as that is no secret.
fn kind_of(key: &str) -> String {
    match key.strip_prefix('!') {
        Some(command) => {
            format!("what the command `{}` prints", command.chars().filter(|c| !c.is_control()).collect::<String>())
        }
        None if key.starts_with('$') && !key.starts_with("$$") && !key.starts_with("$!") => {
            "an environment variable".to_owned()
        }
        None => "API key".to_owned(),
    }
}

fn of_variables(text: &str) -> Result<FoundKeys, ImportError> {
    let (mut variables, mut found) = (BTreeMap::new(), FoundKeys::default());
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let line = line.strip_prefix("export ").unwrap_or(line).trim_start();
        let (name, value) = line.split_once('=').ok_or(ImportError::Unknown(at + 1))?;
        let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if !is_name {
            return Err(ImportError::Unknown(at + 1));
        }
        if !PROVIDER_VARIABLES.iter().any(|(_, names)| names.contains(&name)) {
            continue;
        }
        match plain(value.trim()) {
            Some(value) if !value.is_empty() => drop(variables.insert(name, value)),
            Some(_) => {}
            None => found.skipped.push(format!("{name}: the value is made by a shell; set the variable instead.")),
        }
    }
    for (provider, names) in PROVIDER_VARIABLES {
        let Some((name, value)) = names.iter().find_map(|name| Some((name, variables.get(name)?))) else { continue };
        let mut entry = JsonMap::new();
        entry.insert("type".to_owned(), "api_key".into());
        entry.insert("key".to_owned(), literal(value).into());
        found.keys.push(FoundKey { provider: (*provider).to_owned(), what: format!("API key ({name})"), entry });
    }
    Ok(found)
}

/// The value of a line, unless a shell would make something of it.
fn plain(value: &str) -> Option<String> {
    if let Some(value) = value.strip_prefix('\'') {
        return value.split_once('\'').map(|(value, _)| value.to_owned());
    }
    let (value, is_quoted) = match value.strip_prefix('"') {
        Some(value) => (value.split_once('"')?.0, true),
        None => (value.split_whitespace().next().unwrap_or_default(), false),
    };
    let is_made = value.contains(['$', '`', '\\']) || (!is_quoted && value.contains(['\'', '"']));
    (!is_made).then(|| value.to_owned())
}

/// A key as a value of configuration that stands for itself.
pub(super) fn literal(key: &str) -> String {
    let key = key.replace('$', "$$");
    key.strip_prefix('!').map(|rest| format!("$!{rest}")).unwrap_or(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> (Vec<String>, Vec<String>) {
        let found = find_keys(text).expect("a file of keys");
        let keys = found.keys.iter();
        let keys = keys.map(|key| format!("{}: {} = {}", key.provider, key.what, Value::Object(key.entry.clone())));
        (keys.collect(), found.skipped)
    }

    #[test]
    fn keys_are_found_in_files_of_both_kinds() {
        let stored = r#"{
            "anthropic": {"type": "api_key", "key": "sk-1", "env": {"A": "b"}}, "azure-openai-responses": {"type": "api_key", "key": "$MINE"},
            "groq": {"type": "api_key", "key": "!pass groq"}, "corp": {"type": "oauth", "access": "at", "refresh": "rt"}, "odd": 1
        }"#;
        let variables = "# keys\nexport OPENAI_API_KEY='sk-$2'\nGROQ_API_KEY=\"!gsk\" # note\nXAI_API_KEY=$(pass xai)\n\
             OTHER=secret\nMISTRAL_API_KEY=\nOPENCODE_API_KEY=oc\n";
        let texts = [told(stored), told(variables)];
        insta::assert_debug_snapshot!(texts);
        for (text, line) in [("hello", 1), ("A=1\nB", 2), ("{\n]", 2), ("a b=c", 1)] {
            assert_eq!(find_keys(text).err(), Some(ImportError::Unknown(line)), "{text}");
        }
    }
}

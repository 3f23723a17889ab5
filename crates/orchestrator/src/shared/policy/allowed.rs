//! What the user allowed for good: rules that tau writes behind the others of the user's file.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;
use tau_ai::jsonc;
use tau_policy::Narrow;
use tau_policy::rules::{Problem, with_rule, without_rule};
use tau_sys::lock::FileLock;
use tau_sys::replace::replace_own_file;

use super::files::shown;

/// How long to wait for the lock: longer than an abandoned one lives.
const PATIENCE: Duration = Duration::from_secs(12);
/// What the names of these rules begin with.
const PREFIX: &str = "allow-";

/// Why a rule was not kept or not taken back. The file is unchanged then.
#[derive(Debug, thiserror::Error)]
pub enum AllowError {
    /// The file cannot be understood.
    #[error("{0}; correct the file first")]
    Malformed(#[from] Problem),
    /// It cannot be read, locked or written.
    #[error("{} cannot be changed: {why}; check it and its folder", shown(path))]
    File {
        /// The file.
        path: PathBuf,
        /// Why not.
        why: String,
    },
}

/// Keeps a rule. Blocks while another program holds the lock of the file.
///
/// # Errors
/// When the file cannot be understood, locked or written.
pub fn add(path: &Path, rule: &Narrow) -> Result<(), AllowError> {
    change(path, |text| {
        let is_there = ids(text).contains(&rule.id);
        let new = if is_there { None } else { Some(with_rule(path, text, &rule.rule)?) };
        Ok((new, ()))
    })
}

/// Takes the last rule back that was kept, or the one with this id, and gives its id; nothing if there is none. Blocks as
/// [`add`].
///
/// # Errors
/// As [`add`].
pub fn undo(path: &Path, wanted: Option<&str>) -> Result<Option<String>, AllowError> {
    change(path, |text| {
        let found = ids(text).into_iter().rev().find(|id| wanted.is_none_or(|wanted| wanted == id));
        let new = found.as_ref().map(|id| without_rule(path, text, id)).transpose()?.flatten();
        Ok((new, found))
    })
}

/// The ids of the rules that were kept, the last one first. Blocks.
///
/// # Errors
/// When the file cannot be read.
pub fn list(path: &Path) -> Result<Vec<String>, AllowError> {
    Ok(ids(&read(path)?).into_iter().rev().collect())
}

/// The ids of the rules that were kept, in the order of the file; none if it cannot be understood.
fn ids(text: &str) -> Vec<String> {
    let whole: Value = jsonc::parse(text).unwrap_or_default();
    let rules = whole.get("rules").and_then(Value::as_array).into_iter().flatten();
    let allows = rules.filter(|rule| rule.get("action").and_then(Value::as_str) == Some("allow"));
    let ids = allows.filter_map(|rule| rule.get("id").and_then(Value::as_str));
    ids.filter(|id| id.starts_with(PREFIX)).map(str::to_owned).collect()
}

/// Changes the file, while no other program that knows the lock can.
fn change<T>(path: &Path, edit: impl FnOnce(&str) -> Result<(Option<String>, T), AllowError>) -> Result<T, AllowError> {
    let failed = |why: String| AllowError::File { path: path.to_owned(), why };
    let lock = FileLock::acquire(path, PATIENCE).map_err(|error| failed(error.to_string()))?;
    let (text, given) = edit(&read(path)?)?;
    if let Some(text) = text {
        lock.verify().map_err(|error| failed(error.to_string()))?;
        replace_own_file(path, text.as_bytes()).map_err(|error| failed(error.to_string()))?;
    }
    Ok(given)
}

/// The file as it is; nothing if there is none.
fn read(path: &Path) -> Result<String, AllowError> {
    match tau_tools::read_small_text(path) {
        Ok(text) => Ok(text),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(AllowError::File { path: path.to_owned(), why: error.to_string() }),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::json;

    use super::*;

    fn rule(id: &str) -> Narrow {
        Narrow {
            id: id.to_owned(),
            scope: String::new(),
            rule: json!({"id": id, "action": "allow", "when": {"argv": [id]}}),
        }
    }

    #[test]
    fn rules_are_kept_and_taken_back_and_the_rest_of_the_file_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("agent/policy.json");
        assert_eq!(list(&path).expect("none"), [] as [&str; 0]);
        assert_eq!(undo(&path, None).expect("none"), None);
        add(&path, &rule("allow-a")).expect("a rule");
        let own = json!({"rules": [{"id": "allow-ed", "action": "block", "message": "no", "when": {"program": "ed"}}]});
        fs::write(&path, own.to_string()).expect("a file");
        for id in ["allow-a", "allow-b", "allow-b", "allow-c"] {
            add(&path, &rule(id)).expect("a rule");
        }
        assert_eq!(list(&path).expect("a list"), ["allow-c", "allow-b", "allow-a"]);
        assert_eq!(undo(&path, Some("allow-b")).expect("an id"), Some("allow-b".to_owned()));
        assert_eq!(undo(&path, Some("allow-ed")).expect("no id"), None);
        assert_eq!(undo(&path, None).expect("an id"), Some("allow-c".to_owned()));
        assert_eq!(list(&path).expect("a list"), ["allow-a"]);
        let text = fs::read_to_string(&path).expect("a file");
        assert!(text.contains("allow-ed"), "{text}");
        assert!(!FileLock::is_held(&path));
    }

    #[test]
    fn a_file_that_cannot_be_understood_is_left_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("policy.json");
        let text = "{\n \"rules\": [";
        fs::write(&path, text).expect("a file");
        let error = add(&path, &rule("allow-a")).expect_err("no file of rules").to_string();
        assert!(error.contains("policy.json:2:") && error.ends_with("; correct the file first"), "{error}");
        assert_eq!(fs::read_to_string(&path).expect("a file"), text);
        fs::remove_file(&path).expect("it is removed");
        fs::create_dir(&path).expect("a folder");
        let error = add(&path, &rule("allow-a")).expect_err("no file").to_string();
        assert!(error.ends_with("; check it and its folder"), "{error}");
    }
}

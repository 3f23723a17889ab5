//! The files that a call names.

use std::path::{Path, PathBuf};

use serde_json::Value;
use tau_policy::{FileUse, UseKind};
use tau_tools::paths::resolve_to_cwd;

/// What tau's own tools do with the files that they name. Of any other tool nobody knows.
const TOOLS: &[(&str, UseKind)] = &[
    ("read", UseKind::Read),
    ("grep", UseKind::Read),
    ("find", UseKind::Read),
    ("ls", UseKind::Read),
    ("write", UseKind::Write),
    ("edit", UseKind::Write),
];

/// Arguments that hold paths, in small letters and without `_` and `-`.
const KEYS: &[&str] = &[
    "path",
    "paths",
    "file",
    "files",
    "filepath",
    "filepaths",
    "filename",
    "filenames",
    "target",
    "targets",
    "targetfile",
    "targetpath",
    "dest",
    "destination",
    "destinationpath",
    "destfile",
    "output",
    "outputfile",
    "outputpath",
    "out",
    "outfile",
    "newpath",
    "oldpath",
    "source",
    "sourcepath",
    "src",
    "dir",
    "directory",
    "folder",
    "uri",
    "notebookpath",
    "saveto",
];

/// How deep arguments are looked into.
const DEEPEST: usize = 6;
/// The longest text that is taken for a path, in bytes.
const LONGEST: usize = 4096;
/// The most paths of one call.
const MOST: usize = 2_000;

/// More paths than are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the call names more than {MOST} files, and they are not all checked; make several calls")]
pub(super) struct TooMany;

/// The files that a call of a tool names, each once.
pub(super) fn files(tool: &str, input: &Value, cwd: &Path) -> Result<Vec<FileUse>, TooMany> {
    let known = TOOLS.iter().find(|(name, _)| *name == tool).map(|(_, kind)| *kind);
    let mut texts = Vec::new();
    collect(input, false, 0, &mut texts);
    let mut paths: Vec<PathBuf> = Vec::new();
    for text in texts {
        paths.push(resolve_to_cwd(text, cwd));
        if known.is_none() {
            // Another tool may take the text as it is.
            paths.push(cwd.join(text));
        }
    }
    paths.sort_unstable();
    paths.dedup();
    if paths.len() > MOST {
        return Err(TooMany);
    }
    let kind = known.unwrap_or(UseKind::Unknown);
    Ok(paths.into_iter().map(|path| FileUse { tool: tool.to_owned(), path, kind }).collect())
}

fn collect<'a>(value: &'a Value, is_path: bool, depth: usize, texts: &mut Vec<&'a str>) {
    if depth > DEEPEST {
        return;
    }
    match value {
        Value::String(text) if is_path && may_be_path(text) => texts.push(text),
        Value::Array(all) => all.iter().for_each(|one| collect(one, is_path, depth + 1, texts)),
        Value::Object(fields) => {
            for (key, value) in fields {
                let plain: String = key.chars().filter(|c| !"_-".contains(*c)).collect();
                collect(value, KEYS.contains(&plain.to_ascii_lowercase().as_str()), depth + 1, texts);
            }
        }
        _ => {}
    }
}

fn may_be_path(text: &str) -> bool {
    let is_web = text.contains("://") && !text.contains("file://");
    !text.is_empty() && text.len() <= LONGEST && !text.contains(['\n', '\0']) && !is_web
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn named(tool: &str, input: &Value) -> Vec<(String, UseKind)> {
        let found = files(tool, input, Path::new("/work")).expect("few files");
        found.into_iter().map(|one| (one.path.display().to_string(), one.kind)).collect()
    }

    #[test]
    fn tools_of_tau_are_known_and_others_are_not() {
        let input = json!({"path": "src/../a.rs", "content": "path: /etc/passwd"});
        assert_eq!(named("write", &input), [("/work/a.rs".to_owned(), UseKind::Write)]);
        assert_eq!(named("read", &json!({"path": "@b.rs"})), [("/work/b.rs".to_owned(), UseKind::Read)]);
        let both = [("/work/@b.rs".to_owned(), UseKind::Unknown), ("/work/b.rs".to_owned(), UseKind::Unknown)];
        assert_eq!(named("save", &json!({"file_path": "@b.rs"})), both);
    }

    #[test]
    fn paths_are_found_wherever_they_stand() {
        let input = json!({
            "edits": [{"fileName": "a"}, {"Target-File": "/b"}],
            "files": ["c", {"path": "d"}, 1],
            "uri": "file:///e",
            "text": "f", "url": "https://x/y", "source": "https://x/z",
        });
        let paths: Vec<String> = named("edit", &input).into_iter().map(|(path, _)| path).collect();
        assert_eq!(paths, ["/b", "/e", "/work/a", "/work/c", "/work/d"]);
    }

    #[test]
    fn a_call_with_too_many_files_is_refused() {
        let many: Vec<String> = (0..=MOST).map(|number| number.to_string()).collect();
        assert_eq!(files("edit", &json!({ "paths": many }), Path::new("/work")), Err(TooMany));
    }

    proptest! {
        #[test]
        fn no_argument_panics(text in ".{0,40}", key in "[a-zA-Z_-]{0,8}") {
            let found = files("tool", &json!({key: {"path": text}}), Path::new("/work"));
            prop_assert!(found.is_ok_and(|found| found.len() <= 2));
        }
    }
}

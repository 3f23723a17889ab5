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

/// Those of them that hold code or results as well.
const TEXTS: &[&str] = &["source", "src", "output", "out", "target", "file", "files"];

/// What begins like this is no file.
const WEB: &[&str] = &["http", "https", "ftp", "ws", "wss", "ssh", "git", "data"];

/// More paths than are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the call names more than {MOST} files, and they are not all checked; make several calls")]
pub(super) struct TooMany;

/// The files that a call of a tool names, each once.
pub(super) fn files(tool: &str, input: &Value, cwd: &Path) -> Result<Vec<FileUse>, TooMany> {
    let known = TOOLS.iter().find(|(name, _)| *name == tool).map(|(_, kind)| *kind);
    let mut texts = Vec::new();
    collect(input, None, 0, &mut texts);
    let mut paths: Vec<PathBuf> = Vec::new();
    for (text, may_be_text) in texts {
        // Whatever tau's own tools get is a path, however strange: they make one of it.
        if known.is_none() && !may_be_path(text, may_be_text) {
            continue;
        }
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

/// Every text under a key for paths, and whether that key may hold other texts, too.
fn collect<'a>(value: &'a Value, key: Option<bool>, depth: usize, texts: &mut Vec<(&'a str, bool)>) {
    if depth > DEEPEST {
        return;
    }
    match value {
        Value::String(text) if !text.is_empty() => texts.extend(key.map(|may_be_text| (text.as_str(), may_be_text))),
        Value::Array(all) => all.iter().for_each(|one| collect(one, key, depth + 1, texts)),
        Value::Object(fields) => {
            for (key, value) in fields {
                let plain: String = key.chars().filter(|c| !"_-".contains(*c)).collect();
                let plain = plain.to_ascii_lowercase();
                let is_one = KEYS.contains(&plain.as_str());
                collect(value, is_one.then(|| TEXTS.contains(&plain.as_str())), depth + 1, texts);
            }
        }
        _ => {}
    }
}

/// Whether a tool that is not known may take a text as a path.
fn may_be_path(text: &str, may_be_text: bool) -> bool {
    let is_web = text.split_once("://").is_some_and(|(scheme, _)| WEB.contains(&scheme));
    !is_web && !(may_be_text && (text.contains('\n') || text.len() > LONGEST))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn named(tool: &str, input: &Value) -> Vec<(String, UseKind)> {
        let found = files(tool, input, Path::new("/project")).expect("few files");
        found.into_iter().map(|one| (one.path.display().to_string(), one.kind)).collect()
    }

    #[test]
    fn tools_of_tau_are_known_and_others_are_not() {
        let input = json!({"path": "src/../a.rs", "content": "path: /etc/passwd"});
        assert_eq!(named("write", &input), [("/project/a.rs".to_owned(), UseKind::Write)]);
        assert_eq!(named("read", &json!({"path": "@b.rs"})), [("/project/b.rs".to_owned(), UseKind::Read)]);
        let both = [("/project/@b.rs".to_owned(), UseKind::Unknown), ("/project/b.rs".to_owned(), UseKind::Unknown)];
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
        assert_eq!(paths, ["/b", "/e", "/project/a", "/project/c", "/project/d", "/project/https:/x/z"]);
    }

    /// Tau's tools make a short path of each of these.
    #[test]
    fn a_strange_path_is_a_path_of_tools_of_tau() {
        let long = format!("{}../b", "./".repeat(3_000));
        for path in ["x\n/../../b", "x://../../b", long.as_str()] {
            assert_eq!(named("write", &json!({"path": path})), [("/b".to_owned(), UseKind::Write)], "{path}");
        }
    }

    #[test]
    fn tools_of_others_may_get_addresses_and_code() {
        for input in [json!({"source": "https://x/z"}), json!({"source": "/a\n/b"}), json!({"path": "https://x"})] {
            assert_eq!(named("fetch", &input), [], "{input}");
        }
        assert_eq!(named("save", &json!({"path": "/a\nb"})), [("/a\nb".to_owned(), UseKind::Unknown)]);
    }

    #[test]
    fn a_call_with_too_many_files_is_refused() {
        let many: Vec<String> = (0..=MOST).map(|number| number.to_string()).collect();
        assert_eq!(files("edit", &json!({ "paths": many }), Path::new("/project")), Err(TooMany));
    }

    proptest! {
        #[test]
        fn no_argument_panics(text in ".{0,40}", key in "[a-zA-Z_-]{0,8}") {
            let found = files("tool", &json!({key: {"path": text}}), Path::new("/project"));
            prop_assert!(found.is_ok_and(|found| found.len() <= 2));
        }
    }
}

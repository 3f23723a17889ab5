//! Times that a user may have to wait and that no setting changes: constants in the sources, listed in the manual.

use std::path::Path;

use super::root;

/// What the name of such a constant ends with.
const NAMES: [&str; 5] = ["PATIENCE", "GRACE", "TIMEOUT", "TIMEOUT_MS", "WAIT"];

/// A constant of the sources.
struct Limit {
    name: String,
    value: String,
    meaning: String,
    place: String,
}

/// The table of the manual.
pub(super) fn table() -> String {
    let mut limits = Vec::new();
    let crates = std::fs::read_dir(root().join("crates")).expect("crates");
    for entry in crates.map(|entry| entry.expect("an entry").path()).filter(|folder| !super::is_testkit(folder)) {
        collect(&entry.join("src"), &mut limits);
    }
    assert!(limits.len() > 20, "the constants could not be read");
    limits.sort_by(|a, b| (&a.place, &a.name).cmp(&(&b.place, &b.name)));
    let mut text = "| Limit | Meaning | Place |\n|---|---|---|\n".to_owned();
    for limit in limits {
        assert!(!limit.meaning.is_empty(), "{}: say what {} is for", limit.place, limit.name);
        let Limit { name, value, meaning, place } = limit;
        text.push_str(&format!("| {value} | {} | `{place}`, `{name}` |\n", meaning.trim_end_matches('.')));
    }
    text
}

fn collect(folder: &Path, limits: &mut Vec<Limit>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_dir() {
            collect(&path, limits);
        } else if name.ends_with(".rs") && !name.contains("tests") {
            let file = std::fs::read_to_string(&path).expect("a file");
            let below = path.strip_prefix(root()).expect("a file of the repository");
            // The tests of a file are at its end.
            in_file(file.split("#[cfg(test)]").next().unwrap_or_default(), &below.display().to_string(), limits);
        }
    }
}

fn in_file(code: &str, place: &str, limits: &mut Vec<Limit>) {
    let mut doc: Vec<&str> = Vec::new();
    for line in code.lines().map(str::trim) {
        if let Some(text) = line.strip_prefix("///") {
            doc.push(text.trim());
            continue;
        }
        limits.extend(limit(line, &doc.join(" "), place));
        doc.clear();
    }
}

/// The limit that a line declares.
fn limit(line: &str, meaning: &str, place: &str) -> Option<Limit> {
    let (_, rest) = line.split_once("const ").filter(|(before, _)| before.is_empty() || before.starts_with("pub"))?;
    let (name, rest) = rest.split_once(": ")?;
    let (_, value) = rest.split_once(" = ")?;
    NAMES.iter().any(|end| name == *end || name.ends_with(&format!("_{end}"))).then(|| Limit {
        name: name.to_owned(),
        value: shown(value.trim_end_matches(';')),
        meaning: meaning.replace('|', "\\|"),
        place: place.to_owned(),
    })
}

/// A duration with its unit, else the expression.
fn shown(value: &str) -> String {
    let inner = |function: &str| value.split_once(function)?.1.strip_prefix('(')?.strip_suffix(')');
    match (inner("from_secs"), inner("from_millis")) {
        (Some(seconds), _) => format!("{seconds} s"),
        (None, Some(millis)) => format!("{millis} ms"),
        (None, None) => value.replace('_', " ").trim_end_matches(".0").to_owned(),
    }
}

#[test]
fn a_constant_with_such_a_name_is_a_limit() {
    let names = |line: &str| limit(line, "x", "y").map(|limit| (limit.name, limit.value));
    let found = |name: &str, value: &str| Some((name.to_owned(), value.to_owned()));
    assert_eq!(names("const PATIENCE: Duration = Duration::from_secs(5);"), found("PATIENCE", "5 s"));
    assert_eq!(names("pub(crate) const A_WAIT: u64 = 5_000;"), found("A_WAIT", "5 000"));
    assert_eq!(names("const WAITING: usize = 64;"), None);
    assert_eq!(names("let x = PATIENCE;"), None);
}

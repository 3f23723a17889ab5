//! Changes one server in a file and leaves every other byte of the values as it is.

use std::path::Path;
use std::time::Duration;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use tau_sys::lock::FileLock;

use super::merge::read_text;
use crate::file::{FileError, replace};

/// How long another program may take that changes the file.
const PATIENCE: Duration = Duration::from_secs(12);

/// What became of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edited {
    /// The server is new.
    Added,
    /// Another entry was there.
    Replaced,
    /// The entry is gone.
    Removed,
    /// There was none.
    Missing,
}

/// Writes the entry of a server, in the place of one that is there.
///
/// # Errors
/// When the file cannot be understood or written; it is unchanged then.
pub fn put_server(file: &Path, name: &str, entry: &Value) -> Result<Edited, FileError> {
    edit(file, name, |_| Ok(Some(entry.clone())))
}

/// Removes the entry of a server.
///
/// # Errors
/// As [`put_server`].
pub fn remove_server(file: &Path, name: &str) -> Result<Edited, FileError> {
    edit(file, name, |_| Ok(None))
}

/// Changes keys of the entry of a server, which is made when it is not there; `null` removes a key.
///
/// # Errors
/// As [`put_server`].
pub fn update_server(file: &Path, name: &str, keys: &Map<String, Value>) -> Result<Edited, FileError> {
    edit(file, name, |entry| {
        let mut entry = match entry.map(|raw| serde_json::from_str(raw.get())) {
            None => Map::new(),
            Some(Ok(Value::Object(entry))) => entry,
            Some(_) => return Err(format!("the entry of \"{name}\" is no object")),
        };
        for (key, value) in keys {
            match value {
                Value::Null => drop(entry.shift_remove(key)),
                value => drop(entry.insert(key.clone(), value.clone())),
            }
        }
        Ok(Some(Value::Object(entry)))
    })
}

/// The members of an object as they are written.
struct Members<'t>(Vec<(String, &'t RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct All;
        impl<'de> Visitor<'de> for All {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut all = Vec::new();
                while let Some(member) = map.next_entry::<String, &'de RawValue>()? {
                    all.push(member);
                }
                Ok(Members(all))
            }
        }
        deserializer.deserialize_map(All)
    }
}

type NewEntry = Result<Option<Value>, String>;

fn edit(file: &Path, name: &str, change: impl FnOnce(Option<&RawValue>) -> NewEntry) -> Result<Edited, FileError> {
    let lock = FileLock::acquire(file, PATIENCE)?;
    let malformed = |problem: String| FileError::Malformed {
        path: file.to_owned(),
        problem: format!("{problem}; it is left as it is"),
    };
    let text = read_text(file).map_err(malformed)?;
    let (mark, body) = match text.as_deref().unwrap_or_default().strip_prefix('\u{feff}') {
        Some(body) => ("\u{feff}", body),
        None => ("", text.as_deref().unwrap_or_default()),
    };
    let body = if body.trim().is_empty() { "{}\n" } else { body };
    let (new, edited) = changed(body, name, change).map_err(malformed)?;
    if edited != Edited::Missing {
        replace(file, format!("{mark}{new}").as_bytes(), &lock)?;
    }
    Ok(edited)
}

fn changed(
    text: &str,
    name: &str,
    change: impl FnOnce(Option<&RawValue>) -> NewEntry,
) -> Result<(String, Edited), String> {
    let no_json = |error: serde_json::Error| format!("the file is no JSON object: {error}");
    let top: Members<'_> = serde_json::from_str(text).map_err(no_json)?;
    let servers = twice(&top.0, "mcpServers")?;
    let members = match servers {
        Some(raw) => serde_json::from_str::<Members<'_>>(raw.get()).map_err(|_| "mcpServers must be an object")?.0,
        None => Vec::new(),
    };
    let known = twice(&members, name)?;
    let unit = indent_of(text);
    let new = change(known)?;
    let edited = match (&known, &new) {
        (None, None) => return Ok((text.to_owned(), Edited::Missing)),
        (Some(_), None) => Edited::Removed,
        (Some(_), Some(_)) => Edited::Replaced,
        (None, Some(_)) => Edited::Added,
    };
    let new = new.map(|entry| pretty(&entry, unit, 2));
    let mut all: Vec<(&str, &str)> = Vec::new();
    for (other, raw) in &members {
        match (other == name, &new) {
            (true, Some(new)) => all.push((other, new)),
            (true, None) => {}
            (false, _) => all.push((other, raw.get())),
        }
    }
    if let (None, Some(new)) = (known, &new) {
        all.push((name, new));
    }
    let object = object(&all, unit, 1);
    Ok((with_servers(text, &top.0, servers, &object, unit), edited))
}

/// The member of that name, unless it is there twice: one of the two would be lost.
fn twice<'t>(members: &[(String, &'t RawValue)], name: &str) -> Result<Option<&'t RawValue>, String> {
    let mut found = members.iter().filter(|(other, _)| other == name).map(|(_, raw)| *raw);
    let first = found.next();
    if found.next().is_some() { Err(format!("\"{name}\" is there twice")) } else { Ok(first) }
}

/// The text with another object of servers.
fn with_servers(
    text: &str,
    top: &[(String, &RawValue)],
    servers: Option<&RawValue>,
    object: &str,
    unit: &str,
) -> String {
    // A file of one line gets lines.
    let is_one_line = !text.trim().contains('\n');
    match servers {
        Some(raw) if !is_one_line => {
            // A borrowed value is a part of the text.
            let at = raw.get().as_ptr() as usize - text.as_ptr() as usize;
            format!("{}{object}{}", &text[..at], &text[at + raw.get().len()..])
        }
        _ => {
            let mut all: Vec<(&str, &str)> = top.iter().map(|(name, raw)| (name.as_str(), raw.get())).collect();
            match all.iter_mut().find(|(name, _)| *name == "mcpServers") {
                Some((_, raw)) => *raw = object,
                None => all.push(("mcpServers", object)),
            }
            let end = if text.ends_with('\n') { "\n" } else { "" };
            format!("{}{end}", self::object(&all, unit, 0))
        }
    }
}

/// What a level is indented by: what the first indented line has.
fn indent_of(text: &str) -> &str {
    let mut indents = text.lines().map(|line| &line[..line.len() - line.trim_start().len()]);
    indents.find(|indent| !indent.is_empty()).unwrap_or("  ")
}

fn object(members: &[(&str, &str)], unit: &str, level: usize) -> String {
    if members.is_empty() {
        return "{}".to_owned();
    }
    let (inner, outer) = (unit.repeat(level + 1), unit.repeat(level));
    let lines = members.iter().map(|(name, raw)| format!("{inner}{}: {raw}", Value::from(*name)));
    format!("{{\n{}\n{outer}}}", lines.collect::<Vec<_>>().join(",\n"))
}

fn pretty(value: &Value, unit: &str, level: usize) -> String {
    let Value::Object(members) = value else { return value.to_string() };
    let texts: Vec<(&str, String)> =
        members.iter().map(|(name, value)| (name.as_str(), pretty(value, unit, level + 1))).collect();
    let members: Vec<(&str, &str)> = texts.iter().map(|(name, text)| (*name, text.as_str())).collect();
    object(&members, unit, level)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use serde_json::json;

    use super::*;

    const TEXT: &str = "{\n\t\"other\": [1.0,  2],\n\t\"mcpServers\": {\n\t\t\"a\": {\"command\":  \"x\"},\n\t\t\"b\": {}\n\t},\n\t\"z\": 1e3\n}\n";

    #[test]
    fn the_rest_of_the_file_stays_as_it_is_written() {
        let put = |name: &str| changed(TEXT, name, |_| Ok(Some(json!({"url": "u", "args": [1]})))).expect("a change");
        let entry = "{\n\t\t\t\"url\": \"u\",\n\t\t\t\"args\": [1]\n\t\t}";
        let (added, edited) = put("c");
        assert_eq!(edited, Edited::Added);
        assert_eq!(added, TEXT.replace("\"b\": {}", &format!("\"b\": {{}},\n\t\t\"c\": {entry}")));
        let (replaced, edited) = put("b");
        assert_eq!(edited, Edited::Replaced);
        assert_eq!(replaced, TEXT.replace("\"b\": {}", &format!("\"b\": {entry}")));
        let (removed, edited) = changed(TEXT, "a", |_| Ok(None)).expect("a change");
        assert_eq!(edited, Edited::Removed);
        assert_eq!(removed, TEXT.replace("\t\t\"a\": {\"command\":  \"x\"},\n", ""));
        assert_eq!(changed(TEXT, "q", |_| Ok(None)).expect("none").1, Edited::Missing);
    }

    #[test]
    fn files_without_servers_get_them() {
        let (text, _) = changed("{}\n", "a", |_| Ok(Some(json!({"command": "x"})))).expect("a change");
        assert_eq!(text, "{\n  \"mcpServers\": {\n    \"a\": {\n      \"command\": \"x\"\n    }\n  }\n}\n");
    }

    #[test]
    fn a_file_of_one_line_gets_lines() {
        let text = r#"{"other": [1.0], "mcpServers": {"b": {"command": "y"}}}"#;
        let (text, _) = changed(text, "a", |_| Ok(Some(json!({"command": "x"})))).expect("a change");
        let servers = "\"b\": {\"command\": \"y\"},\n    \"a\": {\n      \"command\": \"x\"\n    }";
        assert_eq!(text, format!("{{\n  \"other\": [1.0],\n  \"mcpServers\": {{\n    {servers}\n  }}\n}}"));
    }

    #[test]
    fn what_cannot_be_understood_stays() {
        for (text, problem) in [
            ("[]", "the file is no JSON object"),
            ("{\"mcpServers\": []}", "mcpServers must be an object"),
            ("{\"mcpServers\": {\"a\": {}, \"a\": {}}}", "\"a\" is there twice"),
        ] {
            let error = changed(text, "a", |_| Ok(None)).expect_err("an error");
            assert!(error.starts_with(problem), "{error}");
        }
    }

    #[test]
    fn a_file_is_replaced_with_its_permissions_and_links() {
        let folder = tempfile::tempdir().expect("a folder");
        let (file, link) = (folder.path().join("real.json"), folder.path().join("mcp.json"));
        std::fs::write(&file, "{}").expect("a file");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).expect("permissions");
        std::os::unix::fs::symlink(&file, &link).expect("a link");
        assert_eq!(put_server(&link, "a", &json!({"command": "x"})).expect("a change"), Edited::Added);
        assert!(link.is_symlink());
        assert_eq!(file.metadata().expect("a file").permissions().mode() & 0o777, 0o640);
        let keys = json!({"enabled": false, "command": null});
        update_server(&link, "a", keys.as_object().expect("keys")).expect("a change");
        let text = std::fs::read_to_string(&file).expect("a file");
        assert_eq!(
            serde_json::from_str::<Value>(&text).expect("JSON"),
            json!({"mcpServers": {"a": {"enabled": false}}})
        );
    }
}

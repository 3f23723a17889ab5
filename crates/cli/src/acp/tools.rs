//! Tool calls as a client shows them: what kind they are, what they are called, where they work, what they change.

use std::io::Read;
use std::path::Path;

use agent_client_protocol::v1::schema::{
    Content, ContentBlock, Diff, ImageContent, TextContent, ToolCallContent, ToolCallLocation, ToolKind,
};
use serde_json::Value;
use tau_tools::paths::resolve_to_cwd;

/// The longest file that is shown as what a call replaces, in bytes.
const LONGEST_BEFORE: u64 = 1 << 20;

/// What is known of a tool by its name.
struct Row {
    name: &'static str,
    kind: ToolKind,
    title: fn(&Value) -> Option<String>,
    /// The argument that names a file or a folder.
    place: Option<&'static str>,
    /// Its output is no Markdown.
    plain: bool,
}

static ROWS: &[Row] = &[
    Row {
        name: "read",
        kind: ToolKind::Read,
        title: |args| {
            let lines = match (number(args, "offset"), number(args, "limit")) {
                (None, None) => String::new(),
                (from, None) => format!(" from line {}", from.unwrap_or(1)),
                (from, Some(limit)) => {
                    let from = from.unwrap_or(1);
                    format!(" lines {from}–{}", from.saturating_add(limit).saturating_sub(1))
                }
            };
            Some(format!("Read {}{lines}", text(args, "path")?))
        },
        place: Some("path"),
        plain: true,
    },
    Row {
        name: "edit",
        kind: ToolKind::Edit,
        title: |args| Some(format!("Edit {}", text(args, "path")?)),
        place: Some("path"),
        plain: true,
    },
    Row {
        name: "write",
        kind: ToolKind::Edit,
        title: |args| Some(format!("Write {}", text(args, "path")?)),
        place: Some("path"),
        plain: true,
    },
    Row {
        name: "bash",
        kind: ToolKind::Execute,
        title: |args| text(args, "command").map(code),
        place: None,
        plain: true,
    },
    Row {
        name: "grep",
        kind: ToolKind::Search,
        title: |args| Some(format!("Search for {}{}", code(text(args, "pattern")?), inside(args))),
        place: Some("path"),
        plain: true,
    },
    Row {
        name: "find",
        kind: ToolKind::Search,
        title: |args| Some(format!("Find {}{}", code(text(args, "pattern")?), inside(args))),
        place: Some("path"),
        plain: true,
    },
    Row {
        name: "ls",
        kind: ToolKind::Search,
        title: |args| Some(format!("List {}", text(args, "path").unwrap_or("."))),
        place: Some("path"),
        plain: true,
    },
];

fn row(name: &str) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.name == name)
}

fn text<'a>(args: &'a Value, key: &str) -> Option<&'a str> {
    args.get(key)?.as_str()
}

fn number(args: &Value, key: &str) -> Option<u64> {
    let number = args.get(key)?;
    // Models send whole numbers in either form.
    number.as_u64().or_else(|| number.as_f64().filter(|number| *number >= 0.0).map(|number| number as u64))
}

fn inside(args: &Value) -> String {
    text(args, "path").map(|path| format!(" in {path}")).unwrap_or_default()
}

/// A text as code within a line.
fn code(text: &str) -> String {
    let line = text.trim().replace('\n', " ⏎ ");
    let fence = "`".repeat(longest_run(&line) + 1);
    let space = if line.starts_with('`') || line.ends_with('`') { " " } else { "" };
    format!("{fence}{space}{line}{space}{fence}")
}

/// The kind of a tool.
pub(super) fn kind(name: &str) -> ToolKind {
    row(name).map_or(ToolKind::Other, |row| row.kind)
}

/// What a call is called; `label` is the tool's name for people.
pub(super) fn title(name: &str, label: &str, args: &Value) -> String {
    row(name).and_then(|row| (row.title)(args)).unwrap_or_else(|| label.to_owned())
}

/// Where a call works.
pub(super) fn locations(name: &str, args: &Value, cwd: &Path) -> Vec<ToolCallLocation> {
    let place = row(name).and_then(|row| row.place).and_then(|key| text(args, key));
    let line = number(args, "offset").and_then(|line| u32::try_from(line).ok());
    place.map(|place| ToolCallLocation::new(resolve_to_cwd(place, cwd)).line(line)).into_iter().collect()
}

/// What a call is going to change. Looks at the disk, so it is asked before the call runs.
pub(super) fn changes(name: &str, args: &Value, cwd: &Path) -> Vec<ToolCallContent> {
    let Some(path) = text(args, "path").map(|path| resolve_to_cwd(path, cwd)) else { return Vec::new() };
    match name {
        "edit" => edits(args, &path),
        "write" => text(args, "content").and_then(|content| overwrite(&path, content)).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// The replacements of an edit. Models send a list, the list as text, or a single one.
fn edits(args: &Value, path: &Path) -> Vec<ToolCallContent> {
    let parsed = args.get("edits").and_then(Value::as_str).and_then(|text| serde_json::from_str::<Value>(text).ok());
    let list = parsed.as_ref().or(args.get("edits"));
    let single = [args.clone()];
    let edits = list.and_then(Value::as_array).map_or(&single[..], Vec::as_slice);
    let diff = |edit: &Value| {
        let (old, new) = (text(edit, "oldText")?, text(edit, "newText")?);
        Some(ToolCallContent::Diff(Diff::new(path, new).old_text(old.to_owned())))
    };
    edits.iter().filter_map(diff).collect()
}

fn overwrite(path: &Path, content: &str) -> Option<ToolCallContent> {
    let before = match std::fs::File::open(path) {
        Ok(file) => {
            let mut text = String::new();
            let read = file.take(LONGEST_BEFORE + 1).read_to_string(&mut text);
            // Without what was there the client would take it for a new file.
            read.ok().filter(|length| *length as u64 <= LONGEST_BEFORE)?;
            Some(text)
        }
        Err(_) => None,
    };
    Some(ToolCallContent::Diff(Diff::new(path, content).old_text(before)))
}

/// The content of a result: `{content: […]}`, as events carry it.
pub(super) fn result_content(name: &str, result: &Value) -> Vec<ToolCallContent> {
    let plain = row(name).is_some_and(|row| row.plain);
    let blocks = result.get("content").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let block = |block: &Value| match text(block, "type")? {
        "text" => {
            let text = text(block, "text").filter(|text| !text.is_empty())?;
            let text = if plain { fenced(text) } else { text.to_owned() };
            Some(ContentBlock::Text(TextContent::new(text)))
        }
        "image" => Some(ContentBlock::Image(ImageContent::new(text(block, "data")?, text(block, "mimeType")?))),
        _ => None,
    };
    blocks.iter().filter_map(block).map(|block| ToolCallContent::Content(Content::new(block))).collect()
}

/// Where a file was changed, if the result knows the line.
pub(super) fn changed_at(locations: &[ToolCallLocation], result: &Value) -> Option<Vec<ToolCallLocation>> {
    let line = number(result.get("details")?, "firstChangedLine").and_then(|line| u32::try_from(line).ok())?;
    (!locations.is_empty()).then(|| locations.iter().map(|location| location.clone().line(line)).collect())
}

/// A result for programs. Pictures are in the content already and are not sent twice. The result as data is for tools that
/// call the tool; a session that is opened again has none.
pub(super) fn raw_output(result: &Value) -> Value {
    let mut result = result.clone();
    if let Some(fields) = result.as_object_mut() {
        fields.shift_remove("structuredContent");
    }
    for block in result.get_mut("content").and_then(Value::as_array_mut).into_iter().flatten() {
        if text(block, "type") == Some("image")
            && let Some(fields) = block.as_object_mut()
        {
            fields.shift_remove("data");
        }
    }
    result
}

/// Whether this shows a change to a file.
pub(super) fn is_diff(content: &ToolCallContent) -> bool {
    matches!(content, ToolCallContent::Diff(_))
}

/// A text as it is, where Markdown is expected.
pub(super) fn fenced(text: &str) -> String {
    let fence = "`".repeat(longest_run(text).max(2) + 1);
    format!("{fence}\n{}\n{fence}", text.trim_end_matches('\n'))
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn calls_are_named_by_what_they_do() {
        let named = |name: &str, args: Value| title(name, "Label", &args);
        assert_eq!(named("read", json!({"path": "a.rs"})), "Read a.rs");
        assert_eq!(named("read", json!({"path": "a.rs", "offset": 5.0})), "Read a.rs from line 5");
        assert_eq!(named("read", json!({"path": "a.rs", "offset": 5, "limit": 10})), "Read a.rs lines 5–14");
        assert_eq!(named("bash", json!({"command": "ls\npwd"})), "`ls ⏎ pwd`");
        assert_eq!(named("bash", json!({"command": "echo `pwd`"})), "`` echo `pwd` ``");
        assert_eq!(named("grep", json!({"pattern": "x", "path": "src"})), "Search for `x` in src");
        assert_eq!(named("ls", json!({})), "List .");
        assert_eq!(named("edit", json!({})), "Label");
        assert_eq!(named("deploy", json!({"path": "a"})), "Label");
    }

    #[test]
    fn a_fence_is_longer_than_what_it_holds() {
        assert_eq!(fenced("a\n"), "```\na\n```");
        assert_eq!(fenced("````\nx"), "`````\n````\nx\n`````");
    }

    #[test]
    fn edits_come_in_several_forms() {
        let diff = || ToolCallContent::Diff(Diff::new("/w/a", "new").old_text("old".to_owned()));
        let edit = json!({"oldText": "old", "newText": "new"});
        let cwd = Path::new("/w");
        assert_eq!(changes("edit", &json!({"path": "a", "edits": [edit, edit]}), cwd), [diff(), diff()]);
        assert_eq!(changes("edit", &json!({"path": "a", "edits": format!("[{edit}]")}), cwd), [diff()]);
        assert_eq!(changes("edit", &json!({"path": "a", "oldText": "old", "newText": "new"}), cwd), [diff()]);
        assert_eq!(changes("edit", &json!({"path": "a", "edits": 5}), cwd), []);
        assert_eq!(changes("read", &json!({"path": "a"}), cwd), []);
    }
}

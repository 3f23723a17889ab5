//! Adding a rule to a file's text and taking it out again. Everything else stays as it is, with its comments.

use std::path::Path;

use crate::rules::document::{Field, Node, Value, read};
use crate::rules::problem::{Fault, Problem};
use crate::rules::verdict::Edit;
use crate::rules::{RuleFile, rewrite::apply};
use crate::site::Span;

/// The text of a rule file with one more rule at the end of its list; an empty text is a new file.
///
/// # Errors
/// When the text is no rule file, before or after.
pub fn with_rule(path: &Path, text: &str, rule: &serde_json::Value) -> Result<String, Problem> {
    if text.trim().is_empty() {
        let new = format!("{{\n  \"rules\": [\n    {rule}\n  ]\n}}\n");
        return RuleFile::parse(path, &new).map(|_| new);
    }
    RuleFile::parse(path, text)?;
    let fault = |fault: Fault| fault.in_file(path, text);
    let whole = read(text).map_err(fault)?;
    let fields = whole.object("a rule file").map_err(fault)?;
    let list = fields.iter().find(|field| field.key == "rules");
    let edit = match list {
        Some(Field { node, .. }) => {
            let items = node.list("\"rules\"").map_err(fault)?;
            inserted(text, node, items.last(), &rule.to_string(), "    ")
        }
        None => {
            let last = fields.last().map(|field| &field.node);
            inserted(text, &whole, last, &format!("\"rules\": [\n    {rule}\n  ]"), "  ")
        }
    };
    let new = apply(text, &edit);
    RuleFile::parse(path, &new).map(|_| new)
}

/// Something new behind the last of a list or an object.
fn inserted(text: &str, whole: &Node, last: Option<&Node>, new: &str, indent: &str) -> Vec<Edit> {
    let at = |at: usize, text: String| Edit { span: Span { start: at, end: at }, text };
    let Some(last) = last else {
        // A comment in an empty list stays in front.
        let close = whole.span.end.saturating_sub(1);
        let inside = text.get(..close).unwrap_or_default();
        let end = inside.trim_end().len();
        let has_line = inside.get(end..).is_some_and(|blanks| blanks.contains('\n'));
        let after = if has_line { String::new() } else { format!("\n{}", indent.get(2..).unwrap_or_default()) };
        return vec![at(end, format!("\n{indent}{new}{after}"))];
    };
    let end = last.span.end;
    let new = format!("\n{indent}{new}");
    match comma_after(text, end) {
        Some(comma) => vec![at(behind_comment(text, comma + 1), new)],
        None => vec![at(end, ",".to_owned()), at(behind_comment(text, end), new)],
    }
}

/// The end of a comment that ends the line, so that it stays with what it is about; else the same place.
fn behind_comment(text: &str, at: usize) -> usize {
    let line = text.get(at..).and_then(|rest| rest.split('\n').next()).unwrap_or_default();
    let line = line.trim_end();
    if line.trim_start().starts_with("//") { at + line.len() } else { at }
}

/// Where a comma stands behind a value, with nothing but blanks and comments between.
fn comma_after(text: &str, end: usize) -> Option<usize> {
    let mut at = end;
    loop {
        let rest = text.get(at..)?;
        let blanks = rest.len() - rest.trim_start().len();
        let rest = rest.trim_start();
        at += blanks;
        if rest.starts_with(',') {
            return Some(at);
        } else if rest.starts_with("//") {
            at += rest.find('\n')?;
        } else if rest.starts_with("/*") {
            at += rest.find("*/")? + 2;
        } else {
            return None;
        }
    }
}

/// The text of a rule file without one of its rules; `None` if it has none with this id.
///
/// # Errors
/// When the text is no rule file, before or after.
pub fn without_rule(path: &Path, text: &str, id: &str) -> Result<Option<String>, Problem> {
    RuleFile::parse(path, text)?;
    let whole = read(text).map_err(|fault| fault.in_file(path, text))?;
    let Value::Object(fields) = &whole.value else { return Ok(None) };
    let Some(Value::List(items)) = fields.iter().find(|field| field.key == "rules").map(|field| &field.node.value)
    else {
        return Ok(None);
    };
    let Some(index) = items.iter().position(|item| has_id(item, id)) else { return Ok(None) };
    let Some(item) = items.get(index) else { return Ok(None) };
    let mut edits = Vec::new();
    let mut end = item.span.end;
    match comma_after(text, end) {
        Some(comma) if text.get(end..comma).is_some_and(|between| between.trim().is_empty()) => end = comma + 1,
        Some(comma) => edits.push(Edit { span: Span { start: comma, end: comma + 1 }, text: String::new() }),
        None => {}
    }
    // A line of its own is removed as a whole.
    let before = text.get(..item.span.start).unwrap_or_default();
    let start = before.trim_end_matches([' ', '\t']).len();
    let start = if before.get(..start).is_some_and(|before| before.ends_with('\n')) { start } else { item.span.start };
    let rest = text.get(end..).unwrap_or_default();
    let line_end = if start < item.span.start && rest.starts_with('\n') { end + 1 } else { end };
    edits.insert(0, Edit { span: Span { start, end: line_end }, text: String::new() });
    let new = apply(text, &edits);
    RuleFile::parse(path, &new).map(|_| Some(new))
}

fn has_id(item: &Node, id: &str) -> bool {
    let Value::Object(fields) = &item.value else { return false };
    fields.iter().any(|field| field.key == "id" && field.node.value == Value::Text(id.to_owned()))
}

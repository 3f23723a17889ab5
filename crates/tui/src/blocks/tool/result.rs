//! Results of tools, taken apart: what was put out, what is said about it, and how it ended.

use serde_json::Value;

/// How the bash tool says that a command did not end well.
const ENDINGS: [&str; 4] =
    ["Command exited with code ", "Command aborted", "Command timed out after ", "Command terminated without "];

/// A result, for people.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Shown {
    /// What the tool put out, without what it says about it to the model.
    pub(super) output: String,
    /// All of its text.
    pub(super) whole: String,
    /// What was left out, and why.
    pub(super) notes: Vec<String>,
    /// How a command ended, if not well.
    pub(super) ending: Option<String>,
    /// Whether there is something else than text.
    pub(super) has_images: bool,
}

/// The texts of a result; other content by its type.
pub(super) fn texts(value: &Value) -> String {
    joined(value, true)
}

/// The texts of a result; other content by its type, but images only if they are to be `named`.
fn joined(value: &Value, named: bool) -> String {
    let content = match value.get("content") {
        Some(Value::Array(blocks)) => blocks.as_slice(),
        Some(Value::String(text)) => return text.clone(),
        _ => return value.as_str().unwrap_or_default().to_owned(),
    };
    let texts: Vec<String> = content.iter().filter(|block| named || !is_image(block)).filter_map(block).collect();
    texts.join("\n")
}

fn block(block: &Value) -> Option<String> {
    let text = |name: &str| block.get(name).and_then(Value::as_str);
    match (text("type"), text("text")) {
        (_, Some(text)) => Some(text.to_owned()),
        (Some("image"), None) => Some(format!("[{}]", text("mimeType").unwrap_or("image"))),
        (Some(other), None) => Some(format!("[{other}]")),
        (None, None) => block.as_str().map(str::to_owned),
    }
}

fn is_image(block: &Value) -> bool {
    block.get("type").and_then(Value::as_str) == Some("image")
}

/// Takes a result apart. Images have a place in its text if they are to be `named` there.
pub(super) fn shown(value: &Value, failed: bool, named: bool) -> Shown {
    let whole = joined(value, named);
    let details = value.get("details").unwrap_or(&Value::Null);
    let notes = notes(details);
    let mut output = whole.trim_end();
    let mut ending = None;
    if failed && let Some((before, last)) = last_paragraph(output).filter(|(_, last)| is_ending(last)) {
        ending = Some(last.to_owned());
        output = before;
    }
    // What the model reads about the limits is in the details too.
    if !notes.is_empty()
        && let Some((before, _)) = last_paragraph(output).filter(|(_, last)| is_notice(last))
    {
        output = before;
    }
    let has_images = value.get("content").and_then(Value::as_array).is_some_and(|blocks| blocks.iter().any(is_image));
    Shown { output: output.to_owned(), whole: whole.clone(), notes, ending, has_images }
}

/// The last paragraph, and what is before it.
fn last_paragraph(text: &str) -> Option<(&str, &str)> {
    match text.rsplit_once("\n\n") {
        Some((before, last)) => Some((before, last)),
        None => (!text.is_empty()).then_some(("", text)),
    }
}

fn is_ending(text: &str) -> bool {
    !text.contains('\n') && ENDINGS.iter().any(|ending| text.starts_with(ending))
}

fn is_notice(text: &str) -> bool {
    !text.contains('\n') && text.starts_with('[') && text.ends_with(']')
}

fn notes(details: &Value) -> Vec<String> {
    let number = |value: &Value, name: &str| value.get(name).and_then(Value::as_u64);
    let mut notes = Vec::new();
    let mut limits = Vec::new();
    for (name, what) in
        [("matchLimitReached", "matches"), ("resultLimitReached", "results"), ("entryLimitReached", "entries")]
    {
        limits.extend(number(details, name).map(|limit| format!("{limit} {what} limit")));
    }
    if details.get("linesTruncated") == Some(&Value::Bool(true)) {
        limits.push("long lines".to_owned());
    }
    if let Some(cut) = details.get("truncation").filter(|cut| cut.get("truncated") == Some(&Value::Bool(true))) {
        let bytes = number(cut, "maxBytes").map(|bytes| format!("{} limit", size(bytes)));
        let by_bytes = cut.get("truncatedBy").and_then(Value::as_str) == Some("bytes");
        let kept = number(cut, "outputLines").zip(number(cut, "totalLines"));
        if cut.get("firstLineExceedsLimit") == Some(&Value::Bool(true)) {
            limits.push(format!("the first line is over the {}", bytes.unwrap_or_else(|| "limit".to_owned())));
        } else if let Some((kept, total)) = kept.filter(|(kept, total)| kept < total && limits.is_empty()) {
            let why = bytes.filter(|_| by_bytes).map(|limit| format!(" ({limit})")).unwrap_or_default();
            limits.push(format!("showing {kept} of {total} lines{why}"));
        } else {
            limits.push(bytes.unwrap_or_else(|| "limit reached".to_owned()));
        }
    }
    if !limits.is_empty() {
        notes.push(format!("Truncated: {}", limits.join(", ")));
    }
    if let Some(path) = details.get("fullOutputPath").and_then(Value::as_str) {
        notes.push(format!("Full output: {path}"));
    }
    notes
}

/// A number of bytes, in kilobytes from one on.
fn size(bytes: u64) -> String {
    if bytes < 1024 {
        return format!("{bytes}B");
    }
    let tenths = (u128::from(bytes) * 10 + 512) / 1024;
    if tenths.is_multiple_of(10) { format!("{}KB", tenths / 10) } else { format!("{}.{}KB", tenths / 10, tenths % 10) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn content(text: &str) -> Value {
        json!([{ "type": "text", "text": text }])
    }

    #[test]
    fn what_is_said_to_the_model_is_told_from_the_output() {
        let cut = json!({ "truncated": true, "truncatedBy": "lines", "outputLines": 2000, "totalLines": 5000,
            "maxBytes": 51200, "firstLineExceedsLimit": false });
        let text = "1\n2\n\n[Showing lines 3001-5000 of 5000. Full output: /tmp/x.log]\n\nCommand exited with code 3";
        let value =
            json!({ "content": content(text), "details": { "truncation": cut, "fullOutputPath": "/tmp/x.log" } });
        let found = shown(&value, true, true);
        assert_eq!(found.output, "1\n2");
        assert_eq!(found.ending.as_deref(), Some("Command exited with code 3"));
        assert_eq!(found.notes, ["Truncated: showing 2000 of 5000 lines", "Full output: /tmp/x.log"]);
        let found = shown(&value, false, true);
        assert_eq!((found.ending, found.output.ends_with("code 3")), (None, true));
    }

    #[test]
    fn output_that_looks_like_a_notice_stays_without_details() {
        let found = shown(&json!({ "content": content("a\n\n[b]") }), false, true);
        assert_eq!(found.output, "a\n\n[b]");
        assert_eq!(found.notes, [""; 0]);
    }

    #[test]
    fn limits_of_lists_are_told() {
        let details = json!({ "matchLimitReached": 100, "linesTruncated": true,
            "truncation": { "truncated": true, "truncatedBy": "bytes", "maxBytes": 51200 } });
        assert_eq!(notes(&details), ["Truncated: 100 matches limit, long lines, 50KB limit"]);
        assert_eq!(notes(&json!({ "entryLimitReached": 5 })), ["Truncated: 5 entries limit"]);
        assert_eq!(notes(&json!("x")), [""; 0]);
        assert_eq!([size(512), size(51200), size(1536)], ["512B", "50KB", "1.5KB"]);
    }

    #[test]
    fn any_shape_of_content_has_a_text() {
        assert_eq!(
            texts(&json!({ "content": ["a", { "type": "image", "mimeType": "image/png" }, 3, {}] })),
            "a\n[image/png]"
        );
        assert_eq!(texts(&json!({ "content": "a" })), "a");
        assert_eq!(texts(&json!("a")), "a");
        assert_eq!(texts(&json!(null)), "");
    }
}

use serde_json::json;
use tempfile::TempDir;

use super::*;

fn origin(folder: &TempDir) -> Origin {
    Origin {
        server: "s".to_owned(),
        tool: "t".to_owned(),
        reads_resources: true,
        folder: Some(folder.path().to_owned()),
    }
}

fn texts(output: &ToolOutput) -> Vec<&str> {
    output.content.iter().filter_map(ContentBlock::as_text).collect()
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

/// One white pixel.
const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

#[test]
fn every_kind_of_block_is_told() {
    let folder = folder();
    let blocks = json!([
        {"type": "text", "text": "one"},
        {"type": "image", "data": PIXEL, "mimeType": "image/png"},
        {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"},
        {"type": "resource_link", "uri": "docs://a", "name": "a", "title": "A\n]", "mimeType": "text/plain", "size": 12,
            "description": "about"},
        {"type": "resource", "resource": {"uri": "docs://b", "text": "two"}},
        {"type": "resource", "resource": {"uri": "docs://c", "mimeType": "application/json", "blob": "e30="}},
        {"type": "later", "x": 1},
    ]);
    let output = of_call(&origin(&folder), json!({"content": blocks, "_meta": {"secret": 1}}));
    assert_eq!(
        texts(&output),
        [
            "one",
            "[audio audio/wav omitted]",
            "[Resource docs://a \"A ]\" (text/plain, 12B): about. Read it with read_mcp_resource (server \"s\")]",
            "two",
            "{}",
            "{\"type\":\"later\",\"x\":1}",
        ]
    );
    assert!(matches!(&output.content[1], ContentBlock::Image(image) if image.data == PIXEL));
    assert_eq!(output.details, Some(json!({"server": "s", "tool": "t"})));
    assert_eq!(output.structured_content, Some(json!({"content": blocks})));
    assert!(!output.is_error);
}

#[test]
fn binary_resources_are_in_files() {
    let folder = folder();
    let block = json!({"type": "resource", "resource": {"uri": "file:///x/../a.pdf", "mimeType": "application/pdf", "blob": "AAEC"}});
    let output = of_call(&origin(&folder), json!({"content": [block]}));
    let text = texts(&output).remove(0);
    let path = text.strip_prefix("[Binary resource file:///x/../a.pdf (application/pdf, 3B) saved to ");
    let path = Path::new(path.and_then(|path| path.strip_suffix(']')).expect("a path"));
    assert_eq!(std::fs::read(path).expect("a file"), [0, 1, 2]);
    assert!(path.extension().is_some_and(|ending| ending == "pdf") && path.parent() == Some(folder.path()));
    let odd = json!({"type": "resource", "resource": {"uri": "x.a/b", "blob": "AAEC"}});
    let output = of_call(&origin(&folder), json!({"content": [odd]}));
    assert!(texts(&output).remove(0).ends_with(".bin]"));
}

#[test]
fn long_text_keeps_both_ends_and_the_whole_in_a_file() {
    let folder = folder();
    let long = format!("begin{}{}end", "ä".repeat(20_000), "\nline".repeat(2_000));
    let answer =
        json!({"content": [{"type": "text", "text": long}, {"type": "image", "data": PIXEL, "mimeType": "image/png"}]});
    let output = of_call(&origin(&folder), answer.clone());
    let text = texts(&output).remove(0).to_owned();
    let details = output.details.clone().expect("details");
    let path = details["fullOutputPath"].as_str().expect("a path");
    let head = format!(
        "Warning: truncated output (original token count: {})\nTotal output lines: 2001\n\nbeginä",
        long.len().div_ceil(4)
    );
    assert!(text.starts_with(&head), "{}", &text[..200]);
    assert!(text.ends_with(&format!("lineend\n\n[Full output: {path} (read it with offset/limit)]")));
    assert!(text.contains(" chars truncated…") && text.len() < 21_000);
    assert_eq!(std::fs::read_to_string(path).expect("a file"), long);
    assert_eq!(output.content.len(), 2);
    assert_eq!(output.structured_content, Some(answer));
}

#[test]
fn errors_say_something() {
    let folder = folder();
    let output = of_call(&origin(&folder), json!({"isError": true, "content": []}));
    assert_eq!((texts(&output), output.is_error), (vec!["MCP tool s/t returned an error"], true));
    let output = of_call(&origin(&folder), json!({"structuredContent": {"a": 1}}));
    assert_eq!(texts(&output), ["{\"a\":1}"]);
    let output =
        of_call(&origin(&folder), json!({"content": [{"type": "image", "data": "%%", "mimeType": "image/png"}]}));
    assert_eq!(texts(&output), ["[image omitted: its data is damaged]"]);
    let output = of_call(&origin(&folder), json!([1]));
    assert_eq!(
        texts(&output),
        ["MCP tool s/t answered with what is no result of a tool: its content is no list. The answer: [1]"]
    );
}

#[test]
fn resources_are_told_apart() {
    let folder = folder();
    let contents = vec![json!({"uri": "a", "text": "1", "_meta": {}}), json!({"uri": "b", "text": "2"})];
    let output = of_resource(&origin(&folder), "x", contents);
    assert_eq!(texts(&output), ["a:", "1", "b:", "2"]);
    let data = json!({"server": "s", "uri": "x", "contents": [{"uri": "a", "text": "1"}, {"uri": "b", "text": "2"}]});
    assert_eq!(output.structured_content, Some(data));
    assert_eq!(texts(&of_resource(&origin(&folder), "x", vec![])), ["Resource x is empty."]);
}

#[test]
fn what_is_no_result_is_an_error() {
    let folder = folder();
    for (answer, told) in [
        (json!({"content": "text"}), "its content is no list"),
        (json!({"content": null}), "its content is no list"),
        (json!({}), "its content is no list"),
        (json!([]), "its content is no list"),
        (json!({"resultType": "input_required", "content": []}), "a result of the type \"input_required\""),
    ] {
        let output = of_call(&origin(&folder), answer.clone());
        assert!(output.is_error && texts(&output)[0].contains(told), "{answer}: {:?}", texts(&output));
    }
    for answer in [json!({"content": []}), json!({"structuredContent": {"a": 1}, "resultType": "complete"})] {
        assert!(!of_call(&origin(&folder), answer.clone()).is_error, "{answer}");
    }
}

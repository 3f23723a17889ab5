//! The blocks of an answer as those of a message.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use tau_ai::{ContentBlock, ImageBlock};
use tau_tools::image::{ResizeLimits, prepare_image};
use tau_tools::truncate::format_size;
use url::Url;

use super::Origin;
use crate::summary::one_line;

/// Most pictures of one answer that a model gets.
const PICTURES: usize = 20;

/// What a model gets of the blocks of an answer.
pub(crate) fn content_of(origin: &Origin, blocks: &[Value]) -> Vec<ContentBlock> {
    let mut pictures = 0;
    blocks
        .iter()
        .map(|block| {
            let content = content(origin, block);
            if !matches!(content, ContentBlock::Image(_)) {
                return content;
            }
            pictures += 1;
            if pictures > PICTURES { ContentBlock::text("[image omitted: there are too many]") } else { content }
        })
        .collect()
}

fn text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key).and_then(Value::as_str)
}

fn content(origin: &Origin, block: &Value) -> ContentBlock {
    match text(block, "type") {
        Some("text") => ContentBlock::text(text(block, "text").unwrap_or_default()),
        Some("image") => picture(text(block, "data").unwrap_or_default(), text(block, "mimeType")),
        Some("audio") => {
            let kind = one_line(text(block, "mimeType").unwrap_or("of unknown type"), 100);
            ContentBlock::text(format!("[audio {kind} omitted]"))
        }
        Some("resource_link") => ContentBlock::text(link(origin, block)),
        Some("resource") => resource(origin, block.get("resource").unwrap_or(&Value::Null)),
        // Of a newer version of the protocol.
        _ => ContentBlock::text(block.to_string()),
    }
}

/// A picture that providers take; a note in its place where it is none or too large.
fn picture(data: &str, kind: Option<&str>) -> ContentBlock {
    let kind = kind.unwrap_or("image/png");
    let Ok(bytes) = STANDARD.decode(data) else { return ContentBlock::text("[image omitted: its data is damaged]") };
    match prepare_image(bytes, kind, Some(ResizeLimits::default())) {
        Ok(image) => {
            ContentBlock::Image(ImageBlock { data: image.data, mime_type: image.mime_type, ..ImageBlock::default() })
        }
        Err(error) => ContentBlock::text(format!("[image omitted: {}]", one_line(&error.to_string(), 200))),
    }
}

fn link(origin: &Origin, block: &Value) -> String {
    let line = |key: &str, most: usize| text(block, key).map(|text| one_line(text, most));
    let uri = line("uri", 2_000).unwrap_or_default();
    let name = line("title", 200).or_else(|| line("name", 200)).unwrap_or_default();
    let size = block.get("size").and_then(Value::as_u64).map(format_size);
    let facts: Vec<String> = line("mimeType", 100).into_iter().chain(size).collect();
    let facts = if facts.is_empty() { String::new() } else { format!(" ({})", facts.join(", ")) };
    let about = line("description", 500).filter(|text| !text.is_empty()).map(|text| format!(": {text}"));
    let read = if origin.reads_resources {
        format!(". Read it with read_mcp_resource (server \"{}\")", origin.server)
    } else {
        String::new()
    };
    format!("[Resource {uri} \"{name}\"{facts}{}{read}]", about.unwrap_or_default())
}

fn resource(origin: &Origin, resource: &Value) -> ContentBlock {
    if let Some(text) = text(resource, "text") {
        return ContentBlock::text(text);
    }
    let (uri, kind) = (text(resource, "uri").unwrap_or_default(), text(resource, "mimeType"));
    let shown = one_line(uri, 2_000);
    let Some(blob) = text(resource, "blob") else { return ContentBlock::text(format!("[Resource {shown} is empty]")) };
    if kind.is_some_and(|kind| kind.starts_with("image/")) {
        return picture(blob, kind);
    }
    let Ok(bytes) = STANDARD.decode(blob) else {
        return ContentBlock::text(format!("[Binary resource {shown} omitted: its data is damaged]"));
    };
    if kind.is_some_and(is_text) {
        return ContentBlock::text(String::from_utf8_lossy(&bytes).into_owned());
    }
    let about = format!("{}, {}", one_line(kind.unwrap_or("unknown type"), 100), format_size(bytes.len() as u64));
    ContentBlock::text(match origin.keep(&bytes, &ending_of(uri)) {
        Ok(path) => format!("[Binary resource {shown} ({about}) saved to {}]", path.display()),
        Err(error) => format!("[Binary resource {shown} ({about}) could not be saved: {error}]"),
    })
}

fn is_text(kind: &str) -> bool {
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    kind.starts_with("text/") || kind == "application/json" || kind.ends_with("+json") || kind.ends_with("+xml")
}

/// What the file is called in the end: as the address, if that is a short plain word.
fn ending_of(uri: &str) -> String {
    let path = Url::parse(uri).map_or_else(|_| uri.to_owned(), |url| url.path().to_owned());
    let ending = path.rsplit_once('.').map(|(_, ending)| ending);
    let is_plain = |ending: &&str| (1..=8).contains(&ending.len()) && ending.chars().all(|c| c.is_ascii_alphanumeric());
    ending.filter(is_plain).map_or_else(|| ".bin".to_owned(), |ending| format!(".{ending}"))
}

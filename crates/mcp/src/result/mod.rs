//! What a model and a script read of what a server answers. Everything in it is foreign.

mod blocks;
mod cut;
mod schema;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tau_ai::ContentBlock;
use tau_tools::ToolOutput;

pub use schema::result_schema;

pub(crate) use self::blocks::content_of;
use self::cut::cut;
use crate::summary::one_line;

/// Whose answer it is, and where what is too long for the model goes.
#[derive(Debug, Clone)]
pub struct Origin {
    /// The server.
    pub server: String,
    /// The tool, by the server's name for it.
    pub tool: String,
    /// Whether the model can read resources of the server.
    pub reads_resources: bool,
    /// The folder for files; the system's folder for temporary files otherwise.
    pub folder: Option<PathBuf>,
}

impl Origin {
    /// Keeps something in a file that only the user can read.
    fn keep(&self, content: &[u8], ending: &str) -> io::Result<PathBuf> {
        let folder = self.folder.clone().unwrap_or_else(std::env::temp_dir);
        let mut file = tempfile::Builder::new().prefix("tau-mcp-").suffix(ending).rand_bytes(16).tempfile_in(folder)?;
        file.write_all(content)?;
        file.keep().map(|(_, path)| path).map_err(|error| error.error)
    }

    fn details(&self, full: Option<&Path>) -> Value {
        let mut details = json!({ "server": self.server, "tool": self.tool });
        if let Some(full) = full {
            details["fullOutputPath"] = json!(full.to_string_lossy());
        }
        details
    }

    /// Content of bounded length; the whole text is in a file then.
    fn bounded(&self, content: Vec<ContentBlock>, data: Value) -> ToolOutput {
        let (content, full) = cut(content, |text| self.keep(text.as_bytes(), ".txt"));
        ToolOutput { content, details: Some(self.details(full.as_deref())), ..ToolOutput::default() }
            .with_structured_content(data)
    }
}

/// The result of a call. Scripts get all of it, uncut. Writes files, so it blocks.
pub fn of_call(origin: &Origin, answer: Value) -> ToolOutput {
    let mut answer = match answer {
        Value::Object(answer) => answer,
        other => return malformed(origin, None, other),
    };
    answer.remove("_meta");
    // Says nothing to a caller who asked for a result, unless it is another kind of answer.
    let kind = answer.remove("resultType");
    let is_other = kind.as_ref().and_then(Value::as_str).is_some_and(|kind| kind != "complete");
    let has_data = answer.get("structuredContent").is_some_and(|data| !data.is_null());
    if is_other || !(has_data || answer.get("content").is_some_and(Value::is_array)) {
        return malformed(origin, kind.filter(|_| is_other), Value::Object(answer));
    }
    if !answer.get("content").is_some_and(Value::is_array) {
        answer.insert("content".to_owned(), json!([]));
    }
    let is_error = answer.get("isError").and_then(Value::as_bool).unwrap_or(false);
    let blocks = answer.get("content").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let mut content = content_of(origin, blocks);
    if content.is_empty()
        && let Some(data) = answer.get("structuredContent").filter(|data| !data.is_null())
    {
        content.push(ContentBlock::text(data.to_string()));
    }
    if is_error && content.iter().filter_map(ContentBlock::as_text).all(|text| text.trim().is_empty()) {
        content.push(ContentBlock::text(format!("MCP tool {}/{} returned an error", origin.server, origin.tool)));
    }
    ToolOutput { is_error, ..origin.bounded(content, Value::Object(answer)) }
}

/// What stands for an answer that is no result.
fn malformed(origin: &Origin, kind: Option<Value>, answer: Value) -> ToolOutput {
    let what = match kind.as_ref().and_then(Value::as_str) {
        Some(kind) => format!("a result of the type \"{}\", which tau does not know", one_line(kind, 100)),
        None => "what is no result of a tool: its content is no list".to_owned(),
    };
    let text = format!("MCP tool {}/{} answered with {what}. The answer: {answer}", origin.server, origin.tool);
    ToolOutput { is_error: true, ..origin.bounded(vec![ContentBlock::text(text)], answer) }
}

/// A list or another answer in JSON.
pub fn of_json(origin: &Origin, data: Value) -> ToolOutput {
    origin.bounded(vec![ContentBlock::text(data.to_string())], data)
}

/// The contents of a resource. Where there are several, each has its address in front.
pub fn of_resource(origin: &Origin, uri: &str, contents: Vec<Value>) -> ToolOutput {
    let has_several = contents.len() > 1;
    let mut blocks = Vec::new();
    for resource in &contents {
        if has_several {
            let uri = resource.get("uri").and_then(Value::as_str).unwrap_or_default();
            blocks.push(json!({ "type": "text", "text": format!("{uri}:") }));
        }
        blocks.push(json!({ "type": "resource", "resource": resource }));
    }
    let mut content = content_of(origin, &blocks);
    if content.is_empty() {
        content.push(ContentBlock::text(format!("Resource {uri} is empty.")));
    }
    let contents: Vec<Value> = contents
        .into_iter()
        .map(|mut resource| {
            if let Some(resource) = resource.as_object_mut() {
                resource.remove("_meta");
            }
            resource
        })
        .collect();
    origin.bounded(content, json!({ "server": origin.server, "uri": uri, "contents": contents }))
}

#[cfg(test)]
mod tests;

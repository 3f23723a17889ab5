//! The read tool: shows a text file, or a picture, to the model.

mod lines;
mod operations;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};
use tau_ai::ContentBlock;
use tokio::io::AsyncReadExt;

pub use operations::{FileStream, LocalRead, Opened, ReadOperations};

use crate::image::{MAX_IMAGE_FILE, ResizeLimits, prepare_image};
use crate::paths::resolve_to_cwd;
use crate::support::{PREFERS_STRICT, blocking, count, js_number, parse_args, tool_spec, unless_aborted};
use crate::truncate::{DEFAULT_MAX_BYTES, TruncatedBy, format_size};
use crate::{Invocation, OpError, Tool, ToolFailure, ToolOutput, ToolSpec};

/// Supplies a line to add when a picture is read, such as that the model cannot see it.
pub type ImageNote = Arc<dyn Fn() -> Option<String> + Send + Sync>;

/// What pictures have to fit right now; `None` sends them as they are.
pub type ImageLimits = Arc<dyn Fn() -> Option<ResizeLimits> + Send + Sync>;

/// Reads files.
pub struct ReadTool {
    spec: ToolSpec,
    cwd: PathBuf,
    operations: Arc<dyn ReadOperations>,
    limits: ImageLimits,
    image_note: Option<ImageNote>,
}

#[derive(Deserialize)]
struct Args {
    path: String,
    offset: Option<f64>,
    limit: Option<f64>,
}

impl ReadTool {
    /// Reads files of this machine; relative paths start at `cwd`.
    pub fn new(cwd: PathBuf) -> Self {
        Self {
            spec: spec(),
            cwd,
            operations: Arc::new(LocalRead),
            limits: Arc::new(|| Some(ResizeLimits::default())),
            image_note: None,
        }
    }

    /// Reads elsewhere.
    #[must_use]
    pub fn with_operations(mut self, operations: Arc<dyn ReadOperations>) -> Self {
        self.operations = operations;
        self
    }

    /// Makes pictures fit these limits; `None` sends them as they are.
    #[must_use]
    pub fn with_resize(self, limits: Option<ResizeLimits>) -> Self {
        self.with_image_limits(Arc::new(move || limits))
    }

    /// Asks for the limits whenever a picture is read, because the model may have changed.
    #[must_use]
    pub fn with_image_limits(mut self, limits: ImageLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Asks for a line to add whenever a picture is read.
    #[must_use]
    pub fn with_image_note(mut self, note: ImageNote) -> Self {
        self.image_note = Some(note);
        self
    }

    async fn read(&self, args: Args) -> Result<ToolOutput, ToolFailure> {
        if let Some(limit) = args.limit.filter(|limit| *limit < 0.0) {
            let limit = js_number(limit);
            return Err(ToolFailure::new(format_args!("Invalid limit {limit}: give the number of lines to show")));
        }
        let Opened { path, mime_type, stream } = self.operations.begin(&resolve_to_cwd(&args.path, &self.cwd)).await?;
        match mime_type {
            Some(mime_type) => self.read_image(&path, stream, mime_type).await,
            None => read_text(&path, stream, &args).await,
        }
    }

    async fn read_image(&self, path: &Path, stream: FileStream, mime_type: String) -> Result<ToolOutput, ToolFailure> {
        let mut bytes = Vec::new();
        // A byte more than is allowed shows that there are too many.
        let read = stream.take(MAX_IMAGE_FILE + 1).read_to_end(&mut bytes).await;
        read.map_err(|error| OpError::from_io(&error, "read", Some(path)))?;
        let limits = (self.limits)();
        let (mime_type, prepared) = blocking(move || {
            let prepared = prepare_image(bytes, &mime_type, limits);
            Ok((mime_type, prepared))
        })
        .await?;
        let (mut text, image) = match prepared {
            Ok(image) => {
                let mut text = format!("Read image file [{}]", image.mime_type);
                for note in &image.notes {
                    text = format!("{text}\n{note}");
                }
                (text, Some(ContentBlock::image(image.data, image.mime_type)))
            }
            Err(error) => (format!("Read image file [{mime_type}]\n{}", error.note(path)), None),
        };
        if let Some(note) = self.image_note.as_ref().and_then(|note| note()) {
            text = format!("{text}\n{note}");
        }
        let mut output = ToolOutput::text(text);
        output.content.extend(image);
        Ok(output)
    }
}

async fn read_text(path: &Path, stream: FileStream, args: &Args) -> Result<ToolOutput, ToolFailure> {
    let offset = args.offset.unwrap_or(0.0);
    let start = count(offset, 1) - 1;
    let end = args.limit.map_or(usize::MAX, |limit| start.saturating_add(count(limit, 0)));
    let selection =
        lines::select(stream, start, end).await.map_err(|error| OpError::from_io(&error, "read", Some(path)))?;
    let total = selection.total_lines;
    if start >= total {
        let offset = js_number(offset);
        return Err(ToolFailure::new(format_args!("Offset {offset} is beyond end of file ({total} lines total)")));
    }
    let shown = &selection.truncation;
    let first = start + 1;
    if shown.first_line_exceeds_limit {
        let size = format_size(selection.first_line_bytes as u64);
        let text = format!(
            "[Line {first} is {size}, exceeds {} limit. Use bash: sed -n '{first}p' {} | head -c {DEFAULT_MAX_BYTES}]",
            format_size(DEFAULT_MAX_BYTES as u64),
            args.path,
        );
        return Ok(ToolOutput::text(text).with_details(json!({ "truncation": shown })));
    }
    if shown.truncated {
        let last = first + shown.output_lines - 1;
        let limit = match shown.truncated_by {
            Some(TruncatedBy::Bytes) => format!(" ({} limit)", format_size(DEFAULT_MAX_BYTES as u64)),
            _ => String::new(),
        };
        let text = format!(
            "{}\n\n[Showing lines {first}-{last} of {total}{limit}. Use offset={} to continue.]",
            shown.content,
            last + 1,
        );
        return Ok(ToolOutput::text(text).with_details(json!({ "truncation": shown })));
    }
    if end < total {
        let rest = total - end;
        let text = format!("{}\n\n[{rest} more lines in file. Use offset={} to continue.]", shown.content, end + 1);
        return Ok(ToolOutput::text(text));
    }
    Ok(ToolOutput::text(shown.content.clone()))
}

#[async_trait]
impl Tool for ReadTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn execute(&self, invocation: Invocation) -> Result<ToolOutput, ToolFailure> {
        let args = parse_args("read", invocation.args)?;
        let output = unless_aborted(&invocation.cancel, self.read(args)).await?;
        let value = structured(&output.content);
        Ok(output.with_structured_content(value))
    }
}

/// The result as data: the text, or the picture with the text as its note.
fn structured(content: &[ContentBlock]) -> Value {
    let text = content.iter().find_map(ContentBlock::as_text).unwrap_or_default();
    let picture = content.iter().find_map(|block| match block {
        ContentBlock::Image(image) => Some(image),
        _ => None,
    });
    match picture {
        Some(image) => json!({ "type": "image", "data": image.data, "mimeType": image.mime_type, "note": text }),
        None => text.into(),
    }
}

fn output_schema() -> Value {
    let text = || json!({ "type": "string" });
    let picture = json!({
        "type": "object",
        "required": ["type", "data", "mimeType", "note"],
        "properties": { "type": { "const": "image" }, "data": text(), "mimeType": text(), "note": text() },
    });
    json!({ "anyOf": [text(), picture] })
}

fn spec() -> ToolSpec {
    let spec = tool_spec(
        "read",
        "Shows a file. Text is cut after 2000 lines or 50KB, whichever comes first; go on with offset, and limit the \
         number of lines, to see more of a large file. Pictures (jpg, png, gif, webp, bmp) are shown as pictures.",
        json!({
            "type": "object",
            "required": ["path"],
            "properties": {
                "path": { "type": "string", "description": "The file to read; absolute, or relative to the working directory" },
                "offset": { "type": "number", "description": "The first line to show, counted from 1" },
                "limit": { "type": "number", "description": "How many lines to show at most" },
            },
        }),
        "Look at files and pictures",
        &["Look at files with read rather than with cat or sed"],
    );
    ToolSpec { output_schema: Some(output_schema()), constrained_sampling: PREFERS_STRICT, ..spec }
}

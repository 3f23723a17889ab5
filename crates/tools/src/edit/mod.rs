//! The edit tool: replaces pieces of a file's text.

mod apply;
mod diff;
mod input;
mod operations;
mod text;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub use diff::{Changes, changes};
pub use operations::{EditOperations, LocalEdit};

use crate::paths::resolve_to_cwd;
use crate::support::{Aborts, PREFERS_STRICT, blocking, mutate, parse_args, tool_spec};
use crate::{Invocation, OpError, Tool, ToolFailure, ToolOutput, ToolSpec};

/// Edits files.
pub struct EditTool {
    spec: ToolSpec,
    cwd: PathBuf,
    operations: Arc<dyn EditOperations>,
}

/// One replacement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Edit {
    /// The text to replace; it must occur exactly once.
    pub old_text: String,
    /// The text to put there.
    pub new_text: String,
}

/// Why edits cannot be applied. With a single edit there is no index to name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
enum EditError {
    /// An old text is empty.
    #[error("{}oldText must not be empty in {path}.", index.map(|i| format!("edits[{i}].")).unwrap_or_default())]
    Empty { path: String, index: Option<usize> },
    /// An old text does not occur.
    #[error("{}", not_found(path, *index))]
    NotFound { path: String, index: Option<usize> },
    /// An old text occurs more than once.
    #[error("{}", not_unique(path, *index, *count))]
    NotUnique { path: String, index: Option<usize>, count: usize },
    /// Two edits want the same place.
    #[error(
        "edits[{first}] and edits[{second}] overlap in {path}. Merge them into one edit or target disjoint regions."
    )]
    Overlap { path: String, first: usize, second: usize },
    /// Everything is replaced by itself.
    #[error("{}", no_change(path, *many))]
    NoChange { path: String, many: bool },
}

/// What edits would do to a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EditPreview {
    /// Changed lines with their numbers and some lines around them.
    pub diff: String,
    /// A unified patch.
    pub patch: String,
    /// The first line of the new text that differs, counted from 1.
    pub first_changed_line: Option<usize>,
}

#[derive(Deserialize)]
struct Args {
    path: String,
    edits: Vec<Edit>,
}

impl EditTool {
    /// Edits files of this machine; relative paths start at `cwd`.
    pub fn new(cwd: PathBuf) -> Self {
        Self { spec: spec(), cwd, operations: Arc::new(LocalEdit) }
    }

    /// Edits elsewhere.
    #[must_use]
    pub fn with_operations(mut self, operations: Arc<dyn EditOperations>) -> Self {
        self.operations = operations;
        self
    }

    /// What a call with these (possibly old-shaped) arguments would change, without changing it.
    pub async fn preview(&self, args: Value) -> Result<EditPreview, ToolFailure> {
        let Args { path, edits } = parse_args("edit", input::prepare(args))?;
        let absolute = resolve_to_cwd(&path, &self.cwd);
        let original = load(&*self.operations, &absolute, &path).await?;
        Ok(compute(original, edits, path).await?.1)
    }
}

#[async_trait]
impl Tool for EditTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn prepare_arguments(&self, raw: Value) -> Result<Value, ToolFailure> {
        Ok(input::prepare(raw))
    }

    async fn execute(&self, invocation: Invocation) -> Result<ToolOutput, ToolFailure> {
        let Args { path, edits } = parse_args("edit", invocation.args)?;
        if edits.is_empty() {
            return Err(ToolFailure::new("Edit tool input is invalid. edits must contain at least one replacement."));
        }
        let absolute = resolve_to_cwd(&path, &self.cwd);
        let operations = self.operations.clone();
        let cancel = invocation.cancel.clone();
        let work = {
            let absolute = absolute.clone();
            async move {
                let original = load(&*operations, &absolute, &path).await?;
                cancel.check()?;
                let message = format!("Successfully replaced {} block(s) in {path}.", edits.len());
                let (file, preview) = compute(original, edits, path).await?;
                cancel.check()?;
                operations.write_file(&absolute, file.as_bytes()).await?;
                cancel.check()?;
                Ok(ToolOutput::text(message).with_details(json!(preview)))
            }
        };
        mutate(&absolute, &invocation.cancel, work).await
    }
}

async fn load(operations: &dyn EditOperations, absolute: &Path, path: &str) -> Result<String, ToolFailure> {
    operations.access(absolute).await.map_err(|error: OpError| {
        let reason = match &error.code {
            Some(code) => format!("Error code: {code}"),
            None => format!("Error: {}", error.message),
        };
        ToolFailure::new(format_args!("Could not edit file: {path}. {reason}."))
    })?;
    let bytes = operations.read_file(absolute).await?;
    // Replacing what is no text would destroy bytes that the edit does not mean.
    String::from_utf8(bytes)
        .map_err(|_| ToolFailure::new(format_args!("Could not edit file: {path}. It is not valid UTF-8 text.")))
}

/// The new content of the file, and what changed. On a thread of its own: large files take a while.
async fn compute(original: String, edits: Vec<Edit>, path: String) -> Result<(String, EditPreview), ToolFailure> {
    blocking(move || {
        // Models do not write the byte order mark that they cannot see.
        let (mark, text) = match original.strip_prefix('\u{FEFF}') {
            Some(text) => ("\u{FEFF}", text),
            None => ("", original.as_str()),
        };
        let edited = apply::apply(text, &edits, &path).map_err(ToolFailure::new)?;
        let Changes { diff, patch, first_changed_line } = changes(&path, &edited.before, &edited.after, diff::CONTEXT);
        Ok((format!("{mark}{}", edited.file), EditPreview { diff, patch, first_changed_line }))
    })
    .await
}

fn not_found(path: &str, index: Option<usize>) -> String {
    let (what, name) = match index {
        Some(index) => (format!("edits[{index}]"), "oldText"),
        None => ("the exact text".to_owned(), "old text"),
    };
    format!("Could not find {what} in {path}. The {name} must match exactly including all whitespace and newlines.")
}

fn not_unique(path: &str, index: Option<usize>, count: usize) -> String {
    let (what, subject) = match index {
        Some(index) => (format!("edits[{index}]"), "Each oldText"),
        None => ("the text".to_owned(), "The text"),
    };
    format!(
        "Found {count} occurrences of {what} in {path}. {subject} must be unique. Please provide more context to make \
         it unique."
    )
}

fn no_change(path: &str, many: bool) -> String {
    if many {
        return format!("No changes made to {path}. The replacements produced identical content.");
    }
    format!(
        "No changes made to {path}. The replacement produced identical content. This might indicate an issue with \
         special characters or the text not existing as expected."
    )
}

fn spec() -> ToolSpec {
    let spec = tool_spec(
        "edit",
        "Changes an existing text file by replacing pieces of it. Each oldText must occur exactly once in the file as \
         it is now, and no two may overlap; neighbouring changes belong into one edit. Include no more unchanged text \
         than it takes to make oldText unique.",
        json!({
            "type": "object",
            "required": ["path", "edits"],
            "properties": {
                "path": { "type": "string", "description": "The file to change; absolute, or relative to the working directory" },
                "edits": {
                    "type": "array",
                    "description": "The replacements. All are matched against the file as it was before the call.",
                    "items": {
                        "type": "object",
                        "required": ["oldText", "newText"],
                        "properties": {
                            "oldText": { "type": "string", "description": "The exact text to replace, unique in the file" },
                            "newText": { "type": "string", "description": "The text to put in its place" },
                        },
                    },
                },
            },
        }),
        "Change parts of a file by exact text replacement, several places in one call",
        &[
            "Change files with edit; copy oldText from the file to the letter",
            "Put all changes of one file into the edits of a single call; they must not overlap and do not see each \
             other's results",
            "Keep each oldText just long enough to be unique",
        ],
    );
    ToolSpec { constrained_sampling: PREFERS_STRICT, ..spec }
}

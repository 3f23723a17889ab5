//! The write tool: makes a text the content of a file.

mod operations;

use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::json;

pub use operations::{LocalWrite, WriteOperations};

use crate::paths::resolve_to_cwd;
use crate::support::{Aborts, PREFERS_STRICT, mutate, parse_args, tool_spec};
use crate::{Invocation, Tool, ToolFailure, ToolOutput, ToolSpec};

/// Creates and overwrites files.
pub struct WriteTool {
    spec: ToolSpec,
    cwd: PathBuf,
    operations: Arc<dyn WriteOperations>,
}

#[derive(Deserialize)]
struct Args {
    path: String,
    content: String,
}

impl WriteTool {
    /// Writes files of this machine; relative paths start at `cwd`.
    pub fn new(cwd: PathBuf) -> Self {
        Self { spec: spec(), cwd, operations: Arc::new(LocalWrite) }
    }

    /// Writes elsewhere.
    #[must_use]
    pub fn with_operations(mut self, operations: Arc<dyn WriteOperations>) -> Self {
        self.operations = operations;
        self
    }
}

#[async_trait]
impl Tool for WriteTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn execute(&self, invocation: Invocation) -> Result<ToolOutput, ToolFailure> {
        let Args { path, content } = parse_args("write", invocation.args)?;
        let absolute = resolve_to_cwd(&path, &self.cwd);
        let operations = self.operations.clone();
        let cancel = invocation.cancel.clone();
        let work = {
            let absolute = absolute.clone();
            async move {
                if let Some(directory) = absolute.parent() {
                    operations.mkdir(directory).await?;
                }
                cancel.check()?;
                operations.write_file(&absolute, content.as_bytes()).await?;
                cancel.check()?;
                Ok(ToolOutput::text(format!("Successfully wrote to {path}")))
            }
        };
        mutate(&absolute, &invocation.cancel, work).await
    }
}

fn spec() -> ToolSpec {
    let spec = tool_spec(
        "write",
        "Writes a text file: creates it, with any missing directories, or replaces all of its content.",
        json!({
            "type": "object",
            "required": ["path", "content"],
            "properties": {
                "path": { "type": "string", "description": "The file to write; absolute, or relative to the working directory" },
                "content": { "type": "string", "description": "The complete new content" },
            },
        }),
        "Create a file or replace its whole content",
        &["Keep write for new files and full rewrites; change existing files with edit"],
    );
    ToolSpec { constrained_sampling: PREFERS_STRICT, ..spec }
}

//! The ls tool: lists a directory.

mod operations;
mod order;

use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::json;

pub use operations::{LocalLs, LsOperations, LsStat};

use crate::notices::Notices;
use crate::paths::resolve_to_cwd;
use crate::support::{count, parse_args, tool_spec, unless_aborted};
use crate::truncate::{Limits, truncate_head};
use crate::{Invocation, Tool, ToolFailure, ToolOutput, ToolSpec};

const DEFAULT_LIMIT: usize = 500;

/// Lists directories.
pub struct LsTool {
    spec: ToolSpec,
    cwd: PathBuf,
    operations: Arc<dyn LsOperations>,
}

#[derive(Deserialize)]
struct Args {
    path: Option<String>,
    limit: Option<f64>,
}

impl LsTool {
    /// Lists directories of this machine; relative paths start at `cwd`.
    pub fn new(cwd: PathBuf) -> Self {
        Self { spec: spec(), cwd, operations: Arc::new(LocalLs) }
    }

    /// Lists directories elsewhere.
    #[must_use]
    pub fn with_operations(mut self, operations: Arc<dyn LsOperations>) -> Self {
        self.operations = operations;
        self
    }

    async fn list(&self, args: Args) -> Result<ToolOutput, ToolFailure> {
        let path = args.path.filter(|path| !path.is_empty()).unwrap_or_else(|| ".".to_owned());
        let directory = resolve_to_cwd(&path, &self.cwd);
        let limit = args.limit.map_or(DEFAULT_LIMIT, |limit| count(limit, 1));
        if !self.operations.exists(&directory).await {
            return Err(ToolFailure::new(format_args!("Path not found: {}", directory.display())));
        }
        if !self.operations.stat(&directory).await?.is_directory {
            return Err(ToolFailure::new(format_args!("Not a directory: {}", directory.display())));
        }
        let mut names = self
            .operations
            .readdir(&directory)
            .await
            .map_err(|error| ToolFailure::new(format_args!("Cannot read directory: {error}")))?;
        names.sort_by_cached_key(|name| order::key(name));
        let mut listed = Vec::new();
        let mut limit_reached = false;
        for name in names {
            if listed.len() >= limit {
                limit_reached = true;
                break;
            }
            // What cannot be looked at, such as a link to nowhere, is left out.
            if let Ok(stat) = self.operations.stat(&directory.join(&name)).await {
                listed.push(if stat.is_directory { format!("{name}/") } else { name });
            }
        }
        if listed.is_empty() {
            return Ok(ToolOutput::text("(empty directory)"));
        }
        let mut notices = Notices::default();
        if limit_reached {
            let more = limit.saturating_mul(2);
            notices.add(format!("{limit} entries limit reached. Use limit={more} for more"));
            notices.detail("entryLimitReached", json!(limit));
        }
        Ok(notices.finish(truncate_head(&listed.join("\n"), Limits::BYTES_ONLY)))
    }
}

#[async_trait]
impl Tool for LsTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn execute(&self, invocation: Invocation) -> Result<ToolOutput, ToolFailure> {
        let args = parse_args("ls", invocation.args)?;
        unless_aborted(&invocation.cancel, self.list(args)).await
    }
}

fn spec() -> ToolSpec {
    tool_spec(
        "ls",
        "Lists what is in a directory, hidden entries included, in alphabetical order; directories end in '/'. At most \
         500 entries or 50KB are shown unless a limit is given.",
        json!({
            "type": "object",
            "properties": {
                "path": { "type": "string", "description": "The directory to list; the working directory by default" },
                "limit": { "type": "number", "description": "How many entries to show at most; 500 by default" },
            },
        }),
        "List a directory",
        &[],
    )
}

//! The find tool: finds files by their names.

mod operations;
mod search;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::json;
use tokio_util::sync::CancellationToken;

pub use operations::FindOperations;

use crate::notices::Notices;
use crate::paths::{relative_posix, resolve_to_cwd};
use crate::support::{blocking, count, parse_args, tool_spec, unless_aborted};
use crate::truncate::{Limits, truncate_head};
use crate::{Invocation, Tool, ToolFailure, ToolOutput, ToolSpec};

const DEFAULT_LIMIT: usize = 1000;
const NOTHING: &str = "No files found matching pattern";

/// Finds files.
pub struct FindTool {
    spec: ToolSpec,
    cwd: PathBuf,
    operations: Option<Arc<dyn FindOperations>>,
}

#[derive(Deserialize)]
struct Args {
    pattern: String,
    path: Option<String>,
    limit: Option<f64>,
}

impl FindTool {
    /// Finds files of this machine; relative paths start at `cwd`.
    pub fn new(cwd: PathBuf) -> Self {
        Self { spec: spec(), cwd, operations: None }
    }

    /// Finds files elsewhere.
    #[must_use]
    pub fn with_operations(mut self, operations: Arc<dyn FindOperations>) -> Self {
        self.operations = Some(operations);
        self
    }

    async fn find(&self, args: Args, cancel: CancellationToken) -> Result<ToolOutput, ToolFailure> {
        let path = args.path.filter(|path| !path.is_empty()).unwrap_or_else(|| ".".to_owned());
        let root = resolve_to_cwd(&path, &self.cwd);
        let limit = args.limit.map_or(DEFAULT_LIMIT, |limit| count(limit, 1));
        match &self.operations {
            Some(operations) => find_elsewhere(&**operations, &args.pattern, &root, limit).await,
            None => {
                let search = search::Search { pattern: args.pattern, root, cwd: self.cwd.clone(), limit };
                blocking(move || find_here(&search, &cancel)).await
            }
        }
    }
}

fn find_here(search: &search::Search, cancel: &CancellationToken) -> Result<ToolOutput, ToolFailure> {
    let root = search.root.display();
    match std::fs::metadata(&search.root) {
        Err(_) => return Err(ToolFailure::new(format_args!("Path not found: {root}"))),
        Ok(metadata) if !metadata.is_dir() => {
            return Err(ToolFailure::new(format_args!("Not a directory: {root}")));
        }
        Ok(_) => {}
    }
    let found = search::search(search, cancel)?;
    if found.count == 0 {
        // Nothing found is only news when everything was looked at.
        let gap = found.unreadable.map(|reason| format!("\n\n[Not everything could be searched: {reason}]"));
        return Ok(ToolOutput::text(format!("{NOTHING}{}", gap.unwrap_or_default())));
    }
    let limit = search.limit;
    let mut notices = Notices::default();
    if found.more {
        let more = limit.saturating_mul(2);
        notices.add(format!("{limit} results limit reached. Use limit={more} for more, or refine pattern"));
        notices.detail("resultLimitReached", json!(limit));
    }
    Ok(notices.finish(found.shown))
}

async fn find_elsewhere(
    operations: &dyn FindOperations,
    pattern: &str,
    root: &Path,
    limit: usize,
) -> Result<ToolOutput, ToolFailure> {
    if !operations.exists(root).await {
        return Err(ToolFailure::new(format_args!("Path not found: {}", root.display())));
    }
    // One more than is shown tells whether the limit cut something.
    let asked = limit.saturating_add(1);
    let found = operations.glob(pattern, root, &["**/node_modules/**", "**/.git/**"], asked).await?;
    if found.is_empty() {
        return Ok(ToolOutput::text(NOTHING));
    }
    let more = found.len() > limit;
    let relative: Vec<String> = found.into_iter().take(limit).map(|path| relative_to(&path, root)).collect();
    let mut notices = Notices::default();
    if more {
        notices.add(format!("{limit} results limit reached"));
        notices.detail("resultLimitReached", json!(limit));
    }
    Ok(notices.finish(truncate_head(&relative.join("\n"), Limits::BYTES_ONLY)))
}

/// A slash at the end marks a directory, and stays.
fn relative_to(path: &str, root: &Path) -> String {
    match relative_posix(Path::new(path), root) {
        Some(relative) if path.ends_with('/') => format!("{relative}/"),
        Some(relative) => relative,
        None => path.to_owned(),
    }
}

#[async_trait]
impl Tool for FindTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn execute(&self, invocation: Invocation) -> Result<ToolOutput, ToolFailure> {
        let args = parse_args("find", invocation.args)?;
        unless_aborted(&invocation.cancel, self.find(args, invocation.cancel.clone())).await
    }
}

fn spec() -> ToolSpec {
    tool_spec(
        "find",
        "Finds files and directories by a glob pattern and lists their paths, relative to the directory searched. A \
         pattern without '/' is compared with names, one with '/' with the end of paths. What .gitignore excludes is \
         left out. At most 1000 paths or 50KB are shown unless a limit is given.",
        json!({
            "type": "object",
            "required": ["pattern"],
            "properties": {
                "pattern": { "type": "string", "description": "The glob, such as '*.rs', '**/*.json' or 'src/**/*_test.go'" },
                "path": { "type": "string", "description": "The directory to search; the working directory by default" },
                "limit": { "type": "number", "description": "How many paths to show at most; 1000 by default" },
            },
        }),
        "Find files by name (glob, skips what git ignores)",
        &[],
    )
}

//! The grep tool: searches the content of files.

mod operations;
mod search;

use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::json;
use tokio_util::sync::CancellationToken;

pub use operations::GrepOperations;

use crate::notices::Notices;
use crate::paths::resolve_to_cwd;
use crate::support::{blocking, count, parse_args, tool_spec, unless_aborted};
use crate::truncate::{DEFAULT_MAX_BYTES, GREP_MAX_LINE_LENGTH, HeadTruncator, Limits, truncate_line};
use crate::{Invocation, Tool, ToolFailure, ToolOutput, ToolSpec};
use search::{Line, Outcome, Search};

const DEFAULT_LIMIT: usize = 100;

/// More lines than this around a match are never shown: the shortest one takes six bytes.
const MAX_CONTEXT: usize = DEFAULT_MAX_BYTES / 6;

/// Searches files.
pub struct GrepTool {
    spec: ToolSpec,
    cwd: PathBuf,
    operations: Option<Arc<dyn GrepOperations>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Args {
    pattern: String,
    path: Option<String>,
    glob: Option<String>,
    ignore_case: Option<bool>,
    literal: Option<bool>,
    context: Option<f64>,
    limit: Option<f64>,
}

impl GrepTool {
    /// Searches files of this machine; relative paths start at `cwd`.
    pub fn new(cwd: PathBuf) -> Self {
        Self { spec: spec(), cwd, operations: None }
    }

    /// Looks elsewhere for whether the path is a directory.
    #[must_use]
    pub fn with_operations(mut self, operations: Arc<dyn GrepOperations>) -> Self {
        self.operations = Some(operations);
        self
    }

    async fn grep(&self, args: Args, cancel: CancellationToken) -> Result<ToolOutput, ToolFailure> {
        let path = args.path.filter(|path| !path.is_empty()).unwrap_or_else(|| ".".to_owned());
        let root = resolve_to_cwd(&path, &self.cwd);
        let is_directory = match &self.operations {
            Some(operations) => operations.is_directory(&root).await.ok(),
            None => tokio::fs::metadata(&root).await.ok().map(|metadata| metadata.is_dir()),
        };
        let Some(root_is_directory) = is_directory else {
            return Err(ToolFailure::new(format_args!("Path not found: {}", root.display())));
        };
        let search = Search {
            pattern: args.pattern,
            literal: args.literal.unwrap_or(false),
            ignore_case: args.ignore_case.unwrap_or(false),
            glob: args.glob.filter(|glob| !glob.is_empty()),
            root,
            root_is_directory,
            context: args.context.map_or(0, |context| count(context, 0)).min(MAX_CONTEXT),
            limit: args.limit.map_or(DEFAULT_LIMIT, |limit| count(limit, 1)),
        };
        blocking(move || {
            let mut report = Report::new();
            let outcome = search::search(&search, &cancel, |line| report.add(&line))?;
            Ok(report.finish(&search, outcome))
        })
        .await
    }
}

/// The result as it grows; holds no more than is shown.
struct Report {
    shown: HeadTruncator,
    empty: bool,
    lines_truncated: bool,
}

impl Report {
    fn new() -> Self {
        Self { shown: HeadTruncator::new(Limits::BYTES_ONLY), empty: true, lines_truncated: false }
    }

    fn add(&mut self, line: &Line<'_>) {
        let (text, cut) = truncate_line(line.text, GREP_MAX_LINE_LENGTH);
        self.lines_truncated |= cut;
        if !std::mem::take(&mut self.empty) {
            self.shown.push("\n");
        }
        let Line { path, number, .. } = line;
        self.shown.push(&if line.is_match {
            format!("{path}:{number}: {text}")
        } else {
            format!("{path}-{number}- {text}")
        });
    }

    fn finish(self, search: &Search, outcome: Outcome) -> ToolOutput {
        if outcome.matches == 0 {
            // Nothing found is only news when everything was looked at.
            let gap = outcome.unreadable.map(|reason| format!("\n\n[Not everything could be searched: {reason}]"));
            return ToolOutput::text(format!("No matches found{}", gap.unwrap_or_default()));
        }
        let mut notices = Notices::default();
        if outcome.more {
            let (limit, more) = (search.limit, search.limit.saturating_mul(2));
            notices.add(format!("{limit} matches limit reached. Use limit={more} for more, or refine pattern"));
            notices.detail("matchLimitReached", json!(limit));
        }
        let last = self
            .lines_truncated
            .then(|| format!("Some lines truncated to {GREP_MAX_LINE_LENGTH} chars. Use read tool to see full lines"));
        if last.is_some() {
            notices.detail("linesTruncated", json!(true));
        }
        notices.finish_with(self.shown.finish(), last)
    }
}

#[async_trait]
impl Tool for GrepTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn execute(&self, invocation: Invocation) -> Result<ToolOutput, ToolFailure> {
        let args = parse_args("grep", invocation.args)?;
        unless_aborted(&invocation.cancel, self.grep(args, invocation.cancel.clone())).await
    }
}

fn spec() -> ToolSpec {
    tool_spec(
        "grep",
        "Searches the content of files for a regular expression or a literal text and shows the lines that match, with \
         file and line number. What .gitignore excludes and binary files are skipped. At most 100 matches or 50KB are \
         shown unless a limit is given; lines are cut at 500 characters.",
        json!({
            "type": "object",
            "required": ["pattern"],
            "properties": {
                "pattern": { "type": "string", "description": "What to search for: a regular expression, or with literal the text itself" },
                "path": { "type": "string", "description": "The directory or file to search; the working directory by default" },
                "glob": { "type": "string", "description": "Search only files that match this glob, such as '*.rs' or 'src/**/*.rs', seen from path; '!' in front excludes" },
                "ignoreCase": { "type": "boolean", "description": "Treat capital and small letters alike" },
                "literal": { "type": "boolean", "description": "Take the pattern as plain text" },
                "context": { "type": "number", "description": "How many lines to show before and after each match; none by default" },
                "limit": { "type": "number", "description": "How many matches to show at most; 100 by default" },
            },
        }),
        "Search file contents (skips what git ignores)",
        &[],
    )
}

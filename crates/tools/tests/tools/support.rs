//! Calling tools.

use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::Value;
use tau_ai::ContentBlock;
use tau_tools::{Invocation, Progress, Tool, ToolFailure, ToolOutput};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

pub fn temp() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// Writes files given as `(path, content)` pairs.
pub fn files(dir: &Path, files: &[(&str, &str)]) {
    for (path, content) in files {
        let path = dir.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
}

pub fn invocation(args: Value) -> Invocation {
    Invocation {
        id: "call".to_owned(),
        args,
        cancel: CancellationToken::new(),
        progress: Progress::ignore(),
        nested: tau_tools::NestedCalls::default(),
    }
}

pub async fn call(tool: &dyn Tool, args: Value) -> Result<ToolOutput, ToolFailure> {
    tool.execute(invocation(args)).await
}

/// The text of a call that succeeds.
pub async fn text(tool: &dyn Tool, args: Value) -> String {
    text_of(&call(tool, args).await.unwrap())
}

/// The message of a call that fails.
pub async fn failure(tool: &dyn Tool, args: Value) -> String {
    let output = call(tool, args).await.unwrap_or_else(ToolOutput::from);
    assert!(output.is_error);
    text_of(&output)
}

pub fn text_of(output: &ToolOutput) -> String {
    output.content.iter().filter_map(ContentBlock::as_text).collect::<Vec<_>>().join("\n")
}

/// Collects partial results.
pub fn recorder() -> (Progress, Arc<Mutex<Vec<ToolOutput>>>) {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let progress = Progress::new({
        let seen = seen.clone();
        move |partial| seen.lock().push(partial)
    });
    (progress, seen)
}

/// Waits for something that another process does.
pub async fn eventually(mut condition: impl FnMut() -> bool) {
    while !condition() {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
}

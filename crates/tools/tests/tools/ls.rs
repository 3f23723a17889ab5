use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::json;
use tau_tools::ls::{LsOperations, LsStat, LsTool};
use tau_tools::{OpError, Tool};

use crate::support::{call, failure, files, invocation, temp, text, text_of};

#[tokio::test]
async fn entries_in_order() {
    let dir = temp();
    files(dir.path(), &[("b", ""), ("A", ""), (".hidden", ""), ("c/x", ""), ("_d", ""), ("10", ""), ("é", "")]);
    symlink("c", dir.path().join("link")).unwrap();
    symlink("nowhere", dir.path().join("dangling")).unwrap();
    let tool = LsTool::new(dir.path().to_owned());
    let listed = "_d\n.hidden\n10\nA\nb\nc/\né\nlink/";
    assert_eq!(text(&tool, json!({})).await, listed);
    assert_eq!(text(&tool, json!({"path": "", "limit": null})).await, listed);
    assert_eq!(text(&tool, json!({"path": "c"})).await, "x");
    std::fs::create_dir(dir.path().join("empty")).unwrap();
    assert_eq!(text(&tool, json!({"path": "empty"})).await, "(empty directory)");
}

#[tokio::test]
async fn limits() {
    let dir = temp();
    for n in 0..600 {
        std::fs::write(dir.path().join(format!("{n:03}{}", "x".repeat(120))), "").unwrap();
    }
    let tool = LsTool::new(dir.path().to_owned());
    let output = call(&tool, json!({"limit": 2})).await.unwrap();
    let name = |n| format!("{n:03}{}", "x".repeat(120));
    let notice = "[2 entries limit reached. Use limit=4 for more]";
    assert_eq!(text_of(&output), format!("{}\n{}\n\n{notice}", name(0), name(1)));
    assert_eq!(output.details, Some(json!({"entryLimitReached": 2})));
    let output = call(&tool, json!({})).await.unwrap();
    let notice = "\n\n[500 entries limit reached. Use limit=1000 for more. 50.0KB limit reached]";
    assert!(text_of(&output).ends_with(&format!("{}{notice}", name(411))));
    let details = output.details.unwrap();
    assert_eq!(details["truncation"]["maxLines"], 9_007_199_254_740_991_u64);
    assert_eq!(details["truncation"]["outputLines"], 412);
}

#[tokio::test]
async fn failures() {
    let dir = temp();
    files(dir.path(), &[("file", "")]);
    let tool = LsTool::new(dir.path().to_owned());
    let path = dir.path().display();
    assert_eq!(failure(&tool, json!({"path": "none"})).await, format!("Path not found: {path}/none"));
    assert_eq!(failure(&tool, json!({"path": "file"})).await, format!("Not a directory: {path}/file"));
    let stopped = invocation(json!({}));
    stopped.cancel.cancel();
    assert_eq!(tool.execute(stopped).await.unwrap_err().message, "Operation aborted");
}

struct Elsewhere;

#[async_trait]
impl LsOperations for Elsewhere {
    async fn exists(&self, _: &Path) -> bool {
        true
    }

    async fn stat(&self, path: &Path) -> Result<LsStat, OpError> {
        Ok(LsStat { is_directory: !path.ends_with("b") })
    }

    async fn readdir(&self, path: &Path) -> Result<Vec<String>, OpError> {
        if path.ends_with("closed") {
            return Err(OpError::new("no entry"));
        }
        Ok(vec!["b".to_owned(), "a".to_owned()])
    }
}

#[tokio::test]
async fn operations_from_elsewhere() {
    let tool = LsTool::new("/x".into()).with_operations(Arc::new(Elsewhere));
    assert_eq!(text(&tool, json!({})).await, "a/\nb");
    assert_eq!(failure(&tool, json!({"path": "closed"})).await, "Cannot read directory: no entry");
}

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::json;
use tau_tools::find::{FindOperations, FindTool};
use tau_tools::{OpError, Tool};
use tempfile::TempDir;

use crate::support::{call, failure, files, invocation, temp, text, text_of};

fn project() -> TempDir {
    let dir = temp();
    files(
        dir.path(),
        &[
            (".gitignore", "target\n*.log\n"),
            (".hidden/a.rs", ""),
            (".git/a.rs", ""),
            ("src/a.rs", ""),
            ("src/deep/B.rs", ""),
            ("src/deep/a.log", ""),
            ("src/deep/.gitignore", "private*\n"),
            ("src/deep/private.rs", ""),
            ("target/a.rs", ""),
            ("-x.rs", ""),
        ],
    );
    dir
}

#[tokio::test]
async fn patterns() {
    let dir = project();
    let tool = FindTool::new(dir.path().to_owned());
    for (args, expected) in [
        (json!({"pattern": "*.rs"}), "-x.rs\n.hidden/a.rs\nsrc/a.rs\nsrc/deep/B.rs"),
        (json!({"pattern": "b.rs"}), "src/deep/B.rs"),
        (json!({"pattern": "B.rs"}), "src/deep/B.rs"),
        (json!({"pattern": "A.rs"}), "No files found matching pattern"),
        (json!({"pattern": "deep"}), "src/deep/"),
        (json!({"pattern": "-x*"}), "-x.rs"),
        (json!({"pattern": "src/*.rs"}), "src/a.rs"),
        (json!({"pattern": "src/**/*.rs"}), "src/a.rs\nsrc/deep/B.rs"),
        (json!({"pattern": "deep/*.rs"}), "src/deep/B.rs"),
        (json!({"pattern": "**/*.rs", "path": "src"}), "a.rs\ndeep/B.rs"),
        (json!({"pattern": "src/*.rs", "path": "src"}), "a.rs"),
        (json!({"pattern": format!("{}/src/*.rs", dir.path().display())}), "src/a.rs"),
        (json!({"pattern": "{a,B}.rs", "path": "src/deep"}), "B.rs"),
        (json!({"pattern": "nothing"}), "No files found matching pattern"),
    ] {
        let output = call(&tool, args.clone()).await.unwrap();
        assert_eq!((text_of(&output).as_str(), output.details), (expected, None), "{args}");
    }
}

#[tokio::test]
async fn ignore_files_count_without_a_repository() {
    let dir = temp();
    files(dir.path(), &[(".gitignore", "*.log"), ("a.log", ""), ("b.txt", ""), (".fdignore", "c*"), ("c.txt", "")]);
    assert_eq!(text(&FindTool::new(dir.path().to_owned()), json!({"pattern": "*.{log,txt}"})).await, "b.txt");
}

#[tokio::test]
async fn limits() {
    let dir = temp();
    for n in 0..60 {
        files(dir.path(), &[(&format!("{n:02}{}/{}", "d".repeat(200), "f".repeat(200)), "")]);
    }
    let tool = FindTool::new(dir.path().to_owned());
    let output = call(&tool, json!({"pattern": "*d", "limit": 2})).await.unwrap();
    let d = "d".repeat(200);
    let notice = "[2 results limit reached. Use limit=4 for more, or refine pattern]";
    assert_eq!(text_of(&output), format!("00{d}/\n01{d}/\n\n{notice}"));
    assert_eq!(output.details, Some(json!({"resultLimitReached": 2})));
    // Exactly as many as allowed is no reason to ask for more.
    let output = call(&tool, json!({"pattern": "f*", "limit": 60})).await.unwrap();
    assert_eq!((text_of(&output).lines().count(), output.details), (60, None));
    let output = call(&tool, json!({"pattern": "f*", "limit": -1})).await.unwrap();
    assert_eq!(output.details, Some(json!({"resultLimitReached": 1})));
    for n in 60..140 {
        files(dir.path(), &[(&format!("{n:03}{}/{}", "d".repeat(200), "f".repeat(200)), "")]);
    }
    let output = call(&tool, json!({"pattern": "f*"})).await.unwrap();
    assert!(text_of(&output).ends_with("\n\n[50.0KB limit reached]"));
    let details = output.details.unwrap();
    assert_eq!(details["truncation"]["totalLines"], 140);
    assert_eq!(details["truncation"]["truncatedBy"], "bytes");
}

#[tokio::test]
async fn failures() {
    let dir = project();
    let tool = FindTool::new(dir.path().to_owned());
    let path = dir.path().display();
    assert_eq!(failure(&tool, json!({"pattern": "*", "path": "none"})).await, format!("Path not found: {path}/none"));
    assert_eq!(
        failure(&tool, json!({"pattern": "*", "path": "-x.rs"})).await,
        format!("Not a directory: {path}/-x.rs")
    );
    assert_eq!(
        failure(&tool, json!({"pattern": "a[".to_owned()})).await,
        "Invalid glob pattern: error parsing glob 'a[': unclosed character class; missing ']'"
    );
    let stopped = invocation(json!({"pattern": "*"}));
    stopped.cancel.cancel();
    assert_eq!(tool.execute(stopped).await.unwrap_err().message, "Operation aborted");
}

struct Elsewhere(Vec<&'static str>);

#[async_trait]
impl FindOperations for Elsewhere {
    async fn exists(&self, path: &Path) -> bool {
        !path.ends_with("none")
    }

    async fn glob(&self, pattern: &str, _: &Path, ignore: &[&str], limit: usize) -> Result<Vec<String>, OpError> {
        if pattern == "?" {
            return Err(OpError::new(format!("{ignore:?} {limit}")));
        }
        Ok(self.0.iter().map(|&path| path.to_owned()).collect())
    }
}

#[tokio::test]
async fn operations_from_elsewhere() {
    let found = vec!["/x/a", "b/", "/x/c/", "/y"];
    let tool = FindTool::new("/x".into()).with_operations(Arc::new(Elsewhere(found)));
    assert_eq!(text(&tool, json!({"pattern": "*"})).await, "a\nb/\nc/\n/y");
    let output = call(&tool, json!({"pattern": "*", "limit": 4})).await.unwrap();
    assert_eq!((text_of(&output).as_str(), output.details), ("a\nb/\nc/\n/y", None));
    let output = call(&tool, json!({"pattern": "*", "limit": 3})).await.unwrap();
    assert_eq!(text_of(&output), "a\nb/\nc/\n\n[3 results limit reached]");
    assert_eq!(output.details, Some(json!({"resultLimitReached": 3})));
    assert_eq!(failure(&tool, json!({"pattern": "*", "path": "none"})).await, "Path not found: /x/none");
    let expected = "[\"**/node_modules/**\", \"**/.git/**\"] 1001";
    assert_eq!(failure(&tool, json!({"pattern": "?"})).await, expected);
    let tool = FindTool::new("/x".into()).with_operations(Arc::new(Elsewhere(Vec::new())));
    assert_eq!(text(&tool, json!({"pattern": "*"})).await, "No files found matching pattern");
}

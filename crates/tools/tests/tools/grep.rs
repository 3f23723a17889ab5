use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::json;
use tau_tools::grep::{GrepOperations, GrepTool};
use tau_tools::{OpError, Tool};
use tempfile::TempDir;

use crate::support::{call, failure, files, invocation, temp, text, text_of};

fn project() -> TempDir {
    let dir = temp();
    files(
        dir.path(),
        &[
            (".gitignore", "target\n"),
            (".git/config", "needle\n"),
            (".hidden", "needle\n"),
            ("b.txt", "one\nneedle two\r\nthree\nNeedle four\n"),
            ("a/c.rs", "fn needle() {}\nx.y\nxzy\n-needle\n"),
            ("target/out", "needle\n"),
            ("binary", "needle\n\0\n"),
        ],
    );
    dir
}

#[tokio::test]
async fn patterns() {
    let dir = project();
    let tool = GrepTool::new(dir.path().to_owned());
    let all = ".hidden:1: needle\na/c.rs:1: fn needle() {}\na/c.rs:4: -needle\nb.txt:2: needle two";
    for (args, expected) in [
        (json!({"pattern": "needle"}), all),
        (json!({"pattern": "-needle"}), "a/c.rs:4: -needle"),
        (
            json!({"pattern": "NEEDLE", "ignoreCase": true, "path": "b.txt"}),
            "b.txt:2: needle two\nb.txt:4: Needle four",
        ),
        (json!({"pattern": "x.y"}), "a/c.rs:2: x.y\na/c.rs:3: xzy"),
        (json!({"pattern": "x.y", "literal": true}), "a/c.rs:2: x.y"),
        (json!({"pattern": "needle()", "literal": true}), "a/c.rs:1: fn needle() {}"),
        (json!({"pattern": "needle$"}), ".hidden:1: needle\na/c.rs:4: -needle"),
        (json!({"pattern": "needle", "glob": "*.rs"}), "a/c.rs:1: fn needle() {}\na/c.rs:4: -needle"),
        (json!({"pattern": "^fn", "glob": "a/**"}), "a/c.rs:1: fn needle() {}"),
        (json!({"pattern": "needle", "glob": "!*.rs"}), ".hidden:1: needle\nb.txt:2: needle two"),
        (json!({"pattern": "needle", "path": "a"}), "c.rs:1: fn needle() {}\nc.rs:4: -needle"),
        (json!({"pattern": "needle", "path": "target/out"}), "out:1: needle"),
        (json!({"pattern": "absent"}), "No matches found"),
        (json!({"pattern": "needle", "path": "binary"}), "No matches found"),
        (
            json!({"pattern": "two|four", "path": "b.txt", "context": 1}),
            "b.txt-1- one\nb.txt:2: needle two\nb.txt-3- three\nb.txt-3- three\nb.txt:4: Needle four",
        ),
        (
            json!({"pattern": "two|three", "path": "b.txt", "context": 1}),
            "b.txt-1- one\nb.txt:2: needle two\nb.txt-3- three\nb.txt-2- needle two\nb.txt:3: three\nb.txt-4- Needle \
             four",
        ),
    ] {
        let output = call(&tool, args.clone()).await.unwrap();
        assert_eq!((text_of(&output).as_str(), output.details), (expected, None), "{args}");
    }
}

#[tokio::test]
async fn the_limit_of_matches() {
    let dir = temp();
    files(dir.path(), &[("a", &"hit\nmiss\n".repeat(150)), ("b", "hit\n")]);
    let tool = GrepTool::new(dir.path().to_owned());
    let output = call(&tool, json!({"pattern": "hit"})).await.unwrap();
    let text = text_of(&output);
    assert!(
        text.ends_with("a:199: hit\n\n[100 matches limit reached. Use limit=200 for more, or refine pattern]"),
        "{text}"
    );
    assert_eq!(output.details, Some(json!({"matchLimitReached": 100})));
    let output = call(&tool, json!({"pattern": "hit", "limit": 1, "context": 2})).await.unwrap();
    assert_eq!(
        text_of(&output),
        "a:1: hit\na-2- miss\na-3- hit\n\n[1 matches limit reached. Use limit=2 for more, or refine pattern]"
    );
    let output = call(&tool, json!({"pattern": "hit", "limit": 0})).await.unwrap();
    assert_eq!(output.details, Some(json!({"matchLimitReached": 1})));
}

#[tokio::test]
async fn long_lines_and_much_output() {
    let dir = temp();
    let line = format!("hit {}\n", "ä".repeat(600));
    files(dir.path(), &[("a", &line.repeat(80))]);
    let tool = GrepTool::new(dir.path().to_owned());
    let output = call(&tool, json!({"pattern": "hit", "limit": 80})).await.unwrap();
    let text = text_of(&output);
    assert!(text.starts_with(&format!("a:1: hit {}... [truncated]\n", "ä".repeat(496))));
    assert!(text.ends_with(
        "\n\n[80 matches limit reached. Use limit=160 for more, or refine pattern. 50.0KB limit reached. Some lines \
         truncated to 500 chars. Use read tool to see full lines]"
    ));
    let details = output.details.unwrap();
    assert_eq!((&details["matchLimitReached"], &details["linesTruncated"]), (&json!(80), &json!(true)));
    assert_eq!(details["truncation"]["totalLines"], 80);
}

#[tokio::test]
async fn failures() {
    let dir = project();
    let tool = GrepTool::new(dir.path().to_owned());
    assert_eq!(
        failure(&tool, json!({"pattern": "x", "path": "none"})).await,
        format!("Path not found: {}/none", dir.path().display())
    );
    let message = failure(&tool, json!({"pattern": "("})).await;
    assert!(message.contains("regex parse error") && message.contains("unclosed group"), "{message}");
    let message = failure(&tool, json!({"pattern": "x", "glob": "a["})).await;
    assert!(message.starts_with("Invalid glob: "), "{message}");
    let stopped = invocation(json!({"pattern": "x"}));
    stopped.cancel.cancel();
    assert_eq!(tool.execute(stopped).await.unwrap_err().message, "Operation aborted");
}

#[tokio::test]
async fn pipes_are_passed_over() {
    let dir = project();
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    rustix::fs::mknodat(rustix::fs::CWD, dir.path().join("pipe"), rustix::fs::FileType::Fifo, mode, 0).unwrap();
    let tool = GrepTool::new(dir.path().to_owned());
    assert_eq!(text(&tool, json!({"pattern": "xzy"})).await, "a/c.rs:3: xzy");
    assert_eq!(text(&tool, json!({"pattern": "x", "path": "pipe"})).await, "No matches found");
}

struct Elsewhere;

#[async_trait]
impl GrepOperations for Elsewhere {
    async fn is_directory(&self, path: &Path) -> Result<bool, OpError> {
        if path.ends_with("gone") { Err(OpError::new("gone")) } else { Ok(path.is_dir()) }
    }

    async fn read_file(&self, path: &Path) -> Result<String, OpError> {
        if path.ends_with("c.rs") { Err(OpError::new("closed")) } else { Ok("A\r\nB\rC\nD".to_owned()) }
    }
}

#[tokio::test]
async fn lines_around_matches_from_elsewhere() {
    let dir = project();
    let tool = GrepTool::new(dir.path().to_owned()).with_operations(Arc::new(Elsewhere));
    assert_eq!(
        text(&tool, json!({"pattern": "two|xzy", "context": 1})).await,
        "a/c.rs:3: (unable to read file)\nb.txt-1- A\nb.txt:2: B\nb.txt-3- C"
    );
    assert_eq!(text(&tool, json!({"pattern": "two"})).await, "b.txt:2: needle two");
    let message = failure(&tool, json!({"pattern": "x", "path": "gone"})).await;
    assert_eq!(message, format!("Path not found: {}/gone", dir.path().display()));
}

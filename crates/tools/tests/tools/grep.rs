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
            ("binary", "needle\n\0\nneedle\n"),
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
        // A file that is named is searched whatever it holds.
        (json!({"pattern": "needle", "path": "binary"}), "binary:1: needle\nbinary:3: needle"),
        (
            json!({"pattern": "two|four", "path": "b.txt", "context": 1}),
            "b.txt-1- one\nb.txt:2: needle two\nb.txt-3- three\nb.txt:4: Needle four",
        ),
        (
            json!({"pattern": "two|three", "path": "b.txt", "context": 1}),
            "b.txt-1- one\nb.txt:2: needle two\nb.txt:3: three\nb.txt-4- Needle four",
        ),
    ] {
        let output = call(&tool, args.clone()).await.unwrap();
        assert_eq!((text_of(&output).as_str(), output.details), (expected, None), "{args}");
    }
}

#[tokio::test]
async fn globs_start_where_the_search_does() {
    let dir = temp();
    files(dir.path(), &[("src/x/one.ts", "hit\n"), ("src/two.ts", "hit\n"), ("a.rs", "hit\n")]);
    let tool = GrepTool::new(dir.path().to_owned());
    for (args, expected) in [
        (json!({"pattern": "hit", "glob": "src/**/*.ts"}), "src/two.ts:1: hit\nsrc/x/one.ts:1: hit"),
        (json!({"pattern": "hit", "path": "src", "glob": "x/*.ts"}), "x/one.ts:1: hit"),
        (json!({"pattern": "hit", "path": "src", "glob": "src/*.ts"}), "No matches found"),
        (json!({"pattern": "hit", "path": "src", "glob": "./x/*.ts"}), "x/one.ts:1: hit"),
        (json!({"pattern": "hit", "path": "src", "glob": "!././x/*.ts"}), "two.ts:1: hit"),
        (json!({"pattern": "hit", "path": "src", "glob": "/two.ts"}), "two.ts:1: hit"),
        (json!({"pattern": "hit", "path": "a.rs", "glob": "*.ts"}), "a.rs:1: hit"),
    ] {
        assert_eq!(text(&tool, args.clone()).await, expected, "{args}");
    }
}

#[tokio::test]
async fn lines_keep_what_is_not_their_end() {
    let dir = temp();
    let wide: Vec<u8> = "\u{FEFF}one\nneedle é\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    files(dir.path(), &[("cr", "a\rneedle\rb\r\nplain\nneedle\r")]);
    std::fs::write(dir.path().join("wide"), wide).unwrap();
    let tool = GrepTool::new(dir.path().to_owned());
    assert_eq!(
        text(&tool, json!({"pattern": "needle", "context": 1})).await,
        "cr:1: a\rneedle\rb\ncr-2- plain\ncr:3: needle\nwide-1- one\nwide:2: needle é"
    );
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
    // Exactly as many as allowed is no reason to ask for more; one in another file is.
    for (limit, reached) in [(152, None), (151, None), (150, Some(json!({"matchLimitReached": 150})))] {
        assert_eq!(call(&tool, json!({"pattern": "hit", "limit": limit})).await.unwrap().details, reached, "{limit}");
    }
    let output = call(&tool, json!({"pattern": "hit", "path": "b", "limit": 1})).await.unwrap();
    assert_eq!((text_of(&output).as_str(), output.details), ("b:1: hit", None));
}

#[tokio::test]
async fn the_last_match_keeps_the_lines_after_it() {
    let dir = temp();
    files(dir.path(), &[("a", "a\nb\nc\nd\ne\nf\ng\n"), ("b", "x\n")]);
    let tool = GrepTool::new(dir.path().to_owned());
    let notice = "\n\n[1 matches limit reached. Use limit=2 for more, or refine pattern]";
    for (pattern, expected) in [
        ("[ce]", format!("a-1- a\na-2- b\na:3: c\na-4- d\na-5- e{notice}")),
        ("[cg]", format!("a-1- a\na-2- b\na:3: c\na-4- d\na-5- e{notice}")),
        ("[cx]", format!("a-1- a\na-2- b\na:3: c\na-4- d\na-5- e{notice}")),
        ("c", "a-1- a\na-2- b\na:3: c\na-4- d\na-5- e".to_owned()),
    ] {
        assert_eq!(text(&tool, json!({"pattern": pattern, "limit": 1, "context": 2})).await, expected, "{pattern}");
    }
}

#[tokio::test]
async fn long_lines_and_much_output() {
    let dir = temp();
    let line = format!("hit {}\n", "ä".repeat(600));
    files(dir.path(), &[("a", &line.repeat(80))]);
    let tool = GrepTool::new(dir.path().to_owned());
    let output = call(&tool, json!({"pattern": "hit", "limit": 79})).await.unwrap();
    let text = text_of(&output);
    assert!(text.starts_with(&format!("a:1: hit {}... [truncated]\n", "ä".repeat(496))));
    assert!(text.ends_with(
        "\n\n[79 matches limit reached. Use limit=158 for more, or refine pattern. 50.0KB limit reached. Some lines \
         truncated to 500 chars. Use read tool to see full lines]"
    ));
    let details = output.details.unwrap();
    assert_eq!((&details["matchLimitReached"], &details["linesTruncated"]), (&json!(79), &json!(true)));
    assert_eq!(details["truncation"]["totalLines"], 79);
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
    assert_eq!(message, "regex parse error:\n    (\n    ^\nerror: unclosed group");
    let message = failure(&tool, json!({"pattern": "a\\nb"})).await;
    assert!(message.starts_with("the literal \"\\n\" is not allowed in a regex"), "{message}");
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
}

#[tokio::test]
async fn operations_from_elsewhere() {
    let dir = project();
    let tool = GrepTool::new(dir.path().to_owned()).with_operations(Arc::new(Elsewhere));
    assert_eq!(
        text(&tool, json!({"pattern": "two|xzy", "context": 1})).await,
        "a/c.rs-2- x.y\na/c.rs:3: xzy\na/c.rs-4- -needle\nb.txt-1- one\nb.txt:2: needle two\nb.txt-3- three"
    );
    let message = failure(&tool, json!({"pattern": "x", "path": "gone"})).await;
    assert_eq!(message, format!("Path not found: {}/gone", dir.path().display()));
}

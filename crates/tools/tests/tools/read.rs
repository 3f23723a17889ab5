use std::sync::Arc;

use async_trait::async_trait;
use serde_json::json;
use tau_tools::read::{ReadOperations, ReadTool};
use tau_tools::{OpError, Tool};

use crate::support::{call, failure, files, invocation, temp, text, text_of};

fn numbered(lines: usize) -> String {
    (1..=lines).map(|n| format!("line {n}")).collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn whole_files_and_parts() {
    let dir = temp();
    files(dir.path(), &[("a.txt", "one\ntwo\nthree\n"), ("empty", ""), ("crlf", "a\r\nb")]);
    let tool = ReadTool::new(dir.path().to_owned());
    for (args, expected) in [
        (json!({"path": "a.txt"}), "one\ntwo\nthree\n"),
        (json!({"path": "@a.txt", "offset": 0}), "one\ntwo\nthree\n"),
        (json!({"path": "a.txt", "offset": 2}), "two\nthree\n"),
        (json!({"path": "a.txt", "offset": 4}), ""),
        (json!({"path": "a.txt", "limit": 2}), "one\ntwo\n\n[2 more lines in file. Use offset=3 to continue.]"),
        (json!({"path": "a.txt", "offset": 2, "limit": 1}), "two\n\n[2 more lines in file. Use offset=3 to continue.]"),
        (json!({"path": "a.txt", "offset": 2, "limit": 3}), "two\nthree\n"),
        (json!({"path": "a.txt", "offset": 3, "limit": 99}), "three\n"),
        (json!({"path": "a.txt", "limit": 0}), "\n\n[4 more lines in file. Use offset=1 to continue.]"),
        (json!({"path": "empty"}), ""),
        (json!({"path": "crlf"}), "a\r\nb"),
    ] {
        let output = call(&tool, args.clone()).await.unwrap();
        assert_eq!(output.structured_content, Some(json!(expected)), "{args}");
        assert_eq!((text_of(&output).as_str(), output.details), (expected, None), "{args}");
    }
}

#[tokio::test]
async fn too_many_lines() {
    let dir = temp();
    files(dir.path(), &[("a", &numbered(2500))]);
    let tool = ReadTool::new(dir.path().to_owned());
    let output = call(&tool, json!({"path": "a"})).await.unwrap();
    let expected = format!("{}\n\n[Showing lines 1-2000 of 2500. Use offset=2001 to continue.]", numbered(2000));
    assert_eq!(text_of(&output), expected);
    let truncation = &output.details.unwrap()["truncation"];
    assert_eq!(truncation["truncatedBy"], "lines");
    assert_eq!((truncation["totalLines"].as_u64(), truncation["outputLines"].as_u64()), (Some(2500), Some(2000)));
    let output = call(&tool, json!({"path": "a", "offset": 401, "limit": 2050})).await.unwrap();
    assert!(text_of(&output).ends_with("line 2400\n\n[Showing lines 401-2400 of 2500. Use offset=2401 to continue.]"));
}

#[tokio::test]
async fn too_many_bytes() {
    let dir = temp();
    let line = "x".repeat(1023);
    files(dir.path(), &[("a", &vec![line.as_str(); 60].join("\n"))]);
    let text = text(&ReadTool::new(dir.path().to_owned()), json!({"path": "a"})).await;
    let expected = vec![line.as_str(); 50].join("\n");
    assert_eq!(text, format!("{expected}\n\n[Showing lines 1-50 of 60 (50.0KB limit). Use offset=51 to continue.]"));
}

#[tokio::test]
async fn a_line_that_is_too_long_alone() {
    let dir = temp();
    files(dir.path(), &[("a", &format!("short\n{}\nend", "é".repeat(40_000)))]);
    let tool = ReadTool::new(dir.path().to_owned());
    let output = call(&tool, json!({"path": "a", "offset": 2})).await.unwrap();
    assert_eq!(text_of(&output), "[Line 2 is 78.1KB, exceeds 50.0KB limit. Use bash: sed -n '2p' a | head -c 51200]");
    assert_eq!(output.details.unwrap()["truncation"]["firstLineExceedsLimit"], true);
}

#[tokio::test]
async fn what_is_no_text_is_shown_as_far_as_it_goes() {
    let dir = temp();
    let mut bytes = vec![b'a'; 262_143];
    bytes.extend("é\n".as_bytes());
    bytes.extend(b"\xff\xfe\nend");
    std::fs::write(dir.path().join("a"), bytes).unwrap();
    let text = text(&ReadTool::new(dir.path().to_owned()), json!({"path": "a", "offset": 2})).await;
    assert_eq!(text, "\u{FFFD}\u{FFFD}\nend");
}

#[tokio::test]
async fn failures() {
    let dir = temp();
    files(dir.path(), &[("a", "one\ntwo")]);
    let tool = ReadTool::new(dir.path().to_owned());
    let path = dir.path().display();
    assert_eq!(
        failure(&tool, json!({"path": "a", "offset": 3})).await,
        "Offset 3 is beyond end of file (2 lines total)"
    );
    assert_eq!(
        failure(&tool, json!({"path": "a", "limit": -1})).await,
        "Invalid limit -1: give the number of lines to show"
    );
    assert_eq!(
        failure(&tool, json!({"path": "none"})).await,
        format!("ENOENT: no such file or directory, access '{path}/none'")
    );
    assert_eq!(failure(&tool, json!({"path": "."})).await, "EISDIR: illegal operation on a directory, read");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        dir.path().join("pipe"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
        0,
    )
    .unwrap();
    assert_eq!(failure(&tool, json!({"path": "pipe"})).await, format!("Not a regular file: {path}/pipe"));
    assert_eq!(failure(&tool, json!({"path": "/dev/zero"})).await, "Not a regular file: /dev/zero");
    assert_eq!(
        failure(&tool, json!({"path": 1})).await,
        "Invalid arguments for tool \"read\": invalid type: integer `1`, expected a string"
    );
    let stopped = invocation(json!({"path": "a"}));
    stopped.cancel.cancel();
    assert_eq!(tool.execute(stopped).await.unwrap_err().message, "Operation aborted");
}

#[tokio::test]
async fn other_spellings_of_a_name() {
    let dir = temp();
    files(dir.path(), &[("Shot 9.41\u{202F}AM.txt", "narrow"), ("d\u{2019}e\u{301}.txt", "curly")]);
    let tool = ReadTool::new(dir.path().to_owned());
    assert_eq!(text(&tool, json!({"path": "Shot 9.41 AM.txt"})).await, "narrow");
    assert_eq!(text(&tool, json!({"path": "d'é.txt"})).await, "curly");
}

#[tokio::test]
async fn a_file_without_a_size_is_read_to_its_end() {
    let tool = ReadTool::new("/proc".into());
    assert!(text(&tool, json!({"path": "version"})).await.starts_with("Linux"));
}

struct Elsewhere;

#[async_trait]
impl ReadOperations for Elsewhere {
    async fn read_file(&self, path: &std::path::Path) -> Result<Vec<u8>, OpError> {
        Ok(format!("content of {}", path.display()).into_bytes())
    }

    async fn access(&self, path: &std::path::Path) -> Result<(), OpError> {
        if path.ends_with("closed") { Err(OpError::new("no entry")) } else { Ok(()) }
    }
}

#[tokio::test]
async fn operations_from_elsewhere() {
    let tool = ReadTool::new("/nowhere".into()).with_operations(Arc::new(Elsewhere));
    assert_eq!(text(&tool, json!({"path": "x"})).await, "content of /nowhere/x");
    assert_eq!(failure(&tool, json!({"path": "closed"})).await, "no entry");
}

struct Hanging;

#[async_trait]
impl ReadOperations for Hanging {
    async fn read_file(&self, _: &std::path::Path) -> Result<Vec<u8>, OpError> {
        std::future::pending().await
    }

    async fn access(&self, _: &std::path::Path) -> Result<(), OpError> {
        Ok(())
    }
}

#[tokio::test]
async fn a_hanging_read_can_be_stopped() {
    let tool = ReadTool::new("/".into()).with_operations(Arc::new(Hanging));
    let call = invocation(json!({"path": "x"}));
    let cancel = call.cancel.clone();
    let (result, ()) = tokio::join!(tool.execute(call), async { cancel.cancel() });
    assert_eq!(result.unwrap_err().message, "Operation aborted");
}

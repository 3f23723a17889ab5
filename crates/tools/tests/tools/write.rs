use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::Mutex;
use serde_json::json;
use tau_tools::write::{WriteOperations, WriteTool};
use tau_tools::{OpError, Tool};

use crate::support::{eventually, failure, files, invocation, temp, text};

#[tokio::test]
async fn creates_files_with_their_directories() {
    let dir = temp();
    let tool = WriteTool::new(dir.path().to_owned());
    assert_eq!(text(&tool, json!({"path": "a/b/c.txt", "content": "é\n"})).await, "Successfully wrote to a/b/c.txt");
    assert_eq!(std::fs::read_to_string(dir.path().join("a/b/c.txt")).unwrap(), "é\n");
    assert_eq!(text(&tool, json!({"path": "@a/b/c.txt", "content": ""})).await, "Successfully wrote to @a/b/c.txt");
    assert_eq!(std::fs::read_to_string(dir.path().join("a/b/c.txt")).unwrap(), "");
    let names: Vec<_> = std::fs::read_dir(dir.path().join("a/b")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names, ["c.txt"]);
}

#[tokio::test]
async fn new_files_have_the_usual_permissions() {
    let dir = temp();
    files(dir.path(), &[("usual", "")]);
    let tool = WriteTool::new(dir.path().to_owned());
    text(&tool, json!({"path": "new", "content": ""})).await;
    let mode = |name: &str| std::fs::metadata(dir.path().join(name)).unwrap().mode();
    assert_eq!(mode("new"), mode("usual"));
}

#[tokio::test]
async fn keeps_permissions_and_links() {
    let dir = temp();
    files(dir.path(), &[("real/script", "old"), ("hard", "old")]);
    let script = dir.path().join("real/script");
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o750)).unwrap();
    symlink("real/script", dir.path().join("link")).unwrap();
    symlink("real/new", dir.path().join("dangling")).unwrap();
    std::fs::hard_link(dir.path().join("hard"), dir.path().join("hard2")).unwrap();
    let tool = WriteTool::new(dir.path().to_owned());
    for path in ["link", "dangling", "hard"] {
        text(&tool, json!({"path": path, "content": "new"})).await;
    }
    let content = |name: &str| std::fs::read_to_string(dir.path().join(name)).unwrap();
    assert_eq!(["real/script", "real/new", "hard", "hard2"].map(content), ["new"; 4]);
    assert_eq!(std::fs::metadata(&script).unwrap().mode() & 0o777, 0o750);
    assert!(dir.path().join("link").is_symlink() && dir.path().join("dangling").is_symlink());
}

#[tokio::test]
async fn failures() {
    let dir = temp();
    files(dir.path(), &[("file", "")]);
    symlink("circle", dir.path().join("circle")).unwrap();
    let tool = WriteTool::new(dir.path().to_owned());
    let path = dir.path().display();
    for (target, message) in [
        (".", format!("EISDIR: illegal operation on a directory, open '{path}'")),
        ("circle", format!("ELOOP: too many symbolic links encountered, open '{path}/circle'")),
    ] {
        assert_eq!(failure(&tool, json!({"path": target, "content": ""})).await, message);
    }
    let message = failure(&tool, json!({"path": "file/below", "content": ""})).await;
    assert!(message.ends_with(&format!(", mkdir '{path}/file'")), "{message}");
    let stopped = invocation(json!({"path": "never", "content": ""}));
    stopped.cancel.cancel();
    assert_eq!(tool.execute(stopped).await.unwrap_err().message, "Operation aborted");
    assert!(!dir.path().join("never").exists());
}

/// Writes slowly, and notes when writes begin and end.
#[derive(Default)]
struct Slow {
    log: Mutex<Vec<String>>,
    gate: tokio::sync::Notify,
}

#[async_trait]
impl WriteOperations for Slow {
    async fn write_file(&self, _: &Path, content: &[u8]) -> Result<(), OpError> {
        let name = String::from_utf8_lossy(content).into_owned();
        self.log.lock().push(format!("begin {name}"));
        self.gate.notified().await;
        self.log.lock().push(format!("end {name}"));
        Ok(())
    }

    async fn mkdir(&self, _: &Path) -> Result<(), OpError> {
        Ok(())
    }
}

#[tokio::test]
async fn a_stopped_write_keeps_its_turn_until_it_is_over() {
    let dir = temp();
    let slow = Arc::new(Slow::default());
    let tool = WriteTool::new(dir.path().to_owned()).with_operations(slow.clone());
    let first = invocation(json!({"path": "a", "content": "1"}));
    let cancel = first.cancel.clone();
    let (result, ()) = tokio::join!(tool.execute(first), async {
        eventually(|| !slow.log.lock().is_empty()).await;
        cancel.cancel();
    });
    assert_eq!(result.unwrap_err().message, "Operation aborted");
    let (second, ()) = tokio::join!(tool.execute(invocation(json!({"path": "./a", "content": "2"}))), async {
        tokio::task::yield_now().await;
        assert_eq!(*slow.log.lock(), ["begin 1"]);
        slow.gate.notify_one();
        eventually(|| slow.log.lock().len() == 3).await;
        slow.gate.notify_one();
    });
    second.unwrap();
    assert_eq!(*slow.log.lock(), ["begin 1", "end 1", "begin 2", "end 2"]);
}

//! Leaving nothing behind when the program ends.

use std::process::Command;

use serde_json::json;
use tau_tools::bash::BashTool;
use tau_tools::{Invocation, Progress, Tool, kill_running_processes};
use tokio_util::sync::CancellationToken;

/// In a process of its own: what other tests have started would be killed too.
#[test]
fn everything_that_runs_can_be_killed_at_once() {
    let program = std::env::current_exe().expect("this program");
    let alone = ["--exact", "shutdown::what_runs_is_killed", "--ignored", "--nocapture"];
    let output = Command::new(program).args(alone).output().expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}{}", String::from_utf8_lossy(&output.stderr));
}

#[tokio::test]
#[ignore = "everything_that_runs_can_be_killed_at_once runs it"]
async fn what_runs_is_killed() {
    let dir = tempfile::tempdir().unwrap();
    let call = Invocation {
        id: "call".to_owned(),
        args: json!({"command": "sleep 1000 & echo > ready; wait"}),
        cancel: CancellationToken::new(),
        progress: Progress::ignore(),
        nested: tau_tools::NestedCalls::default(),
    };
    let tool = BashTool::new(dir.path().to_owned());
    let (result, ()) = tokio::join!(tool.execute(call), async {
        while !dir.path().join("ready").exists() {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
        kill_running_processes();
    });
    let output = result.unwrap();
    assert!(output.is_error);
    assert_eq!(output.texts(), "(no output)\n\nCommand exited with code 137");
}

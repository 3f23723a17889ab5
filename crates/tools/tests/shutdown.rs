//! Leaving nothing behind when the program ends. Alone in its process: it kills whatever that has started.

use serde_json::json;
use tau_tools::bash::BashTool;
use tau_tools::{Invocation, Progress, Tool, kill_running_processes};
use tokio_util::sync::CancellationToken;

#[tokio::test]
async fn everything_that_runs_can_be_killed_at_once() {
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

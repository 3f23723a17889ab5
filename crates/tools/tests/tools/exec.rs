use std::path::Path;
use std::time::Duration;

use tau_tools::{ExecCommand, ExecOutput, exec_process};
use tokio_util::sync::CancellationToken;

use crate::support::{eventually, temp};

async fn sh(script: &str, timeout: Option<Duration>, cancel: CancellationToken) -> ExecOutput {
    let dir = temp();
    exec_process(ExecCommand { timeout, ..script_in(dir.path(), script) }, cancel).await
}

fn script_in(dir: &Path, script: &str) -> ExecCommand {
    ExecCommand::new("sh", &["-c".to_owned(), script.to_owned()], dir)
}

fn output(stdout: &str, stderr: &str, code: i32, killed: bool) -> ExecOutput {
    ExecOutput { stdout: stdout.to_owned(), stderr: stderr.to_owned(), code, killed, truncated: false }
}

#[tokio::test]
async fn both_streams_and_the_code() {
    let cancel = CancellationToken::new;
    assert_eq!(sh("echo out; echo err >&2; exit 5", None, cancel()).await, output("out\n", "err\n", 5, false));
    assert_eq!(sh("cat; echo end", None, cancel()).await, output("end\n", "", 0, false));
    assert_eq!(sh("kill -15 $$", None, cancel()).await, output("", "", 143, false));
}

#[tokio::test]
async fn characters_survive_being_written_in_pieces() {
    let script = r"printf 'a\303'; sleep 0.05; printf '\251b'";
    assert_eq!(sh(script, None, CancellationToken::new()).await, output("aéb", "", 0, false));
}

#[tokio::test]
async fn programs_that_cannot_be_started() {
    let dir = temp();
    let run =
        |program: &'static str, cwd: &Path| exec_process(ExecCommand::new(program, &[], cwd), CancellationToken::new());
    assert_eq!(run("/no/such/program", dir.path()).await, output("", "spawn /no/such/program ENOENT", 1, false));
    let gone = dir.path().join("gone");
    let expected = format!("sh: working directory {} does not exist", gone.display());
    assert_eq!(run("sh", &gone).await, output("", &expected, 1, false));
}

#[tokio::test]
async fn a_timeout_asks_to_stop() {
    let script = "trap 'echo asked; exit 7' TERM; echo ready; while :; do sleep 0.01; done";
    let result = sh(script, Some(Duration::from_millis(300)), CancellationToken::new()).await;
    // Some shells also report on stderr that their child was terminated.
    assert_eq!(ExecOutput { stderr: String::new(), ..result }, output("ready\nasked\n", "", 7, true));
}

#[tokio::test]
async fn who_does_not_stop_is_killed() {
    let dir = temp();
    let cancel = CancellationToken::new();
    let script = "trap '' TERM; sleep 1000 & echo > ready; while :; do sleep 0.01; done";
    let (result, ()) = tokio::join!(exec_process(script_in(dir.path(), script), cancel.clone()), async {
        eventually(|| dir.path().join("ready").exists()).await;
        cancel.cancel();
    });
    assert_eq!((result.code, result.killed), (137, true));
}

#[tokio::test]
async fn what_runs_in_the_background_does_not_hold_the_call() {
    let result = sh("sleep 1000 & echo $!", None, CancellationToken::new()).await;
    assert_eq!((result.code, result.killed), (0, false));
    sh(&format!("kill {}", result.stdout.trim()), None, CancellationToken::new()).await;
}

#[tokio::test]
async fn the_environment_can_be_replaced() {
    let dir = temp();
    let env = vec![("ONLY".to_owned(), "this".to_owned()), ("PATH".to_owned(), std::env::var("PATH").unwrap())];
    let command = ExecCommand { env: Some(env), ..script_in(dir.path(), "echo $ONLY${HOME-}") };
    let result = exec_process(command, CancellationToken::new()).await;
    assert_eq!(result, output("this\n", "", 0, false));
}

#[tokio::test]
async fn a_program_that_says_too_much_is_stopped() {
    let dir = temp();
    let room: tau_tools::OutputRoom = Box::new(|held| held <= 1 << 20);
    let command = ExecCommand { room: Some(room), ..script_in(dir.path(), "yes; echo never") };
    let result = exec_process(command, CancellationToken::new()).await;
    assert!(result.killed && result.stdout.starts_with("y\ny\n") && !result.stdout.contains("never"));
    assert!(result.stdout.len() <= 2 << 20, "{}", result.stdout.len());
    assert!(result.stderr.contains("[The output was cut after "), "{}", result.stderr);
    assert_eq!((result.code, result.truncated), (1, true));
}

#[tokio::test]
async fn a_caller_limits_both_streams_together() {
    let dir = temp();
    let run = async |script: &str, most: usize| {
        let command = ExecCommand { max_buffer: Some(most), ..script_in(dir.path(), script) };
        exec_process(command, CancellationToken::new()).await
    };
    let cut = |stdout: &str, code, killed| ExecOutput { truncated: true, ..output(stdout, "", code, killed) };
    assert_eq!(run("printf 12345", 5).await, output("12345", "", 0, false));
    assert_eq!(run("printf 123456; exec sleep 1000", 5).await, cut("12345", 1, true));
    assert_eq!(run("printf x; exec sleep 1000", 0).await, cut("", 1, true));
    // A character is kept whole or left out.
    assert_eq!(run(r"printf 'a\303\251\303\251'; exec sleep 1000", 4).await, cut("aé", 1, true));
    // A program that ends with an error of its own keeps it. A shell that waits for a child would name the signal that
    // ends the child, on a stream that nobody reads any more.
    let result = run("trap 'exit 7' TERM; printf 12; while :; do :; done", 1).await;
    assert_eq!((result.stdout.as_str(), result.code, result.truncated), ("1", 7, true));
    // Standard error counts as well.
    let result = run("printf 123; printf 456 >&2; exec sleep 1000", 4).await;
    assert_eq!((result.stdout.len() + result.stderr.len(), result.truncated), (4, true));
}

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use parking_lot::Mutex;
use proptest::prelude::*;
use serde_json::json;
use tau_tools::bash::{
    BashExec, BashExecError, BashOperations, BashSpawn, BashTool, LocalBash, OutputAccumulator, UserBash,
    run_user_command,
};
use tau_tools::truncate::{Limits, truncate_tail};
use tau_tools::{OpError, Tool};
use tokio_util::sync::CancellationToken;

use crate::support::{call, eventually, failure, files, invocation, recorder, temp, text, text_of};

/// Whether a process exists and is no zombie.
fn alive(pid: &str) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat"))
        .ok()
        .and_then(|stat| stat.rsplit(") ").next().map(|rest| !rest.starts_with('Z')))
        .unwrap_or(false)
}

fn pids(file: &Path) -> Vec<String> {
    std::fs::read_to_string(file).unwrap_or_default().split_whitespace().map(str::to_owned).collect()
}

/// Starts a grandchild and a great-grandchild, and waits for them.
const FAMILY: &str = "sleep 1000 & echo $! >> pids; (sleep 1000 & echo $! >> pids; wait) & echo $! >> pids; \
                      echo started; wait";

#[tokio::test]
async fn output_and_exit_codes() {
    let dir = temp();
    let tool = BashTool::new(dir.path().to_owned());
    assert_eq!(text(&tool, json!({"command": "printf 'a\\n'; printf b >&2; printf 'c\\n'"})).await, "a\nbc\n");
    assert_eq!(text(&tool, json!({"command": "true"})).await, "(no output)");
    assert_eq!(text(&tool, json!({"command": "cat"})).await, "(no output)");
    assert_eq!(
        text(&tool, json!({"command": "pwd -P"})).await.trim(),
        dir.path().canonicalize().unwrap().to_str().unwrap()
    );
    assert_eq!(failure(&tool, json!({"command": "echo x; exit 3"})).await, "x\n\n\nCommand exited with code 3");
    assert_eq!(failure(&tool, json!({"command": "exit 1"})).await, "(no output)\n\nCommand exited with code 1");
    assert_eq!(failure(&tool, json!({"command": "kill -9 $$"})).await, "(no output)\n\nCommand exited with code 137");
}

#[tokio::test]
async fn calls_that_cannot_begin() {
    let dir = temp();
    let gone = dir.path().join("gone");
    assert_eq!(
        failure(&BashTool::new(gone.clone()), json!({"command": "true"})).await,
        format!("Working directory does not exist: {}\nCannot execute bash commands.", gone.display())
    );
    let tool = BashTool::new(dir.path().to_owned());
    for timeout in [json!(0), json!(-1)] {
        assert_eq!(
            failure(&tool, json!({"command": "true", "timeout": timeout})).await,
            "Invalid timeout: must be a finite number of seconds"
        );
    }
    assert_eq!(
        failure(&tool, json!({"command": "true", "timeout": 3e6})).await,
        "Invalid timeout: maximum is 2147483.647 seconds"
    );
    let tool = tool.with_shell_path("/no/shell".into());
    assert_eq!(failure(&tool, json!({"command": "true"})).await, "Custom shell path not found: /no/shell");
}

#[tokio::test]
async fn the_result_is_there_as_data() {
    let dir = temp();
    let tool = BashTool::new(dir.path().to_owned()).with_temp_dir(dir.path().to_owned());
    let data = async |command: &str| {
        let output = call(&tool, json!({ "command": command })).await.unwrap();
        let mut data = output.structured_content.unwrap();
        let seconds =
            data.as_object_mut().unwrap().remove("wall_time_seconds").and_then(|value| value.as_f64()).unwrap();
        (data, seconds, output.is_error)
    };
    let (quiet, _, failed) = data("true").await;
    assert_eq!((quiet, failed), (json!({"output": "", "truncated": false, "exit_code": 0}), false));
    let (loud, seconds, failed) = data("echo out; sleep 0.3; echo err >&2; exit 4").await;
    assert_eq!((loud, failed), (json!({"output": "out\nerr\n", "truncated": false, "exit_code": 4}), true));
    assert!(seconds >= 0.3 && (seconds * 10.0 - (seconds * 10.0).round()).abs() < 1e-6, "{seconds}");
    // The model sees the end of this; the data has all of it, and so it names no file.
    let (long, ..) = data("i=0; while [ $i -lt 2500 ]; do i=$((i+1)); echo $i; done").await;
    let lines: String = (1..=2500).map(|n| format!("{n}\n")).collect();
    assert_eq!(long, json!({"output": lines, "truncated": false, "exit_code": 0}));
}

#[tokio::test]
async fn of_very_much_output_the_data_has_both_ends() {
    let dir = temp();
    let tool = BashTool::new(dir.path().to_owned()).with_temp_dir(dir.path().to_owned());
    let text: String = (0..200_000).map(|n| format!("{n:07}\n")).collect();
    files(dir.path(), &[("long", &text)]);
    let data = call(&tool, json!({"command": "cat long"})).await.unwrap().structured_content.unwrap();
    let end = 512 * 1024;
    let omitted = text.len() - 2 * end;
    let expected = format!("{}\n\n[... {omitted} bytes omitted ...]\n\n{}", &text[..end], &text[text.len() - end..]);
    assert!(data["output"] == expected.as_str());
    assert_eq!(data["truncated"], true);
    assert_eq!(std::fs::read_to_string(data["full_output_path"].as_str().unwrap()).unwrap(), text);
}

#[tokio::test]
async fn a_timeout_kills_the_whole_family() {
    let dir = temp();
    let tool = BashTool::new(dir.path().to_owned());
    let message = failure(&tool, json!({"command": FAMILY, "timeout": 0.5})).await;
    assert_eq!(message, "started\n\n\nCommand timed out after 0.5 seconds");
    let pids = pids(&dir.path().join("pids"));
    assert_eq!(pids.len(), 3);
    eventually(|| !pids.iter().any(|pid| alive(pid))).await;
}

#[tokio::test]
async fn an_abort_kills_the_whole_family() {
    let dir = temp();
    let tool = BashTool::new(dir.path().to_owned());
    let call = invocation(json!({"command": FAMILY}));
    let cancel = call.cancel.clone();
    let list = dir.path().join("pids");
    let (result, ()) = tokio::join!(tool.execute(call), async {
        eventually(|| pids(&list).len() == 3).await;
        tokio::time::sleep(Duration::from_millis(50)).await;
        cancel.cancel();
    });
    assert_eq!(result.unwrap_err().message, "started\n\n\nCommand aborted");
    let pids = pids(&list);
    eventually(|| !pids.iter().any(|pid| alive(pid))).await;
}

#[tokio::test]
async fn a_call_that_is_given_up_leaves_nothing_behind() {
    let dir = temp();
    let tool = Arc::new(BashTool::new(dir.path().to_owned()));
    let task = tokio::spawn(async move { tool.execute(invocation(json!({"command": FAMILY}))).await });
    let list = dir.path().join("pids");
    eventually(|| pids(&list).len() == 3).await;
    task.abort();
    let pids = pids(&list);
    eventually(|| !pids.iter().any(|pid| alive(pid))).await;
}

#[tokio::test]
async fn an_abort_before_the_start() {
    let dir = temp();
    let call = invocation(json!({"command": "echo > ran"}));
    call.cancel.cancel();
    let result = BashTool::new(dir.path().to_owned()).execute(call).await;
    assert_eq!(result.unwrap_err().message, "Command aborted");
    assert!(!dir.path().join("ran").exists());
}

#[tokio::test]
async fn what_runs_in_the_background_does_not_hold_the_call() {
    let dir = temp();
    let tool = BashTool::new(dir.path().to_owned());
    assert_eq!(text(&tool, json!({"command": "sleep 1000 & echo $! > pid; echo done"})).await, "done\n");
    let pid = pids(&dir.path().join("pid"));
    // It was left running on purpose.
    assert!(alive(&pid[0]));
    text(&tool, json!({"command": format!("kill -9 {}", pid[0])})).await;
}

#[tokio::test]
async fn many_lines_are_cut_and_saved() {
    let dir = temp();
    let temp_dir = temp();
    let tool = BashTool::new(dir.path().to_owned()).with_temp_dir(temp_dir.path().to_owned());
    let output =
        call(&tool, json!({"command": "i=0; while [ $i -lt 2500 ]; do i=$((i+1)); echo $i; done"})).await.unwrap();
    let details = output.details.clone().unwrap();
    let path = details["fullOutputPath"].as_str().unwrap();
    let name = Path::new(path).file_name().unwrap().to_str().unwrap();
    let id = name.strip_prefix("pi-bash-").unwrap().strip_suffix(".log").unwrap();
    assert!(id.len() == 16 && id.bytes().all(|byte| byte.is_ascii_hexdigit()), "{name}");
    let lines = |from: usize| (from..=2500).map(|n| n.to_string()).collect::<Vec<_>>().join("\n");
    let notice = format!("[Showing lines 501-2500 of 2500. Full output: {path}]");
    assert_eq!(text_of(&output), format!("{}\n\n{notice}", lines(501)));
    assert_eq!(std::fs::read_to_string(path).unwrap(), format!("{}\n", lines(1)));
    assert_eq!(details["truncation"]["truncatedBy"], "lines");
    assert_eq!(details["truncation"]["totalLines"], 2500);
}

#[tokio::test]
async fn many_bytes_are_cut_and_saved() {
    let dir = temp();
    let temp_dir = temp();
    let tool = BashTool::new(dir.path().to_owned()).with_temp_dir(temp_dir.path().to_owned());
    let line = "x".repeat(1023);
    files(dir.path(), &[("long", &format!("{line}\n").repeat(60)), ("one", &"y".repeat(300_000))]);
    let message = failure(&tool, json!({"command": "while read -r l; do echo \"$l\"; done < long; exit 2"})).await;
    let (shown, notice) = message.rsplit_once("\n\n[").unwrap();
    assert_eq!(shown, vec![line.as_str(); 50].join("\n"));
    assert!(notice.starts_with("Showing lines 11-60 of 60 (50.0KB limit). Full output: "), "{notice}");
    assert!(notice.ends_with("]\n\nCommand exited with code 2"), "{notice}");
    let text = text(&tool, json!({"command": "read -r l < one; printf %s \"$l\""})).await;
    let (shown, notice) = text.rsplit_once("\n\n[").unwrap();
    assert_eq!(shown, "y".repeat(51_200));
    assert!(notice.starts_with("Showing last 50.0KB of line 1 (line is 293.0KB). Full output: "), "{notice}");
}

#[tokio::test]
async fn output_that_cannot_be_saved_is_still_shown() {
    let dir = temp();
    let tool = BashTool::new(dir.path().to_owned()).with_temp_dir(dir.path().join("gone"));
    let output =
        call(&tool, json!({"command": "i=0; while [ $i -lt 2001 ]; do i=$((i+1)); echo; done"})).await.unwrap();
    let text = text_of(&output);
    assert!(text.contains("[Showing lines 2-2001 of 2001. The full output could not be saved: "), "{text}");
    assert_eq!(output.details.unwrap().get("fullOutputPath"), None);
}

#[tokio::test]
async fn progress_shows_everything_so_far() {
    let dir = temp();
    let (progress, seen) = recorder();
    let call = tau_tools::Invocation {
        progress,
        ..invocation(json!({"command": "echo one; while [ ! -e go ]; do sleep 0.01; done; echo two"}))
    };
    let tool = BashTool::new(dir.path().to_owned());
    let (result, ()) = tokio::join!(tool.execute(call), async {
        eventually(|| seen.lock().iter().any(|partial| text_of(partial) == "one\n")).await;
        files(dir.path(), &[("go", "")]);
    });
    assert_eq!(text_of(&result.unwrap()), "one\ntwo\n");
    let seen = seen.lock();
    assert_eq!(seen.first().map(text_of), Some(String::new()));
    assert_eq!(seen.last().map(text_of), Some("one\ntwo\n".to_owned()));
}

#[tokio::test]
async fn progress_is_not_reported_for_every_chunk() {
    let dir = temp();
    let (progress, seen) = recorder();
    let args = json!({"command": "i=0; while [ $i -lt 3000 ]; do i=$((i+1)); echo $i; done"});
    let started = std::time::Instant::now();
    let call = tau_tools::Invocation { progress, ..invocation(args) };
    BashTool::new(dir.path().to_owned()).execute(call).await.unwrap();
    // One at the start, one for the first chunk, one at the end, and ten a second in between.
    let most = 3 + started.elapsed().as_millis() as usize / 100;
    assert!(seen.lock().len() <= most, "{} > {most}", seen.lock().len());
}

#[tokio::test]
async fn environment_prefix_and_hook() {
    let dir = temp();
    let hooked: Arc<Mutex<Vec<BashSpawn>>> = Arc::default();
    let tool = BashTool::new(dir.path().to_owned())
        .with_command_prefix("greeting=hello")
        .with_env(Arc::new(|| vec![("PI_SESSION_ID".to_owned(), Some("abc".to_owned())), ("HOME".to_owned(), None)]))
        .with_bin_dir("/some/bin".into())
        .with_spawn_hook(Arc::new({
            let hooked = hooked.clone();
            move |mut spawn: BashSpawn| {
                hooked.lock().push(spawn.clone());
                spawn.command.push_str("; echo $ADDED");
                spawn.env.insert("ADDED".to_owned(), "by hook".to_owned());
                spawn
            }
        }));
    let text =
        text(&tool, json!({"command": "echo $greeting $PI_SESSION_ID ${HOME-homeless}; echo ${PATH%%:*}"})).await;
    assert_eq!(text, "hello abc homeless\n/some/bin\nby hook\n");
    let hooked = hooked.lock();
    assert_eq!(hooked[0].command, "greeting=hello\necho $greeting $PI_SESSION_ID ${HOME-homeless}; echo ${PATH%%:*}");
    assert_eq!(hooked[0].cwd, dir.path());
}

struct Elsewhere(fn(&BashExec) -> Result<Option<i32>, BashExecError>);

#[async_trait]
impl BashOperations for Elsewhere {
    async fn exec(&self, _: &str, _: &Path, exec: BashExec) -> Result<Option<i32>, BashExecError> {
        (exec.on_data)(b"caf\xc3");
        (exec.on_data)(b"\xa9\n");
        (self.0)(&exec)
    }
}

#[tokio::test]
async fn operations_from_elsewhere() {
    let tool = |result| BashTool::new("/".into()).with_operations(Arc::new(Elsewhere(result)));
    assert_eq!(text(&tool(|_| Ok(Some(0))), json!({"command": "x"})).await, "café\n");
    for (result, message) in [
        ((|_| Ok(None)) as fn(&BashExec) -> _, "café\n\n\nCommand terminated without an exit code"),
        (|_| Err(BashExecError::Aborted), "café\n\n\nCommand aborted"),
        (|_| Err(BashExecError::TimedOut(5.0)), "café\n\n\nCommand timed out after 5 seconds"),
        (|_| Err(OpError::new("connection lost").into()), "connection lost"),
    ] {
        assert_eq!(failure(&tool(result), json!({"command": "x"})).await, message);
    }
}

fn user(temp_dir: &Path) -> (UserBash, Arc<Mutex<String>>) {
    let seen: Arc<Mutex<String>> = Arc::default();
    let on_text = Arc::new({
        let seen = seen.clone();
        move |text: &str| seen.lock().push_str(text)
    });
    let temp_dir = temp_dir.to_owned();
    let user = UserBash { on_text, cancel: CancellationToken::new(), env: None, temp_dir, pace: None };
    (user, seen)
}

#[tokio::test]
async fn commands_of_the_user_are_cleaned() {
    let dir = temp();
    let (user, seen) = user(dir.path());
    let command = r"printf '\033[1;31mred\033[0m\r\n\033]0;title\007a\001b\tc\033(B\n\357\277\271x\033]8;;http://x\033\\link\n'; exit 4";
    let output = run_user_command(command, dir.path(), &LocalBash::default(), user).await.unwrap();
    assert_eq!(output.output, "red\nab\tc\nxlink\n");
    assert_eq!(*seen.lock(), output.output);
    assert_eq!((output.exit_code, output.cancelled, output.truncated), (Some(4), false, false));
}

#[tokio::test]
async fn commands_of_the_user_can_be_stopped() {
    let dir = temp();
    let (user, seen) = user(dir.path());
    let cancel = user.cancel.clone();
    let local = LocalBash::default();
    let (output, ()) = tokio::join!(run_user_command("echo a; sleep 1000", dir.path(), &local, user), async {
        eventually(|| !seen.lock().is_empty()).await;
        cancel.cancel();
    });
    let output = output.unwrap();
    assert_eq!((output.output.as_str(), output.exit_code, output.cancelled), ("a\n", None, true));
}

#[tokio::test]
async fn commands_of_the_user_that_cannot_run() {
    let dir = temp();
    let local = LocalBash::new(Some("/no/shell".into()));
    let error = run_user_command("true", dir.path(), &local, user(dir.path()).0).await.unwrap_err();
    assert_eq!(error, OpError::new("Custom shell path not found: /no/shell"));
}

#[test]
fn a_huge_last_line_is_shown_in_part_even_when_it_is_complete() {
    let dir = temp();
    let limits = Limits { max_lines: 9, max_bytes: 10 };
    let mut output = OutputAccumulator::new(dir.path(), limits);
    for _ in 0..30 {
        output.append(b"0123456789");
    }
    output.append(b"\n");
    output.finish();
    let snapshot = output.snapshot();
    assert_eq!(snapshot.truncation.content, "0123456789");
    let path = snapshot.full_output_path.clone().unwrap();
    let expected = format!("\n\n[Showing last 10B of line 1 (line is 300B). Full output: {}]", path.display());
    assert_eq!(snapshot.notice(), expected);
}

proptest! {
    /// However output is cut into chunks, the accumulator shows what cutting the whole would.
    #[test]
    fn chunks_do_not_matter(text in "[aé漢\n]{0,300}", step in 1usize..40, lines in 1usize..8, bytes in 4usize..30) {
        let limits = Limits { max_lines: lines, max_bytes: bytes };
        let dir = temp();
        let mut output = OutputAccumulator::new(dir.path(), limits);
        for chunk in text.as_bytes().chunks(step) {
            output.append(chunk);
        }
        output.finish();
        let whole = truncate_tail(&text, limits);
        let snapshot = output.snapshot();
        prop_assert_eq!(&snapshot.truncation.content, &whole.content);
        prop_assert_eq!(snapshot.truncation.truncated, whole.truncated);
        prop_assert_eq!(snapshot.truncation.total_lines, whole.total_lines);
        prop_assert_eq!(snapshot.truncation.total_bytes, whole.total_bytes);
        let saved: BTreeSet<_> = snapshot.full_output_path.iter().map(|path| std::fs::read(path).unwrap()).collect();
        let expected: BTreeSet<_> = whole.truncated.then(|| text.clone().into_bytes()).into_iter().collect();
        prop_assert_eq!(saved, expected);
    }
}

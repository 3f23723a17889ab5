//! What happens when a script cannot say anything.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::{Place, one, place, result_of};

const HANG: &str = "#!/bin/sh\nsleep 600\n";

fn quick(place: Place) -> Place {
    place.settings(json!({"tau": {"shellHooks": {"timeoutMs": 300}}}))
}

/// A gate whose script cannot decide: the tool does not run, the model reads why and the user is told.
async fn shut(place: Place, why: &str) {
    assert_eq!(place.result().await, why);
    assert_eq!((place.ran(), place.reports()), (Vec::<Value>::new(), one("pre/work.sh", "tool_call", why).to_vec()));
}

#[tokio::test]
async fn a_script_that_takes_too_long_is_killed_and_blocks() {
    let place = quick(place()).hook(".claude/hooks/pre/work.sh", HANG);
    shut(place, "the hook pre/work.sh did not end within 300ms and was killed").await;
    // Long enough for the script to write.
    let place = super::place().settings(json!({"tau": {"shellHooks": {"timeoutMs": 3000}}}));
    let place = place.hook(".claude/hooks/pre/work.sh", "#!/bin/sh\necho 'asking the server' >&2\nsleep 600\n");
    shut(place, "the hook pre/work.sh did not end within 3s and was killed; it wrote: asking the server").await;
}

#[tokio::test]
async fn a_script_without_its_interpreter_blocks() {
    let place = place().hook(".claude/hooks/pre/work.sh", "#!/no/such/shell -e\n");
    shut(place, "the hook pre/work.sh could not be started: its interpreter /no/such/shell -e is not there").await;
}

#[tokio::test]
async fn a_script_that_cannot_be_run_by_its_shell_blocks() {
    let place = place().hook(".claude/hooks/pre/work.sh", "#!/bin/sh\nexit 126\n");
    shut(place, "the hook pre/work.sh could not be started: exit code 126").await;
    let place = super::place().hook(".claude/hooks/pre/work.sh", "#!/bin/sh\necho gone >&2; exit 127\n");
    shut(place, "the hook pre/work.sh could not be started: gone (exit code 127)").await;
}

#[tokio::test]
async fn a_script_that_dies_of_a_signal_blocks() {
    let place = place().hook(".claude/hooks/pre/work.sh", "#!/bin/sh\nkill -9 $$\n");
    shut(place, "the hook pre/work.sh was ended by signal 9").await;
    let place = super::place().hook(".claude/hooks/pre/work.sh", "#!/bin/sh\necho 'no rules' >&2; kill -9 $$\n");
    shut(place, "the hook pre/work.sh was ended by signal 9; it wrote: no rules").await;
}

#[tokio::test]
async fn a_script_that_is_gone_blocks() {
    let place = place().hook(".claude/hooks/pre/work.sh", "#!/bin/sh\n");
    let running = place.start().await;
    std::fs::remove_file(place.world.home.cwd().join(".claude/hooks/pre/work.sh")).expect("a script to remove");
    running.say("Go on.").await;
    assert_eq!(result_of(&running), "the hook pre/work.sh could not be started: the file is not there");
    assert_eq!(place.ran(), Vec::<Value>::new());
}

#[tokio::test]
async fn an_answer_that_cannot_be_read_blocks() {
    let place = place().hook(".claude/hooks/pre/work.sh", "#!/bin/sh\necho '{\"decision\": \"approve\"'\n");
    let result = place.result().await;
    assert!(result.starts_with("the hook pre/work.sh gave an answer that is no JSON: EOF"), "{result}");
    let place = super::place().hook(".claude/hooks/pre/work.sh", "#!/bin/sh\necho '{\"decision\": true}'\n");
    shut(place, "the hook pre/work.sh gave an answer whose `decision` is not a text").await;
}

#[tokio::test]
async fn much_output_holds_nothing_up_and_blocks_because_an_answer_may_be_lost() {
    let much = |first: &str| {
        format!("#!/bin/sh\nprintf '%s' '{first}'\nhead -c 3000000 /dev/zero | tr '\\0' ' '\necho done >&2\n")
    };
    let cut = "the hook pre/work.sh wrote more than 1048576 bytes to standard output, so its answer cannot be read";
    for first in ["all is well", "{"] {
        shut(place().hook(".claude/hooks/pre/work.sh", &much(first)), cut).await;
    }
    let late = "#!/bin/sh\nhead -c 1100000 /dev/zero | tr '\\0' y\necho\necho '{\"decision\": \"deny\"}'\n";
    shut(place().hook(".claude/hooks/pre/work.sh", late), cut).await;
    let errors = "#!/bin/sh\nhead -c 3000000 /dev/zero | tr '\\0' 'e' >&2\nexit 2\n";
    let place = place().hook(".claude/hooks/pre/work.sh", errors);
    assert_eq!(place.result().await, format!("{} […]", "e".repeat(10_000)));
}

#[tokio::test]
async fn output_that_is_no_text_is_no_answer_unless_it_begins_as_one() {
    let place = place().hook(".claude/hooks/pre/work.sh", "#!/bin/sh\nprintf '\\377\\376\\000'\n");
    assert_eq!(place.result().await, "did x");
    for text in ["\\377\\376\\000{", "\\377\\376{\\000}\\000", "{\"reason\": \"\\377\"}"] {
        let place = super::place().hook(".claude/hooks/pre/work.sh", &format!("#!/bin/sh\nprintf '{text}'\n"));
        shut(place, "the hook pre/work.sh gave an answer that is not UTF-8 text").await;
    }
}

#[tokio::test]
async fn a_no_holds_where_the_user_lets_tools_run_behind_answers_that_cannot_be_understood() {
    let allow = json!({"tau": {"shellHooks": {"onFailure": "allow"}}});
    for (answer, expected) in [
        (r#"{"decision": 1, "permission": "deny", "reason": "no"}"#, "no"),
        (r#"{"decision": "perhaps", "hookSpecificOutput": {"permissionDecision": "deny"}, "reason": "no"}"#, "no"),
        (r#"{"decision": "perhaps"}"#, "did x"),
    ] {
        let place =
            place().settings(allow.clone()).hook(".claude/hooks/pre/work.sh", &format!("#!/bin/sh\necho '{answer}'\n"));
        assert_eq!(place.result().await, expected, "{answer}");
    }
}

#[tokio::test]
async fn a_script_that_reads_nothing_holds_nothing_up() {
    let long = "x".repeat(300_000);
    let place = super::place_with(json!([crate::common::calls([("1", "work", json!({"text": long}))]), "Done."]))
        .hook(".claude/hooks/pre/work.sh", "#!/bin/sh\nexit 0\n");
    assert_eq!(place.result().await.len(), "did ".len() + 300_000);
    assert_eq!(place.reports(), []);
}

#[tokio::test]
async fn the_user_may_let_tools_run_behind_scripts_that_fail() {
    let allow = json!({"tau": {"shellHooks": {"timeoutMs": 300, "onFailure": "allow"}}});
    for (text, why) in [
        (HANG, "did not end within 300ms and was killed"),
        ("#!/no/such/shell\n", "could not be started: its interpreter /no/such/shell is not there"),
        ("#!/bin/sh\necho '{\"decision\": 1}'\n", "gave an answer whose `decision` is not a text"),
    ] {
        let place = place().settings(allow.clone()).hook(".claude/hooks/pre/work.sh", text);
        assert_eq!(place.result().await, "did x");
        assert_eq!(place.reports(), one("pre/work.sh", "tool_call", &format!("the hook pre/work.sh {why}")));
    }
}

#[tokio::test]
async fn children_of_a_script_that_hangs_die_with_it() {
    let script = "#!/bin/sh\nsleep 600 &\necho $! > child\n(sleep 601 & echo $! > grandchild; wait) &\nwait\n";
    // Long enough for the script to get that far.
    let place = place().settings(json!({"tau": {"shellHooks": {"timeoutMs": 3000}}}));
    let place = place.hook(".claude/hooks/pre/work.sh", script);
    assert_eq!(place.result().await, "the hook pre/work.sh did not end within 3s and was killed");
    for file in ["child", "grandchild"] {
        let pid = std::fs::read_to_string(place.world.home.cwd().join(file)).expect("a process id");
        assert!(is_dead(pid.trim()).await, "{file} is still there");
    }
}

/// Whether a process ends within some seconds. Nobody may have waited for it yet.
async fn is_dead(pid: &str) -> bool {
    for _ in 0..200 {
        let stat = std::fs::read_to_string(Path::new("/proc").join(pid).join("stat")).unwrap_or_default();
        let state = stat.rsplit_once(')').map(|(_, rest)| rest.trim_start().chars().next());
        if matches!(state, None | Some(Some('Z' | 'X'))) {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    false
}

/// A script that ends, and whose child does something some time after tau has seen that.
fn later(first: &str, child: &str) -> String {
    let wait = "while kill -0 $$ 2>/dev/null; do sleep 0.01; done; sleep 0.4";
    format!("#!/bin/sh\n( {wait}; {child} ) &\n{first}\n")
}

#[tokio::test]
async fn an_answer_that_comes_after_the_script_has_ended_is_heard() {
    let block = r#"echo '{"decision": "block", "reason": "late"}'"#;
    for (first, child) in [
        ("exit 0", block),
        ("exit 1", block),
        // The beginning of an answer is none.
        (r#"printf '{"decision": "block"'"#, r#"printf ', "reason": "late"}'"#),
        ("exit 2", "echo late >&2"),
    ] {
        let place = place().hook(".claude/hooks/pre/work.sh", &later(first, child));
        assert_eq!((place.result().await.as_str(), place.ran()), ("late", vec![]), "{first} {child}");
    }
    let place = place().hook(".claude/hooks/pre/work.sh", &later("echo all is well", block));
    shut(place, "the hook pre/work.sh wrote other text before its answer, so the answer cannot be read").await;
    let place = super::place().hook(".claude/hooks/pre/work.sh", &later("exit 0", "echo all is well"));
    assert_eq!((place.result().await.as_str(), place.reports()), ("did x", vec![]));
    let place = super::place().hook(".claude/hooks/post/work.sh", &later("exit 0", block));
    assert_eq!(place.result().await, "did x|late");
}

const OPEN: &str = "ended, but what it left running kept its standard output open for 3s and no answer came; start what is \
                    to run on with `> /dev/null 2>&1`";

/// A place where a script has long enough to get to its end.
fn patient() -> Place {
    place().settings(json!({"tau": {"shellHooks": {"timeoutMs": 3000}}}))
}

async fn no_answer(first: &str) {
    let script = format!("#!/bin/sh\nsleep 600 &\necho $! > child\n{first}\n");
    let place = patient().hook(".claude/hooks/pre/work.sh", &script);
    let why = format!("the hook pre/work.sh {OPEN}");
    assert_eq!(place.result().await, why);
    assert_eq!((place.ran(), place.reports()), (vec![], one("pre/work.sh", "tool_call", &why).to_vec()));
    let pid = std::fs::read_to_string(place.world.home.cwd().join("child")).expect("a process id");
    assert!(is_dead(pid.trim()).await, "the child is still there");
}

#[tokio::test]
async fn a_script_whose_answer_never_comes_blocks_and_what_it_left_is_killed() {
    let after = async {
        let place = patient().hook(".claude/hooks/post/work.sh", "#!/bin/sh\nsleep 600 &\n");
        assert_eq!(place.result().await, "did x");
        assert_eq!(place.reports(), one("post/work.sh", "tool_result", &format!("the hook post/work.sh {OPEN}")));
    };
    let half = r#"printf '{"decision": "approve"'"#;
    tokio::join!(no_answer(""), no_answer("echo all is well"), no_answer(half), after);
}

#[tokio::test]
async fn behind_a_whole_answer_nothing_is_waited_for() {
    let child = "sleep 600 &\necho $! > child\n";
    for (answer, expected) in
        [("approve", "did x"), ("block", "Tool execution was blocked by a hook: HOOK gives no reason")]
    {
        let script = format!("#!/bin/sh\n{child}echo '{{\"decision\": \"{answer}\"}}'\n");
        let place = place().settings(json!({"tau": {"shellHooks": {"timeoutMs": 0}}}));
        let place = place.hook(".claude/hooks/pre/work.sh", &script);
        assert_eq!(place.result_of_hook(".claude/hooks/pre/work.sh").await, expected);
        let pid = std::fs::read_to_string(place.world.home.cwd().join("child")).expect("a process id");
        let killed = std::process::Command::new("kill").args(["-9", pid.trim()]).status().expect("kill");
        assert!(killed.success(), "it is still there");
    }
}

#[tokio::test]
async fn an_abort_ends_the_wait_for_an_answer() {
    let script = "#!/bin/sh\nsleep 600 &\necho $! > child.part; mv child.part child\n";
    let place = place().hook(".claude/hooks/pre/work.sh", script);
    let running = place.start().await;
    let said = running.say_later("Go on.");
    let child = place.world.home.cwd().join("child");
    while !child.exists() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    running.session.abort();
    said.await.expect("a task").expect("a run");
    assert_eq!((result_of(&running), place.ran()), ("Operation aborted".to_owned(), vec![]));
    let pid = std::fs::read_to_string(child).expect("a process id");
    assert!(is_dead(pid.trim()).await, "the child is still there");
}

#[tokio::test]
async fn an_abort_kills_the_script_with_its_children() {
    let script = "#!/bin/sh\nsleep 600 &\necho $! > child.part; mv child.part child\nwait\n";
    let place = place().hook(".claude/hooks/pre/work.sh", script);
    let running = place.start().await;
    let said = running.say_later("Go on.");
    let child = place.world.home.cwd().join("child");
    while !child.exists() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    running.session.abort();
    said.await.expect("a task").expect("a run");
    running.session.wait_until_idle().await;
    assert_eq!((result_of(&running), place.ran()), ("Operation aborted".to_owned(), vec![]));
    let pid = std::fs::read_to_string(child).expect("a process id");
    assert!(is_dead(pid.trim()).await, "the child is still there");
}

#[tokio::test]
async fn an_empty_script_decides_nothing_and_blocks() {
    for text in ["", "\n \n"] {
        let place = place().hook(".claude/hooks/pre/work.sh", text);
        let why = "the hook pre/work.sh could not be started: the file is empty, so it decides nothing; write the script into \
                   it or remove it";
        shut(place, why).await;
    }
}

/// Its own limit may be longer, or there may be none.
#[tokio::test]
async fn the_limit_of_handlers_holds_for_scripts_too() {
    for own in [0, 400_000, 300_000] {
        let limits = json!({"tau": {"shellHooks": {"timeoutMs": own}, "limits": {"handlerMs": 300}}});
        let place = place().settings(limits).hook(".claude/hooks/pre/work.sh", HANG);
        let why = "the hook pre/work.sh did not end within 300ms, the limit of tau.limits.handlerMs, and was killed";
        shut(place, why).await;
    }
}

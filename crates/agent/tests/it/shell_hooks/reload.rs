//! Hooks over a reload, and sessions that take each other's place.

use serde_json::json;

use super::{Place, executable, place_with, result_of};
use crate::common::{Running, calls};

const PRE: &str = ".claude/hooks/pre/work.sh";

fn says(word: &str) -> String {
    format!("#!/bin/sh\necho {word} >&2\nexit 2\n")
}

/// What the model reads of its next call.
async fn next(running: &Running) -> String {
    running.say("Go on.").await;
    let all = running.conversation();
    let last = all.iter().rev().find(|(role, _)| role == "toolResult");
    last.map(|(_, text)| text.clone()).unwrap_or_default()
}

/// The model makes a call whenever it is asked.
fn four_calls() -> Place {
    let call = || calls([("1", "work", json!({"text": "x"}))]);
    place_with(json!([call(), "a", call(), "b", call(), "c", call(), "d"]))
}

#[tokio::test]
async fn a_reload_finds_what_is_there_now() {
    let place = four_calls().hook(PRE, &says("one"));
    let running = place.start().await;
    assert_eq!(next(&running).await, "one");
    executable(&place.file(PRE, &says("two")));
    executable(&place.file(".omp/hooks/pre/work.bash", "#!/bin/sh\necho first >&2; exit 2\n"));
    assert_eq!(next(&running).await, "two", "the file counts as it is, a new one only after a reload");
    running.session.reload().await.expect("a reload");
    assert_eq!(next(&running).await, "first");
    for path in [PRE, ".omp/hooks/pre/work.bash"] {
        std::fs::remove_file(place.world.home.cwd().join(path)).expect("a script to remove");
    }
    running.session.reload().await.expect("a reload");
    assert_eq!(next(&running).await, "did x", "taken away on purpose");
}

#[tokio::test]
async fn a_guard_that_is_no_script_any_more_keeps_everything_as_it_was() {
    let place = four_calls().hook(".claude/hooks/pre/work", &says("one"));
    let running = place.start().await;
    let path = place.file(".claude/hooks/pre/work", "no script");
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o644)).expect("permissions");
    let error = running.session.reload().await.expect_err("a guard is gone").to_string();
    assert!(error.starts_with("Nothing was reloaded and the extensions of before stay."), "{error}");
    assert!(error.contains("it is neither a module nor a script"), "{error}");
    let text = next(&running).await;
    assert!(text.starts_with("the hook pre/work could not be started"), "{text}");
}

#[tokio::test]
async fn a_guard_that_settings_name_and_that_is_gone_shuts_the_gate() {
    let place = four_calls().settings(json!({"hooks": ["pre-work.sh"]})).hook("pre-work.sh", &says("one"));
    let running = place.start().await;
    assert_eq!(next(&running).await, "one");
    std::fs::remove_file(place.world.home.cwd().join("pre-work.sh")).expect("a script to remove");
    let error = running.session.reload().await.expect_err("a guard is gone").to_string();
    assert!(error.contains("Hook path does not exist"), "{error}");
    let why = "the hook pre/pre-work.sh could not be started: the file is not there";
    assert_eq!(next(&running).await, why);
    // Another session has the same set.
    running.session.new_session(tau_hooks::NewSessionRequest::default()).await.expect("a new session");
    assert_eq!(next(&running).await, why);
    assert_eq!(place.ran(), Vec::<serde_json::Value>::new());
}

#[tokio::test]
async fn of_two_files_of_a_name_one_runs() {
    let place = four_calls()
        .hook(".omp/hooks/pre/work.sh", "#!/bin/sh\ntouch omp\n")
        .hook(".claude/hooks/pre/work.sh", "#!/bin/sh\ntouch claude\n");
    let extensions = place.load().await;
    let running = place.world.start().await;
    running.say("Go on.").await;
    assert_eq!(result_of(&running), "did x");
    let there = |name: &str| place.world.home.cwd().join(name).exists();
    assert_eq!((there("omp"), there("claude")), (true, false));
    let skipped: Vec<bool> = extensions.found().skipped.iter().map(|skipped| skipped.shadowed_by.is_some()).collect();
    assert_eq!(skipped, [true]);
}

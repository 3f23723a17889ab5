//! What a forge says about branches, and what happens when it says nothing.

use std::time::Duration;

use serde_json::json;
use tau_agent_testkit::Running;
use tau_hooks::Mode;

use crate::forge::Forge;

const PROTECTED: &str =
    "api --hostname github.com --paginate repos/team/app/branches?protected=true&per_page=100 --jq .[].name";
const MERGED: &str = "pr list --repo github.com/team/app --state merged --head=fix --limit 20 --json \
                      number,headRefOid,isCrossRepository";

/// A session in a repository on a forge, on a branch.
async fn on(branch: &str) -> (Forge, Running) {
    let forge = Forge::new(&["enforcement"], Mode::Rpc);
    forge.say("api", "");
    if branch != "main" {
        forge.git(&["checkout", "--quiet", "-b", branch]);
    }
    let running = forge.world.start().await;
    (forge, running)
}

/// What a push would meet; notices before that are left out.
async fn push(forge: &Forge, running: &Running) -> String {
    let before = forge.told.all().len();
    running.say("/policy test git push").await;
    forge.told(before + 1).await.pop().expect("a verdict")
}

fn is_protected(text: &str, branch: &str) -> bool {
    text.starts_with("blocked") && text.contains(&format!("'{branch}' (protected)"))
}

#[tokio::test]
async fn the_forge_is_asked_once_and_only_when_a_rule_needs_it() {
    let (forge, running) = on("release").await;
    running.say("/policy test ls").await;
    assert_eq!(forge.told(1).await, ["allowed"]);
    assert_eq!(forge.called(), [] as [&str; 0]);
    forge.say("api", "release\nother\n");
    for _ in 0..3 {
        let text = push(&forge, &running).await;
        assert!(is_protected(&text, "release"), "{text}");
    }
    assert_eq!(forge.called(), [PROTECTED]);
}

#[tokio::test]
async fn main_is_protected_whatever_the_forge_says() {
    let (forge, running) = on("main").await;
    let text = push(&forge, &running).await;
    assert!(is_protected(&text, "main"), "{text}");
    assert_eq!(forge.told.all().len(), 1);
}

#[tokio::test]
async fn a_branch_whose_pull_request_was_merged_is_done() {
    let (forge, running) = on("fix").await;
    let head = forge.head();
    let pull = |number: u64, head: &str, is_fork: bool| json!({"number": number, "headRefOid": head, "isCrossRepository": is_fork});
    forge.answer("pr", &json!([pull(5, &head, true), pull(6, &"1".repeat(40), false), pull(7, &head, false)]));
    let text = push(&forge, &running).await;
    assert!(text.contains("PR #7 for 'fix' already merged"), "{text}");
    push(&forge, &running).await;
    assert_eq!(forge.called(), [PROTECTED, MERGED]);
}

/// Another branch of the same name was merged, or one of somebody else.
#[tokio::test]
async fn a_pull_request_that_the_branch_does_not_have_says_nothing() {
    let (forge, running) = on("fix").await;
    let head = forge.head();
    forge.answer("pr", &json!([{"number": 6, "headRefOid": "1".repeat(40)}, {"number": 5, "headRefOid": head, "isCrossRepository": true}]));
    let text = push(&forge, &running).await;
    assert!(!text.starts_with("blocked"), "{text}");
}

#[tokio::test]
async fn without_an_answer_the_usual_branches_count_and_the_user_is_told_once() {
    type Case = (&'static str, fn(&Forge), &'static str);
    let cases: [Case; 5] = [
        ("missing", Forge::uninstall, "`gh` is not installed"),
        (
            "signed out",
            |forge| forge.fail(Some((4, "To get started, please run: gh auth login"))),
            "`gh` is not signed in",
        ),
        ("failing", |forge| forge.fail(Some((1, "HTTP 502: Bad Gateway"))), "HTTP 502: Bad Gateway"),
        ("flooding", |forge| forge.say("api", "x\n".repeat(5 << 20)), "it answered more than"),
        ("silent", |forge| forge.fail(Some((1, ""))), "it ended with 1"),
    ];
    for (name, break_it, why) in cases {
        let (forge, running) = on("main").await;
        break_it(&forge);
        running.say("/policy test git push").await;
        let told = forge.told(2).await;
        let begin = "the protected branches of team/app are not known, so main, master count: ";
        assert!(told[0].starts_with(begin) && told[0].contains(why), "{name}: {told:?}");
        assert!(is_protected(&told[1], "main"), "{name}: {told:?}");
        let again = push(&forge, &running).await;
        assert!(is_protected(&again, "main"), "{name}: {again}");
        assert_eq!(forge.told.all().len(), 3, "{name}");
    }
}

#[tokio::test]
async fn a_failure_counts_for_a_minute() {
    let (forge, running) = on("release").await;
    forge.fail(Some((1, "HTTP 502")));
    running.say("/policy test git push").await;
    let told = forge.told(2).await;
    assert!(!told[1].starts_with("blocked"), "{told:?}");
    forge.fail(None);
    forge.say("api", "release");
    let text = push(&forge, &running).await;
    assert!(!text.starts_with("blocked"), "{text}");
    forge.time.advance(Duration::from_secs(61));
    let text = push(&forge, &running).await;
    assert!(is_protected(&text, "release"), "{text}");
}

#[tokio::test]
async fn a_forge_that_does_not_answer_is_not_waited_for() {
    let (forge, running) = on("main").await;
    forge.hang(true);
    let asked = running.say_later("/policy test git push");
    forge.until_called(1).await;
    forge.time.advance_to_timer().await;
    asked.await.expect("it ends").expect("a verdict");
    let told = forge.told(2).await;
    assert!(told[0].contains("did not answer within 10s") && is_protected(&told[1], "main"), "{told:?}");
}

#[tokio::test]
async fn a_repository_on_no_forge_has_nobody_to_ask() {
    let (forge, running) = on("main").await;
    forge.git(&["remote", "remove", "origin"]);
    let text = push(&forge, &running).await;
    assert!(is_protected(&text, "main"), "{text}");
    assert!(forge.called().is_empty());
}

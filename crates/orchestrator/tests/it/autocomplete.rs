//! Completions of arguments by the names of commands.

use std::time::Duration;

use serde_json::json;
use tau_hooks::Mode;
use tau_orchestrator::MODULES as ALL;

use crate::forge::{Forge, item};

const MODULES: &[&str] = &["autocomplete"];

/// What is inserted for a command and its argument.
async fn values(forge: &Forge, text: &str) -> Vec<String> {
    let (command, argument) = text.split_once(' ').expect("a command and a blank");
    forge.world.hooks.complete(command, argument).await.into_iter().map(|one| one.value).collect()
}

#[tokio::test]
async fn words_and_flags_are_completed_by_the_name_of_the_command() {
    let forge = Forge::without_repository(MODULES, Mode::Tui);
    let _session = forge.world.start().await;
    for (text, expected) in [
        ("cron ", "add|list|list-all|remove"),
        ("cron rm", "remove"),
        ("dream-auto o", "on|off"),
        ("pidash re", "restart"),
        ("external-ai cod", "codex|kilocode|opencode"),
        ("external-ai codex --pe", "codex --peer"),
        ("external-ai codex fix the", ""),
        ("acpx-prompt kim", "kimi"),
        ("review-handler --auto", "--autorabbit|--autoqodo"),
        ("review-handler  --autoqodo ", ""),
        ("release --d", "--dry-run|--draft"),
        ("release  --draft --dr", " --draft --dry-run"),
        ("unknown x", ""),
    ] {
        assert_eq!(values(&forge, text).await.join("|"), expected, "{text}");
    }
    // Nothing of that needs a repository, and what does gives nothing.
    assert_eq!(values(&forge, "pr-review ").await, [""; 0]);
    assert_eq!(values(&forge, "review-local ").await, [""; 0]);
    assert_eq!((forge.called(), forge.told.all()), (Vec::new(), Vec::new()));
}

#[tokio::test]
async fn branches_and_tags_are_those_of_the_moment() {
    let forge = Forge::new(MODULES, Mode::Tui);
    let _session = forge.world.start().await;
    assert_eq!(values(&forge, "review-local ").await, ["main"]);
    forge.git(&["update-ref", "refs/remotes/origin/feature/one", "HEAD"]);
    forge.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
    forge.git(&["checkout", "--quiet", "-b", "topic"]);
    let found = forge.world.hooks.complete("review-local", "").await;
    let about = |value: &str| {
        let one = found.iter().find(|one| one.value == value).unwrap_or_else(|| panic!("{value}: {found:?}"));
        one.description.clone().unwrap_or_default()
    };
    assert_eq!(found.len(), 3);
    assert_eq!(
        [about("topic"), about("main"), about("feature/one")],
        ["current branch", "", "on origin"].map(str::to_owned)
    );
    assert_eq!(values(&forge, "release --target feat").await, ["--target feature/one"]);
    for number in 0..25 {
        let at = 1_700_000_000 + number;
        forge.git_at(at, &["commit", "--quiet", "--allow-empty", "--message", "more"]);
        forge.git_at(at, &["tag", &format!("v{number}")]);
    }
    let tags: Vec<String> = (5..25).rev().map(|number| format!("v{number}")).collect();
    assert_eq!(values(&forge, "release ").await, tags);
    assert_eq!(values(&forge, "release --tag-match v2").await.first().map(String::as_str), Some("--tag-match v2"));
    assert_eq!(forge.called(), [""; 0]);
}

#[tokio::test]
async fn pull_requests_are_forgotten_when_the_repository_changes() {
    let forge = Forge::new(MODULES, Mode::Tui);
    let mut fix = item(12, "Fix the list", "OPEN");
    fix["headRefName"] = json!("fix-list");
    forge.answer("pr", &json!([item(7, "Docs", "OPEN"), fix]));
    let _session = forge.world.start().await;
    let found = forge.world.hooks.complete("pr-review", "").await;
    let shown: Vec<_> = found.iter().map(|one| (one.value.as_str(), one.label.as_str())).collect();
    assert_eq!(shown, [("12", "#12"), ("7", "#7")]);
    assert_eq!(found[0].description.as_deref(), Some("Fix the list (fix-list)"));
    assert_eq!(values(&forge, "pr-review #1").await, ["12"]);
    assert_eq!(values(&forge, "coderabbit-rate-limit fixli").await, ["12"]);
    let call = "pr list --state open --limit 50 --json number,title,state,url,isDraft,headRefName --repo \
                github.com/team/app";
    assert_eq!(forge.called(), [call]);
    forge.answer("pr", &json!([item(13, "More", "OPEN")]));
    assert_eq!(values(&forge, "pr-review ").await, ["12", "7"]);
    forge.git(&["checkout", "--quiet", "-b", "topic"]);
    assert_eq!(values(&forge, "pr-review ").await, ["13"]);
    forge.answer("pr", &json!([]));
    forge.git(&["update-ref", "refs/remotes/origin/topic", "HEAD"]);
    assert_eq!(values(&forge, "pr-review ").await, [""; 0]);
    assert_eq!(forge.called().len(), 3);
}

#[tokio::test]
async fn a_failure_is_told_once() {
    let forge = Forge::new(MODULES, Mode::Tui);
    forge.fail(Some((1, "error connecting to api.github.com\ncheck your internet connection\n")));
    let _session = forge.world.start().await;
    for _ in 0..2 {
        assert_eq!(values(&forge, "pr-review ").await, [""; 0]);
    }
    let told = ["Pull requests are not suggested: `gh pr list` failed: error connecting to api.github.com"];
    assert_eq!((forge.told(1).await.as_slice(), forge.called().len()), (&told.map(str::to_owned)[..], 1));
    forge.time.advance(Duration::from_secs(61));
    forge.fail(None);
    forge.answer("pr", &json!([item(1, "One", "OPEN")]));
    assert_eq!(values(&forge, "pr-review ").await, ["1"]);
}

#[test]
fn children_have_none_of_it() {
    let theirs: Vec<&str> = ALL.iter().filter(|module| module.in_children).map(|module| module.name).collect();
    assert!(!theirs.iter().any(|name| name.contains("autocomplete")), "{theirs:?}");
}

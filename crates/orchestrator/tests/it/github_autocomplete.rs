//! Issues and pull requests after `#`.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tau_agent_testkit::Running;
use tau_hooks::dialogs::UiCall;
use tau_hooks::mount::{Suggested, SuggestedItem, Suggests, Written};
use tau_hooks::{BoxFuture, HandlerError, Mode};

use crate::forge::{Forge, item};

/// What tau suggests itself.
struct Plain;

impl Suggests for Plain {
    fn suggest(&self, _: Written, _: bool) -> BoxFuture<Result<Option<Suggested>, HandlerError>> {
        let item = SuggestedItem { value: "plain".into(), label: "plain".into(), description: None };
        Box::pin(async { Ok(Some(Suggested { items: vec![item], prefix: String::new() })) })
    }
}

/// A session in a terminal, with what it suggests.
struct Desk {
    forge: Forge,
    provider: Arc<dyn Suggests>,
    _session: Running,
}

const MODULES: &[&str] = &["github-autocomplete"];

impl Desk {
    async fn new() -> Self {
        let forge = Forge::new(MODULES, Mode::Tui);
        forge.answer("issue", &json!([item(7, "Crash on start", "OPEN"), item(12, "Slow list", "CLOSED")]));
        forge.answer("pr", &json!([item(120, "Faster list", "MERGED"), draft(9, "Fix the crash")]));
        Self::of(forge).await
    }

    async fn of(forge: Forge) -> Self {
        let session = forge.world.start().await;
        let handle = loop {
            let added = |call: &UiCall| match call {
                UiCall::AddAutocompleteProvider(handle) => Some(handle.clone()),
                _ => None,
            };
            if let Some(handle) = forge.calls.all().iter().find_map(added) {
                break handle;
            }
            tokio::task::yield_now().await;
        };
        let provider = handle.0.wrap(Arc::new(Plain)).await.expect("a provider");
        Self { forge, provider, _session: session }
    }

    /// What is suggested behind a text.
    async fn at(&self, text: &str) -> Suggested {
        let lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
        let cursor_line = lines.len() - 1;
        let cursor_col = lines[cursor_line].encode_utf16().count();
        let found = self.provider.suggest(Written { lines, cursor_line, cursor_col }, false).await;
        found.expect("it works").expect("suggestions")
    }

    async fn labels(&self, text: &str) -> String {
        let found = self.at(text).await;
        found.items.into_iter().map(|item| item.label).collect::<Vec<_>>().join(" ")
    }

    /// What is suggested when no other key is typed for a while.
    async fn labels_after_rest(&self, text: &str) -> String {
        tokio::join!(self.labels(text), self.forge.time.advance_to_timer()).0
    }

    /// What is suggested, as time passes.
    async fn labels_in_time(&self, text: &str) -> String {
        let pass = async {
            loop {
                self.forge.time.advance_to_timer().await;
            }
        };
        tokio::select! {
            labels = self.labels(text) => labels,
            () = pass => unreachable!("it passes for ever"),
        }
    }
}

fn draft(number: u64, title: &str) -> Value {
    let mut item = item(number, title, "OPEN");
    item["isDraft"] = json!(true);
    item["url"] = json!("");
    item
}

#[tokio::test]
async fn a_number_sign_suggests_what_the_forge_has() {
    let desk = Desk::new().await;
    let found = desk.at("see #cra").await;
    let values: Vec<&str> = found.items.iter().map(|item| item.value.as_str()).collect();
    assert_eq!(values, ["#7 (https://github.com/team/app/issues/7)", "#9 (https://github.com/team/app/pull/9)"]);
    let about: Vec<&str> = found.items.iter().filter_map(|item| item.description.as_deref()).collect();
    assert_eq!(about, ["open issue: Crash on start", "draft pull request: Fix the crash"]);
    assert_eq!(found.prefix, "#cra");
    for (text, expected) in [
        ("#", "#120 #12 #9 #7"),
        ("#12", "#12 #120"),
        ("#1", "#120 #12"),
        ("\t#9", "#9"),
        ("é 😀 #faster", "#120"),
        ("first\n#7", "#7"),
        // Nothing that fits, and places that are none.
        ("#xyz", "plain"),
        ("a#1", "plain"),
        ("## ", "plain"),
        ("see", "plain"),
    ] {
        assert_eq!(desk.labels(text).await, expected, "{text}");
    }
    let calls = desk.forge.called();
    let [issues, pulls] = calls.as_slice() else { panic!("{calls:?}") };
    assert!(issues.starts_with("issue list --state all --limit 200 --json number,title,state,url"), "{issues}");
    assert!(pulls.starts_with("pr list --state all --limit 200 --json "), "{pulls}");
    assert!(issues.ends_with(" --repo github.com/team/app"), "{issues}");
}

#[tokio::test]
async fn an_old_answer_is_given_while_a_new_one_is_fetched() {
    let desk = Desk::new().await;
    assert_eq!(desk.labels("#").await, "#120 #12 #9 #7");
    desk.forge.answer("issue", &json!([item(121, "New", "OPEN")]));
    desk.forge.time.advance(Duration::from_secs(299));
    assert_eq!(desk.labels("#").await, "#120 #12 #9 #7");
    assert_eq!(desk.forge.called().len(), 2);
    desk.forge.time.advance(Duration::from_secs(2));
    desk.forge.hang(true);
    assert_eq!(desk.labels("#").await, "#120 #12 #9 #7");
    desk.forge.until_called(4).await;
    desk.forge.hang(false);
    while desk.labels("#").await != "#121 #120 #9" {
        tokio::task::yield_now().await;
    }
    assert_eq!(desk.forge.called().len(), 4);
}

#[tokio::test]
async fn a_failure_is_told_once_and_counts_for_a_minute() {
    let desk = Desk::new().await;
    desk.forge.fail(Some((4, "To get started with GitHub CLI, please run:  gh auth login\n")));
    for _ in 0..3 {
        assert_eq!(desk.labels("#").await, "plain");
    }
    assert_eq!(desk.forge.called().len(), 2);
    desk.forge.time.advance(Duration::from_secs(61));
    assert_eq!(desk.labels("#").await, "plain");
    assert_eq!(desk.forge.called().len(), 4);
    let told = "Issues and pull requests are not suggested: `gh` is not signed in to github.com; run `gh auth login \
                --hostname github.com`";
    assert_eq!(desk.forge.told(1).await, [told]);
    desk.forge.time.advance(Duration::from_secs(61));
    desk.forge.fail(None);
    assert_eq!(desk.labels("#").await, "#120 #12 #9 #7");
    // What is known stays when it cannot be fetched again.
    desk.forge.time.advance(Duration::from_secs(301));
    desk.forge.fail(Some((1, "\nHTTP 502: Bad Gateway\u{1b}[0m\nmore\n")));
    assert_eq!(desk.labels("#").await, "#120 #12 #9 #7");
    let told = desk.forge.told(2).await.pop().expect("a notice");
    assert!(
        told.starts_with("Issues and pull requests are not suggested: `gh ")
            && told.ends_with(" list` failed: HTTP 502: Bad Gateway"),
        "{told}"
    );
    assert_eq!(desk.labels("#").await, "#120 #12 #9 #7");
}

#[tokio::test]
async fn without_the_program_the_user_reads_what_to_do() {
    let desk = Desk::new().await;
    desk.forge.uninstall();
    assert_eq!(desk.labels("#").await, "plain");
    assert_eq!(desk.labels("#1").await, "plain");
    let told = "Issues and pull requests are not suggested: `gh` is not installed, or not on the PATH; install it from \
                https://cli.github.com";
    assert_eq!(desk.forge.told(1).await, [told]);
}

#[tokio::test]
async fn a_program_that_hangs_is_ended() {
    let desk = Desk::new().await;
    desk.forge.hang(true);
    assert_eq!(desk.labels_in_time("#").await, "plain");
    let told = desk.forge.told(1).await;
    assert!(told.len() == 1 && told[0].contains("did not answer within 10s; check the network"), "{told:?}");
}

#[tokio::test]
async fn all_who_ask_wait_for_the_same_work() {
    let desk = Desk::new().await;
    desk.forge.hang(true);
    let (first, second, ()) = tokio::join!(desk.labels("#1"), desk.labels("#12"), async {
        desk.forge.until_called(2).await;
        desk.forge.hang(false);
    });
    assert_eq!((first.as_str(), second.as_str()), ("#120 #12", "#12 #120"));
    assert_eq!(desk.forge.called().len(), 2);
}

#[tokio::test]
async fn a_repository_without_issues_has_pull_requests() {
    let desk = Desk::new().await;
    desk.forge.answer("issue", &json!("no list"));
    assert_eq!(desk.labels("#").await, "#120 #9");
    let told = desk.forge.told(1).await;
    assert!(told.len() == 1 && told[0].contains("`gh issue list` gave an answer that tau cannot read"), "{told:?}");
}

#[tokio::test]
async fn a_number_that_is_older_than_the_list_is_looked_up_once() {
    let desk = Desk::new().await;
    let all: Vec<Value> = (0..200).map(|number| item(4_000 + number, "Known", "OPEN")).collect();
    desk.forge.answer("issue", &json!(all));
    desk.forge.answer("pr", &json!([]));
    let old = json!({"number": 37, "title": "Old", "state": "closed", "pull_request": {"merged_at": "2020-01-01"}});
    desk.forge.answer("api", &old);
    assert!(desk.labels("#4").await.starts_with("#4199 "));
    assert!(desk.labels_after_rest("#37").await.starts_with("#37 "));
    let found = desk.at("#37").await.items.swap_remove(0);
    assert_eq!(found.value, "#37 (https://github.com/team/app/pull/37)");
    assert_eq!(found.description.as_deref(), Some("merged pull request: Old"));
    let calls = desk.forge.called();
    assert_eq!((calls.len(), calls[0].as_str()), (3, "api --hostname github.com repos/team/app/issues/37"));
    // There is none of this number, which is remembered, too.
    desk.forge.fail(Some((1, "gh: Not Found (HTTP 404)\n")));
    assert_eq!(desk.labels_after_rest("#38").await, "#4138 #4038");
    assert_eq!(desk.labels("#38").await, "#4138 #4038");
    assert_eq!((desk.forge.called().len(), desk.forge.told.all()), (4, Vec::new()));
}

#[tokio::test]
async fn without_a_repository_on_a_forge_nothing_is_asked() {
    let desk = Desk::of(Forge::without_repository(MODULES, Mode::Tui)).await;
    assert_eq!(desk.labels("#").await, "plain");
    let desk = Desk::of(Forge::new(MODULES, Mode::Tui)).await;
    desk.forge.git(&["remote", "set-url", "origin", "/srv/app.git"]);
    assert_eq!(desk.labels("#").await, "plain");
    // A forge that is no GitHub, and has no login.
    desk.forge.git(&["remote", "set-url", "origin", "https://gitlab.com/team/app"]);
    desk.forge.fail(Some((4, "")));
    assert_eq!(desk.labels("#").await, "plain");
    assert_eq!((desk.forge.called().len(), desk.forge.told.all()), (2, Vec::new()));
}

#[tokio::test]
async fn a_host_that_only_ssh_knows_is_left_to_the_program() {
    let desk = Desk::new().await;
    desk.forge.git(&["remote", "set-url", "origin", "git@work:team/app.git"]);
    assert_eq!(desk.labels("#7").await, "#7");
    assert!(desk.forge.called().iter().all(|call| !call.contains("--repo")), "{:?}", desk.forge.called());
}

#[tokio::test]
async fn other_modes_have_no_provider() {
    for mode in [Mode::Rpc, Mode::Json, Mode::Print] {
        let forge = Forge::new(MODULES, mode);
        let session = forge.world.start().await;
        forge.world.hooks.dialogs.notify("test".into(), "the last", tau_hooks::dialogs::NotifyLevel::Info);
        assert_eq!(forge.told(1).await, ["the last"]);
        assert_eq!(forge.calls.all(), []);
        drop(session);
    }
}

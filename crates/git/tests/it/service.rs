//! The repository of a folder for everybody: looked at while somebody subscribes.

use std::path::Path;
use std::sync::Arc;

use tau_git::{Found, GitFacts, Head, View};
use tokio::sync::watch::Receiver;

use crate::support::{Repo, limits};

/// Waits for what is wanted.
async fn until(views: &mut Receiver<Arc<View>>, wanted: impl Fn(&View) -> bool) -> Arc<View> {
    views.wait_for(|view| !view.is_stale && wanted(view)).await.expect("the owner lives").clone()
}

fn of(folder: &Path) -> GitFacts {
    GitFacts::with(folder, limits())
}

fn branch(view: &View) -> Option<&str> {
    view.facts()?.head.branch()
}

#[tokio::test]
async fn nothing_happens_until_somebody_subscribes_and_then_changes_are_told() {
    let repo = Repo::new();
    let facts = of(&repo.path);
    facts.refresh();
    assert_eq!(*facts.view(), View::default());
    let mut views = facts.subscribe();
    let view = until(&mut views, |view| view.facts().is_some_and(|facts| facts.status.is_some())).await;
    assert_eq!(branch(&view), Some("main"));
    assert!(view.facts().and_then(|facts| facts.status).is_some_and(|status| status.is_clean()));
    // Everything below is seen without a question: the head, the index, references, operations, settings.
    repo.git(&["checkout", "--quiet", "-b", "other"]);
    until(&mut views, |view| branch(view) == Some("other")).await;
    repo.write("new", "x");
    repo.git(&["add", "new"]);
    let staged = |view: &View| view.facts().and_then(|facts| facts.status).map(|status| status.staged.added);
    until(&mut views, |view| staged(view) == Some(1)).await;
    let id = repo.commit("second");
    until(&mut views, |view| view.facts().is_some_and(|facts| facts.commit.as_ref() == Some(&id))).await;
    repo.git(&["tag", "v1"]);
    until(&mut views, |view| view.facts().is_some_and(|facts| facts.tags.names == ["v1"])).await;
    repo.git(&["remote", "add", "origin", "git@github.com:a/b"]);
    until(&mut views, |view| view.facts().is_some_and(|facts| facts.forge.is_some())).await;
    repo.git(&["checkout", "--quiet", "--detach"]);
    until(&mut views, |view| view.facts().is_some_and(|facts| matches!(facts.head, Head::Detached(_)))).await;
}

#[tokio::test]
async fn a_question_finds_what_was_there_when_it_was_asked() {
    let repo = Repo::new();
    let facts = of(&repo.path);
    let untracked = |view: &View| view.facts().and_then(|facts| facts.status).map(|status| status.untracked);
    for count in 1..5 {
        repo.write(&format!("new-{count}"), "x");
        // With and without others who subscribe.
        let _views = (count > 2).then(|| facts.subscribe());
        assert_eq!(untracked(&*facts.look().await), Some(count));
    }
    let mut views = facts.subscribe();
    repo.write("one-more", "x");
    facts.refresh();
    assert!(facts.view().is_stale);
    until(&mut views, |view| untracked(view) == Some(5)).await;
}

#[tokio::test]
async fn a_repository_may_come_and_go() {
    let folder = tempfile::tempdir().expect("a folder");
    let facts = of(folder.path());
    let mut views = facts.subscribe();
    until(&mut views, |view| view.found == Found::Nothing).await;
    crate::support::git(folder.path(), &["init", "--quiet", "."]);
    until(&mut views, |view| branch(view) == Some("main")).await;
    std::fs::remove_dir_all(folder.path().join(".git")).expect("a folder");
    until(&mut views, |view| view.found == Found::Nothing).await;
    crate::support::git(folder.path(), &["init", "--quiet", "--initial-branch=again", "."]);
    until(&mut views, |view| branch(view) == Some("again")).await;
}

#[tokio::test]
async fn questions_that_come_together_share_looks() {
    let repo = Repo::new();
    let facts = Arc::new(of(&repo.path));
    let mut views = facts.subscribe();
    until(&mut views, |view| view.facts().is_some()).await;
    let looks: Vec<_> = (0..50)
        .map(|_| {
            let facts = facts.clone();
            tokio::spawn(async move { facts.look().await })
        })
        .collect();
    let mut found: Vec<Arc<View>> = Vec::new();
    for look in looks {
        let view = look.await.expect("a task");
        assert_eq!(branch(&view), Some("main"));
        if !found.iter().any(|before| Arc::ptr_eq(before, &view)) {
            found.push(view);
        }
    }
    assert!(found.len() < 25, "{} looks for 50 questions", found.len());
}

#[tokio::test]
async fn threads_end_with_the_last_subscriber() {
    let repo = Repo::new();
    let facts = of(&repo.path);
    let mut first = facts.subscribe();
    let second = facts.subscribe();
    until(&mut first, |view| view.facts().is_some()).await;
    drop(first);
    let mut second = second;
    repo.git(&["checkout", "--quiet", "-b", "other"]);
    until(&mut second, |view| branch(view) == Some("other")).await;
    drop(second);
    // The thread that watched keeps nothing: a new subscriber has another one, that sees what happened meanwhile.
    repo.git(&["checkout", "--quiet", "-b", "third"]);
    let mut again = facts.subscribe();
    until(&mut again, |view| branch(view) == Some("third")).await;
}

#[tokio::test]
async fn long_questions_are_answered_beside() {
    let repo = Repo::new();
    let facts = of(&repo.path);
    let base = facts.ask(|repository| repository.merge_base("HEAD", "main")).await.expect("it can be read");
    assert!(matches!(base, Some(Ok(Some(_)))));
    let defect = facts.ask(|_| -> () { panic!("on purpose") }).await.expect_err("a panic").to_string();
    assert!(defect.contains("defect"), "{defect}");
    let nothing = tempfile::tempdir().expect("a folder");
    assert_eq!(of(nothing.path()).ask(|_| ()).await, Ok(None));
}

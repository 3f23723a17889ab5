//! Rules about git, over calls whose effects the tests name, in real repositories.

use std::path::Path;
use std::process::Command;

use tau_policy::git::{Effect, GitEffect, GitPlace, GitUse, Head, Target};
use tau_policy::{Evaluation, Policy, Source, Text};

use crate::support::{Scene, said};

pub fn git(folder: &Path, words: &[&str]) {
    let done = Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"])
        .args(words)
        .current_dir(folder)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .expect("git runs");
    assert!(done.status.success(), "git {words:?}: {}", String::from_utf8_lossy(&done.stderr));
}

/// A project with one commit on `main`, in which ignored files may be.
fn scene() -> Scene {
    let scene = Scene::new();
    let folder = scene.project();
    git(folder, &["init", "-q"]);
    std::fs::write(folder.join(".gitignore"), "*.log\n").expect("a file");
    git(folder, &["add", ".gitignore"]);
    git(folder, &["commit", "-qm", "one"]);
    scene
}

/// A call of git with effects, on a branch.
fn call(scene: &Scene, line: &str, effects: &[Effect], head: Head) -> Evaluation {
    let mut evaluation = scene.evaluation(line);
    let invocation = &mut evaluation.invocations[0];
    let root = scene.project().to_owned();
    let command = invocation
        .argv
        .iter()
        .skip(1)
        .filter_map(|arg| arg.known())
        .find(|word| word.len() > 1 && !word.starts_with('-'));
    let effect = |kind: &Effect| GitEffect { kind: *kind, sites: vec![invocation.site] };
    invocation.git = Some(GitUse {
        command: command.map(str::to_owned),
        place: GitPlace::Repository { git_dir: root.join(".git"), work_tree: Some(root) },
        heads: vec![head],
        effects: effects.iter().map(effect).collect(),
        stages: Vec::new(),
        publishes: Vec::new(),
        changes: Vec::new(),
    });
    evaluation
}

fn says(scene: &Scene, line: &str, effects: &[Effect], head: &str) -> String {
    said(&Policy::shipped().judge(call(scene, line, effects, Head::Branch(head.to_owned())), scene))
}

pub fn with_agent() -> Scene {
    let mut scene = scene();
    scene.facts.insert("session:git-expert".to_owned());
    scene
}

#[test]
fn commits_and_pushes_are_for_the_git_agent() {
    let mut scene = scene();
    assert_eq!(says(&scene, "git commit -m x", &[Effect::Commits], "work"), "git-gate: ask");
    scene.facts.insert("agent:git-expert".to_owned());
    assert_eq!(says(&scene, "git commit -m x", &[Effect::Commits], "work"), "git-gate: block");
    assert_eq!(says(&scene, "hub push", &[Effect::Publishes], "work"), "git-gate: block");
    assert_eq!(says(&scene, "git log", &[], "main"), "");
    assert_eq!(says(&scene, "git pull", &[Effect::Commits], "main"), "");
    scene.facts.insert("session:git-expert".to_owned());
    assert_eq!(says(&scene, "git commit -m x", &[Effect::Commits], "work"), "");
}

#[test]
fn files_are_staged_by_name() {
    let scene = with_agent();
    assert_eq!(says(&scene, "git add .", &[Effect::StagesAll], "work"), "git-add-all: block");
    assert_eq!(says(&scene, "git add -f x.log", &[Effect::StagesIgnored], "work"), "git-add-force: block");
    assert_eq!(says(&scene, "git add src", &[Effect::Stages], "work"), "");
    let staged = |line: &str| {
        let mut evaluation = call(&scene, line, &[Effect::Stages], Head::Branch("work".to_owned()));
        let invocation = &mut evaluation.invocations[0];
        let stages = invocation.argv[2..].to_vec();
        invocation.git.as_mut().expect("git").stages = stages;
        let verdict = Policy::shipped().judge(evaluation, &scene);
        verdict.findings.iter().map(|finding| finding.message.clone()).collect::<Vec<_>>()
    };
    let ignored = "⛔ 'a.log' is in .gitignore. Do not stage ignored files.";
    assert_eq!(staged("git add src a.log"), [ignored]);
    assert_eq!(staged("git add src .gitignore"), Vec::<String>::new());
    assert_eq!(staged("git add ../outside a.log"), [ignored]);
}

#[test]
fn hooks_run() {
    let scene = with_agent();
    let bypass = [Effect::BypassesHooks];
    assert_eq!(says(&scene, "git commit -n", &bypass, "work"), "no-verify: block");
    assert_eq!(says(&scene, "git -c core.hookspath=/x commit", &bypass, "work"), "hooks-path: block");
}

#[test]
fn commits_go_to_branches_that_are_open() {
    let mut scene = with_agent();
    let folder = scene.project().to_owned();
    git(&folder, &["checkout", "-qb", "fresh"]);
    git(&folder, &["checkout", "-qb", "done"]);
    git(&folder, &["commit", "-qm", "two", "--allow-empty"]);
    git(&folder, &["checkout", "-qb", "open"]);
    git(&folder, &["commit", "-qm", "three", "--allow-empty"]);
    git(&folder, &["checkout", "-q", "main"]);
    git(&folder, &["merge", "-q", "--no-ff", "-m", "merge", "done"]);
    git(&folder, &["branch", "old", "open"]);
    git(&folder, &["remote", "add", "origin", "https://example.com/a/b.git"]);
    git(&folder, &["update-ref", "refs/remotes/origin/main", "main"]);
    git(&folder, &["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main"]);
    scene.protected = vec!["release".to_owned()];
    scene.merged.insert("old".to_owned(), 7);
    let message = |head: Head| {
        let verdict = Policy::shipped().judge(call(&scene, "git commit -m x", &[Effect::Commits], head), &scene);
        verdict.findings.iter().map(|finding| finding.message.clone()).collect::<Vec<_>>().join(" | ")
    };
    let on = |name: &str| message(Head::Branch(name.to_owned()));
    assert_eq!(on("main"), "⛔ Cannot commit to 'main' (protected). Create a feature branch.");
    assert_eq!(on("release"), "⛔ Cannot commit to 'release' (protected). Create a feature branch.");
    assert_eq!(on("old"), "⛔ PR #7 for 'old' already merged. Create a new branch from main.");
    assert_eq!(on("done"), "⛔ Branch 'done' already merged into 'main'. Create a new branch from it.");
    assert_eq!(on("fresh"), "");
    assert_eq!(on("open"), "");
    assert_eq!(message(Head::Detached), "⛔ Detached HEAD. Create a branch first: git checkout -b my-branch");
    assert_eq!(message(Head::Unborn("new".to_owned())), "");
    let unknown = "⛔ Cannot commit to '{branch}' (protected). Create a feature branch. This depends on \"the branch\", which is \
                   only known when the command runs.";
    assert_eq!(message(Head::Unknown), unknown.replace("'{branch}'", "'…'"));
}

#[test]
fn pushes_go_to_branches_that_are_open() {
    let scene = with_agent();
    let push = |branch: Option<Text>| {
        let mut evaluation = call(&scene, "git push origin x", &[Effect::Publishes], Head::Branch("work".to_owned()));
        let invocation = &mut evaluation.invocations[0];
        let target = Target { remote: None, branch, site: invocation.argv[3].site };
        invocation.git.as_mut().expect("git").publishes.push(target);
        said(&Policy::shipped().judge(evaluation, &scene))
    };
    let mut partly = Text::new("ma");
    partly.append(&Text::unknown(Source::Local));
    let mut other = Text::new("feature/");
    other.append(&Text::unknown(Source::Local));
    assert_eq!(push(Some("main".into())), "push-protected: block");
    assert_eq!(push(Some("refs/heads/main".into())), "push-protected: block");
    assert_eq!(push(None), "push-protected: block");
    assert_eq!(push(Some("feature/main-fix".into())), "");
    assert_eq!(push(Some(partly)), "push-protected: ask");
    assert_eq!(push(Some(other)), "");
}

#[test]
fn changes_that_git_loses_ask() {
    let scene = with_agent();
    assert_eq!(says(&scene, "git reset --hard", &[Effect::Discards], "work"), "git-reset-hard: ask");
    assert_eq!(says(&scene, "git reset x", &[], "work"), "");
    assert_eq!(says(&scene, "git clean -xfd", &[Effect::Discards], "work"), "git-clean: ask");
    assert_eq!(says(&scene, "git clean -nf", &[], "work"), "");
}

#[test]
fn branches_stay_where_tasks_have_work_trees() {
    let mut scene = with_agent();
    assert_eq!(says(&scene, "git switch x", &[Effect::MovesHead], "work"), "");
    scene.facts.insert("setting:use_worktrees".to_owned());
    assert_eq!(says(&scene, "git switch x", &[Effect::MovesHead], "work"), "worktrees: block");
    assert_eq!(says(&scene, "git checkout -- x", &[Effect::Discards], "work"), "");
}

#[test]
fn commits_name_the_agent_as_an_author() {
    let mut scene = with_agent();
    scene.facts.insert("setting:co_author".to_owned());
    let trailer = "Co-authored-by: PI (it's) <noreply@pi.dev>";
    let policy = Policy::with_layers(None, None, Vec::new(), Some(trailer.to_owned()));
    let judged = |line: &str, is_exact: bool| {
        let mut evaluation = call(&scene, line, &[Effect::Commits], Head::Branch("work".to_owned()));
        evaluation.invocations[0].argv.iter_mut().for_each(|arg| arg.is_exact = is_exact);
        let verdict = policy.judge(evaluation, &scene);
        (said(&verdict), verdict.command.unwrap_or_default())
    };
    let quoted = r"--trailer 'Co-authored-by: PI (it'\''s) <noreply@pi.dev>'";
    let rewritten = |text: String| ("co-author: rewrite".to_owned(), text);
    assert_eq!(judged("git commit -m x", true), rewritten(format!("git commit {quoted} -m x")));
    assert_eq!(judged("git -C x commit --amend", true), rewritten(format!("git -C x commit {quoted} --amend")));
    assert_eq!(judged("git commit -m x", false), ("co-author: warn".to_owned(), String::new()));
    for line in ["git commit --amend --no-edit", "git commit --fixup HEAD~", "git merge x"] {
        assert_eq!(judged(line, true), (String::new(), String::new()), "{line}");
    }
    let mut evaluation = call(&scene, "git commit -m x", &[Effect::Commits], Head::Branch("work".to_owned()));
    evaluation.invocations[0].argv[3].text = Text::new(format!("x\n\n{trailer}"));
    assert_eq!(said(&policy.judge(evaluation, &scene)), "");
    let without =
        Policy::shipped().judge(call(&scene, "git commit", &[Effect::Commits], Head::Branch("w".to_owned())), &scene);
    assert_eq!(said(&without), "");
}

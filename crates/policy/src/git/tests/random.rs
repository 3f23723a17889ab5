//! What the model says beside what git does.

use std::process::Output;

use proptest::prelude::*;

use crate::git::{Effect, Head, Repositories};

use super::support::{Machine, published};

/// How many cases are tried: each runs git several times.
const CASES: u32 = 16;

/// Calls that move heads and change branches.
const MOVES: &[&str] = &[
    "git checkout -b x",
    "git checkout -b side",
    "git checkout -b side/deep",
    "git switch -c x/y",
    "git checkout -B x",
    "git checkout -b y origin/far",
    "git checkout side",
    "git checkout main",
    "git checkout -",
    "git checkout far",
    "git checkout a",
    "git checkout .",
    "git checkout --detach",
    "git checkout HEAD^0",
    "git checkout v1",
    "git checkout x --",
    "git checkout -- a",
    "git checkout gone",
    "git checkout --orphan new",
    "git switch -c z",
    "git switch -C side",
    "git switch side",
    "git switch -",
    "git switch -d main",
    "git switch far",
    "git switch --orphan other",
    "git branch x",
    "git branch -D x",
    "git branch -D side",
    "git branch -m renamed",
    "git branch -m side moved",
    "git branch -M main side",
    "git commit --allow-empty -q -m more",
    "git merge -q side",
    "git rebase -q main",
    "git rebase -q main side",
    "git reset -q --hard main",
    "git symbolic-ref HEAD refs/heads/side",
    "git symbolic-ref HEAD refs/heads/fresh",
    "git update-ref refs/heads/x HEAD",
    "git update-ref -d refs/heads/side",
    "git update-ref --no-deref HEAD main",
    "git stash branch x",
    "git worktree add -q ../tree",
    "git worktree add -q -b x ../tree",
    "git worktree add -q --detach ../tree",
    "git -C ../tree checkout -q -b inner",
    "git -C ../tree commit -q --allow-empty -m more",
    "git init -q -b start ../tree",
    "git fetch -q . main:fetched",
];

/// Names of files that `git add` takes.
const PATHS: &[&str] = &[
    "a",
    "src",
    "src/x",
    ".",
    "./",
    "..",
    "*",
    "*.rs",
    "src/*",
    ":/",
    ":(top)",
    ":!src",
    ":^a",
    "src/..",
    "-A",
    "-u",
    "--all",
    "--",
    ":",
    "**",
    ":(glob)*",
    "?",
    "[a-z]*",
    "src/../*",
    ":(icase)A",
    ":/src",
    ":(top,exclude)src",
    "./src/./x",
];

/// What stands behind `git push`.
const REFSPECS: &[&str] = &[
    "main",
    "HEAD",
    "@",
    "HEAD:main",
    "@:main",
    "side:main",
    "+side:main",
    ":main",
    ":",
    "HEAD:refs/heads/new",
    "refs/heads/main",
    "main:heads/side",
    "--all",
    "--branches",
    "--mirror",
    "--tags",
    "tag",
    "v1",
    "--delete",
    "-d",
    "-f",
    "refs/heads/*:refs/heads/*",
    "--force",
    "-u",
    "--prune",
    "^main",
    "HEAD:refs/tags/x",
    "--follow-tags",
    "--atomic",
    "side",
    "gone",
    "work:side",
    "--force-w",
];

fn words(call: &str) -> Vec<&str> {
    call.split(' ').collect()
}

/// A folder with a repository in `repo`: branches `main` and `side`, one of a remote, a tag and some files.
fn machine() -> Machine {
    let mut machine = Machine::empty();
    let repo = machine.path.join("repo");
    std::fs::create_dir(&repo).expect("a folder");
    machine.path = repo;
    machine.git(&["init", "--quiet", "."]);
    machine.write("a", "one\n");
    machine.commit("first");
    machine.git(&["branch", "side"]);
    machine.git(&["tag", "v1"]);
    machine.git(&["remote", "add", "origin", "../origin"]);
    machine.git(&["update-ref", "refs/remotes/origin/far", "HEAD"]);
    machine
}

/// Runs a call, which may fail.
fn really(machine: &Machine, call: &str) -> Output {
    machine.command(&machine.path).args(words(call).into_iter().skip(1)).output().expect("git runs")
}

fn real_head(machine: &Machine, folder: &str) -> Option<Head> {
    let said = |call: &str| {
        let output = really(machine, &format!("git -C {folder} {call}"));
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    said("rev-parse --git-dir")?;
    let Some(name) = said("symbolic-ref --short HEAD") else { return Some(Head::Detached) };
    Some(match said("rev-parse --verify --quiet HEAD") {
        Some(_) => Head::Branch(name),
        None => Head::Unborn(name),
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(CASES) })]

    /// After any calls the head is where the model says that it may be, and only what may fail does.
    #[test]
    fn heads_are_where_git_has_them(calls in proptest::collection::vec(proptest::sample::select(MOVES), 1..7)) {
        let machine = machine();
        let mut state = Repositories::default();
        // What was there before the script is read when a call needs it: the script has not begun then.
        let steps: Vec<_> = {
            let copy = super::random::machine();
            let mut steps = Vec::new();
            for call in &calls {
                let is_fine = really(&machine, call).status.success();
                let step = copy.after(&state, &copy.call(&words(call)));
                let next = if is_fine { Some(step.succeeded) } else { step.failed };
                prop_assert!(next.is_some(), "{} fails in {:?}", call, calls);
                state = next.unwrap_or_default();
                let heads = |folder: &str| copy.after(&state, &copy.call(&["git", "-C", folder, "status"])).usage.heads;
                steps.push((*call, heads("."), heads("../tree"), real_head(&machine, "."), real_head(&machine, "../tree")));
            }
            steps
        };
        for (call, here, there, real_here, real_there) in steps {
            for (heads, real) in [(here, real_here), (there, real_there)] {
                let Some(real) = real else { continue };
                let is_said = heads.contains(&real) || heads.contains(&Head::Unknown);
                prop_assert!(is_said, "{:?} is not in {:?} after {} of {:?}", real, heads, call, calls);
            }
        }
    }

    /// Whatever `git add` is given: when it adds a file that nothing names, the model says so.
    #[test]
    fn what_adds_everything_is_known(paths in proptest::collection::vec(proptest::sample::select(PATHS), 1..3), below: bool) {
        let machine = machine();
        machine.write("src/x", "");
        machine.write("src/y.rs", "");
        machine.write("canary/one", "");
        machine.write("a", "two\n");
        let folder = if below { "src" } else { "." };
        let call = format!("git -C {folder} add {}", paths.join(" "));
        let step = machine.step(&words(&call));
        really(&machine, &call);
        let staged = machine.git(&["diff", "--cached", "--name-only"]);
        let has_canary = staged.lines().any(|name| name == "canary/one");
        prop_assert!(!has_canary || Effect::StagesAll.is_in(&step.usage), "{}: {}", call, staged);
        prop_assert!(staged.is_empty() || !step.usage.effects.is_empty(), "{}", call);
    }

    /// Whatever `git push` is given: the branches that change are among those that the model names.
    #[test]
    fn what_is_pushed_is_known(refspecs in proptest::collection::vec(proptest::sample::select(REFSPECS), 0..4), names_remote: bool) {
        let machine = machine();
        machine.git(&["clone", "--quiet", "--bare", ".", "../origin"]);
        machine.git(&["checkout", "--quiet", "-b", "work"]);
        for branch in ["main", "side", "work"] {
            machine.git(&["checkout", "--quiet", branch]);
            machine.commit("more");
        }
        let remote = if names_remote { " origin" } else { "" };
        let rest: String = refspecs.iter().map(|refspec| format!(" {refspec}")).collect();
        let call = format!("git push{remote}{rest}");
        let step = machine.step(&words(&call));
        let list = || {
            let said = machine.git(&["-C", "../origin", "for-each-ref", "--format=%(refname:short) %(objectname)", "refs/heads"]);
            said.lines().map(str::to_owned).collect::<std::collections::BTreeSet<_>>()
        };
        let before = list();
        really(&machine, &call);
        let after = list();
        let changed: std::collections::BTreeSet<&str> =
            before.symmetric_difference(&after).filter_map(|line| line.split(' ').next()).collect();
        let names = published(&step.usage);
        for branch in changed {
            let is_named = names.iter().any(|name| name.ends_with(" *") || name.ends_with(&format!(" {branch}")));
            prop_assert!(is_named, "{} changes {} and not only {:?}", call, branch, names);
        }
    }

    /// However a commit is written: it makes a commit without the hook only when the model says so.
    #[test]
    fn commits_without_hooks_are_known(
        options in proptest::collection::vec(proptest::sample::select(&[
            "-n", "--no-verify", "--no-verif", "--verify", "-q", "-an", "-v", "-uno", "--no-v", "-mn", "-mx", "-m", "-n", "-am",
            "-F", "a", "--", "--no-edit", "--amend", "--allow-empty", "-S", "--no-gpg-sign", "-nm", "--cleanup", "-t", "--no-ver",
            "--author", "--end-of-options", "-ns", "--mess", "--message=-n", "--dry-run", "--no-status", "--fixup", "HEAD",
        ][..]), 0..5),
        setting in proptest::sample::select(&["", "-c core.hooksPath=/dev/null ", "-c Core.HooksPath=.git/hooks ", "-c a.b=c "][..]),
    ) {
        let machine = machine();
        machine.write(".git/hooks/pre-commit", "#!/bin/sh\nexit 1\n");
        let hook = machine.path.join(".git/hooks/pre-commit");
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(hook, mode).expect("a hook");
        machine.write("a", "two\n");
        machine.git(&["add", "a"]);
        let rest: String = options.iter().map(|option| format!(" {option}")).collect();
        let call = format!("git {setting}commit{rest}");
        let step = machine.step(&words(&call));
        let before = machine.git(&["rev-parse", "HEAD"]);
        really(&machine, &call);
        let is_new = machine.git(&["rev-parse", "HEAD"]) != before;
        prop_assert!(!is_new || Effect::BypassesHooks.is_in(&step.usage), "{}", call);
        prop_assert!(!is_new || Effect::Commits.is_in(&step.usage), "{}", call);
    }
}

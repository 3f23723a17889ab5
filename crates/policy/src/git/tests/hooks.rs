//! Every way to keep hooks from running.

use crate::git::Effect;

use super::support::{Machine, effects};

fn bypasses(machine: &Machine, calls: &[&str]) -> bool {
    Effect::BypassesHooks.is_in(&machine.script(calls).usage)
}

#[test]
fn options_that_skip_hooks_are_known_in_every_spelling() {
    let machine = Machine::on_branch();
    for call in [
        "git commit --no-verify -m x",
        "git commit -n -m x",
        "git commit -nm x",
        "git commit -anm x",
        "git commit -vn",
        "git commit --no-verif",
        "git commit --no-veri",
        "git commit -m x --no-verify",
        "git commit --verify --no-verify",
        "git push --no-verify",
        "git push --no-verif origin work",
        "git merge --no-verify work",
        "git rebase --no-verify main",
        "git am -n x",
        "git am --no-verify x",
        "git pull --no-verify",
    ] {
        assert!(bypasses(&machine, &[call]), "{call}");
    }
    for call in [
        "git commit -m --no-verify",
        "git commit -m -n",
        "git commit -mn",
        "git commit -mno-verify",
        "git commit -F n",
        "git commit -Cn",
        "git commit --message --no-verify",
        "git commit --message=--no-verify",
        "git commit --no-verify --verify",
        "git commit -- --no-verify",
        "git commit -uno",
        "git commit -Sn",
        "git push -n",
        "git merge -n work",
        "git rebase -n main",
        "git cherry-pick -n x",
        "git log -n 1",
        "git add -n a",
    ] {
        assert!(!bypasses(&machine, &[call]), "{call}");
    }
}

#[test]
fn settings_that_lead_away_from_the_hooks_are_known_wherever_they_come_from() {
    let machine = Machine::on_branch();
    machine.write("settings", "[CORE]\nhooksPath = /tmp/empty\n");
    machine.write("empty/none", "");
    for calls in [
        &["git -c core.hooksPath=/dev/null commit"][..],
        &["git -c core.hookspath=/dev/null commit"],
        &["git -c CORE.HOOKSPATH=/dev/null commit"],
        &["git -ccore.hooksPath=/tmp/empty commit"],
        &["git -c core.hooksPath= commit"],
        &["git -c core.hooksPath commit"],
        &["git -c core.hooksPath=$X commit"],
        &["git -c core.hooksPath=empty commit"],
        &["git -c core.hooksPath=. commit"],
        &["git -c core.hooksPath=~x commit"],
        &["git -c core.hooksPath=/dev/null push"],
        &["V=/dev/null git --config-env=core.hooksPath=V commit"],
        &["git --config-env core.hooksPath=V commit"],
        &["GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.hooksPath GIT_CONFIG_VALUE_0=/dev/null git commit"],
        &["GIT_CONFIG_PARAMETERS='core.hookspath=/dev/null' git commit"],
        &["GIT_CONFIG_PARAMETERS='core.hookspath'='/dev/null' git commit"],
        &["GIT_CONFIG_GLOBAL=settings git commit"],
        &["git -c include.path=settings commit"],
        &["git config include.path ../settings", "git -c include.path=settings commit"],
        &["git config core.hooksPath /dev/null"],
        &["git config core.hookspath /tmp/empty"],
        &["git config --global core.hooksPath /dev/null"],
        &["git config --local --add core.hooksPath /dev/null"],
        &["git config set core.hooksPath /dev/null"],
        &["git config core.hooksPath $X"],
        &["git config core.hooksPath /dev/null", "git commit -m x"],
        &["git config --global core.hooksPath /dev/null", "git commit -m x"],
        &["git clone -c core.hooksPath=/dev/null url x"],
    ] {
        assert!(bypasses(&machine, calls), "{calls:?}");
    }
    for calls in [
        &["git config core.hooksPath"][..],
        &["git config --get core.hooksPath /dev/null"],
        &["git config core.hooks /dev/null"],
        &["git -c core.hooksPath=.git/hooks commit"],
        &["git -c core.hooksPath=/dev/null log"],
        &["git -c core.pager=cat commit"],
        &["git commit -m core.hooksPath=/dev/null"],
        &["git config user.name core.hooksPath=/dev/null"],
    ] {
        assert!(!bypasses(&machine, calls), "{calls:?}");
    }
}

#[test]
fn a_folder_with_hooks_in_the_work_tree_is_a_setting_like_others() {
    let machine = Machine::on_branch();
    machine.write(".githooks/pre-commit", "#!/bin/sh\n");
    assert_eq!(effects(&machine.script(&["git config core.hooksPath .githooks"])), "configures");
    assert!(!bypasses(&machine, &["git config core.hooksPath .githooks", "git commit"]));
    assert!(!bypasses(
        &machine,
        &["git config core.hooksPath /dev/null", "git config core.hooksPath .githooks", "git commit"]
    ));
    assert!(!bypasses(&machine, &["git config --unset core.hooksPath"]));
    machine.git(&["config", "core.hooksPath", ".githooks"]);
    assert!(bypasses(&machine, &["git config --unset core.hooksPath"]));
    assert!(bypasses(&machine, &["git config --remove-section core"]));
    assert!(bypasses(&machine, &["git config unset core.hooksPath"]));
    assert!(bypasses(&machine, &["git config --unset core.hooksPath", "git commit"]));
    assert!(bypasses(&machine, &["git -c core.hooksPath=.git/hooks commit"]));
    assert!(!bypasses(&machine, &["git -c core.hooksPath=.githooks commit"]));
}

#[test]
fn hooks_that_the_session_sets_in_variables_are_its_own() {
    let mut machine = Machine::on_branch();
    for (name, value) in [("COUNT", "1"), ("KEY_0", "core.hooksPath"), ("VALUE_0", "/managed")] {
        machine.variables.insert(format!("GIT_CONFIG_{name}"), value.to_owned());
    }
    assert!(!bypasses(&machine, &["git commit"]));
    assert!(!bypasses(&machine, &["git -c core.hooksPath=/managed commit"]));
    assert!(bypasses(&machine, &["git -c core.hooksPath=.git/hooks commit"]));
    assert!(bypasses(&machine, &["GIT_CONFIG_COUNT=0 git commit"]));
    assert!(bypasses(&machine, &["GIT_CONFIG_VALUE_0=/dev/null git commit"]));
    assert!(bypasses(&machine, &["GIT_CONFIG_KEY_0=a.b git commit"]));
    assert!(!bypasses(&machine, &["GIT_CONFIG_COUNT=0 git log"]));
}

#[test]
fn variables_that_switch_hooks_off_are_known_for_commands_with_hooks() {
    let machine = Machine::on_branch();
    for variable in [
        "HUSKY=0",
        "HUSKY=$X",
        "HUSKY_SKIP_HOOKS=1",
        "PRE_COMMIT_ALLOW_NO_CONFIG=1",
        "SKIP=flake8",
        "LEFTHOOK=0",
        "LEFTHOOK=false",
        "OVERCOMMIT_DISABLE=1",
    ] {
        assert!(bypasses(&machine, &[&format!("{variable} git commit -m x")]), "{variable}");
        assert!(bypasses(&machine, &[&format!("{variable} git push")]), "{variable}");
        assert!(!bypasses(&machine, &[&format!("{variable} git log")]), "{variable}");
        assert!(!bypasses(&machine, &[&format!("{variable} git add a")]), "{variable}");
    }
    for variable in ["HUSKY=1", "SKIP=", "LEFTHOOK=1", "OTHER=0"] {
        assert!(!bypasses(&machine, &[&format!("{variable} git commit -m x")]), "{variable}");
    }
}

//! Words that stand for other commands.

use super::support::{Machine, effects, is_opaque, runs};

#[test]
fn aliases_of_every_place_are_followed() {
    let machine = Machine::on_branch();
    machine.git(&["config", "alias.ci", "commit --no-verify"]);
    machine.git(&["config", "alias.again", "ci --amend"]);
    machine.write("settings", "[alias]\n\tci2 = commit -n\n[include]\n\tpath = more\n");
    machine.write("more", "[alias]\nci3 = push --force\n");
    for (words, wanted) in [
        ("git ci -m x", "commit: bypasses-hooks commits"),
        ("git CI", "commit: bypasses-hooks commits"),
        ("git again", "commit: bypasses-hooks commits rewrites"),
        ("git -c alias.x=commit x", "commit: commits"),
        ("git -c Alias.X=commit x", "commit: commits"),
        ("GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.x GIT_CONFIG_VALUE_0=push git x origin work", "push: publishes"),
        ("GIT_CONFIG_PARAMETERS='alias.x'='commit' git x", "commit: commits"),
        ("GIT_CONFIG_GLOBAL=settings git ci2", "commit: bypasses-hooks commits"),
        ("GIT_CONFIG_GLOBAL=settings git ci3 origin work", "push: force-publishes publishes"),
        ("GIT_CONFIG_SYSTEM=settings git ci2", "commit: bypasses-hooks commits"),
        ("V=commit git --config-env=alias.x=V x", "commit: commits"),
        ("V=commit git --config-env alias.x=V x", "commit: commits"),
        // A command of git is never replaced.
        ("git -c alias.status=commit status", "status: "),
        // Git refuses a loop.
        ("git -c alias.x=y -c alias.y=x x", "x: "),
        ("git -c alias.x=x x", "x: "),
        // Git knows no such command.
        ("git nothing", "nothing: "),
    ] {
        let step = machine.step(&words.split(' ').collect::<Vec<_>>());
        let found = format!("{}: {}", step.usage.command.as_deref().unwrap_or("-"), effects(&step));
        assert_eq!((found.as_str(), is_opaque(&step)), (wanted, false), "{words}");
    }
}

#[test]
fn aliases_that_the_script_makes_are_followed() {
    let machine = Machine::on_branch();
    for make in ["git config alias.x commit", "git config set alias.x commit", "git config --global alias.x commit"] {
        assert_eq!(effects(&machine.script(&[make, "git x -n"])), "bypasses-hooks commits", "{make}");
    }
    let gone = machine.script(&["git config alias.x commit", "git config --unset alias.x", "git x"]);
    assert_eq!(effects(&gone), "");
}

#[test]
fn an_alias_for_a_shell_is_a_text_with_the_arguments_behind_it() {
    let machine = Machine::on_branch();
    machine.git(&["config", "alias.x", "!f() { git commit; }; f"]);
    let step = machine.step(&["git", "x", "it's", "b"]);
    assert_eq!(
        (runs(&step), effects(&step).as_str()),
        (vec!["f() { git commit; }; f 'it'\\''s' 'b'".to_owned()], "runs-code")
    );
    let below = machine.step(&["dir=sub", "git", "x"]);
    assert_eq!(runs(&below), [format!("cd '{}' && f() {{ git commit; }}; f", machine.path.display())]);
}

#[test]
fn a_word_that_may_be_any_command_is_not_known() {
    let mut machine = Machine::on_branch();
    machine.git(&["config", "alias.x", "commit"]);
    for words in [
        &["git", "$X"][..],
        &["git", "$*", "commit"],
        &["git", "-c", "$X", "commit"],
        &["git", "-c", "alias.y=$X", "y"],
        &["git", "-C", "$X", "x"],
        &["GIT_CONFIG_COUNT=$X", "git", "commit"],
        &["GIT_CONFIG_GLOBAL=not-there", "git", "commit"],
        &["git", "-c", "include.path=not-there", "commit"],
        &["git", "-c", "include.path=$X", "commit"],
        &["hub", "other"],
        &["git", "--exec-path=/tmp", "commit"],
        &["GIT_EXEC_PATH=/tmp", "git", "commit"],
    ] {
        assert!(is_opaque(&machine.step(words)), "{words:?}");
    }
    let elsewhere = machine.elsewhere(&["git", "ci"]);
    assert!(is_opaque(&machine.after(&Default::default(), &elsewhere)));
    machine.git(&["config", "help.autocorrect", "immediate"]);
    assert!(is_opaque(&machine.step(&["git", "comit"])));
    machine.programs.push("git-lfs".to_owned());
    let step = machine.step(&["git", "lfs", "push", "$X"]);
    assert_eq!((runs(&step), effects(&step).as_str()), (vec!["git-lfs|push|…".to_owned()], "runs-code"));
}

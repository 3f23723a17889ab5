//! Programs that calls of git start.

use super::support::{Machine, effects, runs};

#[test]
fn texts_and_programs_of_arguments_and_settings_are_found() {
    let machine = Machine::on_branch();
    for (words, wanted) in [
        (&["git", "rebase", "-x", "make", "--exec=a b", "main"][..], &["make", "a b"][..]),
        (&["git", "bisect", "run", "./t.sh", "x"], &["./t.sh|x"]),
        (
            &["git", "submodule", "foreach", "git commit -n"],
            &["cd \"$(git rev-parse --show-toplevel)\" && git commit -n"],
        ),
        (
            &["git", "submodule", "foreach", "--recursive", "git", "push"],
            &["cd \"$(git rev-parse --show-toplevel)\" && 'git' 'push'"],
        ),
        (&["git", "filter-branch", "--tree-filter", "rm x", "HEAD"], &["rm x"]),
        (&["git", "-c", "core.pager=x", "log"], &["x"]),
        (&["git", "-c", "core.sshCommand=x", "fetch"], &["x"]),
        (&["git", "-c", "core.fsmonitor=x", "status"], &["x"]),
        (&["git", "-c", "core.fsmonitor=true", "status"], &[]),
        (&["git", "-c", "diff.A.textconv=x", "diff"], &["x"]),
        (&["git", "-c", "credential.helper=!x", "fetch"], &["x"]),
        (&["git", "-c", "pager.log=x", "log"], &["x"]),
        (&["git", "-c", "core.editor=$X", "commit"], &["…"]),
        (&["GIT_SSH_COMMAND=x", "git", "fetch"], &["x"]),
        (&["GIT_EDITOR=x", "git", "commit"], &["x"]),
        (&["GIT_SEQUENCE_EDITOR=:", "git", "rebase", "-i", "main"], &[":"]),
        (&["git", "fetch", "--upload-pack", "x", "url"], &["x"]),
        (&["git", "fetch", "--upload-pack=x", "url"], &["x"]),
        (&["git", "clone", "-u", "x", "url"], &["x"]),
        (&["git", "ls-remote", "--upload-p=x", "url"], &["x"]),
        (&["git", "push", "--receive-pack=x", "url", "work"], &["x"]),
        (&["git", "push", "--exec=x", "url", "work"], &["x"]),
        (&["git", "fetch", "ext::sh -c x"], &["sh -c x"]),
        (&["git", "clone", "ext::x", "y"], &["x"]),
        (&["git", "-c", "remote.origin.url=ext::x y", "fetch"], &["x y"]),
        (&["git", "-c", "url.ext::x y.insteadOf=z", "fetch", "z"], &["x y"]),
        (&["git", "difftool", "-x", "x"], &["x"]),
        (&["git", "difftool", "--extcmd=x", "HEAD"], &["x"]),
        (&["git", "grep", "--open-files-in-pager=x", "a"], &["x"]),
        (&["git", "grep", "-Ox", "a"], &["x"]),
        (&["git", "config", "core.pager", "x"], &["x"]),
        (&["git", "config", "alias.x", "!y z"], &["y z"]),
        (&["git", "archive", "--remote=url", "--exec=x", "HEAD"], &["x"]),
        (&["git", "commit", "-m", "ext::x"], &[]),
        (&["git", "-c", "user.name=x", "log"], &[]),
    ] {
        let step = machine.step(words);
        assert_eq!(runs(&step), wanted, "{words:?}");
        assert_eq!(effects(&step).contains("runs-code"), !wanted.is_empty(), "{words:?}");
    }
}

#[test]
fn programs_that_the_script_sets_up_run_later() {
    let machine = Machine::on_branch();
    let step = machine.script(&["git remote add x ext::y", "git fetch x"]);
    assert_eq!(runs(&step), ["y"]);
    let step = machine.script(&["git config core.sshCommand y", "git fetch"]);
    assert_eq!(runs(&step), ["y"]);
}

//! What replaces commits by others.

use crate::argument::Arg;

use super::super::options::End;
use super::super::{Effect, Head};
use super::{Failure, Row, When, Work};

pub(super) const ROWS: &[Row] = &[
    Row {
        names: &["rebase"],
        options: "onto=, keep-base, no-verify, q quiet, v verbose, n no-stat, signoff, committer-date-is-author-date, \
            reset-author-date, ignore-date, C=, ignore-whitespace, whitespace=, f force-rebase, no-ff, continue, skip, \
            abort, quit, edit-todo, show-current-patch, apply, m merge, i interactive, p preserve-merges, \
            rerere-autoupdate, empty=, k keep-empty, autosquash, update-refs, S gpg-sign=?, autostash, x exec=, \
            r rebase-merges=?, fork-point, s strategy=, X strategy-option=, root, reschedule-failed-exec, \
            reapply-cherry-picks, allow-empty-message, trailer=",
        end: End::Dashes,
        effects: &[
            (When::Without(&["abort", "quit", "edit-todo", "show-current-patch"]), Effect::Rewrites),
            (When::With(&["abort", "skip"]), Effect::Discards),
            (When::With(&["no-verify"]), Effect::BypassesHooks),
        ],
        act: rebase,
    },
    Row {
        names: &["filter-branch"],
        options: "setup=, subdirectory-filter=, env-filter=, tree-filter=, index-filter=, parent-filter=, msg-filter=, \
            commit-filter=, tag-name-filter=, prune-empty, original=, d=, f force, state-branch=, remap-to-ancestor",
        end: End::Dashes,
        effects: &[(When::Always, Effect::Rewrites)],
        act: filter_branch,
    },
    Row {
        names: &["filter-repo"],
        options: "analyze, dry-run, debug, h help, version",
        end: End::Dashes,
        effects: &[
            (When::Without(&["analyze", "dry-run", "help", "version"]), Effect::Rewrites),
            (When::Without(&["analyze", "dry-run", "help", "version"]), Effect::Discards),
        ],
        act: filter_repo,
    },
    Row {
        names: &["replace"],
        options: "l list, d delete, e edit, g graft, convert-graft-file, f force, raw, format=",
        end: End::Dashes,
        effects: &[
            (When::With(&["delete"]), Effect::DeletesReference),
            (When::With(&["edit", "graft", "convert-graft-file"]), Effect::Rewrites),
        ],
        act: replace,
    },
    Row {
        names: &["replay", "history"],
        options: "advance=, onto=, contained, update-refs=?, ref-action=",
        end: End::Dashes,
        effects: &[(When::Always, Effect::Rewrites)],
        act: super::only,
    },
    Row {
        names: &["reflog"],
        options: "expire=, expire-unreachable=, updateref, rewrite, stale-fix, n dry-run, verbose, all, single-worktree, date=",
        end: End::Dashes,
        effects: &[],
        act: reflog,
    },
    Row {
        names: &["svn"],
        options: "n dry-run, i interactive",
        end: End::Operand,
        effects: &[
            (When::First(&["dcommit", "commit-diff", "set-tree", "branch", "tag"]), Effect::Publishes),
            (When::First(&["dcommit", "rebase"]), Effect::Rewrites),
            (When::First(&["reset"]), Effect::Discards),
        ],
        act: no_options,
    },
    Row {
        names: &["p4"],
        options: "",
        end: End::Operand,
        effects: &[
            (When::First(&["submit"]), Effect::Publishes),
            (When::First(&["sync", "rebase", "submit"]), Effect::Rewrites),
        ],
        act: no_options,
    },
    Row {
        names: &["cvsexportcommit"],
        options: "",
        end: End::Operand,
        effects: &[(When::Always, Effect::Publishes)],
        act: no_options,
    },
    Row {
        names: &["bisect"],
        options: "no-checkout, first-parent, term-new=, term-old=, term-bad=, term-good=",
        end: End::Operand,
        effects: &[(
            When::First(&["start", "good", "bad", "old", "new", "skip", "reset", "run", "replay"]),
            Effect::MovesHead,
        )],
        act: bisect,
    },
    Row {
        names: &["notes"],
        options: "ref=, m message=, F file=, c reedit-message=, C reuse-message=, f force, allow-empty, stdin, \
            separator=?, stripspace, for-rewrite=, ignore-missing, n dry-run, v verbose, q quiet, s strategy=, commit, abort, \
            edit, e",
        end: End::Dashes,
        effects: &[(When::First(&["remove", "prune"]), Effect::Discards)],
        act: super::only,
    },
];

/// Its options are of another program and decide nothing here.
fn no_options(work: &mut Work<'_>) {
    work.parsed.is_unknown = false;
}

fn rebase(work: &mut Work<'_>) {
    work.shells(&["exec"]);
    if work.has(&["show-current-patch", "edit-todo"]) {
        return;
    }
    if work.has(&["continue", "skip", "abort", "quit"]) {
        // A rebase that ends leads back to its branch, which the head does not say.
        work.put_head(vec![Head::Unknown]);
        return;
    }
    let mut failed = work.state.clone();
    if let Some(git_dir) = work.located.git_dir() {
        let heads = work.heads.iter().cloned().chain([Head::Detached]).collect();
        failed.put_head(git_dir, heads);
    }
    work.outcome.failure = Failure::State(failed);
    // `git rebase upstream branch` goes to the branch first.
    let at = usize::from(!work.has(&["root"]));
    if let Some(branch) = work.parsed.operands.get(at).cloned() {
        work.effect(Effect::MovesHead, branch.site);
        let head = match branch.known() {
            Some(name) if work.has_branch(name) != Some(false) => Head::Branch(name.to_owned()),
            Some(_) => Head::Detached,
            None => Head::Unknown,
        };
        work.put_head(vec![head]);
    }
}

fn filter_branch(work: &mut Work<'_>) {
    work.shells(&[
        "setup",
        "env-filter",
        "tree-filter",
        "index-filter",
        "parent-filter",
        "msg-filter",
        "commit-filter",
        "tag-name-filter",
    ]);
}

fn filter_repo(work: &mut Work<'_>) {
    // Its callbacks are Python.
    let callback = work.arguments.iter().find(|argument| argument.text.prefix().contains("-callback")).map(|a| a.site);
    if let Some(site) = callback {
        work.effect(Effect::RunsCode, site);
    }
    work.parsed.is_unknown = callback.is_some();
}

fn replace(work: &mut Work<'_>) {
    if work.parsed.operands.len() == 2 && !work.has(&["delete", "list"]) {
        work.does(Effect::Rewrites);
    }
}

fn reflog(work: &mut Work<'_>) {
    let is_loss = matches!(work.first(), Some("expire" | "delete" | "drop")) && !work.has(&["dry-run"]);
    if is_loss {
        work.does(Effect::Discards);
    }
}

fn bisect(work: &mut Work<'_>) {
    let Some(word) = work.first() else { return };
    match word {
        "run" => {
            let argv: Vec<Arg> = work.parsed.from(1).to_vec();
            work.program(argv);
            work.move_head(vec![Head::Detached]);
        }
        "reset" => {
            let before = work.located.git_dir().and_then(|git_dir| work.state.previous(git_dir));
            let before = before.map_or_else(|| vec![Head::Unknown], <[Head]>::to_vec);
            work.move_head(before);
        }
        "start" | "good" | "bad" | "old" | "new" | "skip" | "replay" => {
            let heads = work.heads.iter().cloned().chain([Head::Detached]).collect();
            work.move_head(heads);
        }
        _ => {}
    }
}

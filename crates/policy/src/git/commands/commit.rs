//! What makes commits.

use super::super::Effect;
use super::super::options::End;
use super::{Row, When, Work, stage};

pub(super) const ROWS: &[Row] = &[
    Row {
        names: &["commit"],
        options: "q quiet, v verbose, F file=, author=, date=, m message=, c reedit-message=, C reuse-message=, fixup=, \
            squash=, reset-author, trailer=, s signoff, t template=, e edit, cleanup=, status, S gpg-sign=?, a all, \
            i include, interactive, p patch, o only, n no-verify, dry-run, short, branch, ahead-behind, porcelain, long, \
            z null, amend, no-post-rewrite, u untracked-files=?, pathspec-from-file=, pathspec-file-nul, allow-empty, \
            allow-empty-message, U unified=, inter-hunk-context=, auto-advance",
        end: End::Dashes,
        effects: &[],
        act: commit,
    },
    Row {
        names: &["merge"],
        options: "n, stat, summary, compact-summary, log=?, squash, commit, e edit, cleanup=, ff, ff-only, \
            rerere-autoupdate, verify-signatures, s strategy=, X strategy-option=, m message=, F file=, into-name=, \
            v verbose, q quiet, abort, quit, continue, allow-unrelated-histories, progress, S gpg-sign=?, autostash, \
            overwrite-ignore, signoff, no-verify",
        end: End::Dashes,
        effects: &[
            (When::Without(&["abort", "quit", "no-commit", "squash", "ff-only"]), Effect::Commits),
            (When::With(&["abort"]), Effect::Discards),
            (When::With(&["no-verify"]), Effect::BypassesHooks),
        ],
        act: merge,
    },
    Row {
        names: &["cherry-pick", "revert"],
        options: "quit, continue, abort, skip, cleanup=, n no-commit, e edit, r, s signoff, m mainline=, \
            rerere-autoupdate, strategy=, X strategy-option=, S gpg-sign=?, x, ff, allow-empty, allow-empty-message, \
            keep-redundant-commits, empty=, reference",
        end: End::Dashes,
        effects: &[
            (When::Without(&["abort", "quit", "no-commit"]), Effect::Commits),
            (When::With(&["abort", "skip"]), Effect::Discards),
        ],
        act: super::only,
    },
    Row {
        names: &["am"],
        options: "i interactive, n no-verify, 3 3way, q quiet, s signoff, u utf8, k keep, keep-non-patch, m message-id, \
            keep-cr, no-keep-cr, c scissors, quoted-cr=, whitespace=, ignore-space-change, ignore-whitespace, directory=, \
            exclude=, include=, C=, p=, patch-format=, reject, resolvemsg=, continue, r resolved, skip, abort, quit, \
            show-current-patch=?, retry, allow-empty, committer-date-is-author-date, ignore-date, rerere-autoupdate, \
            S gpg-sign=?, empty=, b binary, rebasing",
        end: End::Dashes,
        effects: &[
            (When::Without(&["abort", "quit", "skip", "show-current-patch"]), Effect::Commits),
            (When::With(&["abort", "skip"]), Effect::Discards),
            (When::With(&["no-verify"]), Effect::BypassesHooks),
        ],
        act: am,
    },
    Row {
        names: &["citool", "gui"],
        options: "amend, nocommit",
        end: End::Operand,
        effects: &[(When::Always, Effect::Commits), (When::With(&["amend"]), Effect::Rewrites)],
        act: super::only,
    },
    Row {
        names: &["quiltimport", "cvsimport", "archimport"],
        options: "",
        end: End::Operand,
        effects: &[(When::Always, Effect::Commits)],
        act: no_options,
    },
    Row {
        names: &["subtree"],
        options: "q quiet, d debug, P prefix=, annotate=, b branch=, ignore-joins, onto=, rejoin, squash, S gpg-sign=?, \
            m message=",
        end: End::Dashes,
        effects: &[
            (When::First(&["add", "merge", "pull"]), Effect::Commits),
            (When::First(&["push"]), Effect::Publishes),
            (When::With(&["rejoin"]), Effect::Commits),
            (When::With(&["branch"]), Effect::CreatesBranch),
        ],
        act: subtree,
    },
];

/// Options that only show what a commit would be.
const SHOWS: &[&str] = &["dry-run", "short", "porcelain", "long"];

fn commit(work: &mut Work<'_>) {
    work.does_with(&["no-verify"], Effect::BypassesHooks);
    if work.has(SHOWS) {
        return;
    }
    work.does(Effect::Commits);
    work.does_with(&["amend"], Effect::Rewrites);
    work.does_with(&["all"], Effect::StagesAll);
    let paths = work.parsed.operands.clone();
    stage::select(work, paths);
    work.is_born();
}

fn merge(work: &mut Work<'_>) {
    if work.has(&["continue"]) || !work.has(&["abort", "quit"]) {
        work.is_born();
    }
}

fn am(work: &mut Work<'_>) {
    if !work.has(&["abort", "quit", "skip"]) {
        work.is_born();
    }
}

/// Its options are not read, and unknown ones decide nothing.
fn no_options(work: &mut Work<'_>) {
    work.parsed.is_unknown = false;
}

fn subtree(work: &mut Work<'_>) {
    if work.first() == Some("push") {
        let remote = work.parsed.operands.get(1).map(|remote| remote.text.clone());
        if let Some(refspec) = work.parsed.operands.get(2).cloned() {
            super::push::add_refspec(work, remote, &refspec, false);
        }
    }
}

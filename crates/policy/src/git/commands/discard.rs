//! What loses changes of files or of the index.

use crate::argument::Arg;
use crate::world::File;

use super::super::options::End;
use super::super::{Effect, Head};
use super::{Row, When, Work};

pub(super) const ROWS: &[Row] = &[
    Row {
        names: &["restore"],
        options: "s source=, S staged, W worktree, ignore-unmerged, overlay, q quiet, recurse-submodules=?, progress, \
            m merge, conflict=, 2 ours, 3 theirs, p patch, ignore-skip-worktree-bits, pathspec-from-file=, \
            pathspec-file-nul, U unified=, inter-hunk-context=, auto-advance",
        end: End::Dashes,
        effects: &[],
        act: restore,
    },
    Row {
        names: &["reset"],
        options: "q quiet, no-refresh, mixed, soft, hard, merge, keep, recurse-submodules=?, p patch, N intent-to-add, \
            pathspec-from-file=, pathspec-file-nul, z, stdin, U unified=, inter-hunk-context=, auto-advance",
        end: End::Dashes,
        effects: &[(When::With(&["hard", "merge"]), Effect::Discards)],
        act: reset,
    },
    Row {
        names: &["clean"],
        options: "q quiet, n dry-run, f force, i interactive, d, e exclude=, x, X",
        end: End::Dashes,
        effects: &[],
        act: clean,
    },
    Row {
        names: &["stash"],
        options: "k keep-index, S staged, p patch, q quiet, u include-untracked, a all, m message=, pathspec-from-file=, \
            pathspec-file-nul, index, only-untracked, stat, oneline, print, to-ref=, label-ours=, label-theirs=, \
            label-base=, U unified=, inter-hunk-context=, auto-advance",
        end: End::Dashes,
        effects: &[
            (When::First(&["drop", "clear"]), Effect::Discards),
            (When::First(&["branch"]), Effect::CreatesBranch),
            (When::First(&["branch"]), Effect::MovesHead),
        ],
        act: stash,
    },
    Row {
        names: &["rm"],
        options: "n dry-run, q quiet, cached, f force, r, ignore-unmatch, sparse, pathspec-from-file=, pathspec-file-nul",
        end: End::Dashes,
        effects: &[],
        act: remove,
    },
    Row {
        names: &["mv"],
        options: "v verbose, n dry-run, f force, k, sparse",
        end: End::Dashes,
        effects: &[(When::With(&["force"]), Effect::Discards)],
        act: super::only,
    },
    Row {
        names: &["read-tree"],
        options: "index-output=, empty, v verbose, m, trivial, aggressive, reset, prefix=, u, i, exclude-per-directory=, \
            n dry-run, no-sparse-checkout, debug-unpack, recurse-submodules=?, q quiet, super-prefix=",
        end: End::Dashes,
        effects: &[(When::Without(&["dry-run", "index-output", "prefix"]), Effect::Discards)],
        act: super::only,
    },
    Row {
        names: &["checkout-index"],
        options: "a all, ignore-skip-worktree-bits, f force, q quiet, n no-create, u index, z, stdin, temp, prefix=, stage=",
        end: End::Dashes,
        effects: &[(When::With(&["force"]), Effect::Discards)],
        act: super::only,
    },
    Row {
        names: &["gc"],
        options: "q quiet, prune=?, cruft, max-cruft-size=, expire-to=, aggressive, auto, detach, force, keep-largest-pack",
        end: End::Dashes,
        effects: &[(When::With(&["prune"]), Effect::Discards)],
        act: super::only,
    },
    Row {
        names: &["prune"],
        options: "n dry-run, v verbose, progress, expire=, exclude-promisor-objects",
        end: End::Dashes,
        effects: &[(When::Without(&["dry-run"]), Effect::Discards)],
        act: super::only,
    },
    Row {
        names: &["sparse-checkout"],
        options: "cone, sparse-index, stdin, skip-checks, end-of-options, z, rules-file=, n dry-run, f force, v verbose",
        end: End::Dashes,
        effects: &[(When::First(&["init", "set", "add", "reapply", "disable"]), Effect::Configures)],
        act: super::only,
    },
];

fn restore(work: &mut Work<'_>) {
    // What is only taken out of the index is still in its file.
    let is_index_alone = work.has(&["staged"]) && !work.has(&["worktree"]);
    if !is_index_alone {
        work.does(Effect::Discards);
    }
}

fn reset(work: &mut Work<'_>) {
    let operands = work.parsed.operands.clone();
    let is_whole = work.has(&["hard", "soft", "merge", "keep"]);
    let Some(first) = operands.first() else { return };
    let has_files = operands.len() > 1
        || work.parsed.before_dashes == Some(0)
        || work.has(&["patch", "pathspec-from-file", "stdin"])
        || (!is_whole && is_file(work, first));
    if !has_files && !matches!(first.known(), Some("HEAD" | "@")) {
        work.effect(Effect::MovesHead, first.site);
        work.effect(Effect::Rewrites, first.site);
        work.is_born();
    }
}

/// Whether a word is a file and not a commit.
fn is_file(work: &Work<'_>, word: &Arg) -> bool {
    if word.text.is_glob() {
        return true;
    }
    let Some(name) = word.known() else { return false };
    let repository = work.located.repository.as_ref();
    let is_commit = work.has_branch(name) == Some(true) || repository.is_some_and(|found| found.commit(name).is_ok());
    let is_there = || work.path(name).is_some_and(|path| work.world.file(&path, 1) != File::Missing);
    !is_commit && (is_there() || repository.is_some())
}

fn clean(work: &mut Work<'_>) {
    let is_forced = work.has(&["force", "interactive"])
        || work
            .settings
            .get("clean.requireForce")
            .is_some_and(|value| matches!(value.known(), None | Some("false" | "no" | "off" | "0")));
    if is_forced && !work.has(&["dry-run"]) {
        let site = work.site_of(&["force", "interactive"]).unwrap_or(work.site);
        work.effect(Effect::Discards, site);
    }
}

fn stash(work: &mut Work<'_>) {
    if work.first() != Some("branch") {
        return;
    }
    let Some(branch) = work.parsed.operand(1).map(str::to_owned) else { return work.move_head(vec![Head::Unknown]) };
    work.set_branch(&branch, true);
    work.move_head(vec![Head::Branch(branch)]);
}

fn remove(work: &mut Work<'_>) {
    if let Some(site) = work.site_of(&["force"])
        && !work.has(&["cached", "dry-run"])
    {
        work.effect(Effect::Discards, site);
    }
}

//! Branches, and work trees for them.

use std::path::PathBuf;

use crate::argument::Arg;
use crate::site::Site;
use crate::text::Text;

use super::super::options::End;
use super::super::paths::{plain, real};
use super::super::state::Tree;
use super::super::{Effect, Head, Target};
use super::{Failure, Row, When, Work, names};

pub(super) const ROWS: &[Row] = &[
    Row {
        names: &["branch"],
        options: "v verbose, q quiet, t track=?, u set-upstream-to=, unset-upstream, color=?, r remotes, contains with=, \
            no-contains without=, abbrev=?, a all, d delete, D, m move, M, omit-empty, c copy, C, l list, show-current, \
            create-reflog, edit-description, f force, merged=, no-merged=, column=?, sort=, points-at=, i ignore-case, \
            recurse-submodules, format=, set-upstream",
        end: End::Dashes,
        effects: &[
            (When::With(&["delete", "D"]), Effect::DeletesReference),
            (When::With(&["D"]), Effect::Discards),
            (When::With(&["set-upstream-to", "unset-upstream", "edit-description"]), Effect::Configures),
        ],
        act: branch,
    },
    Row {
        names: &["worktree"],
        options: "f force, d detach, checkout, lock, reason=, orphan, b=, B=, q quiet, track, guess-remote, porcelain, z, \
            n dry-run, v verbose, expire=, relative-paths",
        end: End::Dashes,
        effects: &[],
        act: worktree,
    },
];

/// Options with which branches are only listed.
const LISTS: &[&str] = &[
    "list",
    "all",
    "remotes",
    "show-current",
    "contains",
    "no-contains",
    "merged",
    "no-merged",
    "points-at",
    "format",
    "sort",
    "column",
];

fn branch(work: &mut Work<'_>) {
    let names = work.parsed.operands.clone();
    if work.has(&["delete", "D"]) {
        for name in names.iter().filter_map(Arg::known) {
            work.set_branch(name, false);
        }
        if work.has(&["force"]) {
            work.does(Effect::Discards);
        }
    } else if work.has(&["move", "M"]) {
        rename(work, &names);
    } else if work.has(&["set-upstream-to", "unset-upstream", "edit-description"]) {
        follow(work, &names);
    } else if work.has(LISTS) || names.is_empty() {
        // Nothing changes.
    } else {
        let at = usize::from(work.has(&["copy", "C"]) && names.len() > 1);
        if let Some(name) = names.get(at) {
            create(work, name, &["force", "C"]);
        }
    }
}

/// Makes a branch that is not checked out.
fn create(work: &mut Work<'_>, name: &Arg, forces: &[&str]) {
    work.effect(Effect::CreatesBranch, name.site);
    let Some(known) = name.known() else { return };
    if work.has(forces) && work.has_branch(known) != Some(false) {
        work.effect(Effect::Rewrites, name.site);
        work.outcome.changes.push(Target { remote: None, branch: Some(Text::new(known)), site: name.site });
    }
    work.set_branch(known, true);
}

fn rename(work: &mut Work<'_>, names: &[Arg]) {
    work.does(Effect::CreatesBranch);
    let (old, new) = match names {
        [new] => (work.branches(), new),
        [old, new] => (old.known().map(str::to_owned).into_iter().collect(), new),
        _ => return,
    };
    let Some(new) = new.known() else { return work.move_head(vec![Head::Unknown]) };
    let renamed = |head: &Head| match head {
        Head::Branch(name) if old.contains(name) => Head::Branch(new.to_owned()),
        Head::Unborn(name) if old.contains(name) => Head::Unborn(new.to_owned()),
        head => head.clone(),
    };
    let heads: Vec<Head> = work.heads.iter().map(renamed).collect();
    if let Some(common) = work.located.common.clone() {
        for old in &old {
            work.outcome.after.rename_branch(&common, old, new);
        }
    }
    if heads != work.heads {
        work.put_head(heads);
    }
    let are_there = !old.is_empty() && old.iter().all(|old| work.has_branch(old) == Some(true));
    let is_on_branch = !work.heads.iter().any(|head| matches!(head, Head::Detached | Head::Unknown));
    let names_old = names.len() > 1;
    if are_there && (names_old || is_on_branch) && names::is_free(work, new) {
        work.outcome.failure = Failure::Never;
    }
}

/// Which branch of a remote a branch follows.
fn follow(work: &mut Work<'_>, names: &[Arg]) {
    let branch = names.first().and_then(Arg::known).map(str::to_owned).or_else(|| work.branches().into_iter().next());
    let (Some(branch), Some(upstream)) = (branch, work.parsed.value("set-upstream-to").cloned()) else { return };
    let (remote, merge) = match upstream.known().and_then(|upstream| upstream.split_once('/')) {
        Some((remote, name)) => (Text::new(remote), Text::new(format!("refs/heads/{name}"))),
        None => (super::super::words::unknown(), super::super::words::unknown()),
    };
    work.set(format!("branch.{branch}.remote"), Some(remote));
    work.set(format!("branch.{branch}.merge"), Some(merge));
}

fn worktree(work: &mut Work<'_>) {
    let operands = work.parsed.operands.clone();
    match work.first() {
        Some("add") => {
            if let Some(folder) = operands.get(1) {
                add(work, folder, operands.get(2));
            }
        }
        Some("remove") => work.does_with(&["force"], Effect::Discards),
        Some("move") => {
            // The head goes along.
            let (Some(from), Some(to)) = (operands.get(1), operands.get(2)) else { return };
            let paths = [from, to].map(|path| path.known().and_then(|path| work.path(path)));
            if let [Some(from), Some(to)] = paths {
                let heads =
                    work.state.tree_of(&real(&from, work.world)).and_then(|(_, tree)| work.state.heads(&tree.git_dir));
                let heads = heads.map_or_else(|| vec![Head::Unknown], <[Head]>::to_vec);
                make(work, &plain(&to), heads);
            }
        }
        _ => {}
    }
}

/// Makes a work tree, with a branch of its own unless another one is named.
fn add(work: &mut Work<'_>, folder: &Arg, start: Option<&Arg>) {
    let option = work.parsed.any(&["b", "B"]).map(|given| (given.value.clone().unwrap_or_default(), given.site));
    let head = match (option, start) {
        (Some((name, site)), _) => new_branch(work, name.known(), site),
        (None, _) if work.has(&["detach"]) => Head::Detached,
        (None, Some(start)) => match start.known() {
            Some(name) if work.has_branch(name) == Some(true) => Head::Branch(name.to_owned()),
            Some(name) if work.located.has_reference(name) == Some(true) => Head::Detached,
            Some(name) => Head::Branch(name.to_owned()),
            None => Head::Unknown,
        },
        // The name of the folder, for a branch that is there or is made.
        (None, None) => {
            let name =
                folder.known().and_then(|path| plain(&work.path(path)?).file_name()?.to_str().map(str::to_owned));
            match name.as_deref() {
                Some(name) if work.has_branch(name) == Some(true) => Head::Branch(name.to_owned()),
                name => new_branch(work, name, folder.site),
            }
        }
    };
    let path = folder.known().and_then(|path| work.path(path));
    if let Some(path) = path {
        let path = real(&path, work.world);
        make(work, &path, vec![head]);
    }
}

fn new_branch(work: &mut Work<'_>, name: Option<&str>, site: Site) -> Head {
    work.effect(Effect::CreatesBranch, site);
    let Some(name) = name else { return Head::Unknown };
    if let Some(site) = work.site_of(&["B"])
        && work.has_branch(name) != Some(false)
    {
        work.effect(Effect::Rewrites, site);
        work.outcome.changes.push(Target { remote: None, branch: Some(Text::new(name)), site });
    }
    work.set_branch(name, true);
    Head::Branch(name.to_owned())
}

fn make(work: &mut Work<'_>, root: &std::path::Path, heads: Vec<Head>) {
    let Some(common) = work.located.common.clone() else { return };
    let name = root.file_name().map(PathBuf::from).unwrap_or_default();
    let tree = Tree { git_dir: common.join("worktrees").join(name), common, is_bare: false };
    work.outcome.after.make_tree(root.to_owned(), tree, heads);
}

//! `checkout` and `switch`: what moves the head, and what replaces files.

use crate::argument::Arg;
use crate::site::Site;
use crate::text::Text;
use crate::world::File;

use super::super::options::End;
use super::super::{Effect, Head};
use super::{Failure, Row, When, Work, names};

pub(super) const ROWS: &[Row] = &[
    Row {
        names: &["checkout"],
        options: "b=, B=, l, guess, overlay, q quiet, recurse-submodules=?, progress, m merge, conflict=, d detach, \
            t track=?, f force, orphan=, ignore-other-worktrees, 2 ours, 3 theirs, p patch, ignore-skip-worktree-bits, \
            pathspec-from-file=, pathspec-file-nul, overwrite-ignore, U unified=, inter-hunk-context=, auto-advance",
        end: End::Dashes,
        effects: &[(When::With(&["force", "patch", "ours", "theirs", "pathspec-from-file"]), Effect::Discards)],
        act: checkout,
    },
    Row {
        names: &["switch"],
        options: "c create=, C force-create=, guess, discard-changes, q quiet, recurse-submodules=?, progress, m merge, \
            conflict=, d detach, t track=?, f force, orphan=, ignore-other-worktrees, overwrite-ignore",
        end: End::Dashes,
        effects: &[(When::With(&["force", "discard-changes"]), Effect::Discards)],
        act: switch,
    },
];

/// Options that make a branch, and whether they may replace one.
const CREATES: &[(&str, bool)] =
    &[("b", false), ("B", true), ("create", false), ("force-create", true), ("orphan", false)];

fn checkout(work: &mut Work<'_>) {
    if creates(work) || guesses_name(work) {
        return;
    }
    let operands = work.parsed.operands.clone();
    let first = operands.first().cloned();
    match work.parsed.before_dashes {
        // Files behind the dashes, of the commit before them or of the index.
        Some(before) if operands.len() > before => return discards(work, work.parsed.from(before).first().cloned()),
        Some(_) => return follow(work, first),
        None => {}
    }
    if work.has(&["detach"]) {
        return follow(work, first);
    }
    if work.has(&["patch", "pathspec-from-file"]) {
        return;
    }
    let Some(first) = first else { return };
    let is_commit = is_commit(work, &first);
    match (is_commit, operands.len()) {
        (Some(true), 1) => follow(work, Some(first)),
        // A commit, and files of it; or files alone.
        (Some(true), _) => discards(work, operands.get(1).cloned()),
        (Some(false), _) => discards(work, Some(first)),
        (None, 1) => {
            discards(work, Some(first.clone()));
            follow(work, Some(first));
        }
        (None, _) => discards(work, Some(first)),
    }
}

fn switch(work: &mut Work<'_>) {
    if !creates(work) && !guesses_name(work) {
        let first = work.parsed.operands.first().cloned();
        follow(work, first);
    }
}

/// Makes the branch of an option and goes there; `false` without such an option.
fn creates(work: &mut Work<'_>) -> bool {
    let Some((given, replaces)) = CREATES.iter().find_map(|(name, replaces)| Some((work.parsed.on(name)?, *replaces)))
    else {
        return false;
    };
    let (site, is_orphan) = (given.site, given.name == "orphan");
    let name = given.value.clone().unwrap_or_default();
    let start = work.parsed.operands.first().cloned();
    create(work, &name, site, start.as_ref(), replaces, is_orphan);
    true
}

/// `--track origin/x` alone makes the branch `x`.
fn guesses_name(work: &mut Work<'_>) -> bool {
    let Some(track) = work.parsed.on("track") else { return false };
    let site = track.site;
    let Some(start) = work.parsed.operands.first().cloned() else { return false };
    let name = start.known().and_then(|start| start.strip_prefix("refs/remotes/").unwrap_or(start).split_once('/'));
    let name = name.map_or_else(super::super::words::unknown, |(_, name)| Text::new(name));
    create(work, &name, site, Some(&start), false, false);
    true
}

fn create(work: &mut Work<'_>, name: &Text, site: Site, start: Option<&Arg>, replaces: bool, is_orphan: bool) {
    work.effect(Effect::MovesHead, site);
    work.effect(Effect::CreatesBranch, site);
    let Some(name) = name.known() else {
        // A new branch of which the beginning is known is none that is there already.
        let is_new = !replaces && !name.prefix().is_empty();
        let head = if is_new { Head::Branch(name.shown()) } else { Head::Unknown };
        return work.move_head(vec![head]);
    };
    let is_there = work.has_branch(name);
    let is_unborn = work.heads.iter().all(|head| matches!(head, Head::Unborn(_))) && start.is_none();
    if is_orphan {
        work.move_head(vec![Head::Unborn(name.to_owned())]);
    } else if is_unborn && work.located.git_dir().is_some() {
        // Only the name changes.
        work.move_head(vec![work.located.on(name, work.state)]);
    } else {
        work.set_branch(name, true);
        work.move_head(vec![Head::Branch(name.to_owned())]);
        follows_remote(work, name, start);
    }
    let start_is_fine = start.is_none_or(|start| {
        start.known().is_some_and(|start| {
            work.located.repository.as_ref().is_some_and(|repository| repository.commit(start).is_ok())
        }) && !work.has(&["force"])
    });
    // The files stay as they are when the branch begins at the head.
    let stays = start.is_none() || start.is_some_and(|start| matches!(start.known(), Some("HEAD" | "@")));
    if replaces && is_there != Some(false) {
        work.effect(Effect::Rewrites, site);
        work.outcome.changes.push(super::super::Target { remote: None, branch: Some(Text::new(name)), site });
    }
    // One that is there may be checked out in another work tree.
    let can = names::is_free(work, name) && work.located.work_tree().is_some();
    if can && start_is_fine && stays && !work.parsed.is_unknown {
        work.outcome.failure = Failure::Never;
    }
}

/// A branch that begins at one of a remote follows it.
fn follows_remote(work: &mut Work<'_>, name: &str, start: Option<&Arg>) {
    let Some(start) = start.and_then(Arg::known) else { return };
    if work.has(&["no-track"]) {
        return;
    }
    let short = start.strip_prefix("refs/remotes/").unwrap_or(start);
    let is_tracking = work.located.has_reference(&format!("refs/remotes/{short}")) == Some(true);
    if let Some((remote, branch)) = short.split_once('/').filter(|_| is_tracking) {
        work.set(format!("branch.{name}.remote"), Some(Text::new(remote)));
        work.set(format!("branch.{name}.merge"), Some(Text::new(format!("refs/heads/{branch}"))));
    }
}

/// Goes to a branch or a commit.
fn follow(work: &mut Work<'_>, to: Option<Arg>) {
    let is_detached = work.has(&["detach"]);
    let Some(to) = to else {
        if is_detached {
            work.does(Effect::MovesHead);
            work.move_head(vec![Head::Detached]);
        }
        return;
    };
    work.effect(Effect::MovesHead, to.site);
    let Some(name) = to.known() else {
        let heads = work.heads.iter().cloned().chain([Head::Unknown]).collect();
        return work.move_head(heads);
    };
    let heads = match name {
        _ if is_detached => vec![Head::Detached],
        "-" | "@{-1}" => {
            let before = work.located.git_dir().and_then(|git_dir| work.state.previous(git_dir));
            before.map_or_else(|| vec![Head::Unknown], <[Head]>::to_vec)
        }
        "HEAD" | "@" => return,
        name => match work.has_branch(name) {
            Some(true) => vec![Head::Branch(name.to_owned())],
            Some(false) if is_remote_branch(work, name) => {
                work.effect(Effect::CreatesBranch, to.site);
                work.set_branch(name, true);
                work.set(format!("branch.{name}.remote"), Some(Text::new("origin")));
                work.set(format!("branch.{name}.merge"), Some(Text::new(format!("refs/heads/{name}"))));
                vec![Head::Branch(name.to_owned())]
            }
            Some(false) if work.name == "checkout" && (is_expression(name) || resolves(work, name)) => {
                vec![Head::Detached]
            }
            // It may be there by then: the script can fetch it.
            Some(false) if work.name == "switch" => vec![Head::Branch(name.to_owned())],
            Some(false) => work.heads.iter().cloned().chain([Head::Branch(name.to_owned())]).collect(),
            None => vec![Head::Branch(name.to_owned()), Head::Unknown],
        },
    };
    work.move_head(heads);
}

fn discards(work: &mut Work<'_>, path: Option<Arg>) {
    let site = path.map_or(work.site, |path| path.site);
    work.effect(Effect::Discards, site);
}

/// Whether a word stands for a commit and not for a file; `None` if it may be both.
fn is_commit(work: &Work<'_>, word: &Arg) -> Option<bool> {
    if word.text.is_glob() {
        return Some(false);
    }
    let name = word.known()?;
    if matches!(name, "-" | "HEAD" | "@") || name.starts_with("@{") {
        return Some(true);
    }
    if matches!(name, "." | "..") || name.starts_with([':', '/', '*']) || name.starts_with("./") || name.ends_with('/')
    {
        return Some(false);
    }
    match work.has_branch(name) {
        Some(true) => Some(true),
        Some(false) if resolves(work, name) => Some(true),
        Some(false) => {
            // A file that is gone has a name like that of a branch that the script fetches.
            let is_file = work.path(name).is_some_and(|path| work.world.file(&path, 1) != File::Missing);
            let is_commit = || is_expression(name) || is_remote_branch(work, name);
            if is_file { Some(false) } else { is_commit().then_some(true) }
        }
        None => None,
    }
}

/// Whether a word can only stand for a commit, as `HEAD~2`.
fn is_expression(name: &str) -> bool {
    name.contains(['~', '^']) || name.contains("@{")
}

fn resolves(work: &Work<'_>, name: &str) -> bool {
    work.located.repository.as_ref().is_some_and(|repository| repository.commit(name).is_ok())
}

/// Whether a remote has a branch with this name, so that git makes one that follows it.
fn is_remote_branch(work: &Work<'_>, name: &str) -> bool {
    if work.has(&["no-guess"]) {
        return false;
    }
    if work.located.has_reference(&format!("refs/remotes/origin/{name}")) == Some(true) {
        return true;
    }
    let Some(repository) = &work.located.repository else { return false };
    let facts = repository.facts(&tau_git::Stop::default());
    facts
        .remotes
        .iter()
        .any(|remote| work.located.has_reference(&format!("refs/remotes/{}/{name}", remote.name)) == Some(true))
}

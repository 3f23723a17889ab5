//! What adds files to the index.

use crate::argument::Arg;
use crate::invocation::Stdin;
use crate::site::Site;
use crate::text::Text;
use crate::world::File;

use super::super::Effect;
use super::super::options::End;
use super::super::pathspec::{Breadth, Here};
use super::{Row, When, Work};

/// How long a file of names may be, in bytes.
const LONGEST: u64 = 256 * 1024;

pub(super) const ROWS: &[Row] = &[
    Row {
        names: &["add", "stage"],
        options: "n dry-run, v verbose, i interactive, p patch, e edit, f force, u update, renormalize, N intent-to-add, \
            A all, ignore-removal, refresh, ignore-errors, ignore-missing, sparse, chmod=, pathspec-from-file=, \
            pathspec-file-nul, warn-embedded-repo, U unified=, inter-hunk-context=, auto-advance",
        end: End::Dashes,
        effects: &[],
        act: add,
    },
    Row {
        names: &["update-index"],
        options: "add, remove, refresh, q, ignore-missing, ignore-submodules, unmerged, cacheinfo=, chmod=, \
            assume-unchanged, really-refresh, skip-worktree, ignore-skip-worktree-entries, info-only, force-remove, \
            z, stdin, index-info, unresolve, g again, verbose, replace, index-version=, show-index-version, split-index, \
            untracked-cache, test-untracked-cache, force-untracked-cache, force-write-index, fsmonitor, fsmonitor-valid, \
            clear-resolve-undo",
        end: End::Dashes,
        effects: &[(When::With(&["cacheinfo", "index-info", "stdin", "again"]), Effect::Stages)],
        act: update_index,
    },
    Row {
        names: &["apply"],
        options: "exclude=, include=, p=, no-add, stat, numstat, summary, check, index, N intent-to-add, cached, \
            unsafe-paths, apply, 3 3way, ours, theirs, union, build-fake-ancestor=, z, C=, whitespace=, \
            ignore-space-change, ignore-whitespace, R reverse, unidiff-zero, reject, allow-overlap, v verbose, q quiet, \
            inaccurate-eof, recount, directory=, allow-empty, allow-binary-replacement, binary",
        end: End::Dashes,
        effects: &[(When::With(&["index", "cached", "3way", "intent-to-add"]), Effect::Stages)],
        act: super::only,
    },
];

fn add(work: &mut Work<'_>) {
    if work.has(&["dry-run", "refresh"]) {
        return;
    }
    if let Some(site) = work.site_of(&["force"]) {
        work.effect(Effect::StagesIgnored, site);
    }
    let paths = work.parsed.operands.clone();
    if let Some(site) = work.site_of(&["all"]) {
        work.effect(Effect::StagesAll, site);
    }
    if let Some(site) = work.site_of(&["update", "renormalize"])
        && paths.is_empty()
    {
        work.effect(Effect::StagesAll, site);
    }
    if let Some(site) = work.site_of(&["interactive", "patch", "edit"])
        && paths.is_empty()
    {
        work.effect(Effect::Stages, site);
    }
    select(work, paths);
}

fn update_index(work: &mut Work<'_>) {
    // Flags of an entry add nothing.
    let flags = ["assume-unchanged", "skip-worktree", "force-remove", "refresh", "really-refresh"];
    let flags = [&flags[..], &["fsmonitor-valid", "unresolve", "no-assume-unchanged", "no-skip-worktree"]].concat();
    if !work.has(&flags) {
        let paths = work.parsed.operands.clone();
        select(work, paths);
    }
}

/// What names of files add to the index.
pub(super) fn select(work: &mut Work<'_>, paths: Vec<Arg>) {
    let (listed, is_known) = listed(work);
    if !is_known {
        work.unknown();
        work.does(Effect::Stages);
    }
    let here = Here { directory: work.located.directory.known(), root: work.located.work_tree(), world: work.world };
    let paths: Vec<Arg> = paths.into_iter().chain(listed).collect();
    let breadths: Vec<Breadth> = paths.iter().map(|path| here.breadth(&path.text)).collect();
    let is_only_less = !breadths.is_empty() && breadths.iter().all(|breadth| *breadth == Breadth::Less);
    for (path, breadth) in paths.iter().zip(breadths) {
        match breadth {
            Breadth::All => work.effect(Effect::StagesAll, path.site),
            // Everything else is added.
            Breadth::Less if is_only_less => work.effect(Effect::StagesAll, path.site),
            Breadth::Less => {}
            Breadth::Some => work.effect(Effect::Stages, path.site),
            Breadth::Unknown => {
                work.effect(Effect::Stages, path.site);
                work.unknown();
            }
        }
    }
    work.outcome.stages.extend(paths);
}

/// The names in the file of `--pathspec-from-file`, and whether it can be read.
fn listed(work: &Work<'_>) -> (Vec<Arg>, bool) {
    let Some(given) = work.parsed.on("pathspec-from-file") else { return (Vec::new(), true) };
    let path = given.value.as_ref().and_then(Text::known);
    let text = match (path, &work.invocation.stdin) {
        (Some("-"), Stdin::Text(text)) => text.known().map(str::to_owned),
        (Some("-"), Stdin::Inherited) | (None, _) => None,
        (Some(path), _) => work.path(path).and_then(|path| match work.world.file(&path, LONGEST) {
            File::Text(text) => Some(text),
            _ => None,
        }),
    };
    let Some(text) = text else { return (Vec::new(), false) };
    let mark = if work.has(&["pathspec-file-nul"]) { '\0' } else { '\n' };
    let names = text.split(mark).map(|name| name.trim_end_matches('\r')).filter(|name| !name.is_empty());
    (names.map(|name| made(name, given.site)).collect(), true)
}

/// An argument that stands in no script.
pub(super) fn made(text: &str, site: Site) -> Arg {
    Arg { text: Text::new(text), is_many: false, site, is_exact: false }
}

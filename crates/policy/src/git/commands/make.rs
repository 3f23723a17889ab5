//! What makes repositories.

use std::path::{Path, PathBuf};

use crate::text::Text;

use super::super::options::End;
use super::super::paths::real;
use super::super::settings::normal;
use super::super::state::{Made, Tree};
use super::super::words::split;
use super::super::{Effect, GitPlace, Head};
use super::{Row, When, Work};

pub(super) const ROWS: &[Row] = &[
    Row {
        names: &["init", "init-db"],
        options: "template=, bare, shared=?, q quiet, separate-git-dir=, b initial-branch=, object-format=, ref-format=",
        end: End::Dashes,
        effects: &[(When::With(&["template"]), Effect::RunsCode)],
        act: init,
    },
    Row {
        names: &["clone"],
        options: "v verbose, q quiet, progress, reject-shallow, n no-checkout, bare naked, mirror, l local, no-hardlinks, \
            s shared, recurse-submodules=?, recursive=?, j jobs=, template=, reference=, reference-if-able=, dissociate, \
            o origin=, b branch=, revision=, u upload-pack=, depth=, shallow-since=, shallow-exclude=, single-branch, tags, \
            shallow-submodules, separate-git-dir=, ref-format=, c config=, server-option=, 4 ipv4, 6 ipv6, filter=, \
            also-filter-submodules, remote-submodules, sparse, bundle-uri=",
        end: End::Dashes,
        effects: &[(When::With(&["template"]), Effect::RunsCode)],
        act: clone,
    },
];

fn init(work: &mut Work<'_>) {
    let folder = match work.parsed.operands.first().cloned() {
        Some(folder) => folder.known().and_then(|folder| work.path(folder)),
        None => work.located.directory.known().map(Path::to_owned),
    };
    let branch = match work.parsed.value("initial-branch") {
        Some(name) => Some(name.clone()),
        None => Some(work.settings.get("init.defaultBranch").unwrap_or_else(|| Text::new("master"))),
    };
    let branch = branch.as_ref().and_then(Text::known).map(str::to_owned);
    let head = branch.map_or(Head::Unknown, Head::Unborn);
    if let Some(folder) = folder {
        let folder = real(&folder, work.world);
        if !is_repository(work, &folder) {
            make(work, folder, vec![head]);
        }
    }
}

/// Whether a repository is there, which stays as it is then.
fn is_repository(work: &Work<'_>, folder: &Path) -> bool {
    let is_made = work.state.tree_of(folder).is_some_and(|(root, _)| root == folder);
    let found = work.world.repository(folder).ok().flatten();
    let is_root = |path: &Path| real(path, work.world) == folder;
    is_made
        || found.is_some_and(|found| found.work_tree().is_some_and(|root| is_root(&root)) || is_root(found.git_dir()))
}

fn clone(work: &mut Work<'_>) {
    work.shells(&["upload-pack"]);
    let operands = work.parsed.operands.clone();
    let Some(from) = operands.first() else { return };
    super::remote::helper(work, &from.text, from.site);
    let folder = match operands.get(1) {
        Some(folder) => folder.known().map(str::to_owned),
        None => from.known().and_then(|from| name_of(from, work.has(&["bare", "mirror"]))),
    };
    let Some(folder) = folder.and_then(|folder| work.path(&folder)) else { return };
    let folder = real(&folder, work.world);
    let head = match work.parsed.value("branch").map(Text::known) {
        Some(Some(name)) => Head::Branch(name.to_owned()),
        _ => Head::Unknown,
    };
    let common = make(work, folder, vec![head]);
    let given = work.parsed.options.iter().filter(|given| given.name == "config");
    let settings: Vec<_> = given.filter_map(|given| split(given.value.as_ref()?, '=')).collect();
    for (key, value) in settings {
        match key.known() {
            Some(key) => {
                let key = normal(key);
                if super::hooks::leads_away(work, &key, &value) {
                    work.does(Effect::BypassesHooks);
                }
                work.outcome.after.set(Made { scope: Some(common.clone()), key, value: Some(value) });
            }
            None => work.unknown(),
        }
    }
}

/// Makes a repository; its shared folder of git.
fn make(work: &mut Work<'_>, root: PathBuf, heads: Vec<Head>) -> PathBuf {
    let is_bare = work.has(&["bare", "mirror"]);
    let git_dir = if is_bare { root.clone() } else { root.join(".git") };
    let tree = Tree { git_dir: git_dir.clone(), common: git_dir.clone(), is_bare };
    work.outcome.after.make_tree(root, tree, heads);
    git_dir
}

/// The folder that a clone makes when none is named.
fn name_of(address: &str, is_bare: bool) -> Option<String> {
    let path = address.trim_end_matches('/');
    let path = path.strip_suffix("/.git").unwrap_or(path);
    let name = path.rsplit(['/', ':']).next()?;
    let name = name.strip_suffix(".git").unwrap_or(name);
    let name = name.strip_suffix(".bundle").unwrap_or(name);
    (!name.is_empty()).then(|| if is_bare { format!("{name}.git") } else { name.to_owned() })
}

/// Whether a command makes the repository it works on.
pub(in crate::git) fn place(name: &str, found: &GitPlace) -> GitPlace {
    match name {
        "clone" | "init" => GitPlace::None,
        _ => found.clone(),
    }
}

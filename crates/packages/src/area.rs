//! A folder with a `node_modules`, made anew beside the old one.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

use futures_util::future::BoxFuture;
use futures_util::{StreamExt as _, TryStreamExt as _};

use crate::chosen::Origin;
use crate::error::PackageError;
use crate::fetch::{Fetcher, copy_tree, make_parent, read_manifest};
use crate::lock::{LockedPackage, Pins};
use crate::tree::{Node, Tree};

/// How many archives are fetched at a time.
const AT_ONCE: usize = 8;

/// What was made.
pub(crate) struct Staged {
    pub pins: Pins,
    pub notes: Vec<String>,
}

/// What is installed already, and by which pins.
pub(crate) struct Installed<'a> {
    pub folder: &'a Path,
    pub pins: &'a Pins,
}

/// Makes the `node_modules` of a tree below `into`. What is installed already in the same version is taken over without
/// asking anybody.
pub(crate) async fn stage(
    fetcher: &Fetcher,
    tree: &Tree,
    into: &Path,
    installed: Option<Installed<'_>>,
    progress: &Arc<dyn Fn(&str) + Send + Sync>,
) -> Result<Staged, PackageError> {
    let places = tree.places();
    let mut levels: BTreeMap<usize, Vec<(&String, &Node, bool, bool)>> = BTreeMap::new();
    for (place, (node, optional, peer)) in &places {
        let depth = place.matches("node_modules/").count();
        levels.entry(depth).or_default().push((place, *node, *optional, *peer));
    }
    let is_missing = |(place, (node, optional, peer)): &(&String, &(&Node, bool, bool))| {
        !node.absent && reusable(place, &pin_of(node, *optional, *peer), installed.as_ref()).is_none()
    };
    let missing: Vec<_> = places.iter().filter(is_missing).collect();
    match missing[..] {
        [] => {}
        [(_, (node, ..))] => {
            let manifest = &node.package.manifest;
            progress(&format!("Fetching {}@{}", manifest.name, manifest.version));
        }
        _ => progress(&format!("Fetching {} packages", missing.len())),
    }
    let mut done = Staged { pins: Pins::new(), notes: tree.notes.iter().cloned().collect() };
    // What comes in the archive of another package lies below it, so the outer ones are first.
    for level in levels.into_values() {
        // Futures of one type, made one by one: what a closure over references gives cannot move between threads.
        let mut each: Vec<BoxFuture<'_, Result<Finished, PackageError>>> = Vec::new();
        for (place, node, optional, peer) in level {
            each.push(Box::pin(one(fetcher, place, node, optional, peer, into, installed.as_ref())));
        }
        let finished: Vec<Finished> = futures_util::stream::iter(each).buffer_unordered(AT_ONCE).try_collect().await?;
        for (pin, notes) in finished {
            done.pins.extend(pin);
            done.notes.extend(notes);
        }
    }
    commands(into, &done.pins);
    done.notes.sort();
    Ok(done)
}

type Finished = (Option<(String, LockedPackage)>, Vec<String>);

async fn one(
    fetcher: &Fetcher,
    place: &str,
    node: &Node,
    optional: bool,
    peer: bool,
    into: &Path,
    installed: Option<&Installed<'_>>,
) -> Result<Finished, PackageError> {
    let package = &node.package;
    let title = format!("{}@{}", package.manifest.name, package.manifest.version);
    let mut pin = pin_of(node, optional, peer);
    let finish = |pin| (Some((place.to_owned(), pin)), Vec::new());
    if node.absent {
        return Ok(finish(pin));
    }
    let target = into.join(place);
    if target.exists() {
        fs::remove_dir_all(&target).map_err(PackageError::io(&target))?;
    }
    let (mut done, mut notes) = match reusable(place, &pin, installed) {
        Some(source) => {
            make_parent(&target)?;
            copy_tree(&source, &target, true).map_err(PackageError::io(&target))?;
            return Ok(finish(pin));
        }
        None => {
            match fetcher.put(package, &target).await {
                Ok(integrity) => {
                    pin.integrity = Some(integrity).filter(|text| !text.is_empty());
                    finish(pin)
                }
                // Half of a package must not stay.
                Err(error) if optional && !matches!(error, PackageError::Io { .. }) => {
                    match fs::remove_dir_all(&target) {
                        Err(stays) if stays.kind() != io::ErrorKind::NotFound => {
                            return Err(PackageError::io(&target)(stays));
                        }
                        _ => {}
                    }
                    return Ok((Some((place.to_owned(), pin)), vec![format!("left out {title}: {error}")]));
                }
                Err(error) => return Err(error),
            }
        }
    };
    let manifest = read_manifest(&target, &title)?;
    if let Some((_, pin)) = &mut done {
        // The short form of metadata lacks a few things that the archive says.
        pin.manifest.bin.clone_from(&manifest.bin);
        pin.manifest.install_script |= manifest.install_script || target.join("binding.gyp").is_file();
        if pin.manifest.install_script {
            notes.push(format!("{title} has install scripts; tau does not run them"));
        }
    }
    Ok((done, notes))
}

/// What the lock file says of a package that is about to be installed.
fn pin_of(node: &Node, optional: bool, peer: bool) -> LockedPackage {
    let package = &node.package;
    LockedPackage {
        manifest: package.manifest.clone(),
        resolved: match &package.origin {
            Origin::Root | Origin::Registry { usual: true, .. } => None,
            Origin::Registry { archive, .. } => Some(archive.to_string()),
            Origin::Archive { url, .. } => Some(url.to_string()),
            Origin::Git { source, commit, .. } => Some(format!("git+{}#{commit}", source.public_url())),
        },
        integrity: package.integrity.as_ref().map(crate::integrity::Integrity::text),
        optional,
        peer,
    }
}

/// Where a package is installed already, if what is there is what is wanted.
fn reusable(place: &str, pin: &LockedPackage, installed: Option<&Installed<'_>>) -> Option<PathBuf> {
    let installed = installed?;
    let known = installed.pins.get(place)?;
    let same = known.manifest.name == pin.manifest.name
        && known.manifest.version == pin.manifest.version
        && known.integrity.is_some()
        && known.integrity == pin.integrity
        && pin.manifest.bundled.is_empty();
    let folder = installed.folder.join(place);
    let on_disk = same.then(|| read_manifest(&folder, place).ok()).flatten()?;
    (on_disk.version == pin.manifest.version).then_some(folder)
}

/// Puts the commands of packages where npm puts them. Without them everything else still works.
fn commands(into: &Path, pins: &Pins) {
    for (place, pin) in pins {
        let Some((prefix, folder)) = place.rsplit_once("node_modules/") else { continue };
        for (name, path) in &pin.manifest.bin {
            let plain =
                Path::new(path).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
            let file = into.join(place).join(path);
            if !plain || name.is_empty() || name.contains(['/', '\\', '\0']) || name.starts_with('.') || !file.is_file()
            {
                continue;
            }
            let bin = into.join(prefix).join("node_modules/.bin");
            if let Err(error) = command(&bin, name, &Path::new("..").join(folder).join(path), &file) {
                tracing::debug!("the command {name} of {place} cannot be made: {error}");
            }
        }
    }
}

#[cfg(unix)]
fn command(bin: &Path, name: &str, target: &Path, file: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::create_dir_all(bin)?;
    let mode = fs::metadata(file)?.permissions().mode();
    if mode & 0o111 != 0o111 {
        fs::set_permissions(file, fs::Permissions::from_mode(mode | 0o111))?;
    }
    std::os::unix::fs::symlink(target, bin.join(name))
}

#[cfg(not(unix))]
fn command(_: &Path, _: &str, _: &Path, _: &Path) -> io::Result<()> {
    Ok(())
}

/// Where something is while another thing is in its place.
pub(crate) fn aside(live: &Path) -> PathBuf {
    let name = live.file_name().unwrap_or_default().to_string_lossy();
    live.with_file_name(format!(".{name}.tau-old"))
}

pub(crate) fn remove(folder: &Path) -> Result<(), PackageError> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(PackageError::io(folder)(error)),
        _ => Ok(()),
    }
}

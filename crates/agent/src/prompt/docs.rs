//! tau's manual, carried in the program and written to disk when the model may want to read it.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use include_dir::{Dir, include_dir};

use super::stamp::Stamp;
use crate::settings::{create_private_folder, replace_file};

/// What is carried along, by the folder it is written to.
static EMBEDDED: &[(&str, Dir<'static>)] = &[
    ("docs", include_dir!("$CARGO_MANIFEST_DIR/../../docs")),
    ("examples", include_dir!("$CARGO_MANIFEST_DIR/../../examples/src")),
];

/// The examples in the manual must compile.
#[cfg(doctest)]
#[doc = include_str!("../../../../docs/extensions.md")]
struct Examples;

/// The same for child sessions.
#[cfg(doctest)]
#[doc = include_str!("../../../../docs/child-sessions.md")]
struct ChildSessions;

/// So must those of the first page.
#[cfg(doctest)]
#[doc = include_str!("../../../../README.md")]
struct FirstPage;

/// The manual could not be written.
#[derive(Debug, thiserror::Error)]
#[error("the manual cannot be written to {}: {source}", path.display())]
pub(crate) struct DocsError {
    /// The file or folder.
    pub path: PathBuf,
    /// What the system says.
    pub source: io::Error,
}

/// Where the manual of this version belongs.
pub(crate) fn docs_dir(agent_dir: &Path) -> PathBuf {
    agent_dir.join("tau-docs").join(env!("CARGO_PKG_VERSION"))
}

/// Writes the manual below `target`, unless it is there.
///
/// A session start looks at one stamp and at the folders it names, so a file that is deleted, renamed or replaced is
/// noticed at the next start. A file that was edited in place is restored when another build writes its manual there, or
/// when its folder changes.
///
/// A missing folder appears complete or not at all; a file that differs is replaced in one step. Several programs may
/// do this at once.
///
/// # Errors
/// When the folder cannot be written. The prompt should then not mention the manual.
pub(crate) fn unpack_docs(target: &Path) -> Result<(), DocsError> {
    bring(target).map(drop)
}

/// What bringing the manual took.
#[derive(Debug, PartialEq, Eq)]
enum Looked {
    /// The stamp says that all of it is there.
    StampOnly,
    /// All files were read, and so many of them written.
    AllFiles { written: usize },
    /// There was nothing, so all of it was written.
    Nothing,
}

fn bring(target: &Path) -> Result<Looked, DocsError> {
    let failed = |source| DocsError { path: target.to_path_buf(), source };
    let stamp = Stamp::of(target, folders());
    if stamp.is_kept() {
        return Ok(Looked::StampOnly);
    }
    if !target.exists() {
        let parent = target.parent().unwrap_or(Path::new("."));
        create_private_folder(parent).map_err(failed)?;
        let fresh = tempfile::Builder::new().prefix(".tau-docs-").tempdir_in(parent).map_err(failed)?;
        write_new(fresh.path())?;
        let fresh = fresh.keep();
        open_to_readers(&fresh).map_err(failed)?;
        match fs::rename(&fresh, target) {
            Ok(()) => return Ok(Looked::Nothing),
            // Another program was faster: make sure that theirs is ours.
            Err(_) => fs::remove_dir_all(&fresh).map_err(failed)?,
        }
    }
    let written = write_missing(target)?;
    // The stamp is of a time before the files were read, so it only stands for what was found whole.
    if written == 0 {
        stamp.keep().map_err(failed)?;
    }
    Ok(Looked::AllFiles { written })
}

/// Whether the manual has a file or folder of this name.
pub(super) fn is_embedded(path: &str) -> bool {
    EMBEDDED.iter().any(|(folder, dir)| {
        path == *folder
            || path.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/')).is_some_and(|rest| dir.contains(rest))
    })
}

/// Into a folder that nobody else sees yet.
fn write_new(target: &Path) -> Result<(), DocsError> {
    for (folder, dir) in EMBEDDED {
        for (path, content) in files(dir) {
            let path = target.join(folder).join(path);
            let written = path.parent().map_or(Ok(()), create_folder).and_then(|()| write_file(&path, content));
            written.map_err(|source| DocsError { path, source })?;
        }
    }
    Ok(())
}

/// A folder and a file of the manual: the model reads it, so nobody else may write to it, whatever the umask says.
fn create_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o755).create(path)
}

fn write_file(path: &Path, content: &[u8]) -> io::Result<()> {
    OpenOptions::new().write(true).create(true).truncate(true).mode(0o644).open(path)?.write_all(content)
}

/// Writes what is missing or different; gives how many files that were.
fn write_missing(target: &Path) -> Result<usize, DocsError> {
    let mut written = 0;
    for (folder, dir) in EMBEDDED {
        for (path, content) in files(dir) {
            let path = target.join(folder).join(path);
            if !has_content(&path, content) {
                let replaced = path.parent().map_or(Ok(()), create_folder).and_then(|()| replace_file(&path, content));
                replaced.map_err(|source| DocsError { path, source })?;
                written += 1;
            }
        }
    }
    Ok(written)
}

/// Whether a file is there and is this.
fn has_content(path: &Path, content: &[u8]) -> bool {
    let is_likely = fs::metadata(path).is_ok_and(|there| there.is_file() && there.len() == content.len() as u64);
    is_likely && fs::read(path).is_ok_and(|there| there == content)
}

/// The folders that hold files of the manual.
fn folders() -> Vec<PathBuf> {
    fn below(folder: &str, dir: &'static Dir<'static>, all: &mut Vec<PathBuf>) {
        all.push(Path::new(folder).join(dir.path()));
        dir.dirs().for_each(|dir| below(folder, dir, all));
    }
    let mut all = Vec::new();
    EMBEDDED.iter().for_each(|(folder, dir)| below(folder, dir, &mut all));
    all
}

fn files(dir: &'static Dir<'static>) -> Vec<(&'static Path, &'static [u8])> {
    let mut all: Vec<_> = dir.files().map(|file| (file.path(), file.contents())).collect();
    all.extend(dir.dirs().flat_map(files));
    all
}

/// Temporary folders are private; the manual is not.
#[cfg(unix)]
fn open_to_readers(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn open_to_readers(_folder: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn unpacking_repairs_and_leaves_the_rest_alone() {
        let dir = tempfile::tempdir().expect("temp dir");
        let target = docs_dir(dir.path());
        unpack_docs(&target).expect("unpacked");
        let index = target.join("docs/index.md");
        let original = fs::read(&index).expect("index");
        let written = |path: &Path| fs::metadata(path).and_then(|metadata| metadata.modified()).expect("time");
        let before = written(&index);

        fs::write(target.join("docs/settings.md"), "changed").expect("write");
        fs::remove_file(target.join("docs/usage.md")).expect("remove");
        unpack_docs(&target).expect("repaired");
        assert_eq!(fs::read(&index).expect("index"), original);
        assert_eq!(written(&index), before);
        for (folder, dir) in EMBEDDED {
            for (path, content) in files(dir) {
                assert_eq!(fs::read(target.join(folder).join(path)).expect("file"), content);
            }
        }
        let beside: Vec<_> = fs::read_dir(target.parent().expect("parent")).expect("list").flatten().collect();
        assert_eq!(beside.len(), 1, "no temporary folder is left");
    }

    /// As if the manual had been written a while ago.
    fn age(target: &Path) {
        for folder in folders() {
            let folder = fs::File::open(target.join(folder)).expect("a folder");
            folder.set_modified(tau_ai::now() - Duration::from_secs(60)).expect("its time");
        }
    }

    #[test]
    fn a_whole_manual_costs_a_look_at_its_stamp() {
        let dir = tempfile::tempdir().expect("temp dir");
        let target = docs_dir(dir.path());
        assert_eq!(bring(&target).expect("unpacked"), Looked::Nothing);
        // What was written just before may be written again without a trace.
        assert_eq!(bring(&target).expect("looked at"), Looked::AllFiles { written: 0 });
        assert_eq!(bring(&target).expect("looked at"), Looked::AllFiles { written: 0 });
        age(&target);
        assert_eq!(bring(&target).expect("stamped"), Looked::AllFiles { written: 0 });
        for _ in 0..2 {
            assert_eq!(bring(&target).expect("looked at"), Looked::StampOnly);
        }
    }

    #[test]
    fn what_is_deleted_or_replaced_in_a_stamped_manual_comes_back() {
        let dir = tempfile::tempdir().expect("temp dir");
        let target = docs_dir(dir.path());
        let stamped = || {
            bring(&target).expect("whole");
            age(&target);
            bring(&target).expect("stamped");
            assert_eq!(bring(&target).expect("looked at"), Looked::StampOnly);
        };
        let examples = EMBEDDED[1].1.files().next().expect("an example").path();
        for path in ["docs/usage.md".into(), "docs/themes".into(), Path::new("examples").join(examples)] {
            stamped();
            let path = target.join(path);
            if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) }.expect("removed");
            let Looked::AllFiles { written: 1.. } = bring(&target).expect("repaired") else {
                panic!("{} stays away", path.display())
            };
            assert!(path.exists());
        }
        stamped();
        let file = target.join("docs/usage.md");
        let original = fs::read(&file).expect("a page");
        // As editors save: of the same size, so that only a look at what it says tells.
        let other = target.join("docs/other");
        fs::write(&other, vec![b'x'; original.len()]).expect("written");
        fs::rename(&other, &file).expect("replaced");
        assert_eq!(bring(&target).expect("repaired"), Looked::AllFiles { written: 1 });
        assert_eq!(fs::read(&file).expect("a page"), original);
    }

    #[test]
    fn what_another_build_left_is_made_whole() {
        let dir = tempfile::tempdir().expect("temp dir");
        let target = docs_dir(dir.path());
        bring(&target).expect("unpacked");
        age(&target);
        bring(&target).expect("stamped");
        let file = target.join("docs/usage.md");
        let original = fs::read(&file).expect("a page");
        fs::write(&file, vec![b'x'; original.len()]).expect("written in place");
        assert_eq!(bring(&target).expect("looked at"), Looked::StampOnly);
        for stamp in ["0123456789abcdef of another build", ""] {
            fs::write(&file, vec![b'x'; original.len()]).expect("written in place");
            fs::write(target.join(super::super::stamp::NAME), stamp).expect("another stamp");
            assert_eq!(bring(&target).expect("repaired"), Looked::AllFiles { written: 1 });
            assert_eq!(fs::read(&file).expect("a page"), original);
        }
    }

    #[test]
    fn several_programs_at_once() {
        let dir = tempfile::tempdir().expect("temp dir");
        let target = docs_dir(dir.path());
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| unpack_docs(&target).expect("unpacked"));
            }
        });
        assert!(target.join("docs/index.md").is_file());
        assert_eq!(fs::read_dir(dir.path().join("tau-docs")).expect("list").count(), 1);
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_an_error() {
        let dir = tempfile::tempdir().expect("temp dir");
        fs::write(dir.path().join("tau-docs"), "a file is in the way").expect("write");
        let error = unpack_docs(&docs_dir(dir.path())).expect_err("no folder");
        assert!(error.to_string().starts_with("the manual cannot be written to "));
    }

    #[test]
    fn every_link_of_the_manual_leads_somewhere() {
        let mut broken = Vec::new();
        for (path, content) in EMBEDDED.iter().flat_map(|(_, dir)| files(dir)) {
            let text = String::from_utf8_lossy(content);
            for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
                let file = link.split('#').next().unwrap_or_default();
                if file.is_empty() || file.contains("://") || WRITTEN_ELSEWHERE.contains(&file) {
                    continue;
                }
                if !is_embedded(&format!("docs/{file}")) {
                    broken.push(format!("{}: {link}", path.display()));
                }
            }
        }
        assert_eq!(broken, [""; 0]);
    }

    /// Generated or outside the manual.
    const WRITTEN_ELSEWHERE: &[&str] = &["events.md", "differences.md", "../examples"];
}

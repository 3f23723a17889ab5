//! tau's manual, carried in the program and written to disk when the model may want to read it.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use include_dir::{Dir, include_dir};

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

/// So must those of the first page.
#[cfg(doctest)]
#[doc = include_str!("../../../../README.md")]
struct FirstPage;

/// The manual could not be written.
#[derive(Debug, thiserror::Error)]
#[error("the manual cannot be written to {}: {source}", path.display())]
pub struct DocsError {
    /// The file or folder.
    pub path: PathBuf,
    /// What the system says.
    pub source: io::Error,
}

/// Where the manual of this version belongs.
pub fn docs_dir(agent_dir: &Path) -> PathBuf {
    agent_dir.join("tau-docs").join(env!("CARGO_PKG_VERSION"))
}

/// Writes the manual below `target`, unless it is there. That is looked at whenever a session starts, so files are told
/// by their sizes.
///
/// A missing folder appears complete or not at all; a file that differs is replaced in one step. Several programs may
/// do this at once.
///
/// # Errors
/// When the folder cannot be written. The prompt should then not mention the manual.
pub fn unpack_docs(target: &Path) -> Result<(), DocsError> {
    let failed = |source| DocsError { path: target.to_path_buf(), source };
    if !target.exists() {
        let parent = target.parent().unwrap_or(Path::new("."));
        create_private_folder(parent).map_err(failed)?;
        let fresh = tempfile::Builder::new().prefix(".tau-docs-").tempdir_in(parent).map_err(failed)?;
        write_new(fresh.path())?;
        let fresh = fresh.keep();
        open_to_readers(&fresh).map_err(failed)?;
        match fs::rename(&fresh, target) {
            Ok(()) => return Ok(()),
            // Somebody else was faster: make sure that theirs is ours.
            Err(_) => fs::remove_dir_all(&fresh).map_err(failed)?,
        }
    }
    write_missing(target)
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

fn write_missing(target: &Path) -> Result<(), DocsError> {
    for (folder, dir) in EMBEDDED {
        for (path, content) in files(dir) {
            let path = target.join(folder).join(path);
            let is_there =
                fs::metadata(&path).is_ok_and(|there| there.is_file() && there.len() == content.len() as u64);
            if !is_there {
                let replaced = path.parent().map_or(Ok(()), create_folder).and_then(|()| replace_file(&path, content));
                replaced.map_err(|source| DocsError { path, source })?;
            }
        }
    }
    Ok(())
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

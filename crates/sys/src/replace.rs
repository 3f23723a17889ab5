//! Replacing a file in one step.

use std::fs::{DirBuilder, File, Metadata, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::Path;
use std::time::Duration;

/// How the names of temporary files begin and end.
const TEMPORARY: (&str, &str) = (".tau-", ".tmp");

/// How old a temporary file is that nobody writes to any more.
const STALE: Duration = Duration::from_secs(60 * 60);

/// Replaces the content of `path` in one step: readers see the old content or the new one, never a part.
///
/// Missing folders are created, a symbolic link is followed (the link stays, its target is replaced), and permissions
/// of an existing file are kept.
///
/// # Errors
/// Whatever the file system reports; the old content is intact then.
pub fn replace_file(path: &Path, content: &[u8]) -> io::Result<()> {
    replace(path, content, Access::Shared)
}

/// As [`replace_file`], but only its owner can read the file from then on, also when others could before. Folders that are
/// created are the owner's too.
///
/// # Errors
/// As [`replace_file`].
pub fn replace_private_file(path: &Path, content: &[u8]) -> io::Result<()> {
    replace(path, content, Access::Private)
}

/// As [`replace_file`]; a file that is new can be read by its owner only.
///
/// # Errors
/// As [`replace_file`].
pub fn replace_own_file(path: &Path, content: &[u8]) -> io::Result<()> {
    replace(path, content, Access::Own)
}

/// Creates a folder into which only its owner can look, with those it lies in. What is there stays as it is.
///
/// # Errors
/// Whatever the file system reports.
pub fn create_private_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Has the system write the entries of a folder to the disk, so that a file that was put there is there after a crash.
///
/// # Errors
/// Whatever the file system reports.
pub fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Who can read a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    /// Its owner.
    Private,
    /// Those who could before; a new file its owner.
    Own,
    /// Those who could before; for a new file that is up to the user's umask.
    Shared,
}

/// Removes temporary files of programs that were killed while they wrote. A program that still writes is done long
/// before a file is that old.
#[expect(clippy::disallowed_methods, reason = "the age of a file, by the clock that wrote it")]
fn sweep(folder: &Path) {
    let is_ours = |name: &str| name.starts_with(TEMPORARY.0) && name.ends_with(TEMPORARY.1);
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| entry.file_name().to_str().is_some_and(is_ours)) {
        let modified = entry.metadata().ok().filter(Metadata::is_file).and_then(|meta| meta.modified().ok());
        let age = modified.and_then(|modified| modified.elapsed().ok());
        if age.is_some_and(|age| age > STALE)
            && let Err(error) = std::fs::remove_file(entry.path())
        {
            tracing::debug!(path = %entry.path().display(), %error, "an old temporary file stays");
        }
    }
}

fn replace(path: &Path, content: &[u8], access: Access) -> io::Result<()> {
    let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let folder = target.parent().ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
    match access {
        Access::Private => create_private_folder(folder)?,
        Access::Own | Access::Shared => std::fs::create_dir_all(folder)?,
    }
    sweep(folder);
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMPORARY.0).suffix(TEMPORARY.1);
    let before = std::fs::metadata(&target).map(|metadata| metadata.permissions());
    let mut file = match (access, before) {
        // Nobody else may look into it while it is written either.
        (Access::Private, _) | (Access::Own, Err(_)) => {
            builder.permissions(Permissions::from_mode(0o600)).tempfile_in(folder)?
        }
        (Access::Own | Access::Shared, Ok(permissions)) => {
            let file = builder.tempfile_in(folder)?;
            file.as_file().set_permissions(permissions)?;
            file
        }
        // The umask of the process still applies.
        (Access::Shared, Err(_)) => builder.permissions(Permissions::from_mode(0o666)).tempfile_in(folder)?,
    };
    file.write_all(content)?;
    file.as_file().sync_all()?;
    file.persist(&target).map_err(|error| error.error)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::SystemTime;

    use super::*;

    #[test]
    fn what_killed_programs_left_is_removed_and_nothing_else() {
        let dir = tempfile::tempdir().expect("a folder");
        let old = SystemTime::now() - STALE * 2;
        let future = SystemTime::now() + STALE;
        for (name, time) in [
            (".tau-old.tmp", old),
            (".tau-new.tmp", SystemTime::now()),
            (".tau-ahead.tmp", future),
            (".tau-docs", old),
            ("notes.tmp", old),
        ] {
            let file = File::create(dir.path().join(name)).expect("a file");
            file.set_modified(time).expect("its time");
        }
        replace_file(&dir.path().join("settings.json"), b"{}").expect("written");
        let names = fs::read_dir(dir.path()).expect("a folder").map(|entry| entry.expect("an entry").file_name());
        let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
        names.sort();
        assert_eq!(names, [".tau-ahead.tmp", ".tau-docs", ".tau-new.tmp", "notes.tmp", "settings.json"]);
    }
}

//! Replacing a file's content in one step.

use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::OpError;

/// Symbolic links followed before giving up, as the kernel does.
const MAX_LINKS: usize = 40;

/// Makes `content` the content of `path`: a reader sees the old or the new file, never half of one.
///
/// Symbolic links are followed, so that the real file is replaced and the links stay. Permissions and owner
/// are kept. Where a replacement would break something (hard links, an owner that we may not set, a directory
/// that we may not write to) the file is overwritten in place instead.
pub(crate) fn write_atomically(path: &Path, content: &[u8]) -> Result<(), OpError> {
    let failed = |error: io::Error| OpError::from_io(&error, "open", Some(path));
    let target = follow_links(path).map_err(failed)?;
    match fs::metadata(&target) {
        Ok(metadata) if metadata.is_dir() => Err(failed(io::ErrorKind::IsADirectory.into())),
        Ok(metadata) if !metadata.is_file() => Err(OpError::new(format!("Not a regular file: {}", path.display()))),
        Ok(metadata) => {
            // Replacing would succeed even where we may not write; the permission is the file's own to give.
            let file = OpenOptions::new().write(true).open(&target).map_err(failed)?;
            if metadata.nlink() > 1 {
                return overwrite(file, content).map_err(failed);
            }
            match replace(&target, content, Some(&metadata)) {
                Err(error) if may_not_replace(&error) => overwrite(file, content).map_err(failed),
                other => other.map_err(failed),
            }
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => replace(&target, content, None).map_err(failed),
        Err(error) => Err(failed(error)),
    }
}

fn replace(target: &Path, content: &[u8], old: Option<&Metadata>) -> io::Result<()> {
    let directory = target.parent().ok_or(io::ErrorKind::InvalidInput)?;
    // A new file gets what the umask leaves of the usual mode. An old one may be private: nobody else may look
    // before it has its own mode again.
    let mode = if old.is_some() { 0o600 } else { 0o666 };
    let mut builder = tempfile::Builder::new();
    let mut temporary = builder.prefix(".tau-").permissions(Permissions::from_mode(mode)).tempfile_in(directory)?;
    temporary.write_all(content)?;
    if let Some(old) = old {
        keep_owner(&temporary, old)?;
        temporary.as_file().set_permissions(old.permissions())?;
    }
    temporary.persist(target).map_err(|error| error.error)?;
    Ok(())
}

fn keep_owner(temporary: &NamedTempFile, old: &Metadata) -> io::Result<()> {
    let new = temporary.as_file().metadata()?;
    if (new.uid(), new.gid()) == (old.uid(), old.gid()) {
        return Ok(());
    }
    std::os::unix::fs::fchown(temporary.as_file(), Some(old.uid()), Some(old.gid()))
}

/// Whether the file can be written but not replaced, for example because it is a mount point. Every other
/// failure, such as a full disk, would hit an overwrite too and cost the old content.
fn may_not_replace(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ResourceBusy)
}

fn overwrite(mut file: File, content: &[u8]) -> io::Result<()> {
    file.write_all(content)?;
    file.set_len(content.len() as u64)
}

/// The file that `path` names in the end, which need not exist.
fn follow_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        match fs::read_link(&path) {
            Ok(target) => path = path.parent().map_or(target.clone(), |parent| parent.join(&target)),
            // No link, or nothing there at all.
            Err(_) => return Ok(path),
        }
    }
    Err(rustix::io::Errno::LOOP.into())
}

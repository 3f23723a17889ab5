//! What is for the user alone: temporary folders, and sockets.

use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::time::Duration;

use tempfile::TempDir;
use tokio::net::UnixStream;

/// After that long a folder is claimed, or nobody will.
const CLAIMED: Duration = Duration::from_secs(60);

/// Whether the other end of a socket is a process of the same user.
pub fn is_users(stream: &UnixStream) -> bool {
    stream.peer_cred().is_ok_and(|peer| peer.uid() == rustix::process::geteuid().as_raw())
}

/// Makes a folder among the temporary files that nobody else can enter, whatever the umask of the process. It is removed with
/// everything in it when the value is dropped.
///
/// # Errors
/// When the system refuses.
pub fn private_folder(prefix: &str) -> io::Result<TempDir> {
    tempfile::Builder::new().prefix(prefix).permissions(Permissions::from_mode(0o700)).tempdir()
}

/// Removes folders of [`private_folder`] with this prefix that processes left which were killed. One whose process lives is
/// [claimed](claim), and a new one is left alone: it may not be claimed yet.
pub fn remove_left_folders(prefix: &str) {
    remove_left_in(&std::env::temp_dir(), prefix, CLAIMED);
}

#[expect(clippy::disallowed_methods, reason = "the age of a file, by the clock that wrote it")]
fn remove_left_in(parent: &Path, prefix: &str, age: Duration) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    let user = rustix::process::geteuid().as_raw();
    for entry in entries.flatten().filter(|entry| entry.file_name().to_string_lossy().starts_with(prefix)) {
        let Ok(metadata) = entry.metadata() else { continue };
        let is_old = metadata.modified().is_ok_and(|at| at.elapsed().is_ok_and(|passed| passed >= age));
        if !metadata.is_dir() || metadata.uid() != user || !is_old {
            continue;
        }
        // While the claim is held, nobody else takes it for one that was left.
        if let Ok(_claimed) = claim(&entry.path())
            && let Err(error) = fs::remove_dir_all(entry.path())
        {
            tracing::debug!(%error, folder = %entry.path().display(), "a folder that was left stays");
        }
    }
}

/// Claims a folder for as long as the file is open, in this process or until its end.
///
/// # Errors
/// When another process has claimed it, or the system refuses.
pub fn claim(folder: &Path) -> io::Result<File> {
    let file = File::open(folder)?;
    file.try_lock()?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_processes_that_are_gone_are_removed() {
        let parent = tempfile::tempdir().expect("a folder");
        let folder = |name: &str| {
            let path = parent.path().join(name);
            fs::create_dir(&path).expect("a folder");
            fs::write(path.join("content"), "").expect("a file");
            path
        };
        let (left, claimed, other) = (folder("tau-test-1"), folder("tau-test-2"), folder("other-1"));
        let claim = claim(&claimed).expect("nobody else has it");
        remove_left_in(parent.path(), "tau-test-", Duration::from_secs(3600));
        assert!(left.exists(), "it may be new");
        remove_left_in(parent.path(), "tau-test-", Duration::ZERO);
        assert!(!left.exists() && claimed.exists() && other.exists());
        drop(claim);
        // A process that another test starts just now has the file open until it runs its own program.
        while claimed.exists() {
            remove_left_in(parent.path(), "tau-test-", Duration::ZERO);
        }
    }

    #[test]
    fn nobody_else_can_enter_the_folder() {
        let folder = private_folder("tau-test-").expect("a folder");
        let mode = folder.path().metadata().expect("a folder").permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
    }
}

//! The lock that programs sharing the agent folder agree on: a directory `<file>.lock`.
//!
//! Creating a directory is atomic everywhere. A lock whose directory was not touched for ten seconds belongs to a
//! program that died, and may be removed.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

/// Age after which a lock is abandoned.
const STALE: Duration = Duration::from_secs(10);
/// Pause between two attempts.
const RETRY: Duration = Duration::from_millis(10);

/// Why a lock could not be had or kept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LockError {
    /// Somebody else holds it and did not let go in time.
    #[error("another program holds the lock {}", path.display())]
    Busy {
        /// The lock directory.
        path: PathBuf,
    },
    /// Somebody else removed it while we held it.
    #[error("another program took over the lock {}", path.display())]
    Lost {
        /// The lock directory.
        path: PathBuf,
    },
    /// The file system refused.
    #[error("the lock {} cannot be created: {message}", path.display())]
    Failed {
        /// The lock directory.
        path: PathBuf,
        /// What the system says.
        message: String,
    },
}

/// A held lock; released when dropped. Whoever holds it for longer than milliseconds [touches](FileLock::touch) it.
#[derive(Debug)]
pub struct FileLock {
    path: PathBuf,
    stamp: Option<SystemTime>,
}

impl FileLock {
    /// Takes the lock of `file`, waiting up to `patience` and removing an abandoned lock. The folder is created when it
    /// is missing. Blocks the thread.
    ///
    /// # Errors
    /// [`LockError::Busy`] after `patience`, [`LockError::Failed`] when no lock can be made here at all.
    pub fn acquire(file: &Path, patience: Duration) -> Result<Self, LockError> {
        Self::acquire_after(file, patience, STALE)
    }

    /// As [`FileLock::acquire`], for a file whose lock is abandoned only after the time `stale`: programs agree on that
    /// for each file.
    ///
    /// # Errors
    /// As [`FileLock::acquire`].
    pub fn acquire_after(file: &Path, patience: Duration, stale: Duration) -> Result<Self, LockError> {
        let path = lock_path(file);
        let failed = |error: io::Error| LockError::Failed { path: path.clone(), message: error.to_string() };
        let started = Instant::now();
        loop {
            match fs::create_dir(&path) {
                Ok(()) => {
                    let stamp = modified(&path);
                    return Ok(Self { path, stamp });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    fs::create_dir_all(path.parent().unwrap_or(Path::new("."))).map_err(failed)?;
                    continue;
                }
                Err(error) => return Err(failed(error)),
            }
            // Removing fails when another waiter was faster or when this is no lock at all: wait like for any other.
            if is_stale(&path, stale) && fs::remove_dir(&path).is_ok() {
                continue;
            }
            if started.elapsed() >= patience {
                return Err(LockError::Busy { path });
            }
            thread::sleep(RETRY);
        }
    }

    /// Whether somebody holds the lock of `file` now.
    pub fn is_held(file: &Path) -> bool {
        let path = lock_path(file);
        path.is_dir() && !is_stale(&path, STALE)
    }

    /// Shows others that it is not abandoned.
    ///
    /// # Errors
    /// [`LockError::Lost`], as [`FileLock::verify`]; [`LockError::Failed`] when the file system refuses.
    pub fn touch(&mut self) -> Result<(), LockError> {
        self.verify()?;
        let failed = |error: io::Error| LockError::Failed { path: self.path.clone(), message: error.to_string() };
        let directory = fs::File::open(&self.path).map_err(failed)?;
        directory.set_modified(SystemTime::now()).map_err(failed)?;
        self.stamp = modified(&self.path);
        Ok(())
    }

    /// Checks, right before the step that the lock protects, that it is still ours: a process that was suspended for
    /// longer than a lock lives may have been taken for dead.
    ///
    /// # Errors
    /// [`LockError::Lost`].
    pub fn verify(&self) -> Result<(), LockError> {
        if self.stamp.is_some() && modified(&self.path) == self.stamp {
            return Ok(());
        }
        Err(LockError::Lost { path: self.path.clone() })
    }
}

impl Drop for FileLock {
    fn drop(&mut self) {
        if self.verify().is_ok() {
            let _ = fs::remove_dir(&self.path);
        }
    }
}

fn lock_path(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".lock");
    name.into()
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|metadata| metadata.modified()).ok()
}

fn is_stale(lock: &Path, stale: Duration) -> bool {
    // A time in the future (clock set back) has no age and so never goes stale by itself.
    modified(lock).and_then(|at| at.elapsed().ok()).is_some_and(|age| age > stale)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lock_dir_aged(file: &Path, age: Duration) {
        let path = lock_path(file);
        fs::create_dir(&path).expect("lock directory");
        let handle = fs::File::open(&path).expect("open the directory");
        handle.set_modified(SystemTime::now() - age).expect("set its time");
    }

    #[test]
    fn a_fresh_lock_is_respected_and_an_abandoned_one_removed() {
        let dir = tempfile::tempdir().expect("temp dir");
        let file = dir.path().join("settings.json");
        lock_dir_aged(&file, Duration::ZERO);
        let error = FileLock::acquire(&file, Duration::ZERO).expect_err("somebody holds it");
        assert_eq!(error, LockError::Busy { path: dir.path().join("settings.json.lock") });

        fs::remove_dir(lock_path(&file)).expect("remove");
        lock_dir_aged(&file, Duration::from_secs(11));
        assert!(!FileLock::is_held(&file));
        let lock = FileLock::acquire(&file, Duration::ZERO).expect("the old one is abandoned");
        assert!(FileLock::is_held(&file));
        drop(lock);
        assert!(!lock_path(&file).exists());
    }

    #[test]
    fn the_age_of_an_abandoned_lock_depends_on_the_file_and_a_touched_one_is_young() {
        let dir = tempfile::tempdir().expect("temp dir");
        let file = dir.path().join("auth.json");
        lock_dir_aged(&file, Duration::from_secs(20));
        let long = Duration::from_secs(30);
        assert!(matches!(FileLock::acquire_after(&file, Duration::ZERO, long), Err(LockError::Busy { .. })));
        let mut lock = FileLock::acquire(&file, Duration::ZERO).expect("abandoned after ten seconds");
        let aged = fs::File::open(lock_path(&file)).expect("open the directory");
        aged.set_modified(SystemTime::now() - Duration::from_secs(9)).expect("set its time");
        lock.stamp = modified(&lock.path);
        lock.touch().expect("still ours");
        assert_eq!(lock.verify(), Ok(()));
        let age = modified(&lock.path).and_then(|at| at.elapsed().ok()).expect("an age");
        assert!(age < Duration::from_secs(9), "{age:?}");
    }

    #[test]
    fn a_lost_lock_is_noticed_and_the_new_owner_left_alone() {
        let dir = tempfile::tempdir().expect("temp dir");
        let file = dir.path().join("settings.json");
        let lock = FileLock::acquire(&file, Duration::ZERO).expect("free");
        fs::remove_dir(lock_path(&file)).expect("steal");
        lock_dir_aged(&file, Duration::from_secs(1));
        assert_eq!(lock.verify(), Err(LockError::Lost { path: lock_path(&file) }));
        drop(lock);
        assert!(lock_path(&file).exists());
    }
}

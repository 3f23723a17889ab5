//! A lock that programs agree on: a directory `<file>.lock`.
//!
//! Creating a directory is atomic everywhere. A lock whose directory was not touched for ten seconds belongs to a
//! program that died, and may be removed.
#![expect(clippy::disallowed_methods, reason = "goes by the times that the file system gives to files")]

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
///
/// A file that is reached by a symbolic link has two: one beside the link, which is where programs that know the same
/// link look, and one beside the file itself, for those that know it by another name.
#[derive(Debug)]
pub struct FileLock {
    held: Vec<Held>,
}

/// One lock directory that is ours.
#[derive(Debug)]
struct Held {
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
        let started = Instant::now();
        let (beside_name, beside_target) = lock_paths(file);
        let mut held = vec![Held::take(beside_name, started, patience, stale)?];
        // Always in this order: the file itself is nobody's link, so that nobody waits for somebody who waits for them.
        match beside_target.map(|path| Held::take(path, started, patience, stale)) {
            // Where no lock can be made, those that know the file by its own name can make none either.
            None | Some(Err(LockError::Failed { .. })) => {}
            Some(taken) => held.push(taken?),
        }
        Ok(Self { held })
    }

    /// Whether somebody holds the lock of `file` now.
    pub fn is_held(file: &Path) -> bool {
        let (beside_name, beside_target) = lock_paths(file);
        [Some(beside_name), beside_target].into_iter().flatten().any(|path| path.is_dir() && !is_stale(&path, STALE))
    }

    /// Shows others that it is not abandoned.
    ///
    /// # Errors
    /// [`LockError::Lost`], as [`FileLock::verify`]; [`LockError::Failed`] when the file system refuses.
    pub fn touch(&mut self) -> Result<(), LockError> {
        self.held.iter_mut().try_for_each(Held::touch)
    }

    /// Checks, right before the step that the lock protects, that it is still ours: a process that was suspended for
    /// longer than a lock lives may have been taken for dead.
    ///
    /// # Errors
    /// [`LockError::Lost`].
    pub fn verify(&self) -> Result<(), LockError> {
        self.held.iter().try_for_each(Held::verify)
    }
}

impl Held {
    fn take(path: PathBuf, started: Instant, patience: Duration, stale: Duration) -> Result<Self, LockError> {
        let failed = |error: io::Error| LockError::Failed { path: path.clone(), message: error.to_string() };
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

    fn touch(&mut self) -> Result<(), LockError> {
        self.verify()?;
        let failed = |error: io::Error| LockError::Failed { path: self.path.clone(), message: error.to_string() };
        let directory = fs::File::open(&self.path).map_err(failed)?;
        directory.set_modified(SystemTime::now()).map_err(failed)?;
        self.stamp = modified(&self.path);
        Ok(())
    }

    fn verify(&self) -> Result<(), LockError> {
        if self.stamp.is_some() && modified(&self.path) == self.stamp {
            return Ok(());
        }
        Err(LockError::Lost { path: self.path.clone() })
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if self.verify().is_ok() {
            let _ = fs::remove_dir(&self.path);
        }
    }
}

/// Beside the name of the file and, when that is a symbolic link, beside what it leads to.
fn lock_paths(file: &Path) -> (PathBuf, Option<PathBuf>) {
    let by_name = lock_path(file);
    let Ok(target) = fs::canonicalize(file) else { return (by_name, None) };
    // A link on the way to the folder makes no other lock: it is the same directory by another name.
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let is_itself =
        fs::canonicalize(folder).is_ok_and(|folder| file.file_name().is_some_and(|name| folder.join(name) == target));
    (by_name, (!is_itself).then(|| lock_path(&target)))
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
        let held = &mut lock.held[0];
        held.stamp = modified(&held.path);
        lock.touch().expect("still ours");
        assert_eq!(lock.verify(), Ok(()));
        let age = modified(&lock.held[0].path).and_then(|at| at.elapsed().ok()).expect("an age");
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

    #[cfg(unix)]
    #[test]
    fn a_file_behind_a_link_is_locked_for_those_who_know_the_link_and_for_those_who_know_the_file() {
        use std::os::unix::fs::symlink;
        let dir = tempfile::tempdir().expect("temp dir");
        let root = dir.path().canonicalize().expect("its real path");
        let (ours, theirs) = (root.join("ours"), root.join("theirs"));
        for folder in [&ours, &theirs] {
            fs::create_dir(folder).expect("a folder");
        }
        let (file, link) = (ours.join("real.json"), theirs.join("link.json"));
        fs::write(&file, "{}").expect("a file");
        symlink(&file, &link).expect("a link");
        let lock = FileLock::acquire(&link, Duration::ZERO).expect("free");
        assert!(lock_path(&link).is_dir() && lock_path(&file).is_dir());
        for name in [&link, &file] {
            let busy = LockError::Busy { path: lock_path(name) };
            assert_eq!(FileLock::acquire(name, Duration::ZERO).map(drop), Err(busy));
        }
        fs::remove_dir(lock_path(&file)).expect("stolen by one who knows the file");
        assert_eq!(lock.verify(), Err(LockError::Lost { path: lock_path(&file) }));
        drop(lock);
        assert!(!lock_path(&link).exists());

        let lock = FileLock::acquire(&file, Duration::ZERO).expect("free");
        assert!(FileLock::is_held(&link));
        assert_eq!(FileLock::acquire(&link, Duration::ZERO).map(drop), Err(LockError::Busy { path: lock_path(&file) }));
        drop(lock);
        assert!(!lock_path(&link).exists(), "what was taken on the way is given back");

        // A folder with two names is no second lock.
        symlink(&ours, root.join("again")).expect("a link");
        let lock = FileLock::acquire(&root.join("again/real.json"), Duration::ZERO).expect("free");
        assert_eq!(lock.held.len(), 1);
        assert!(FileLock::is_held(&file));
    }
}

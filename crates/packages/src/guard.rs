//! One process at a time.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::Path;
use std::time::Duration;

use crate::error::PackageError;

const PAUSE: Duration = Duration::from_millis(50);

/// A held lock on a store. The system gives it back when the process ends, however it ends.
pub(crate) struct Guard(#[expect(dead_code, reason = "held until it is dropped")] File);

impl Guard {
    /// Waits until nobody else works on the store. `waiting` is called once, when there is somebody.
    pub(crate) async fn take(folder: &Path, waiting: impl FnOnce()) -> Result<Self, PackageError> {
        fs::create_dir_all(folder).map_err(PackageError::io(folder))?;
        let path = folder.join(".tau-lock");
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
        let file = file.map_err(PackageError::io(&path))?;
        let mut waiting = Some(waiting);
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self(file)),
                Err(TryLockError::WouldBlock) => {
                    if let Some(waiting) = waiting.take() {
                        waiting();
                    }
                    tokio::time::sleep(PAUSE).await;
                }
                Err(TryLockError::Error(error)) => return Err(PackageError::io(&path)(error)),
            }
        }
    }
}

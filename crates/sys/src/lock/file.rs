//! One process at a time.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;
use std::time::Duration;

const PAUSE: Duration = Duration::from_millis(50);

/// A held lock on a file. The system gives it back when the process ends, however it ends.
#[derive(Debug)]
pub struct Exclusive(#[expect(dead_code, reason = "held until it is dropped")] File);

impl Exclusive {
    /// Waits until nobody else holds the lock on this file, which is made if it is missing. `waiting` is called once, when
    /// there is somebody.
    ///
    /// # Errors
    /// When the file cannot be made, or locked at all.
    pub async fn take(path: &Path, waiting: impl FnOnce()) -> io::Result<Self> {
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
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
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_second_waits_for_the_first_and_says_so_once() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("lock");
        let first = Exclusive::take(&path, || panic!("nobody holds it")).await.expect("a lock");
        let (said, heard) = tokio::sync::oneshot::channel();
        let second = Exclusive::take(&path, move || said.send(()).expect("somebody listens"));
        let ((), second) = tokio::join!(
            async {
                heard.await.expect("it waits");
                drop(first);
            },
            second
        );
        second.expect("the lock is free");
    }
}

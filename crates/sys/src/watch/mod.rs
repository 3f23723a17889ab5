//! Watching files without asking for them again and again.

mod file;

pub use file::FileWatch;

use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// How changes are noticed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// Changes within this time are handled together.
    pub settled: Duration,
    /// How often to look for changes where the system reports none.
    pub poll: Duration,
    /// Always look for changes instead of waiting for reports: for network folders. Windows drives under WSL need no
    /// setting.
    pub polls: bool,
}

impl Default for Pace {
    fn default() -> Self {
        Self { settled: Duration::from_millis(500), poll: Duration::from_secs(3), polls: false }
    }
}

/// A message to a thread that watches.
pub enum Message {
    /// Something may have changed.
    Changed,
    /// The watch was dropped.
    Stop,
}

/// A thread that watches until this is dropped.
pub struct WatchThread {
    messages: Sender<Message>,
}

impl WatchThread {
    /// Starts the thread of this name. `work` sends itself what it watches, and waits for it with [`Pace::wait`].
    pub fn start(name: &str, work: impl FnOnce(&Sender<Message>, &Receiver<Message>) + Send + 'static) -> Self {
        let (messages, incoming) = channel();
        let watched = messages.clone();
        if let Err(error) = thread::Builder::new().name(name.to_owned()).spawn(move || work(&watched, &incoming)) {
            tracing::warn!(%error, name, "no thread can be started for watching");
        }
        Self { messages }
    }
}

impl Drop for WatchThread {
    fn drop(&mut self) {
        // Without a thread there is nothing to stop.
        self.messages.send(Message::Stop).unwrap_or_default();
    }
}

impl Pace {
    /// Waits for a change, and then for changes that follow it closely. Without a watcher it waits for the next poll.
    /// Returns `false` when the watch was dropped.
    pub fn wait(&self, incoming: &Receiver<Message>, is_watched: bool) -> bool {
        let first = if is_watched {
            incoming.recv().map_err(|_| RecvTimeoutError::Disconnected)
        } else {
            incoming.recv_timeout(self.poll)
        };
        match first {
            Ok(Message::Changed) => {}
            Err(RecvTimeoutError::Timeout) => return true,
            Ok(Message::Stop) | Err(RecvTimeoutError::Disconnected) => return false,
        }
        let until = Instant::now() + self.settled;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match incoming.recv_timeout(left) {
                Ok(Message::Changed) => {}
                Err(RecvTimeoutError::Timeout) => return true,
                Ok(Message::Stop) | Err(RecvTimeoutError::Disconnected) => return false,
            }
        }
    }
}

/// Whether a path is on a Windows drive under WSL, where the system reports no changes.
pub fn is_windows_drive(path: &Path) -> bool {
    let mut parts = path.components().map(|part| part.as_os_str());
    let root = parts.next().is_some_and(|root| root == "/");
    let is_mount = parts.next().is_some_and(|part| part == "mnt");
    let drive = parts.next().and_then(|drive| drive.to_str()).unwrap_or_default();
    root && is_mount && drive.len() == 1 && drive.bytes().all(|byte| byte.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests;

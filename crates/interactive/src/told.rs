//! Messages to the task that owns the screen.

use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use crate::chat::Painting;
use crate::doctor::Tmux;
use crate::kept::Loaded;
use crate::mounts::Mounting;
use tau_agent::{MissingFolder, PromptError, Prompted, SessionEvent};
use tau_hooks::mount::{Heard, ListenerHandle};
use tau_hooks::payload::BashResult;
use tau_launch::{FolderAnswer, Notice};
use tau_session::SessionList;
use tau_tui::complete::Provider;
use tau_tui::terminal::clipboard::Copied;
use tau_view::bindings::Bindings;
use tokio::sync::{Notify, mpsc, oneshot};

/// A message to the task that owns the screen.
pub(crate) enum Told {
    /// Something happened in the session.
    Session(Box<SessionEvent>),
    /// Something is to be said.
    Notice(Notice),
    /// Somebody wrote a line to standard error.
    Stray(String),
    /// A question that comes before there is a session.
    Ask(Question),
    /// What became of a text that was sent.
    Submitted {
        /// Its number.
        number: u64,
        /// What became of it.
        done: Result<Prompted, PromptError>,
    },
    /// The list that the text of this number opens is not there yet.
    LateList(u64),
    /// A command of the user is over.
    Bash(Result<Box<BashResult>, String>),
    /// Settings have changed.
    Settings,
    /// The user's keys were read again.
    Keys {
        /// What they do.
        bindings: Box<Bindings>,
        /// What is wrong with the file.
        problems: Vec<String>,
    },
    /// Other models can be chosen now.
    Models,
    /// Something that is shown has changed.
    Changed,
    /// There are other suggestions for what is written.
    Suggested,
    /// Something about a component of an extension.
    Mount(u64, Mounting),
    /// What listeners of extensions made of a key.
    Heard(Heard, Vec<Asked>),
    /// The time is over in which a key would have been pressed twice.
    NotAgain,
    /// A shortcut of an extension is over, or has run for so long that keys wait for it no more.
    ShortcutBegan,
    /// Something about what extensions draw of the conversation.
    Painting(Painting),
    /// Completions come from here now.
    Provider(Arc<dyn Provider>),
    /// Another branch is checked out.
    Branch(Option<String>),
    /// What the edit of a call would change.
    Preview {
        /// The call.
        id: String,
        /// Changed lines with their numbers.
        diff: String,
    },
    /// What the command for the line below the footer said.
    StatusLine(Result<String, String>),
    /// The prompts and the draft of the project are read.
    Kept(Box<Loaded>),
    /// What tmux said about itself.
    Tmux(Tmux),
    /// An image is ready to be shown, or cannot be.
    Picture(tau_tui::picture::Image),
    /// What the clipboard held.
    Pasted(String),
    /// The session is idle.
    Idle,
    /// Something that took a while is done, and this is to be said about it.
    Done(Said),
}

/// A listener that was asked about a key.
pub(crate) struct Asked {
    pub(crate) listener: ListenerHandle,
    /// Why it gave no answer, if it gave none.
    pub(crate) failed: Option<String>,
}

/// What is to be said about something that is done.
pub(crate) enum Said {
    /// A line that the next one replaces.
    Status(String),
    /// A note that stays.
    Note(String),
    /// An error.
    Error(String),
    /// A text was copied.
    Copied(Copied),
    /// What is selected was copied, or could not be.
    Selected(Result<Copied, String>),
}

/// A question that comes before there is a session.
pub(crate) enum Question {
    /// Which session to continue.
    Session {
        /// Those of this folder.
        here: SessionList,
        /// Those of all projects.
        all: SessionList,
        /// Takes the file, or nothing.
        answer: oneshot::Sender<Option<PathBuf>>,
    },
    /// Whether to fork a session of another project.
    Forks {
        /// The other project.
        other: PathBuf,
        /// Takes the answer.
        answer: oneshot::Sender<bool>,
    },
    /// What to do with a session whose folder is gone.
    Folder {
        /// The folder.
        missing: MissingFolder,
        /// Takes the answer.
        answer: oneshot::Sender<FolderAnswer>,
    },
}

/// How many events may wait for the screen before those who make more of them have to wait.
const MANY: usize = 1024;
/// How few of them have to be left before they may go on.
const FEW: usize = MANY / 4;

/// Tells the task that owns the screen. Clones tell the same one.
#[derive(Clone)]
pub(crate) struct Teller {
    sender: mpsc::UnboundedSender<(Instant, Told)>,
    events: Arc<Events>,
}

/// The events of the session that wait for the screen.
#[derive(Default)]
struct Events {
    waiting: AtomicUsize,
    fewer: Notify,
}

impl Teller {
    pub(crate) fn new() -> (Self, Listener) {
        let (sender, receiver) = mpsc::unbounded_channel();
        let events = Arc::<Events>::default();
        (Self { sender, events: Arc::clone(&events) }, Listener { receiver, next: None, events })
    }

    pub(crate) fn tell(&self, told: Told) {
        if matches!(told, Told::Session(_)) {
            self.events.waiting.fetch_add(1, Ordering::AcqRel);
        }
        if self.sender.send((Instant::now(), told)).is_err() {
            // The end of the program: there is no screen any more.
            tracing::debug!("a message came after the end of the screen");
        }
    }

    /// What a source of events waits for before the next one; `None` while the screen keeps up. An event is never dropped.
    pub(crate) fn room(&self) -> Option<Pin<Box<dyn Future<Output = ()> + Send>>> {
        if self.events.waiting.load(Ordering::Acquire) < MANY {
            return None;
        }
        let (events, sender) = (Arc::clone(&self.events), self.sender.clone());
        Some(Box::pin(async move {
            loop {
                let mut fewer = std::pin::pin!(events.fewer.notified());
                // From here on no change is missed.
                fewer.as_mut().enable();
                if events.waiting.load(Ordering::Acquire) <= FEW || sender.is_closed() {
                    return;
                }
                fewer.await;
            }
        }))
    }
}

/// Receives the messages.
pub(crate) struct Listener {
    receiver: mpsc::UnboundedReceiver<(Instant, Told)>,
    /// The next message, which came later than those that were asked for.
    next: Option<(Instant, Told)>,
    events: Arc<Events>,
}

impl Listener {
    /// The next message, and when it was told.
    pub(crate) async fn recv(&mut self) -> Option<(Instant, Told)> {
        let told = match self.next.take() {
            Some(next) => Some(next),
            None => self.receiver.recv().await,
        };
        self.took(told)
    }

    /// The next message, if there is one, and when it was told.
    pub(crate) fn try_recv(&mut self) -> Option<(Instant, Told)> {
        let told = self.next.take().or_else(|| self.receiver.try_recv().ok());
        self.took(told)
    }

    /// The next message, if it was told before this.
    pub(crate) fn try_recv_before(&mut self, at: Instant) -> Option<Told> {
        self.next = self.next.take().or_else(|| self.receiver.try_recv().ok());
        let told = self.next.take_if(|(told, _)| *told < at);
        self.took(told).map(|(_, told)| told)
    }

    fn took(&self, told: Option<(Instant, Told)>) -> Option<(Instant, Told)> {
        if matches!(told, Some((_, Told::Session(_)))) && self.events.waiting.fetch_sub(1, Ordering::AcqRel) == FEW + 1
        {
            self.events.fewer.notify_waiters();
        }
        told
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.receiver.close();
        self.events.fewer.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use tau_agent::SessionEvent;

    use super::*;

    fn event() -> Told {
        Told::Session(Box::new(SessionEvent::AgentStart))
    }

    #[tokio::test]
    async fn a_screen_that_is_behind_makes_sources_wait_and_loses_nothing() {
        let (teller, mut listener) = Teller::new();
        for _ in 0..MANY {
            assert!(teller.room().is_none());
            teller.tell(event());
        }
        let waits = tokio::spawn(teller.room().expect("the screen is behind"));
        for left in (FEW + 1..MANY).rev() {
            assert!(listener.recv().await.is_some());
            assert!(!waits.is_finished(), "{left} events wait");
        }
        assert!(listener.try_recv().is_some());
        waits.await.expect("there is room");
        let rest = std::iter::from_fn(|| listener.try_recv());
        assert_eq!(rest.count(), FEW);
    }

    #[tokio::test]
    async fn the_end_of_the_screen_lets_sources_go_on() {
        let (teller, listener) = Teller::new();
        (0..=MANY).for_each(|_| teller.tell(event()));
        let waits = tokio::spawn(teller.room().expect("the screen is behind"));
        drop(listener);
        waits.await.expect("nobody waits for a screen that is gone");
    }
}

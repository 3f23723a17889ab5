//! Everything that is written, in one queue of fixed size.
//!
//! When the queue is full, pieces of one block are joined, and news replaces older news about the same thing. When that
//! is not enough, whoever produces pieces waits for [`Writer::room`]. What remains (responses, dialogs, beginnings and
//! ends) is few, and is never left out.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Write};
use std::pin::Pin;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};
use serde::Serialize;
use serde_json::{Value, json};
use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;

use super::step::Step;
use crate::diagnostics;

/// How many items wait before pieces are joined.
const MOST_ITEMS: usize = 1024;

/// How many bytes wait before producers do.
const MOST_BYTES: usize = 1024 * 1024;

/// How many bytes wait before commands are not read any more.
const MOST_ANSWERS: usize = 32 * 1024 * 1024;

/// About how many bytes are written at once.
const BATCH: usize = 64 * 1024;

/// What an item weighs beside its text.
const OVERHEAD: usize = 256;

/// How long to wait when an output that does not block takes nothing.
const PAUSE: Duration = Duration::from_millis(5);

/// Something to write.
#[derive(Debug)]
pub(super) enum Item {
    /// A line, with its end.
    Line(Vec<u8>),
    /// A step of a growing message.
    Step(Box<Step>),
    /// What a command of the user put out.
    Output {
        /// The command.
        id: Option<Value>,
        /// The text.
        delta: String,
    },
    /// How something stands now; what was said about it before does not matter any more.
    News {
        /// What it is about.
        about: String,
        /// The line, with its end.
        line: Vec<u8>,
    },
}

impl Item {
    /// A value as a line.
    pub(super) fn json(value: &impl Serialize) -> Self {
        Self::Line(line(value))
    }

    /// A value that says how something stands now.
    pub(super) fn news(about: String, value: &impl Serialize) -> Self {
        Self::News { about, line: line(value) }
    }

    fn weight(&self) -> usize {
        let text = match self {
            Self::Line(line) | Self::News { line, .. } => line.len(),
            Self::Step(step) => step.weight(),
            Self::Output { delta, .. } => delta.len(),
        };
        text + OVERHEAD
    }

    /// Takes a later item in when it is a piece of the same; else it is left over.
    fn join(&mut self, later: Self) -> Option<Self> {
        match (self, later) {
            (Self::Step(step), Self::Step(later)) => step.join(later).map(Self::Step),
            (Self::Output { id, delta }, Self::Output { id: same, delta: more }) if *id == same => {
                delta.push_str(&more);
                None
            }
            (_, later) => Some(later),
        }
    }

    fn write(&self, out: &mut Vec<u8>) {
        let start = out.len();
        let done = match self {
            Self::Line(line) | Self::News { line, .. } => {
                out.extend_from_slice(line);
                return;
            }
            Self::Step(step) => step.write(out),
            Self::Output { id, delta } => {
                let mut event = json!({"type": "bash_execution_update"});
                if let Some(id) = id {
                    event["id"] = id.clone();
                }
                event["delta"] = delta.as_str().into();
                serde_json::to_writer(&mut *out, &event)
            }
        };
        match done {
            Ok(()) => out.push(b'\n'),
            Err(error) => {
                out.truncate(start);
                lost(&error);
            }
        }
    }
}

fn line(value: &impl Serialize) -> Vec<u8> {
    match serde_json::to_vec(value) {
        Ok(mut line) => {
            line.push(b'\n');
            line
        }
        Err(error) => {
            lost(&error);
            Vec::new()
        }
    }
}

fn lost(error: &serde_json::Error) {
    diagnostics::error(&format!("something could not be told to the client: {error}"));
}

/// The queue. Clones share it.
#[derive(Clone)]
pub(super) struct Writer(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    /// Something is to be written, or nothing more will come.
    more: Condvar,
    /// Something was written.
    less: Condvar,
    room: Notify,
    gone: CancellationToken,
    progress: watch::Sender<Progress>,
}

#[derive(Default)]
struct State {
    items: VecDeque<Item>,
    bytes: usize,
    closed: bool,
    /// How many want what they push to be written in one piece.
    together: usize,
}

#[derive(Debug, Clone, Copy, Default)]
struct Progress {
    written: u64,
    ended: bool,
}

impl State {
    /// Whether producers of pieces may go on.
    fn has_room(&self) -> bool {
        self.items.len() <= MOST_ITEMS && self.bytes < MOST_BYTES
    }

    /// Whether those that waited may go on: a little later, so that they do not stop again at once.
    fn has_much_room(&self) -> bool {
        self.items.len() <= MOST_ITEMS / 2 && self.bytes < MOST_BYTES / 2
    }

    fn push(&mut self, item: Item) {
        let mut item = item;
        if self.items.len() >= MOST_ITEMS {
            if let Item::News { about, .. } = &item
                && let Some(at) = self
                    .items
                    .iter()
                    .position(|other| matches!(other, Item::News { about: other, .. } if other == about))
                && let Some(older) = self.items.remove(at)
            {
                self.bytes -= older.weight();
            }
            if let Some(last) = self.items.back_mut() {
                let before = last.weight();
                match last.join(item) {
                    None => {
                        self.bytes += last.weight() - before;
                        return;
                    }
                    Some(left) => item = left,
                }
            }
        }
        self.bytes += item.weight();
        self.items.push_back(item);
    }

    /// What is written next.
    fn batch(&mut self) -> Vec<Item> {
        let (mut batch, mut bytes) = (Vec::new(), 0);
        while bytes < BATCH
            && let Some(item) = self.items.pop_front()
        {
            bytes += item.weight();
            batch.push(item);
        }
        self.bytes -= bytes;
        batch
    }
}

impl Writer {
    /// Begins to write, on a thread of its own.
    ///
    /// # Errors
    /// When there can be no more threads.
    pub(super) fn start(output: Box<dyn Write + Send>) -> io::Result<Self> {
        let shared = Arc::new(Shared {
            state: Mutex::default(),
            more: Condvar::new(),
            less: Condvar::new(),
            room: Notify::new(),
            gone: CancellationToken::new(),
            progress: watch::Sender::default(),
        });
        let worker = Arc::clone(&shared);
        thread::Builder::new().name("rpc-output".to_owned()).spawn(move || worker.work(output))?;
        Ok(Self(shared))
    }

    /// Puts something at the end of the queue. Never waits.
    pub(super) fn push(&self, item: Item) {
        if self.0.gone.is_cancelled() {
            return;
        }
        self.0.state.lock().push(item);
        self.0.more.notify_one();
    }

    /// What is pushed while this lives is written in one piece, as far as it fits into one: a client that acts on the first
    /// line has read the others by then. Hold it for moments only.
    pub(super) fn together(&self) -> Together<'_> {
        self.0.state.lock().together += 1;
        Together(&self.0)
    }

    /// What producers of pieces wait for before the next one; `None` when there is room.
    pub(super) fn room(&self) -> Option<Pin<Box<dyn Future<Output = ()> + Send>>> {
        if self.0.state.lock().has_room() {
            return None;
        }
        let shared = Arc::clone(&self.0);
        Some(Box::pin(async move {
            loop {
                let mut room = std::pin::pin!(shared.room.notified());
                // From here on no change is missed.
                room.as_mut().enable();
                if shared.state.lock().has_much_room() || shared.gone.is_cancelled() {
                    return;
                }
                room.await;
            }
        }))
    }

    /// Blocks while a client asks much more than it reads.
    pub(super) fn wait_for_answers_to_be_read(&self) {
        let mut state = self.0.state.lock();
        while state.bytes > MOST_ANSWERS && !state.closed && !self.0.gone.is_cancelled() {
            self.0.less.wait(&mut state);
        }
    }

    /// Completes when nobody reads any more.
    pub(super) async fn gone(&self) {
        self.0.gone.cancelled().await;
    }

    /// Waits until everything is written; not beyond `patience` without a byte being read.
    pub(super) async fn finish(&self, patience: Duration) {
        self.0.state.lock().closed = true;
        self.0.more.notify_one();
        self.0.less.notify_all();
        let mut progress = self.0.progress.subscribe();
        while !progress.borrow_and_update().ended {
            if !matches!(tokio::time::timeout(patience, progress.changed()).await, Ok(Ok(()))) {
                return;
            }
        }
    }
}

/// See [`Writer::together`].
#[must_use]
pub(super) struct Together<'a>(&'a Shared);

impl Drop for Together<'_> {
    fn drop(&mut self) {
        self.0.state.lock().together -= 1;
        self.0.more.notify_one();
    }
}

impl Shared {
    fn work(&self, mut output: Box<dyn Write + Send>) {
        let mut bytes = Vec::new();
        while let Some(batch) = self.next() {
            for item in batch {
                item.write(&mut bytes);
                if bytes.len() >= BATCH {
                    self.write(&mut *output, &mut bytes);
                }
            }
            self.write(&mut *output, &mut bytes);
        }
        self.progress.send_modify(|progress| progress.ended = true);
    }

    /// Waits for something to write; `None` when nothing more comes.
    fn next(&self) -> Option<Vec<Item>> {
        let mut state = self.state.lock();
        while state.items.is_empty() || state.together > 0 {
            if state.closed && state.items.is_empty() {
                return None;
            }
            self.more.wait(&mut state);
        }
        let batch = state.batch();
        let much = state.has_much_room();
        drop(state);
        self.less.notify_all();
        if much {
            self.room.notify_waiters();
        }
        Some(batch)
    }

    fn write(&self, output: &mut dyn Write, bytes: &mut Vec<u8>) {
        let mut left = &bytes[..];
        while !left.is_empty() && !self.gone.is_cancelled() {
            match output.write(left) {
                Ok(0) => self.gone.cancel(),
                Ok(written) => {
                    left = &left[written..];
                    self.progress.send_modify(|progress| progress.written += written as u64);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => thread::sleep(PAUSE),
                Err(_) => self.gone.cancel(),
            }
        }
        if self.gone.is_cancelled() {
            self.room.notify_waiters();
            self.less.notify_all();
        }
        bytes.clear();
        // One large line should not be kept for ever.
        bytes.shrink_to(2 * BATCH);
    }
}

#[cfg(test)]
mod tests;

//! Reads standard input, on a thread of its own: nothing that happens keeps it from being read, but for a client that
//! does not read what it is answered.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use tau_rpc::{Frame, Framer};
use tokio::sync::mpsc;

use super::writer::Writer;

/// How many bytes are read at once.
const PIECE: usize = 64 * 1024;

/// How many lines wait to be looked at.
const WAITING: usize = 64;

/// How long to wait when an input that does not block has nothing.
const PAUSE: Duration = Duration::from_millis(5);

/// What is read.
pub(super) struct Input {
    /// The lines. The receiver ends with the input.
    pub(super) frames: mpsc::Receiver<Frame>,
    /// Whether the input has ended, also while lines wait to be looked at.
    pub(super) ended: Arc<AtomicBool>,
}

/// Begins to read.
pub(super) fn read(input: File, writer: &Writer) -> io::Result<Input> {
    let (sender, frames) = mpsc::channel(WAITING);
    let ended = Arc::new(AtomicBool::new(false));
    let (writer, at_end) = (writer.clone(), Arc::clone(&ended));
    thread::Builder::new().name("rpc-input".to_owned()).spawn(move || pump(input, &sender, &writer, &at_end))?;
    Ok(Input { frames, ended })
}

fn pump(mut input: File, frames: &mpsc::Sender<Frame>, writer: &Writer, ended: &AtomicBool) {
    let mut framer = Framer::default();
    let mut piece = vec![0; PIECE];
    loop {
        writer.wait_for_answers_to_be_read();
        match input.read(&mut piece) {
            Ok(0) => break,
            Ok(length) => {
                let mut open = true;
                framer.push(&piece[..length], |frame| open &= frames.blocking_send(frame).is_ok());
                if !open {
                    return;
                }
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => thread::sleep(PAUSE),
            // An input that cannot be read any more has ended.
            Err(_) => break,
        }
    }
    ended.store(true, Ordering::Release);
    if let Some(frame) = framer.end() {
        // Whoever took the lines may be gone.
        let _ = frames.blocking_send(frame);
    }
}

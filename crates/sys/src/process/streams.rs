//! What a program writes, on any number of pipes.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, ReadBuf};

/// How much is read at once.
const PIECE: usize = 64 * 1024;

type Reader = Box<dyn AsyncRead + Unpin + Send>;

/// The pipes of a program, each known by its place. None of them waits for another.
#[derive(Default)]
pub struct Streams {
    readers: Vec<Option<Reader>>,
    /// Pipes that nobody reads any more: a program that writes to a closed one is ended for it.
    held: Vec<Reader>,
    buffer: Vec<u8>,
    /// The one that is asked first.
    next: usize,
}

impl Streams {
    /// Adds the next one; `None` is one that is closed.
    pub fn add(&mut self, reader: Option<impl AsyncRead + Unpin + Send + 'static>) {
        self.readers.push(reader.map(|reader| Box::new(reader) as Reader));
    }

    /// Whether there is one that may still say something.
    pub(super) fn are_open(&self) -> bool {
        self.readers.iter().any(Option::is_some)
    }

    /// Whether this one may still say something.
    pub(super) fn is_open(&self, stream: usize) -> bool {
        self.readers.get(stream).is_some_and(Option::is_some)
    }

    /// Reads no more and closes them.
    pub(super) fn close(&mut self) {
        self.readers.clear();
    }

    /// Reads no more, but keeps them open.
    pub(super) fn hold(&mut self) {
        self.held.extend(self.readers.drain(..).flatten());
    }

    /// What one of them says next; nothing when it is closed. Can be given up and called again.
    pub(super) async fn read(&mut self) -> (usize, &[u8]) {
        if self.buffer.is_empty() {
            self.buffer = vec![0; PIECE];
        }
        let (stream, length) = poll_fn(|context| self.poll_read(context)).await;
        (stream, &self.buffer[..length])
    }

    fn poll_read(&mut self, context: &mut Context<'_>) -> Poll<(usize, usize)> {
        let count = self.readers.len();
        for stream in (0..count).map(|at| (self.next + at) % count) {
            let Some(reader) = &mut self.readers[stream] else { continue };
            let mut buffer = ReadBuf::new(&mut self.buffer);
            if let Poll::Ready(done) = Pin::new(reader).poll_read(context, &mut buffer) {
                let length = buffer.filled().len();
                if done.is_err() || length == 0 {
                    self.readers[stream] = None;
                }
                self.next = stream + 1;
                return Poll::Ready((stream, if done.is_ok() { length } else { 0 }));
            }
        }
        Poll::Pending
    }
}

//! The body of an answer, piece by piece.

use std::io;

use axum::body::Body;
use bytes::Bytes;
use futures_util::{Stream, StreamExt, stream};
use tokio::sync::watch;

use super::reply::{End, Reply};

/// Notices when a client goes before its answer is complete.
pub(super) struct Watchman {
    left: watch::Sender<usize>,
    done: bool,
}

impl Watchman {
    pub fn new(left: watch::Sender<usize>) -> Self {
        Self { left, done: false }
    }

    /// The answer is complete, or its end is the server's own doing.
    pub fn done(&mut self) {
        self.done = true;
    }
}

impl Drop for Watchman {
    fn drop(&mut self) {
        if !self.done {
            self.left.send_modify(|count| *count += 1);
        }
    }
}

/// A text after which nothing more comes, although the connection stays open.
pub(super) fn endless(text: Vec<u8>) -> Body {
    let text = stream::iter([Ok::<_, io::Error>(Bytes::from(text))]);
    Body::from_stream(text.chain(stream::pending()))
}

/// The events as pieces of bytes, then the end the reply asks for.
pub(super) fn stream(
    reply: &Reply,
    mut events: Vec<String>,
    mut watchman: Watchman,
) -> impl Stream<Item = io::Result<Bytes>> + Send + 'static {
    if reply.byte_order_mark {
        events.insert(0, "\u{feff}".to_owned());
    }
    let pieces: Vec<Bytes> = match (&reply.pieces, reply.piece_bytes) {
        (Some(pieces), _) => pieces.iter().cloned().map(Bytes::from).collect(),
        (None, None) => events.into_iter().map(Bytes::from).collect(),
        (None, Some(size)) => events.concat().as_bytes().chunks(size).map(Bytes::copy_from_slice).collect(),
    };
    let delay = reply.delay;
    let pieces = stream::iter(pieces).then(move |piece| async move {
        if !delay.is_zero() {
            tokio::time::sleep(delay).await;
        }
        Ok(piece)
    });
    let end = reply.end.clone();
    let end = stream::once(async move {
        match end {
            End::Hang => std::future::pending().await,
            End::Cut => {
                watchman.done();
                // What was written so far must leave before the connection breaks.
                tokio::task::yield_now().await;
                Some(Err(io::Error::other("cut")))
            }
            End::Finish | End::Error { .. } | End::Truncate => {
                watchman.done();
                None
            }
        }
    });
    pieces.chain(end.filter_map(|end| async move { end }))
}

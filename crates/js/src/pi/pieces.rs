//! A file that an extension hands out piece by piece.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::Value as Json;
use tau_tools::OpError;
use tokio::io::{AsyncRead, ReadBuf};

use super::port::{Caller, Reply, Thrown};

/// The stream behind `openStream`: each piece is asked for when the one before it was read, so no more than one is held.
pub(super) struct Pieces {
    caller: Caller,
    next: Option<BoxFuture<'static, Result<Reply, Thrown>>>,
    piece: Vec<u8>,
    read: usize,
    ended: bool,
}

impl Pieces {
    /// The stream that was just opened.
    pub(super) fn new(caller: Caller) -> Self {
        Self { caller, next: None, piece: Vec::new(), read: 0, ended: false }
    }
}

impl AsyncRead for Pieces {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, out: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        while this.read == this.piece.len() && !this.ended {
            let caller = &this.caller;
            let next = this.next.get_or_insert_with(|| {
                let caller = caller.clone();
                async move { caller.call("nextPiece", Vec::new()).await }.boxed()
            });
            let reply = ready!(next.poll_unpin(context));
            this.next = None;
            this.read = 0;
            this.piece = match reply {
                Ok(Reply::Bytes(bytes)) => bytes,
                Ok(Reply::Json(Json::String(text))) => text.into_bytes(),
                Ok(Reply::Json(Json::Null)) => {
                    this.ended = true;
                    Vec::new()
                }
                Ok(Reply::Json(_)) => {
                    return Poll::Ready(Err(io::Error::other(OpError::new(
                        "createReadStream gave neither bytes nor text",
                    ))));
                }
                Err(thrown) => return Poll::Ready(Err(io::Error::other(OpError::from(thrown)))),
            };
        }
        let rest = &this.piece[this.read..];
        let taken = rest.len().min(out.remaining());
        out.put_slice(&rest[..taken]);
        this.read += taken;
        Poll::Ready(Ok(()))
    }
}

impl Drop for Pieces {
    fn drop(&mut self) {
        if !self.ended {
            self.caller.tell("closeStream", Vec::new());
        }
    }
}

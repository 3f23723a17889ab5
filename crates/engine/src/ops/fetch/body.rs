//! Bodies on their way: streamed up as JavaScript writes them, decoded on the way down.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures_util::{Stream, StreamExt};
use tau_http::Decoder;
use tokio::io::{AsyncRead, AsyncReadExt, DuplexStream, ReadBuf};

use crate::engine::{Charge, Memory};
use crate::ops::too_large;

const CHUNK: usize = 16 * 1_024;

/// How much encoded data is decoded at once, in bytes.
const PIECE: usize = 4 * 1_024;

/// The body that is written to the other end.
pub(super) fn upload(reader: DuplexStream) -> reqwest::Body {
    let chunks = futures_util::stream::unfold(reader, |mut reader| async move {
        let mut chunk = vec![0; CHUNK];
        match reader.read(&mut chunk).await {
            Ok(0) => None,
            Ok(count) => {
                chunk.truncate(count);
                Some((Ok(chunk), reader))
            }
            Err(error) => Some((Err(error), reader)),
        }
    });
    reqwest::Body::wrap_stream(chunks)
}

type Chunks = Pin<Box<dyn Stream<Item = reqwest::Result<Vec<u8>>>>>;

/// The decoded body of an answer.
pub(super) struct Download {
    chunks: Chunks,
    decoder: Decoder,
    ready: Vec<u8>,
    taken: usize,
    /// What `ready` takes.
    counted: Option<Charge>,
}

impl Download {
    pub(super) fn new(response: reqwest::Response, memory: &Arc<Memory>) -> Self {
        // One that is not known leaves everything as it came.
        let decoder = Decoder::of(response.headers()).unwrap_or_default();
        Self {
            chunks: Box::pin(response.bytes_stream().map(|chunk| chunk.map(|bytes| bytes.to_vec()))),
            decoder,
            ready: Vec::new(),
            taken: 0,
            counted: memory.charge(0).ok(),
        }
    }
}

impl AsyncRead for Download {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        while this.taken == this.ready.len() {
            let Some(chunk) = ready!(this.chunks.as_mut().poll_next(context)) else { return Poll::Ready(Ok(())) };
            let mut bytes = chunk.map_err(|error| super::error::broken_body(&error))?;
            if !this.decoder.is_plain() {
                let mut decoded = Vec::new();
                // A little at a time: it may stand for a thousand times as much, which is counted behind it.
                for piece in bytes.chunks(PIECE) {
                    decoded.append(&mut this.decoder.decode(piece)?);
                    let resized = this.counted.as_mut().map(|counted| counted.resize(decoded.capacity()));
                    if let Some(Err(full)) = resized {
                        return Poll::Ready(Err(io::Error::other(too_large("the decoded body", &full).message)));
                    }
                }
                bytes = decoded;
            }
            this.ready = bytes;
            this.taken = 0;
        }
        let rest = &this.ready[this.taken..];
        let count = rest.len().min(buffer.remaining());
        buffer.put_slice(&rest[..count]);
        this.taken += count;
        Poll::Ready(Ok(()))
    }
}

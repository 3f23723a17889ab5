//! Bodies on their way: streamed up as JavaScript writes them, decoded on the way down.

use std::io::{self, Write};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use flate2::write::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use futures_util::{Stream, StreamExt};
use tokio::io::{AsyncRead, AsyncReadExt, DuplexStream, ReadBuf};

use crate::engine::{Charge, Memory};
use crate::ops::too_large;
use crate::ops::zlib::Sink;

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

/// One layer of `content-encoding`.
enum Decoder {
    Gzip(MultiGzDecoder<Sink>),
    Zlib(ZlibDecoder<Sink>),
    Raw(DeflateDecoder<Sink>),
    Brotli(Box<brotli::DecompressorWriter<Sink>>),
    /// `deflate` is two formats; the first byte tells which.
    Unknown,
}

impl Decoder {
    fn named(name: &str) -> Option<Self> {
        match name.trim().to_ascii_lowercase().as_str() {
            "gzip" | "x-gzip" => Some(Self::Gzip(MultiGzDecoder::new(Sink::default()))),
            "deflate" => Some(Self::Unknown),
            "br" => Some(Self::Brotli(Box::new(brotli::DecompressorWriter::new(Sink::default(), CHUNK)))),
            _ => None,
        }
    }

    /// Takes encoded bytes; gives what they come to so far.
    fn decode(&mut self, bytes: &[u8]) -> io::Result<Vec<u8>> {
        if matches!(self, Self::Unknown) {
            let Some(first) = bytes.first() else { return Ok(Vec::new()) };
            *self = match first & 0x0f {
                8 => Self::Zlib(ZlibDecoder::new(Sink::default())),
                _ => Self::Raw(DeflateDecoder::new(Sink::default())),
            };
        }
        fn run<W: Write>(writer: &mut W, bytes: &[u8]) -> io::Result<()> {
            writer.write_all(bytes)?;
            writer.flush()
        }
        let Sink(out) = match self {
            Self::Gzip(decoder) => {
                run(decoder, bytes)?;
                decoder.get_mut()
            }
            Self::Zlib(decoder) => {
                run(decoder, bytes)?;
                decoder.get_mut()
            }
            Self::Raw(decoder) => {
                run(decoder, bytes)?;
                decoder.get_mut()
            }
            Self::Brotli(decoder) => {
                run(decoder, bytes)?;
                decoder.get_mut()
            }
            Self::Unknown => return Ok(Vec::new()),
        };
        Ok(std::mem::take(out))
    }
}

type Chunks = Pin<Box<dyn Stream<Item = reqwest::Result<Vec<u8>>>>>;

/// The decoded body of an answer.
pub(super) struct Download {
    chunks: Chunks,
    /// In the order in which they are undone.
    decoders: Vec<Decoder>,
    ready: Vec<u8>,
    taken: usize,
    /// What `ready` takes.
    counted: Option<Charge>,
}

impl Download {
    pub(super) fn new(response: reqwest::Response, memory: &Arc<Memory>) -> Self {
        let encodings = response.headers().get_all("content-encoding").iter();
        let encodings: Vec<String> = encodings.filter_map(|value| value.to_str().ok().map(str::to_owned)).collect();
        let names: Vec<&str> = encodings.iter().flat_map(|list| list.split(',')).collect();
        // Undone from the outside in; one that is not known leaves everything as it came.
        let decoders: Option<Vec<Decoder>> = names.into_iter().rev().map(Decoder::named).collect();
        Self {
            chunks: Box::pin(response.bytes_stream().map(|chunk| chunk.map(|bytes| bytes.to_vec()))),
            decoders: decoders.unwrap_or_default(),
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
            for decoder in &mut this.decoders {
                let mut decoded = Vec::new();
                // A little at a time: it may stand for a thousand times as much, which is counted behind it.
                for piece in bytes.chunks(PIECE) {
                    decoded.append(&mut decoder.decode(piece)?);
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
